"""Which extractions of a run quote which gold passage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from fingreat.analysis.filings import by_filing
from fingreat.matching import FilingMatcher, normalise
from fingreat.matching.places import merged, shared_points
from fingreat.pipeline.by_filing import read_by_filing
from fingreat.runs import RunFolder
from fingreat.schema import Extraction, GoldPassage, Verdict

_GOLD = ""
"""The run of a gold passage where it is matched like an extraction: no run has an empty name."""


@dataclass(frozen=True)
class QuotedPassage:
    """What a run quotes of a gold passage. An extraction quotes one passage at most.

    Attributes:
        quoted: the extraction that the passage is matched with.
        all: this one, then its twins in the order of the text: extractions whose quotes have the same normal form and
            stand at the same place, or nowhere. Any of them could be the one that is matched.
    """

    quoted: Extraction
    all: tuple[Extraction, ...]


def on_gold(
    extractions: Iterable[tuple[str, Sequence[Extraction]]], gold: Iterable[GoldPassage]
) -> dict[str, QuotedPassage]:
    """Match gold passages one to one with what a run quotes of the same filing, by words alone.

    The rule is that for two runs (`FilingMatcher`): edges play no part, and between equally good assignments place,
    order and id decide. Passages that accept no edge take part, so that their extraction goes to no other passage.

    Args:
        extractions: filing id → the run's extractions there, each filing once; filings without gold play no part.
        gold: of any filings.

    Returns:
        passage id → the extractions that quote it, for the passages that have some.
    """
    passages = by_filing(gold)
    found: dict[str, QuotedPassage] = {}
    for filing_id, quoted in extractions:
        wanted = [_as_extraction(passage) for passage in passages.get(filing_id, ())]
        if not wanted or not quoted:
            continue
        own = {extraction.id: extraction for extraction in quoted}
        matcher = FilingMatcher(filing_id, chain(wanted, quoted))
        candidates = matcher.candidates(wanted, quoted)
        matched = {match.a: own[match.b] for match in candidates.matches()}
        found |= _with_twins(matched, candidates.b)
    return found


def run_on_gold(run: RunFolder, gold: Sequence[GoldPassage]) -> Mapping[str, QuotedPassage]:
    """`on_gold` of a run on disk, one filing at a time; hold its `readers` lock meanwhile.

    Raises:
        RunError: the run's extractions cannot be read, or are damaged.
    """
    filings = tuple(dict.fromkeys(passage.filing_id for passage in gold))
    return on_gold(((filing, of_run) for filing, (of_run,) in read_by_filing([run], filings)), gold)


def _with_twins(matched: Mapping[str, Extraction], quoted: Sequence[Extraction]) -> dict[str, QuotedPassage]:
    """Add to the extractions of passages their twins among all of the filing; a twin of several goes with the one that
    it shares most of its place with, of equal ones with the first.
    """
    forms = {quote: normalise(quote).text for quote in {extraction.quote for extraction in quoted}}
    by_form: dict[str, list[str]] = {}
    for passage_id, extraction in matched.items():
        by_form.setdefault(forms[extraction.quote], []).append(passage_id)
    found = {passage_id: [extraction] for passage_id, extraction in matched.items()}
    taken = {extraction.id for extraction in matched.values()}
    for extraction in quoted:
        if extraction.id in taken:
            continue
        alike = by_form.get(forms[extraction.quote], ())
        shared = {one: points for one in alike if (points := _same_place(matched[one], extraction)) is not None}
        if shared:
            found[max(shared, key=shared.__getitem__)].append(extraction)
    return {passage_id: QuotedPassage(of_passage[0], tuple(of_passage)) for passage_id, of_passage in found.items()}


def _same_place(a: Extraction, b: Extraction) -> int | None:
    """How many code points two quotes share, 0 where both stand nowhere; None where their places differ."""
    shared = shared_points(merged(a.ranges), merged(b.ranges))
    return shared if shared or not (a.ranges or b.ranges) else None


def _as_extraction(passage: GoldPassage) -> Extraction:
    """A gold passage in the form in which passages are matched."""
    placed = passage.start is not None and passage.end is not None
    return Extraction(
        id=passage.passage_id,
        run=_GOLD,
        filing_id=passage.filing_id,
        chunk_id="",
        quote=passage.text,
        edge="",
        verdict=Verdict.EXACT,
        ranges=((passage.start or 0, passage.end or 0),) if placed else (),
    )
