"""Which filings a company has, by sec-edgar-downloader's code, from a server on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from asking import IDENTITY, PAUSE, asking
from sec_edgar_downloader import _sec_gateway
from servers.answers import cut, missing, shortened, too_many, unavailable
from servers.catalogue import LocalFiling
from servers.edgar import LocalEdgar
from servers.invented import invented_company, invented_filing

from fingreat.edgar.remote.addresses import submissions_path, tickers_path
from fingreat.edgar.remote.client import EdgarClient
from fingreat.edgar.remote.company import Listed, cik_for, list_filings
from fingreat.errors import InputError, RemoteError

pytestmark = pytest.mark.usefixtures("unlimited")

COMPANY = invented_company(1)
OTHER = replace(invented_company(2), tickers=("LO-B",))
CIK = COMPANY.cik
PAGE = f"CIK{COMPANY.padded}-submissions-001.json"
FIRST, LAST = date(1993, 1, 1), date(2030, 12, 31)


def filed(year: int, form: str, number: int = 1, day: str = "03-15") -> LocalFiling:
    on = date.fromisoformat(f"{year}-{day}")
    return invented_filing(COMPANY, year, form=form, number=number, filed=on, paragraphs=1)


FILINGS = (
    filed(1996, "10-K405"),
    filed(1997, "10-K"),
    filed(1998, "10-K"),
    filed(1998, "10-K/A", 2, "05-01"),
    filed(1998, "10-Q", 3, "08-10"),
    filed(1999, "10-K405"),
    filed(1999, "10-K405/A", 2, "06-01"),
    filed(2000, "10KSB"),
    filed(2001, "10-K"),
    filed(2002, "8-K"),
    invented_filing(OTHER, 2001, paragraphs=1),
)


@pytest.fixture(scope="module")
def _listing() -> Iterator[LocalEdgar]:
    # Ten filings of the company: the newest three, and three older pages.
    with LocalEdgar(FILINGS, page_size=3) as server:
        yield server


@pytest.fixture
def edgar(_listing: LocalEdgar) -> LocalEdgar:
    _listing.heal()
    _listing.log.clear()
    return _listing


@pytest.fixture
def client(edgar: LocalEdgar) -> Iterator[EdgarClient]:
    with asking(edgar) as made:
        yield made


def number(year: int, place: int = 1) -> str:
    return f"{COMPANY.padded}-{year % 100:02d}-{place:06d}"


def numbers(
    client: EdgarClient, *forms: str, first: date = FIRST, last: date = LAST, amendments: bool = False
) -> list[str]:
    return [one.accession for one in list_filings(client, CIK, forms, first, last, amendments)]


@pytest.mark.parametrize("name", [CIK, COMPANY.padded, f"CIK{COMPANY.padded}", "LO001", "lo001"])
def test_a_company_is_found_by_cik_and_by_ticker(client: EdgarClient, name: str) -> None:
    assert list_filings(client, name, ["10KSB"], FIRST, LAST) == [
        Listed(number(2000), CIK, f"/Archives/edgar/data/{CIK}/{number(2000)}.txt")
    ]


def test_a_listed_path_is_that_of_the_filing(edgar: LocalEdgar, client: EdgarClient) -> None:
    (listed,) = list_filings(client, CIK, ["10KSB"], FIRST, LAST)
    assert listed.path == edgar.path(FILINGS[7])
    assert client.get(listed.path, "submission").endswith(b"-----END PRIVACY-ENHANCED MESSAGE-----\n")


def test_forms_are_exact_names_in_the_newest_and_in_older_pages(client: EdgarClient) -> None:
    assert numbers(client, "10-K") == [number(2001), number(1998), number(1997)]
    assert numbers(client, "10-K405") == [number(1999), number(1996)]
    assert numbers(client, "10-K", "10-K405", "10KSB") == [
        number(2001), number(1998), number(1997), number(1999), number(1996), number(2000)
    ]  # fmt: skip
    assert numbers(client, "20-F") == []
    assert numbers(client) == []


def test_amendments_come_on_request(client: EdgarClient) -> None:
    assert numbers(client, "10-K", amendments=True) == [number(2001), number(1998, 2), number(1998), number(1997)]
    assert numbers(client, "10-K/A") == [number(1998, 2)]
    assert numbers(client, "10-K", "10-K/A") == [number(2001), number(1998), number(1997), number(1998, 2)]
    assert numbers(client, "10-K", "10-K/A", amendments=True) == numbers(client, "10-K", amendments=True)
    assert numbers(client, "10-K", "10-K", "10-K405/A") == [
        number(2001), number(1998), number(1997), number(1999, 2)
    ]  # fmt: skip


def test_both_days_are_included(client: EdgarClient) -> None:
    assert numbers(client, "10-K", first=date(1997, 3, 15), last=date(1998, 3, 15)) == [number(1998), number(1997)]
    assert numbers(client, "10-K", first=date(1997, 3, 16), last=date(1998, 3, 14)) == []
    assert numbers(client, "10-K", first=LAST, last=FIRST) == []


def test_each_page_is_asked_for_once_however_many_forms(edgar: LocalEdgar, client: EdgarClient) -> None:
    numbers(client, "10-K", "10-K405", "10KSB", "10-KT", amendments=True)
    assert [seen.path for seen in edgar.log.requests] == [
        submissions_path(CIK),
        *(f"/submissions/CIK{COMPANY.padded}-submissions-{page:03d}.json" for page in (1, 2, 3)),
    ]
    assert {seen.headers["user-agent"] for seen in edgar.log.requests} == {IDENTITY}


def test_the_list_of_tickers_is_asked_for_once(edgar: LocalEdgar, client: EdgarClient) -> None:
    assert cik_for(client, "LO001") == CIK
    assert cik_for(client, "LO-B") == cik_for(client, "LO.B") == OTHER.cik
    assert cik_for(client, "0000000012") == "12"
    assert edgar.log.count() == edgar.log.count(tickers_path()) == 1


def test_an_unknown_ticker_is_refused_with_what_to_do(client: EdgarClient) -> None:
    with pytest.raises(InputError, match=r"NOSUCH is no ticker that EDGAR lists; it lists present ones only.*CIK"):
        list_filings(client, "nosuch", ["10-K"], FIRST, LAST)


@pytest.mark.parametrize(
    "name", [number(2001), f"edgar/data/{CIK}/{number(2001)}.txt", "", "a b", "-5", "https://x.example/1"]
)
def test_what_names_no_company_is_refused(edgar: LocalEdgar, client: EdgarClient, name: str) -> None:
    with pytest.raises(InputError):
        list_filings(client, name, ["10-K"], FIRST, LAST)
    assert edgar.log.count() == 0


def test_a_cik_that_no_company_has_is_told(client: EdgarClient) -> None:
    with pytest.raises(RemoteError, match="EDGAR has no company with the CIK 4711") as caught:
        list_filings(client, "4711", ["10-K"], FIRST, LAST)
    assert caught.value.status == 404
    assert not caught.value.retryable


@pytest.mark.parametrize("fault", [unavailable, cut(0.5), shortened(0.5), too_many])
def test_what_fails_for_a_moment_is_asked_again(
    edgar: LocalEdgar, client: EdgarClient, fault: Callable[..., Any]
) -> None:
    edgar.fail(fault, times=1)
    edgar.fail(fault, lambda path: path.endswith("-002.json"), times=1)
    assert numbers(client, "10-K") == [number(2001), number(1998), number(1997)]
    assert edgar.log.count() == 6
    assert fault is not too_many or edgar.log.arrivals()[1] - edgar.log.arrivals()[0] >= PAUSE


def test_a_page_that_is_listed_and_missing_is_no_shorter_list(edgar: LocalEdgar, client: EdgarClient) -> None:
    edgar.fail(missing, f"/submissions/{PAGE}")
    with pytest.raises(RemoteError, match="no such file") as caught:
        numbers(client, "10-K")
    assert PAGE in str(caught.value)


def serving(page: dict[str, Any]) -> LocalEdgar:
    """A server whose company has this page."""
    server = LocalEdgar(FILINGS)
    server.put(submissions_path(CIK), json.dumps(page).encode())
    return server


def right_page() -> dict[str, Any]:
    recent = {
        "accessionNumber": [number(2001), number(1998)],
        "form": ["10-K", "10-K"],
        "filingDate": ["2001-03-15", "1998-03-15"],
        "reportDate": ["2000-12-31", ""],
        "primaryDocument": ["a.htm", ""],
    }
    return {"cik": COMPANY.padded, "name": "A", "filings": {"recent": recent, "files": []}}


def test_a_page_as_documented_is_read() -> None:
    with serving(right_page()) as edgar, asking(edgar) as client:
        assert numbers(client, "10-K") == [number(2001), number(1998)]


def test_a_filing_that_stands_on_two_pages_comes_once() -> None:
    page = right_page()
    page["filings"]["files"] = [{"name": PAGE}, {"name": PAGE}]
    with serving(page) as edgar, asking(edgar) as client:
        edgar.put(f"/submissions/{PAGE}", json.dumps(page["filings"]["recent"]).encode())
        assert numbers(client, "10-K") == [number(2001), number(1998)]
        assert edgar.log.count() == 2


@pytest.mark.parametrize(
    "name",
    [
        "../Archives/edgar/data/1/x.json",
        "../../etc/passwd",
        f"{PAGE}/../../files/x.json",
        f"{PAGE}?x=1",
        "//evil.example/x.json",
        "https://evil.example/x.json",
        "@evil.example/x.json",
        f"CIK{OTHER.padded}-submissions-001.json",
        "",
        None,
        7,
        ["a"],
    ],
)
def test_no_page_is_asked_for_by_a_name_that_leads_elsewhere(name: object) -> None:
    page = right_page()
    page["filings"]["files"] = [{"name": name}]
    with serving(page) as edgar, asking(edgar) as client:
        with pytest.raises(RemoteError, match="not what EDGAR documents") as caught:
            numbers(client, "10-K")
        assert edgar.log.count() == 1
    assert submissions_path(CIK) in str(caught.value)


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "no filings": lambda page: page.pop("filings"),
    "filings null": lambda page: page.update(filings=None),
    "no recent": lambda page: page["filings"].pop("recent"),
    "recent a list": lambda page: page["filings"].update(recent=[]),
    "no files": lambda page: page["filings"].pop("files"),
    "files an object": lambda page: page["filings"].update(files={}),
    "files of texts": lambda page: page["filings"].update(files=[PAGE]),
    "no forms": lambda page: page["filings"]["recent"].pop("form"),
    "no accession numbers": lambda page: page["filings"]["recent"].pop("accessionNumber"),
    "no dates": lambda page: page["filings"]["recent"].pop("filingDate"),
    "a form too few": lambda page: page["filings"]["recent"]["form"].pop(),
    "a date too many": lambda page: page["filings"]["recent"]["filingDate"].append("2001-03-15"),
    "a form that is null": lambda page: page["filings"]["recent"].update(form=[None, "10-K"]),
    "a date that is a number": lambda page: page["filings"]["recent"].update(filingDate=[20010315, "1998-03-15"]),
    "a date of no calendar": lambda page: page["filings"]["recent"].update(filingDate=["2001-02-30", "1998-03-15"]),
    "accession numbers a text": lambda page: page["filings"]["recent"].update(accessionNumber="ab"),
    "a path as accession number": lambda page: page["filings"]["recent"].update(accessionNumber=["../x", number(1998)]),
    "no company": lambda page: page.pop("cik"),
}


@pytest.mark.parametrize("change", list(CHANGES))
def test_a_page_of_another_shape_is_told_as_such(change: str) -> None:
    page = right_page()
    CHANGES[change](page)
    with serving(page) as edgar, asking(edgar) as client, pytest.raises(RemoteError, match="not what EDGAR documents"):
        numbers(client, "10-K")


def test_the_page_of_another_company_is_told() -> None:
    page = right_page() | {"cik": OTHER.padded}
    with (
        serving(page) as edgar,
        asking(edgar) as client,
        pytest.raises(RemoteError, match=f"company {OTHER.cik}, not {CIK}"),
    ):
        numbers(client, "10-K")


@pytest.mark.parametrize(
    "page",
    [
        [],
        {},
        {"fields": ["cik", "name"], "data": []},
        {"fields": "cik ticker", "data": []},
        {"fields": ["cik", "ticker"]},
        {"fields": ["cik", "ticker"], "data": {}},
        {"fields": ["cik", "ticker"], "data": [1]},
        {"fields": ["cik", "ticker"], "data": [[1]]},
        {"fields": ["cik", "ticker"], "data": [["../1", "LO001"]]},
        {"fields": ["cik", "ticker"], "data": [[1, ["LO001"]]]},
    ],
)
def test_a_list_of_tickers_of_another_shape_is_told_as_such(page: object) -> None:
    with LocalEdgar(FILINGS) as edgar, asking(edgar) as client:
        edgar.put(tickers_path(), json.dumps(page).encode())
        with pytest.raises(RemoteError, match="not what EDGAR documents"):
            cik_for(client, "LO001")


def test_sec_edgar_downloader_is_left_as_it_was(client: EdgarClient) -> None:
    theirs = _sec_gateway._call_sec
    numbers(client, "10-K")
    assert _sec_gateway._call_sec is theirs
    with pytest.raises(RemoteError):
        list_filings(client, "4711", ["10-K"], FIRST, LAST)
    assert _sec_gateway._call_sec is theirs


def test_threads_with_different_servers_get_their_own_lists(edgar: LocalEdgar) -> None:
    page = right_page()
    page["filings"]["recent"]["accessionNumber"] = [number(2011), number(2008)]
    lists: dict[int, list[str]] = {}

    def run(place: int, server: LocalEdgar) -> None:
        with asking(server) as client:
            for _ in range(3):
                lists[place] = numbers(client, "10-K")

    with serving(page) as other:
        threads = [threading.Thread(target=run, args=(place, (edgar, other)[place % 2])) for place in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    assert lists == {
        place: ([number(2001), number(1998), number(1997)], [number(2011), number(2008)])[place % 2]
        for place in range(6)
    }
