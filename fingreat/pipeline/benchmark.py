"""Classification runs over one gold file, read as one sheet of answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from fingreat.analysis.answers import AnswerSheet, answer_sheet
from fingreat.errors import InputError
from fingreat.pipeline.benchmark_notes import notes_on
from fingreat.pipeline.comparable import check_different, finished
from fingreat.pipeline.gold import read_gold
from fingreat.pipeline.known_filings import known_filings
from fingreat.pipeline.side_by_side import graph_of, names_of
from fingreat.report.accuracy_table import RANDOM, always
from fingreat.report.tables import ALL, Table
from fingreat.runs import Manifest, RunFolder, read_records, readers, sha256_of
from fingreat.schema import Classification, GoldPassage, Graph


@dataclass(frozen=True)
class Benchmark:
    """What several models answered on one benchmark.

    Attributes:
        names: of the runs' folders, each once, in the order in which they were named; the sheet's, too. None is what
            a table calls a selector or a sum.
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

    def told(self, tables: Iterable[Table]) -> tuple[Table, ...]:
        """Tables, each with the notes before its own."""
        return tuple(table.model_copy(update={"notes": (*self.notes, *table.notes)}) for table in tables)


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
    if not runs:
        raise InputError("there is no run to measure.", hint="Name at least one run of `fingreat classify`.")
    with ExitStack() as stack:
        for path in dict.fromkeys(run.path for run in runs):
            stack.enter_context(readers(path))
        manifests = [finished(run, "classify") for run in runs]
        check_different(runs, manifests)
        graph = _same_graph(runs, manifests)
        passages = _passages(_gold_files(runs, manifests, gold, common))
        names = names_of((run.path for run in runs), (ALL, RANDOM, *map(always, graph.edges)))
        answers = {
            name: list(read_records(run.classifications, Classification)) for name, run in zip(names, runs, strict=True)
        }
    sheet = answer_sheet(answers, passages, graph, common=common)
    by_name = dict(zip(names, manifests, strict=True))
    filings, unread = known_filings(Path(str(m.asked["corpus"])) for m in manifests if m.asked.get("corpus"))
    return Benchmark(
        names=names,
        manifests=by_name,
        graph=graph,
        gold=tuple(passages),
        sheet=sheet,
        years={one.id: one.filed.year for one in filings.values() if one.filed},
        period_years={one.id: one.period.year for one in filings.values() if one.period},
        notes=(
            *notes_on(sheet, by_name),
            *(f"Years of its filings are not known, since the corpus cannot be read: {error}" for error in unread),
        ),
    )


def _same_graph(runs: Sequence[RunFolder], manifests: Sequence[Manifest]) -> Graph:
    graph = graph_of(manifests[0], runs[0])
    for run, manifest in zip(runs, manifests, strict=True):
        if manifest.hashes["graph"] != manifests[0].hashes["graph"]:
            raise InputError(
                f"was made with graph {manifest.resolved.get('graph')} ({manifest.hashes['graph']}), not that of "
                f"{runs[0].path}: {graph.name} ({graph.digest}).",
                where=str(run.path),
                hint="Name runs with one graph.",
            )
    return graph


def _gold_files(
    runs: Sequence[RunFolder], manifests: Sequence[Manifest], gold: Path | None, common: bool
) -> list[Path]:
    """The very gold files that runs were asked over, each once, wherever they now are."""
    asked = [Path(str(manifest.asked.get("gold", ""))) for manifest in manifests]
    read = [manifest.inputs.get("gold", "") for manifest in manifests]
    for run, path, digest in zip(runs, asked, read, strict=True):
        if digest != read[0] and not common:
            raise InputError(
                f"was asked over another gold file ({path}) than {runs[0].path} ({asked[0]}).",
                where=str(run.path),
                hint="Name runs over one gold file, or add --common to compare on the passages that all files have.",
            )
    found = {_digest(path): path for path in dict.fromkeys(reversed(asked)) if path.is_file()}
    if gold is not None:
        if not gold.is_file():
            raise InputError("is no file.", where=str(gold), hint="Name the gold file that the runs were asked over.")
        if (digest := _digest(gold)) not in read:
            raise InputError(
                f"is not the gold file that {runs[0].path} was asked over.",
                where=str(gold),
                hint=f"Name that file, which was {asked[0]}.",
            )
        found[digest] = gold
    for run, path, digest in zip(runs, asked, read, strict=True):
        if digest not in found:
            changed = "is not what it was" if path.is_file() else "is not there"
            raise InputError(
                f"was asked over {path}, which {changed}.",
                where=str(run.path),
                hint="Put it back, or name where it is with --gold.",
            )
    return [found[digest] for digest in dict.fromkeys(read)]


def _digest(path: Path) -> str:
    try:
        return sha256_of(path)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror}).", where=str(path)) from error


def _passages(files: Sequence[Path]) -> list[GoldPassage]:
    """All passages of gold files; one that several have must be the same in all."""
    passages: dict[str, GoldPassage] = {}
    for path in files:
        for passage in read_gold(path):
            if passages.setdefault(passage.passage_id, passage) != passage:
                raise InputError(
                    f"passage {passage.passage_id} is not the same as in {files[0]}.",
                    where=str(path),
                    hint="Name runs over files in which a passage's text and accepted edges are the same.",
                )
    return list(passages.values())
