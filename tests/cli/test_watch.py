"""What is shown while filings are gone through, by a clock that the test turns."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from fingreat.cli import watch
from fingreat.cli.watch import Watch


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def _console(monkeypatch: pytest.MonkeyPatch, *, terminal: bool) -> StringIO:
    written = StringIO()
    console = Console(file=written, force_terminal=terminal, width=100, highlight=False)
    monkeypatch.setattr(watch, "err", console)
    monkeypatch.setattr("fingreat.cli.common.err", console)
    return written


@pytest.mark.parametrize("terminal", [True, False])
def test_quick_work_says_nothing(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    written, clock = _console(monkeypatch, terminal=terminal), Clock()
    with Watch("matching", clock) as view:
        for done in range(4):
            clock.now += 0.1
            view(done, 3)
    assert written.getvalue() == ""


def test_a_log_file_gets_a_plain_line_every_half_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    written, clock = _console(monkeypatch, terminal=False), Clock()
    with Watch("matching", clock) as view:
        clock.now += 29.0
        view(0, 2000)
        clock.now += 1.0
        view(0, 2000)
        clock.now += 10.0
        view(500, 2000)
        clock.now += 20.0
        # 1,000 took 60 s, so the other 1,000 take a minute.
        view(1000, 2000)
        clock.now += 60.0
        view(2000, 2000)
    assert written.getvalue().splitlines() == [
        "matching: 0 of 2,000 filings",
        "matching: 1,000 of 2,000 filings, about 1 min left",
    ]


def test_a_terminal_gets_a_bar_that_is_gone_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    written, clock = _console(monkeypatch, terminal=True), Clock()
    with Watch("matching", clock) as view:
        view(1, 3)
        clock.now += 2.0
        view(2, 3)
    assert "matching" in written.getvalue()
    assert "2/3" in written.getvalue()
    # The cursor is shown again, and the bar's line erased.
    assert written.getvalue().endswith("\x1b[1A\x1b[2K")
