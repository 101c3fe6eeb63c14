"""Total assets from EDGAR's facts: those of one filing and its own balance sheet, or unknown with a reason."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingreat.edgar.remote.facts import Assets, total_assets
from fingreat.errors import RemoteError

FY2024 = "0000320193-24-000123"
FY2023 = "0000320193-23-000106"


def fact(end: str, val: Any, accn: str = FY2024, **more: Any) -> dict[str, Any]:
    return {"end": end, "val": val, "accn": accn, "fy": 2024, "fp": "FY", "form": "10-K", "filed": "2024-11-01", **more}


def concept(**units: list[dict[str, Any]]) -> bytes:
    head = {"cik": 320193, "taxonomy": "us-gaap", "tag": "Assets", "label": "Assets", "entityName": "Apple Inc."}
    return json.dumps({**head, "units": units}).encode()


OWN = date(2024, 9, 28)


def assets(*facts: dict[str, Any], filed: date | None = date(2024, 11, 1), period: date | None = OWN) -> Assets:
    return total_assets(concept(USD=list(facts)), FY2024, filed, period)


def test_total_assets_are_those_of_the_filing_s_own_accession() -> None:
    """Apple's balance sheets: 364,980 million dollars at 28 September 2024, 352,583 at 30 September 2023."""
    data = concept(
        USD=[
            fact("2022-09-24", 352755000000, FY2023),
            fact("2023-09-30", 352583000000, FY2023),
            fact("2023-09-30", 352583000000),
            fact("2024-09-28", 364980000000, frame="CY2024Q3I"),
            fact("2024-12-28", 344085000000, "0000320193-25-000008"),
        ]
    )
    this = total_assets(data, FY2024, date(2024, 11, 1), date(2024, 9, 28))
    assert this == Assets(364980000000, date(2024, 9, 28), None)
    before = total_assets(data, FY2023, date(2023, 11, 3), date(2023, 9, 30))
    assert before == Assets(352583000000, date(2023, 9, 30), None)
    other = total_assets(data, "0000320193-22-000108", date(2022, 10, 28), date(2022, 9, 24))
    assert other == Assets(None, None, "no facts of this filing")


def test_a_comparative_is_not_put_in_the_place_of_the_filing_s_own_balance() -> None:
    only = fact("2023-09-30", 352583000000)
    assert assets(only, period=date(2024, 9, 28)) == Assets(None, None, "only an earlier balance sheet")


@pytest.mark.parametrize(
    ("end", "why"),
    [
        ("2024-09-14", None),  # 16 days before the month's end
        ("2024-09-13", "only an earlier balance sheet"),
        ("2024-10-16", None),
        ("2024-10-17", "a later balance sheet"),
    ],
)
def test_a_year_of_weeks_ends_within_16_days_of_the_period(end: str, why: str | None) -> None:
    found = assets(fact(end, 5), period=date(2024, 9, 30))
    assert (found.why, found.value) == (why, None if why else 5)


def test_zero_assets_are_a_value_and_debts_keep_their_sign() -> None:
    assert assets(fact("2024-09-28", 0)) == Assets(0, date(2024, 9, 28), None)
    assert assets(fact("2024-09-28", -12)) == Assets(-12, date(2024, 9, 28), None)


def test_a_balance_after_the_day_of_filing_is_none_of_the_filing() -> None:
    late = fact("2024-10-05", 7)
    assert assets(fact("2024-09-28", 5), late).value == 5
    assert assets(late).value == 7
    assert assets(late, filed=date(2024, 10, 4)) == Assets(None, None, "a later balance sheet")
    assert assets(late, filed=date(2024, 10, 5)).value == 7


def test_a_balance_beside_the_filing_s_own_is_not_taken_for_it() -> None:
    """The opening balance of the next year, one of a day after the year, an acquired business's."""
    year_end, period = fact("2010-12-31", 5), date(2010, 12, 31)
    for other in ("2011-01-01", "2011-01-31", "2010-12-20"):
        found = assets(fact(other, 9), year_end, period=period, filed=date(2011, 3, 1))
        assert found == Assets(5, period, None), other
    weeks = assets(fact("2010-12-26", 5), fact("2011-01-01", 9), period=period, filed=date(2011, 3, 1))
    assert weeks == Assets(5, date(2010, 12, 26), None)


def test_nothing_is_known_of_a_filing_without_a_period() -> None:
    found = assets(fact("2006-12-31", 5), period=None)
    assert found == Assets(None, None, "the filing's period is unknown")


def test_several_values_of_one_day_are_unknown_and_equal_ones_are_one() -> None:
    assert assets(fact("2024-09-28", 5), fact("2024-09-28", 6)) == Assets(None, None, "several values")
    assert assets(fact("2024-09-28", 5), fact("2024-09-28", 5.0, frame="CY2024Q3I")).value == 5
    assert assets(fact("2023-09-30", 5), fact("2023-09-30", 6), fact("2024-09-28", 7)).value == 7


def test_only_dollars_count_and_another_currency_is_named() -> None:
    def why(**units: list[dict[str, Any]]) -> str | None:
        return total_assets(concept(**units), FY2024, None, OWN).why

    assert why(CAD=[fact("2024-09-28", 5)], USD=[fact("2024-09-28", 6, FY2023)]) == "other currency: CAD"
    assert why(EUR=[fact("2024-09-28", 5)], CAD=[fact("2024-09-28", 5)]) == "other currency: CAD, EUR"
    assert why(pure=[fact("2024-09-28", 5)]) == "other currency"
    assert why(CAD=[fact("2024-09-28", 5, FY2023)]) == "no facts of this filing"
    assert why() == "no facts of this filing"
    assert why(CAD=[fact("2024-09-28", 5)], USD=[fact("2024-09-28", 6)]) is None


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("2.5", 2),
        ("3.5", 4),
        ("-2.5", -2),
        ("2.5000000000000000000000000000000001", 3),
        ("10000000000000001", 10000000000000001),
        ("10000000000000000.5", 10000000000000000),
        ("9007199254740993.0", 9007199254740993),  # 2**53 + 1, which no float holds
        ("9223372036854775807", 9223372036854775807),
        ("3.17e12", 3170000000000),
        ("1e-999999999", 0),
        ("-0.0", 0),
    ],
)
def test_an_amount_keeps_every_digit_and_a_half_goes_to_the_even_dollar(written: str, value: int) -> None:
    data = concept(USD=[fact("2024-09-28", "VAL")]).replace(b'"VAL"', written.encode())
    assert total_assets(data, FY2024, None, OWN).value == value


@pytest.mark.parametrize(
    "written",
    ["true", '"5"', "null", "NaN", "Infinity", "-Infinity", "[]", "{}", "1e999999999", "1" * 20, "9" * 5000,
     "1e99999999999999999999", "9223372036854775808", "01", "[" * 100000],
)  # fmt: skip
def test_what_is_no_amount_is_said_with_its_place(written: str) -> None:
    data = concept(USD=[fact("2024-09-28", "VAL")]).replace(b'"VAL"', written.encode())
    with pytest.raises(RemoteError, match=r"^companyconcept.*is not what EDGAR documents"):
        total_assets(data, FY2024, None, OWN)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>Request Rate Threshold Exceeded</html>",
        b"[]",
        b"null",
        b"{}",
        b'{"units": []}',
        b'{"units": {"USD": {}}}',
        b'{"units": {"USD": [5]}}',
        b'{"units": {"USD": [{"accn": "0000320193-24-000123", "val": 5}]}}',
        b'{"units": {"USD": [{"accn": "0000320193-24-000123", "val": 5, "end": "2024-02-30"}]}}',
        b'{"units": {"\\ud800": 5}}',
        b'{"tag": "Liabilities", "units": {}}',
        b'{"label": NaN, "units": {}}',
        b'{"taxonomy": "ifrs-full", "units": {}}',
        b'{"units": {}',
        b"\xff\xfe\x00",
    ],
)
def test_facts_of_another_shape_are_refused(data: bytes) -> None:
    with pytest.raises(RemoteError, match="is not what EDGAR documents"):
        total_assets(data, FY2024, None, OWN)


def test_an_odd_fact_of_another_filing_costs_this_one_nothing() -> None:
    assert assets(fact("2024-09-28", 5), fact("", None, FY2023)).value == 5


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("2024-09-28"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(["end", "val", "accn", "USD", "units", "tag", "taxonomy"]), _JSON)
def test_any_value_in_any_place_is_read_or_refused(key: str, value: Any) -> None:
    document = json.loads(concept(USD=[fact("2024-09-28", 5)]))
    places = {"USD": document["units"], **dict.fromkeys(("units", "tag", "taxonomy"), document)}
    places.get(key, document["units"]["USD"][0])[key] = value
    with suppress(RemoteError):
        found = total_assets(json.dumps(document).encode(), FY2024, None, OWN)
        assert (found.value is None) == bool(found.why)


_DAYS = st.dates(date(2020, 1, 1), date(2020, 3, 1))
_FACTS = st.lists(
    st.tuples(_DAYS, st.integers(0, 2), st.sampled_from([FY2024, FY2024, FY2023]), st.sampled_from(["USD", "CAD"])),
    max_size=6,
)


@given(_FACTS, st.none() | _DAYS, st.none() | _DAYS)
def test_total_assets_are_those_of_a_slow_search(facts: Any, filed: date | None, period: date | None) -> None:
    units: dict[str, list[dict[str, Any]]] = {}
    for end, value, accession, unit in facts:
        units.setdefault(unit, []).append(fact(str(end), value, accession))
    found = total_assets(concept(**units), FY2024, filed, period)

    # Through the calendar: back from the period, then on from it, to the first day with a fact.
    values: set[int] = set()
    for days in (*range(0, -17, -1), *range(1, 17)) if period else ():
        day = period + timedelta(days=days) if period else date.min
        if not values and (filed is None or day <= filed):
            values = {value for end, value, accession, unit in facts if (end, accession, unit) == (day, FY2024, "USD")}
            found_at = day
    if len(values) == 1:
        assert found == Assets(values.pop(), found_at, None)
    else:
        assert found.value is None
        assert found.why


def test_facts_of_another_company_are_refused_where_the_company_is_known() -> None:
    data = concept(USD=[fact("2024-09-28", 5)])
    assert total_assets(data, FY2024, None, OWN, cik="320193").value == 5
    with pytest.raises(RemoteError, match="the company 789019 is expected here"):
        total_assets(data, FY2024, None, OWN, cik="789019")


@pytest.mark.parametrize("accn", [None, 7, ["x"], {"a": 1}, "\u0000"])
def test_a_number_of_no_shape_in_another_fact_costs_this_one_nothing(accn: Any) -> None:
    assert assets(fact("2024-09-28", 5), {**fact("2024-09-28", 9), "accn": accn}).value == 5
