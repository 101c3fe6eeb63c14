"""A table as LaTeX, to be put into a paper: what the console shows, by the same rule, with booktabs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise, zip_longest
from typing import NamedTuple

from fingreat.report.latex_layout import Fit, blocks, fitted, is_long
from fingreat.report.latex_text import breakable_text, comment_line, latex_text
from fingreat.report.latex_widths import Style, head_lines, letters, parts, too_wide, wrapped
from fingreat.report.tables import Cell, Column, Table

_PREAMBLE = r"% Needs \usepackage{booktabs,array}. In UTF-8, for pdfLaTeX of 2020 and later."
_LONG_PREAMBLE = (
    r"% Needs \usepackage{booktabs,array,longtable}. In UTF-8, for pdfLaTeX of 2020 and later, run until no width "
    "changes.",
    "% Longer than a page: it breaks between rows, does not float, and needs a text in one column.",
)
_PART = "of which "
"""How a row begins that is a part of the row above."""


def table_latex(table: Table, comment: Sequence[str] = ()) -> str:
    """The table as a floating `table` of LaTeX: its title as caption, the label `tab:<id>`, its notes below.

    Numbers are aligned to the right. A share takes two columns, its per cent and "k/n", a difference one, and either
    one more for its interval where a cell of the column has one. A rule stands before the rows that sum up the others.

    A table that would be wider than a page is set smaller; then names that a reader sees once get lines of their own;
    then the parts of shares stand below each other; then names are wrapped; then the columns are divided into panels
    below each other. Spare columns are left out where that does, which a comment says. One that would be longer than a
    page is a `longtable`, which breaks between rows, but not between those of the same names.

    Args:
        comment: lines of a comment before the table, such as what it was made from.
    """
    fit = fitted(table)
    long = is_long(fit)
    grids = [_grid(panel, fit.style, long) for panel in fit.panels]
    lines = [
        *map(comment_line, comment),
        *(_LONG_PREAMBLE if long else (_PREAMBLE,)),
        *_on_what_is_shown(table, fit),
        *(_long if long else _floating)(table, grids, fit.style),
    ]
    return "\n".join(lines) + "\n"


class _Grid(NamedTuple):
    """A panel as lines of LaTeX."""

    layout: str
    head: str
    body: list[str]


def _grid(panel: Table, style: Style, long: bool) -> _Grid:
    shown = style.shown(panel)
    spans, wraps = style.spans(shown), wrapped(shown, style)
    cells = zip(shown.columns, spans, wraps, strict=True)
    return _Grid(
        "".join(letters(column, span, wrap) for column, span, wrap in cells),
        _row(_head(column, span, style) for column, span in zip(shown.columns, spans, strict=True)),
        _body(panel, style, long),
    )


def _floating(table: Table, grids: Sequence[_Grid], style: Style) -> list[str]:
    """The table on one page."""
    lines = [
        r"\begin{table}",
        r"\centering",
        *_size(style),
        rf"\caption{{{latex_text(table.title)}}}",
        rf"\label{{tab:{table.id}}}",
    ]
    for grid in grids:
        lines += [
            r"\par\smallskip",
            rf"\begin{{tabular}}{{{grid.layout}}}",
            r"\toprule",
            grid.head,
            r"\midrule",
            *grid.body,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    if notes := _notes(table):
        lines += [r"\par\smallskip\noindent", r"\begin{minipage}{\linewidth}", *notes, r"\end{minipage}"]
    return [*lines, r"\end{table}"]


def _long(table: Table, grids: Sequence[_Grid], style: Style) -> list[str]:
    """The table over several pages, each with its head."""
    title = latex_text(table.title)
    again = rf"\caption[]{{{title} (continued)}} \\"
    lines = [r"\begingroup", *_size(style)]
    for number, grid in enumerate(grids):
        first = [again] if number else [rf"\caption{{{title}}}", rf"\label{{tab:{table.id}}} \\"]
        head = [r"\toprule", grid.head, r"\midrule"]
        lines += [
            # Every longtable takes a number, and the panels of a table have one.
            *([r"\addtocounter{table}{-1}"] if number else []),
            rf"\begin{{longtable}}{{{grid.layout}}}",
            *(*first, *head, r"\endfirsthead"),
            *(again, *head, r"\endhead"),
            *(r"\bottomrule", r"\endfoot"),
            *grid.body,
            r"\end{longtable}",
        ]
    if notes := _notes(table):
        # In no box, which could be higher than a page.
        lines += [*notes, r"\par"]
    return [*lines, r"\endgroup"]


def _size(style: Style) -> list[str]:
    """The size of letters and of what is between columns, where they are not those of the text."""
    return [rf"\footnotesize\setlength{{\tabcolsep}}{{{style.space / 2:g}pt}}"] if style.compact else []


def _on_what_is_shown(table: Table, fit: Fit) -> Iterator[str]:
    """Comments on what stands below each other, and on what does not stand there."""
    if fit.style.stacked:
        yield "% Below each other: per cent, k/n, [interval]."
    if len(fit.panels) > 1:
        yield "% Too wide for a page: its columns are divided into panels."
    if left := [column.label for column in table.columns if column not in fit.columns]:
        yield f"% Left out for want of room, but in the CSV file: {', '.join(left)}."


def _body(panel: Table, style: Style, long: bool) -> list[str]:
    """The lines of all rows, with the lines that stand above and between them."""
    whole = style.shown(panel)
    wraps = wrapped(whole, style)
    columns = tuple(zip(whole.columns, whole.spans, wraps, strict=True))
    wide = sum(style.spans(whole))
    sums = len(panel.rows) - panel.totals
    lines: list[str] = []
    number = 0
    for together in blocks(panel, style, long):
        block: list[str] = []
        rows = style.shown(together).for_reading().rows
        for heading, row in zip(style.headings(together), rows, strict=True):
            if number and number == sums:
                block.append(r"\midrule")
            elif number and (heading or style.spaced(wraps)):
                block.append(r"\addlinespace")
            block += [*_heading(heading, wide, style), *_block(columns, row, style)]
            number += 1
        lines += _kept_together(block) if long else block
    return lines


def _heading(text: str, columns: int, style: Style) -> list[str]:
    """The line above rows of so many columns, if there is one."""
    if not text:
        return []
    place, shown = (
        (r"p{\dimexpr\linewidth-2\tabcolsep}", breakable_text(text))
        if too_wide(text, style)
        else ("l", latex_text(text))
    )
    return [rf"\multicolumn{{{columns}}}{{{place}}}{{\textit{{{shown}}}}} \\"]


def _kept_together(block: list[str]) -> Iterator[str]:
    """Lines with no break of the page between them."""
    yield from (f"{line}*" if line.endswith(r"\\") else line for line, _ in pairwise(block))
    yield from block[-1:]


def _block(columns: Sequence[tuple[Column, int, float]], row: Sequence[Cell], style: Style) -> list[str]:
    """The lines of a row: one, or as many as its cells have parts.

    Args:
        columns: each with the parts that its cells have, and the points that they are wrapped to.
    """
    fields = [tuple(_fields(*column, cell)) for column, cell in zip(columns, row, strict=True)]
    if not style.stacked:
        return [_row(chain.from_iterable(fields))]
    return [_row(line) for line in zip_longest(*fields, fillvalue="")]


def _row(fields: Iterable[str]) -> str:
    return " & ".join(fields) + r" \\"


def _head(column: Column, span: int, style: Style) -> str:
    """The head of a column, over the narrow ones that it takes."""
    lines = head_lines(column, style)
    text = r" \\ ".join(map(latex_text, lines))
    place = "c" if span > 1 else "r" if column.right else "l"
    if len(lines) > 1:
        text = rf"\shortstack[{place}]{{{text}}}"
    return rf"\multicolumn{{{span}}}{{c}}{{{text}}}" if span > 1 else text


def _fields(column: Column, span: int, wrap: float, cell: Cell) -> Iterator[str]:
    for text in parts(column, cell, span):
        if column.right:
            # A hyphen is shorter than a minus sign.
            yield latex_text(text).replace("-", "$-$")
        else:
            shown = breakable_text(text) if wrap else latex_text(text)
            yield (r"\quad " if text.startswith(_PART) else "") + shown


def _notes(table: Table) -> list[str]:
    """The notes in small print, a paragraph each."""
    texts = [breakable_text(note) for note in table.all_notes]
    return [r"\footnotesize\raggedright", "\n\n".join(texts)] if texts else []
