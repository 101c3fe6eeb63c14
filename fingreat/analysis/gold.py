"""Extractions against an exhaustive gold: true precision and recall, with chance beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, lgamma, log, log1p

from fingreat.analysis.filings import by_filing
from fingreat.analysis.ratio import Ratio
from fingreat.analysis.spans import first_place
from fingreat.errors import InputError
from fingreat.schema import Extraction, GoldPassage, Graph

COVERED = 0.5
"""Share of a passage's characters from which it counts as covered."""


@dataclass(frozen=True)
class EdgeScore:
    """Precision and recall of one edge: over its extractions, and over the passages that accept it."""

    edge: str
    precision: Ratio
    recall: Ratio


@dataclass(frozen=True)
class GoldScore:
    """How a run did on texts whose evidence is fully known.

    All counts are sums over the filings that have gold passages; the others play no part.

    Attributes:
        precision: extractions on evidence for their edge, of all extractions. One that does not stand in
            the text is wrong; the same place and edge given twice counts once.
        recall: gold passages found under one of their accepted edges, of all gold passages.
        located: extractions that lie on evidence for any edge, of all.
        typed: of the located ones, those with an accepted edge.
        duplicates: extractions left out because their place and edge came before.
        chance_precision: expected precision of a character of the texts drawn at random with an edge drawn
            at random.
        chance_typed: expected share of accepted edges where the passages are the located ones and the edge
            is drawn at random: mean |accepted edges| / |edges|. None where nothing is located.
        typed_p_value: probability of so many right edges or more by chance (exact one-sided binomial test).
        found: (passage id, edge) for every accepted edge under which a passage was found.
        other_edge: ids of the passages that were found only under an edge that is not accepted.
        filings: how many have gold passages.
        unscored_filings, unscored: how many have none, and how many extractions those hold.
    """

    precision: Ratio
    recall: Ratio
    located: Ratio
    typed: Ratio
    duplicates: int
    chance_precision: float
    chance_typed: float | None
    typed_p_value: float | None
    edges: tuple[EdgeScore, ...]
    found: frozenset[tuple[str, str]]
    other_edge: frozenset[str]
    filings: int = 1
    unscored_filings: int = 0
    unscored: int = 0


def score_against_gold(
    extractions: Iterable[Extraction], gold: Sequence[GoldPassage], graph: Graph, text_lengths: Mapping[str, int]
) -> GoldScore:
    """Score extractions against the exhaustive gold of their filings.

    Both sides are compared as characters of the section's text, so that it does not matter whether a model
    gives two sentences as one passage or as two. An extraction is right if at least half of its characters
    lie on passages that accept its edge; a passage is found if at least half of its characters are covered by
    extractions that share one accepted edge. For the score of one filing, give its length alone.

    Args:
        gold: the passages with evidence, each with its place in the text. Those with no edge are no evidence, but
            they say that their filing was read: a filing without any passage is left out, not counted as wrong.
        text_lengths: filing id → length of its section in code points. Filings without gold may be among them;
            records of a filing that is not among them are refused.

    Raises:
        InputError: a gold passage has no place, or one outside the text; passages share an id; a passage or an
            extraction has an edge that the graph lacks, or belongs to a filing without a length.
    """
    passages = [passage for passage in gold if passage.accepted]
    extractions = list(extractions)
    _check_filings([*gold, *extractions], text_lengths)
    _check(passages, graph, text_lengths)
    _check_edges(extractions, graph)
    read = list(dict.fromkeys(passage.filing_id for passage in gold))
    ours, theirs = by_filing(extractions), by_filing(passages)
    parts = [_judge(ours.get(one, []), theirs.get(one, []), graph, text_lengths[one]) for one in read]

    kept = [x for part in parts for x in part.kept]
    right = [x for part in parts for x in part.right]
    claimed = {pair for part in parts for pair in part.claimed}
    found = frozenset((p.passage_id, edge) for p in passages for edge in p.accepted if (p.passage_id, edge) in claimed)
    found_ids = {passage_id for passage_id, _ in found}
    sizes = [size for part in parts for size in part.sizes]
    typed = Ratio(len(right), len(sizes))
    chance_typed = sum(sizes) / (len(sizes) * len(graph.edges)) if sizes else None
    length = sum(text_lengths[one] for one in read)
    scored = sum(len(ours.get(one, [])) for one in read)
    return GoldScore(
        precision=Ratio(len(right), len(kept)),
        recall=Ratio(len(found_ids), len(passages)),
        located=Ratio(len(sizes), len(kept)),
        typed=typed,
        duplicates=scored - len(kept),
        chance_precision=sum(part.evidence for part in parts) / (length * len(graph.edges)) if length else 0.0,
        chance_typed=chance_typed,
        typed_p_value=None if chance_typed is None else binomial_tail(typed.hits, typed.total, chance_typed),
        edges=tuple(_edge_score(edge, kept, right, passages, found) for edge in graph.edges),
        found=found,
        other_edge=frozenset(passage_id for passage_id, _ in claimed if passage_id not in found_ids),
        filings=len(read),
        unscored_filings=len(text_lengths) - len(read),
        unscored=len(extractions) - scored,
    )


@dataclass(frozen=True)
class _Judged:
    """One filing: its extractions without repeats, the right ones, (passage, edge) pairs that are covered, and what
    chance goes by: characters of evidence, summed over edges, and |accepted edges| of the passage under each
    located extraction."""

    kept: list[Extraction]
    right: list[Extraction]
    claimed: set[tuple[str, str]]
    evidence: int
    sizes: list[int]


def _judge(extractions: Sequence[Extraction], passages: Sequence[GoldPassage], graph: Graph, length: int) -> _Judged:
    kept = _without_duplicates(extractions)
    any_evidence = _cover([_place(passage) for passage in passages], length)
    located = [x for x in kept if _covered(first_place(x), any_evidence)]
    right: list[Extraction] = []
    claimed: set[tuple[str, str]] = set()
    characters = 0
    for edge in graph.edges:
        evidence = _cover([_place(p) for p in passages if edge in p.accepted], length)
        characters += sum(evidence)
        of_edge = [x for x in kept if x.edge == edge]
        right += [x for x in of_edge if _covered(first_place(x), evidence)]
        claims = _cover([r for x in of_edge for r in first_place(x)], length)
        claimed |= {(p.passage_id, edge) for p in passages if _covered([_place(p)], claims)}
    return _Judged(kept, right, claimed, characters, [_accepted_there(x, passages) for x in located])


def binomial_tail(hits: int, trials: int, chance: float) -> float:
    """P(X >= hits) for X ~ Binomial(trials, chance): the sum of its terms, each by the log-gamma function.

    Binomial coefficients themselves leave the range of a float from about 1,030 trials.
    """
    if hits <= 0 or chance >= 1.0:
        return float(hits <= trials)
    if chance <= 0.0:
        return 0.0
    yes, no, whole = log(chance), log1p(-chance), lgamma(trials + 1)
    terms = (
        whole - lgamma(k + 1) - lgamma(trials - k + 1) + k * yes + (trials - k) * no for k in range(hits, trials + 1)
    )
    return min(1.0, fsum(map(exp, terms)))


def _check(passages: Sequence[GoldPassage], graph: Graph, text_lengths: Mapping[str, int]) -> None:
    ids = Counter(passage.passage_id for passage in passages)
    for passage in passages:
        where = f"gold passage {passage.passage_id}"
        length = text_lengths[passage.filing_id]
        if ids[passage.passage_id] > 1:
            raise InputError("is there twice.", where=where)
        if passage.start is None or passage.end is None:
            raise InputError("has no place in the text.", where=where, hint="Give its start and end.")
        if not 0 <= passage.start < passage.end <= length:
            raise InputError(f"stands at {passage.start} to {passage.end} of {length} characters.", where=where)
        unknown = passage.accepted - set(graph.edges)
        if unknown:
            raise InputError(f"accepts {', '.join(sorted(unknown))}, no edge of graph '{graph.name}'.", where=where)


def _check_filings(records: Iterable[GoldPassage | Extraction], text_lengths: Mapping[str, int]) -> None:
    for record in records:
        if record.filing_id not in text_lengths:
            kind, id_ = (
                ("gold passage", record.passage_id) if isinstance(record, GoldPassage) else ("extraction", record.id)
            )
            raise InputError(
                f"belongs to filing {record.filing_id}, which is not among those to score.", where=f"{kind} {id_}"
            )


def _check_edges(extractions: Iterable[Extraction], graph: Graph) -> None:
    for extraction in extractions:
        if extraction.edge not in graph.edges:
            raise InputError(
                f"has edge {extraction.edge}, no edge of graph '{graph.name}'.", where=f"extraction {extraction.id}"
            )


def _place(passage: GoldPassage) -> tuple[int, int]:
    return passage.start or 0, passage.end or 0


def _without_duplicates(extractions: Iterable[Extraction]) -> list[Extraction]:
    kept: dict[object, Extraction] = {}
    for extraction in extractions:
        kept.setdefault((extraction.ranges or extraction.quote, extraction.edge), extraction)
    return list(kept.values())


def _cover(ranges: Iterable[tuple[int, int]], length: int) -> bytearray:
    """One byte per character: 1 where any range lies."""
    cover = bytearray(length)
    for start, end in ranges:
        cover[start:end] = b"\x01" * (min(end, length) - start)
    return cover


def _covered(ranges: Sequence[tuple[int, int]], cover: bytearray) -> bool:
    size = sum(end - start for start, end in ranges)
    return size > 0 and sum(sum(cover[start:end]) for start, end in ranges) >= COVERED * size


def _accepted_there(extraction: Extraction, passages: Sequence[GoldPassage]) -> int:
    """|accepted edges| of the passage on which most of an extraction lies."""
    ranges = first_place(extraction)
    overlaps = Counter({i: _overlap(ranges, _place(passage)) for i, passage in enumerate(passages)})
    return len(passages[overlaps.most_common(1)[0][0]].accepted)


def _overlap(ranges: Sequence[tuple[int, int]], place: tuple[int, int]) -> int:
    return sum(max(0, min(end, place[1]) - max(start, place[0])) for start, end in ranges)


def _edge_score(
    edge: str,
    kept: Sequence[Extraction],
    right: Sequence[Extraction],
    passages: Sequence[GoldPassage],
    found: frozenset[tuple[str, str]],
) -> EdgeScore:
    cohort = [passage for passage in passages if edge in passage.accepted]
    return EdgeScore(
        edge=edge,
        precision=Ratio(sum(x.edge == edge for x in right), sum(x.edge == edge for x in kept)),
        recall=Ratio(sum((passage.passage_id, edge) in found for passage in cohort), len(cohort)),
    )
