"""Several runs over the same texts, held for reading and gone through filing by filing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from fingreat.errors import InputError
from fingreat.pipeline.by_filing import ByFiling, read_by_filing
from fingreat.pipeline.comparable import check_comparable
from fingreat.runs import Manifest, RunFolder, readers
from fingreat.schema import Extraction, Graph, load_graph

Watching: TypeAlias = Callable[[int, int], None]
"""Is told how many filings are done, of how many in all."""


def unwatched(done: int, total: int) -> None:
    """Nobody watches."""


@dataclass(frozen=True)
class Compared:
    """Runs whose extractions can be set side by side.

    Attributes:
        names: unique, in the order of the runs.
        graph: of all of them.
        filings: ids of the filings that all of them read, in the order in which the first run has them.
        left_out: filings that only some of them read.
        extractions: of those filings, by run.
    """

    names: tuple[str, ...]
    graph: Graph
    filings: tuple[str, ...]
    left_out: int
    extractions: ByFiling

    def by_filing(self, watch: Watching = unwatched) -> Iterator[tuple[str, tuple[list[Extraction], ...]]]:
        """Each filing with its extractions in every run; one filing's at a time is in memory."""
        watch(0, len(self.filings))
        for done, filing in enumerate(self.extractions, 1):
            yield filing
            watch(done, len(self.filings))


@contextmanager
def compared(runs: Sequence[RunFolder], *, common: bool = False) -> Iterator[Compared]:
    """Hold runs for reading, once they are seen to be comparable.

    Args:
        runs: different ones, at least one.
        common: compare them on the filings that all of them read, instead of refusing others.

    Raises:
        RunError: a run is not complete or is damaged, or another process changes it.
        InputError: the runs cannot be compared, or the graph they were made with is not there.
    """
    with ExitStack() as stack:
        for path in dict.fromkeys(run.path for run in runs):
            stack.enter_context(readers(path))
        filings = check_comparable(runs, common=common)
        manifests = [run.manifest() for run in runs]
        read = {filing for manifest in manifests for filing in manifest.inputs}
        yield Compared(
            names=names_of(run.path for run in runs),
            graph=graph_of(manifests[0], runs[0]),
            filings=filings,
            left_out=len(read) - len(filings),
            extractions=read_by_filing(runs, filings),
        )


def names_of(paths: Iterable[Path]) -> tuple[str, ...]:
    """The names of run folders; of equal names the later ones get a number."""
    names: list[str] = []
    for path in paths:
        base = name = path.resolve().name
        number = 1
        while name in names:
            number += 1
            name = f"{base} ({number})"
        names.append(name)
    return tuple(names)


def graph_of(manifest: Manifest, run: RunFolder) -> Graph:
    """The graph of a run: the shipped one, or the file it was made with.

    Raises:
        InputError: the file is not there, or is another graph by now.
    """
    named = manifest.asked.get("schema_file")
    if named and not Path(named).is_file():
        raise InputError(
            f"was made with graph file {named}, which is not there.", where=str(run.path), hint="Put it back."
        )
    graph = load_graph(Path(named) if named else None)
    if graph.digest != manifest.hashes["graph"]:
        raise InputError(
            f"graph '{graph.name}' is not the one that this run was made with.",
            where=str(run.path),
            hint=f"Restore {graph.source}." if named else "The run was made by another version of fingreat.",
        )
    return graph
