"""The tags of runs, and the vocabularies that they make, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from fingreat.analysis.ratio import Ratio
from fingreat.analysis.tags import TagScore
from fingreat.analysis.vocabulary import Vocabulary, vocabulary_overlap
from fingreat.report.columns import counts, edges, names, numbers, share, shares, texts
from fingreat.report.tables import Cell, Table, count_of

TOP_TAGS = 15
"""How many tags of each run are shown."""
MOST_LEFT_OUT = 20
"""How many strings of each run are shown that are no terms."""

_WEIGHT = (
    "Over tagged extractions, each of which shares a weight of one among its tags. Purity is the weight of "
    "every tag's main edge, of all weight; entropies are in bits; homogeneity is 1 - H(E|T) / H(E)."
)
_REUSED = "A one-off tag has one edge and counts as pure; the purity of reused tags leaves such tags out."
_NO_INTERVALS = (
    "There are no intervals: a draw of filings with repeats holds fewer different tags than the filings themselves, so "
    "that purity and homogeneity of the draws lie above the measured ones."
)
_RULES = (
    "Terms are tags under mechanical rules: Unicode, CamelCase, case, separators, and listed abbreviations, spellings "
    "and plurals; nothing is stemmed or taken for a synonym."
)


def tags_table(scores: Mapping[str, TagScore], *, of_the_graph: Sequence[str] = ()) -> Table:
    """Whether the tags of each run go with its edges.

    Args:
        scores: name of a run → its tags.
        of_the_graph: names of runs whose tags are words of the graph file.
    """
    return Table(
        id="tags",
        title="Tags",
        columns=(
            *texts("run"),
            *shares("tagged"),
            *counts("tags"),
            *shares("one-off tags"),
            *numbers("purity", "purity of reused tags", "H(E)", "H(E|T)", "homogeneity"),
        ),
        rows=tuple(
            (
                name,
                share(score.coverage),
                score.vocabulary,
                share(score.one_off),
                score.purity,
                score.reused_purity,
                score.edge_entropy,
                score.conditional_entropy,
                score.homogeneity,
            )
            for name, score in scores.items()
        ),
        notes=(*_made_of_the_graph(of_the_graph), _WEIGHT, _REUSED, _NO_INTERVALS),
    )


def recurrence_table(scores: Mapping[str, TagScore]) -> Table:
    """How often the tags of each run come back."""
    return Table(
        id="tag-recurrence",
        title="How often tags come back",
        columns=(
            *texts("run"),
            *counts("tags", "uses"),
            *numbers("uses per tag", digits=2),
            *shares("one-off tags", "uses of reused tags", "tags in several filings"),
        ),
        rows=tuple(
            (
                name,
                score.vocabulary,
                score.uses,
                score.uses_per_tag,
                share(score.one_off),
                share(score.reused),
                share(score.recurring),
            )
            for name, score in scores.items()
        ),
        notes=(
            "A use is one tag of one extraction. A one-off tag is one that a single extraction carries, a reused one "
            "that several carry.",
            "Who reads more has more chances to reuse a tag: compare runs over the same filings.",
        ),
    )


def top_tags_table(scores: Mapping[str, TagScore]) -> Table | None:
    """The tags with most weight in each run; None where nothing is tagged."""
    rows = tuple(
        (name, row.tag, row.n, row.weight, row.share, row.edge, row.edge_share)
        for name, score in scores.items()
        for row in score.rows[:TOP_TAGS]
    )
    if not rows:
        return None
    return Table(
        id="top-tags",
        title="The tags with most weight",
        detail=True,
        columns=(
            *names("run"),
            *texts("tag"),
            *counts("extractions"),
            *numbers("weight", digits=1),
            *numbers("of all weight"),
            *edges("main edge"),
            *numbers("of the tag's weight"),
        ),
        rows=rows,
        notes=(f"Up to {TOP_TAGS} tags of each run, as the model wrote them.",),
    )


def vocabulary_table(vocabularies: Mapping[str, Vocabulary]) -> Table:
    """What the rules make of the tags of each run."""
    return Table(
        id="vocabulary",
        title="Vocabularies",
        columns=(*texts("run"), *counts("strings"), *shares("malformed", "placeholders"), *counts("terms")),
        rows=tuple(
            (
                name,
                one.written,
                share(Ratio(len(one.malformed), one.written)),
                share(Ratio(len(one.placeholders), one.written)),
                len(one.terms),
            )
            for name, one in vocabularies.items()
        ),
        notes=(_RULES, "Malformed strings and placeholders are no terms; several strings may be one term."),
    )


def vocabulary_overlap_table(vocabularies: Mapping[str, Vocabulary]) -> Table:
    """How far each two runs share their terms."""
    rows = []
    for (name, one), (other_name, other) in combinations(vocabularies.items(), 2):
        jaccard = vocabulary_overlap(one, other)
        smaller = Ratio(jaccard.hits, min(len(one.terms), len(other.terms)))
        rows.append((name, other_name, len(one.terms), len(other.terms), share(jaccard), share(smaller)))
    return Table(
        id="vocabulary-overlap",
        title="Vocabularies that two runs share",
        columns=(
            *names("run"),
            *texts("other run"),
            *counts("terms", "terms of the other"),
            *shares("Jaccard", "of the smaller"),
        ),
        rows=tuple(rows),
        notes=(
            _RULES,
            "Jaccard is the terms that both have, of those that either has. It cannot exceed the size of the smaller "
            "vocabulary over that of the larger, so that the shared terms are also given of the smaller.",
        ),
    )


def left_out_table(vocabularies: Mapping[str, Vocabulary]) -> Table | None:
    """Strings that are no terms, as the models wrote them; None where there are none."""
    rows: list[tuple[Cell, ...]] = []
    more = []
    for name, one in vocabularies.items():
        kinds = (("malformed", one.malformed), ("placeholder", one.placeholders))
        strings = [(name, text, kind) for kind, texts_of_kind in kinds for text in texts_of_kind]
        rows += strings[:MOST_LEFT_OUT]
        if len(strings) > MOST_LEFT_OUT:
            more.append(f"Of {name}, {count_of(len(strings) - MOST_LEFT_OUT, 'string')} more.")
    if not rows:
        return None
    return Table(
        id="tags-left-out",
        title="Strings that are no terms",
        detail=True,
        columns=(*names("run"), *texts("string", "why")),
        rows=tuple(rows),
        notes=(f"Up to {MOST_LEFT_OUT} of each run.", *more),
    )


def _made_of_the_graph(runs: Sequence[str]) -> Iterator[str]:
    """A note on runs whose tags hardly can go with several edges: few phrases of a graph file belong to two."""
    if runs:
        yield (
            f"The tags of {', '.join(runs)} are words of the graph file, nearly all of one edge each: their purity "
            "is near 1 by construction."
        )
