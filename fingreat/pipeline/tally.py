"""The counts of a run, which must add up."""

from __future__ import annotations

from collections import Counter

from fingreat.pipeline.ground import JudgedChunk
from fingreat.schema import ReplyState, SectionStatus, Verdict


class Tally:
    """Counts filings by status, requests by state and extractions by verdict, and sums tokens and seconds."""

    def __init__(self) -> None:
        self._filings: Counter[SectionStatus] = Counter()
        self._states: Counter[ReplyState] = Counter()
        self._verdicts: Counter[Verdict] = Counter()
        self._sums: Counter[str] = Counter()
        self._seconds = 0.0
        self._keys: set[str] = set()

    def filing(self, status: SectionStatus) -> None:
        """One more section of the corpus; those not `found` are skipped."""
        self._filings[status] += 1

    def reply(self, judged: JudgedChunk) -> None:
        """One more chunk's request with its end. Chunks with the same words share a reply, which cost once."""
        self._states[judged.state] += 1
        self._verdicts.update(extraction.verdict for extraction in judged.extractions)
        if judged.reply.key in self._keys:
            return
        self._keys.add(judged.reply.key)
        for name in ("prompt_tokens", "cached_tokens", "output_tokens"):
            self._sums[name] += getattr(judged.reply, name) or 0
        self._seconds += judged.reply.seconds or 0.0

    @property
    def requests(self) -> int:
        """How many requests have come to an end."""
        return self._states.total()

    def counts(self) -> dict[str, object]:
        """For the manifest.

        `requests`, one per chunk, = `outputs` + `failures`; the three breakdowns sum to their totals. `replies` are
        the distinct ones that chunks with equal words share, and the tokens and seconds are theirs.
        """
        requests, extractions = self.requests, self._verdicts.total()
        grounded = sum(count for verdict, count in self._verdicts.items() if verdict.grounded)
        return {
            "filings": self._filings.total(),
            "filings_by_status": {status.value: self._filings[status] for status in SectionStatus},
            "requests": requests,
            "replies": len(self._keys),
            "outputs": self._states[ReplyState.OK],
            "failures": requests - self._states[ReplyState.OK],
            "requests_by_state": {state.value: self._states[state] for state in ReplyState},
            "extractions": extractions,
            "grounded": grounded,
            "grounded_share": grounded / extractions if extractions else None,
            "extractions_by_verdict": {verdict.value: self._verdicts[verdict] for verdict in Verdict},
            "prompt_tokens": self._sums["prompt_tokens"],
            "cached_tokens": self._sums["cached_tokens"],
            "output_tokens": self._sums["output_tokens"],
            "model_seconds": round(self._seconds, 3),
        }
