"""A table as LaTeX, to be put into a paper: what the console shows, by the same rule, with booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

from fingreat.report.tables import Cell, Column, Table, cell_fields, cell_text

_PREAMBLE = r"% Needs \usepackage{booktabs,array}. In UTF-8, for pdfLaTeX of 2020 and later."
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    # By itself it closes a quotation, and begins a command in some languages of babel.
    '"': r"\symbol{34}",
    # At the beginning of a row they would belong to the line break before it.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "\0": "{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_JOINED = re.compile(r"([-',])(?=\1)")
"""What a font makes one character of with its neighbour: two hyphens, two apostrophes, two commas."""
_PROSE, _PROSE_COLUMN = 40, r">{\raggedright\arraybackslash}p{0.4\linewidth}"
"""Length from which on a text is wrapped, and the column that it stands in."""
_PAGE = 360
"""Points of LaTeX: the width of a text on A4 at 11 pt."""
_COMPACT = r"\footnotesize\setlength{\tabcolsep}{2.5pt}"
"""How a table is set that would be wider than that."""
_PART = "of which "
"""How a row begins that is a part of the row above."""


def latex_text(text: str) -> str:
    """A text that LaTeX sets as it is, in one line: nothing in it is a command or ends an argument.

    White space and control characters become one space, and half a surrogate pair a question mark.
    """
    line = " ".join(_CONTROL.sub(" ", text.encode("utf-8", "replace").decode()).split())
    return "".join(_SPECIAL.get(character, character) for character in _JOINED.sub("\\1\0", line))


def table_latex(table: Table, comment: Sequence[str] = ()) -> str:
    """The table as a floating `table` of LaTeX: its title as caption, the label `tab:<id>`, its notes below.

    Numbers are aligned to the right. A share takes two columns, its per cent and "k/n", a difference one, and either
    one more for its interval where a cell of the column has one. A rule stands before the rows that sum up the others.

    A table that would be wider than a page is set smaller. Where that is not enough and there are shares, their parts
    stand below each other and spare columns are left out.

    Args:
        comment: lines of a comment before the table, such as what it was made from.
    """
    table = table.for_reading()
    sizes = [_NORMAL, _SMALL]
    if max(table.spans) > 1:
        sizes.append(_STACKED)
    style = next((style for style in sizes if _width(table, style) <= _PAGE), sizes[-1])
    table = style.shown(table)
    blocks = [_block(table, row, style) for row in table.rows]
    sums = len(blocks) - table.totals
    space = [r"\addlinespace"] if style.stacked else []
    spans = style.spans(table)
    lines = [
        *(f"% {' '.join(_CONTROL.sub(' ', line).split())}" for line in comment),
        _PREAMBLE,
        r"\begin{table}",
        r"\centering",
        *([_COMPACT] if style.compact else []),
        rf"\caption{{{latex_text(table.title)}}}",
        rf"\label{{tab:{table.id}}}",
        r"\par\smallskip",
        rf"\begin{{tabular}}{{{''.join(_letters(table, index, span) for index, span in enumerate(spans))}}}",
        r"\toprule",
        _row(_head(column, span, style) for column, span in zip(table.columns, spans, strict=True)),
        r"\midrule",
        *_joined(blocks[:sums], space),
        *([r"\midrule"] if 0 < sums < len(blocks) else []),
        *_joined(blocks[sums:], space),
        r"\bottomrule",
        r"\end{tabular}",
        *_notes(table.all_notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


class _Style(NamedTuple):
    """How a table is set.

    Attributes:
        compact: in small letters, with heads of two lines.
        stacked: the parts of a share below each other instead of side by side.
        character, space: points of a character, and of what is between two columns.
    """

    compact: bool
    stacked: bool
    character: float
    space: float

    def shown(self, table: Table) -> Table:
        """What of a table is set."""
        return table.without_spares() if self.stacked else table

    def spans(self, table: Table) -> tuple[int, ...]:
        """How many narrow columns each column takes."""
        return (1,) * len(table.columns) if self.stacked else table.spans


_NORMAL = _Style(compact=False, stacked=False, character=5.6, space=12)
_SMALL = _Style(compact=True, stacked=False, character=4.45, space=5)
_STACKED = _Style(compact=True, stacked=True, character=4.45, space=5)


def _block(table: Table, row: Sequence[Cell], style: _Style) -> list[str]:
    """The lines of a row: one, or as many as its cells have parts."""
    cells = zip(table.columns, row, table.spans, strict=True)
    fields = [tuple(_fields(column, cell, span)) for column, cell, span in cells]
    if not style.stacked:
        return [_row(chain.from_iterable(fields))]
    return [_row(line) for line in zip_longest(*fields, fillvalue="")]


def _row(fields: Iterable[str]) -> str:
    return " & ".join(fields) + r" \\"


def _joined(blocks: Iterable[list[str]], between: list[str]) -> Iterator[str]:
    for number, block in enumerate(blocks):
        yield from [*(between if number else []), *block]


def _letters(table: Table, index: int, span: int) -> str:
    """The letters of a column, or of the narrow ones that it takes."""
    column = table.columns[index]
    if column.right:
        return "r" * span
    return _PROSE_COLUMN if any(len(cell_text(column, row[index])) > _PROSE for row in table.rows) else "l"


def _width(table: Table, style: _Style) -> float:
    """About how wide a table is, in points."""
    points = 0.0
    table = style.shown(table)
    for index, (column, span) in enumerate(zip(table.columns, style.spans(table), strict=True)):
        letters = _letters(table, index, span)
        if letters == _PROSE_COLUMN:
            points += 0.4 * _PAGE + style.space
            continue
        parts = zip(*(cell_fields(column, row[index], table.spans[index]) for row in table.rows), strict=True)
        widths = [max(map(len, part)) for part in parts]
        head = max(map(len, _head_lines(column, style)))
        cells = max(widths, default=0) if style.stacked else sum(widths)
        points += max(head, cells) * style.character + style.space * len(letters)
    return points


def _head_lines(column: Column, style: _Style) -> tuple[str, ...]:
    """The head of a column, in two lines if there are several words and the style has such heads."""
    words = column.head.split()
    if not style.compact or len(words) < 2:
        return (column.head,)
    # Where the longer line is the shortest.
    lines = (tuple(map(" ".join, (words[:n], words[n:]))) for n in range(1, len(words)))
    return min(lines, key=lambda pair: max(map(len, pair)))


def _head(column: Column, span: int, style: _Style) -> str:
    """The head of a column, over the narrow ones that it takes."""
    lines = _head_lines(column, style)
    text = r" \\ ".join(map(latex_text, lines))
    place = "c" if span > 1 else "r" if column.right else "l"
    if len(lines) > 1:
        text = rf"\shortstack[{place}]{{{text}}}"
    return rf"\multicolumn{{{span}}}{{c}}{{{text}}}" if span > 1 else text


def _fields(column: Column, cell: Cell, span: int) -> Iterator[str]:
    for text in cell_fields(column, cell, span):
        indent = r"\quad " if not column.right and text.startswith(_PART) else ""
        yield indent + latex_text(text)


def _notes(notes: Iterable[str]) -> list[str]:
    """The notes in small print, a paragraph each."""
    texts = [latex_text(note) for note in notes]
    if not texts:
        return []
    return [r"\par\smallskip", r"\begin{minipage}{\linewidth}", r"\footnotesize", "\n\n".join(texts), r"\end{minipage}"]
