"""A study, start to end: its corpus, the runs that are missing, its measures, its page."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import fingreat
from fingreat.errors import BackendError, CostError, InputError, MissingExtraError, RemoteError, RunError
from fingreat.inference.cache import ReplyCache
from fingreat.pipeline.classify import classify
from fingreat.pipeline.corpus_folder import CorpusFolder
from fingreat.pipeline.extract import ExtractConfig, extract
from fingreat.pipeline.progress import Progress, Silent
from fingreat.pipeline.side_by_side import Watching, unwatched
from fingreat.pipeline.study.config import StudyConfig
from fingreat.pipeline.study.loading import graph_of_study, load_study
from fingreat.pipeline.study.material import Material
from fingreat.pipeline.study.places import without_places
from fingreat.pipeline.study.record import StudyFolder
from fingreat.pipeline.study.results import check_results, measure_study, write_results
from fingreat.pipeline.study.runs import Done, Outcome, Slot, StudyRun, reason_of, slots, study_runs
from fingreat.pipeline.study.sources import corpus_folder, make_corpus, missing_files, missing_gold, part_of, write_gold
from fingreat.report.study import StudyReport
from fingreat.runs import sole_owner

_STOPS_ONE_RUN = (MissingExtraError, BackendError, CostError, InputError, RemoteError, RunError)
"""What ends one run and not the study. A disk that is full ends all of it."""


@dataclass(frozen=True)
class Study:
    """What a call left.

    Attributes:
        slots: places for models that are still to be named.
        report: None where only some models were asked for.
        page: the report to open.
        told: sentences on files that could not be made here.
    """

    config: StudyConfig
    out: Path
    outcomes: tuple[Outcome, ...]
    slots: tuple[Slot, ...]
    report: StudyReport | None = None
    page: Path | None = None
    told: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every run of this call is there, none of them with failed requests, and no slot is left."""
        return not self.slots and all(
            one.manifest is not None and not one.manifest.counts.get("failures") for one in self.outcomes
        )


def default_folder(config: StudyConfig) -> Path:
    """Where a study goes that is told nothing else."""
    return Path("out") / config.study.name


def run_study(
    file: Path,
    out: Path | None = None,
    *,
    only: Sequence[str] = (),
    cache: ReplyCache | None = None,
    progress: Callable[[str], AbstractContextManager[Progress]] = lambda label: nullcontext(Silent()),
    note: Callable[[str], None] = lambda line: None,
    watch: Callable[[str], AbstractContextManager[Watching]] = lambda part: nullcontext(unwatched),
) -> Study:
    """Run what is missing of a study, measure all of it and write its page; a second call asks nothing.

    A run that is complete is taken as it is, without its engine; one that was stopped goes on; one that cannot be made
    here is left out and told of, and the others go on. Stopped at any time, the same call goes on from there.

    Args:
        out: the study folder; by default `out/<name>`.
        only: names of models; only their runs are made, and nothing is measured.
        cache: replies of earlier runs.
        progress: makes what is told while a model is asked.
        note: told what takes its time, in a line.
        watch: makes what is told while a part is measured.

    Raises:
        InputError: the study file has a fault, the folder holds something else, or a file that is named is damaged.
        CorpusError, RemoteError: there is no corpus to read.
        RunError: another process runs all of the study.
        StorageError: the disk refused.
    """
    config = load_study(file)
    out = out or default_folder(config)
    runs = study_runs(config, out, only)
    folder = StudyFolder(out)
    folder.check(config)
    check_results(out)
    graph = graph_of_study(config, file)
    missing = missing_files(config.corpus)
    # Two that measure would write over each other; runs of some models have locks of their own.
    with nullcontext() if only or missing else sole_owner(out):
        if not missing:
            # Before the corpus: whoever comes to a folder with one takes it for something else.
            folder.write(config, file, corpus_folder(config.corpus, out))
        corpus = make_corpus(config.corpus, out, note)
        lacks = missing_gold(config)
        gold = write_gold(config, out)
        inputs = folder.write(config, file, corpus)
        done = Done(graph, corpus, config.corpus.item, gold)
        outcomes = []
        for run in runs:
            outcomes.append(_outcome(run, corpus, gold, lacks, done, cache, progress))
            _note_of(outcomes[-1], note)
        study = Study(config, out, tuple(outcomes), tuple(slots(config, only)))
        if only:
            return study
        measured = measure_study(Material(config, out, corpus, graph, gold, outcomes), study.slots, inputs, watch)
        report = without_places(measured, out, file)
        page, told = write_results(report, out, provenance(file, out))
        folder.write(config, file, corpus, outcomes)
        return Study(config, out, study.outcomes, study.slots, report, page, told)


def _note_of(outcome: Outcome, note: Callable[[str], None]) -> None:
    """Tell why a run is missing."""
    if outcome.reason:
        note(f"{outcome.run.label}: {outcome.reason}")


def provenance(file: Path, out: Path) -> list[str]:
    """What tables were made from, and the command that makes them, in lines."""
    words = shlex.join(("fingreat", "study", "run", str(file), "--out", str(out)))
    return [f"Made by fingreat {fingreat.__version__}: {words}"]


def _outcome(
    run: StudyRun,
    corpus: CorpusFolder,
    gold: Path | None,
    lacks: str | None,
    done: Done,
    cache: ReplyCache | None,
    progress: Callable[[str], AbstractContextManager[Progress]],
) -> Outcome:
    """One run: as it is, or made now."""
    if run.kind == "classify" and gold is None:
        return Outcome(run, "missing", reason=lacks)
    if manifest := done.manifest(run):
        return Outcome(run, "there", manifest)
    try:
        options = run.options(cache)
        with progress(run.label) as shown:
            if isinstance(run.config, ExtractConfig):
                part = part_of(corpus, run.years)
                return Outcome(
                    run,
                    "made",
                    extract(part, run.config, run.folder.path, progress=shown, options=options),
                )
            if gold is None:
                raise InputError("there is no gold file.", where=run.label)
            made = classify(gold, run.config, run.folder.path, corpus=corpus, options=options, progress=shown)
            return Outcome(run, "made", made.manifest)
    except _STOPS_ONE_RUN as error:
        return Outcome(run, "missing", reason=reason_of(error))
