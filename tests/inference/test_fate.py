"""Where something stands that was asked: the table of the batch case, by hand."""

from __future__ import annotations

import pytest

from fingreat.inference.fate import Fate, fate_of, fates_in_words
from fingreat.inference.hosted.batch_files import Join
from fingreat.inference.parse import Item, Judged
from fingreat.pipeline.meter import Meter, Spent
from fingreat.pipeline.pieces import Ended
from fingreat.pipeline.tally import Tally
from fingreat.runs import Beside
from fingreat.schema import Extraction, ReplyState, Verdict

_KEPT = Extraction(
    id="x",
    run="r",
    filing_id="f",
    chunk_id="c",
    quote="Sales rose.",
    edge="e",
    verdict=Verdict.EXACT,
    ranges=((0, 11),),
)
_ROWS = [
    (ReplyState.OK, 0, Fate.OK),
    (ReplyState.OK, 1, Fate.OK),
    (ReplyState.TRUNCATED, 0, Fate.TO_RESEND),
    (ReplyState.TRUNCATED, 1, Fate.PARTIAL),
    (ReplyState.DEGENERATE, 0, Fate.TO_RESEND),
    (ReplyState.INVALID_JSON, 0, Fate.TO_RESEND),
    (ReplyState.SCHEMA_VIOLATION, 1, Fate.PARTIAL),
    (ReplyState.OFF_GRAPH, 0, Fate.TO_RESEND),
    (ReplyState.BLOCKED, 0, Fate.NEED_CHANGE),
    (ReplyState.TOO_LONG, 0, Fate.NEED_CHANGE),
    (ReplyState.ERROR, 0, Fate.TO_RESEND),
]


@pytest.mark.parametrize(("state", "kept", "fate"), _ROWS)
def test_batches_and_runs_tell_the_same_of_a_reply(state: ReplyState, kept: int, fate: Fate) -> None:
    assert fate_of(state, kept) is fate
    tally = Tally()
    tally.chunk(Ended(state, extractions=(_KEPT,) * kept))
    counts = tally.counts(1.0, Spent(Meter(), Beside()))
    named = {one: counts[one.value] for one in (Fate.PARTIAL, Fate.TO_RESEND, Fate.NEED_CHANGE)}
    assert named | {Fate.OK: counts["outputs"]} == {one: int(one is fate) for one in Fate}
    summary = Join(frozenset({"a"})).summary({"a": Judged(state, (Item(0, "e", "Sales rose."),) * kept)})
    words = {"partial": "1 partial", "to_resend": "1 to resend", "need_change": "1 needs a change"}
    assert summary == ("1 asked, 1 ok" if fate is Fate.OK else f"1 asked, 0 ok, {words[fate]}")


def test_a_part_that_needs_a_change_decides_for_the_whole() -> None:
    assert fate_of(ReplyState.TRUNCATED, 3, needs_change=True) is Fate.NEED_CHANGE


def test_what_never_came_is_to_be_resent() -> None:
    assert fate_of(None) is Fate.TO_RESEND


def test_numbers_stand_with_their_words() -> None:
    numbers = {Fate.OK: 1200, Fate.NEED_CHANGE: 1}
    assert list(fates_in_words(numbers)) == ["1,200 ok", "1 needs a change"]
