"""Classification, start to end: gold passages → contexts → requests → replies → one edge each → accuracy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from fingreat.analysis import Accuracy, measure_accuracy
from fingreat.errors import InputError, RunError
from fingreat.inference import Backend, create_backend
from fingreat.inference.classify_judge import ClassifyJudge
from fingreat.inference.dry import dry_backend
from fingreat.pipeline.asked_model import model_info, settings_for
from fingreat.pipeline.asking import Asker, AskOptions, run_in_folder
from fingreat.pipeline.choices import Choices
from fingreat.pipeline.corpus_folder import CorpusFolder
from fingreat.pipeline.estimate import Estimate, Planned, estimate
from fingreat.pipeline.gold import read_gold
from fingreat.pipeline.progress import Progress, Silent
from fingreat.pipeline.questions import ClassifyConfig, Question, Questions, Variant
from fingreat.runs import Manifest, RunFolder, part_paths, readers, sha256_of, write_atomic, write_records
from fingreat.schema import (
    Classification,
    GoldPassage,
    Graph,
    Reply,
    ReplyState,
    Request,
    canonical_json,
    load_graph,
    sha256_hex,
)

STAGE = "classify"
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
    graph, options = _checked(corpus, config, out, options)
    passages = _read(gold, graph)
    if backend is None:
        with closing(create_backend(config.model, graph, options.settings)) as made:
            return classify(gold, config, out, corpus=corpus, options=options, progress=progress, backend=made)
    with readers(corpus.path) if corpus is not None else nullcontext():
        return _Steps(gold, passages, config, graph, backend, corpus).run(RunFolder(out), options, progress or Silent())


def plan_classify(
    gold: Path,
    config: ClassifyConfig,
    out: Path,
    *,
    corpus: CorpusFolder | None = None,
    options: AskOptions = AskOptions(),  # noqa: B008 - frozen
) -> Estimate:
    """What `classify` would ask and cost; no engine is started, nothing is asked or written.

    Raises:
        InputError, CorpusError, MissingExtraError, RunError, StorageError: as the run itself would.
    """
    graph, options = _checked(corpus, config, out, options)
    passages = _read(gold, graph)
    with (
        closing(dry_backend(config.model, graph, options.settings)) as backend,
        readers(corpus.path) if corpus is not None else nullcontext(),
    ):
        steps = _Steps(gold, passages, config, graph, backend, corpus)
        steps.questions.survey()
        planned = Planned(RunFolder(out), steps.manifest(out.resolve().name, options), backend, options)
        return estimate(steps.requests(planned), planned)


def _checked(
    corpus: CorpusFolder | None, config: ClassifyConfig, out: Path, options: AskOptions
) -> tuple[Graph, AskOptions]:
    """The graph, and the options with what is known of the model; refuses a place where no run can be."""
    if corpus is not None and out.resolve() == corpus.path.resolve():
        raise InputError(
            "is the corpus; a run needs a folder of its own.", where=str(out), hint="Choose another --out."
        )
    RunFolder(out).check_place()
    settings = settings_for(config.model, config.base_url, config.models_file, options.settings)
    return load_graph(config.schema_file), replace(options, settings=settings)


def _read(gold: Path, graph: Graph) -> list[GoldPassage]:
    """The passages, none of which accepts an edge that the graph lacks, and some of which accept one that it has."""
    passages = read_gold(gold)
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
        self.accuracy: Accuracy | None = None

    def run(self, run: RunFolder, options: AskOptions, progress: Progress) -> Classified:
        """Ask what is open, then make everything that follows from the replies anew."""
        # What cannot be run is refused before a folder is made, and leaves a finished run as it is.
        keys = self.questions.survey()

        def work(manifest: Manifest) -> tuple[dict[str, object], dict[str, str]]:
            run.clear_done(STAGE)
            trial, largest = self._trial(), self.questions.largest
            with Asker(run, self.backend, self.judge, options, progress, trial=trial, largest=largest) as asker:
                asker.begin(set(keys))
                choices = Choices(manifest.name, asker.log, self.judge)
                asked = self._ask(asker, choices)
                _, parts = write_records(run.classifications, self._classifications(choices, asked))
                counts = choices.counts(asker.seconds, asker.spent())
            failures = "".join(failure.model_dump_json() + "\n" for failure in choices.failures)
            write_atomic(run.failures, failures.encode())
            run.mark_done(STAGE, [*part_paths(run.replies), *parts, run.failures])
            return self._passage_counts() | counts, {"gold": sha256_of(self.gold), **self.questions.inputs}

        manifest = run_in_folder(run, self.manifest(run.path.resolve().name, options), work)
        if self.accuracy is None:
            raise RunError("was not measured.", where=str(run.path), hint="Run it again.")
        return Classified(manifest, self.accuracy)

    def manifest(self, name: str, options: AskOptions) -> Manifest:
        """What this run is, before it begins."""
        elsewhere = {"model", "base_url", "models_file", "schema_file"}
        resolved = self.config.model_dump(mode="json", exclude=elsewhere)
        return Manifest.new(
            name,
            kind="classify",
            asked=self._asked(),
            # With a corpus passages have contexts: which corpus is told by the hashes of its texts.
            resolved=resolved | {"mode": STAGE, "graph": self.graph.name, "corpus": self.corpus is not None},
            model=model_info(self.config.model, self.backend, options.settings),
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
        files = {name: getattr(self.config, name) for name in ("schema_file", "models_file")}
        return asked | {name: str(file.resolve()) for name, file in files.items() if file}

    def requests(self, planned: Planned) -> Iterator[Request]:
        """What is asked for every passage, answered or not, and what follows where replies on disk are damaged."""
        asked = {passage.passage_id: Variant() for passage in self.eligible}
        while asked:
            again: dict[str, Variant] = {}
            for question in self.questions.all(asked):
                yield question.request
                passage_id, reply = question.passage.passage_id, planned.replies.get(question.request.key)
                if reply and (following := self._following(reply, question, asked[passage_id])):
                    again[passage_id] = following
            asked = again

    def _trial(self) -> Request | None:
        """The request that tries a language model out: a passage of the graph's worked example."""
        return self.questions.trial(self.graph.example) if self.graph.example is not None else None

    def _ask(self, asker: Asker, choices: Choices) -> dict[str, Variant]:
        """Ask every passage, and again what came back damaged; what is asked again follows from the replies on disk
        alone, so that a run that goes on asks the same.

        Returns:
            passage id → how it was asked last.
        """
        latest = {passage.passage_id: Variant() for passage in self.eligible}
        asker.ask(question.request for question in self.questions.all())
        again = latest
        while again := self._again(choices, again):
            asker.ask(
                (q.request for q in self.questions.all(again) if asker.is_open(q.request.key)),
                more=True,
            )
            latest = latest | again
        return latest

    def _again(self, choices: Choices, asked: dict[str, Variant]) -> dict[str, Variant]:
        """Of the passages that were asked so, those to ask once more, and how."""
        found = {}
        for question in self.questions.all(asked):
            variant = asked[question.passage.passage_id]
            reply = choices.reply(question, again=variant.samples > 0)
            if (following := self._following(reply, question, variant)) is not None:
                found[question.passage.passage_id] = following
        return found

    def _following(self, reply: Reply, question: Question, variant: Variant) -> Variant | None:
        if reply.state in _OTHERWISE and variant.samples < self.config.resend:
            return replace(variant, samples=variant.samples + 1)
        if reply.state is ReplyState.TOO_LONG and question.context.range is not None:
            return replace(variant, halvings=variant.halvings + 1)
        return None

    def _classifications(self, choices: Choices, asked: dict[str, Variant]) -> Iterator[Classification]:
        """One record for each passage, in the order of the gold file; on the way the accuracy is measured."""
        made = {}
        for question in self.questions.all(asked):
            passage_id = question.passage.passage_id
            made[passage_id] = choices.last(question, asked[passage_id])
        records = [made[passage.passage_id] for passage in self.eligible]
        filings = self.questions.filings.values()
        self.accuracy = measure_accuracy(
            records,
            self.passages,
            self.graph,
            years={filing.id: filing.filed.year for filing in filings if filing.filed},
            period_years={filing.id: filing.period.year for filing in filings if filing.period},
        )
        yield from records

    def _passage_counts(self) -> dict[str, object]:
        """For the manifest: `passages` = `left_out` + `requests`; `filings` are those of the passages asked about."""
        return {
            "filings": len({passage.filing_id for passage in self.eligible}),
            "passages": len(self.passages),
            "left_out": len(self.passages) - len(self.eligible),
            "correct": len(self.accuracy.correct) if self.accuracy else 0,
            **self.questions.counts(),
        }
