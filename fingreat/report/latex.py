"""A table as LaTeX, to be put into a paper: what the console shows, by the same rule, with booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

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
_PAGE, _CHARACTER, _SPACE = 360, 5.6, 12
"""Points of LaTeX: the width of a text on A4 at 11 pt, of a character there, and of what is between two columns."""
_COMPACT = r"\footnotesize\setlength{\tabcolsep}{3pt}"
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

    Args:
        comment: lines of a comment before the table, such as what it was made from.
    """
    table = table.for_reading()
    spans = table.spans
    layout = "".join(_layout(table, index) for index in range(len(table.columns)))
    compact = _width(table) > _PAGE
    rows = [
        _row(field for c, cell, n in zip(table.columns, row, spans, strict=True) for field in _fields(c, cell, n))
        for row in table.rows
    ]
    sums = len(rows) - table.totals
    lines = [
        *(f"% {' '.join(_CONTROL.sub(' ', line).split())}" for line in comment),
        _PREAMBLE,
        r"\begin{table}",
        r"\centering",
        *([_COMPACT] if compact else []),
        rf"\caption{{{latex_text(table.title)}}}",
        rf"\label{{tab:{table.id}}}",
        r"\par\smallskip",
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        _row(_head(column, span, stacked=compact) for column, span in zip(table.columns, spans, strict=True)),
        r"\midrule",
        *rows[:sums],
        *([r"\midrule"] if 0 < sums < len(rows) else []),
        *rows[sums:],
        r"\bottomrule",
        r"\end{tabular}",
        *_notes(table.all_notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _row(fields: Iterable[str]) -> str:
    return " & ".join(fields) + r" \\"


def _layout(table: Table, index: int) -> str:
    """The letters of a column, or of the narrow ones that it takes."""
    column = table.columns[index]
    if column.right:
        return "r" * table.spans[index]
    return _PROSE_COLUMN if any(len(cell_text(column, row[index])) > _PROSE for row in table.rows) else "l"


def _width(table: Table) -> float:
    """About how wide a table is, in points."""
    points = 0.0
    for index, column in enumerate(table.columns):
        texts = (" ".join(_fields(column, row[index], table.spans[index])) for row in table.rows)
        widest = max(map(len, (column.head, *texts)))
        letters = _layout(table, index)
        prose = letters == _PROSE_COLUMN
        points += 0.4 * _PAGE if prose else widest * _CHARACTER
        points += _SPACE * (1 if prose else len(letters))
    return points


def _head(column: Column, span: int, *, stacked: bool) -> str:
    """The head of a column.

    Args:
        span: how many narrow columns it is over.
        stacked: in two lines, if it has several words.
    """
    words = column.head.split()
    text = latex_text(column.head)
    if stacked and len(words) > 1:
        # Where the longer line is the shortest.
        lines = (tuple(map(" ".join, (words[:n], words[n:]))) for n in range(1, len(words)))
        best = min(lines, key=lambda pair: max(map(len, pair)))
        place = "c" if span > 1 else "r" if column.right else "l"
        first, second = map(latex_text, best)
        text = rf"\shortstack[{place}]{{{first} \\ {second}}}"
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
