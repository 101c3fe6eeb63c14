"""How much a run extracts: worked by hand, and against numpy's percentiles."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingreat.analysis import Volume, VolumeTally
from fingreat.errors import InputError
from fingreat.schema import Extraction, Verdict

NUMBERS = count()


def extraction(filing: str, *ranges: tuple[int, int]) -> Extraction:
    return Extraction(
        id=f"x{next(NUMBERS)}",
        run="r",
        filing_id=filing,
        chunk_id="c",
        quote="q",
        edge="REV-NNCA",
        verdict=Verdict.EXACT if ranges else Verdict.NOT_FOUND,
        ranges=ranges,
    )


def test_volume_of_a_worked_example() -> None:
    tally = VolumeTally()
    # 0, 1, 2 and 6 extractions; in all 9. Quartiles with the extremes as ends: a quarter of the way from 0 to 6 by
    # places 0, 1, 2, 3 is place 0.75, that is 0.75; the middle is 1.5; three quarters is place 2.25, 2 + 0.25 * 4 = 3.
    tally.add("silent", [])
    tally.add("one", [extraction("one", (0, 10))])
    # Characters quoted twice count once: 0 to 15. One quote stands nowhere.
    tally.add("two", [extraction("two", (0, 10)), extraction("two", (5, 15))])
    tally.add("six", [extraction("six", (9 * i, 9 * i + 5)) for i in range(5)] + [extraction("six")])
    found = tally.volume()
    assert found == Volume(
        extractions=9,
        filings=4,
        silent=1,
        unplaced=1,
        characters=10 + 15 + 25,
        lower_quartile=0.75,
        median=1.5,
        upper_quartile=3.0,
    )
    assert (found.mean, found.mean_characters) == (9 / 4, 50 / 4)


def test_a_run_of_no_filings_and_of_one() -> None:
    tally = VolumeTally()
    nothing = tally.volume()
    assert nothing == Volume(0, 0, 0, 0, 0, None, None, None)
    assert nothing.mean is nothing.mean_characters is None
    tally.add("f", [extraction("f", (0, 7)), extraction("f", (8, 9)), extraction("f", (8, 9))])
    assert tally.volume() == Volume(3, 1, 0, 0, 8, 3.0, 3.0, 3.0)


def test_filings_are_counted_once_and_alone() -> None:
    tally = VolumeTally()
    tally.add("f", [])
    with pytest.raises(InputError, match="filing f: was counted before"):
        tally.add("f", [])
    with pytest.raises(InputError, match="filing g: was given an extraction of filing f"):
        tally.add("g", [extraction("f")])
    assert tally.volume().filings == 1


@given(st.lists(st.integers(0, 9), min_size=1, max_size=20))
@settings(max_examples=60, deadline=None)
def test_quartiles_are_those_of_numpy(counts: list[int]) -> None:
    tally = VolumeTally()
    for number, size in enumerate(counts):
        tally.add(str(number), [extraction(str(number), (0, 3))] * size)
    found = tally.volume()
    assert (found.lower_quartile, found.median, found.upper_quartile) == pytest.approx(
        tuple(np.percentile(counts, (25, 50, 75)))
    )
    assert found.mean == pytest.approx(np.mean(counts))
    assert (found.silent, found.filings) == (counts.count(0), len(counts))
    assert found.characters == 3 * (len(counts) - counts.count(0))
