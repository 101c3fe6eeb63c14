"""Running the command line as a user does, in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from fingreat.cli import common, main


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Run `fingreat` with some arguments, with a console of 200 columns whatever COLUMNS says here."""
    monkeypatch.setattr(common.out, "width", 200)

    def invoke(*arguments: object) -> Outcome:
        code = main([str(argument) for argument in arguments])
        captured = capfdbinary.readouterr()
        return Outcome(code, captured.out.decode(), captured.err.decode())

    return invoke
