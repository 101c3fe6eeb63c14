"""Matches to be read by a person: those whose edges differ, or those whose quotes read alike and say something else."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from heapq import nsmallest
from itertools import groupby
from pathlib import Path
from typing import Literal

from fingreat.errors import CorpusError, RunError
from fingreat.matching import By, FilingMatcher
from fingreat.pipeline.by_filing import read_by_filing
from fingreat.pipeline.corpus_folder import CorpusFolder
from fingreat.runs import RunFolder, read_records, readers
from fingreat.schema import Extraction, Filing, Match

Edges = tuple[str, str]
"""The edge in run A and the one in run B."""
Side = Literal["a", "b"]


@dataclass(frozen=True)
class ShownMatch:
    """A match with what it matches.

    Attributes:
        a, b: of run A and of run B.
        both: which runs give the passage both edges, where these differ: "a" where run A has a further quote of run B's
            passage, with run B's edge; "b" the other way round.
        filing: None where the corpus that run A read is not there.
    """

    match: Match
    a: Extraction
    b: Extraction
    both: tuple[Side, ...]
    filing: Filing | None = None


@dataclass(frozen=True)
class Disagreements:
    """What a person reads of the matches of two runs.

    Attributes:
        pairs: how many matches have which two different edges, the commonest first.
        both: in how many of these so many runs give the passage both edges: none, one, or two, which then do not
            disagree on it.
        shown: the largest of those matches that were asked for.
    """

    pairs: tuple[tuple[Edges, int], ...]
    both: tuple[int, int, int]
    shown: tuple[ShownMatch, ...]


def disagreements(
    folder: RunFolder,
    runs: Sequence[RunFolder],
    most: int,
    *,
    edges: Edges | None = None,
    near_misses: bool = False,
) -> Disagreements:
    """Find the matches of a match folder whose edges differ, or its near misses.

    The largest come first: those with the largest overlap, then those whose shorter quote has the most characters, then
    those of earlier filings and earlier in the text. But where edges differ, passages that no run gives both edges come
    first, and those that both runs do last.

    Args:
        runs: run A and run B.
        most: how many to show.
        edges: show only those with just these edges.
        near_misses: show those whose quotes say something else, whatever their edges.

    Raises:
        RunError: an extraction that was matched is no longer there, or another process changes one of the folders.
    """
    with ExitStack() as stack:
        for path in dict.fromkeys((folder.path, *(run.path for run in runs))):
            stack.enter_context(readers(path))
        pairs: Counter[Edges] = Counter()
        both: Counter[int] = Counter()

        def asked_for() -> Iterator[ShownMatch]:
            for item in _with_quotes(folder, runs, near_misses=near_misses):
                match = item.match
                if not match.same_edge:
                    pairs[_edges(match)] += 1
                    both[len(item.both)] += 1
                wanted = match.near_miss if near_misses else not match.same_edge
                if wanted and edges in (None, _edges(match)):
                    yield item

        found = asked_for()
        shown = nsmallest(most, found, key=_size if near_misses else _disagreement)
        # Where none is to be shown they are counted all the same.
        deque(found, maxlen=0)
        companies = _companies(runs[0], {item.match.filing_id for item in shown})
    return Disagreements(
        pairs=tuple(sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0]))),
        both=(both[0], both[1], both[2]),
        shown=tuple(replace(item, filing=companies.get(item.match.filing_id)) for item in shown),
    )


def _edges(match: Match) -> Edges:
    return match.edge_a, match.edge_b


def _with_quotes(folder: RunFolder, runs: Sequence[RunFolder], *, near_misses: bool) -> Iterator[ShownMatch]:
    """The matches whose edges differ, and near misses if asked, which are written filing by filing, with their
    extractions; no more than one filing's are held.
    """

    def matches() -> Iterator[Match]:
        every = read_records(folder.matches, Match)
        return (match for match in every if not match.same_edge or (near_misses and match.near_miss))

    by = folder.match_manifest().by
    filings = list(dict.fromkeys(match.filing_id for match in matches()))
    of_filings = groupby(matches(), key=lambda match: match.filing_id)
    for (filing_id, of_filing), (_, (a, b)) in zip(of_filings, read_by_filing(runs, filings), strict=True):
        found = list(of_filing)
        by_id = [{extraction.id: extraction for extraction in side} for side in (a, b)]
        for match in found:
            for run, side, id_ in zip(runs, by_id, (match.a, match.b), strict=True):
                if id_ not in side:
                    raise RunError(f"no longer has extraction {id_}.", where=str(run.path), hint="Match it again.")
        also = _also_given(filing_id, a, b, by) if any(not match.same_edge for match in found) else set()
        for match in found:
            both = () if match.same_edge else _both(match, also)
            yield ShownMatch(match, by_id[0][match.a], by_id[1][match.b], both)


def _also_given(filing_id: str, a: Sequence[Extraction], b: Sequence[Extraction], by: By) -> set[tuple[Side, str, str]]:
    """Every run, extraction of the other run in one filing, and edge that the run gives to that one's passage.

    What quotes the same passage is what could have been matched, whatever else it was matched with.
    """
    matcher = FilingMatcher(filing_id, (*a, *b))
    numbers = matcher.quote_numbers if by == "text" else matcher.place_numbers
    _, rows, columns = matcher.pairs(by).between(numbers(a), numbers(b))
    given: set[tuple[Side, str, str]] = set()
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        given.add(("a", b[column].id, a[row].edge))
        given.add(("b", a[row].id, b[column].edge))
    return given


def _both(match: Match, given: set[tuple[Side, str, str]]) -> tuple[Side, ...]:
    """Which runs give the passage of a match both of its edges."""
    others: tuple[tuple[Side, str, str], ...] = (("a", match.b, match.edge_b), ("b", match.a, match.edge_a))
    return tuple(other[0] for other in others if other in given)


def _disagreement(item: ShownMatch) -> tuple[int, float, int]:
    """Sorts the largest first, and those on which fewer runs give both edges before all of these."""
    return len(item.both), *_size(item)


def _size(item: ShownMatch) -> tuple[float, int]:
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
