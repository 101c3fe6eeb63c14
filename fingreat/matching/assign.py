"""One-to-one matching of the extractions of two runs, by what they quote and never by their edges."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from fingreat.errors import InputError
from fingreat.matching.filing import By, FilingCandidates, FilingMatcher
from fingreat.schema.matched import Match
from fingreat.schema.records import Extraction


def match_extractions(a: Sequence[Extraction], b: Sequence[Extraction], *, by: By = "text") -> list[Match]:
    """Match the extractions of two runs one to one; only extractions of the same filing can match.

    Pairs that overlap by less than `MIN_OVERLAP` are dropped, then the assignment with the largest total overlap is
    taken. Equal totals are decided by the total overlap of their places; then by position, for those that stand
    earlier in the text and for pairs of like rank in it; then by id in the same way. The order in which the
    extractions are given plays no part, nor do edges.

    Args:
        by: `text` compares quotes, `span` the places where they stand (intersection over the shorter).

    Returns:
        the matches, sorted by filing, then by the position in the text of the extraction of run A.

    Raises:
        InputError: an id is there twice in one run, or a filing has too many overlapping quotes.
    """
    return [match for candidates in candidates_by_filing(a, b, by=by) for match in candidates.matches()]


def conditional_precision_range(
    a: Sequence[Extraction], b: Sequence[Extraction], *, by: By = "text"
) -> tuple[int, int]:
    """The smallest and the largest number of same-edge matches over all assignments with the largest total overlap.

    They differ where equal or equally near quotes carry different edges.

    Raises:
        InputError: as `match_extractions`.
    """
    ranges = [candidates.same_edge_range() for candidates in candidates_by_filing(a, b, by=by)]
    return sum(least for least, _ in ranges), sum(most for _, most in ranges)


def candidates_by_filing(
    a: Sequence[Extraction], b: Sequence[Extraction], *, by: By = "text"
) -> Iterator[FilingCandidates]:
    """The pairs that may be matched in each filing of which both runs have an extraction, by the filing's id.

    Raises:
        InputError: an id is there twice in one run, or quotes hold too many different words.
    """
    of_a, of_b = _by_filing(a, "first"), _by_filing(b, "second")
    for filing_id in sorted(of_a.keys() & of_b.keys()):
        matcher = FilingMatcher(filing_id, (*of_a[filing_id], *of_b[filing_id]))
        yield matcher.candidates(of_a[filing_id], of_b[filing_id], by=by)


def _by_filing(extractions: Sequence[Extraction], which: str) -> Mapping[str, list[Extraction]]:
    groups: dict[str, list[Extraction]] = defaultdict(list)
    seen: set[str] = set()
    for extraction in extractions:
        if extraction.id in seen:
            raise InputError(f"the {which} run has two extractions with the id {extraction.id}.")
        seen.add(extraction.id)
        groups[extraction.filing_id].append(extraction)
    return groups
