"""The runs of a study: which there are, where they are, and whether they are done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Literal

from fingreat.errors import FingreatError, InputError
from fingreat.inference import Settings, parse_spec
from fingreat.inference.cache import ReplyCache
from fingreat.inference.presets import load_presets
from fingreat.inference.registry import writes_text
from fingreat.inference.requirements import NEEDS
from fingreat.pipeline.asking import AskOptions, batches_folder
from fingreat.pipeline.corpus_folder import CorpusFolder
from fingreat.pipeline.extract import ExtractConfig
from fingreat.pipeline.gold import read_gold
from fingreat.pipeline.questions import ClassifyConfig
from fingreat.pipeline.study.config import (
    Classifier,
    ClassifySettings,
    Extractor,
    Reached,
    StudyConfig,
    repeat_name,
)
from fingreat.pipeline.study.loading import classify_config, extract_config, settings_of
from fingreat.pipeline.study.sources import part_of
from fingreat.prompts import ClassificationPrompt, ExtractionPrompt
from fingreat.runs import Manifest, RunFolder, digest_of_text, sha256_of
from fingreat.schema import Graph, ReplyState

Role = Literal["model", "reference", "repeat"]
State = Literal["there", "made", "missing"]
_ELSEWHERE = ("model", "base_url", "models_file", "schema_file")
"""Settings that a manifest has in other places than `resolved`."""
_OVER_A_LINE = ("base_url", "in_flight", "rpm", "tpm", "batch")
"""What means nothing to a model on the user's own machine; said for all models, it is for those that it means something
to."""


@dataclass(frozen=True)
class StudyRun:
    """One run of a study.

    Attributes:
        entry: what it is called in the study file; a repeat has the name of the run that it repeats.
        common: the settings that it shares with others.
        repeat: which one it is, from 1; 0 for the run itself.
    """

    entry: Extractor | Classifier
    common: Reached
    config: ExtractConfig | ClassifyConfig
    folder: RunFolder
    role: Role = "model"
    repeat: int = 0

    @property
    def kind(self) -> Literal["extract", "classify"]:
        """The command that makes such a run."""
        return "extract" if isinstance(self.config, ExtractConfig) else "classify"

    @property
    def name(self) -> str:
        """Of its folder, and in tables."""
        return self.folder.path.name

    @property
    def label(self) -> str:
        """What tells it from all other runs of the study."""
        return f"{self.kind}/{self.name}"

    @property
    def years(self) -> tuple[int, ...]:
        """Of filing, that it reads; all, where there is none."""
        return self.entry.years if isinstance(self.entry, Extractor) else ()

    def options(self, cache: ReplyCache | None = None) -> AskOptions:
        """How it asks.

        Args:
            cache: replies of earlier runs; of no use to what is no language model.

        Raises:
            InputError: a setting does not go with the model, or the models file cannot be used.
        """
        said = settings_of(self.common, self.entry)
        spec = parse_spec(self.config.model)
        if NEEDS[spec.backend].model != "hosted":
            if own := [name for name in _OVER_A_LINE if getattr(self.entry, name) is not None]:
                raise InputError(
                    f"'{own[0]}' is for models that are asked over a line, and '{spec.backend}' is none.",
                    where=self.label,
                    hint="Leave it out there.",
                )
            said = {name: value for name, value in said.items() if name not in _OVER_A_LINE}
        settings = Settings(
            preset=load_presets(self.config.models_file).find(spec, self.config.base_url),
            base_url=self.config.base_url,
            in_flight=said.get("in_flight"),
            requests_per_minute=said.get("rpm"),
            tokens_per_minute=said.get("tpm"),
            batch=batches_folder(self.folder.path) if said.get("batch") else None,
        )
        return AskOptions(
            cache=cache if cache is not None and writes_text(spec) else None,
            max_cost=said.get("max_cost"),
            trial=said.get("trial", True),
            settings=settings,
        )


@dataclass(frozen=True)
class Slot:
    """A place for a model that is still to be named."""

    kind: Literal["extract", "classify"]
    name: str
    what: str

    @property
    def label(self) -> str:
        """What tells it from all others."""
        return f"{self.kind}/{self.name}"


def study_runs(config: StudyConfig, out: Path, only: Sequence[str] = ()) -> list[StudyRun]:
    """All runs of a study, extraction first, each with its repeats behind it.

    Args:
        out: the study folder.
        only: names of models; those of all entries where there is none.

    Raises:
        InputError: no entry has one of the names, or it is a slot.
    """
    entries = {one.name for one in config.extractors} | {one.name for one in config.classifiers}
    if unknown := [name for name in only if name not in entries]:
        known = ", ".join(sorted(entries))
        raise InputError(f"'{unknown[0]}' is no model of the study.", where="--only", hint=f"There are: {known}.")
    runs = (*_extractions(config, out), *_classifications(config, out))
    chosen = [run for run in runs if not only or run.entry.name in only]
    if only and not chosen:
        raise InputError(
            f"'{only[0]}' is a slot without a model.", where="--only", hint="Name its model in the study file."
        )
    return chosen


def slots(config: StudyConfig, only: Sequence[str] = ()) -> list[Slot]:
    """The places of a study for models that are still to be named.

    Args:
        only: their names; all, where there is none.
    """
    extract = [Slot("extract", one.name, one.slot) for one in config.extractors if one.slot]
    found = extract + [Slot("classify", one.name, one.slot) for one in config.classifiers if one.slot]
    return [slot for slot in found if not only or slot.name in only]


def like_slots(slots: Sequence[Slot]) -> list[tuple[str, str, str, int]]:
    """Slots in their order; those that follow each other and take the same are put together.

    Returns:
        of each such row: from which name to which, the task, what belongs there, how many.
    """
    found = []
    for (kind, what), several in groupby(slots, key=lambda slot: (slot.kind, slot.what)):
        names = [slot.name for slot in several]
        found.append((names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}", kind, what, len(names)))
    return found


def _extractions(config: StudyConfig, out: Path) -> Iterator[StudyRun]:
    roles: list[tuple[Role, Iterable[Extractor]]] = [
        ("model", config.extract.models),
        ("reference", config.extract.references),
    ]
    for role, entries in roles:
        for entry in entries:
            if entry.model is None:
                continue
            for number in range(1 + config.repeats_of(entry)):
                yield StudyRun(
                    entry,
                    config.extract,
                    extract_config(config, entry, repeat=number),
                    RunFolder(out / "runs" / "extract" / repeat_name(entry.name, number)),
                    "repeat" if number else role,
                    number,
                )


def _classifications(config: StudyConfig, out: Path) -> Iterator[StudyRun]:
    for entry in config.classifiers:
        if entry.model is not None:
            folder = RunFolder(out / "runs" / "classify" / entry.name)
            yield StudyRun(entry, config.classify or ClassifySettings(), classify_config(config, entry), folder)


@dataclass(frozen=True)
class Outcome:
    """What became of one run.

    Attributes:
        state: `there` before this call, `made` by it, or `missing`.
        manifest: None where it is missing.
        reason: why it is missing.
    """

    run: StudyRun
    state: State
    manifest: Manifest | None = None
    reason: str | None = None


_DO_INSTEAD = {
    "--out": "Rename the model in the study file, or remove this run.",
    "--corpus": (
        "A passage's filing_id is the id that its filing has in corpus/filings.jsonl: its accession number, or the "
        "SHA-256 of its bytes."
    ),
    "--schema": "The graph is `schema` of [study].",
    "--gold": "The gold files are `gold` of [classify].",
}
"""Option of other commands, which studies do not have → what to do in its stead."""


def reason_of(error: FingreatError) -> str:
    """Why a run cannot be made, with what to do about it in a study."""
    hint = next((instead for option, instead in _DO_INSTEAD.items() if option in (error.hint or "")), error.hint)
    place = f"{error.where}: " if error.where else ""
    return f"{place}{error.message}{f' {hint}' if hint else ''}"


class Done:
    """Tells which runs are complete, without an engine.

    Args:
        gold: the file of all gold passages; None where nothing is classified.
    """

    def __init__(self, graph: Graph, corpus: CorpusFolder, item: str, gold: Path | None) -> None:
        self._graph = graph
        self._corpus = corpus
        self._gold = sha256_of(gold) if gold is not None else None
        self._texts = {section.filing_id: digest_of_text(section.text) for section in corpus.sections(item)}
        passages = read_gold(gold) if gold is not None else ()
        of_gold = {passage.filing_id for passage in passages if passage.accepted}
        self._around = {name: digest for name, digest in self._texts.items() if name in of_gold}

    def manifest(self, run: StudyRun) -> Manifest | None:
        """The manifest of a run that asked just this and has nothing left to ask; None of any other.

        What engine and models file add to a request is not looked at: the machine that made the run had them.
        """
        try:
            manifest = run.folder.manifest()
            faults = run.folder.verify()
        except FingreatError:
            # What is wrong with it is said by who goes on with it.
            return None
        errors = manifest.counts.get("requests_by_state", {}).get(ReplyState.ERROR.value, 0)
        if manifest.status != "complete" or manifest.kind != run.kind or faults or errors:
            return None
        return manifest if self._asked_this(manifest, run) else None

    def _asked_this(self, manifest: Manifest, run: StudyRun) -> bool:
        config = run.config
        wanted = config.model_dump(mode="json", exclude=set(_ELSEWHERE)) | {"graph": self._graph.name}
        return (
            (manifest.model.spec, manifest.model.base_url) == (config.model, config.base_url)
            and wanted.items() <= manifest.resolved.items()
            and manifest.hashes.get("graph") == self._graph.digest
            and manifest.hashes.get("prompt") == prompt_of(config, self._graph).digest
            and self._read_this(manifest, run)
        )

    def _read_this(self, manifest: Manifest, run: StudyRun) -> bool:
        if isinstance(run.config, ClassifyConfig):
            texts = {name: digest for name, digest in manifest.inputs.items() if name != "gold"}
            # Passages whose filing came into the corpus later were shown without it.
            same = texts == self._around if run.config.context == "auto" else texts.items() <= self._texts.items()
            return same and manifest.inputs.get("gold") == self._gold
        filings = part_of(self._corpus, run.years).filings()
        return manifest.inputs == {filing.id: self._texts.get(filing.id) for filing in filings}


def prompt_of(config: ExtractConfig | ClassifyConfig, graph: Graph) -> ExtractionPrompt | ClassificationPrompt:
    """The prompt of a run."""
    if isinstance(config, ExtractConfig):
        return ExtractionPrompt(graph, config.mode, config.guide, facets=config.facets)
    return ClassificationPrompt(graph, config.guide, shuffle=config.shuffle)
