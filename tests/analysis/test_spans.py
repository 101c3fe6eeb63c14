"""Characters that two runs quote: worked by hand, and against sets of characters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingreat.analysis import REPLICATES, CharacterAgreement, CharacterTally, FilingBootstrap, Interval, Ratio
from fingreat.analysis.spans import covered, first_place, length, shared
from fingreat.errors import InputError
from fingreat.schema import Extraction, Verdict

Ranges = tuple[tuple[int, int], ...]
NUMBERS = count()


def extraction(filing: str, *ranges: tuple[int, int], ambiguous: bool = False) -> Extraction:
    return Extraction(
        id=f"x{next(NUMBERS)}",
        run="r",
        filing_id=filing,
        chunk_id="c",
        quote="q",
        edge="REV-NNCA",
        verdict=Verdict.EXACT if ranges else Verdict.NOT_FOUND,
        ranges=ranges,
        ambiguous=ambiguous,
    )


def test_characters_of_a_worked_example() -> None:
    tally = CharacterTally()
    # In f A quotes 0 to 30 by two passages that overlap, and an elided quote of 50 to 60 and 70 to 80: 50 characters.
    # B quotes 20 to 55: 35 characters. Both quote 20 to 30 and 50 to 55: 15.
    tally.add(
        "f",
        [extraction("f", (0, 20)), extraction("f", (10, 30)), extraction("f", (50, 60), (70, 80))],
        [extraction("f", (20, 55))],
    )
    # In g A quotes 0 to 10 and something that stands nowhere; B's quote stands there twice, of which the first counts.
    tally.add(
        "g",
        [extraction("g", (0, 10)), extraction("g")],
        [extraction("g", (0, 10), (40, 50), ambiguous=True)],
    )
    found = tally.agreement("b", FilingBootstrap(2))
    assert found == CharacterAgreement(
        n=60,
        n_reference=45,
        # f 15/35, g 10/10; together 25/45. A quarter of the draws takes one filing twice.
        recall=Ratio(25, 45, Interval(15 / 35, 1.0, REPLICATES)),
        # f 15 / (50 + 35 - 15), g 10/10; together 25 / (60 + 45 - 25).
        jaccard=Ratio(25, 80, Interval(15 / 70, 1.0, REPLICATES)),
        n_unplaced=1,
        n_reference_unplaced=0,
    )
    other = tally.agreement("a", FilingBootstrap(2))
    assert (other.n, other.n_reference, other.n_unplaced, other.n_reference_unplaced) == (45, 60, 0, 1)
    assert other.recall == Ratio(25, 60, Interval(15 / 50, 1.0, REPLICATES))
    assert other.jaccard == found.jaccard


def test_two_passages_agree_with_one_of_the_same_characters() -> None:
    tally = CharacterTally()
    two = [extraction("f", (40, 90)), extraction("f", (0, 40))]
    tally.add("f", two, [extraction("f", (0, 90))])
    assert tally.agreement().jaccard == Ratio(90, 90)
    assert covered(two) == [(0, 90)]


def test_nothing_over_nothing_is_none() -> None:
    tally = CharacterTally()
    assert tally.agreement().recall.value is tally.agreement().jaccard.value is None
    tally.add("f", [], [])
    tally.add("g", [extraction("g")], [])
    found = tally.agreement("b", FilingBootstrap(2))
    assert found == CharacterAgreement(0, 0, Ratio(0, 0), Ratio(0, 0), 1, 0)


def test_one_filing_has_no_interval() -> None:
    tally = CharacterTally()
    tally.add("f", [extraction("f", (0, 4))], [extraction("f", (2, 4))])
    assert tally.agreement("b", FilingBootstrap(1)).recall == Ratio(2, 2, None)
    with pytest.raises(InputError, match="where 3 filings are drawn"):
        tally.agreement("b", FilingBootstrap(3))


def test_filings_are_counted_once_and_alone() -> None:
    tally = CharacterTally()
    tally.add("f", [extraction("f", (0, 4))], [])
    with pytest.raises(InputError, match="filing f: was counted before"):
        tally.add("f", [], [])
    with pytest.raises(InputError, match="filing g: was given an extraction of filing f"):
        tally.add("g", [], [extraction("f", (0, 4))])
    assert tally.agreement().n == 4


places = st.tuples(st.integers(0, 60), st.integers(0, 25)).map(lambda pair: (pair[0], pair[0] + pair[1]))
side = st.lists(st.tuples(st.lists(places, max_size=3), st.booleans()), max_size=6)


def characters(extractions: Sequence[Extraction]) -> set[int]:
    return {
        place
        for x in extractions
        for start, end in (x.ranges[:1] if x.ambiguous else x.ranges)
        for place in range(start, end)
    }


@given(st.lists(st.tuples(side, side), max_size=4))
@settings(max_examples=150, deadline=None)
def test_sets_of_characters_say_the_same(filings: list[tuple[list[tuple[list[tuple[int, int]], bool]], ...]]) -> None:
    tally, boot = CharacterTally(), FilingBootstrap(len(filings), replicates=20)
    both, of_b, either = [], [], []
    for number, sides in enumerate(filings):
        a, b = ([extraction(f"{number}", *r, ambiguous=many) for r, many in one] for one in sides)
        tally.add(f"{number}", a, b)
        ours, theirs = characters(a), characters(b)
        both.append(len(ours & theirs))
        of_b.append(len(theirs))
        either.append(len(ours | theirs))
        # What is covered is parted into ranges in order, with a gap between every two.
        parts = covered(a)
        assert length(parts) == len(ours)
        assert all(x[0] < x[1] < y[0] < y[1] for x, y in pairwise(parts))
        assert shared(parts, covered(b)) == shared(covered(b), parts) == both[-1]
    found, other = tally.agreement("b", boot), tally.agreement("a", boot)
    assert found.recall == Ratio(sum(both), sum(of_b), boot.ratio(both, of_b))
    assert found.jaccard == other.jaccard == Ratio(sum(both), sum(either), boot.ratio(both, either))
    assert (found.n, found.n_reference) == (other.n_reference, other.n)


def test_an_elided_quote_claims_all_its_pieces_and_an_ambiguous_one_its_first_place() -> None:
    assert first_place(extraction("f", (5, 9), (20, 24))) == ((5, 9), (20, 24))
    assert first_place(extraction("f", (5, 9), (20, 24), ambiguous=True)) == ((5, 9),)
