"""What is told while a run goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from fingreat.inference import Trial
from fingreat.schema import Reply


class Progress(Protocol):
    """What is told while a run goes on; `fingreat.cli` shows it."""

    def begin(self, total: int, done: int) -> None:
        """So many requests in all, so many of them answered by an earlier call."""
        ...

    def timed(self, seconds: Callable[[], float]) -> None:
        """What says, whenever it is asked, how long the model was asked in this call."""
        ...

    def tried(self, trial: Trial) -> None:
        """What a trial of the model showed."""
        ...

    def more(self, number: int) -> None:
        """So many requests came to the total: damaged replies are asked for once more."""
        ...

    def advance(self, reply: Reply) -> None:
        """One more reply is on disk."""
        ...

    def note(self, line: str) -> None:
        """Something that whoever started the run should know: that the provider lets it wait.

        It may come from any thread.
        """
        ...


class Silent:
    """Progress that nobody watches."""

    def begin(self, total: int, done: int) -> None:
        """Say nothing."""

    def timed(self, seconds: Callable[[], float]) -> None:
        """Say nothing."""

    def tried(self, trial: Trial) -> None:
        """Say nothing."""

    def more(self, number: int) -> None:
        """Say nothing."""

    def advance(self, reply: Reply) -> None:
        """Say nothing."""

    def note(self, line: str) -> None:
        """Say nothing."""
