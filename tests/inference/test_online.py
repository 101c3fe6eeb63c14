"""The runner over a provider of the test's own: what it takes, how it tries again, how it ends."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from email.utils import formatdate
from itertools import pairwise

import pytest
from reply_builders import request

from fingreat.errors import BackendError
from fingreat.inference import RawReply, Settings
from fingreat.inference.hosted import online
from fingreat.inference.hosted.online import Patience, TryLater, answer_online, retry_after
from fingreat.schema import ReplyState, Request

QUICK = Patience(tries=3, a_try=5.0, in_all=10.0, first_wait=0.01, longest_wait=0.02, given_up=5)
KEY = "sk-test-abcdefghijklmnop"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(online, "PATIENCE", QUICK)


class Provider:
    """Answers by a function of the request's text and how often that was asked before."""

    def __init__(self, respond: Callable[[str, int], Awaitable[RawReply]]) -> None:
        self.respond = respond
        self.asked: list[tuple[str, float]] = []
        self.under_way = self.most_under_way = 0
        self.closed = False

    async def ask(self, request: Request) -> RawReply:
        text = request.messages[-1].content
        before = self.times(text)
        self.asked.append((text, time.monotonic()))
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            return await self.respond(text, before)
        finally:
            self.under_way -= 1

    async def close(self) -> None:
        self.closed = True

    def times(self, text: str) -> int:
        return sum(1 for asked, _ in self.asked if asked == text)


async def echo(text: str, before: int) -> RawReply:
    return RawReply(text=text)


async def for_ever(text: str, before: int) -> RawReply:
    await asyncio.sleep(3600)
    return RawReply()


def answers(
    provider: Provider, texts: list[str], settings: Settings | None = None, secret: str | None = None
) -> list[tuple[str, RawReply]]:
    found = answer_online(lambda: provider, map(request, texts), settings or Settings(), secret=secret)
    return [(one.messages[-1].content, reply) for one, reply in found]


def test_every_request_is_answered_once_in_the_order_of_finishing() -> None:
    async def respond(text: str, before: int) -> RawReply:
        await asyncio.sleep(0.3 if text == "slow" else 0.0)
        return RawReply(text=text.upper())

    provider = Provider(respond)
    found = answers(provider, ["slow", "a", "b"])
    assert [text for text, _ in found] == ["a", "b", "slow"]
    assert all(reply.text == text.upper() for text, reply in found)
    assert provider.closed


def test_no_more_are_under_way_than_allowed_and_twice_as_many_are_taken() -> None:
    async def respond(text: str, before: int) -> RawReply:
        await asyncio.sleep(0.01)
        return RawReply(text=text)

    provider, taken, here = Provider(respond), [], set()

    def requests() -> Iterator[Request]:
        for number in range(40):
            taken.append(number)
            here.add(threading.current_thread())
            yield request(str(number))

    done = 0
    for _ in answer_online(lambda: provider, requests(), Settings(in_flight=3)):
        done += 1
        assert len(taken) - done < 6  # the last one is taken only after the one before it was looked at
    assert done == 40
    assert provider.most_under_way == 3
    assert here == {threading.current_thread()}


def test_without_requests_nothing_is_made() -> None:
    def make() -> Provider:
        raise RuntimeError("made")

    assert list(answer_online(make, [], Settings())) == []


def test_what_may_pass_is_tried_again() -> None:
    async def respond(text: str, before: int) -> RawReply:
        if before < 2:
            raise TryLater("status 500")
        return RawReply(text=text)

    provider = Provider(respond)
    ((_, reply),) = answers(provider, ["a"])
    assert (reply.text, reply.state) == ("a", None)
    assert provider.times("a") == 3


def test_after_its_tries_a_request_is_given_up_and_the_others_are_not() -> None:
    async def respond(text: str, before: int) -> RawReply:
        if text == "poison":
            raise TryLater("status 500: it crashed")
        return RawReply(text=text)

    provider = Provider(respond)
    found = dict(answers(provider, ["a", "poison", "b"]))
    assert found["a"].state is found["b"].state is None
    assert found["poison"].state is ReplyState.ERROR
    assert found["poison"].retryable
    assert found["poison"].detail == "status 500: it crashed (tried 3 times)"
    assert provider.times("poison") == 3


def test_the_waits_double_up_to_the_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(online, "PATIENCE", Patience(tries=5, first_wait=0.05, longest_wait=0.1))

    async def respond(text: str, before: int) -> RawReply:
        raise TryLater("status 502")

    provider = Provider(respond)
    answers(provider, ["a"])
    times = [at for _, at in provider.asked]
    waits = [after - before for before, after in pairwise(times)]
    for wait, least in zip(waits, [0.05, 0.1, 0.1, 0.1], strict=True):
        assert least <= wait < least * 1.2 + 0.5  # a fifth more at random, and a slow machine


def test_a_request_waits_as_long_as_the_server_says() -> None:
    async def respond(text: str, before: int) -> RawReply:
        if not before:
            raise TryLater("status 503", after=0.4)
        return RawReply(text=text)

    provider = Provider(respond)
    answers(provider, ["a", "b"])
    first, second = (at for text, at in provider.asked if text == "a")
    assert second - first >= 0.4


def test_a_server_that_says_zero_is_not_asked_at_once_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(online, "PATIENCE", Patience(in_all=0.5, first_wait=0.1))

    async def respond(text: str, before: int) -> RawReply:
        raise TryLater("status 429", after=0.0, everyone=True)

    provider = Provider(respond)
    ((_, reply),) = answers(provider, ["a"], Settings(base_url="http://zero"))
    assert reply.retryable
    assert len(provider.asked) <= 6


def test_where_everyone_is_refused_nothing_is_sent_for_as_long() -> None:
    async def respond(text: str, before: int) -> RawReply:
        await asyncio.sleep(0.02)
        if text == "0" and not before:
            raise TryLater("status 429", after=0.5, everyone=True)
        return RawReply(text=text)

    provider = Provider(respond)
    found = answers(provider, [str(number) for number in range(30)], Settings(in_flight=2, base_url="http://pause"))
    assert len(found) == 30
    times = [at for _, at in provider.asked]
    assert (
        max(after - before for before, after in pairwise(times)) >= 0.4
    )  # the pause, less what had been sent while the refusal was under way


def test_a_refusal_of_everyone_is_none_of_a_requests_tries() -> None:
    async def respond(text: str, before: int) -> RawReply:
        if before < 6:
            raise TryLater("status 429", after=0.01, everyone=True)
        return RawReply(text=text)

    provider = Provider(respond)
    ((_, reply),) = answers(provider, ["a"], Settings(base_url="http://crowded"))
    assert reply.state is None
    assert provider.times("a") == 7  # QUICK allows three tries


def test_a_wait_of_hours_ends_the_run_in_words() -> None:
    async def respond(text: str, before: int) -> RawReply:
        raise TryLater("status 429: requests per day", after=7200.0, everyone=True)

    start = time.monotonic()
    with pytest.raises(BackendError, match="asks to wait 120 minutes: status 429: requests per day"):
        answers(Provider(respond), ["a"], Settings(base_url="http://daily"))
    assert time.monotonic() - start < 2


def test_a_try_that_never_ends_is_cut_and_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(online, "PATIENCE", Patience(tries=2, a_try=0.2, first_wait=0.01))

    async def respond(text: str, before: int) -> RawReply:
        return await (echo(text, 0) if before else for_ever(text, 0))

    provider = Provider(respond)
    ((_, reply),) = answers(provider, ["a"])
    assert reply.text == "a"
    ((_, reply),) = answers(Provider(for_ever), ["a"])
    assert reply.detail == "no whole answer within 0.2 seconds (tried 2 times)"


def test_a_fault_of_every_request_is_raised_after_the_replies_that_came_before() -> None:
    async def respond(text: str, before: int) -> RawReply:
        if text == "2":
            await asyncio.sleep(0.1)
            raise BackendError("status 401", hint="Check the key.")
        return await (echo(text, 0) if text in "01" else for_ever(text, 0))

    found = answer_online(lambda: Provider(respond), map(request, "0123"), Settings())
    assert {next(found)[1].text, next(found)[1].text} == {"0", "1"}
    start = time.monotonic()
    with pytest.raises(BackendError, match="Check the key"):
        next(found)
    assert time.monotonic() - start < 2


def test_a_server_that_answers_nobody_ends_the_run() -> None:
    async def respond(text: str, before: int) -> RawReply:
        raise TryLater("no connection: refused")

    provider = Provider(respond)
    given_up = []
    with pytest.raises(BackendError, match=r"none of the last 5 requests.*no connection: refused") as caught:
        given_up.extend(answer_online(lambda: provider, map(request, "abcdefghij"), Settings(in_flight=1)))
    assert caught.value.retryable
    assert len(given_up) < 5


def test_an_answer_between_them_shows_that_the_server_is_there() -> None:
    async def respond(text: str, before: int) -> RawReply:
        if text.startswith("poison"):
            raise TryLater("status 500")
        return RawReply(text=text)

    texts = [f"poison {number}" if number % 4 else str(number) for number in range(24)]
    found = answers(Provider(respond), texts, Settings(in_flight=1))
    assert sum(reply.state is ReplyState.ERROR for _, reply in found) == 18


def test_closing_ends_at_once_what_is_under_way() -> None:
    async def respond(text: str, before: int) -> RawReply:
        return await (echo(text, 0) if text == "a" else for_ever(text, 0))

    provider = Provider(respond)
    found = answer_online(lambda: provider, map(request, "abcd"), Settings())
    next(found)
    start = time.monotonic()
    found.close()  # type: ignore[attr-defined]
    assert time.monotonic() - start < 1
    assert provider.closed
    assert provider.under_way == 0
    assert not [thread for thread in threading.enumerate() if thread.name == "requests"]


def test_a_provider_that_does_not_let_go_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(online, "_GRACE", 0.2)
    let_go = threading.Event()

    async def stubborn(text: str, before: int) -> RawReply:
        if text == "a":
            return RawReply(text=text)
        while not let_go.is_set():
            try:
                await asyncio.sleep(0.05)
            except asyncio.CancelledError:
                continue
        return RawReply()

    found = answer_online(lambda: Provider(stubborn), map(request, "ab"), Settings())
    next(found)
    start = time.monotonic()
    found.close()  # type: ignore[attr-defined]
    assert time.monotonic() - start < 1
    let_go.set()


def test_an_interrupt_ends_the_waiting() -> None:
    provider = Provider(for_ever)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        answers(provider, ["a", "b"])
    # The answers would come in an hour; a machine may stand still for seconds. Nothing is left that waits for them.
    assert time.monotonic() - start < 60
    assert provider.closed
    assert provider.under_way == 0
    assert not [thread for thread in threading.enumerate() if thread.name == "requests"]


def test_what_the_requests_raise_is_raised_and_ends_all() -> None:
    def requests() -> Iterator[Request]:
        yield request("a")
        raise ValueError("no more")

    provider = Provider(for_ever)
    with pytest.raises(ValueError, match="no more"):
        list(answer_online(lambda: provider, requests(), Settings()))
    assert provider.closed


def test_a_provider_that_cannot_be_made_is_told() -> None:
    def make() -> Provider:
        raise BackendError("no SDK")

    with pytest.raises(BackendError, match="no SDK"):
        list(answer_online(make, [request("a")], Settings()))


def test_a_fault_of_our_own_is_not_hidden() -> None:
    async def respond(text: str, before: int) -> RawReply:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        answers(Provider(respond), ["a"])


def test_the_key_is_taken_out_of_all_that_a_server_says() -> None:
    async def respond(text: str, before: int) -> RawReply:
        said = f"you sent {KEY}!"
        return RawReply(text=said, reasoning=said, finish_reason=said, detail=said, prompt_tokens=3)

    ((_, reply),) = answers(Provider(respond), ["a"], secret=KEY)
    assert KEY not in repr(reply)
    assert (reply.text, reply.prompt_tokens) == ("you sent [key]!", 3)


def test_the_key_is_in_no_error() -> None:
    async def respond(text: str, before: int) -> RawReply:
        try:
            raise RuntimeError(KEY)
        except RuntimeError as error:
            raise BackendError(f"wrong: {KEY}", where="openai:small", hint=f"not {KEY}") from error

    with pytest.raises(BackendError) as caught:
        answers(Provider(respond), ["a"], secret=KEY)
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_a_word_instead_of_a_key_may_stand_in_a_reply() -> None:
    ((_, reply),) = answers(Provider(echo), ["none of it"], secret="none")
    assert reply.text == "none of it"


def test_what_a_server_says_of_waiting_is_read_in_all_its_forms() -> None:
    assert retry_after({"retry-after": "7"}) == 7.0
    assert retry_after({"retry-after": "1.5"}) == 1.5
    assert retry_after({"retry-after-ms": "250", "retry-after": "7"}) == 0.25
    assert retry_after({"retry-after-ms": "soon", "retry-after": "7"}) == 7.0
    assert retry_after({}) is None
    assert retry_after({"retry-after": "-3"}) is None
    assert retry_after({"retry-after": "inf"}) is None
    assert retry_after({"retry-after": "nan"}) is None
    assert retry_after({"retry-after": "Mon, 99 Foo 2026"}) is None
    in_a_minute = retry_after({"retry-after": formatdate(time.time() + 60, usegmt=True)})
    assert in_a_minute is not None
    assert 57 < in_a_minute <= 60
    assert retry_after({"retry-after": "Sun, 06 Nov 1994 08:49:37 GMT"}) == 0.0
