"""Extraction, start to end: sections → chunks → requests → replies → grounded extractions.

This file is the table of contents of the package: each step is one call into the room that does it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from pydantic import Field

from fingreat.edgar import chunk_section
from fingreat.edgar.chunks import DEFAULT_BUDGET, MIN_BUDGET
from fingreat.errors import CorpusError, InputError
from fingreat.inference import Backend, ReplyJudge, create_backend
from fingreat.inference.dry import dry_backend
from fingreat.pipeline.asked_model import (
    HOTTEST,
    LAST_SEED,
    MOST_RESENDS,
    MOST_TOKENS,
    model_info,
    name_in_requests,
    resampled,
    settings_for,
)
from fingreat.pipeline.asking import Asker, AskOptions, run_in_folder
from fingreat.pipeline.corpus_folder import CorpusFolder, sections_command
from fingreat.pipeline.estimate import Estimate, Planned, estimate
from fingreat.pipeline.fit import ContextFit
from fingreat.pipeline.ground import Place
from fingreat.pipeline.pieces import Lead, Pieces, leads
from fingreat.pipeline.plan import Plan, as_asked
from fingreat.pipeline.progress import Progress, Silent
from fingreat.pipeline.tally import Tally
from fingreat.prompts import ExtractionPrompt, Guide
from fingreat.runs import Manifest, RunFolder, digest_of_text, part_paths, readers, write_atomic, write_records
from fingreat.schema import (
    Chunk,
    Extraction,
    Failure,
    Graph,
    Message,
    Mode,
    ReplyState,
    Request,
    Sampling,
    Section,
    SectionStatus,
    canonical_json,
    load_graph,
    sha256_hex,
)
from fingreat.schema.records import Record


class ExtractConfig(Record):
    """What an extraction run is asked to do.

    Attributes:
        model: `backend:model[@revision]`.
        mode: `quote` (the model copies passages) or `span` (it names numbered segments).
        guide: `none` sends the definitions only, as published; `rules` adds border rules and an example.
        tokens: budget of a chunk, in cl100k_base.
        max_tokens: budget of an answer, in the model's own tokens.
        base_url: of a server that speaks the provider's language, instead of the provider's own.
        models_file: what is known of models by name, on top of the shipped models.toml.
        resend: how often a text is asked again whose reply came back damaged (`fingreat.pipeline.pieces`).
    """

    model: str
    item: str = "7"
    mode: Mode = "quote"
    guide: Guide = "rules"
    facets: bool = False
    tokens: int = Field(default=DEFAULT_BUDGET, ge=MIN_BUDGET)
    max_tokens: int = Field(default=4096, ge=1, le=MOST_TOKENS)
    temperature: float = Field(default=0.0, ge=0, le=HOTTEST, allow_inf_nan=False)
    seed: int = Field(default=0, ge=0, le=LAST_SEED)
    schema_file: Path | None = None
    base_url: str | None = None
    models_file: Path | None = None
    resend: int = Field(default=2, ge=0, le=MOST_RESENDS)


def extract(
    corpus: CorpusFolder,
    config: ExtractConfig,
    out: Path,
    *,
    progress: Progress | None = None,
    backend: Backend | None = None,
    options: AskOptions = AskOptions(),  # noqa: B008 - frozen
) -> Manifest:
    """Run a model over every section of a corpus, or go on with a run that was stopped.

    Args:
        out: the run folder. A folder that holds a run with other settings is refused.
        backend: used instead of the one that `config.model` names, and left open.
        options: how it is asked, which changes no answer.

    Returns:
        the manifest of the complete run; its `counts` add up: every request is one output or one failure.

    Raises:
        CorpusError, InputError, MissingExtraError, BackendError, RunError, StorageError: with what to do.
            The run folder keeps every reply that was written; the same call goes on from there.
    """
    graph, options = _checked(corpus, config, out, options)
    if backend is None:
        with closing(create_backend(config.model, graph, options.settings)) as made:
            return extract(corpus, config, out, progress=progress, backend=made, options=options)
    with readers(corpus.path):
        steps = _Steps(corpus, config, graph, backend, options, progress or Silent())
        # What cannot be run is refused before a folder is made, and leaves a finished run as it is.
        steps.survey()
        steps.check_context()
        for note in steps.fit.notes():
            steps.progress.note(note)
        run = RunFolder(out)
        return run_in_folder(run, steps.manifest(out.resolve().name), lambda manifest: steps.run(run, manifest))


def plan_extract(
    corpus: CorpusFolder,
    config: ExtractConfig,
    out: Path,
    options: AskOptions = AskOptions(),  # noqa: B008 - frozen
) -> Estimate:
    """What `extract` would ask and cost; no engine is started, nothing is asked or written.

    Raises:
        CorpusError, InputError, MissingExtraError, RunError, StorageError: as the run itself would.
    """
    graph, options = _checked(corpus, config, out, options)
    with closing(dry_backend(config.model, graph, options.settings)) as backend, readers(corpus.path):
        steps = _Steps(corpus, config, graph, backend, options, Silent())
        planned = Planned(RunFolder(out), steps.manifest(out.resolve().name), backend, options)
        steps.was_asked = planned.replies.__contains__ if len(planned.replies) else None
        steps.survey()
        steps.check_context()
        made = estimate(steps.requests(planned), planned)
        return made.model_copy(update={"notes": (*steps.fit.notes(), *made.notes)})


def _checked(corpus: CorpusFolder, config: ExtractConfig, out: Path, options: AskOptions) -> tuple[Graph, AskOptions]:
    """The graph, and the options with what is known of the model; refuses a place where no run can be."""
    if out.resolve() == corpus.path.resolve():
        raise InputError(
            "is the corpus; a run needs a folder of its own.", where=str(out), hint="Choose another --out."
        )
    RunFolder(out).check_place()
    settings = settings_for(config.model, config.base_url, config.models_file, options.settings)
    return load_graph(config.schema_file), replace(options, settings=settings)


class _Steps:
    """The steps of one run, which share graph, prompt and back end.

    Attributes:
        was_asked: of a run that is only counted, whether the request of a key was asked by an earlier call: what a
            server held then is told by the parts in which it was asked.
    """

    def __init__(
        self,
        corpus: CorpusFolder,
        config: ExtractConfig,
        graph: Graph,
        backend: Backend,
        options: AskOptions,
        progress: Progress,
    ) -> None:
        self.corpus = corpus
        self.options = options
        self.config = config
        self.graph = graph
        self.backend = backend
        self.progress = progress
        self.prompt = ExtractionPrompt(graph, config.mode, config.guide, facets=config.facets)
        self.judge = ReplyJudge(graph, config.mode, facets=config.facets)
        self.sampling = Sampling(max_tokens=config.max_tokens, temperature=config.temperature, seed=config.seed)
        self.filings = {filing.id: filing for filing in corpus.filings()}
        self.inputs: dict[str, str] = {}
        self.was_asked: Callable[[str], bool] | None = None
        self.plan = Plan()
        self.tally = Tally()
        self.fit = ContextFit(backend, config.model, self.prompt.system, config.tokens, config.max_tokens)

    def manifest(self, name: str) -> Manifest:
        """What this run is, before it begins."""
        elsewhere = {"model", "base_url", "models_file", "schema_file"}
        resolved = self.config.model_dump(mode="json", exclude=elsewhere) | {"graph": self.graph.name}
        return Manifest.new(
            name,
            asked=self._asked(),
            resolved=resolved,
            model=model_info(self.config.model, self.backend, self.options.settings),
            hashes={
                "prompt": self.prompt.digest,
                "graph": self.graph.digest,
                "reply_schema": sha256_hex(canonical_json(self.prompt.reply_schema).encode()),
            },
        )

    def _asked(self) -> dict[str, object]:
        """The configuration as passed, and where corpus and graph file are, for what reads the run later."""
        asked = self.config.model_dump(mode="json", exclude_unset=True) | {"corpus": str(self.corpus.path.resolve())}
        files = {name: getattr(self.config, name) for name in ("schema_file", "models_file")}
        return asked | {name: str(file.resolve()) for name, file in files.items() if file}

    def run(self, run: RunFolder, manifest: Manifest) -> tuple[dict[str, object], dict[str, str]]:
        """Ask what is open, then make everything that follows from the replies anew."""
        run.clear_done("extract")
        with self._asker(run) as asker:
            pieces = Pieces(manifest.name, self._request, asker.log, self.judge, self.config.resend)
            asker.begin(self.plan.keys())
            asker.ask(self._first(asker))
            while asker.damaged and asker.ask(self._again(asker, pieces), more=True):
                continue
            failures: list[Failure] = []
            _, parts = write_records(run.extractions, self._extractions(pieces, failures))
            counts = self.tally.counts(asker.seconds, asker.spent())
        if self.tally.chunks != self.plan.chunks:
            raise self._changed()
        write_atomic(run.failures, "".join(failure.model_dump_json() + "\n" for failure in failures).encode())
        run.mark_done("extract", [*part_paths(run.replies), *parts, run.failures])
        return counts, self.inputs

    def _asker(self, run: RunFolder) -> Asker:
        return Asker(
            run,
            self.backend,
            self.judge,
            self.options,
            self.progress,
            trial=self._trial(),
            largest=self.fit.largest,
        )

    def _trial(self) -> Request | None:
        """The request that tries the model out: the graph's worked example, which is no part of any filing."""
        example = self.graph.example
        if example is None:
            return None
        return self._request_of("example", "example", self.prompt.example_messages(example), example.segments, 0)

    def survey(self) -> None:
        """Find out what there is to do.

        Raises:
            CorpusError: filings whose section was not looked for yet, or is there twice, or no section to read.
        """
        for section in self._sections():
            if section.filing_id in self.inputs:
                raise CorpusError(
                    f"has two section records of filing {section.filing_id}.",
                    where=str(self.corpus.path),
                    hint=f"Add --again: {sections_command(self.corpus.path, self.config.item)}",
                )
            self.tally.filing(section.status)
            self.inputs[section.filing_id] = digest_of_text(section.text)
        if missing := self.filings.keys() - self.inputs.keys():
            raise CorpusError(
                f"{len(missing)} of {len(self.filings)} filings have no section record for item {self.config.item} "
                f"(first: {min(missing)}).",
                where=str(self.corpus.path),
                hint=sections_command(self.corpus.path, self.config.item),
            )
        for section in self._sections():
            if section.status is SectionStatus.FOUND:
                self._plan(section)
        if not self.plan.chunks:
            raise CorpusError(
                f"no filing has a readable item {self.config.item}.",
                where=str(self.corpus.path),
                hint="See failures.jsonl in the corpus folder.",
            )

    def _plan(self, section: Section) -> None:
        if not self.plan.chunks:
            messages = self.prompt.messages(self.filings[section.filing_id], ())
            self.fit.without_text(self._request_of(section.filing_id, "none", messages, (), 0))
        planned = []
        for chunk in chunk_section(section, self.config.tokens):
            request_of = partial(self._request, section)
            fits = as_asked(self.fit.fits, self.was_asked, section, request_of)
            planned.append((chunk, list(leads(section, chunk, request_of, fits))))
        self.plan.add(section, planned)

    def check_context(self) -> None:
        """Refuse a model that has hardly room for text beside its prompt and answer, before the first request.

        Raises:
            InputError: with what would do.
        """
        self.fit.check()

    def _sections(self) -> Iterator[Section]:
        """The sections of the filings in the corpus; those of filings that were taken off its list play no part."""
        return (section for section in self.corpus.sections(self.config.item) if section.filing_id in self.filings)

    def _work(self, keys: Callable[[str], bool] | None = None) -> Iterator[tuple[Place, Chunk, tuple[Lead, ...]]]:
        """Every chunk with what is asked first for it, in corpus order; made anew at each call rather than kept.

        Args:
            keys: leave out the sections none of whose first requests it holds for.
        """
        for section in self._sections():
            if section.status is not SectionStatus.FOUND:
                continue
            if keys is not None and not any(keys(key) for key in self.plan.keys_of(section.filing_id)):
                continue
            if digest_of_text(section.text) != self.inputs[section.filing_id]:
                raise self._changed()
            place = Place(section)
            for chunk, first in self.plan.of(section):
                yield place, chunk, first

    def _changed(self) -> CorpusError:
        return CorpusError("changed while it was read.", where=str(self.corpus.path), hint="Run it again.")

    def requests(self, planned: Planned) -> Iterator[Request]:
        """What is asked first for every chunk, answered or not, and what follows where replies on disk are damaged."""
        pieces = Pieces(planned.manifest.name, self._request, planned.replies, self.judge, self.config.resend)
        for place, chunk, first in self._work():
            yield from (self._request(place.section, lead.piece, 0, lead.key) for lead in first if lead.key is not None)
            replies = (planned.replies.get(lead.key) for lead in first if lead.key is not None)
            if any(reply is not None and reply.state is not ReplyState.OK for reply in replies):
                yield from pieces.open(place, chunk, first, lambda key: not planned.is_answered(key))

    def _first(self, asker: Asker) -> Iterator[Request]:
        """What is asked first for each chunk, where it is not answered yet."""
        for place, _, first in self._work(asker.is_open):
            for lead in first:
                if lead.key is not None and asker.is_open(lead.key):
                    yield self._request(place.section, lead.piece, 0, lead.key)

    def _again(self, asker: Asker, pieces: Pieces) -> Iterator[Request]:
        """What is open where replies came back damaged."""
        for place, chunk, first in self._work(asker.damaged.__contains__):
            if any(lead.key in asker.damaged for lead in first):
                yield from pieces.open(place, chunk, first, asker.is_open)

    def _request(self, section: Section, piece: Chunk, attempt: int = 0, key: str | None = None) -> Request:
        """The request that shows a piece of a section for the nth time, from 0; with its key where that is known."""
        segments = tuple(section.text[s.start : s.end] for s in piece.segments)
        messages = self.prompt.messages(self.filings[section.filing_id], segments)
        return self._request_of(section.filing_id, piece.id, messages, segments, attempt, key)

    def _request_of(
        self,
        filing_id: str,
        chunk_id: str,
        messages: tuple[Message, ...],
        segments: tuple[str, ...],
        attempt: int,
        key: str | None = None,
    ) -> Request:
        sampling = resampled(self.sampling, attempt)
        model = name_in_requests(self.config.model, self.config.base_url)
        schema, revision, options = self.prompt.reply_schema, self.backend.revision, self.backend.options
        return Request(
            key=key or Request.make_key(messages, schema, sampling, model, revision, options),
            filing_id=filing_id,
            chunk_id=chunk_id,
            mode=self.config.mode,
            model=model,
            revision=revision,
            messages=messages,
            reply_schema=schema,
            sampling=sampling,
            segments=segments,
            options=options,
        )

    def _extractions(self, pieces: Pieces, failures: list[Failure]) -> Iterator[Extraction]:
        """The extractions of all replies, grounded; counts and failures are filled on the way."""
        for place, chunk, first in self._work():
            ended = pieces.ended(place, chunk, first)
            self.tally.chunk(ended)
            if ended.state is not ReplyState.OK:
                failures.append(
                    Failure(
                        stage="ask",
                        # The first request for the chunk; one that is too long to be asked at all has none.
                        id=next((lead.key for lead in first if lead.key is not None), chunk.id),
                        filing_id=chunk.filing_id,
                        state=ended.state,
                        reason=ended.reason or ended.state.value,
                        kept=len(ended.extractions),
                    )
                )
            yield from ended.extractions
