"""Limits by the minute: held in every window, whatever is asked when; and by the runner."""

from __future__ import annotations

import asyncio
import time

import pytest
from hosted_runs import QUICK
from hypothesis import given
from hypothesis import strategies as st
from reply_builders import request

from fingreat.errors import InputError
from fingreat.inference import RawReply, Settings
from fingreat.inference.hosted import limiter, online
from fingreat.inference.hosted.limiter import Limiter, Sent, shared_limiter
from fingreat.inference.hosted.online import TryLater, answer_online
from fingreat.schema import Request

STEPS = st.lists(st.tuples(st.sampled_from([0.0, 0.1, 1.0, 7.0, 30.0, 61.0]), st.integers(1, 600)), max_size=60)


@given(STEPS, st.none() | st.integers(1, 6), st.none() | st.integers(1, 1000))
def test_no_minute_sees_more_than_the_limits(
    steps: list[tuple[float, int]], requests: int | None, tokens: int | None
) -> None:
    now = 0.0
    limits = Limiter(requests, tokens, lambda: now)
    sent: list[Sent] = []
    for pause, cost in steps:
        now += pause
        while isinstance(answer := limits.try_send(cost), float):
            assert 0 < answer < 60.001
            now += answer
        sent.append(answer)
    for one in sent:
        # All windows of a minute that end with a request; what was sent exactly a minute before is outside.
        window = [other for other in sent if other.at <= one.at < other.at + 60]
        assert requests is None or len(window) <= requests
        assert tokens is None or len(window) == 1 or sum(other.tokens for other in window) <= tokens


def test_a_request_beyond_the_limit_goes_when_it_has_the_minute_to_itself() -> None:
    now = 0.0
    limits = Limiter(tokens=100, clock=lambda: now)
    assert isinstance(limits.try_send(10), Sent)
    assert limits.try_send(500) == 60.0
    now = 60.0
    assert isinstance(limits.try_send(500), Sent)
    assert limits.try_send(1) == 60.0


def test_a_corrected_estimate_makes_room_at_once() -> None:
    now = 0.0
    limits = Limiter(tokens=100, clock=lambda: now)
    first = limits.try_send(90)
    assert isinstance(first, Sent)
    assert isinstance(limits.try_send(20), float)
    limits.correct(first, 70)
    assert isinstance(limits.try_send(20), Sent)  # 70 + 20
    assert isinstance(limits.try_send(20), float)  # 110


def test_a_correction_that_comes_late_changes_nothing() -> None:
    now = 0.0
    limits = Limiter(tokens=100, clock=lambda: now)
    first = limits.try_send(90)
    assert isinstance(first, Sent)
    now = 61.0
    assert isinstance(limits.try_send(60), Sent)
    limits.correct(first, 1)
    assert isinstance(limits.try_send(41), float)
    assert isinstance(limits.try_send(40), Sent)


def test_the_longest_pause_counts() -> None:
    now = 0.0
    limits = Limiter(clock=lambda: now)
    limits.pause(5.0)
    limits.pause(2.0)
    assert limits.try_send(1) == 5.0
    now = 5.0
    assert isinstance(limits.try_send(1), Sent)


def test_all_that_ask_one_server_share_its_limits() -> None:
    assert shared_limiter("http://one", 7, None) is shared_limiter("http://one", 7, None)
    assert shared_limiter("http://one", 7, None) is not shared_limiter("http://two", 7, None)
    assert shared_limiter(None, 7, None) is not shared_limiter(None, 8, None)


class Counting:
    """Answers at once and notes when it was asked."""

    def __init__(self, output_tokens: int | None = None) -> None:
        self.times: list[float] = []
        self._output_tokens = output_tokens

    async def ask(self, request: Request) -> RawReply:
        self.times.append(time.monotonic())
        await asyncio.sleep(0)
        return RawReply(prompt_tokens=None if self._output_tokens is None else 0, output_tokens=self._output_tokens)

    async def close(self) -> None:
        pass


@pytest.fixture
def _short_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limiter, "WINDOW", 0.3)
    monkeypatch.setattr(online, "_LOOK_AGAIN", 0.02)


@pytest.mark.usefixtures("_short_minute")
def test_the_runner_keeps_to_requests_a_minute_over_several_calls() -> None:
    provider = Counting()
    settings = Settings(base_url="http://requests", requests_per_minute=4)
    for texts in ("abcdef", "ghijkl"):
        assert len(list(answer_online(lambda: provider, map(request, texts), settings))) == 6
    for first, fifth in zip(provider.times, provider.times[4:], strict=False):
        assert fifth - first >= 0.29


@pytest.mark.usefixtures("_short_minute")
def test_the_runner_keeps_to_tokens_a_minute_by_what_replies_say_they_took() -> None:
    # Estimated at 256 for the answer and 4 for the prompt: of 1,000 a minute three fit.
    asked = [request(text) for text in "abcdefghij"]
    unsaid, said = Counting(), Counting(output_tokens=100)
    start = time.monotonic()
    settings = Settings(base_url="http://unsaid", tokens_per_minute=1000, in_flight=1)
    list(answer_online(lambda: unsaid, asked, settings))
    assert time.monotonic() - start >= 0.89
    for first, fourth in zip(unsaid.times, unsaid.times[3:], strict=False):
        assert fourth - first >= 0.29
    settings = Settings(base_url="http://said", tokens_per_minute=1000, in_flight=1)
    list(answer_online(lambda: said, asked, settings))
    # 18 + 1 characters of prompt are 4 tokens: with 8 × 100 taken, the ninth would bring 260 and waits.
    assert said.times[7] - said.times[0] < said.times[8] - said.times[7]


def test_a_limit_below_one_request_is_refused_after_what_was_asked_before_it() -> None:
    # 256 for the answer; 18 + 1 characters of prompt are 4 tokens, 18 + 400 are 104.
    settings = Settings(base_url="http://narrow", tokens_per_minute=300)
    found = answer_online(Counting, [request("a"), request("b" * 400), request("c")], settings)
    assert next(found)[0].messages[-1].content == "a"
    with pytest.raises(InputError, match="--tpm 300: is less than one request may take: about 360 tokens"):
        next(found)


class Refusing(Counting):
    """Refuses everyone for a while, the first eight times."""

    async def ask(self, request: Request) -> RawReply:
        reply = await super().ask(request)
        if len(self.times) <= 8:
            raise TryLater("too many tokens a minute", after=0.4, everyone=True)
        return reply


@pytest.mark.parametrize(("long", "told"), [(0.2, 1), (0.5, 0)])
def test_a_long_pause_is_said_once_however_many_are_refused(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, long: float, told: int
) -> None:
    monkeypatch.setattr(online, "_LONG_PAUSE", long)
    monkeypatch.setattr(online, "PATIENCE", QUICK)
    settings = Settings(base_url=f"http://refusing/{long}", in_flight=8)
    with caplog.at_level("INFO"):
        assert len(list(answer_online(Refusing, map(request, "abcdefgh"), settings))) == 8
    assert caplog.messages == ["the provider asks to wait 0 s: too many tokens a minute"] * told
