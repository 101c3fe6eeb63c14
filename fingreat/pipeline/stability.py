"""Extraction and classification runs of the same models, on the same gold passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fingreat.analysis.bootstrap import REPLICATES, SEED, FilingBootstrap
from fingreat.analysis.stability import Stability, stability_of
from fingreat.errors import InputError
from fingreat.pipeline.benchmark import Benchmark, read_benchmark
from fingreat.pipeline.comparable import check_comparable, check_different, failed_requests
from fingreat.pipeline.on_gold import run_on_gold
from fingreat.pipeline.side_by_side import Watching, names_of, unwatched
from fingreat.pipeline.table_files import TableFolder
from fingreat.report.model import Figure
from fingreat.report.stability_table import (
    is_open,
    stability_bars,
    stability_range_table,
    stability_table,
    transitions_table,
)
from fingreat.report.tables import Table
from fingreat.runs import Manifest, RunFolder, readers

TABLES = TableFolder("stability", ("stability", "stability-range", "stability-transitions"), figures=("stability",))
"""What a folder of its tables and figures holds."""
_KINDS = ("extract", "classify")
_Found = tuple[RunFolder, Manifest]


@dataclass(frozen=True)
class MeasuredStability:
    """Models that did both tasks.

    Attributes:
        benchmark: of the classification runs.
        pairs: each extraction run beside each classification run of the same model, as the former were named.
        notes: on requests of extraction runs that failed.
        replicates, seed: of the intervals; there are none where fewer than two filings add to a total.
    """

    benchmark: Benchmark
    pairs: tuple[Stability, ...]
    notes: tuple[str, ...]
    replicates: int
    seed: int


def measure_stability(
    runs: Sequence[RunFolder],
    *,
    gold: Path | None = None,
    common: bool = False,
    replicates: int = REPLICATES,
    seed: int = SEED,
    watch: Watching = unwatched,
) -> MeasuredStability:
    """Measure whether models give gold passages the same edge when they extract them and when they classify them.

    A run of `fingreat extract` goes with every run of `fingreat classify` that asked the same model at the same
    server.

    Args:
        runs: of both kinds, in any order.
        gold, common: as for `read_benchmark`, of the classification runs.
        replicates, seed: of the draws of filings that the intervals are made from.
        watch: told how many extraction runs are done.

    Raises:
        RunError: a run is not complete or is damaged, or another process changes it.
        InputError: a run has no partner, or one with another graph; classification runs as for `read_benchmark`; no
            replicate or far too many.
    """
    both = [(run, run.manifest()) for run in runs]
    check_different(runs, [manifest for _, manifest in both])
    extractions, classifications = ([one for one in both if one[1].kind == kind] for kind in _KINDS)
    _check_partners(extractions, classifications)
    benchmark = read_benchmark([run for run, _ in classifications], gold=gold, common=common)
    bootstrap = FilingBootstrap(len(benchmark.sheet.filings), replicates=replicates, seed=seed)
    # A model's two runs may have one name: columns and notes say which is which.
    names = names_of(run.path for run, _ in extractions)
    pairs: list[Stability] = []
    notes = []
    watch(0, len(extractions))
    for done, (name, (run, manifest)) in enumerate(zip(names, extractions, strict=True), 1):
        pairs += _pairs(name, run, manifest, benchmark, bootstrap)
        failures, requests = (manifest.counts.get(key, 0) for key in ("failures", "requests"))
        notes += [note for note in [failed_requests(f"extraction run {name}", failures, requests)] if note]
        watch(done, len(extractions))
    return MeasuredStability(benchmark, tuple(pairs), tuple(notes), replicates, seed)


def stability_tables(measured: MeasuredStability) -> tuple[Table, ...]:
    """All there is to say, as tables; lowest and highest shares where some passage is quoted under several edges."""
    filings, notes = len(measured.benchmark.sheet.filings), (*measured.benchmark.notes, *measured.notes)
    tables = [
        make(measured.pairs, filings=filings, seed=measured.seed) for make in (stability_table, transitions_table)
    ]
    if is_open(measured.pairs):
        tables.insert(1, stability_range_table(measured.pairs))
    return tuple(table.model_copy(update={"notes": (*notes, *table.notes)}) for table in tables)


def stability_figures(measured: MeasuredStability) -> tuple[Figure, ...]:
    """Both accuracies and the share of same edges, as bars."""
    return (stability_bars(measured.pairs),)


def _model(manifest: Manifest) -> tuple[str, str | None]:
    return manifest.model.spec, manifest.model.base_url


def _check_partners(extractions: Sequence[_Found], classifications: Sequence[_Found]) -> None:
    """Refuse a run whose model has no run of the other task, and partners that worked with different graphs."""
    if not extractions and not classifications:
        raise InputError("there is no run to measure.", hint="Name runs of `fingreat extract` and of `classify`.")
    for runs, others, task in (
        (extractions, classifications, "classify"),
        (classifications, extractions, "extract"),
    ):
        for run, manifest in runs:
            partners = [(other, of) for other, of in others if _model(of) == _model(manifest)]
            if not partners:
                at = f" at {manifest.model.base_url}" if manifest.model.base_url else ""
                raise InputError(
                    f"has no partner: none of the runs is one of `fingreat {task}` by {manifest.model.spec}{at}.",
                    where=str(run.path),
                    hint="Name its partner too, or leave it out.",
                )
            for other, of in partners:
                if manifest.hashes["graph"] != of.hashes["graph"]:
                    raise InputError(
                        f"was made with another graph than {other.path}.",
                        where=str(run.path),
                        hint="Name runs with one graph.",
                    )


def _pairs(
    name: str, run: RunFolder, manifest: Manifest, benchmark: Benchmark, bootstrap: FilingBootstrap
) -> list[Stability]:
    """An extraction run beside every classification run of its model."""
    with readers(run.path):
        read = check_comparable([run])
        quoted = run_on_gold(run, benchmark.gold)
    edges = {passage_id: [one.edge for one in passage.all] for passage_id, passage in quoted.items()}
    partners = [one for one in benchmark.names if _model(benchmark.manifests[one]) == _model(manifest)]
    return [
        stability_of(
            benchmark.sheet,
            (manifest.model.spec, name, partner),
            edges,
            {*read.read, *read.without_text},
            bootstrap,
        )
        for partner in partners
    ]
