"""Years as users write them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingreat.errors import InputError
from fingreat.pipeline.years import spoken_years, stretches, years_of

SETS = st.frozensets(st.integers(1993, 2100), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("2019", (2019,)),
        ("2000-2003", (2000, 2001, 2002, 2003)),
        ("2000–2001", (2000, 2001)),
        (" 2015 - 2017 , 2020", (2015, 2016, 2017, 2020)),
        ("2020,2015-2016,2016", (2015, 2016, 2020)),
        ("1993,2100", (1993, 2100)),
    ],
)
def test_years_and_spans_of_years_are_read(text: str, years: tuple[int, ...]) -> None:
    assert years_of(text) == years


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is no year"),
        ("19", "'19' has a year without four digits. Write years with four digits: 2019"),
        ("00-25", "'00-25' has a year without four digits."),
        ("2000-25", "'2000-25' has a year without four digits."),
        ("20000-20010", "'20000-20010' has a year without four digits."),
        ("-2003", "'-2003' begins nowhere"),
        ("\x1b[31m", "'\\x1b[31m' is no year"),
        ("2003,", "'' is no year"),
        ("2003-", "'2003-' ends nowhere. Write years with four digits: 2019, 2000-2025 or"),
        ("2003-2005-2007", "'2003-2005-2007' is no year"),
        ("10-K", "'10-K' is no year"),
        ("٢٠٢٠", "is no year"),
        ("2005-2003", "'2005-2003' runs backwards. Write 2003-2005"),
        ("1992", "'1992' is outside 1993-2100"),
        ("2000-2101", "'2000-2101' is outside 1993-2100"),
    ],
)
def test_what_is_no_year_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        years_of(text)
    assert message in str(caught.value)
    assert str(caught.value).startswith("--years: ")


def test_unbroken_rows_of_years() -> None:
    assert stretches([]) == []
    assert stretches([2003]) == [(2003, 2003)]
    assert stretches([2009, 2003, 2004, 2005, 2004]) == [(2003, 2005), (2009, 2009)]
    assert spoken_years([2009, 2003, 2004, 2005]) == "2003-2005, 2009"


@given(SETS)
def test_what_is_spoken_can_be_read_again(years: frozenset[int]) -> None:
    assert years_of(spoken_years(years)) == tuple(sorted(years))
    rows = stretches(years)
    assert sorted(year for first, last in rows for year in range(first, last + 1)) == sorted(years)
    # No two rows touch: each is as long as it can be.
    assert all(before[1] + 1 < after[0] for before, after in pairwise(rows))
