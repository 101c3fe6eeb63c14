"""A run with vLLM killed at random moments, again and again, until it is through: its replies are those of one that
was left alone, to the letter.

Every part of it is a process of its own that runs the command line, one request at a time: what an answer is then
depends on nothing but its prompt.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from fingreat.pipeline import Corpus
from fingreat.runs import RunFolder, read_records
from fingreat.schema import Extraction, Reply

pytestmark = pytest.mark.torch
SEED = 20261010
OPTIONS = ["--mode=quote", "--guide=none", "--max-tokens=24", "--resend=0", "--no-trial", "--no-cache"]
ONE_AT_A_TIME = "format = 1\n[model.smollm2-135m-instruct.engine]\nmax_requests = 1\n"
COMPANIES = [
    "Alder",
    "Birch",
    "Cedar",
    "Dogwood",
    "Elm",
    "Fir",
    "Ginkgo",
    "Hazel",
    "Ivy",
    "Juniper",
    "Kapok",
    "Laurel",
    "Maple",
    "Nutmeg",
    "Oak",
    "Pine",
    "Quince",
    "Rowan",
    "Spruce",
    "Teak",
    "Umbrella",
    "Viburnum",
    "Willow",
    "Yew",
]
UNDER_WAY = 3
"""One runs, and two wait in the engine."""
LONGEST = 300
ANSWER = {"key", "state", "text", "finish_reason", "prompt_tokens", "output_tokens", "detail"}


def finished(out: Path) -> set[str]:
    """Keys of the replies that are whole on disk; the last line may be half of one."""
    part = out / "replies" / "part-00000.jsonl"
    lines = part.read_bytes().split(b"\n")[:-1] if part.exists() else []
    return {Reply.model_validate_json(line).key for line in lines}


def result(out: Path) -> tuple[list[Any], list[Any]]:
    """What a run found: its answers, and the passages in them with their places; without times and the run's name."""
    replies = read_records(RunFolder(out).replies, Reply)
    passages = read_records(RunFolder(out).extractions, Extraction)
    return (
        sorted((reply.model_dump(include=ANSWER) for reply in replies), key=lambda one: one["key"]),
        sorted((one.model_dump(exclude={"id", "run"}) for one in passages), key=repr),
    )


def run(command: list[str | Path], notes: Path, out: Path) -> list[str]:
    """A run that is left alone until it is through; the keys of the requests that its engine was given."""
    notes.write_text("")
    done = subprocess.run([*command, "--out", out], capture_output=True, text=True, timeout=LONGEST, check=False)
    # The exit status tells how many answers were whole, and none of so short ones is.
    assert RunFolder(out).manifest().status == "complete", done.stderr[-2000:]
    return notes.read_text().split()


def killed(command: list[str | Path], notes: Path, out: Path, replies: int, moment: float) -> list[str]:
    """A run that is killed a moment after so many new replies; the keys of the requests that its engine was given."""
    notes.write_text("")
    begun, before = time.perf_counter(), len(finished(out))
    with subprocess.Popen([*command, "--out", out], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        while process.poll() is None and len(finished(out)) < before + replies:
            assert time.perf_counter() - begun < LONGEST
            time.sleep(0.02)
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
        _, said = process.communicate()
    assert process.returncode == -signal.SIGKILL, said.decode()[-2000:]
    return notes.read_text().split()


def corpus_of(companies: Iterable[str], folder: Path) -> Corpus:
    """A short filing of every company. The model copies the company's name, so every answer is another one."""
    corpus = Corpus(folder / "corpus")
    for number, company in enumerate(companies, 11):
        file = folder / f"{company.lower()}.htm"
        file.write_text(
            "<html><body><p>FORM 10-K</p><p>For the fiscal year ended December 31, 2024</p>"
            f"<p>{company} Corporation</p><p>(Exact name of registrant as specified in its charter)</p>"
            "<p><b>Item 7. Management's Discussion and Analysis</b></p>"
            f"<p>Net sales rose {number}% to ${number + 84}.2 million, because prices rose and volumes did not. "
            f"We paid ${number + 3}.1 million in dividends from cash.</p>"
            f"<p><b>Item 8. Financial Statements</b></p><p>{'Balance. ' * 60}</p></body></html>"
        )
        corpus.add([file])
    corpus.make_sections("7")
    return corpus


@pytest.mark.parametrize(("kills", "requests"), [(1, 8), pytest.param(10, 24, marks=pytest.mark.prove)])
def test_a_run_killed_at_random_moments_ends_as_one_that_was_left_alone(
    kills: int, requests: int, model: Path, tmp_path: Path
) -> None:
    corpus = corpus_of(COMPANIES[:requests], tmp_path)
    alone, out, notes, models = (tmp_path / name for name in ("alone", "run", "notes.txt", "models.toml"))
    models.write_text(ONE_AT_A_TIME)
    command: list[str | Path] = [sys.executable, Path(__file__).with_name("killed_run.py"), notes, "extract", *OPTIONS]
    command += ["--corpus", corpus.path, "--model", f"vllm:{model}", "--models", models]
    asked = Counter(run(command, notes, alone))
    whole = finished(alone)
    assert len(whole) == requests
    assert asked == dict.fromkeys(whole, 1)

    chance = random.Random(SEED)
    asked, in_flight = Counter[str](), Counter[str]()
    for number in range(kills):
        done = finished(out)
        given = killed(command, notes, out, chance.randrange(4), chance.random() * 1.5)
        asked.update(given)
        in_flight.update(set(given) - finished(out))
        print(f"kill {number}: {len(given)} asked, {len(finished(out))} of {len(whole)} replies on disk")
        assert not set(given) & done
        assert len(set(given) - finished(out)) <= UNDER_WAY
    done = finished(out)
    assert 0 < len(done) < len(whole)
    written = (out / "replies" / "part-00000.jsonl").read_bytes().rpartition(b"\n")[0]

    last = run(command, notes, out)
    asked.update(last)
    texts = {reply.text for reply in read_records(RunFolder(out).replies, Reply)}
    assert len(texts) == requests  # Answers that are all alike would be equal whatever was asked.
    print(f"{asked.total()} asked for {len(whole)} replies, {in_flight.total()} of them in flight at a kill")
    print(f"{len(texts)} different texts")
    assert set(last) == whole - done
    # Once each, and once more for every kill at which it was in flight.
    assert asked == Counter(whole) + in_flight
    assert (out / "replies" / "part-00000.jsonl").read_bytes().startswith(written)
    assert RunFolder(out).verify() == []
    assert result(out) == result(alone)
