"""What a study lacks, what its runs would ask and cost, and what differences it can show; nothing is asked or made."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from fingreat.errors import FingreatError, InputError, MissingExtraError
from fingreat.inference import parse_spec
from fingreat.inference.cache import ReplyCache
from fingreat.inference.requirements import NEEDS, need
from fingreat.pipeline.classify import plan_classify
from fingreat.pipeline.corpus_folder import CorpusFolder
from fingreat.pipeline.estimate import Estimate
from fingreat.pipeline.extract import ExtractConfig, plan_extract
from fingreat.pipeline.power import MeasuredPower
from fingreat.pipeline.study.config import StudyConfig
from fingreat.pipeline.study.flow import default_folder
from fingreat.pipeline.study.loading import graph_of_study, load_study
from fingreat.pipeline.study.parts import measured_power
from fingreat.pipeline.study.record import StudyFolder
from fingreat.pipeline.study.results import check_results
from fingreat.pipeline.study.runs import Done, Slot, StudyRun, reason_of, slots, study_runs
from fingreat.pipeline.study.sources import (
    corpus_folder,
    corpus_to_look_at,
    gold_passages,
    lacking,
    missing_files,
    missing_gold,
    part_of,
    write_gold,
)
from fingreat.pipeline.years import spoken_years
from fingreat.report.tables import count_of

PlanState = Literal["complete", "to run", "missing"]


@dataclass(frozen=True)
class PlannedRun:
    """One run, before it is made.

    Attributes:
        state: `complete`; `to run`, wholly or in part; `missing`, where it could not be run here.
        estimate: what it would ask; None where that cannot be told.
        reason: why it could not be run, or why there is no estimate.
    """

    run: StudyRun
    state: PlanState
    estimate: Estimate | None = None
    reason: str | None = None


@dataclass(frozen=True)
class CheckedStudy:
    """A study, before it is run.

    Attributes:
        missing: sentences on all that is missing, but for what runs lack.
        power: of the benchmark; None where the study does not ask, or nothing is known of its size.
        power_note: why there is no power.
    """

    config: StudyConfig
    out: Path
    runs: tuple[PlannedRun, ...]
    slots: tuple[Slot, ...]
    missing: tuple[str, ...]
    power: MeasuredPower | None
    power_note: str | None = None

    @property
    def ready(self) -> bool:
        """Whether `study run` would do all of it."""
        return not self.missing and not self.slots and all(planned.state != "missing" for planned in self.runs)


def check_study(
    file: Path,
    out: Path | None = None,
    *,
    cache: ReplyCache | None = None,
    note: Callable[[str], None] = lambda line: None,
) -> CheckedStudy:
    """See what a study lacks and what it would take. No engine is started; nothing is asked, and nothing stays on disk.

    Local filings that are in no corpus yet are read into one that is gone afterwards.

    Args:
        out: the study folder, for what is there already.
        cache: replies of earlier runs.
        note: told what takes its time, in a line.

    Raises:
        InputError: the study file has a fault, the folder holds something else, or a file that is named is damaged.
        CorpusError: the corpus is damaged.
    """
    config = load_study(file)
    out = out or default_folder(config)
    StudyFolder(out).check(config)
    check_results(out)
    graph = graph_of_study(config, file)
    lacks = tuple(_missing(config, out))
    with TemporaryDirectory(prefix="fingreat-") as folder, corpus_to_look_at(config.corpus, out, note) as corpus:
        gold = write_gold(config, Path(folder))
        done = Done(graph, corpus, config.corpus.item, gold) if corpus is not None else None
        runs = []
        for run in study_runs(config, out):
            note(f"counting {run.label}")
            runs.append(_planned(run, corpus, gold, done, cache))
    power, reason = _power(config)
    return CheckedStudy(config, out, tuple(runs), tuple(slots(config)), lacks, power, reason)


def _missing(config: StudyConfig, out: Path) -> Iterator[str]:
    """What is missing beside models."""
    part = config.corpus
    corpus = corpus_folder(part, out)
    yield from (f"There is no {file.name} to put into the corpus." for file in missing_files(part))
    if part.sample is not None and (fault := lacking(part, corpus)):
        years = part.sample.years
        yield (
            f"The corpus {fault} It is drawn from EDGAR: {part.sample.per_year:,} filings for each of "
            f"{count_of(len(years), 'year')}, filed in {spoken_years(years)}; EDGAR_IDENTITY must say who asks."
        )
    elif part.folder is not None and (fault := lacking(part, corpus)):
        yield f"The corpus {part.folder.name} {fault}"
    if config.classify is not None:
        yield from (f"There is no gold file {file.name}." for file in config.classify.gold if not file.is_file())
    if config.reviews is not None and not config.reviews.file.is_file():
        yield f"There is no file of reviews {config.reviews.file.name}."


def _planned(
    run: StudyRun, corpus: CorpusFolder | None, gold: Path | None, done: Done | None, cache: ReplyCache | None
) -> PlannedRun:
    if run.kind == "classify" and gold is None:
        return PlannedRun(run, "missing", reason="There are no gold passages.")
    if corpus is None or done is None:
        return PlannedRun(run, "missing", reason="There is no corpus yet.")
    if done.manifest(run) is not None:
        return PlannedRun(run, "complete")
    try:
        estimate = _estimate(run, corpus, gold, cache)
    except FingreatError as error:
        # A corpus that is only looked at is gone when this is read.
        return PlannedRun(run, "missing", reason=reason_of(error).replace(str(corpus.path), "the corpus"))
    if reason := _cannot_run(run):
        return PlannedRun(run, "missing", estimate, reason)
    return PlannedRun(run, "to run", estimate)


def _estimate(run: StudyRun, corpus: CorpusFolder, gold: Path | None, cache: ReplyCache | None) -> Estimate:
    options = run.options(cache)
    if isinstance(run.config, ExtractConfig):
        return plan_extract(part_of(corpus, run.years), run.config, run.folder.path, options)
    if gold is None:
        raise InputError("There are no gold passages.", where=run.label)
    return plan_classify(gold, run.config, run.folder.path, corpus=corpus, options=options)


def _cannot_run(run: StudyRun) -> str | None:
    """What a model needs to be asked here and now, and is not there."""
    spec = parse_spec(run.config.model)
    try:
        need(spec)
    except MissingExtraError as error:
        return str(error)
    key = NEEDS[spec.backend].key
    if key and run.config.base_url is None and not os.environ.get(key):
        return f"The key of the provider is not set: {key}."
    return None


def _power(config: StudyConfig) -> tuple[MeasuredPower | None, str | None]:
    """The power of the benchmark, or why there is none; neither, where the study does not ask."""
    if config.power is None:
        return None, None
    try:
        return measured_power(config, [] if missing_gold(config) else gold_passages(config)), None
    except InputError as error:
        return None, str(error)
