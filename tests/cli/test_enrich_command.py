"""`fingreat corpus enrich` from a user's side: what it prints, how it ends, what survives a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from servers.answers import delayed, threshold
from servers.catalogue import Fact, LocalFiling
from servers.edgar import LocalEdgar
from servers.invented import invented_filings
from servers.quick import lift_limit
from servers.submission import full_submission

from fingreat.cli import corpus_remote
from fingreat.edgar.remote.client import EdgarClient
from fingreat.pipeline import Corpus

OLD, NEW = invented_filings(2003, 2, paragraphs=1), invented_filings(2012, 4, paragraphs=1)
FOREIGN = replace(NEW[3], facts=(Fact(NEW[3].period, 5, unit="EUR"),)) if NEW[3].period else NEW[3]
FILINGS = (*OLD, *NEW[:3], FOREIGN)


@pytest.fixture
def edgar(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalEdgar]:
    """A local EDGAR that commands ask, quick to give up and to go on."""
    lift_limit(monkeypatch)
    monkeypatch.setattr(corpus_remote, "EdgarClient", partial(EdgarClient, pause=0.2, tries=2, backoff=0.01))
    monkeypatch.setenv("EDGAR_IDENTITY", "Test Person test@university.example")
    with LocalEdgar(FILINGS) as server:
        monkeypatch.setenv("EDGAR_BASE_URL", server.base)
        yield server


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Filings of four companies."""
    return made(tmp_path / "corpus", FILINGS)


def made(path: Path, filings: tuple[LocalFiling, ...]) -> Corpus:
    source = path.with_name(f"{path.name}-source")
    source.mkdir()
    for one in filings:
        (source / f"{one.accession}.txt").write_bytes(full_submission(one))
    Corpus(path).add([source])
    return Corpus(path)


def test_it_prints_what_is_known_and_why_the_rest_is_not(corpus: Corpus, edgar: LocalEdgar, run: Callable) -> None:
    outcome = run("corpus", "enrich", "--corpus", corpus.path)
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err.splitlines() == [
        "6 filings of 4 companies: complete 6, failed 0, without CIK 0 · 8 requests",
        "industry code 6, division 6, total assets 3",
        "total assets unknown: no facts of this filing 2, other currency: EUR 1",
    ]
    data = json.loads(run("corpus", "enrich", "--corpus", corpus.path, "--json").out)
    assert data == {
        "filings": 6,
        "completed": 6,
        "failed": 0,
        "without_cik": 0,
        "companies": 4,
        "with_sic": 6,
        "with_division": 6,
        "with_assets": 3,
        "assets": {"known": 3, "no facts of this filing": 2, "other currency: EUR": 1},
        "requests": 0,
    }
    assert json.loads(run("corpus", "enrich", "--corpus", corpus.path, "--again", "--json").out)["requests"] == 8


def test_failures_are_counted_and_named(tmp_path: Path, edgar: LocalEdgar, run: Callable) -> None:
    strangers = invented_filings(2012, 2, first=50, paragraphs=1)
    some = made(tmp_path / "some", (*FILINGS, *strangers))
    outcome = run("corpus", "enrich", "--corpus", some.path)
    assert outcome.code == 1
    assert "8 filings of 6 companies: complete 6, failed 2, without CIK 0 · 10 requests\n" in outcome.err
    assert outcome.err.endswith(
        f"why: {some.path / 'failures.jsonl'}; what EDGAR answered is asked for anew with --again only\n"
    )
    none = made(tmp_path / "none", strangers)
    assert run("corpus", "enrich", "--corpus", none.path).code == 2


def test_stats_say_how_many_filings_came_after_the_latest_call(
    tmp_path: Path, edgar: LocalEdgar, run: Callable
) -> None:
    corpus = made(tmp_path / "corpus", FILINGS[:4])
    said = f"2 of 6 filings are not enriched: they came later. Run `fingreat corpus enrich --corpus {corpus.path}`."
    run("corpus", "enrich", "--corpus", corpus.path)
    assert "are not enriched" not in run("corpus", "stats", "--corpus", corpus.path).err
    for one in FILINGS[4:]:
        path = tmp_path / f"{one.accession}.txt"
        path.write_bytes(full_submission(one))
        corpus.add([path])
    outcome = run("corpus", "stats", "--corpus", corpus.path, "--json")
    assert said in outcome.err
    assert said in json.loads(outcome.out)["missing"]
    run("corpus", "enrich", "--corpus", corpus.path)
    assert "are not enriched" not in run("corpus", "stats", "--corpus", corpus.path).err


def test_a_block_says_what_to_do_and_the_same_command_goes_on(corpus: Corpus, edgar: LocalEdgar, run: Callable) -> None:
    edgar.fail(threshold, spare=3)
    outcome = run("corpus", "enrich", "--corpus", corpus.path)
    assert outcome.code == 2
    assert "error: EDGAR: still refuses all requests, after 3 refusals in a row.\n" in outcome.err
    edgar.heal()
    edgar.log.clear()
    assert run("corpus", "enrich", "--corpus", corpus.path).code == 0
    assert edgar.log.count() == 5


def test_what_it_needs_is_said(tmp_path: Path, corpus: Corpus, run: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EDGAR_IDENTITY", raising=False)
    outcome = run("corpus", "enrich", "--corpus", corpus.path)
    assert outcome.code == 2
    assert "EDGAR wants to know who asks" in outcome.err
    outcome = run("corpus", "enrich", "--corpus", tmp_path / "no", "--identity", "Test Person test@university.example")
    assert outcome.code == 2
    assert "is no corpus folder (no filings.jsonl)." in outcome.err
    assert not (tmp_path / "no").exists()


def test_help_says_to_run_it_before_extract(run: Callable) -> None:
    text = " ".join(run("corpus", "enrich", "--help").out.split())
    assert "Run it before `extract`: prompts show company, form and dates, and where it completes these" in text


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_command_goes_on_and_asks_nothing_again(
    how: signal.Signals, tmp_path: Path, edgar: LocalEdgar, run: Callable
) -> None:
    filings = invented_filings(2012, 16, paragraphs=1)
    edgar.add(filings)
    corpus, whole = made(tmp_path / "one", filings), made(tmp_path / "two", filings)
    assert run("corpus", "enrich", "--corpus", whole.path).code == 0
    edgar.fail(delayed(0.2))
    edgar.log.clear()
    command = [sys.executable, "-m", "fingreat", "corpus", "enrich", "--corpus", str(corpus.path)]
    with subprocess.Popen(command, env=dict(os.environ), stderr=subprocess.PIPE, text=True) as process:
        assert edgar.log.wait_for(9, timeout=30)
        process.send_signal(how)
        _, errors = process.communicate(timeout=30)
    assert "Traceback" not in errors
    if how is signal.SIGKILL:
        assert process.returncode == -signal.SIGKILL
    else:
        assert process.returncode == 130
        assert errors.endswith("stopped. What was asked stays; repeat the command to go on.\n")
    edgar.heal()
    assert run("corpus", "enrich", "--corpus", corpus.path).code == 0
    assert (corpus.path / "filings.jsonl").read_bytes() == (whole.path / "filings.jsonl").read_bytes()
    counts = Counter(seen.path for seen in edgar.log.requests)
    assert len(counts) == 32
    # But for the four that were on their way.
    assert sum(count - 1 for count in counts.values()) <= 4
