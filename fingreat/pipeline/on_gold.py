"""Which extraction of a run quotes which gold passage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from fingreat.analysis.filings import by_filing
from fingreat.matching import FilingMatcher
from fingreat.pipeline.by_filing import read_by_filing
from fingreat.runs import RunFolder
from fingreat.schema import Extraction, GoldPassage, Verdict

_GOLD = ""
"""The run of a gold passage where it is matched like an extraction: no run has an empty name."""


def on_gold(
    extractions: Iterable[tuple[str, Sequence[Extraction]]], gold: Iterable[GoldPassage]
) -> dict[str, Extraction]:
    """Match gold passages one to one with what a run quotes of the same filing, by words alone.

    The rule is that for two runs (`FilingMatcher`): edges play no part, and between equally good assignments place,
    order and id decide. Passages that accept no edge take part, so that their extraction goes to no other passage.

    Args:
        extractions: filing id → the run's extractions there, each filing once; filings without gold play no part.
        gold: of any filings.

    Returns:
        passage id → the extraction that quotes it, for the passages that have one.
    """
    passages = by_filing(gold)
    found: dict[str, Extraction] = {}
    for filing_id, quoted in extractions:
        wanted = [_as_extraction(passage) for passage in passages.get(filing_id, ())]
        if not wanted or not quoted:
            continue
        own = {extraction.id: extraction for extraction in quoted}
        matcher = FilingMatcher(filing_id, chain(wanted, quoted))
        found |= {match.a: own[match.b] for match in matcher.candidates(wanted, quoted).matches()}
    return found


def run_on_gold(run: RunFolder, gold: Sequence[GoldPassage]) -> Mapping[str, Extraction]:
    """`on_gold` of a run on disk, one filing at a time; hold its `readers` lock meanwhile.

    Raises:
        RunError: the run's extractions cannot be read, or are damaged.
    """
    filings = tuple(dict.fromkeys(passage.filing_id for passage in gold))
    return on_gold(((filing, of_run) for filing, (of_run,) in read_by_filing([run], filings)), gold)


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
