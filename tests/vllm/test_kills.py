"""A run with vLLM killed at random moments, again and again, until it is through."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from killed_run import SETTINGS, noting

from fingreat.inference import Backend
from fingreat.pipeline import Corpus, ExtractConfig, extract
from fingreat.runs import RunFolder, read_records
from fingreat.schema import Reply, ReplyState

pytestmark = [pytest.mark.torch, pytest.mark.prove]
KILLS, SEED = 10, 20261010
LONGEST_START = 300


@pytest.fixture
def noted(vllm: Any, tmp_path: Path) -> Iterator[Backend]:
    """The engine of all tests, which notes what it is given for a while."""
    kept = vllm._add
    vllm.is_language_model = False
    yield noting(vllm, tmp_path / "notes.txt")
    vllm._add = kept
    del vllm.is_language_model


def finished(out: Path) -> set[str]:
    """Keys of the replies that are whole on disk; the last line may be half of one."""
    part = out / "replies" / "part-00000.jsonl"
    lines = part.read_bytes().split(b"\n")[:-1] if part.exists() else []
    return {Reply.model_validate_json(line).key for line in lines}


def killed(command: list[str], out: Path, replies: int, moment: float) -> None:
    """Start a run, wait for so many new replies and a moment longer, and kill it; it may be through before."""
    begun, before = time.perf_counter(), len(finished(out))
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        while process.poll() is None and len(finished(out)) < before + replies:
            assert time.perf_counter() - begun < LONGEST_START
            time.sleep(0.02)
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
        _, said = process.communicate()
    assert process.returncode in (0, -signal.SIGKILL), said.decode()[-2000:]


def test_a_run_killed_at_ten_random_moments_ends_as_one_that_was_left_alone(
    corpus: Corpus, vllm: Any, noted: Backend, model: Path, tmp_path: Path
) -> None:
    config = ExtractConfig(model=f"vllm:{model}", **SETTINGS)
    alone, out, notes = tmp_path / "alone", tmp_path / "run", tmp_path / "notes.txt"
    extract(corpus, config, alone, backend=noted)
    whole = {reply.key: reply for reply in read_records(RunFolder(alone).replies, Reply)}
    assert Counter(notes.read_text().split()) == dict.fromkeys(whole, 1)

    places = [Path(__file__).with_name("killed_run.py"), model, corpus.path, out, notes]
    command = [sys.executable, *map(str, places)]
    chance = random.Random(SEED)
    asked: Counter[str] = Counter()
    for number in range(KILLS):
        notes.write_text("")
        done = finished(out)
        killed(
            [*command, str(model), str(corpus.path), str(out), str(notes)],
            out,
            chance.randrange(4),
            chance.random() * 1.5,
        )
        given = notes.read_text().split()
        print(f"kill {number}: {len(given)} asked, {len(finished(out))} of {len(whole)} replies on disk")
        assert not set(given) & done
        assert len(given) == len(set(given))
        # What has no reply yet was in flight.
        assert len(set(given) - finished(out)) <= vllm._under_way
        asked.update(given)

    notes.write_text("")
    done = finished(out)
    manifest = extract(corpus, config, out, backend=noted)
    last = notes.read_text().split()
    assert set(last) == set(whole) - done
    replies = {reply.key: reply for reply in read_records(RunFolder(out).replies, Reply)}
    assert manifest.status == "complete"
    assert RunFolder(out).verify() == []
    assert set(replies) == set(whole)
    assert {key: reply.prompt_tokens for key, reply in replies.items()} == {
        key: reply.prompt_tokens for key, reply in whole.items()
    }
    assert all(reply.state is not ReplyState.ERROR for reply in replies.values())
    # Rounding depends on which requests share a step, so answers of a weak model may part ways somewhere.
    same = sum(replies[key].text == whole[key].text for key in replies)
    asked.update(last)
    print(f"{sum(asked.values())} asked for {len(whole)} replies, equal to the letter: {same}")
    assert same * 3 >= len(replies)
