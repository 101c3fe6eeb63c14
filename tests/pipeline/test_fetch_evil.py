"""What EDGAR's pages, indexes and filings say never leads out of the corpus folder, nor to another host."""

from __future__ import annotations

import gzip
import json
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from fetch_builders import IDENTITY, QUICK, as_served, failed, fetched, raw_files, unlimited
from servers.answers import Answer, instead, redirected
from servers.apis import submissions
from servers.app import type_of
from servers.catalogue import Catalogue, Company
from servers.edgar import LocalEdgar
from servers.invented import invented_company, invented_filing
from servers.submission import full_submission

from fingreat.edgar.remote import client as client_module
from fingreat.edgar.remote.addresses import Named
from fingreat.edgar.remote.client import EdgarClient
from fingreat.pipeline import Corpus
from fingreat.pipeline.fetch import Selection, fetch

pytestmark = pytest.mark.usefixtures("unlimited")
__all__ = ["unlimited"]

COMPANY = invented_company(3)
FILINGS = tuple(invented_filing(COMPANY, year) for year in (2003, 2004, 2005))
BY_AGENT = replace(invented_filing(invented_company(4), 2006), accession="0001193125-06-000001")
CALLED = "\x1b[2J[bold]../../x\x07\u2028\u202eEVIL"
EVIL = replace(invented_filing(Company("9900666", CALLED), 2005), accession="0009900666-05-000001")
EVIL = replace(EVIL, documents=tuple(replace(one, filename="../../../x.htm") for one in EVIL.documents))
PAGE = f"/submissions/CIK{COMPANY.padded}.json"
TICKERS = "/files/company_tickers_exchange.json"
PATHS = (
    "../../../../../../etc/passwd",
    "/etc/passwd",
    "..\\..\\x",
    "x/../../../y",
    "%2e%2e%2fx",
    "http://elsewhere.example/x",
    "//elsewhere.example/x",
    "@elsewhere.example",
    "\x1b[2Jx",
    "x\ny",
    "x\x00y",
    "",
)


@pytest.fixture(scope="module")
def serving() -> Iterator[LocalEdgar]:
    with LocalEdgar([*FILINGS, BY_AGENT, EVIL]) as server:
        yield server


@pytest.fixture
def edgar(serving: LocalEdgar) -> LocalEdgar:
    serving.heal()
    serving.log.clear()
    return serving


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Path]:
    """A corpus folder deep in the test's own folder, in which nothing else may appear."""
    folder = tmp_path / "a" / "b" / "c" / "corpus"
    folder.parent.mkdir(parents=True)
    yield folder
    strangers = [path for path in tmp_path.rglob("*") if path.is_file() and folder not in path.parents]
    assert strangers == []
    known = {".lock", "edgar", "failures.jsonl", "filings.jsonl", "manifest.json", "raw"}
    assert {path.name for path in folder.iterdir()} <= known
    assert all(path.is_relative_to(folder) for path in map(Path.resolve, folder.rglob("*")))


def say_instead(edgar: LocalEdgar, path: str, body: bytes) -> None:
    edgar.fail(instead(Answer(200, body, type_of(path))), path)


def page(change: Callable[[dict[str, Any]], object]) -> bytes:
    """A company's page of filings, with something changed."""
    value = json.loads(submissions(Catalogue(FILINGS), COMPANY, 1000))
    change(value)
    return json.dumps(value).encode()


@pytest.mark.parametrize("path", PATHS)
def test_the_name_of_a_main_document_is_not_looked_at(corpus: Path, edgar: LocalEdgar, path: str) -> None:
    say_instead(edgar, PAGE, page(lambda value: value["filings"]["recent"].update(primaryDocument=[path] * 3)))
    # Other than text on one line is not what EDGAR documents.
    plain = all(char.isprintable() or char == "\n" for char in path)
    counts = fetched(corpus, edgar, COMPANY.cik)
    assert counts["fetched"] == (3 if plain else 0)
    assert raw_files(corpus) == (as_served(*FILINGS) if plain else {})


@pytest.mark.parametrize("path", [*PATHS, f"{FILINGS[0].accession}/../../../x", f"../{FILINGS[0].accession}"])
def test_an_accession_number_that_is_none_fails_the_company(corpus: Path, edgar: LocalEdgar, path: str) -> None:
    say_instead(edgar, PAGE, page(lambda value: value["filings"]["recent"]["accessionNumber"].__setitem__(1, path)))
    counts = fetched(corpus, edgar, COMPANY.cik, BY_AGENT.accession)
    assert (counts["fetched"], counts["companies_failed"]) == (1, 1)
    assert "this is not what EDGAR documents" in failed(corpus)[COMPANY.cik].reason
    assert raw_files(corpus) == as_served(BY_AGENT)


@pytest.mark.parametrize("path", [*PATHS, f"CIK{COMPANY.padded}-submissions-001.json/../../x", "CIK0000000001.json"])
def test_the_name_of_an_older_page_that_is_none_fails_the_company(corpus: Path, edgar: LocalEdgar, path: str) -> None:
    older = [{"name": path, "filingCount": 1, "filingFrom": "1993-01-01", "filingTo": "2030-01-01"}]
    say_instead(edgar, PAGE, page(lambda value: value["filings"].update(files=older)))
    counts = fetched(corpus, edgar, COMPANY.cik)
    assert (counts["asked"], counts["companies_failed"]) == (0, 1)
    assert "this is not what EDGAR documents" in failed(corpus)[COMPANY.cik].reason
    assert edgar.log.count() == 1


@pytest.mark.parametrize("path", PATHS)
def test_a_path_in_an_index_leads_nowhere_else(corpus: Path, edgar: LocalEdgar, path: str) -> None:
    row = f"{BY_AGENT.companies[0].cik}|X|10-K|{BY_AGENT.filed}"
    lines = [
        "CIK|Company Name|Form Type|Date Filed|Filename",
        "-" * 80,
        f"{row}|edgar/data/{path}/{BY_AGENT.accession}.txt",
        f"{row}|edgar/data/{BY_AGENT.companies[0].cik}/{BY_AGENT.accession}.txt/{path}",
        f"{row}|{path}",
        f"{row}|edgar/data/1/0001193125-06-000002.txt",
    ]
    data = gzip.compress("\n".join(lines).encode())
    for quarter in (1, 2, 3, 4):
        say_instead(edgar, f"/Archives/edgar/full-index/2006/QTR{quarter}/master.gz", data)
    counts = fetched(corpus, edgar, BY_AGENT.accession)
    assert counts["fetched"] == 0
    assert failed(corpus)[BY_AGENT.accession].state == "not_found"
    assert all(seen.target.startswith("/Archives/edgar/") for seen in edgar.log.requests)
    assert not any(".." in seen.target or "%" in seen.target for seen in edgar.log.requests)


@pytest.mark.parametrize("path", PATHS)
def test_odd_values_in_the_list_of_tickers_fail_the_company_at_most(corpus: Path, edgar: LocalEdgar, path: str) -> None:
    fields = ["cik", "name", "ticker", "exchange"]
    for row in ([path, "X", "LO003", "Nasdaq"], [int(COMPANY.cik), path, path, path], [-1, "X", "LO003", None], []):
        rows = [row, [int(COMPANY.cik), COMPANY.name, "LO003", "Nasdaq"]]
        say_instead(edgar, TICKERS, json.dumps({"fields": fields, "data": rows}).encode())
        edgar.log.clear()
        counts = fetched(corpus, edgar, "LO003", years=[2003])
        assert counts["asked"] == 1 - counts["companies_failed"]
        assert {seen.target for seen in edgar.log.requests} <= {TICKERS, PAGE, edgar.path(FILINGS[0])}


@pytest.mark.parametrize(
    "name",
    [
        f"{FILINGS[0].accession}/../../../x",
        f"../../{FILINGS[0].accession}",
        f"edgar/data/{COMPANY.cik}/../../{FILINGS[0].accession}.txt",
        f"https://www.sec.gov/Archives/edgar/data/{COMPANY.cik}/{FILINGS[0].nodash}/../../../x",
        f"https://www.sec.gov/ix?doc=/Archives/edgar/data/{COMPANY.cik}/{FILINGS[0].nodash}/%2e%2e%2fx",
    ],
)
def test_of_a_users_name_only_the_numbers_count(corpus: Path, edgar: LocalEdgar, name: str) -> None:
    assert fetched(corpus, edgar, name)["fetched"] == 1
    assert raw_files(corpus) == as_served(FILINGS[0])


def test_what_a_filing_calls_itself_and_its_documents_is_text(corpus: Path, edgar: LocalEdgar) -> None:
    assert fetched(corpus, edgar, EVIL.accession, "9900666")["fetched"] == 1
    assert raw_files(corpus) == as_served(EVIL)
    # As a name in EDGAR's list it is not what EDGAR documents.
    assert set(failed(corpus)) == {"9900666"}
    # One line for a filing, whatever its name holds.
    assert len((corpus / "filings.jsonl").read_bytes().split(b"\n")) == 2
    assert b"\x1b" not in (corpus / "filings.jsonl").read_bytes()
    Corpus(corpus).make_sections("7")
    assert [section.filing_id for section in Corpus(corpus).sections("7")] == [EVIL.accession]
    for path in (corpus / "sections").rglob("*"):
        assert "x.htm" not in path.name
    rmtree(corpus / "sections")


def test_a_filing_that_says_it_is_another_is_not_taken(corpus: Path, edgar: LocalEdgar) -> None:
    evil = full_submission(FILINGS[0])
    for number in ("../../../x", FILINGS[1].accession, "", f"{FILINGS[0].accession}/../x"):
        data = evil.replace(f"NUMBER:\t\t{FILINGS[0].accession}".encode(), f"NUMBER:\t\t{number}".encode())
        assert data != evil
        say_instead(edgar, edgar.path(FILINGS[0]), data)
        assert fetched(corpus, edgar, FILINGS[0].accession)["failed"] == 1
        assert failed(corpus)[FILINGS[0].accession].state == "not_fetched"
        assert raw_files(corpus) == {}


@pytest.fixture
def looked_up(edgar: LocalEdgar, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the hosts that are looked for; all of them are the local EDGAR, which speaks no TLS."""
    names: list[str] = []
    port = int(edgar.base.rpartition(":")[2])

    def getaddrinfo(host: str, *_: object, **__: object) -> list[object]:
        names.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    for name in ("WWW", "DATA"):
        monkeypatch.setattr(client_module, name, getattr(client_module, name).replace("https:", "http:"))
    return names


def test_no_other_host_than_secs_two_is_ever_looked_for(corpus: Path, edgar: LocalEdgar, looked_up: list[str]) -> None:
    older = [{"name": "//elsewhere.example/x.json"}]
    say_instead(
        edgar, f"/submissions/CIK{'4'.zfill(10)}.json", page(lambda value: value["filings"].update(files=older))
    )
    edgar.fail(redirected("http://elsewhere.example/x"), edgar.path(FILINGS[1]))
    edgar.fail(redirected("//elsewhere.example/x", 301), "/submissions/CIK0000000005.json")
    names = [
        *(Named("ticker", ticker=name) for name in (COMPANY.tickers[0], "NOPE")),
        *(Named("cik", cik=number) for number in ("4", "5", "6")),
        Named("accession", accession=BY_AGENT.accession),
        Named("accession", accession="0001193125-06-999999", cik="7"),
    ]
    with EdgarClient(IDENTITY, **QUICK) as client:
        counts = fetch(Corpus(corpus), client, Selection(tuple(names)))
    assert (counts["fetched"], counts["failed"]) == (3, 2)
    assert set(looked_up) == {"www.sec.gov", "data.sec.gov"}
    hosts = {(seen.headers["host"], seen.path.split("/")[1]) for seen in edgar.log.requests}
    assert hosts == {("www.sec.gov", "Archives"), ("www.sec.gov", "files"), ("data.sec.gov", "submissions")}
    assert "points to 'http://elsewhere.example/x'" in failed(corpus)[FILINGS[1].accession].reason


def test_with_a_server_that_stands_in_no_host_is_looked_for_but_it(
    corpus: Path, edgar: LocalEdgar, looked_up: list[str]
) -> None:
    fetched(corpus, edgar, COMPANY.tickers[0], BY_AGENT.accession, "NOPE")
    assert set(looked_up) == {"127.0.0.1"}
