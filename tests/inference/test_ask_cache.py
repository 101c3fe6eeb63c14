"""A run takes from the cache what an earlier one was answered, and nothing that could be another answer."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from asked_backend import ANSWER, BUSY, FAILED, Asked, replies, requests
from reply_builders import judge, quoted, raw, reply_of, request

from fingreat.errors import CorpusError, InputError
from fingreat.inference import RawReply, ReplyCache, ask, reply_log
from fingreat.schema import Reply, ReplyState, Request

PAID = RawReply(
    text=reply_of(quoted()),
    finish_reason="stop",
    prompt_tokens=60,
    cached_tokens=50,
    output_tokens=4,
    reasoning_tokens=1,
    seconds=1.5,
    cost_usd=0.25,
)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ReplyCache]:
    with ReplyCache(tmp_path / "replies.sqlite") as opened:
        yield opened


def run(folder: Path, asked: Iterable[Request], backend: Any, cache: ReplyCache | None) -> list[Reply]:
    """One call; the replies that were told, in order."""
    told: list[Reply] = []
    with reply_log(folder) as log:
        ask(asked, backend, judge(), log, lambda one, reply: told.append(reply), cache=cache)
    return told


def test_another_run_asks_nothing_that_was_answered_and_pays_nothing(tmp_path: Path, cache: ReplyCache) -> None:
    backend = Asked(lambda one, times: PAID)
    first = run(tmp_path / "a", requests(3), backend, cache)
    assert [reply.from_cache for reply in first] == [False, False, False]
    second = run(tmp_path / "b", requests(5), backend, cache)
    assert set(backend.count.values()) == {1}
    of_second = replies(tmp_path / "b")
    assert list(of_second.values()) == second
    for reply in first:
        assert of_second[reply.key] == reply.model_copy(update={"from_cache": True, "seconds": None, "cost_usd": 0.0})
    assert [of_second[one.key].from_cache for one in requests(5)] == [True, True, True, False, False]


def test_a_cost_that_was_never_known_stays_unknown(tmp_path: Path, cache: ReplyCache) -> None:
    backend = Asked(lambda one, times: ANSWER)
    run(tmp_path / "a", requests(1), backend, cache)
    (found,) = run(tmp_path / "b", requests(1), backend, cache)
    assert (found.from_cache, found.cost_usd) == (True, None)


@pytest.mark.parametrize("state", [ReplyState.BLOCKED, ReplyState.TOO_LONG])
def test_a_failure_that_would_come_again_is_not_paid_for_again(
    tmp_path: Path, cache: ReplyCache, state: ReplyState
) -> None:
    backend = Asked(lambda one, times: RawReply(state=state, detail="why"))
    backend.context = 4096
    run(tmp_path / "a", requests(1), backend, cache)
    (found,) = run(tmp_path / "b", requests(1), backend, cache)
    assert (found.state, found.detail, found.from_cache) == (state, "why", True)
    assert list(backend.count.values()) == [1]


def test_what_was_too_long_is_asked_of_a_model_that_holds_more(tmp_path: Path, cache: ReplyCache) -> None:
    small = Asked(lambda one, times: RawReply(state=ReplyState.TOO_LONG))
    small.context = 4096
    run(tmp_path / "a", requests(1), small, cache)
    large = Asked(lambda one, times: ANSWER)
    large.context = 8192
    (found,) = run(tmp_path / "b", requests(1), large, cache)
    assert (found.state, found.from_cache) == (ReplyState.OK, False)


def test_what_was_too_long_for_a_server_that_does_not_tell_what_it_holds_is_asked_again(
    tmp_path: Path, cache: ReplyCache
) -> None:
    run(tmp_path / "a", requests(1), Asked(lambda one, times: RawReply(state=ReplyState.TOO_LONG)), cache)
    # It was started anew with more room.
    (found,) = run(tmp_path / "b", requests(1), Asked(lambda one, times: ANSWER), cache)
    assert (found.state, found.from_cache) == (ReplyState.OK, False)


@pytest.mark.parametrize("failure", [FAILED, BUSY])
def test_an_error_is_asked_again_by_every_run(tmp_path: Path, cache: ReplyCache, failure: RawReply) -> None:
    run(tmp_path / "a", requests(1), Asked(lambda one, times: failure), cache)
    (found,) = run(tmp_path / "b", requests(1), Asked(lambda one, times: ANSWER), cache)
    assert (found.state, found.from_cache) == (ReplyState.OK, False)


def test_an_error_of_this_run_gives_way_to_what_another_run_was_answered(tmp_path: Path, cache: ReplyCache) -> None:
    run(tmp_path / "a", requests(1), Asked(lambda one, times: FAILED), cache)
    run(tmp_path / "b", requests(1), Asked(lambda one, times: ANSWER), cache)
    backend = Asked(lambda one, times: FAILED)
    (found,) = run(tmp_path / "a", requests(1), backend, cache)
    assert (found.state, found.from_cache) == (ReplyState.OK, True)
    assert not backend.count
    assert replies(tmp_path / "a") == {found.key: found}


def test_a_back_end_without_a_language_model_uses_no_cache(tmp_path: Path, cache: ReplyCache) -> None:
    backend = Asked(lambda one, times: ANSWER)
    backend.is_language_model = False
    for name in "ab":
        run(tmp_path / name, requests(1), backend, cache)
    assert list(backend.count.values()) == [2]
    assert len(cache) == 0


def test_without_a_cache_everything_is_asked_and_nothing_kept(tmp_path: Path, cache: ReplyCache) -> None:
    backend = Asked(lambda one, times: ANSWER)
    run(tmp_path / "a", requests(1), backend, cache)
    run(tmp_path / "b", requests(2), backend, None)
    assert sorted(backend.count.values()) == [1, 2]
    assert len(cache) == 1


def test_a_reply_that_the_cache_refuses_is_in_the_run_which_goes_on(
    tmp_path: Path, cache: ReplyCache, caplog: pytest.LogCaptureFixture
) -> None:
    other = sqlite3.connect(cache.path, isolation_level=None)
    with ReplyCache(cache.path, busy_seconds=0.05) as impatient:
        other.execute("BEGIN IMMEDIATE")
        with caplog.at_level("WARNING"):
            run(tmp_path / "a", requests(3), Asked(lambda one, times: ANSWER), impatient)
        other.close()
    assert list(replies(tmp_path / "a")) == [one.key for one in requests(3)]
    (said,) = caplog.messages
    assert "Replies are kept for other runs no more" in said
    assert "another process holds it" in said


class InFlight(Asked):
    """It takes all it can get before it answers, as one that is asked over a line does."""

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        return super().answer(list(requests))


def test_one_damaged_reply_in_the_cache_is_asked_again_and_the_others_are_used(
    tmp_path: Path, cache: ReplyCache
) -> None:
    run(tmp_path / "a", requests(3), Asked(lambda one, times: ANSWER), cache)
    cache.close()
    with sqlite3.connect(cache.path) as database:
        database.execute("UPDATE replies SET reply = replace(reply, 'ok', 'OK') WHERE key = ?", (requests(3)[1].key,))
    backend = Asked(lambda one, times: ANSWER)
    with ReplyCache(cache.path) as damaged:
        run(tmp_path / "b", requests(3), backend, damaged)
        run(tmp_path / "c", requests(3), backend, damaged)
    assert list(backend.count) == [requests(3)[1].key]
    assert set(backend.count.values()) == {1}
    assert len(replies(tmp_path / "b")) == 3


class Damaged(ReplyCache):
    """It turns out at the third request that the file is no database any more."""

    def get(self, key: str, *, context: int | None = None) -> Reply | None:
        if key == requests(3)[2].key:
            raise InputError("is damaged.")
        return super().get(key, context=context)


def test_a_damaged_cache_ends_the_run_with_its_replies_kept(tmp_path: Path) -> None:
    with Damaged(tmp_path / "damaged.sqlite") as damaged, pytest.raises(InputError, match="damaged"):
        run(tmp_path / "b", requests(3), InFlight(lambda one, times: ANSWER), damaged)
    assert list(replies(tmp_path / "b")) == [one.key for one in requests(2)]


def test_requests_that_cannot_be_made_end_the_run_with_its_replies_kept(tmp_path: Path, cache: ReplyCache) -> None:
    def broken() -> Iterator[Request]:
        yield from requests(2)
        raise CorpusError("is damaged")

    with pytest.raises(CorpusError):
        run(tmp_path / "a", broken(), InFlight(lambda one, times: ANSWER), cache)
    assert len(replies(tmp_path / "a")) == len(cache) == 2


def test_a_reply_is_cached_as_it_was_judged(tmp_path: Path, cache: ReplyCache) -> None:
    one = request("Chunk.")
    fenced = raw(f"```json\n{reply_of(quoted())}\n```")
    (first,) = run(tmp_path / "a", [one], Asked(lambda one, times: fenced), cache)
    (second,) = run(tmp_path / "b", [one], Asked(lambda one, times: ANSWER), cache)
    assert (second.text, second.state, second.detail) == (first.text, ReplyState.OK, first.detail)
    assert first.detail
