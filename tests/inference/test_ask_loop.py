"""Every request ends with one reply on disk, whatever the back end and the disk do; calls are counted by hand."""

from __future__ import annotations

import errno
import io
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from asked_backend import ANSWER, BUSY, FAILED, Asked, replies, requests
from reply_builders import judge, quoted, raw, reply_of, request

from fingreat.errors import BackendError, StorageError
from fingreat.inference import RawReply, ask, is_finished, reply_log
from fingreat.inference.scripted import ScriptedBackend
from fingreat.schema import Reply, ReplyState, Request


def run(folder: Path, asked: Iterable[Request], backend: Any) -> dict[str, Reply]:
    """One call, as one process would make it; the replies that are on disk after it."""
    with reply_log(folder) as log:
        ask(asked, backend, judge(), log)
    return replies(folder)


def test_every_request_gets_one_reply_and_is_not_asked_again(tmp_path: Path) -> None:
    asked, backend = requests(5), Asked(lambda one, times: ANSWER)
    found = run(tmp_path, asked, backend)
    assert set(found) == {one.key for one in asked}
    assert all(reply.state is ReplyState.OK and reply.attempts == 1 for reply in found.values())
    before = (tmp_path / "part-00000.jsonl").read_bytes()
    assert before.count(b"\n") == 5
    run(tmp_path, asked, backend)
    assert backend.count == Counter(one.key for one in asked)
    assert (tmp_path / "part-00000.jsonl").read_bytes() == before


def test_what_the_engine_counted_is_written(tmp_path: Path) -> None:
    reply = RawReply(
        text="hm",
        finish_reason="stop",
        prompt_tokens=60,
        cached_tokens=50,
        output_tokens=4,
        reasoning_tokens=1,
        seconds=1.5,
        cost_usd=0.25,
    )
    (found,) = run(tmp_path, requests(1), Asked(lambda one, times: reply)).values()
    assert found == Reply(
        key=requests(1)[0].key,
        state=ReplyState.INVALID_JSON,
        text="hm",
        finish_reason="stop",
        prompt_tokens=60,
        cached_tokens=50,
        output_tokens=4,
        reasoning_tokens=1,
        seconds=1.5,
        cost_usd=0.25,
        detail="no JSON object",
    )


def test_a_reply_in_the_reasoning_field_is_written_where_the_text_is_blank(tmp_path: Path) -> None:
    reply = RawReply(text="\n\n", reasoning=reply_of(quoted()), finish_reason="stop")
    (found,) = run(tmp_path, requests(1), Asked(lambda one, times: reply)).values()
    assert (found.state, found.text) == (ReplyState.OK, reply_of(quoted()))


def test_half_a_surrogate_pair_from_the_engine_is_written(tmp_path: Path) -> None:
    reply = RawReply(text="\ud800", finish_reason="stop")
    failed = RawReply(state=ReplyState.ERROR, detail="\ud800")
    found = run(tmp_path, requests(2), Asked(lambda one, times: reply if one == requests(1)[0] else failed))
    assert sorted((reply.text, reply.detail) for reply in found.values()) == [
        ("", "\ufffd"),
        ("\ufffd", "no JSON object"),
    ]


def test_the_order_of_finishing_does_not_matter(tmp_path: Path) -> None:
    class Backwards(Asked):
        def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
            yield from reversed(list(super().answer(requests)))

    asked = requests(6)
    told: list[str] = []
    with reply_log(tmp_path) as log:
        ask(
            asked,
            Backwards(lambda one, times: raw(one.messages[-1].content)),
            judge(),
            log,
            lambda one, reply: told.append(one.key),
        )
        assert {one.key: log.get(one.key).text for one in asked} == {  # type: ignore[union-attr]
            one.key: one.messages[-1].content for one in asked
        }
    assert told == [one.key for one in reversed(asked)]


@pytest.mark.parametrize(("failure", "asked_times"), [(None, 1), (FAILED, 1), (BUSY, 3)])
def test_equal_requests_are_asked_once(tmp_path: Path, failure: RawReply | None, asked_times: int) -> None:
    one, other = requests(2)
    backend = Asked(lambda asked, times: failure or ANSWER)
    found = run(tmp_path, [one, other, one, one], backend)
    assert backend.count == {one.key: asked_times, other.key: asked_times}
    assert len(found) == 2


def test_a_failure_that_may_pass_is_asked_again_up_to_three_times_in_all(tmp_path: Path) -> None:
    asked = requests(4)
    fails = {one.key: number for number, one in enumerate(asked)}  # the first never, the last three times
    backend = Asked(lambda one, times: BUSY if times <= fails[one.key] else ANSWER)
    found = run(tmp_path, asked, backend)
    assert [backend.count[one.key] for one in asked] == [1, 2, 3, 3]
    assert [found[one.key].attempts for one in asked] == [1, 2, 3, 3]
    assert [found[one.key].state.value for one in asked] == ["ok", "ok", "ok", "error"]
    assert found[asked[3].key].detail == "busy"
    assert (tmp_path / "part-00000.jsonl").read_bytes().count(b"\n") == 4


def test_what_every_attempt_cost_is_in_the_reply(tmp_path: Path) -> None:
    costs = [0.25, None, 0.5]
    backend = Asked(lambda one, times: replace(ANSWER if times == 3 else BUSY, cost_usd=costs[times - 1]))
    (found,) = run(tmp_path, requests(1), backend).values()
    assert (found.state, found.attempts, found.cost_usd) == (ReplyState.OK, 3, 0.75)


def test_an_error_is_asked_again_by_the_next_call_and_what_is_finished_is_not(tmp_path: Path) -> None:
    states = [ReplyState.ERROR, ReplyState.TOO_LONG, ReplyState.BLOCKED, None]
    asked = requests(4)
    first = {one.key: RawReply(state=state, text="no JSON") for one, state in zip(asked, states, strict=True)}
    backend = Asked(lambda one, times: first[one.key] if times == 1 else ANSWER)
    found = run(tmp_path, asked, backend)
    assert [is_finished(found[one.key]) for one in asked] == [False, True, True, True]
    with reply_log(tmp_path) as log:
        ask(asked, backend, judge(), log)
        assert log.get(asked[0].key).state is ReplyState.OK  # type: ignore[union-attr]
    assert [backend.count[one.key] for one in asked] == [2, 1, 1, 1]


def test_a_back_end_that_dies_keeps_what_it_answered(tmp_path: Path) -> None:
    def dies(one: Request, times: int) -> RawReply:
        if one == asked[3]:
            raise BackendError("the engine is gone")
        return ANSWER

    asked = requests(6)
    with pytest.raises(BackendError, match="gone"):
        run(tmp_path, asked, Asked(dies))
    assert set(replies(tmp_path)) == {one.key for one in asked[:3]}
    backend = Asked(lambda one, times: ANSWER)
    assert len(run(tmp_path, asked, backend)) == 6
    assert backend.count == Counter(one.key for one in asked[3:])


class Answers(Asked):
    """A back end that takes all requests and then answers those that a function of them names."""

    def __init__(self, which: Callable[[list[Request]], list[Request]]) -> None:
        super().__init__(lambda one, times: ANSWER)
        self._which = which

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        for one in self._which(list(requests)):
            self.count[one.key] += 1
            yield one, self._respond(one, self.count[one.key])


@pytest.mark.parametrize(
    "which",
    [
        lambda asked: [*asked, request("never asked")],
        lambda asked: [asked[0], asked[0]],
        lambda asked: asked[:-1],
        lambda asked: [],
    ],
    ids=["unknown", "twice", "one missing", "none"],
)
def test_a_back_end_that_breaks_its_promise_is_an_error_and_what_it_answered_stays(tmp_path: Path, which: Any) -> None:
    asked = requests(3)
    with pytest.raises(BackendError):
        run(tmp_path, asked, Answers(which))
    assert set(replies(tmp_path)) <= {one.key for one in asked}
    assert len(run(tmp_path, asked, Asked(lambda one, times: ANSWER))) == 3


@pytest.mark.parametrize("make", [list, iter], ids=["list", "generator"])
def test_a_back_end_that_stops_taking_requests_is_an_error(tmp_path: Path, make: Any) -> None:
    class Lazy(Asked):
        def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
            for number, pair in enumerate(super().answer(requests)):
                yield pair
                if number == 1:
                    return

    with pytest.raises(BackendError, match="left 3 requests without an answer"):
        run(tmp_path, make(requests(5)), Lazy(lambda one, times: ANSWER))
    assert len(replies(tmp_path)) == 2


def test_a_back_end_that_leaves_a_request_is_asked_no_more(tmp_path: Path) -> None:
    asked = requests(3)
    backend = Answers(lambda all_of_them: all_of_them[1:])
    backend._respond = lambda one, times: BUSY
    with pytest.raises(BackendError, match="left 3 requests without an answer"):
        run(tmp_path, asked, backend)
    assert max(backend.count.values()) == 1


def test_requests_are_made_one_by_one_as_the_back_end_takes_them(tmp_path: Path) -> None:
    made: list[str] = []
    written: list[int] = []

    def making() -> Iterator[Request]:
        for one in requests(5):
            made.append(one.key)
            yield one

    def respond(one: Request, times: int) -> RawReply:
        written.append(len(replies(tmp_path)))
        assert made[-1] == one.key
        return ANSWER

    run(tmp_path, making(), Asked(respond))
    assert written == [0, 1, 2, 3, 4]


def test_a_torn_last_line_is_cut_back_and_asked_again(tmp_path: Path) -> None:
    asked = requests(3)
    run(tmp_path, asked, Asked(lambda one, times: ANSWER))
    part = tmp_path / "part-00000.jsonl"
    whole = part.read_bytes()
    part.write_bytes(whole[:-20])
    backend = Asked(lambda one, times: ANSWER)
    run(tmp_path, asked, backend)
    assert backend.count == {asked[2].key: 1}
    lines = part.read_bytes().splitlines(keepends=True)
    assert len(lines) == 3
    assert lines[:2] == whole.splitlines(keepends=True)[:2]


class FullDisk(io.FileIO):
    """A file on a disk that takes so many bytes in all and no more."""

    room = 0

    def write(self, data: Any) -> int:  # type: ignore[override]
        if not FullDisk.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        count = super().write(bytes(data[: FullDisk.room]))
        FullDisk.room -= count
        return count


@pytest.mark.parametrize("room_of_third", [0, 1, 40], ids=["nothing", "one byte", "half a line"])
def test_a_full_disk_loses_nothing_and_the_next_call_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room_of_third: int
) -> None:
    asked = requests(5)
    line = len(Reply(**ONE).model_dump_json()) + 1
    FullDisk.room = 2 * line + room_of_third
    opened = Path.open

    def limited(path: Path, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        return FullDisk(path, mode) if mode == "ab" else opened(path, mode, *args, **kwargs)

    monkeypatch.setattr(Path, "open", limited)
    with pytest.raises(StorageError, match="the disk is full") as caught:
        run(tmp_path, asked, Asked(lambda one, times: ANSWER))
    assert caught.value.retryable
    assert str(tmp_path) in str(caught.value)
    monkeypatch.undo()
    assert list(replies(tmp_path)) == [one.key for one in asked[:2]]
    backend = Asked(lambda one, times: ANSWER)
    assert len(run(tmp_path, asked, backend)) == 5
    assert backend.count == Counter(one.key for one in asked[2:])


ONE: dict[str, Any] = {
    "key": requests(1)[0].key,
    "state": ReplyState.OK,
    "text": reply_of(quoted()),
    "finish_reason": "stop",
}


def test_a_function_answers_as_a_back_end(tmp_path: Path) -> None:
    backend = ScriptedBackend.of(lambda one: raw(reply_of()), name="empty")
    found = run(tmp_path, requests(2), backend)
    assert [reply.state.value for reply in found.values()] == ["ok", "ok"]
    assert all(reply.seconds is not None for reply in found.values())
    assert (backend.model, backend.revision, backend.context) == ("empty", None, None)
    backend.close()


class Windows(Asked):
    """A back end that has several requests under way, and answers when it has taken so many or all there are."""

    def __init__(self, respond: Callable[[Request, int], RawReply], size: int) -> None:
        super().__init__(respond)
        self.size = size
        self.closed = 0

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        try:
            taken = iter(requests)
            while window := list(islice(taken, self.size)):
                for one in reversed(window):
                    self.count[one.key] += 1
                    yield one, self._respond(one, self.count[one.key])
        finally:
            self.closed += 1


def test_memory_holds_no_more_requests_than_are_under_way_however_many_fail(tmp_path: Path) -> None:
    alive: Counter[str] = Counter()
    most = 0

    def making() -> Iterator[Request]:
        nonlocal most
        for number in range(400):
            one = request(f"Chunk {number}.")
            alive["now"] += 1
            most = max(most, alive["now"])
            weakref.finalize(one, alive.subtract, ["now"])
            yield one
            del one

    backend = Windows(lambda one, times: BUSY if times < 3 else ANSWER, 8)
    found = run(tmp_path, making(), backend)
    assert len(found) == 400
    assert {reply.attempts for reply in found.values()} == {3}
    # Those under way, those that wait to be asked again, and one in each pair of hands.
    assert most <= 2 * 8 + 4


def test_a_failed_request_is_asked_again_before_new_ones(tmp_path: Path) -> None:
    order: list[str] = []

    def respond(one: Request, times: int) -> RawReply:
        order.append(one.messages[-1].content)
        return BUSY if times == 1 and order[-1] == "Chunk 0." else ANSWER

    run(tmp_path, requests(3), Asked(respond))
    assert order == ["Chunk 0.", "Chunk 0.", "Chunk 1.", "Chunk 2."]


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_what_fails_after_the_last_request_was_taken_is_asked_again(tmp_path: Path, size: int) -> None:
    backend = Windows(lambda one, times: BUSY if times < 3 else ANSWER, size)
    found = run(tmp_path, iter(requests(7)), backend)
    assert {reply.state for reply in found.values()} == {ReplyState.OK}
    assert set(backend.count.values()) == {3}


def test_the_engine_is_told_to_end_when_the_loop_ends(tmp_path: Path) -> None:
    backend = Windows(lambda one, times: ANSWER, 4)

    def stops(one: Request, reply: Reply) -> None:
        raise KeyboardInterrupt

    with reply_log(tmp_path) as log, pytest.raises(KeyboardInterrupt) as caught:
        ask(requests(8), backend, judge(), log, stops)
    assert backend.closed == 1  # while the exception still holds every frame
    assert caught.value is not None
    assert len(replies(tmp_path)) == 1


def test_a_back_end_that_takes_nothing_is_an_error(tmp_path: Path) -> None:
    class Idle(Asked):
        def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
            return iter(())

    with pytest.raises(BackendError, match="left 4 requests without an answer"):
        run(tmp_path, iter(requests(4)), Idle(lambda one, times: ANSWER))
