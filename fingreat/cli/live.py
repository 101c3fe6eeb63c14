"""What a person sees while a model is asked, and when it is done."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from fingreat.cli.common import err, say
from fingreat.inference import Trial
from fingreat.inference.fate import Fate, fates_in_words
from fingreat.pipeline.asked_model import MOST_RESENDS
from fingreat.pipeline.meter import Meter, plus
from fingreat.report.tables import DASH, count_of
from fingreat.runs import Beside, Manifest
from fingreat.schema import Reply

_PLAIN_EVERY = 30.0
"""Seconds between two lines where standard error is no terminal."""
_CENT = 0.01


class _Bar(Progress):
    """A bar with a line of figures under it, which may be longer than a column of the bar."""

    figures = ""

    def get_renderables(self) -> Iterable[RenderableType]:
        """The bar, and the line where there is something to say; wrapped, for a live view is cut at the edge."""
        yield self.make_tasks_table(self.tasks)
        if self.figures:
            yield Padding(Text(self.figures, no_wrap=False, overflow="fold"), (0, 0, 0, 2))


class LiveView:
    """Requests done and left, cost, tokens a second, cache hits and damaged replies, on standard error.

    A bar on a terminal; elsewhere a plain line now and then, which a log file takes. All figures are those of one call;
    those of the run, all its calls together, are in its manifest.

    Args:
        description: what is done, in a word.
        clock: seconds from any fixed point: when a line is due.
    """

    def __init__(self, description: str = "asking", clock: Callable[[], float] = time.monotonic) -> None:
        self._description = description
        self._clock = clock
        self._meter = Meter()
        self._total = self._before = 0
        self._beside = Beside()
        self._seconds: Callable[[], float] = float
        self._said = 0.0
        self._bar = _Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=err,
            disable=not err.is_terminal,
        )
        self._task = self._bar.add_task(description, total=None)

    def __enter__(self) -> LiveView:
        return self

    def __exit__(self, *exc: object) -> None:
        # A bar that never began would only leave an empty line before the message.
        if self._bar.live.is_started:
            self._bar.figures = self._figures()
            self._bar.stop()
        elif self._meter.replies:
            self._say_line()

    def begin(self, total: int, done: int) -> None:
        """Show how many requests there are, and that some were answered before."""
        if done:
            say(f"going on: {done:,} of {total:,} requests were answered before")
        self._total, self._before = total, done
        self._said = self._clock()
        self._bar.update(self._task, total=total, completed=done)
        self._bar.start()

    def timed(self, seconds: Callable[[], float]) -> None:
        """Rates and time left are by this clock: how long the model was asked."""
        self._seconds = seconds

    def tried(self, trial: Trial) -> None:
        """Show what a trial found, and count what it cost."""
        self._beside = plus(self._beside, trial)
        for line in trial.lines():
            say(f"trial: {line}")

    def more(self, number: int) -> None:
        """Requests that came to the total: damaged replies are asked for once more."""
        self._total += number
        self._bar.update(self._task, total=self._total)

    def advance(self, reply: Reply) -> None:
        """One more reply."""
        self._meter.add(reply)
        if err.is_terminal:
            self._bar.figures = self._figures()
            self._bar.update(self._task, advance=1)
        elif self._clock() - self._said >= _PLAIN_EVERY:
            self._say_line()

    def note(self, line: str) -> None:
        """A line above the bar."""
        say(line)

    def _figures(self) -> str:
        return figures_line(self._meter, self._seconds(), self._beside)

    def _say_line(self) -> None:
        self._said = self._clock()
        done = self._before + self._meter.replies
        parts = (f"{done:,} of {self._total:,} done", self._time_left(), self._figures())
        say(f"{self._description}: {', '.join(part for part in parts if part)}")

    def _time_left(self) -> str:
        left = self._total - self._before - self._meter.replies
        if left <= 0:
            return ""
        return f"about {duration(left * self._seconds() / self._meter.replies)} left"


def figures_line(meter: Meter, seconds: float, beside: Beside = Beside()) -> str:
    """Cost, rates, cache hits and damage by state of the replies so far, in one line; nothing that is 0 or unknown.

    Args:
        seconds: wall time while the model was asked.
        beside: what was paid for beside them.
    """
    figures = meter.figures(seconds, beside)
    # Nothing was spent on what came from the cache, whatever it once cost.
    cost = figures["cost_usd"]
    parts = [dollars(cost)] if cost is not None and (cost or not figures["from_cache"]) else []
    parts += [
        f"{figures[f'{kind}_tokens_per_second']:,.0f} tokens/s {way}"
        for kind, way in (("prompt", "in"), ("output", "out"))
        if figures[f"{kind}_tokens_per_second"]
    ]
    if figures["from_cache"]:
        parts.append(f"{figures['from_cache']:,} from the cache")
    if failed := meter.failed:
        # Not chunks that failed: most of these are asked again, and heal.
        states = ", ".join(f"{count:,} {state}" for state, count in failed.items())
        parts.append(f"{count_of(sum(failed.values()), 'damaged reply')} ({states})")
    return ", ".join(parts)


def dollars(amount: float | None) -> str:
    """An amount in US dollars with its cents; with two digits that say something below a cent, a dash for None."""
    if amount is None:
        return DASH
    return f"${amount:,.2f}" if amount >= _CENT or not amount else f"${amount:.2g}"


def duration(seconds: float) -> str:
    """A time in the one or two units that matter: "42 s", "3 min", "2 h 05 min"."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60:,} h {minutes % 60:02} min"


def outcome_lines(manifest: Manifest) -> Iterator[str]:
    """What became of the requests of a run, and what to do about those that did not end well."""
    counts, resolved = manifest.counts, manifest.resolved
    fates = {fate: counts.get(fate.value, 0) for fate in Fate} | {Fate.OK: counts["outputs"]}
    parts = [f"{counts['requests']:,} asked", *fates_in_words(fates)]
    if counts.get("resent"):
        parts.append(f"{counts['resent']:,} sent again, {counts.get('healed', 0):,} healed by it")
    yield ", ".join(parts)
    states = {state: number for state, number in counts["requests_by_state"].items() if number and state != "ok"}
    if states:
        yield "  failed in the end: " + ", ".join(f"{number:,} {state}" for state, number in states.items())
    damaged = (counts.get("to_resend", 0) + counts.get("partial", 0)) - states.get("error", 0)
    if states.get("error"):
        yield "  error: repeat the command; what has no answer is asked again"
    if damaged > 0:
        yield f"  damaged: {_for_damaged(resolved)}"
    if counts.get("need_change"):
        yield "  need a change: another --tokens, --max-tokens or model; the same request would end the same"


def _for_damaged(resolved: Mapping[str, Any]) -> str:
    """What helps where replies stayed damaged; all but `resend` makes other requests, and so another run."""
    ways = "another model, a larger --max-tokens"
    if resolved["mode"] == "quote":
        ways += " or --mode span"
    elsewhere = f"in a new run (--out), {ways} may help"
    if resolved["resend"] >= MOST_RESENDS:
        return elsewhere
    return f"repeat the command with a --resend above {resolved['resend']}, {MOST_RESENDS} at most; or {elsewhere}"


def spent_line(counts: Mapping[str, Any]) -> str:
    """Tokens, cache hits and dollars of a run, in one line; empty where a model took no tokens."""
    parts = [
        f"{counts[name]:,} tokens {way}"
        for name, way in (("prompt_tokens", "in"), ("output_tokens", "out"))
        if counts.get(name)
    ]
    if counts.get("cached_tokens"):
        parts.append(f"{counts['cached_tokens']:,} of those in read from the engine's prefix cache")
    if counts.get("from_cache"):
        parts.append(f"{count_of(counts['from_cache'], 'reply')} from the cache")
    if counts.get("cost_usd") is not None and (counts["cost_usd"] or not counts.get("from_cache")):
        parts.append(dollars(counts["cost_usd"]))
    if counts.get("spent_usd"):
        unused = count_of(counts["unused"]["requests"], "reply")
        parts.append(f"{dollars(counts['spent_usd'])} with {unused} no longer part of the result")
    return ", ".join(parts)
