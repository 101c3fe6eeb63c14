"""How it stands with what was asked, once its replies are judged: one rule for batches, runs and the console."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

from fingreat.schema import ReplyState

NEED_CHANGE = (ReplyState.BLOCKED, ReplyState.TOO_LONG)
"""The same request would end the same: another model, budget or text is needed."""


class Fate(StrEnum):
    """Where something that was asked stands; the values name the counts of a run."""

    OK = "ok"
    PARTIAL = "partial"
    TO_RESEND = "to_resend"
    NEED_CHANGE = "need_change"


_WORDS = {
    Fate.OK: ("ok", "ok"),
    Fate.PARTIAL: ("partial", "partial"),
    Fate.TO_RESEND: ("to resend", "to resend"),
    Fate.NEED_CHANGE: ("needs a change", "need a change"),
}


def fate_of(state: ReplyState | None, kept: int = 0, *, needs_change: bool = False) -> Fate:
    """Where something stands.

    It is `ok`; needs a change where it, or a part of it, would end the same again; is `partial` where a damaged reply
    keeps whole extractions; and is to be resent otherwise.

    Args:
        state: None where no reply came.
        kept: how many extractions it has.
        needs_change: whether a part of it has a state that needs one.
    """
    if state is ReplyState.OK:
        return Fate.OK
    if needs_change or state in NEED_CHANGE:
        return Fate.NEED_CHANGE
    return Fate.PARTIAL if kept else Fate.TO_RESEND


def fates_in_words(numbers: Mapping[Fate, int]) -> Iterator[str]:
    """Numbers with their fates, such as "5 ok" and "1 needs a change"; without those that are 0, but for `ok`."""
    for fate, words in _WORDS.items():
        number = numbers.get(fate, 0)
        if number or fate is Fate.OK:
            yield f"{number:,} {words[number != 1]}"
