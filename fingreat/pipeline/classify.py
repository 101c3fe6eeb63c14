"""Classification, start to end: gold passages → contexts → requests → replies → one edge each → accuracy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from fingreat.analysis import Accuracy, measure_accuracy
from fingreat.errors import InputError, RunError
from fingreat.inference import Backend, RawReply, create_backend, parse_spec
from fingreat.inference.classify_judge import ClassifyJudge
from fingreat.pipeline.asking import Asker, AskOptions, Progress, Silent, run_in_folder
from fingreat.pipeline.corpus_folder import CorpusFolder
from fingreat.pipeline.gold import read_gold
from fingreat.pipeline.meter import Meter
from fingreat.pipeline.questions import ClassifyConfig, Question, Questions, Variant
from fingreat.runs import (
    Manifest,
    ModelInfo,
    RecordLog,
    RunFolder,
    part_paths,
    readers,
    sha256_of,
    write_atomic,
    write_records,
)
from fingreat.schema import (
    Classification,
    Failure,
    GoldPassage,
    Graph,
    Reply,
    ReplyState,
    Request,
    canonical_json,
    content_id,
    load_graph,
    sha256_hex,
)

STAGE = "classify"
_ENGINE_STATES = (ReplyState.ERROR, ReplyState.BLOCKED, ReplyState.TOO_LONG)
_OTHERWISE = (
    ReplyState.TRUNCATED,
    ReplyState.DEGENERATE,
    ReplyState.INVALID_JSON,
    ReplyState.SCHEMA_VIOLATION,
    ReplyState.OFF_GRAPH,
)
"""What another draw may heal; `too_long` is asked with half of the context, and `blocked` not again."""


@dataclass(frozen=True)
class Classified:
    """A complete run, and how often it was right."""

    manifest: Manifest
    accuracy: Accuracy


def classify(
    gold: Path,
    config: ClassifyConfig,
    out: Path,
    *,
    corpus: CorpusFolder | None = None,
    options: AskOptions = AskOptions(),  # noqa: B008 - frozen
    progress: Progress | None = None,
    backend: Backend | None = None,
) -> Classified:
    """Have a model name the one edge of every gold passage, or go on with a run that was stopped.

    Passages that accept no edge are not asked about: there is no right answer to give.

    Args:
        gold: JSON Lines of `GoldPassage`.
        out: the run folder. A folder that holds a run with other settings is refused.
        corpus: where the passages' filings are; without it a passage is its own context.
        backend: used instead of the one that `config.model` names, and left open.

    Returns:
        the manifest of the complete run, whose `counts` add up: every passage is left out, an output or a failure;
        and the accuracy, in which a failure counts as wrong.

    Raises:
        InputError, CorpusError, MissingExtraError, BackendError, CostError, RunError, StorageError: with what to do.
            The run folder keeps every reply that was written; the same call goes on from there.
    """
    if corpus is not None and out.resolve() == corpus.path.resolve():
        raise InputError(
            "is the corpus; a run needs a folder of its own.", where=str(out), hint="Choose another --out."
        )
    RunFolder(out).check_place()
    graph = load_graph(config.schema_file)
    passages = _checked(read_gold(gold), graph, gold)
    if backend is None:
        with closing(create_backend(config.model, graph, options.settings)) as made:
            return classify(gold, config, out, corpus=corpus, options=options, progress=progress, backend=made)
    if corpus is None:
        return _Steps(gold, passages, config, graph, backend, corpus).run(RunFolder(out), options, progress or Silent())
    with readers(corpus.path):
        return _Steps(gold, passages, config, graph, backend, corpus).run(RunFolder(out), options, progress or Silent())


def _checked(passages: list[GoldPassage], graph: Graph, gold: Path) -> list[GoldPassage]:
    """The passages, none of which accepts an edge that the graph lacks, and some of which accept one that it has."""
    for passage in passages:
        if unknown := passage.accepted - set(graph.edges):
            raise InputError(
                f"passage {passage.passage_id} accepts {', '.join(sorted(unknown))}, no edge of graph '{graph.name}'.",
                where=str(gold),
                hint="Name the graph that it was labelled with: --schema FILE.",
            )
    if not any(passage.accepted for passage in passages):
        raise InputError("none of its passages accepts an edge.", where=str(gold), hint="Choose another gold file.")
    return passages


class _Steps:
    """The steps of one run."""

    def __init__(
        self,
        gold: Path,
        passages: list[GoldPassage],
        config: ClassifyConfig,
        graph: Graph,
        backend: Backend,
        corpus: CorpusFolder | None,
    ) -> None:
        self.gold = gold
        self.passages = passages
        self.eligible = [passage for passage in passages if passage.accepted]
        self.config = config
        self.graph = graph
        self.backend = backend
        self.corpus = corpus
        self.judge = ClassifyJudge(graph)
        self.questions = Questions(config, graph, backend, self.eligible, corpus)
        self.failures: list[Failure] = []
        self.states: Counter[ReplyState] = Counter()
        self.resent = self.healed = 0
        self.meter = Meter()
        self.accuracy: Accuracy | None = None

    def run(self, run: RunFolder, options: AskOptions, progress: Progress) -> Classified:
        """Ask what is open, then make everything that follows from the replies anew."""
        # What cannot be run is refused before a folder is made, and leaves a finished run as it is.
        keys = self.questions.survey()

        def work(manifest: Manifest) -> tuple[dict[str, object], dict[str, str]]:
            run.clear_done(STAGE)
            with Asker(run, self.backend, self.judge, options, progress, self._trial()) as asker:
                asker.begin(set(keys))
                asked = self._ask(asker)
                records = self._classifications(manifest.name, asker.log, asked)
                _, parts = write_records(run.classifications, records)
                seconds = asker.seconds
            write_atomic(run.failures, "".join(one.model_dump_json() + "\n" for one in self.failures).encode())
            run.mark_done(STAGE, [*part_paths(run.replies), *parts, run.failures])
            return self._counts(seconds), {"gold": sha256_of(self.gold), **self.questions.inputs}

        manifest = run_in_folder(run, self._manifest(run.path.resolve().name, options), work)
        if self.accuracy is None:
            raise RunError("was not measured.", where=str(run.path), hint="Run it again.")
        return Classified(manifest, self.accuracy)

    def _manifest(self, name: str, options: AskOptions) -> Manifest:
        """What this run is, before it begins."""
        resolved = self.config.model_dump(mode="json", exclude={"model", "schema_file"})
        preset = options.settings.preset
        return Manifest.new(
            name,
            kind="classify",
            asked=self._asked(),
            resolved=resolved | {"mode": STAGE, "graph": self.graph.name},
            model=ModelInfo(
                spec=self.config.model,
                backend=parse_spec(self.config.model).backend,
                model=self.backend.model,
                revision=self.backend.revision,
                context=self.backend.context,
                base_url=options.settings.base_url,
                options=dict(self.backend.options),
                family=preset.family,
                total_parameters=preset.total_parameters,
            ),
            hashes={
                "prompt": self.questions.prompt.digest,
                "graph": self.graph.digest,
                "reply_schema": sha256_hex(canonical_json(self.questions.prompt.reply_schema).encode()),
            },
        )

    def _asked(self) -> dict[str, object]:
        """The configuration as passed, and where gold, corpus and graph file are, for what reads the run later."""
        asked = self.config.model_dump(mode="json", exclude_unset=True) | {"gold": str(self.gold.resolve())}
        if self.corpus is not None:
            asked["corpus"] = str(self.corpus.path.resolve())
        file = self.config.schema_file
        return asked | ({"schema_file": str(file.resolve())} if file else {})

    def _ask(self, asker: Asker) -> dict[str, Variant]:
        """Ask every passage, and what came back damaged again, otherwise; what follows is derived from the replies on
        disk alone, so that a run that goes on asks the same.

        Returns:
            passage id → how it was asked last.
        """
        latest = {passage.passage_id: Variant() for passage in self.eligible}
        asker.ask(question.request for question in self.questions.all())
        again = dict(latest)
        for _ in range(self.config.resend):
            again = {
                question.passage.passage_id: variant
                for question in self.questions.all(again)
                if (variant := self._next(asker.log.get(question.request.key), latest, question)) is not None
            }
            if not again:
                break
            keys = {question.request.key for question in self.questions.all(again)}
            asker.ask((question.request for question in self.questions.all(again)), more=True)
            latest |= again
            self.resent += len(keys)
        return latest

    @staticmethod
    def _next(reply: Reply | None, latest: dict[str, Variant], question: Question) -> Variant | None:
        """How a passage is asked again; None where that cannot help."""
        variant = latest[question.passage.passage_id]
        if reply is not None and reply.state in _OTHERWISE:
            return replace(variant, samples=variant.samples + 1)
        if reply is not None and reply.state is ReplyState.TOO_LONG and question.context.range is not None:
            return replace(variant, halvings=variant.halvings + 1)
        return None

    def _classifications(self, run: str, log: RecordLog[Reply], asked: dict[str, Variant]) -> Iterator[Classification]:
        """One record for each passage, in the order of the gold file; counts and failures are filled on the way."""
        made = {}
        met = set()
        for question in self.questions.all(asked):
            reply = log.get(question.request.key)
            if reply is None:
                raise RunError(
                    f"request {question.request.key} has no reply.", where=str(log.folder), hint="Run it again."
                )
            if reply.key not in met:
                met.add(reply.key)
                self.meter.add(reply)
            one = self._classification(run, question, reply)
            self.healed += one.edge is not None and asked[one.passage_id] != Variant()
            made[one.passage_id] = one
        records = [made[passage.passage_id] for passage in self.eligible]
        years = {filing.id: filing.filed.year for filing in self.questions.filings.values() if filing.filed}
        self.accuracy = measure_accuracy(records, self.passages, self.graph, years=years)
        yield from records

    def _classification(self, run: str, question: Question, reply: Reply) -> Classification:
        # Judged anew from the raw text, so that a reply means the same whenever it is read.
        engine_state = reply.state if reply.state in _ENGINE_STATES else None
        raw = RawReply(text=reply.text, finish_reason=reply.finish_reason, state=engine_state, detail=reply.detail)
        judged = self.judge.judge(raw, 1)
        self.states[judged.state] += 1
        passage, key = question.passage, question.request.key
        if judged.state is not ReplyState.OK:
            reason = judged.detail or judged.state.value
            self.failures.append(
                Failure(stage="ask", id=key, filing_id=passage.filing_id, state=judged.state, reason=reason)
            )
        return Classification(
            # The passage stands beside the key: two passages with the same words share one request.
            id=content_id("cls", [key, passage.passage_id]),
            run=run,
            filing_id=passage.filing_id,
            passage_id=passage.passage_id,
            edge=judged.items[0].edge if judged.items else None,
            state=judged.state,
            context=question.context.range,
            context_kind=question.context.kind,
            context_tokens=question.context.n_tokens,
        )

    def _counts(self, seconds: float) -> dict[str, object]:
        """For the manifest: `passages` = `left_out` + `requests`; `requests` = `outputs` + `failures`."""
        requests, outputs = self.states.total(), self.states[ReplyState.OK]
        return {
            "passages": len(self.passages),
            "left_out": len(self.passages) - len(self.eligible),
            "requests": requests,
            "outputs": outputs,
            "failures": requests - outputs,
            "requests_by_state": {state.value: self.states[state] for state in ReplyState},
            "resent": self.resent,
            "healed": self.healed,
            "correct": len(self.accuracy.correct) if self.accuracy else 0,
            **self.questions.counts(),
            **self.meter.figures(seconds),
        }

    def _trial(self) -> Request | None:
        """The small request that tries a language model out: a passage of the graph's worked example."""
        example = self.graph.example
        return self.questions.trial(example) if example is not None else None
