"""How every command of `fingreat analyze` gives out what it measured: as tables or JSON, and as files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from fingreat.cli.common import print_json, say, show_table, stoppable
from fingreat.cli.report import MOST_ROWS
from fingreat.pipeline.table_files import TableFolder
from fingreat.report import Figure, Table, count_of

M = TypeVar("M")


@dataclass(frozen=True)
class Results(Generic[M]):
    """The forms in which what a command measured is given out.

    Attributes:
        folder: what a folder of its tables and figures may hold.
        tables: all there is to say, as tables.
        data: the same as JSON has it.
        figures: what is drawn of it, for a folder.
        beside: writes what else the folder holds, after the tables, and says how much that is.
    """

    folder: TableFolder
    tables: Callable[[M], Sequence[Table]]
    data: Callable[[M], Any]
    figures: Callable[[M], Sequence[Figure]] | None = None
    beside: Callable[[M, Path], str] | None = None


def give_out(
    results: Results[M],
    measure: Callable[[], M],
    target: Path | None,
    *,
    json: bool,
    made_by: Callable[[], Sequence[str]],
) -> None:
    """Measure, and give out what was measured: tables or JSON on standard output, and files where a folder is named.

    Args:
        measure: is called once it is clear that the folder can be written to.
        target: a folder for tables and figures.
        json: instead of tables.
        made_by: lines for the files, on what they were made from; called after `measure`.

    Raises:
        FingreatError: the folder holds something else, or cannot be written; all that `measure` and `made_by` raise.
    """
    if target is not None:
        results.folder.check(target)
    written = []
    with stoppable(lambda: "Every file that was written is whole; repeat the command."):
        measured = measure()
        tables = results.tables(measured)
        if target is not None:
            figures = results.figures(measured) if results.figures else ()
            for sentence in results.folder.write(tables, target, made_by(), figures):
                say(sentence)
            beside = [results.beside(measured, target)] if results.beside else []
            drawn = [count_of(len(figures), "figure")] if figures else []
            written = [*beside, count_of(len(tables), "table"), *drawn]
    if json:
        print_json(results.data(measured))
    else:
        show_tables(tables)
    if target is not None:
        say(f"{', '.join(written[:-1])}{' and ' if written[1:] else ''}{written[-1]}: {target.resolve()}")


def show_tables(tables: Iterable[Table]) -> None:
    """Tables on standard output; a note that several have stands under the first of them."""
    told: set[str] = set()
    for table in tables:
        show_table(
            table.model_copy(update={"notes": tuple(note for note in table.notes if note not in told)}), most=MOST_ROWS
        )
        told.update(table.notes)
