"""Where two runs quote the same passage and give it different edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from heapq import nsmallest
from itertools import groupby
from pathlib import Path

from fingreat.errors import CorpusError, RunError
from fingreat.pipeline.by_filing import read_by_filing
from fingreat.pipeline.corpus_folder import CorpusFolder
from fingreat.runs import RunFolder, read_records, readers
from fingreat.schema import Extraction, Filing, Match

Edges = tuple[str, str]
"""The edge in run A and the one in run B."""


@dataclass(frozen=True)
class Disagreement:
    """Two extractions that quote the same passage and give it different edges.

    Attributes:
        a, b: of run A and of run B.
        filing: None where the corpus that run A read is not there.
    """

    match: Match
    a: Extraction
    b: Extraction
    filing: Filing | None


@dataclass(frozen=True)
class Disagreements:
    """The matches of two runs whose edges differ.

    Attributes:
        pairs: how many of them have which two edges, the commonest first.
        shown: the largest of those that were asked for.
    """

    pairs: tuple[tuple[Edges, int], ...]
    shown: tuple[Disagreement, ...]


def disagreements(
    folder: RunFolder, runs: Sequence[RunFolder], most: int, *, edges: Edges | None = None
) -> Disagreements:
    """Find the matches of a match folder whose edges differ.

    The largest come first: those with the largest overlap, then those whose shorter quote has the most characters, then
    those of earlier filings and earlier in the text.

    Args:
        runs: run A and run B.
        most: how many to show.
        edges: show only those with just these edges.

    Raises:
        RunError: an extraction that was matched is no longer there, or another process changes one of the folders.
    """
    with ExitStack() as stack:
        for path in dict.fromkeys((folder.path, *(run.path for run in runs))):
            stack.enter_context(readers(path))
        pairs: Counter[Edges] = Counter()
        filings: dict[str, None] = {}
        for match in _differing(folder):
            pairs[_edges(match)] += 1
            if edges in (None, _edges(match)):
                filings[match.filing_id] = None
        wanted = (match for match in _differing(folder) if edges in (None, _edges(match)))
        shown = nsmallest(most, _with_quotes(wanted, runs, list(filings)), key=_size) if most else []
        companies = _companies(runs[0], {item.match.filing_id for item in shown})
    return Disagreements(
        pairs=tuple(sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0]))),
        shown=tuple(Disagreement(item.match, item.a, item.b, companies.get(item.match.filing_id)) for item in shown),
    )


def _differing(folder: RunFolder) -> Iterator[Match]:
    return (match for match in read_records(folder.matches, Match) if not match.same_edge)


def _edges(match: Match) -> Edges:
    return match.edge_a, match.edge_b


def _with_quotes(matches: Iterator[Match], runs: Sequence[RunFolder], filings: Sequence[str]) -> Iterator[Disagreement]:
    """The matches, which are written filing by filing, with their extractions; no more than one filing's are held."""
    of_filings = groupby(matches, key=lambda match: match.filing_id)
    for (_, of_filing), (_, sides) in zip(of_filings, read_by_filing(runs, filings), strict=True):
        a, b = ({extraction.id: extraction for extraction in side} for side in sides)
        for match in of_filing:
            for run, side, id_ in zip(runs, (a, b), (match.a, match.b), strict=True):
                if id_ not in side:
                    raise RunError(f"no longer has extraction {id_}.", where=str(run.path), hint="Match it again.")
            yield Disagreement(match, a[match.a], b[match.b], None)


def _size(item: Disagreement) -> tuple[float, int]:
    """Sorts the largest first; what is equal keeps its order, which is that of the filings and the text."""
    return -item.match.overlap, -min(len(item.a.quote), len(item.b.quote))


def _companies(run: RunFolder, wanted: set[str]) -> dict[str, Filing]:
    """The filings as the corpus that the run read has them; none where it is not there or no corpus any more."""
    named = run.manifest().asked.get("corpus")
    if not named or not wanted:
        return {}
    try:
        return {filing.id: filing for filing in CorpusFolder(Path(named)).filings() if filing.id in wanted}
    except CorpusError:
        # A name beside a filing's id is no part of the result.
        return {}
