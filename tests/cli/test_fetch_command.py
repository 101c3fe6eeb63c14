"""`fingreat corpus fetch` from a user's side: what it refuses, what it prints, how it ends."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fetch_command import IDENTITY, as_served, raw_files, set_up, summary
from servers.answers import forbidden, missing
from servers.edgar import LocalEdgar
from servers.invented import invented_company, invented_filing, invented_filings

FILINGS = invented_filings(2003, 5)
COMPANY = FILINGS[0].companies[0]
MORE = tuple(invented_filing(invented_company(1), year) for year in (2004, 2005))
NUMBERS = [filing.accession for filing in FILINGS]


@pytest.fixture(scope="module")
def serving() -> Iterator[LocalEdgar]:
    with LocalEdgar([*FILINGS, *MORE]) as server:
        yield server


@pytest.fixture
def edgar(serving: LocalEdgar, monkeypatch: pytest.MonkeyPatch) -> LocalEdgar:
    serving.heal()
    serving.log.clear()
    set_up(monkeypatch, serving)
    return serving


@pytest.fixture
def fetch(run: Callable, tmp_path: Path, edgar: LocalEdgar) -> Callable:
    """Run the command for the folder `corpus` of the test's own folder, in one process."""
    return lambda *arguments: run("corpus", "fetch", "--corpus", tmp_path / "corpus", "--workers", "1", *arguments)


def test_without_an_identity_nothing_is_asked_and_nothing_made(
    tmp_path: Path, edgar: LocalEdgar, fetch: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    for identity in (None, "", "Jane Roe", "jane.roe@university.example"):
        if identity is None:
            monkeypatch.delenv("EDGAR_IDENTITY")
        else:
            monkeypatch.setenv("EDGAR_IDENTITY", identity)
        outcome = fetch("--ticker", COMPANY.tickers[0])
        assert outcome.code == 2
        assert outcome.err.startswith("error: EDGAR_IDENTITY: ")
        assert '--identity "Jane Roe jane.roe@university.example"' in outcome.err
        assert "EDGAR_IDENTITY" in outcome.err
    outcome = fetch("--cik", COMPANY.cik, "--identity", "nobody")
    assert outcome.code == 2
    assert outcome.err.startswith("error: --identity: names no e-mail address.")
    assert list(tmp_path.iterdir()) == []
    assert edgar.log.count() == 0


def test_who_asks_is_said_with_every_request(edgar: LocalEdgar, fetch: Callable) -> None:
    fetch("--ticker", COMPANY.tickers[0])
    assert {seen.headers["user-agent"] for seen in edgar.log.requests} == {IDENTITY}
    edgar.log.clear()
    fetch("--cik", COMPANY.cik, "--identity", "Another One one@other.example")
    assert {seen.headers["user-agent"] for seen in edgar.log.requests} == {"Another One one@other.example"}


def test_a_server_can_stand_in_by_an_option(
    edgar: LocalEdgar, fetch: Callable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("EDGAR_BASE_URL")
    listing = tmp_path / "list.txt"
    listing.write_text(f"{edgar.base}{edgar.path(FILINGS[1])}\n")
    outcome = fetch("--accession", edgar.url(FILINGS[0]), "--from-file", listing, "--base-url", edgar.base)
    assert (outcome.code, summary(outcome.err)["fetched"]) == (0, 2)


def test_what_is_printed_is_what_was_done(tmp_path: Path, edgar: LocalEdgar, fetch: Callable) -> None:
    outcome = fetch("--ticker", COMPANY.tickers[0])
    assert outcome.code == 0
    size = sum(map(len, as_served(FILINGS[0], *MORE).values()))
    # The list of tickers, the company's page and three filings.
    right = f"asked 3: fetched 3 ({size / 1e6:.1f} MB), already there 0, failed 0 · 5 requests\n"
    assert (outcome.out, outcome.err) == ("", right)
    outcome = fetch("--cik", COMPANY.cik)
    assert outcome.err == "asked 3: fetched 0 (0.0 MB), already there 3, failed 0 · 1 request\n"
    assert raw_files(tmp_path / "corpus") == as_served(FILINGS[0], *MORE)


def test_the_exit_status_says_whether_all_some_or_nothing_was_done(
    tmp_path: Path, edgar: LocalEdgar, fetch: Callable
) -> None:
    edgar.fail(missing, edgar.path(FILINGS[1]))
    why = f"why: {tmp_path / 'corpus' / 'failures.jsonl'}\n"
    outcome = fetch("--accession", NUMBERS[1], "--ticker", "NOPE", "--cik", "77")
    assert outcome.code == 2
    assert outcome.err.endswith(f"\n2 of 2 companies gave no filing\n{why}")
    assert summary(outcome.err)["failed"] == 1
    outcome = fetch("--accession", NUMBERS[1], "--accession", NUMBERS[0])
    assert (outcome.code, outcome.err.endswith(f"\n{why}")) == (1, True)
    outcome = fetch("--accession", NUMBERS[0], "--ticker", "NOPE")
    assert (outcome.code, outcome.err.endswith(f"\n1 of 1 company gave no filing\n{why}")) == (1, True)
    outcome = fetch("--accession", NUMBERS[0])
    assert (outcome.code, "why:" in outcome.err) == (0, False)


def test_a_list_names_filings_and_companies(tmp_path: Path, edgar: LocalEdgar, fetch: Callable) -> None:
    (tmp_path / "a.csv").write_text(f"ticker;note\n{COMPANY.tickers[0]};the first\n")
    (tmp_path / "b.txt").write_text(f"# two\n{NUMBERS[1]}\nedgar/data/9900003/{NUMBERS[2]}.txt\n")
    outcome = fetch("--from-file", tmp_path / "a.csv", "--from-file", tmp_path / "b.txt", "--years", "2003")
    assert outcome.code == 0
    assert raw_files(tmp_path / "corpus") == as_served(*FILINGS[:3])
    # The list of one corpus makes another.
    outcome = fetch("--from-file", tmp_path / "corpus" / "filings.jsonl", "--corpus", tmp_path / "other")
    assert outcome.code == 0
    assert (tmp_path / "other" / "filings.jsonl").read_bytes() == (tmp_path / "corpus" / "filings.jsonl").read_bytes()
    assert raw_files(tmp_path / "other") == as_served(*FILINGS[:3])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no company and no filing is named"),
        (("--exhibits",), "has no sections that could point to exhibits"),
        (("--ticker", ""), "--ticker: '' is no ticker. Write it as AAPL."),
        (("--ticker", "A,B"), "--ticker: 'A,B' is no ticker. Write it as AAPL; several with --ticker each."),
        (("--ticker", "320193"), "--ticker: '320193' is no ticker. Write it as AAPL."),
        (("--ticker", "../../etc"), "--ticker: '../../etc' is no ticker."),
        (("--ticker", "\x1b[31m"), "--ticker: '\\x1b[31m' is no ticker."),
        (("--cik", "AAPL"), "--cik: 'AAPL' is no CIK. Write its digits, such as 320193."),
        (("--cik", "99x"), "--cik: '99x' is no CIK. Write its digits, such as 320193."),
        (("--cik", "1 2"), "--cik: '1 2' is no CIK. Write its digits, such as 320193; several with --cik each."),
        (("--cik", "0"), "--cik: '0' is no CIK."),
        (("--accession", "320193"), "--accession: '320193' is no accession number. Write it as 0000320193-24-000123"),
        (("--accession", "0009900003-05-00001"), "--accession: '0009900003-05-00001' is no accession number. Write"),
        (("--accession", f"{NUMBERS[0]},{NUMBERS[1]}"), "the address of a filing; several with --accession each."),
        (
            ("--accession", "https://example.com/000032019324000123/"),
            "--accession: 'https://example.com/000032019324000123/' is no address on www.sec.gov",
        ),
        (("--cik", "77", "--years", "2003-2001"), "--years: '2003-2001' runs backwards"),
        (("--cik", "77", "--form", "../x"), "--form: '../x' is no name of a form"),
        (("--cik", "77", "--from-file", "none.txt"), "none.txt: cannot be read"),
        (("--cik", "77", "--base-url", "ftp://x"), "is no address of a server"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_asked_or_made(
    tmp_path: Path, edgar: LocalEdgar, fetch: Callable, arguments: tuple[str, ...], message: str
) -> None:
    outcome = fetch(*arguments)
    assert outcome.code == 2
    assert message in outcome.err.replace("\n", " ")
    assert "Traceback" not in outcome.err
    assert edgar.log.count() == 0
    assert list(tmp_path.iterdir()) == []


def test_more_than_ten_requests_a_second_are_refused(edgar: LocalEdgar, fetch: Callable) -> None:
    for rate in ("0", "11", "x"):
        assert fetch("--cik", COMPANY.cik, "--rate", rate).code == 2
    assert edgar.log.count() == 0


def test_a_file_where_the_corpus_should_be_is_refused(tmp_path: Path, edgar: LocalEdgar, fetch: Callable) -> None:
    (tmp_path / "corpus").write_text("mine")
    outcome = fetch("--cik", COMPANY.cik)
    assert outcome.code == 2
    assert outcome.err == f"error: {tmp_path / 'corpus'}: is a file; a corpus is a folder.\n"
    assert (tmp_path / "corpus").read_text() == "mine"
    assert edgar.log.count() == 0


def test_what_a_restart_finds_of_a_block_it_waits_for_and_says_once(
    tmp_path: Path, edgar: LocalEdgar, fetch: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_up(monkeypatch, edgar, pause=600.0)
    marker = tmp_path / "corpus" / "edgar" / "blocked.json"
    marker.parent.mkdir(parents=True)
    until = datetime.now(UTC) + timedelta(seconds=1.5)
    marker.write_text(json.dumps({"blocked_until": until.isoformat()}))
    started = time.time()
    outcome = fetch(*(f"--accession={number}" for number in NUMBERS))
    assert outcome.code == 0
    assert time.time() >= until.timestamp()
    assert time.time() - started < 20
    said = [line for line in outcome.err.splitlines() if "waiting until" in line]
    assert len(said) == 1
    assert re.fullmatch(r"EDGAR refused requests a while ago: waiting until \d\d:\d\d, [\d.]+ seconds?\.", said[0])
    # The first request goes alone, and all is well again.
    first, second, *_ = edgar.log.arrivals()
    assert first < second
    assert not marker.exists()
    assert raw_files(tmp_path / "corpus") == as_served(*FILINGS)


def test_failures_say_what_edgar_said(tmp_path: Path, edgar: LocalEdgar, fetch: Callable) -> None:
    edgar.fail(forbidden, edgar.path(FILINGS[2]))
    fetch(*(f"--accession={number}" for number in NUMBERS))
    rows = [json.loads(line) for line in (tmp_path / "corpus" / "failures.jsonl").read_bytes().splitlines()]
    assert [(row["stage"], row["id"], row["state"]) for row in rows] == [("fetch", NUMBERS[2], "refused")]
    assert rows[0]["reason"] == f"{edgar.url(FILINGS[2])}: EDGAR refuses this file: status 403."


def test_the_first_failures_are_told_as_they_come(tmp_path: Path, edgar: LocalEdgar, fetch: Callable) -> None:
    edgar.fail(forbidden, lambda path: path.endswith(".txt"))
    outcome = fetch("--ticker", "NOPE", *(f"--accession={number}" for number in NUMBERS))
    lines = outcome.err.splitlines()
    assert lines[0].startswith("NOPE is no ticker that EDGAR lists")
    refused = "EDGAR refuses this file: status 403."
    assert lines[1:4] == [
        f"{NUMBERS[0]}: {edgar.url(FILINGS[0])}: {refused}",
        f"{NUMBERS[1]}: {edgar.url(FILINGS[1])}: {refused}",
        "More have failed; failures.jsonl will say why.",
    ]
    assert lines[4].startswith("asked 5: fetched 0 (0.0 MB), already there 0, failed 5 · ")
    assert len(lines) == 7


def test_forms_and_years_choose_nothing_among_filings_that_are_named(edgar: LocalEdgar, fetch: Callable) -> None:
    outcome = fetch("--accession", NUMBERS[0], "--years", "2001", "--amendments")
    assert outcome.code == 0
    assert outcome.err.startswith(
        "--years, --amendments: without effect, since every filing is named by its accession number.\nasked 1: "
    )
    assert fetch("--accession", NUMBERS[0]).err.startswith("asked 1")
    assert fetch("--accession", NUMBERS[0], "--cik", COMPANY.cik, "--years", "2003").err.startswith("asked 1")


def test_a_column_of_years_in_a_list_is_told(tmp_path: Path, edgar: LocalEdgar, fetch: Callable) -> None:
    (tmp_path / "l.csv").write_text(f"cik,year\n{COMPANY.cik},2003\n{COMPANY.cik},2004\n")
    outcome = fetch("--from-file", tmp_path / "l.csv")
    assert outcome.err.startswith(f"{tmp_path / 'l.csv'}: column year is not used; --years chooses")
    assert outcome.err.count("is not used") == 1
    assert summary(outcome.err)["fetched"] == 3


def test_exhibits_of_a_corpus_without_sections_are_refused_with_what_to_do(
    tmp_path: Path, edgar: LocalEdgar, fetch: Callable
) -> None:
    outcome = fetch("--cik", COMPANY.cik, "--exhibits")
    assert outcome.code == 2
    assert "has no sections that could point to exhibits." in outcome.err
    assert "Leave --exhibits out: what is fetched by name comes with its exhibits." in outcome.err
    assert edgar.log.count() == 0
    assert list(tmp_path.iterdir()) == []


def test_help_names_every_option_and_gives_an_example(run: Callable) -> None:
    outcome = run("corpus", "fetch", "--help")
    assert outcome.code == 0
    options = "ticker cik accession from-file form years amendments exhibits identity base-url rate workers json"
    assert all(f"--{option}" in outcome.out for option in options.split())
    assert "Example: fingreat corpus fetch" in outcome.out
