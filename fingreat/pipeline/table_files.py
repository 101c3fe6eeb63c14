"""Tables as files for a paper: a folder with each of them as CSV and as LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fingreat.errors import InputError
from fingreat.report.latex import table_latex
from fingreat.report.tables import Table, table_csv
from fingreat.runs import owner_of, sweep, write_atomic
from fingreat.runs.files import storage_errors


@dataclass(frozen=True)
class TableFolder:
    """What a folder of tables holds: `<id>.csv` and `<id>.tex` for tables of some ids, and nothing else.

    Attributes:
        of: what the tables say something of, such as "a corpus".
        ids: of all tables there can be.
    """

    of: str
    ids: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Of all files there can be."""
        return tuple(f"{id_}.{ending}" for id_ in self.ids for ending in ("csv", "tex"))

    def check(self, out: Path) -> None:
        """Refuse a folder with anything in it but such tables, which are written over.

        Raises:
            InputError: it is a file, holds something else, or lies in the folder of a run, a match or a corpus.
        """
        hint = "Choose another --out."
        if (out.exists() or out.is_symlink()) and not out.is_dir():
            raise InputError("is a file; the tables need a folder.", where=str(out), hint=hint)
        if owner := owner_of(out):
            raise InputError(f"lies in {owner}, which holds a run, a match or a corpus.", where=str(out), hint=hint)
        for path in sorted(out.iterdir()) if out.is_dir() else ():
            hidden = path.name.startswith(".") and path.is_file()
            if not hidden and (path.name not in self.names or path.is_symlink() or not path.is_file()):
                raise InputError(f"holds {path.name!r}, which is no table of {self.of}.", where=str(out), hint=hint)

    def write(self, tables: Sequence[Table], out: Path, comment: Sequence[str] = ()) -> None:
        """Write each table in both forms; tables that an earlier call left there and this one lacks go.

        Args:
            comment: lines that stand before each table in LaTeX, such as what it was made from.

        Raises:
            InputError: as in `check`.
            StorageError: the disk refused; every file is whole.
        """
        self.check(out)
        files = {f"{table.id}.csv": table_csv(table) for table in tables}
        files |= {f"{table.id}.tex": table_latex(table, comment) for table in tables}
        sweep(*(out / name for name in self.names))
        with storage_errors(out):
            for name in self.names:
                if name not in files:
                    (out / name).unlink(missing_ok=True)
        for name, text in files.items():
            write_atomic(out / name, text.encode("utf-8", "replace"))
