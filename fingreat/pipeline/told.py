"""What back ends log while they are asked reaches whoever watches the run."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_SPEAKS = logging.getLogger("fingreat.inference")
"""By it back ends say what takes its time, such as batches under way or a server that asks to wait."""


class _Told(logging.Handler):
    def __init__(self, note: Callable[[str], None]) -> None:
        super().__init__(logging.INFO)
        self._note = note

    def emit(self, record: logging.LogRecord) -> None:
        self._note(record.getMessage())


@contextmanager
def told(note: Callable[[str], None]) -> Iterator[None]:
    """Pass on what back ends log, from `INFO` on, for as long as the block lasts.

    Args:
        note: takes a line, from any thread.
    """
    handler, level = _Told(note), _SPEAKS.level
    _SPEAKS.addHandler(handler)
    _SPEAKS.setLevel(logging.INFO)
    try:
        yield
    finally:
        _SPEAKS.removeHandler(handler)
        _SPEAKS.setLevel(level)
