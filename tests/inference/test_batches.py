from __future__ import annotations

import json
import logging
import tracemalloc
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import pytest
from batch_runs import asked, quick
from reply_builders import request

from fingreat.errors import BackendError, StorageError
from fingreat.inference import RawReply
from fingreat.inference.hosted import batches
from fingreat.inference.hosted.batch_api import Look
from fingreat.inference.hosted.batch_notes import BatchNote, BatchNotes
from fingreat.inference.hosted.batches import Waits, answer_batched
from fingreat.inference.hosted.online import TryLater
from fingreat.runs import read_records
from fingreat.schema import Request

pytestmark = pytest.mark.usefixtures("quick")
__all__ = ["quick"]


class Killed(BaseException):
    """The process dies here."""


class Desk:
    """A provider in memory, which outlives the process that talks to it.

    Attributes:
        batches: id to its name and the ids in it.
        step: called at every step; a test dies in it.
    """

    most_requests = 2
    most_bytes = 1_000_000
    provider = "Memory"

    def __init__(self, *, by_name: bool = True) -> None:
        self.by_name = by_name
        self.batches: dict[str, tuple[str, list[str]]] = {}
        self.looks: Counter[str] = Counter()
        self.step: Callable[[], None] = lambda: None

    def line(self, request: Request) -> bytes:
        return json.dumps(request.key).encode() + b"\n"

    def send(self, name: str, file: IO[bytes]) -> str:
        self.step()
        batch_id = f"batch-{len(self.batches)}"
        self.batches[batch_id] = (name, [json.loads(line) for line in file])
        self.step()
        return batch_id

    def find(self, name: str, size: int, since: datetime) -> list[str]:
        self.step()
        if self.by_name:
            return [batch_id for batch_id, (one, _) in self.batches.items() if one == name]
        return [batch_id for batch_id, (_, keys) in self.batches.items() if len(keys) == size]

    def look(self, batch_id: str) -> Look:
        self.step()
        self.looks[batch_id] += 1
        return Look(ended=self.looks[batch_id] > 1)

    def fetch(self, batch_id: str, file: IO[bytes]) -> None:
        self.step()
        file.write(b"".join(json.dumps([key, f"to {key}"]).encode() + b"\n" for key in self.batches[batch_id][1]))
        self.step()

    def read(self, line: Mapping[str, Any]) -> tuple[str, RawReply]:
        self.step()
        key, text = line
        return key, RawReply(text=text)

    def close(self) -> None:
        pass

    def asked(self) -> Counter[str]:
        return Counter(key for name, keys in self.batches.values() if name != "somebody else's" for key in keys)


def finish(desk: Desk, requests: list[Request], folder: Path, done: dict[str, str]) -> None:
    """What the ask loop does: ask what has no reply, and keep each reply."""
    left = [request for request in requests if request.key not in done]
    for one, reply in answer_batched(desk, iter(left), folder):
        assert one.key not in done
        desk.step()
        done[one.key] = reply.text
        desk.step()


def dies_at(number: int) -> Callable[[], None]:
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1
        if steps == number:
            raise Killed

    return step


@pytest.mark.parametrize("by_name", [True, False])
def test_a_death_at_any_step_sends_nothing_twice_and_loses_no_reply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, by_name: bool
) -> None:
    monkeypatch.setattr(batches, "WAITS", Waits(first=0, factor=1, longest=0, settle=0))
    requests, number, alive = asked(5), 0, False
    while not alive:
        number += 1
        desk, done, folder = Desk(by_name=by_name), {}, tmp_path / str(number)
        if not by_name:
            desk.batches["foreign"] = ("somebody else's", ["req-a", "req-b"])
        desk.step = dies_at(number)
        try:
            finish(desk, requests, folder, done)
            alive = True
        except Killed:
            desk.step = lambda: None
            finish(desk, requests, folder, done)
        assert done == {request.key: f"to {request.key}" for request in requests}
        assert desk.asked() == Counter(request.key for request in requests)
    # Three batches, with several steps each and four for every reply: the loop ran through all of them.
    assert number > 25


def test_a_batch_of_the_same_size_that_is_somebody_elses_is_left_alone(tmp_path: Path) -> None:
    desk, requests, done = Desk(by_name=False), asked(2), {}
    desk.step = dies_at(1)
    with pytest.raises(Killed):
        finish(desk, requests, tmp_path, done)
    desk.step = lambda: None
    desk.batches["foreign"] = ("somebody else's", ["req-a", "req-b"])
    finish(desk, requests, tmp_path, done)
    assert done == {request.key: f"to {request.key}" for request in requests}
    assert desk.asked() == Counter(request.key for request in requests)


def test_requests_that_came_later_go_in_a_batch_of_their_own(tmp_path: Path) -> None:
    desk, done = Desk(), {}
    desk.step = dies_at(3)
    with pytest.raises(Killed):
        finish(desk, asked(2), tmp_path, done)
    desk.step = lambda: None
    finish(desk, asked(3), tmp_path, done)
    assert [len(keys) for _, keys in desk.batches.values()] == [2, 1]
    assert len(done) == 3


def test_a_batch_is_noted_before_it_is_sent(tmp_path: Path) -> None:
    desk = Desk()
    desk.step = dies_at(1)
    with pytest.raises(Killed):
        finish(desk, asked(2), tmp_path, {})
    (note,) = read_records(tmp_path, BatchNote)
    assert (note.step, note.keys) == ("planned", tuple(request.key for request in asked(2)))


def test_a_provider_may_still_be_taking_a_batch_of_a_dead_process_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "WAITS", Waits(first=0, factor=1, longest=0, settle=60))
    desk, requests, done = Desk(), asked(2), {}
    with BatchNotes(tmp_path, "Memory") as notes:
        name = notes.plan([request.key for request in requests]).name
    waited: list[float] = []

    def arrives(seconds: float) -> None:
        waited.append(seconds)
        desk.batches["late"] = (name, [request.key for request in requests])

    monkeypatch.setattr(batches.time, "sleep", arrives)
    finish(desk, requests, tmp_path, done)
    assert 50 < waited[0] <= 60
    assert desk.asked() == Counter(request.key for request in requests)


def test_ctrl_c_while_waiting_says_that_the_batches_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    desk = Desk()
    monkeypatch.setattr(batches.time, "sleep", interrupted)
    with pytest.raises(KeyboardInterrupt), caplog.at_level(logging.WARNING):
        finish(desk, asked(3), tmp_path, {})
    assert "2 batches go on at Memory; the same command takes the replies." in caplog.text


def test_no_requests_send_nothing_and_ask_nobody(tmp_path: Path) -> None:
    desk = Desk()
    desk.step = dies_at(1)
    finish(desk, [], tmp_path, {})
    assert desk.batches == {}


def test_a_disk_that_refuses_the_note_lets_nothing_be_sent(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("a file where the folder should be")
    desk = Desk()
    with pytest.raises(StorageError):
        finish(desk, asked(1), tmp_path / "notes", {})
    assert desk.batches == {}


def test_waits_grow_while_nothing_ends_and_start_over_when_a_batch_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(Desk):
        most_requests = 1
        needed: Mapping[str, int] = {"batch-0": 3, "batch-1": 5}

        def look(self, batch_id: str) -> Look:
            self.looks[batch_id] += 1
            return Look(ended=self.looks[batch_id] > self.needed[batch_id])

    waited: list[float] = []
    monkeypatch.setattr(batches, "WAITS", Waits(first=10, factor=2, longest=30, settle=0))
    monkeypatch.setattr(batches.time, "sleep", waited.append)
    finish(Slow(), asked(2), tmp_path, {})
    # Looks 1 to 3 find nothing; the first batch ends at the fourth, and one more look finds the second still at it.
    assert waited == [20, 30, 30, 10, 20]


def test_what_waits_is_said_when_it_changes_and_not_at_every_look(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Slow(Desk):
        needed: Mapping[str, int] = {"batch-0": 3, "batch-1": 5}

        def look(self, batch_id: str) -> Look:
            self.looks[batch_id] += 1
            return Look(ended=self.looks[batch_id] > self.needed[batch_id])

    begun = datetime.now().astimezone()
    with caplog.at_level(logging.INFO):
        finish(Slow(), asked(3), tmp_path, {})
    said = [message.rpartition(" ")[0] for message in caplog.messages]
    assert said == ["2 batches with 3 requests at Memory, begun", "1 batch of 1 request at Memory, begun"]
    minutes = {f"{begun:%H:%M}", f"{datetime.now().astimezone():%H:%M}"}
    assert {message.rpartition(" ")[2] for message in caplog.messages} <= minutes


def test_a_batch_of_another_day_is_said_with_its_day(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (one,) = asked(1)
    note = {"name": "old", "step": "planned", "at": "2026-11-01T12:00:00Z", "provider": "Memory", "keys": [one.key]}
    (tmp_path / "part-00000.jsonl").write_text(json.dumps(note) + "\n")
    desk = Desk()
    desk.batches["batch-0"] = ("old", [one.key])
    with caplog.at_level(logging.INFO):
        finish(desk, [one], tmp_path, {})
    assert "begun 2026-11-01 " in caplog.text


def test_a_provider_out_of_reach_is_asked_again_until_patience_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Away(Desk):
        def look(self, batch_id: str) -> Look:
            raise TryLater("no route to host")

    clock = [0.0]
    monkeypatch.setattr(batches.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(batches.time, "sleep", lambda seconds: clock.__setitem__(0, clock[0] + seconds))
    monkeypatch.setattr(batches, "WAITS", Waits(patience=3600))
    with (
        caplog.at_level(logging.INFO),
        pytest.raises(BackendError, match="gave no answer for 60 minutes: no route to host"),
    ):
        finish(Away(), asked(1), tmp_path, {})
    assert caplog.messages[:2] == [
        "Memory: no route to host; asked again in 10 s",
        "Memory: no route to host; asked again in 15 s",
    ]
    assert clock[0] > 3600


def test_requests_under_way_are_kept_on_disk_and_leave_nothing_behind(tmp_path: Path) -> None:
    finish(Desk(), asked(4), tmp_path, {})
    assert [path.name for path in tmp_path.iterdir()] == ["part-00000.jsonl"]
    steps = Counter(note.step for note in read_records(tmp_path, BatchNote))
    assert steps == {"planned": 2, "sent": 2, "closed": 2}
    assert all(note.at.tzinfo == UTC for note in read_records(tmp_path, BatchNote))


def test_memory_holds_no_texts_while_batches_run(tmp_path: Path) -> None:
    class Watched(Desk):
        most_requests = 200
        peak = 0

        def look(self, batch_id: str) -> Look:
            self.peak = max(self.peak, tracemalloc.get_traced_memory()[0])
            return Look(ended=True)

    desk, small = Watched(), request()
    texts = (f"{number} {'x' * 20_000}" for number in range(1000))
    requests = (small.model_copy(update={"key": f"req-{text[:4]}", "segments": (text,)}) for text in texts)
    tracemalloc.start()
    try:
        answered = sum(1 for _ in answer_batched(desk, requests, tmp_path))
    finally:
        tracemalloc.stop()
    assert answered == 1000
    # The texts alone are 20 MB.
    assert desk.peak < 2_000_000
