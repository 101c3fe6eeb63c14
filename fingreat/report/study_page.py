"""The page of a study: one self-contained HTML file with its figures and tables, methods and appendices."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import count

from markupsafe import Markup

from fingreat.report.draw import draw_svg
from fingreat.report.model import Figure
from fingreat.report.palette import edge_styles
from fingreat.report.study import Appendix, Part, StudyReport
from fingreat.report.tables import Table
from fingreat.report.templating import csp_hash, environment, page_style, printable

FORMS = {"tables": ("csv", "tex", "md"), "figures": ("svg", "pdf")}
"""Folder beside the page → the forms of files in it, as they are linked."""
_SHOWN = {"csv": "CSV", "tex": "LaTeX", "md": "Markdown", "svg": "SVG", "pdf": "PDF"}
LONGEST_TABLE = 500
"""Rows of a table that the page shows: browsers lay out thousands of them slowly, and nobody reads them."""


def render_study(report: StudyReport, files: Collection[str] | None = None) -> str:
    """The page of a study as HTML text, to be written as UTF-8 beside the folders `tables` and `figures`.

    It loads nothing and has no script: a content security policy lets only the page's own style, by its hash. All text
    is escaped; prompts and replies are shown as they are. Figures are drawn by this package and go in as markup.
    Tables and figures are numbered from 1 in the order in which they stand there.

    Args:
        files: those that may be linked, relative to the page, such as "figures/accuracy.pdf"; None for every form of
            every table and figure.

    Raises:
        InputError: the graph has no such grouping.
    """
    style = page_style()
    html = (
        environment()
        .get_template("study.html.j2")
        .render(
            report=report,
            style=style,
            style_hash=csp_hash(style),
            style_of=edge_styles(report.graph, report.grouping),
            graph_svg=Markup(draw_svg(report.graph, grouping=report.grouping)),
            drawings={figure.id: Markup(figure.svg) for figure in report.figures},
            contents=_contents(report),
            links=_links(report, files),
            shown={table.id: table for table in _shown(report)},
            figures={figure.id: figure for figure in _numbered(report.figures)},
        )
    )
    return printable(html)


def _contents(report: StudyReport) -> list[tuple[str, str]]:
    """Place in the page → what stands there."""
    return [
        *((f"part-{part.id}", part.title) for part in report.parts),
        ("methods", "Methods"),
        *((f"part-{appendix.id}", appendix.title) for appendix in report.appendices),
    ]


def _links(report: StudyReport, files: Collection[str] | None) -> dict[str, list[tuple[str, str]]]:
    """ "folder/id" → what its files are called, and where they are."""
    ids = {"tables": [table.id for table in report.tables], "figures": [figure.id for figure in report.figures]}
    places = [f"{folder}/{id_}" for folder in FORMS for id_ in ids[folder]]
    return {
        place: [
            (_SHOWN[form], f"{place}.{form}")
            for form in FORMS[place.split("/")[0]]
            if files is None or f"{place}.{form}" in files
        ]
        for place in places
    }


def _numbered(figures: tuple[Figure, ...]) -> Iterator[Figure]:
    for number, figure in enumerate(figures, 1):
        yield figure.model_copy(update={"title": f"Figure {number}. {figure.title}"})


def _shown(report: StudyReport) -> Iterator[Table]:
    """The tables as a reader sees them, in the order of the page: with their numbers, long ones shortened, and in no
    part a note twice.
    """
    numbers = count(1)
    for part in report.placed:
        told: set[str] = set()
        for table in _in_order(part):
            notes = tuple(note for note in table.notes if note not in told)
            title = f"Table {next(numbers)}. {table.title}"
            yield _shortened(table).model_copy(update={"notes": notes, "title": title})
            told.update(table.notes)


def _in_order(part: Part | Appendix) -> list[Table]:
    """Those that are folded stand after the others."""
    return sorted(part.tables, key=lambda table: table.detail)


def _shortened(table: Table) -> Table:
    """A long table's first rows, and those at its end that sum up all."""
    if len(table.rows) <= LONGEST_TABLE:
        return table
    sums = table.rows[len(table.rows) - table.totals :]
    return table.model_copy(update={"rows": (*table.rows[: LONGEST_TABLE - len(sums)], *sums)})
