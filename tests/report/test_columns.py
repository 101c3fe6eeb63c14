"""Notes that tables share: what intervals are, which of them tell little, and which grouping categories are of."""

from __future__ import annotations

import pytest

from fingreat.analysis import Interval
from fingreat.report.columns import on_grouping, on_intervals, on_yearly_intervals

SOME = Interval(0.25, 0.75, used=2000)
NO_INTERVAL = "No interval stands where fewer than two filings add to a total."
NO_WIDTH = "An interval without width says that no filing differs from the others, not that a value is certain."
FEW_DRAWS = "The ends of so few draws are themselves uncertain."


def test_a_cell_without_an_interval_beside_others_with_one_is_told() -> None:
    told = on_intervals([SOME, None, SOME], 30, 7)
    assert told == (
        "The 95% intervals are from a bootstrap that draws whole filings: 30 of the 30 with replacement, 2,000 times "
        "(seed 7); their ends are the 2.5 and 97.5 percentiles.",
        NO_INTERVAL,
    )
    assert on_intervals([SOME, SOME], 30, 7) == told[:1]
    assert on_intervals([None, None], 30, 7) == (NO_INTERVAL,)
    assert on_intervals([], 30, 7) == ()
    assert on_intervals([None], 1, 7) == ("Of one filing alone there are no intervals: they tell how filings differ.",)


@pytest.mark.parametrize(
    ("interval", "width", "draws"),
    [
        (Interval(0.0, 0.0, used=2000), True, False),
        (Interval(1 / 14, 1 / 14, used=1990, empty=10), True, False),
        (Interval(0.0, 0.001, used=1000), False, False),
        (Interval(0.25, 0.75, used=999), False, True),
        # One draw has no width whatever it is of.
        (Interval(0.5, 0.5, used=1), False, True),
    ],
)
def test_intervals_that_tell_little_are_told(interval: Interval, *, width: bool, draws: bool) -> None:
    (note,) = on_intervals([interval], 30, 7)
    assert (NO_WIDTH in note) == width
    assert (FEW_DRAWS in note) == draws
    assert ("Such measures come from few filings, and their intervals are rough." in note) == bool(interval.empty)


def test_years_have_the_same_notes_and_go_by_the_year_with_the_fewest_filings() -> None:
    drawn, lacking = on_yearly_intervals([SOME, None], [40, 19], 3)
    assert "draws whole filings of a year, as many as it has, with replacement, 2,000 times (seed 3)" in drawn
    assert drawn.endswith("Of a year with few filings they are rough, and mostly too narrow.")
    assert lacking == NO_INTERVAL
    assert "rough" not in on_yearly_intervals([SOME], [40, 20], 3)[0]
    assert on_yearly_intervals([None, None], [1, 1], 3) == (NO_INTERVAL,)


def test_only_another_grouping_than_the_usual_one_is_named() -> None:
    assert on_grouping("default") == ()
    assert on_grouping("capital") == ("Categories of edges are those of the grouping “capital”.",)
