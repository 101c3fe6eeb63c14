"""The page of a study names no folder of the machine it was made on: pages are shared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from fingreat.report.study import Appendix, Part, StudyReport
from fingreat.report.tables import Cell, Table

P = TypeVar("P", Part, Appendix)


def without_places(report: StudyReport, out: Path, file: Path) -> StudyReport:
    """A report whose sentences and tables name files as they are called from the study's folder or the study file's.

    Prompts and replies stay as they are: they are what was sent and what came.

    Args:
        out: the study folder; what is in it is named from there.
        file: the study file; what is beside it is named from its folder.
    """
    told = _Told(out, file)
    return report.model_copy(
        update={
            **{name: told.texts(getattr(report, name)) for name in ("lead", "missing", "methods")},
            "parts": tuple(map(told.part, report.parts)),
            "appendices": tuple(map(told.part, report.appendices)),
        }
    )


class _Told:
    """Texts without the folders of this machine."""

    def __init__(self, out: Path, file: Path) -> None:
        self._roots = sorted(_roots(out, file), key=lambda root: len(root[0]), reverse=True)

    def text(self, text: str) -> str:
        for root, shown in self._roots:
            # Its end is the end of a name: neither /out2 nor /out.old lies in /out.
            inside, itself = rf"(?<![\w./-]){re.escape(root)}/", rf"(?<![\w./-]){re.escape(root)}(?![\w-]|\.\w)"
            if root in text:
                text = re.sub(itself, shown or ".", re.sub(inside, f"{shown}/" if shown else "", text))
        return text

    def texts(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(self.text, texts))

    def part(self, part: P) -> P:
        tables = tuple(map(self._table, part.tables))
        return part.model_copy(update={"text": self.texts(part.text), "tables": tables})

    def _table(self, table: Table) -> Table:
        rows = tuple(tuple(map(self._cell, row)) for row in table.rows)
        return table.model_copy(update={"rows": rows, "notes": self.texts(table.notes)})

    def _cell(self, cell: Cell) -> Cell:
        return self.text(cell) if isinstance(cell, str) else cell


def _roots(out: Path, file: Path) -> Iterator[tuple[str, str]]:
    """Folder → what stands for it; of two that hold a file the inner one counts."""
    for folder, shown in ((out, ""), (file.parent, ""), (Path.cwd(), ""), (Path.home(), "~")):
        for path in {folder.absolute(), folder.resolve()}:
            # All paths lie in the root of a disk.
            if path != Path(path.anchor):
                yield str(path), shown
