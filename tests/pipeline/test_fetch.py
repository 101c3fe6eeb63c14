"""Filings from EDGAR by every kind of name: which are fetched, from where, and what the corpus says of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from fetch_builders import as_served, asked, asking, failed, fetched, listed, raw_files, unlimited
from servers.answers import denied, missing, unavailable
from servers.catalogue import Company, LocalFiling
from servers.edgar import LocalEdgar
from servers.invented import invented_company, invented_filing

from fingreat.errors import CorpusError, InputError
from fingreat.pipeline import Corpus
from fingreat.pipeline.fetch import Selection, fetch

pytestmark = pytest.mark.usefixtures("unlimited")
__all__ = ["unlimited"]

ONE, TWO, THREE = (invented_company(number) for number in (1, 2, 3))
YEARS = range(2003, 2010)
OF_ONE = tuple(invented_filing(ONE, year) for year in YEARS)
SMALL = (
    invented_filing(TWO, 1998, form="10-K405"),
    invented_filing(TWO, 1999, form="10KSB"),
    invented_filing(TWO, 2000, form="10-KT"),
    invented_filing(TWO, 2001, form="10-K"),
    invented_filing(TWO, 2001, form="10-K/A", number=2),
    invented_filing(TWO, 2001, form="10-Q", number=3),
    invented_filing(TWO, 2001, form="NT 10-K", number=4),
    invented_filing(TWO, 2001, form="8-K", number=5),
)
PARENT, SUBSIDIARY = Company("9900801", "TARN HOLDINGS"), Company("9900802", "TARN FINANCE")
JOINT = replace(invented_filing(PARENT, 2006), companies=(PARENT, SUBSIDIARY))
AGENT = "0001193125"


def by_an_agent(company: Company, number: int, year: int = 2006, filed: date | None = None) -> LocalFiling:
    """A filing whose number begins with the CIK of somebody who files for others."""
    filing = invented_filing(company, year, filed=filed)
    return replace(filing, accession=f"{AGENT}-{year % 100:02d}-{number:06d}")


BY_AGENT = by_an_agent(THREE, 1), by_an_agent(THREE, 2, 2007)
LATE = replace(by_an_agent(THREE, 3, filed=date(2007, 1, 3)), accession=f"{AGENT}-06-000003")
"""Numbered in one year and filed in the next."""


@pytest.fixture(scope="module")
def serving() -> Iterator[LocalEdgar]:
    with LocalEdgar([*OF_ONE, *SMALL, JOINT, *BY_AGENT, LATE], page_size=3) as server:
        yield server


@pytest.fixture
def edgar(serving: LocalEdgar) -> LocalEdgar:
    serving.heal()
    serving.log.clear()
    return serving


def base_of(filing: LocalFiling) -> str:
    return f"Archives/edgar/data/{filing.companies[0].cik}/{filing.nodash}"


@pytest.mark.parametrize(
    "name",
    [
        OF_ONE[0].accession,
        OF_ONE[0].nodash,
        f"edgar/data/{ONE.cik}/{OF_ONE[0].accession}.txt",
        f"{{base}}/Archives/edgar/data/{ONE.cik}/{OF_ONE[0].accession}.txt",
        f"{{base}}/{base_of(OF_ONE[0])}/{OF_ONE[0].primary}",
        f"{{base}}/{base_of(OF_ONE[0])}/{OF_ONE[0].accession}-index.htm",
        f"{{base}}/{base_of(OF_ONE[0])}/",
        f"{{base}}/ix?doc=/{base_of(OF_ONE[0])}/{OF_ONE[0].primary}",
        f"https://www.sec.gov/{base_of(OF_ONE[0])}/{OF_ONE[0].primary}",
        f"https://www.sec.gov/ix?doc=/{base_of(OF_ONE[0])}/{OF_ONE[0].primary}",
    ],
)
def test_a_filing_is_fetched_by_its_number_and_by_every_address(tmp_path: Path, edgar: LocalEdgar, name: str) -> None:
    counts = fetched(tmp_path, edgar, name.format(base=edgar.base))
    assert (counts["asked"], counts["fetched"], counts["companies"]) == (1, 1, 0)
    assert raw_files(tmp_path) == as_served(OF_ONE[0])
    assert asked(edgar, "") == {edgar.path(OF_ONE[0]): 1}
    record = listed(tmp_path)[OF_ONE[0].accession]
    assert (record.cik, record.company, record.form) == (ONE.cik, ONE.name, "10-K")
    assert (record.filed, record.period) == (OF_ONE[0].filed, OF_ONE[0].period)
    assert record.path == f"raw/{record.id}/{record.id}.txt"


@pytest.mark.parametrize("name", [ONE.cik, ONE.padded, f"CIK{ONE.padded}", ONE.tickers[0], ONE.tickers[0].lower()])
def test_all_filings_of_a_company_are_fetched_with_those_on_older_pages(
    tmp_path: Path, edgar: LocalEdgar, name: str
) -> None:
    counts = fetched(tmp_path, edgar, name)
    assert (counts["asked"], counts["fetched"], counts["companies"]) == (7, 7, 1)
    assert counts["bytes"] == sum(map(len, as_served(*OF_ONE).values()))
    assert raw_files(tmp_path) == as_served(*OF_ONE)
    # Seven filings, three on a page.
    assert sum(asked(edgar, ".json").values()) == (4 if name in (ONE.tickers[0], ONE.tickers[0].lower()) else 3)


@pytest.mark.parametrize(
    ("forms", "amendments", "expected"),
    [
        (["10-K"], False, [0, 1, 2, 3]),
        (["10-K"], True, [0, 1, 2, 3, 4]),
        (["10-K405"], False, [0]),
        (["10-KSB"], False, [1]),
        (["10-K/A"], False, [4]),
        (["10-Q"], False, [5]),
        (["10-Q", "8-K"], False, [5, 7]),
    ],
)
def test_a_form_stands_for_its_family_and_amendments_come_only_when_asked_for(
    tmp_path: Path, edgar: LocalEdgar, forms: list[str], amendments: bool, expected: list[int]
) -> None:
    counts = fetched(tmp_path, edgar, TWO.cik, forms=forms, amendments=amendments)
    assert counts["fetched"] == len(expected)
    assert raw_files(tmp_path) == as_served(*(SMALL[place] for place in expected))
    assert {one.form for one in listed(tmp_path).values()} == {SMALL[place].form for place in expected}


def test_only_filings_of_the_years_asked_for_are_fetched(tmp_path: Path, edgar: LocalEdgar) -> None:
    fetched(tmp_path, edgar, ONE.cik, years=[2003, 2006, 2007, 2020])
    assert raw_files(tmp_path) == as_served(OF_ONE[0], OF_ONE[3], OF_ONE[4])


def test_a_company_without_such_filings_is_a_failure_that_says_which_were_looked_for(
    tmp_path: Path, edgar: LocalEdgar
) -> None:
    counts = fetched(tmp_path, edgar, TWO.cik, forms=["20-F", "40-F"], years=[2001, 2002, 2005])
    assert (counts["asked"], counts["companies"], counts["companies_failed"]) == (0, 1, 1)
    failure = failed(tmp_path)[TWO.cik]
    assert failure.state == "no_filings"
    assert failure.reason == "EDGAR lists no 20-F or 40-F filed in 2001-2002, 2005 for it."


def test_a_filing_of_two_companies_is_fetched_once(tmp_path: Path, edgar: LocalEdgar) -> None:
    names = (PARENT.cik, SUBSIDIARY.cik, JOINT.accession, f"edgar/data/{SUBSIDIARY.cik}/{JOINT.accession}.txt")
    counts = fetched(tmp_path, edgar, *names)
    assert (counts["asked"], counts["fetched"], counts["companies"]) == (1, 1, 2)
    assert asked(edgar) == {edgar.path(JOINT): 1}
    assert raw_files(tmp_path) == as_served(JOINT)


def test_one_name_given_several_times_counts_once(tmp_path: Path, edgar: LocalEdgar) -> None:
    counts = fetched(tmp_path, edgar, ONE.cik, ONE.padded, OF_ONE[0].accession, OF_ONE[0].nodash, years=[2003])
    assert (counts["asked"], counts["companies"]) == (1, 1)
    assert asked(edgar) == {edgar.path(OF_ONE[0]): 1}


def test_a_filing_that_an_agent_sent_in_is_found_by_the_indexes(tmp_path: Path, edgar: LocalEdgar) -> None:
    counts = fetched(tmp_path, edgar, *(one.accession for one in (*BY_AGENT, LATE)))
    assert (counts["asked"], counts["fetched"]) == (3, 3)
    assert raw_files(tmp_path) == as_served(*BY_AGENT, LATE)
    assert all(record.cik == THREE.cik for record in listed(tmp_path).values())
    # Each index is asked for once, whatever the number of filings, and kept as it came.
    indexes = asked(edgar, ".gz")
    assert set(indexes.values()) == {1}
    assert {path.split("/")[-3] for path in indexes} <= {"2006", "2007"}
    quarter = (LATE.filed.month + 2) // 3
    kept = tmp_path / f"edgar/Archives/edgar/full-index/2007/QTR{quarter}/master.gz"
    assert kept.read_bytes().startswith(b"\x1f\x8b")


def test_a_path_that_is_refused_may_be_one_that_is_not_there(tmp_path: Path, edgar: LocalEdgar) -> None:
    edgar.fail(denied, f"/Archives/edgar/data/1193125/{BY_AGENT[0].accession}.txt")
    assert fetched(tmp_path, edgar, BY_AGENT[0].accession)["fetched"] == 1
    assert raw_files(tmp_path) == as_served(BY_AGENT[0])


def test_a_company_named_beside_it_spares_the_indexes(tmp_path: Path, edgar: LocalEdgar) -> None:
    names = BY_AGENT[0].accession, THREE.cik
    for order in (names, names[::-1]):
        edgar.log.clear()
        fetched(tmp_path / order[0], edgar, *order, years=[2006])
        assert not asked(edgar, ".gz")
        assert asked(edgar) == {edgar.path(BY_AGENT[0]): 1}


def test_the_wrong_company_in_an_address_does_not_matter(tmp_path: Path, edgar: LocalEdgar) -> None:
    counts = fetched(tmp_path, edgar, f"edgar/data/{ONE.cik}/{BY_AGENT[0].accession}.txt")
    assert counts["fetched"] == 1
    assert raw_files(tmp_path) == as_served(BY_AGENT[0])


def test_what_edgar_does_not_know_is_a_failure_with_its_reason_and_the_others_go_on(
    tmp_path: Path, edgar: LocalEdgar
) -> None:
    unknown = f"{ONE.padded}-06-999999"
    counts = fetched(tmp_path, edgar, "NOPE", unknown, "77", OF_ONE[0].accession, "0000000000-06-000001")
    assert counts == Counter(asked=3, fetched=1, failed=2, companies=2, companies_failed=2) | {
        "already_there": 0,
        "bytes": len(as_served(OF_ONE[0])[f"{OF_ONE[0].accession}/{OF_ONE[0].accession}.txt"]),
    }
    failures = failed(tmp_path)
    assert {key: failure.state for key, failure in failures.items()} == {
        "NOPE": "unknown_company",
        "77": "unknown_company",
        unknown: "not_found",
        "0000000000-06-000001": "not_found",
    }
    assert "NOPE is no ticker that EDGAR lists" in failures["NOPE"].reason
    assert "EDGAR has no company with the CIK 77" in failures["77"].reason
    assert "EDGAR does not have it, neither under CIK" in failures[unknown].reason
    assert raw_files(tmp_path) == as_served(OF_ONE[0])


def test_failures_of_earlier_calls_stay_until_their_own_names_are_tried_again(
    tmp_path: Path, edgar: LocalEdgar
) -> None:
    edgar.fail(missing, edgar.path(OF_ONE[1]))
    fetched(tmp_path, edgar, "NOPE", OF_ONE[1].accession)
    edgar.heal()
    fetched(tmp_path, edgar, OF_ONE[0].accession, "NADA")
    assert set(failed(tmp_path)) == {"NOPE", "NADA", OF_ONE[1].accession}
    fetched(tmp_path, edgar, OF_ONE[1].accession)
    assert set(failed(tmp_path)) == {"NOPE", "NADA"}


def test_an_index_that_is_refused_on_a_quarters_first_days_counts_as_not_there(
    tmp_path: Path, edgar: LocalEdgar
) -> None:
    edgar.fail(denied, lambda path: path.endswith(".gz") and f"{LATE.filed.year}/QTR1" not in path)
    counts = fetched(tmp_path, edgar, LATE.accession)
    assert counts["fetched"] == 1


def test_indexes_of_the_future_are_not_asked_for(tmp_path: Path, edgar: LocalEdgar) -> None:
    for name in ("0009900001-49-000001", f"0009900001-{date.today():%y}-999999"):
        fetched(tmp_path, edgar, name)
        assert failed(tmp_path)[name].state == "not_found"
    quarters = {(path.split("/")[-3], path.split("/")[-2]) for path in asked(edgar, ".gz")}
    this_year = [(str(date.today().year), f"QTR{number}") for number in range(1, (date.today().month + 2) // 3 + 1)]
    assert quarters == set(this_year)


def test_a_damaged_index_is_asked_for_once_for_all_filings(tmp_path: Path, edgar: LocalEdgar) -> None:
    edgar.fail(unavailable, lambda path: path.endswith(".gz"))
    names = [f"{AGENT}-06-9{number:05d}" for number in range(20)]
    counts = fetched(tmp_path, edgar, *names)
    assert counts["failed"] == 20
    assert {failure.state for failure in failed(tmp_path).values()} == {"not_fetched"}
    # As often as the client tries.
    assert list(asked(edgar, ".gz").values()) == [2]


def test_nothing_named_is_refused_and_makes_no_folder(tmp_path: Path, edgar: LocalEdgar) -> None:
    with asking(edgar) as client:
        with pytest.raises(InputError, match="no company and no filing is named"):
            fetch(Corpus(tmp_path / "corpus"), client, Selection())
        with pytest.raises(CorpusError, match=r"no sections that could point to exhibits.*corpus sections"):
            fetch(Corpus(tmp_path / "corpus"), client, Selection(exhibits=True))
    assert list(tmp_path.iterdir()) == []
    assert edgar.log.count() == 0
