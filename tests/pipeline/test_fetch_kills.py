"""Kills and interrupts of `fingreat corpus fetch` in a process of its own: it goes on where it was."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fetch_builders import IDENTITY, as_served, everything, listed, raw_files
from servers.answers import delayed, dribbling, too_many
from servers.catalogue import LocalFiling
from servers.edgar import LocalEdgar
from servers.invented import invented_company, invented_filing, invented_filings
from servers.submission import full_submission

FEW = invented_filings(2003, 8)
SOON = 5.0
"""Seconds within which an interrupt must end the command, on a machine with much else to do."""
STOPPED = "stopped. What was fetched stays; repeat the command to go on.\n"


@pytest.fixture
def edgar() -> Iterator[LocalEdgar]:
    with LocalEdgar(FEW) as server:
        yield server


def start(edgar: LocalEdgar, corpus: Path, *arguments: str) -> subprocess.Popen[str]:
    """The command in a process of its own; its limit of requests and its patience are the real ones."""
    surroundings = {key: value for key, value in os.environ.items() if "proxy" not in key.lower()}
    return subprocess.Popen(
        [sys.executable, "-m", "fingreat", "corpus", "fetch", "--corpus", corpus, *arguments],
        env={**surroundings, "EDGAR_BASE_URL": edgar.base, "EDGAR_IDENTITY": IDENTITY},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def numbered(*filings: LocalFiling) -> list[str]:
    return [f"--accession={filing.accession}" for filing in filings]


def interrupted(process: subprocess.Popen[str], how: signal.Signals) -> str:
    """What it says when it is interrupted; it must end soon, with the status of an interrupt."""
    process.send_signal(how)
    before = time.monotonic()
    _, err = process.communicate(timeout=60)
    assert time.monotonic() - before < SOON
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert err.endswith(STOPPED)
    return err


def mixed(count: int) -> list[LocalFiling]:
    """Filings of one company and of others, of which one cannot be read and one is sent in by an agent."""
    half = count // 2
    own = [invented_filing(invented_company(91), 1994 + number % 15, number=number) for number in range(1, half + 1)]
    picture = invented_filings(2003, 1, first=92, variants=("unreadable",))
    by_agent = replace(invented_filing(invented_company(93), 2004), accession="0001193125-04-000007")
    others = invented_filings(2003, count - half - 2, paragraphs=60)
    return [*own, *picture, by_agent, *others]


def whole_on_disk(corpus: Path, served: dict[str, bytes]) -> set[str]:
    """Accession numbers of the files that are whole; under a filing's own name there may be no other file."""
    there = raw_files(corpus) if (corpus / "raw").is_dir() else {}
    named = {name: data for name, data in there.items() if not Path(name).name.startswith(".")}
    assert named.items() <= served.items()
    return {Path(name).stem for name in named}


def survives(folder: Path, count: int, kills: int, seed: int) -> list[int]:
    """Fetch with kills at random moments and compare with a fetch that had none; how many files each kill found."""
    drawn = random.Random(seed)
    filings = mixed(count)
    served = as_served(*filings)
    company, rest = filings[0].companies[0], [one for one in filings if one.companies[0].cik != "9900091"]
    names = ["--cik", company.cik, *numbered(*rest), "--accession=0009900001-03-999999", "--workers=1"]
    corpus, undisturbed = folder / "killed", folder / "undisturbed"
    found: list[int] = []
    there: set[str] = set()
    with LocalEdgar(filings) as edgar:
        # Answers take a while, so that kills fall into them.
        edgar.fail(dribbling(6000, 0.02))
        assert start(edgar, undisturbed, *names).wait(120) == 1
        while len(found) < kills:
            before = edgar.log.count()
            process = start(edgar, corpus, *names)
            # As many requests further as leave work for the kills to come, and then some.
            most = 2 * (len(filings) - len(there)) // (kills - len(found))
            further = drawn.randint(0, max(1, most)) if len(there) < len(filings) else 0
            edgar.log.wait_for(before + further, 20)
            time.sleep(drawn.uniform(0.0, 0.3 if further else 1.0))
            process.kill()
            process.communicate()
            asked = {Path(seen.path).stem for seen in edgar.log.requests[before:]}
            assert not asked & there
            there = whole_on_disk(corpus, served)
            # Towards the end one may have ended before it was killed.
            found += [len(there)] if process.returncode == -signal.SIGKILL else []
        before = edgar.log.count()
        assert start(edgar, corpus, *names).wait(120) == 1
        assert not {Path(seen.path).stem for seen in edgar.log.requests[before:]} & there
    assert raw_files(corpus) == served
    assert everything(corpus) == everything(undisturbed)
    assert len(listed(corpus)) == len(filings) - 1
    return found


def test_three_kills_leave_no_trace(tmp_path: Path) -> None:
    found = survives(tmp_path, 12, 3, seed=4)
    assert found == sorted(found)


@pytest.mark.prove
@pytest.mark.parametrize("seed", range(3))
def test_twenty_kills_leave_no_trace(tmp_path: Path, seed: int) -> None:
    found = survives(tmp_path, 60, 20, seed)
    assert found == sorted(found)
    # They fell all over the work.
    assert len(set(found)) >= 8


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_within_a_blocks_pause_ends_the_command_and_a_restart_waits_for_the_rest(
    tmp_path: Path, edgar: LocalEdgar, how: signal.Signals
) -> None:
    edgar.fail(too_many, spare=3)
    process = start(edgar, tmp_path, *numbered(*FEW))
    assert edgar.log.wait_for(4, 30)
    time.sleep(0.5)
    err = interrupted(process, how)
    assert len(re.findall(r"waiting until \d\d:\d\d, 10 minutes\.", err)) == 1
    assert len(raw_files(tmp_path)) == 3
    assert listed(tmp_path).keys() <= {one.accession for one in FEW}
    asked = edgar.log.count()
    process = start(edgar, tmp_path, *numbered(*FEW))
    time.sleep(2.5)
    err = interrupted(process, how)
    assert len(re.findall(r"EDGAR refused requests a while ago: waiting until \d\d:\d\d, 10 minutes\.", err)) == 1
    assert edgar.log.count() == asked


@pytest.mark.parametrize(("how", "workers"), [(signal.SIGINT, "2"), (signal.SIGTERM, "1")])
def test_an_interrupt_within_a_slow_answer_ends_the_command_and_lists_what_was_fetched(
    tmp_path: Path, edgar: LocalEdgar, how: signal.Signals, workers: str
) -> None:
    edgar.fail(delayed(50.0), lambda path: FEW[5].accession in path or FEW[7].accession in path)
    process = start(edgar, tmp_path, *numbered(*FEW), "--workers", workers)
    assert edgar.log.wait_for(8, 30)
    time.sleep(1.5)
    interrupted(process, how)
    # Other processes may hold filings that they have read; those are read again.
    names = list(listed(tmp_path))
    assert names == [one.accession for one in FEW[: 5 if workers == "1" else len(names)]]
    there = [one for number, one in enumerate(FEW) if number not in (5, 7)]
    assert raw_files(tmp_path) == as_served(*there)
    edgar.heal()
    edgar.log.clear()
    assert start(edgar, tmp_path, *numbered(*FEW)).wait(60) == 0
    assert {seen.path for seen in edgar.log.requests} == {edgar.path(FEW[5]), edgar.path(FEW[7])}
    assert list(listed(tmp_path)) == [one.accession for one in FEW]
    assert raw_files(tmp_path) == as_served(*FEW)


def test_an_interrupt_while_a_company_is_looked_up_ends_the_command(tmp_path: Path, edgar: LocalEdgar) -> None:
    edgar.fail(delayed(50.0))
    process = start(edgar, tmp_path, "--cik", FEW[0].companies[0].cik)
    assert edgar.log.wait_for(1, 30)
    interrupted(process, signal.SIGINT)
    edgar.heal()
    assert start(edgar, tmp_path, "--cik", FEW[0].companies[0].cik).wait(60) == 0
    assert (tmp_path / "raw" / FEW[0].accession / f"{FEW[0].accession}.txt").read_bytes() == full_submission(FEW[0])
