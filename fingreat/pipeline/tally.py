"""The counts of a run, which must add up."""

from __future__ import annotations

from collections import Counter

from fingreat.inference.fate import Fate, fate_of
from fingreat.pipeline.meter import Meter, Spent
from fingreat.pipeline.pieces import Ended
from fingreat.schema import ReplyState, SectionStatus, Verdict


class Tally:
    """Counts filings by status, chunks by state and extractions by verdict, and sums tokens, seconds and dollars."""

    def __init__(self) -> None:
        self._filings: Counter[SectionStatus] = Counter()
        self._states: Counter[ReplyState] = Counter()
        self._verdicts: Counter[Verdict] = Counter()
        self._fates: Counter[Fate] = Counter()
        self._healed = self._split = 0
        self._meter = Meter()
        self._keys: set[str] = set()
        self._again: set[str] = set()

    def filing(self, status: SectionStatus) -> None:
        """One more section of the corpus; those not `found` are skipped."""
        self._filings[status] += 1

    def chunk(self, ended: Ended) -> None:
        """One more chunk with its end. Chunks with the same words share replies, which cost once."""
        self._states[ended.state] += 1
        self._verdicts.update(extraction.verdict for extraction in ended.extractions)
        self._again |= ended.again
        self._fates[fate_of(ended.state, len(ended.extractions), needs_change=ended.needs_change)] += 1
        self._healed += ended.state is ReplyState.OK and bool(ended.again)
        self._split += ended.split
        for reply in ended.replies:
            if reply.key not in self._keys:
                self._keys.add(reply.key)
                self._meter.add(reply)

    @property
    def chunks(self) -> int:
        """How many chunks have come to an end."""
        return self._states.total()

    def counts(self, seconds: float, spent: Spent) -> dict[str, object]:
        """For the manifest.

        `requests`, one per chunk, = `outputs` + `failures`; the three breakdowns sum to their totals. Of the outputs,
        `healed` were damaged at first. The failures are those that kept something (`partial`), those that another
        model or text might answer (`need_change`), and those to ask again (`to_resend`). `replies` are the distinct
        ones that chunks with equal words share, and the tokens, seconds and dollars are theirs; `resent` of them were
        asked for because an earlier one was damaged.

        Args:
            seconds: wall time while the model was asked.
            spent: what the run asked in all: these replies, others that are no part of the result any more, and more.
        """
        requests, extractions = self.chunks, self._verdicts.total()
        grounded = sum(count for verdict, count in self._verdicts.items() if verdict.grounded)
        return {
            "filings": self._filings.total(),
            "filings_by_status": {status.value: self._filings[status] for status in SectionStatus},
            "requests": requests,
            "outputs": self._states[ReplyState.OK],
            "failures": requests - self._states[ReplyState.OK],
            "requests_by_state": {state.value: self._states[state] for state in ReplyState},
            "resent": len(self._again),
            "healed": self._healed,
            "split_chunks": self._split,
            **{fate.value: self._fates[fate] for fate in (Fate.PARTIAL, Fate.TO_RESEND, Fate.NEED_CHANGE)},
            "extractions": extractions,
            "grounded": grounded,
            "grounded_share": grounded / extractions if extractions else None,
            "extractions_by_verdict": {verdict.value: self._verdicts[verdict] for verdict in Verdict},
            **self._meter.figures(seconds, spent.beside, spent.replies),
        }
