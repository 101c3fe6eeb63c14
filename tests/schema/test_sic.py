"""Industry codes as EDGAR writes them fall into the divisions of the 1987 classification."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingreat.schema.sic import division_of, divisions, sic_of

# From the division structure of the SIC Manual of 1987, with one code of EDGAR's list for both ends of each.
KNOWN = [
    ("0100", "Agriculture, Forestry, and Fishing"),  # agricultural production, crops
    ("0900", "Agriculture, Forestry, and Fishing"),  # fishing, hunting and trapping
    ("1000", "Mining"),  # metal mining
    ("1400", "Mining"),  # nonmetallic minerals
    ("1520", "Construction"),  # general building contractors
    ("1731", "Construction"),  # electrical work
    ("2000", "Manufacturing"),  # food and kindred products
    ("3571", "Manufacturing"),  # electronic computers
    ("3990", "Manufacturing"),  # miscellaneous
    ("4011", "Transportation, Communications, Electric, Gas, and Sanitary Services"),  # railroads
    ("4991", "Transportation, Communications, Electric, Gas, and Sanitary Services"),  # cogeneration
    ("5000", "Wholesale Trade"),
    ("5190", "Wholesale Trade"),
    ("5200", "Retail Trade"),
    ("5990", "Retail Trade"),
    ("6021", "Finance, Insurance, and Real Estate"),  # national commercial banks
    ("6770", "Finance, Insurance, and Real Estate"),  # blank checks
    ("7000", "Services"),  # hotels
    ("7372", "Services"),  # prepackaged software
    ("8900", "Services"),
    ("9100", "Public Administration"),
    ("9721", "Public Administration"),  # international affairs
    ("8888", "Public Administration"),  # EDGAR's own: foreign governments
    ("9995", "Unclassified"),  # EDGAR's own: non-operating establishments
]


@pytest.mark.parametrize(("code", "name"), KNOWN)
def test_a_code_is_of_its_division(code: str, name: str) -> None:
    assert division_of(code) == name


@pytest.mark.parametrize(("lost", "code"), [("100", "0100"), ("800", "0800"), ("900", "0900"), (" 700 ", "0700")])
def test_a_lost_leading_zero_is_agriculture_and_not_mining_or_services(lost: str, code: str) -> None:
    assert sic_of(lost) == code
    assert division_of(lost) == "Agriculture, Forestry, and Fishing"


@pytest.mark.parametrize("text", [None, "", " ", "0", "0000", "35710", "-571", "3.57", "35A1", "٣٥٧١", "[3571]"])
def test_what_is_no_code_is_unknown(text: str | None) -> None:
    assert sic_of(text) is None
    assert division_of(text) is None


@pytest.mark.parametrize("code", ["0010", "10", "1800", "1999", "6800", "6999", "9000", "9099", "9800", "9899"])
def test_a_major_group_of_no_division_is_unknown(code: str) -> None:
    assert division_of(code) is None


def test_divisions_are_lettered_in_the_order_of_their_major_groups() -> None:
    assert "".join(division.letter for division in divisions()) == "ABCDEFGHIJK"
    assert len({division.name for division in divisions()}) == 11
    ends = [end for division in divisions() for end in (division.first, division.last)]
    assert ends == sorted(ends)
    # 9 + 5 + 3 + 20 + 10 + 2 + 8 + 8 + 20 + 7 + 1 of the 100 numbers that two digits can write.
    assert sum(division.last - division.first + 1 for division in divisions()) == 93


@given(st.text(max_size=6))
def test_any_text_is_a_division_or_unknown(text: str) -> None:
    assert division_of(text) in {None, *(division.name for division in divisions())}
