"""Extraction, start to end: sections → chunks → requests → replies → grounded extractions.

This file is the table of contents of the package: each step is one call into the room that does it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from pydantic import Field

from fingreat.edgar import chunk_section
from fingreat.edgar.chunks import DEFAULT_BUDGET, MIN_BUDGET
from fingreat.errors import CorpusError, InputError
from fingreat.inference import Backend, ReplyJudge, create_backend, parse_spec
from fingreat.pipeline.asking import Asker, AskOptions, Progress, Silent, run_in_folder
from fingreat.pipeline.corpus_folder import CorpusFolder, sections_command
from fingreat.pipeline.fit import ContextFit
from fingreat.pipeline.ground import extractions_of
from fingreat.pipeline.tally import Tally
from fingreat.prompts import ExtractionPrompt, Guide
from fingreat.runs import (
    Manifest,
    ModelInfo,
    RecordLog,
    RunFolder,
    digest_of_text,
    part_paths,
    readers,
    write_atomic,
    write_records,
)
from fingreat.schema import (
    Chunk,
    Extraction,
    Failure,
    Filing,
    Graph,
    Mode,
    Reply,
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
    """

    model: str
    item: str = "7"
    mode: Mode = "quote"
    guide: Guide = "rules"
    facets: bool = False
    tokens: int = Field(default=DEFAULT_BUDGET, ge=MIN_BUDGET)
    max_tokens: int = Field(default=4096, ge=1)
    temperature: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    seed: int = 0
    schema_file: Path | None = None


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
    if out.resolve() == corpus.path.resolve():
        raise InputError(
            "is the corpus; a run needs a folder of its own.", where=str(out), hint="Choose another --out."
        )
    RunFolder(out).check_place()
    graph = load_graph(config.schema_file)
    if backend is None:
        with closing(create_backend(config.model, graph, options.settings)) as made:
            return extract(corpus, config, out, progress=progress, backend=made, options=options)
    with readers(corpus.path):
        steps = _Steps(corpus, config, graph, backend, options, progress or Silent())
        # What cannot be run is refused before a folder is made, and leaves a finished run as it is.
        steps.survey()
        steps.check_context()
        run = RunFolder(out)
        return run_in_folder(run, steps.manifest(out.resolve().name), lambda manifest: steps.run(run, manifest))


class _Steps:
    """The steps of one run, which share graph, prompt and back end."""

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
        self.keys: set[str] = set()
        self.planned = 0
        self.tally = Tally()
        self.fit = ContextFit(backend, config.model, config.tokens, config.max_tokens)

    def manifest(self, name: str) -> Manifest:
        """What this run is, before it begins."""
        resolved = self.config.model_dump(mode="json", exclude={"model", "schema_file"}) | {"graph": self.graph.name}
        return Manifest.new(
            name,
            asked=self._asked(),
            resolved=resolved,
            model=ModelInfo(
                spec=self.config.model,
                backend=parse_spec(self.config.model).backend,
                model=self.backend.model,
                revision=self.backend.revision,
                context=self.backend.context,
            ),
            hashes={
                "prompt": self.prompt.digest,
                "graph": self.graph.digest,
                "reply_schema": sha256_hex(canonical_json(self.prompt.reply_schema).encode()),
            },
        )

    def _asked(self) -> dict[str, object]:
        """The configuration as passed, and where corpus and graph file are, for what reads the run later."""
        asked = self.config.model_dump(mode="json", exclude_unset=True) | {"corpus": str(self.corpus.path.resolve())}
        file = self.config.schema_file
        return asked | ({"schema_file": str(file.resolve())} if file else {})

    def run(self, run: RunFolder, manifest: Manifest) -> tuple[dict[str, object], dict[str, str]]:
        """Ask what is open, then make everything that follows from the replies anew."""
        run.clear_done("extract")
        with Asker(run, self.backend, self.judge, self.options, self.progress) as asker:
            asker.begin(self.keys)
            asker.ask(self._requests())
            failures: list[Failure] = []
            _, parts = write_records(run.extractions, self._extractions(manifest.name, asker.log, failures))
        if self.tally.requests != self.planned:
            raise CorpusError(
                f"changed while it was read: {self.planned} requests at first, {self.tally.requests} at the end.",
                where=str(self.corpus.path),
                hint="Run it again.",
            )
        write_atomic(run.failures, "".join(failure.model_dump_json() + "\n" for failure in failures).encode())
        run.mark_done("extract", [*part_paths(run.replies), *parts, run.failures])
        return self.tally.counts(), self.inputs

    def survey(self) -> None:
        """Count what there is to do.

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
        for _, chunk, request in self._work():
            if not self.planned:
                filing = self.filings[request.filing_id]
                self.fit.without_text(request.model_copy(update={"messages": self.prompt.messages(filing, ())}))
            self.fit.add(request, chunk)
            self.keys.add(request.key)
            self.planned += 1
        if not self.keys:
            raise CorpusError(
                f"no filing has a readable item {self.config.item}.",
                where=str(self.corpus.path),
                hint="See failures.jsonl in the corpus folder.",
            )

    def check_context(self) -> None:
        """Refuse a model that cannot hold every prompt with its answer, before the first request.

        Raises:
            InputError: with what would do.
        """
        self.fit.check(self.prompt.system)

    def _sections(self) -> Iterator[Section]:
        """The sections of the filings in the corpus; those of filings that were taken off its list play no part."""
        return (section for section in self.corpus.sections(self.config.item) if section.filing_id in self.filings)

    def _work(self) -> Iterator[tuple[Section, Chunk, Request]]:
        """Every chunk with its request, in corpus order; made anew at each call rather than kept."""
        for section in self._sections():
            if section.status is SectionStatus.FOUND:
                for chunk in chunk_section(section, self.config.tokens):
                    yield section, chunk, self._request(self.filings[section.filing_id], section, chunk)

    def _request(self, filing: Filing, section: Section, chunk: Chunk) -> Request:
        segments = tuple(section.text[s.start : s.end] for s in chunk.segments)
        messages = self.prompt.messages(filing, segments)
        schema = self.prompt.reply_schema
        model, revision, options = self.config.model, self.backend.revision, self.backend.options
        return Request(
            key=Request.make_key(messages, schema, self.sampling, model, revision, options),
            filing_id=filing.id,
            chunk_id=chunk.id,
            mode=self.config.mode,
            model=model,
            revision=revision,
            messages=messages,
            reply_schema=schema,
            sampling=self.sampling,
            segments=segments,
            options=options,
        )

    def _requests(self) -> Iterator[Request]:
        return (request for _, _, request in self._work())

    def _extractions(self, run: str, log: RecordLog[Reply], failures: list[Failure]) -> Iterator[Extraction]:
        """The extractions of all replies, grounded; counts and failures are filled on the way."""
        for judged_chunk in extractions_of(run, self._work(), log, self.judge):
            self.tally.reply(judged_chunk)
            if judged_chunk.failure:
                failures.append(judged_chunk.failure)
            yield from judged_chunk.extractions
