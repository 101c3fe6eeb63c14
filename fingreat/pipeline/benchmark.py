"""Classification runs over one gold file, read as one sheet of answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fingreat.analysis.answers import AnswerSheet
from fingreat.runs import Manifest, RunFolder
from fingreat.schema import GoldPassage, Graph


@dataclass(frozen=True)
class Benchmark:
    """What several models answered on one benchmark.

    Attributes:
        names: of the runs' folders, each once, in the order in which they were named; the sheet's, too.
        manifests: of each run, by name.
        graph: of all of them.
        gold: all passages, also those that accept no edge.
        sheet: the answers to the passages that all runs were asked about.
        years: filing id → year in which it was filed, where a run's corpus says so.
        period_years: filing id → year in which its fiscal period ended, where a run's corpus says so.
        notes: sentences on what the sheet leaves out, what failed and in what runs differ; every table says them.
            Why there are no intervals, where all passages are of one filing, is told by `on_intervals`.
    """

    names: tuple[str, ...]
    manifests: Mapping[str, Manifest]
    graph: Graph
    gold: tuple[GoldPassage, ...]
    sheet: AnswerSheet
    years: Mapping[str, int]
    period_years: Mapping[str, int]
    notes: tuple[str, ...]


def read_benchmark(runs: Sequence[RunFolder], *, gold: Path | None = None, common: bool = False) -> Benchmark:
    """Read runs of `fingreat classify` that were asked about the same passages with the same graph.

    Models, prompts and contexts may differ; notes say in what.

    Args:
        gold: the gold file, where it is no longer where a run found it. It must be the very file, by its hash.
        common: also take runs over different gold files, on the passages that all of them have and that are the same
            in all of them, instead of refusing.

    Raises:
        RunError: a run is not complete or is damaged, or another process changes it.
        InputError: there is no run, one is named twice or is none of `fingreat classify`; runs have different graphs
            or gold files; a gold file is not there any more.
    """
    raise NotImplementedError
