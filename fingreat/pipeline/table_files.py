"""Tables and figures as files for a paper: a folder with each of them in the forms that papers and programs take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fingreat.errors import InputError, MissingExtraError
from fingreat.report.latex import table_latex
from fingreat.report.markdown_table import table_markdown
from fingreat.report.model import Figure
from fingreat.report.pdf import svg_to_pdf
from fingreat.report.tables import Table, table_csv
from fingreat.report.templating import printable
from fingreat.runs import owner_of, sweep, write_atomic
from fingreat.runs.files import storage_errors

TABLE_FORMS = ("csv", "tex", "md")
FIGURE_FORMS = ("svg", "pdf")


@dataclass(frozen=True)
class TableFolder:
    """What a folder of tables holds: files of tables and figures of some ids, and nothing else.

    A table is `<id>.csv`, `<id>.tex` and `<id>.md`; a figure is `<id>.svg` and `<id>.pdf`.

    Attributes:
        of: what the tables say something of, such as "a corpus".
        ids: of all tables there can be.
        figures: ids of all figures there can be.
    """

    of: str
    ids: tuple[str, ...]
    figures: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Of all files there can be."""
        return tuple(
            f"{id_}.{form}"
            for ids, forms in ((self.ids, TABLE_FORMS), (self.figures, FIGURE_FORMS))
            for id_ in ids
            for form in forms
        )

    def check(self, out: Path) -> None:
        """Refuse a folder with anything in it but such tables and figures, which are written over.

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

    def write(
        self, tables: Sequence[Table], out: Path, comment: Sequence[str] = (), figures: Sequence[Figure] = ()
    ) -> tuple[str, ...]:
        """Write each table and figure in all its forms; what an earlier call left there and this one lacks goes.

        Args:
            comment: lines that stand before each table in LaTeX and Markdown, such as what it was made from.

        Returns:
            Sentences for who asked, on forms that could not be made here; none where all is written.

        Raises:
            InputError: as in `check`.
            StorageError: the disk refused; every file is whole.
        """
        self.check(out)
        files = dict(table_files(tables, comment))
        drawn, told = figure_files(figures)
        files |= drawn
        sweep(*(out / name for name in self.names))
        with storage_errors(out):
            for name in self.names:
                if name not in files:
                    (out / name).unlink(missing_ok=True)
        for name, data in files.items():
            write_atomic(out / name, data)
        return told


def table_files(tables: Sequence[Table], comment: Sequence[str] = ()) -> Mapping[str, bytes]:
    """Name → content of the files of tables.

    Args:
        comment: as in `TableFolder.write`.
    """
    texts = {
        f"{table.id}.{form}": text
        for table in tables
        for form, text in zip(
            TABLE_FORMS, (table_csv(table), table_latex(table, comment), table_markdown(table, comment)), strict=True
        )
    }
    return {name: text.encode("utf-8", "replace") for name, text in texts.items()}


def figure_files(figures: Sequence[Figure]) -> tuple[Mapping[str, bytes], tuple[str, ...]]:
    """Name → content of the files of figures, and a sentence where they cannot be made as PDF here."""
    files = {f"{figure.id}.svg": printable(figure.svg).encode() for figure in figures}
    try:
        files |= {f"{figure.id}.pdf": svg_to_pdf(figure.svg, figure.title) for figure in figures}
    except MissingExtraError as error:
        return files, (f"The figures are written as SVG only. {error}",)
    return files, ()
