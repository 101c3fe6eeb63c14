"""Several runs over the same texts, held for reading and gone through filing by filing."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import fingreat
from fingreat.errors import InputError
from fingreat.pipeline.by_filing import ByFiling, read_by_filing
from fingreat.pipeline.comparable import check_comparable, failed_requests
from fingreat.report.tables import Table, count_of
from fingreat.runs import Manifest, RunFolder, readers
from fingreat.schema import Extraction, Graph, load_graph

_LONGEST = 2**40
"""No text has so many characters."""
Watching: TypeAlias = Callable[[int, int], None]
"""Is told how many filings are done, of how many in all."""


def unwatched(done: int, total: int) -> None:
    """Nobody watches."""


@dataclass(frozen=True)
class Choice:
    """Which filings and extractions of runs are compared.

    Attributes:
        common: the filings that all of the runs read, instead of refusing runs that read others.
        grounded: only extractions whose quote stands in the text, instead of all.
    """

    common: bool = False
    grounded: bool = False


EVERYTHING = Choice()
"""All extractions, of runs that read the same filings."""


@dataclass(frozen=True)
class Scope:
    """What runs are compared on.

    Attributes:
        filings: ids of the filings that all of them read and that have the item, as the first run orders them.
        without_text: ids of those that all of them looked into, without such an item; they play no part.
        left_out: filings that only some of them read.
        left_out_extractions: of those filings, in all runs.
        failed: run → its requests that ended without output, and all of its requests; runs without such are not there.
        ungrounded: run → its extractions that are left out since they do not stand in the text, and all that it has of
            the filings; None where all are compared.
    """

    filings: tuple[str, ...]
    without_text: tuple[str, ...] = ()
    left_out: int = 0
    left_out_extractions: int = 0
    failed: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    ungrounded: Mapping[str, tuple[int, int]] | None = None

    @property
    def sentence(self) -> str:
        """What is compared and what is not, in words."""
        over = f"Over {count_of(len(self.filings), 'filing')}"
        if unread := len(self.without_text):
            over += f" ({unread:,} more had no item to read)"
        if not self.left_out:
            return f"{over}."
        read = "that all runs read" if len(self.filings) > 1 else "that every run read"
        left_out = count_of(self.left_out, "filing"), count_of(self.left_out_extractions, "extraction")
        return f"{over} {read}; left out: {left_out[0]} that only some read, with {left_out[1]}."

    @property
    def on_ungrounded(self) -> str | None:
        """That some extractions are not compared since they do not stand in the text, in words; None where all are."""
        if self.ungrounded is None:
            return None
        of_runs = (f"{left:,} of the {of:,} of {name}" for name, (left, of) in self.ungrounded.items())
        return f"Only extractions whose quote stands in the text count; left out: {', '.join(of_runs)}."

    def told(self, tables: Iterable[Table]) -> tuple[Table, ...]:
        """Tables, each with notes that say what is compared, and of which runs some requests failed."""
        failed = (failed_requests(name, *numbers) for name, numbers in self.failed.items())
        notes = (self.sentence, *(note for note in (self.on_ungrounded, *failed) if note))
        return tuple(table.model_copy(update={"notes": (*notes, *table.notes)}) for table in tables)


@dataclass(frozen=True)
class Compared:
    """Runs whose extractions can be set side by side.

    Attributes:
        names: unique, in the order of the runs.
        graph: of all of them.
        extractions: of the scope's filings, by run; without those that the scope leaves out.
    """

    names: tuple[str, ...]
    graph: Graph
    scope: Scope
    extractions: ByFiling

    def by_filing(self, watch: Watching = unwatched) -> Iterator[tuple[str, tuple[list[Extraction], ...]]]:
        """Each filing with its extractions in every run; one filing's at a time is in memory.

        Raises:
            InputError: an extraction has an edge that the graph lacks, or lies outside of any text.
        """
        total = len(self.scope.filings)
        watch(0, total)
        for done, (filing_id, extractions) in enumerate(self.extractions, 1):
            for name, of_run in zip(self.names, extractions, strict=True):
                self._check(name, of_run)
            yield filing_id, extractions
            watch(done, total)

    def _check(self, name: str, extractions: Iterable[Extraction]) -> None:
        for one in extractions:
            fault = None
            if one.edge not in self.graph.edges:
                fault = f"has edge {one.edge}, no edge of graph '{self.graph.name}'."
            elif any(end > _LONGEST for _, end in one.ranges):
                fault = "has a range that is longer than any text."
            if fault:
                raise InputError(
                    fault,
                    where=f"run {name}, extraction {one.id}",
                    hint="Repeat its `fingreat extract` command: extractions are made anew from the replies.",
                )


@contextmanager
def compared(
    runs: Sequence[RunFolder], choice: Choice = EVERYTHING, *, taken: Iterable[str] = ()
) -> Iterator[Compared]:
    """Hold runs for reading, once they are seen to be comparable.

    Args:
        runs: different ones, at least one.
        choice: which of their filings and extractions.
        taken: names that no run is given.

    Raises:
        RunError: a run is not complete or is damaged, or another process changes it.
        InputError: the runs cannot be compared, or the graph they were made with is not there.
    """
    with ExitStack() as stack:
        for path in dict.fromkeys(run.path for run in runs):
            stack.enter_context(readers(path))
        filings, without_text = check_comparable(runs, common=choice.common)
        manifests = [run.manifest() for run in runs]
        read = {filing for manifest in manifests for filing in manifest.inputs}
        extractions = read_by_filing(runs, filings, grounded=choice.grounded)
        names = names_of((run.path for run in runs), taken)
        counts = {name: manifest.counts for name, manifest in zip(names, manifests, strict=True)}
        both = zip(extractions.ungrounded, extractions.given, strict=True)
        ungrounded = {name: (left, left + given) for name, (left, given) in zip(names, both, strict=True)}
        scope = Scope(
            filings=filings,
            without_text=without_text,
            left_out=len(read) - len(filings) - len(without_text),
            left_out_extractions=sum(extractions.left_out),
            failed={name: (of["failures"], of["requests"]) for name, of in counts.items() if of.get("failures")},
            ungrounded=ungrounded if choice.grounded else None,
        )
        yield Compared(names=names, graph=graph_of(manifests[0], runs[0]), scope=scope, extractions=extractions)


def sides_of(
    runs: Sequence[RunFolder], references: Sequence[RunFolder]
) -> tuple[list[RunFolder], tuple[list[int], list[int]]]:
    """All runs, each once, and the places among them of the runs and of the references.

    Without references, the runs are their own.

    Raises:
        InputError: a run is named twice on one side, or there are no two runs.
    """
    places: dict[str, int] = {}
    together: list[RunFolder] = []
    sides = []
    for side in (runs, references or runs):
        numbers: list[int] = []
        for run in side:
            number = places.setdefault(str(run.path.resolve()), len(together))
            if number in numbers:
                raise InputError("is named twice.", where=str(run.path), hint="Name different runs.")
            if number == len(together):
                together.append(run)
            numbers.append(number)
        sides.append(numbers)
    if not runs:
        raise InputError("there is no run to measure.", hint="Name at least one run folder.")
    if len(together) < 2:
        alone = "is its own only reference." if references else "has no other run to be measured against."
        raise InputError(alone, where=str(runs[0].path), hint="Name a second run, or another one by --reference.")
    return together, (sides[0], sides[1])


def names_of(paths: Iterable[Path], taken: Iterable[str] = ()) -> tuple[str, ...]:
    """The names of run folders; of equal names the later ones get a number.

    Args:
        taken: names that something else has.
    """
    others = tuple(taken)
    names: list[str] = []
    for path in paths:
        base = name = path.resolve().name
        number = 1
        while name in names or name in others:
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


def provenance(command: Sequence[str], runs: Iterable[RunFolder]) -> list[str]:
    """What tables were made from, each run once, and the command that makes them, in lines."""
    lines = [f"Made by fingreat {fingreat.__version__}: {shlex.join(('fingreat', *command))}"]
    for run in {run.path.resolve(): run for run in runs}.values():
        manifest = run.manifest()
        lines.append(f"Run {run.path}: {manifest.model.spec}, begun at {manifest.created:%Y-%m-%d %H:%M} UTC")
    return lines
