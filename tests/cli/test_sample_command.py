"""`fingreat corpus sample` from a user's side: what it prints, how it ends, and what it says where it cannot go on."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from servers.answers import delayed, threshold, unavailable
from servers.edgar import LocalEdgar
from servers.indexes import index_file
from servers.invented import invented_filings
from servers.quick import lift_limit

from fingreat.cli import corpus_remote
from fingreat.cli.sample_lines import SampleLines
from fingreat.edgar.remote.client import EdgarClient
from fingreat.pipeline import Corpus
from fingreat.pipeline.sample_year import Drawn

YEARS = ("2003", "2004")
VARIANTS = ("found", "by_reference", "found", "no_item_7")
FILINGS = [one for year in YEARS for one in invented_filings(int(year), 16, variants=VARIANTS, paragraphs=1)]
GOOD = {one.accession for place, one in enumerate(FILINGS) if VARIANTS[place % 16 % 4] == "found"}


@pytest.fixture
def edgar(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalEdgar]:
    """A local EDGAR that commands ask, quick to give up and to go on."""
    lift_limit(monkeypatch)
    monkeypatch.setattr(corpus_remote, "EdgarClient", partial(EdgarClient, pause=0.2, tries=2, backoff=0.01))
    monkeypatch.setenv("EDGAR_IDENTITY", "Test Person test@university.example")
    with LocalEdgar(FILINGS) as server:
        monkeypatch.setenv("EDGAR_BASE_URL", server.base)
        yield server


def seeded_order(year: str, seed: int) -> list[str]:
    """By the rule: firms, each with one filing here, in the order of the SHA-256 of `seed|year|cik`."""
    firms = {one.companies[0].cik: one.accession for one in FILINGS if str(one.filed.year) == year}
    return [
        firms[cik] for cik in sorted(firms, key=lambda cik: hashlib.sha256(f"{seed}|{year}|{cik}".encode()).digest())
    ]


def expected(seed: int, count: int) -> tuple[list[str], dict[str, list[str]]]:
    """The first good ones of each year, and those that they stand in place of."""
    kept, replaced = [], {}
    for year in YEARS:
        order = seeded_order(year, seed)
        good = [number for number in order if number in GOOD][:count]
        kept += good
        replaced[year] = [number for number in order[: order.index(good[-1])] if number not in good]
    return kept, replaced


def reasons(numbers: list[str]) -> dict[str, int]:
    """Why these were replaced."""
    found = [VARIANTS[[one.accession for one in FILINGS].index(number) % 16 % 4] for number in numbers]
    counts = {"absent": found.count("no_item_7"), "by_reference": found.count("by_reference")}
    return {**counts, "unreadable": 0, "not_found": 0}


def in_words(replaced: dict[str, list[str]]) -> str:
    """The same as the last line has it."""
    counts = reasons([number for numbers in replaced.values() for number in numbers])
    return ", ".join(f"{state.replace('_', ' ')} {number}" for state, number in counts.items() if number)


def arguments(corpus: Path, *more: object, per_year: int = 3) -> list[object]:
    return [
        "corpus",
        "sample",
        "--corpus",
        corpus,
        "--years",
        "2003-2004",
        "--per-year",
        per_year,
        "--workers",
        1,
        *more,
    ]


def test_it_prints_who_is_replaced_and_counts_that_add_up(tmp_path: Path, edgar: LocalEdgar, run: Callable) -> None:
    kept, replaced = expected(5, 3)
    lost = sum(map(len, replaced.values()))
    assert lost > 0
    outcome = run(*arguments(tmp_path / "c", "--seed", 5))
    assert (outcome.code, outcome.out) == (0, "")
    lines = outcome.err.splitlines()
    # The reasons are in the log of the draws, also where every place is filled.
    assert lines.pop() == f"why: {tmp_path / 'c' / 'sample'}/"
    assert lines[-1] == (
        f"wanted 6: kept 6, open 0, short 0 · drawn {6 + lost}, of which replaced {lost} ({in_words(replaced)}) · "
        f"{8 + 6 + lost} requests"
    )
    said = [
        re.match(r"(\d{4}): (\S+) \((.+), (\S+)\) is replaced: its item 7 is (absent|by reference): \S", line)
        for line in lines[:-1]
    ]
    assert all(said)
    named = {one.accession: (one.companies[0].name, one.form) for one in FILINGS}
    assert {match.groups()[:4] for match in said if match} == {
        (year, number, *named[number]) for year, numbers in replaced.items() for number in numbers
    }
    assert max(map(len, lines)) < 160
    assert [filing.id for filing in Corpus(tmp_path / "c").filings()] == kept


def test_json_gives_the_counts_in_total_and_by_year(tmp_path: Path, edgar: LocalEdgar, run: Callable) -> None:
    _, replaced = expected(0, 3)
    data = json.loads(run(*arguments(tmp_path / "c", "--json")).out)
    lost = {year: len(numbers) for year, numbers in replaced.items()}
    assert data["by_year"] == {
        year: {
            "rows": 16,
            "filings": 16,
            "firms": 16,
            "drawn": 3 + lost[year],
            "kept": 3,
            "replaced": lost[year],
            "open": 0,
            "short": 0,
            "reasons": reasons(replaced[year]),
        }
        for year in YEARS
    }
    total = {
        "asked": 6,
        "kept": 6,
        "open": 0,
        "short": 0,
        "drawn": 6 + sum(lost.values()),
        "replaced": sum(lost.values()),
    }
    assert {key: data[key] for key in total} == total
    assert data["reasons"] == reasons([number for numbers in replaced.values() for number in numbers])
    assert data["requests"] == 8 + total["drawn"]
    assert json.loads(run(*arguments(tmp_path / "c", "--json")).out) == data | {"requests": 0}


def test_what_is_open_is_said_and_the_same_command_fetches_it(tmp_path: Path, edgar: LocalEdgar, run: Callable) -> None:
    number = expected(0, 3)[0][0]
    path = next(edgar.path(one) for one in FILINGS if one.accession == number)
    edgar.fail(unavailable, path)
    outcome = run(*arguments(tmp_path / "c"))
    assert outcome.code == 1
    assert f"2003: {number} could not be had: " in outcome.err
    assert "wanted 6: kept 5, open 1, short 0 · " in outcome.err
    assert "Repeat the command to fetch what is open.\n" in outcome.err
    assert f"why: {tmp_path / 'c' / 'failures.jsonl'}" in outcome.err
    edgar.heal()
    outcome = run(*arguments(tmp_path / "c"))
    assert outcome.code == 0
    assert " · 1 request\n" in outcome.err
    assert [filing.id for filing in Corpus(tmp_path / "c").filings()] == expected(0, 3)[0]


def test_short_years_are_said(tmp_path: Path, edgar: LocalEdgar, run: Callable) -> None:
    outcome = run(*arguments(tmp_path / "c", per_year=10))
    assert outcome.code == 1
    assert "2003: 8 of 10 filings; all 16 firms of the year were drawn, 8 had no usable text.\n" in outcome.err
    assert "wanted 20: kept 16, open 0, short 4 · drawn 32, of which replaced 16 (" in outcome.err
    assert outcome.err.endswith(f"\nwhy: {tmp_path / 'c' / 'sample'}/\n")
    assert "Repeat" not in outcome.err


def test_nothing_kept_is_nothing_done(tmp_path: Path, edgar: LocalEdgar, run: Callable) -> None:
    bad = invented_filings(2005, 16, variants=("no_item_7",), paragraphs=1)
    edgar.add(bad)
    outcome = run("corpus", "sample", "--corpus", tmp_path, "--years", "2005", "--per-year", 2, "--workers", 1)
    assert outcome.code == 2
    assert "wanted 2: kept 0, open 0, short 2 · drawn 16, of which replaced 16" in outcome.err
    # The first ten are told, the others are in the log.
    assert outcome.err.count(" is replaced: ") == 10
    assert f"\n… and 6 more: {tmp_path / 'sample'}/\nwanted 2: " in outcome.err


def test_a_name_from_an_index_is_no_command_to_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drawn = {
        "year": 2003,
        "rank": 1,
        "accession": "0009900003-03-000001",
        "cik": "1",
        "company": "\x1b[31mRED\x07 \u202eINC",
        "form": "10-K",
        "filed": "2003-03-01",
        "outcome": "replaced",
        "reason": "its item 7 is \x9b2J absent",
    }
    SampleLines(tmp_path).replaced(Drawn.model_validate(drawn))
    said = " ".join(capsys.readouterr().err.split())
    assert said == "2003: 0009900003-03-000001 ([31mRED INC, 10-K) is replaced: its item 7 is 2J absent"


def test_a_block_says_what_to_do_and_the_same_command_goes_on(tmp_path: Path, edgar: LocalEdgar, run: Callable) -> None:
    edgar.fail(threshold, spare=11)
    outcome = run(*arguments(tmp_path / "c"))
    assert outcome.code == 2
    assert "EDGAR refuses all requests (403): waiting until " in outcome.err
    assert "error: EDGAR: still refuses all requests, after 3 refusals in a row.\n" in outcome.err
    assert "let fewer of them ask" in outcome.err
    edgar.heal()
    assert run(*arguments(tmp_path / "c")).code == 0
    assert [filing.id for filing in Corpus(tmp_path / "c").filings()] == expected(0, 3)[0]


def test_messages_name_the_option_and_what_to_do(
    tmp_path: Path, edgar: LocalEdgar, run: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(*arguments(tmp_path / "c"))
    for more, said in (
        (("--seed", 1), "holds a sample with seed 0, not 1.\nDraw the other sample into a folder of its own;"),
        (("--item", "1A"), "holds a sample with item 7, not 1A.\n"),
        (("--item", "99"), "error: --item: '99' is no item.\n"),
        (("--years", "2003"), "holds a sample with years 2003-2004, not 2003.\n"),
        (("--years", "2004-2003"), "error: --years: '2004-2003' runs backwards.\nWrite 2003-2004.\n"),
        (("--form", "<10-K>"), "error: --form: '<10-K>' is no name of a form.\n"),
        (("--index", tmp_path / "form.idx"), "there is no such file.\nCheck the path.\n"),
    ):
        outcome = run(*arguments(tmp_path / "c", *more))
        assert outcome.code == 2
        assert said in outcome.err, outcome.err
        assert "Traceback" not in outcome.err
    outcome = run(*arguments(tmp_path / "c", per_year=0))
    assert (outcome.code, "--per-year" in outcome.err) == (2, True)
    monkeypatch.delenv("EDGAR_IDENTITY")
    outcome = run(*arguments(tmp_path / "d"))
    assert outcome.code == 2
    assert "EDGAR wants to know who asks" in outcome.err
    assert not (tmp_path / "d").exists()


def test_index_files_and_amendments_by_option(tmp_path: Path, edgar: LocalEdgar, run: Callable) -> None:
    path = tmp_path / "form.idx"
    path.write_bytes(index_file("form", [(one.companies[0], one) for one in FILINGS], FILINGS[-1].filed))
    outcome = run(*arguments(tmp_path / "c", "--index", path, "--amendments"))
    assert outcome.code == 0
    assert [filing.id for filing in Corpus(tmp_path / "c").filings()] == expected(0, 3)[0]
    stage = Corpus(tmp_path / "c").manifest()["stages"]["sample"]
    assert {"10-K", "10-K/A", "10-K405/A"} <= set(stage["forms"])
    assert not any("index" in seen.path for seen in edgar.log.requests)


def test_stats_show_a_sample_by_year_and_count_its_indexes(tmp_path: Path, edgar: LocalEdgar, run: Callable) -> None:
    _, replaced = expected(0, 3)
    run(*arguments(tmp_path / "c"))
    outcome = run("corpus", "stats", "--corpus", tmp_path / "c", "--out", tmp_path / "tables")
    assert outcome.code == 0
    shown = [" ".join(line.split()) for line in outcome.out.splitlines()]
    lost = {year: len(replaced[year]) for year in YEARS}
    assert "Sample by year" in shown
    assert "Replaced filings by reason" in shown
    for year in YEARS:
        assert f"{year} 16 16 16 {3 + lost[year]} 3 {lost[year]} 0 0" in shown
    assert f"All 32 32 32 {6 + sum(lost.values())} 6 {sum(lost.values())} 0 0" in shown
    assert "sample years 2003, 2004" in shown
    assert [line for line in shown if re.match("indexes|by year|filings per year", line)] == [
        "filings per year 3",
        "indexes 8",
    ]
    assert "forms 10-K, 10-K405, 10KSB, 10-KSB, 10KSB40, 10-KSB40, 10-KT, 10KT405, 10-KT405" in shown
    assert (tmp_path / "tables" / "corpus-sample.csv").read_text("utf-8").splitlines()[0] == (
        "year,rows,filings,firms,drawn,kept,replaced,open,short"
    )
    with (tmp_path / "tables" / "corpus-replaced.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["year"], row["absent"], row["by reference"], row["not on EDGAR"]) for row in rows[:-1]] == [
        (year, *(str(reasons(replaced[year])[state]) for state in ("absent", "by_reference", "not_found")))
        for year in YEARS
    ]
    assert r"\label{tab:corpus-replaced}" in (tmp_path / "tables" / "corpus-replaced.tex").read_text("utf-8")
    assert r"\label{tab:corpus-sample}" in (tmp_path / "tables" / "corpus-sample.tex").read_text("utf-8")


def test_ctrl_c_says_how_to_go_on(tmp_path: Path, edgar: LocalEdgar, run: Callable) -> None:
    edgar.fail(delayed(0.2), lambda path: path.endswith(".txt"))
    command = [sys.executable, "-m", "fingreat", *map(str, arguments(tmp_path / "c"))]
    with subprocess.Popen(command, env=dict(os.environ), stderr=subprocess.PIPE, text=True) as process:
        assert edgar.log.wait_for(11, timeout=30)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.endswith("stopped. What came is kept; repeat the command to go on.\n")
    assert "Traceback" not in errors
    edgar.heal()
    assert run(*arguments(tmp_path / "c")).code == 0
    assert [filing.id for filing in Corpus(tmp_path / "c").filings()] == expected(0, 3)[0]
