"""From replies to classifications: one edge for each passage, and what became of those that have none."""

from __future__ import annotations

from collections import Counter

from fingreat.errors import RunError
from fingreat.inference import RawReply
from fingreat.inference.classify_judge import ClassifyJudge
from fingreat.inference.fate import NEED_CHANGE
from fingreat.pipeline.meter import Meter, Spent
from fingreat.pipeline.questions import Question, Variant
from fingreat.runs import RecordLog
from fingreat.schema import Classification, Failure, Reply, ReplyState, content_id

_ENGINE_STATES = (ReplyState.ERROR, ReplyState.BLOCKED, ReplyState.TOO_LONG)


class Choices:
    """The classifications of a run, made of its replies, with their counts.

    Attributes:
        failures: one for each passage without an edge.
    """

    def __init__(self, run: str, log: RecordLog[Reply], judge: ClassifyJudge) -> None:
        self._run = run
        self._log = log
        self._judge = judge
        self._states: Counter[ReplyState] = Counter()
        self._meter = Meter()
        self._met: set[str] = set()
        self._resent = self._healed = self._halved = 0
        self.failures: list[Failure] = []

    def reply(self, question: Question, *, again: bool = False) -> Reply:
        """The reply to a question, whose tokens are counted the first time.

        Args:
            again: whether it was asked because an earlier one was damaged.

        Raises:
            RunError: there is none.
        """
        key = question.request.key
        reply = self._log.get(key)
        if reply is None:
            raise RunError(f"request {key} has no reply.", where=str(self._log.folder), hint="Run it again.")
        if key not in self._met:
            self._met.add(key)
            self._meter.add(reply)
            self._resent += again
        return reply

    def last(self, question: Question, variant: Variant) -> Classification:
        """The classification that the last reply to a passage gives."""
        again = variant.samples > 0
        self._halved += variant.halvings > 0
        reply = self.reply(question, again=again)
        # Judged anew from the raw text, so that a reply means the same whenever it is read.
        engine_state = reply.state if reply.state in _ENGINE_STATES else None
        raw = RawReply(text=reply.text, finish_reason=reply.finish_reason, state=engine_state, detail=reply.detail)
        judged = self._judge.judge(raw, 1)
        self._states[judged.state] += 1
        passage = question.passage
        if judged.state is ReplyState.OK:
            self._healed += again
        else:
            reason = judged.detail or judged.state.value
            self.failures.append(
                Failure(stage="ask", id=reply.key, filing_id=passage.filing_id, state=judged.state, reason=reason)
            )
        return Classification(
            # The passage stands beside the key: two passages with the same words share one request.
            id=content_id("cls", [reply.key, passage.passage_id]),
            run=self._run,
            filing_id=passage.filing_id,
            passage_id=passage.passage_id,
            edge=judged.items[0].edge if judged.items else None,
            state=judged.state,
            context=question.context.range,
            context_kind=question.context.kind,
            context_tokens=question.context.n_tokens,
        )

    def counts(self, seconds: float, spent: Spent) -> dict[str, object]:
        """For the manifest: `requests`, one per passage, = `outputs` + `failures` = the sum of the states.

        Of the outputs, `healed` were damaged at first. The failures are those that another model or text might answer
        (`need_change`), and those to ask again (`to_resend`). `resent` replies were asked for because an earlier one
        was damaged. `halved_contexts` are passages whose request was too long after all, and was asked with half of
        its context, or less.

        Args:
            seconds: wall time while the model was asked.
            spent: what the run asked in all: these replies, others that are no part of the result any more, and more.
        """
        requests, outputs = self._states.total(), self._states[ReplyState.OK]
        need_change = sum(self._states[state] for state in NEED_CHANGE)
        return {
            "requests": requests,
            "outputs": outputs,
            "failures": requests - outputs,
            "requests_by_state": {state.value: self._states[state] for state in ReplyState},
            "resent": self._resent,
            "healed": self._healed,
            "halved_contexts": self._halved,
            "to_resend": requests - outputs - need_change,
            "need_change": need_change,
            **self._meter.figures(seconds, spent.beside, spent.replies),
        }
