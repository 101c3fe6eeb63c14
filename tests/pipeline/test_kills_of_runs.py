"""kill -9 at random moments of a run whose replies come back damaged: the end is that of an uninterrupted run."""

from __future__ import annotations

import os
import random
import signal
import time
import traceback
from collections import Counter
from pathlib import Path

import pytest
from pipeline_builders import (
    CONFIG,
    Counting,
    assert_counts_add_up,
    corpus_of,
    extraction_bytes,
    first_sentence,
    replies_of_run,
    reply,
    submission,
)

import fingreat.runs.manifest as manifest_module
from fingreat.inference import RawReply
from fingreat.inference.cache import ReplyCache
from fingreat.pipeline import AskOptions, Corpus, extract
from fingreat.runs import RunFolder
from fingreat.schema import Request

KILLED = -signal.SIGKILL
SETTINGS = CONFIG.model_copy(update={"tokens": 64})
WAIT = 0.003


def damaging(request: Request) -> RawReply:
    """A model that always answers a request in the same way, and damages three quarters of what it says."""
    turn = int(request.key[-4:], 16) % 4
    quotes = [text for segment in request.segments if (text := segment.strip()).startswith("Net")]
    if turn == 0:
        return RawReply(text="Sales rose.", finish_reason="stop")
    if turn == 1 and quotes:
        whole = reply((quotes[0], "REV", "NNCA")).removesuffix("]}")
        return RawReply(text=whole + ', {"quote": "Net', finish_reason="length")
    if turn == 2:
        return RawReply(text='{"extractions": [' + "\n" * 400, finish_reason="length")
    return first_sentence(request)


class Noting(Counting):
    """Notes every request that it is asked in a file of its own, before it answers: a killed process tells nothing."""

    def __init__(self, asked: Path) -> None:
        def respond(request: Request) -> RawReply:
            with asked.open("a") as file:
                file.write(request.key + "\n")
            time.sleep(WAIT)
            return damaging(request)

        super().__init__(respond)


class Language(Noting):
    """The same, taken for a language model, whose replies are cached."""

    is_language_model = True


@pytest.fixture(scope="module", autouse=True)
def same_environment() -> object:
    """Asked once: git and the driver take longer than these small runs."""
    code, environment = manifest_module.our_code(), manifest_module.environment()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_module, "our_code", lambda: code)
        patch.setattr(manifest_module, "environment", lambda: environment)
        yield


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    filings = {f"f{n}": submission(f"000000000{n}-24-000001", company=f"COMPANY {n}") for n in range(3)}
    return corpus_of(tmp_path_factory.mktemp("kills"), **filings)


@pytest.fixture(scope="module")
def whole(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing interrupted, with rounds that ask again."""
    out = tmp_path_factory.mktemp("whole") / "run"
    manifest = extract(corpus, SETTINGS, out, backend=Counting(damaging))
    assert_counts_add_up(manifest, out)
    assert manifest.counts["resent"] > 10
    assert manifest.counts["healed"] > 2
    assert manifest.counts["failures"] > 2
    return out


def seconds_of(corpus: Corpus, folder: Path) -> float:
    """How long a run takes in a process of its own that nobody kills."""
    start = time.perf_counter()
    assert run_and_kill(corpus, folder / "run", Noting(folder / "asked"), None) == 0
    return time.perf_counter() - start


def run_and_kill(
    corpus: Corpus, out: Path, model: Counting, after: float | None, options: AskOptions | None = None
) -> int:
    """Run in a child process, killed after so many seconds; how it ended."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            extract(corpus, SETTINGS, out, backend=model)
            status = 0
        finally:
            if status:
                traceback.print_exc()
            os._exit(status)
    if after is not None:
        time.sleep(after)
        os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def assert_goes_on(corpus: Corpus, folder: Path, whole: Path) -> None:
    """Go on without a kill: the end is that of the uninterrupted run, and every request was asked once, but for those
    that were in flight when the process died."""
    out, asked = folder / "run", folder / "asked"
    before = Counter(asked.read_text().splitlines()) if asked.exists() else Counter[str]()
    answered = set(replies_of_run(out)) if (out / "replies").is_dir() else set()
    # One request at a time is in flight.
    assert len(before.keys() - answered) <= 1
    assert set(before.values()) <= {1}
    model = Counting(damaging)
    manifest = extract(corpus, SETTINGS, out, backend=model)
    assert_counts_add_up(manifest, out)
    assert replies_of_run(out) == replies_of_run(whole)
    assert extraction_bytes(out) == extraction_bytes(whole)
    assert (out / "failures.jsonl").read_bytes() == (whole / "failures.jsonl").read_bytes()
    expected = RunFolder(whole).manifest().counts
    assert {n: c for n, c in manifest.counts.items() if "second" not in n} == {
        n: c for n, c in expected.items() if "second" not in n
    }
    assert set(model.asked.values()) <= {1}
    assert not model.asked.keys() & answered
    assert before.keys() | model.asked.keys() == replies_of_run(whole).keys()


def kills(number: int, seed: int, corpus: Corpus, whole: Path, folder: Path) -> int:
    """So many runs, each killed at a random moment and gone on with; how many died of it."""
    folder.mkdir()
    longest = seconds_of(corpus, folder)
    chance, died = random.Random(seed), 0
    for turn in range(number):
        place = folder / str(turn)
        place.mkdir()
        ended = run_and_kill(corpus, place / "run", Noting(place / "asked"), chance.uniform(0, longest))
        assert ended in (KILLED, 0)
        died += ended == KILLED
        assert_goes_on(corpus, place, whole)
    return died


def test_runs_killed_at_random_moments_end_as_if_nothing_had_happened(
    corpus: Corpus, whole: Path, tmp_path: Path
) -> None:
    assert kills(5, 20261010, corpus, whole, tmp_path / "kills") >= 2


@pytest.mark.prove
def test_fifty_kills_at_random_moments(corpus: Corpus, whole: Path, tmp_path: Path) -> None:
    assert kills(50, 7, corpus, whole, tmp_path / "kills") > 30


def test_one_run_killed_again_and_again_asks_each_request_once_but_for_one_per_kill(
    corpus: Corpus, whole: Path, tmp_path: Path
) -> None:
    out, asked, died = tmp_path / "run", tmp_path / "asked", 0
    (tmp_path / "timed").mkdir()
    longest = seconds_of(corpus, tmp_path / "timed")
    chance = random.Random(3)
    while died < 20 and run_and_kill(corpus, out, Noting(asked), chance.uniform(0.3, 0.9) * longest) == KILLED:
        died += 1
    requests = len(replies_of_run(whole))
    extract(corpus, SETTINGS, out, backend=Noting(asked))
    assert requests <= asked.read_text().count("\n") <= requests + died
    assert replies_of_run(out) == replies_of_run(whole)
    assert extraction_bytes(out) == extraction_bytes(whole)


def test_a_killed_run_and_another_one_share_the_cache(corpus: Corpus, whole: Path, tmp_path: Path) -> None:
    cached = tmp_path / "replies.sqlite"
    with ReplyCache(cached):
        pass
    asked = tmp_path / "asked"

    pid = os.fork()
    if pid == 0:
        with ReplyCache(cached) as cache:
            extract(
                corpus, SETTINGS, tmp_path / "a", backend=Language(asked), options=AskOptions(cache=cache, trial=False)
            )
        os._exit(1)
    while not asked.exists() or asked.read_text().count("\n") < 12:
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    before = set(asked.read_text().split())
    with ReplyCache(cached) as cache:
        second = Language(tmp_path / "more")
        extract(corpus, SETTINGS, tmp_path / "b", backend=second, options=AskOptions(cache=cache, trial=False))
    # The one that was in flight is asked again, and no other.
    assert len(before & second.asked.keys()) <= 1
    assert {key: state for key, (state, _) in replies_of_run(tmp_path / "b").items()} == {
        key: state for key, (state, _) in replies_of_run(whole).items()
    }
