"""A table as LaTeX, to be put into a paper: what the console shows, by the same rule, with booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise, zip_longest

from fingreat.report.latex_layout import Style, fitted, head_lines, is_long, letters, parts
from fingreat.report.tables import Cell, Column, Table

_PREAMBLE = r"% Needs \usepackage{booktabs,array}. In UTF-8, for pdfLaTeX of 2020 and later."
_LONG_PREAMBLE = (
    r"% Needs \usepackage{booktabs,array,longtable}. In UTF-8, for pdfLaTeX of 2020 and later, run until no width "
    "changes.",
    "% Longer than a page: it breaks between rows, does not float, and needs a text in one column.",
)
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
_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Marks that turn the direction of writing: with them a comment could look like something else."""
_JOINED = re.compile(r"([-',])(?=\1)")
"""What a font makes one character of with its neighbour: two hyphens, two apostrophes, two commas."""
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

    A table that would be wider than a page is set smaller; then names that a reader sees once get lines of their own;
    then the parts of shares stand below each other. Spare columns are left out where that does, which a comment says.
    One that would be longer than a page is a `longtable`, which breaks.

    Args:
        comment: lines of a comment before the table, such as what it was made from.
    """
    style, kept = fitted(table)
    long = is_long(kept, style)
    shown = style.shown(kept)
    spans = style.spans(shown)
    layout = "".join(letters(shown, index, span) for index, span in enumerate(spans))
    head = _row(_head(column, span, style) for column, span in zip(shown.columns, spans, strict=True))
    lines = [
        *(f"% {' '.join(_CONTROL.sub(' ', _TURNING.sub('?', line)).split())}" for line in comment),
        *(_LONG_PREAMBLE if long else (_PREAMBLE,)),
        *_on_what_is_shown(table, kept, style),
        *(_long if long else _floating)(table, layout, head, _body(kept, shown, style, long), style),
    ]
    return "\n".join(lines) + "\n"


def _floating(table: Table, layout: str, head: str, body: list[str], style: Style) -> list[str]:
    """The table on one page."""
    return [
        r"\begin{table}",
        r"\centering",
        *_size(style),
        rf"\caption{{{latex_text(table.title)}}}",
        rf"\label{{tab:{table.id}}}",
        r"\par\smallskip",
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        head,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        *_notes(table.all_notes),
        r"\end{table}",
    ]


def _long(table: Table, layout: str, head: str, body: list[str], style: Style) -> list[str]:
    """The table over several pages, each with its head."""
    title = latex_text(table.title)
    return [
        r"\begingroup",
        *_size(style),
        rf"\begin{{longtable}}{{{layout}}}",
        rf"\caption{{{title}}}",
        rf"\label{{tab:{table.id}}} \\",
        r"\toprule",
        head,
        r"\midrule",
        r"\endfirsthead",
        rf"\caption[]{{{title} (continued)}} \\",
        r"\toprule",
        head,
        r"\midrule",
        r"\endhead",
        r"\bottomrule",
        r"\endfoot",
        *body,
        r"\end{longtable}",
        *_notes(table.all_notes),
        r"\endgroup",
    ]


def _size(style: Style) -> list[str]:
    """The size of letters and of what is between columns, where they are not those of the text."""
    return [rf"\footnotesize\setlength{{\tabcolsep}}{{{style.space / 2:g}pt}}"] if style.compact else []


def _on_what_is_shown(table: Table, kept: Table, style: Style) -> Iterator[str]:
    """Comments on what stands below each other, and on what does not stand there."""
    if style.stacked:
        yield "% Below each other: per cent, k/n, [interval]."
    if left := [column.label for column in table.columns if column not in kept.columns]:
        yield f"% Left out for want of room, but in the CSV file: {', '.join(left)}."


def _body(table: Table, shown: Table, style: Style, long: bool) -> list[str]:
    """The lines of all rows, with the lines that stand above and between them."""
    width = sum(style.spans(shown))
    whole = shown.spans
    sums = len(shown.rows) - table.totals
    lines: list[str] = []
    for number, (headings, row) in enumerate(zip(style.headings(table), shown.rows, strict=True)):
        if number and number == sums:
            lines.append(r"\midrule")
        elif number and (style.stacked or headings):
            lines.append(r"\addlinespace")
        above = [rf"\multicolumn{{{width}}}{{l}}{{\textit{{{latex_text(line)}}}}} \\" for line in headings]
        block = [*above, *_block(shown.columns, row, whole, style)]
        lines += _kept_together(block) if long else block
    return lines


def _kept_together(block: list[str]) -> Iterator[str]:
    """Lines with no break of the page between them."""
    yield from (f"{line}*" for line, _ in pairwise(block))
    yield from block[-1:]


def _block(columns: Sequence[Column], row: Sequence[Cell], spans: Sequence[int], style: Style) -> list[str]:
    """The lines of a row: one, or as many as its cells have parts.

    Args:
        spans: how many parts the cells of each column have.
    """
    cells = zip(columns, row, spans, strict=True)
    fields = [tuple(_fields(column, cell, span)) for column, cell, span in cells]
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


def _fields(column: Column, cell: Cell, span: int) -> Iterator[str]:
    for text in parts(column, cell, span):
        if column.right:
            # A hyphen is shorter than a minus sign.
            yield latex_text(text).replace("-", "$-$")
        else:
            yield (r"\quad " if text.startswith(_PART) else "") + latex_text(text)


def _notes(notes: Iterable[str]) -> list[str]:
    """The notes in small print, a paragraph each."""
    texts = [latex_text(note) for note in notes]
    if not texts:
        return []
    return [
        r"\par\smallskip\noindent",
        r"\begin{minipage}{\linewidth}",
        r"\footnotesize",
        "\n\n".join(texts),
        r"\end{minipage}",
    ]
