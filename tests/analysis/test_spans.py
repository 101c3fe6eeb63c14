"""Characters that two runs quote: worked by hand, and against sets of characters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingreat.analysis import REPLICATES, CharacterAgreement, CharacterTally, FilingBootstrap, Interval, Ratio
from fingreat.analysis.spans import covered, covered_beside, first_place, length, shared
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


def test_a_quote_that_stands_in_several_places_claims_what_the_other_run_quotes() -> None:
    twice = extraction("f", (0, 64), (500, 564), ambiguous=True)
    first, second, half = (extraction("f", place) for place in ((0, 64), (500, 564), (480, 532)))
    for other, both, of_other in ((first, 64, 64), (second, 64, 64), (half, 32, 52)):
        tally = CharacterTally()
        tally.add("f", [twice], [other])
        assert tally.agreement("b").recall == Ratio(both, of_other)
        assert tally.agreement("a").recall == Ratio(both, 64)
    # Beside itself it claims one place, the first; whoever quotes both has more.
    tally = CharacterTally()
    tally.add("f", [twice], [twice])
    tally.add("g", [one.model_copy(update={"filing_id": "g"}) for one in (first, second)], [])
    assert (tally.agreement().n, tally.agreement().recall) == (64 + 128, Ratio(64, 64))


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


def characters(extractions: Sequence[Extraction], others: Sequence[Extraction] = ()) -> set[int]:
    """Of several equal places the first of those of which most characters stand in any place of the others."""
    there = {place for other in others for r in other.ranges for place in range(*r)}
    found = set()
    for x in extractions:
        claims = [set(range(*r)) for r in x.ranges]
        if x.ambiguous and claims:
            most = max(len(claim & there) for claim in claims)
            claims = [claim for claim in claims if len(claim & there) == most][:1]
        found.update(*claims)
    return found


@given(st.lists(st.tuples(side, side), max_size=4))
@settings(max_examples=150, deadline=None)
def test_sets_of_characters_say_the_same(filings: list[tuple[list[tuple[list[tuple[int, int]], bool]], ...]]) -> None:
    tally, boot = CharacterTally(), FilingBootstrap(len(filings), replicates=20)
    both, of_b, either = [], [], []
    for number, sides in enumerate(filings):
        a, b = ([extraction(f"{number}", *r, ambiguous=many) for r, many in one] for one in sides)
        tally.add(f"{number}", a, b)
        ours, theirs = characters(a, b), characters(b, a)
        both.append(len(ours & theirs))
        of_b.append(len(theirs))
        either.append(len(ours | theirs))
        # What is covered is parted into ranges in order, with a gap between every two.
        parts, there = covered_beside(a, b), covered_beside(b, a)
        assert length(parts) == len(ours)
        assert all(x[0] < x[1] < y[0] < y[1] for x, y in pairwise(parts))
        assert shared(parts, there) == shared(there, parts) == both[-1]
        assert length(covered(a)) == len(characters(a))
    found, other = tally.agreement("b", boot), tally.agreement("a", boot)
    assert found.recall == Ratio(sum(both), sum(of_b), boot.ratio(both, of_b))
    assert found.jaccard == other.jaccard == Ratio(sum(both), sum(either), boot.ratio(both, either))
    assert (found.n, found.n_reference) == (other.n_reference, other.n)


def test_an_elided_quote_claims_all_its_pieces_and_an_ambiguous_one_its_first_place() -> None:
    assert first_place(extraction("f", (5, 9), (20, 24))) == ((5, 9), (20, 24))
    assert first_place(extraction("f", (5, 9), (20, 24), ambiguous=True)) == ((5, 9),)
