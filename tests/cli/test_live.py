"""What is shown while a model is asked, by a clock that the test turns."""

from io import StringIO

import pytest
from rich.console import Console

from fingreat.cli import live
from fingreat.cli.live import LiveView, dollars, duration, figures_line, outcome_lines, spent_line
from fingreat.inference import Trial
from fingreat.pipeline.meter import Meter
from fingreat.runs import Manifest, ModelInfo
from fingreat.schema import Reply, ReplyState


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def _reply(number: int, state: ReplyState = ReplyState.OK, **values: object) -> Reply:
    return Reply(key=str(number), state=state, text="", **values)


def _run(counts: dict[str, object], *, mode: str = "span", resend: int = 2) -> Manifest:
    """A complete run with these counts."""
    return Manifest.new(
        "run",
        asked={},
        resolved={"item": "7", "mode": mode, "resend": resend, "seed": 0},
        model=ModelInfo(spec="a:b", backend="a", model="b", revision=None, context=None),
        hashes={"graph": "g"},
    ).model_copy(update={"status": "complete", "counts": counts})


def _console(monkeypatch: pytest.MonkeyPatch, *, terminal: bool, width: int = 100) -> StringIO:
    written = StringIO()
    console = Console(file=written, force_terminal=terminal, width=width, highlight=False, soft_wrap=True, emoji=False)
    monkeypatch.setattr(live, "err", console)
    monkeypatch.setattr("fingreat.cli.common.err", console)
    return written


def test_a_log_file_gets_a_plain_line_now_and_then_with_all_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    written, clock = _console(monkeypatch, terminal=False), Clock()
    with LiveView(clock=clock) as view:
        view.begin(10, 2)
        view.timed(clock)
        clock.now = 10.0
        view.advance(_reply(1, prompt_tokens=3000, output_tokens=200, cost_usd=0.25))
        assert written.getvalue() == "going on: 2 of 10 requests were answered before\n"
        clock.now = 40.0
        view.advance(_reply(2, ReplyState.TRUNCATED, prompt_tokens=5000, output_tokens=600, cost_usd=0.5))
        # 8000/40 in, 800/40 out; two of eight took 40 s, so the other six take 120 s.
        line = written.getvalue().splitlines()[1]
        assert line == (
            "asking: 4 of 10 done, about 2 min left, $0.75, 200 tokens/s in, 20 tokens/s out, "
            "1 damaged reply (1 truncated)"
        )
        for number in range(3, 9):
            view.advance(_reply(number, from_cache=True, cost_usd=0.0))
    last = written.getvalue().splitlines()[-1]
    assert last.startswith("asking: 10 of 10 done, ")
    assert "6 from the cache" in last
    assert "left" not in last


def test_requests_sent_again_count_in_the_total(monkeypatch: pytest.MonkeyPatch) -> None:
    written, clock = _console(monkeypatch, terminal=False), Clock()
    with LiveView(clock=clock) as view:
        view.begin(1, 0)
        view.timed(clock)
        view.advance(_reply(1, ReplyState.DEGENERATE))
        view.more(2)
        clock.now = 30.0
        view.advance(_reply(2))
    assert "asking: 2 of 3 done, about 15 s left" in written.getvalue()


def test_a_terminal_shows_a_bar_with_the_figures_under_it(monkeypatch: pytest.MonkeyPatch) -> None:
    written, clock = _console(monkeypatch, terminal=True), Clock()
    with LiveView(clock=clock) as view:
        view.begin(2, 0)
        view.timed(clock)
        clock.now = 2.0
        view.advance(_reply(1, prompt_tokens=1000, output_tokens=100))
        view.advance(_reply(2, ReplyState.BLOCKED))
        # The last figures are of all the time of asking, as in the manifest.
        clock.now = 4.0
    shown = written.getvalue()
    assert "2/2" in shown
    assert "250 tokens/s in, 25 tokens/s out, 1 damaged reply (1 blocked)" in shown.split("2/2")[-1]


def test_a_narrow_terminal_wraps_the_figures_and_cuts_none(monkeypatch: pytest.MonkeyPatch) -> None:
    written = _console(monkeypatch, terminal=True, width=60)
    with LiveView() as view:
        view.begin(4, 0)
        view.timed(lambda: 2.0)
        for number, state in enumerate(list(ReplyState)[1:5]):
            view.advance(_reply(number, state, prompt_tokens=10000, output_tokens=1000, cost_usd=1.0))
    last = written.getvalue().split("4/4")[-1]
    words = " ".join(last.split())
    for part in ("$4.00", "20,000 tokens/s in", *(f"1 {state.value}" for state in list(ReplyState)[1:5])):
        assert part in words
    assert last.index("$4.00") < last.index("tokens/s")


def test_rates_are_over_the_time_of_asking_whatever_passes_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    written, clock = _console(monkeypatch, terminal=False), Clock()
    with LiveView(clock=clock) as view:
        view.begin(1, 0)
        # A trial before and the grounding after the model was asked are no time of asking: 4 s of 160.
        view.timed(lambda: 4.0)
        clock.now = 60.0
        view.advance(_reply(1, prompt_tokens=800, output_tokens=80))
        clock.now = 160.0
    assert written.getvalue().count("200 tokens/s in, 20 tokens/s out") == 2


def test_the_cost_so_far_has_that_of_the_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    written = _console(monkeypatch, terminal=False)
    with LiveView() as view:
        view.begin(1, 0)
        view.tried(Trial(reply_schema="honoured", cost_usd=0.25))
        view.advance(_reply(1, cost_usd=0.5))
    assert "trial: reply schema: honoured" in written.getvalue()
    assert "$0.75" in written.getvalue().splitlines()[-1]


@pytest.mark.parametrize("terminal", [True, False])
def test_nothing_is_shown_of_a_run_that_never_began(monkeypatch: pytest.MonkeyPatch, *, terminal: bool) -> None:
    written = _console(monkeypatch, terminal=terminal)
    with LiveView():
        pass
    assert written.getvalue() == ""


def test_a_line_has_nothing_that_is_unknown() -> None:
    meter = Meter()
    meter.add(_reply(1))
    assert figures_line(meter, 1.0) == ""


def test_amounts_below_a_cent_keep_two_digits_that_say_something() -> None:
    assert [dollars(x) for x in (None, 0.0, 0.000123, 0.01, 12.345, 1234.5)] == [
        "–", "$0.00", "$0.00012", "$0.01", "$12.35", "$1,234.50",
    ]  # fmt: skip


def test_durations_have_the_units_that_matter() -> None:
    assert [duration(x) for x in (0, 59.4, 61, 3540, 3599, 7500, 360000)] == [
        "0 s", "59 s", "1 min", "59 min", "1 h 00 min", "2 h 05 min", "100 h 00 min",
    ]  # fmt: skip


def test_the_end_says_what_to_do_about_what_did_not_end_well() -> None:
    # The thirteen requests of a messy batch: five ok, one partial, two that need a change, five to send again.
    states = {"ok": 5, "truncated": 1, "degenerate": 1, "blocked": 1, "too_long": 1, "error": 4}
    counts = {"requests": 13, "outputs": 5, "partial": 1, "to_resend": 5, "need_change": 2, "requests_by_state": states}
    lines = list(outcome_lines(_run(counts)))
    assert lines[0] == "13 asked, 5 ok, 1 partial, 5 to resend, 2 need a change"
    assert lines[1] == "  failed in the end: 1 truncated, 1 degenerate, 1 blocked, 1 too_long, 4 error"
    assert lines[2].startswith("  error: repeat the command")
    assert lines[3].startswith("  damaged: repeat the command with a --resend above 2, 9 at most; or in a new run")
    assert "--tokens" in lines[4]


def test_nobody_is_told_to_repeat_a_command_that_would_ask_nothing() -> None:
    counts = {"requests": 1, "outputs": 0, "partial": 1, "requests_by_state": {"truncated": 1}}
    assert not any("repeat the command;" in line for line in outcome_lines(_run(counts)))
    # More than nine rounds there are not.
    (advice,) = [line for line in outcome_lines(_run(counts, mode="quote", resend=9)) if "damaged" in line]
    assert "--resend" not in advice
    assert "another model, a larger --max-tokens or --mode span" in advice
    counts = {"requests": 1, "outputs": 0, "to_resend": 1, "requests_by_state": {"error": 1}}
    assert not any("--resend" in line for line in outcome_lines(_run(counts)))


def test_the_end_of_a_run_without_faults_is_one_line() -> None:
    counts = {"requests": 3, "outputs": 3, "requests_by_state": {"ok": 3, "error": 0}}
    assert list(outcome_lines(_run(counts))) == ["3 asked, 3 ok"]


def test_what_was_spent_leaves_out_what_is_unknown() -> None:
    assert spent_line({"prompt_tokens": 0, "output_tokens": 0, "cost_usd": None}) == ""
    assert spent_line({"prompt_tokens": 1500, "output_tokens": 20, "cost_usd": 0.004, "from_cache": 1}) == (
        "1,500 tokens in, 20 tokens out, 1 reply from the cache, $0.004"
    )
    assert spent_line({"prompt_tokens": 5, "cost_usd": 1.0, "spent_usd": 3.5, "unused": {"requests": 4}}) == (
        "5 tokens in, $1.00, $3.50 with 4 replies no longer part of the result"
    )
