"""Faults of the line and of EDGAR through the whole command: a whole file, or a failure with its reason."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from fetch_command import as_served, raw_files, set_up, summary
from servers.answers import (
    Answer,
    Fault,
    block_page,
    broken,
    cut,
    cut_chunked,
    delayed,
    denied,
    dribbling,
    edited,
    forbidden,
    in_chunks,
    instead,
    missing,
    redirected,
    reset,
    shortened,
    threshold,
    too_many,
    typed,
    unavailable,
    undeclared,
)
from servers.edgar import LocalEdgar
from servers.invented import invented_filings
from servers.submission import full_submission

PAUSE = 0.3
FILINGS = (*invented_filings(2003, 3), *invented_filings(1997, 2, first=11))
NUMBERS = [filing.accession for filing in FILINGS]
NAMED = [f"--accession={number}" for number in NUMBERS]
SPOILED = FILINGS[1]
OTHERS = [filing for filing in FILINGS if filing is not SPOILED]
LENGTH = len(full_submission(SPOILED))


@pytest.fixture(scope="module")
def serving() -> Iterator[LocalEdgar]:
    with LocalEdgar(FILINGS) as server:
        yield server


@pytest.fixture
def edgar(serving: LocalEdgar, monkeypatch: pytest.MonkeyPatch) -> LocalEdgar:
    serving.heal()
    serving.log.clear()
    set_up(monkeypatch, serving, pause=PAUSE)
    return serving


def longer(answer: Answer) -> Answer:
    """A Content-Length that speaks of more than comes."""
    return Answer(200, answer.body, answer.type, (("Content-Length", str(len(answer.body) + 100)),), chunked=True)


PASSING = {
    "503 twice": (unavailable, 2),
    "500 twice": (broken, 2),
    "reset before the answer": (reset(), 2),
    "reset within the answer": (reset(0.5), 2),
    "cut": (cut(0.5), 2),
    "cut to its head": (cut(0.01), 2),
    "cut at its last byte": (cut(1 - 1 / LENGTH), 2),
    "cut in chunks": (cut_chunked(0.7), 2),
    "cut, with a length that agrees": (shortened(0.5), 2),
    "a length that is too large": (longer, 2),
    "empty": (instead(Answer(200, b"")), 2),
    "another filing": (edited(lambda body: full_submission(FILINGS[0])), 2),
    "JSON": (typed("application/json"), 2),
    "a page of a proxy": (instead(Answer(200, b"<html><body>Please log in.</body></html>", "text/html")), 2),
    "late": (delayed(3.0), 1),
    "stuck": (dribbling(LENGTH // 8, 2.0), 1),
}
"""What passes, and how often it comes."""
HARMLESS = {"in chunks": in_chunks, "in small pieces": dribbling(4000, 0.001), "no type": typed("")}
BLOCKS = {"429": too_many, "threshold": threshold, "undeclared": undeclared, "threshold under 200": block_page}


def fetch_all(run: Callable, corpus: Path, code: int = 0) -> dict[str, int]:
    """Run the command, and check that what it prints, its JSON and the manifest tell the same and add up."""
    outcome = run("corpus", "fetch", "--corpus", corpus, *NAMED, "--workers", "1", "--json")
    assert outcome.code == code, outcome.err
    counts = json.loads(outcome.out)
    assert counts["asked"] == counts["fetched"] + counts["already_there"] + counts["failed"] == len(NUMBERS)
    assert summary(outcome.err).items() <= counts.items()
    # The same selection all the time: what was fetched adds up over its calls.
    (call,) = json.loads((corpus / "manifest.json").read_bytes())["stages"]["fetch"]["calls"]
    assert call["names"] == NUMBERS
    assert {key: call["counts"][key] for key in ("asked", "failed")} == {
        "asked": len(NUMBERS),
        "failed": counts["failed"],
    }
    assert call["counts"]["fetched"] == len(NUMBERS) - counts["failed"] - call["counts"]["already_there"]
    failures = [json.loads(line) for line in (corpus / "failures.jsonl").read_bytes().splitlines()]
    assert len(failures) == counts["failed"]
    lines = (corpus / "filings.jsonl").read_bytes().splitlines()
    assert len(lines) == counts["fetched"] + counts["already_there"]
    # Nothing half, nothing else, also under a name of its own.
    assert set(raw_files(corpus)) == {f"{number}/{number}.txt" for number in map(_id, lines)}
    return {**counts, **{failure["id"]: failure for failure in failures}}


def _id(line: bytes) -> str:
    return json.loads(line)["id"]


@pytest.mark.parametrize("name", list(PASSING))
def test_what_passes_costs_another_try_and_nothing_else(
    tmp_path: Path, edgar: LocalEdgar, run: Callable, name: str
) -> None:
    fault, times = PASSING[name]
    edgar.fail(fault, edgar.path(SPOILED), times=times)
    counts = fetch_all(run, tmp_path / "corpus")
    assert counts["fetched"] == len(FILINGS)
    assert raw_files(tmp_path / "corpus") == as_served(*FILINGS)
    assert edgar.log.count(edgar.path(SPOILED)) == times + 1
    assert counts["requests"] == edgar.log.count() == len(FILINGS) + times


@pytest.mark.parametrize("name", list(PASSING))
def test_what_does_not_pass_is_a_failure_and_the_next_call_fetches_it(
    tmp_path: Path, edgar: LocalEdgar, run: Callable, name: str
) -> None:
    edgar.fail(PASSING[name][0], edgar.path(SPOILED))
    counts = fetch_all(run, tmp_path / "corpus", 1)
    assert (counts["fetched"], counts["failed"]) == (len(FILINGS) - 1, 1)
    assert counts[SPOILED.accession]["state"] == "not_fetched"
    assert "tried 3 times" in counts[SPOILED.accession]["reason"]
    assert raw_files(tmp_path / "corpus") == as_served(*OTHERS)
    edgar.heal()
    edgar.log.clear()
    counts = fetch_all(run, tmp_path / "corpus")
    assert (counts["fetched"], counts["already_there"], counts["requests"]) == (1, len(FILINGS) - 1, 1)
    assert raw_files(tmp_path / "corpus") == as_served(*FILINGS)


@pytest.mark.parametrize("name", list(HARMLESS))
def test_what_is_odd_but_whole_is_taken(tmp_path: Path, edgar: LocalEdgar, run: Callable, name: str) -> None:
    edgar.fail(HARMLESS[name])
    assert fetch_all(run, tmp_path / "corpus")["requests"] == len(FILINGS)
    assert raw_files(tmp_path / "corpus") == as_served(*FILINGS)


@pytest.mark.parametrize("name", list(BLOCKS))
def test_after_a_block_everything_waits_and_then_all_is_fetched(
    tmp_path: Path, edgar: LocalEdgar, run: Callable, name: str
) -> None:
    edgar.fail(BLOCKS[name], times=1)
    counts = fetch_all(run, tmp_path / "corpus")
    assert counts["fetched"] == len(FILINGS)
    assert raw_files(tmp_path / "corpus") == as_served(*FILINGS)
    # Others may have been on their way; after them nothing for the whole pause.
    arrivals = edgar.log.arrivals()
    assert max(after - before for before, after in pairwise(arrivals)) >= PAUSE * 0.9


@pytest.mark.parametrize("name", list(BLOCKS))
def test_a_block_that_goes_on_ends_the_command_and_the_next_call_goes_on(
    tmp_path: Path, edgar: LocalEdgar, run: Callable, name: str
) -> None:
    corpus = tmp_path / "corpus"
    edgar.fail(BLOCKS[name], spare=2)
    outcome = run("corpus", "fetch", "--corpus", corpus, *NAMED)
    assert outcome.code == 2
    assert "error: EDGAR: still refuses all requests, after 3 refusals in a row." in outcome.err
    assert "What was fetched stays; repeat the command to go on." in outcome.err
    assert "Traceback" not in outcome.err
    there = raw_files(corpus)
    assert there.items() <= as_served(*FILINGS).items()
    assert len(there) == 2
    edgar.heal()
    time.sleep(PAUSE)
    edgar.log.clear()
    assert fetch_all(run, corpus)["already_there"] == 2
    assert raw_files(corpus) == as_served(*FILINGS)
    assert edgar.log.count() == len(FILINGS) - 2


@pytest.mark.parametrize(
    ("fault", "state", "reason"),
    [
        (missing, "not_found", "EDGAR does not have it, neither under CIK"),
        (denied, "not_found", "nor in the indexes of its year and the next"),
        (forbidden, "refused", "EDGAR refuses this file: status 403"),
        (redirected("http://127.0.0.1:1/elsewhere"), "refused", "redirects are not followed"),
    ],
)
def test_what_is_refused_is_not_asked_for_again_and_again(
    tmp_path: Path, edgar: LocalEdgar, run: Callable, fault: Fault, state: str, reason: str
) -> None:
    edgar.fail(fault, edgar.path(SPOILED))
    counts = fetch_all(run, tmp_path / "corpus", 1)
    assert counts[SPOILED.accession]["state"] == state
    assert reason in counts[SPOILED.accession]["reason"]
    assert edgar.log.count(edgar.path(SPOILED)) == 1
    assert raw_files(tmp_path / "corpus") == as_served(*OTHERS)


def test_where_everything_fails_nothing_is_done(tmp_path: Path, edgar: LocalEdgar, run: Callable) -> None:
    edgar.fail(unavailable)
    assert fetch_all(run, tmp_path / "corpus", 2)["failed"] == len(FILINGS)
    assert raw_files(tmp_path / "corpus") == {}
