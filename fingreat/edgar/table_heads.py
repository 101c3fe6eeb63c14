"""Which of a table's first rows are heads: by what their cells say, and by what stands below them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fingreat.edgar.html_look import look_at, pieces_of
from fingreat.edgar.html_tree import Element

_DASHES = "-–—―−‒‑"
_YEAR = re.compile(
    rf"^(?:(?:fiscal|FY|CY)\s*)?(?:19|20)\d\d(?:\s*[{_DASHES}/]\s*(?:(?:19|20)\d\d|\d\d))?[EF]?"
    r"\s*(?:\(\w{1,2}\)|[A-Z*]{1,2}|\b\d)?$",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    rf"^[\W_]*(?:[A-Z]{{0,3}}[$€£¥][\W_]*)?\d[\d,.]*(?:\s*[{_DASHES}]\s*[$€£¥]?\d[\d,.]*)?[\s)%]*"
    r"(?:x|times|p?pts?|pp|bps|points|(?:basis|percentage) points|[mb]illion)?[\W_]*(?:\(\w{1,2}\)|\w)?[\W_]*$",
    re.IGNORECASE,
)
_NOTHING = re.compile(rf"^[$€£¥(]*[{_DASHES}]+[)%]*$|^(?:N/?[AM]|N\.[AM]\.|nil|none|\*+)$", re.IGNORECASE)
_LOOK_BELOW = 40


@dataclass(slots=True)
class Placed:
    """A filled cell of a logical table.

    Attributes:
        text: its words.
        first, end: the half-open range of columns it covers.
        element: what it was made from.
    """

    text: str
    first: int
    end: int
    element: Element | None = None


def is_figure(text: str) -> bool:
    """Whether a cell holds a figure, or a dash or the like in a figure's place; a year is no figure."""
    return bool(_NOTHING.match(text)) or bool(_FIGURE.match(text) and not _YEAR.match(text))


def count_heads(rows: list[list[Placed]], width: int) -> int:
    """How many leading rows are heads.

    A row with values is a head where none of them is a figure and it is the first such row, or has no
    label, or its values are years, or bold, or stand above figures. Titles and units above it are heads
    with it, and so is a unit in brackets below it. Where no row is a head, a lone title is.
    """
    heads = 0
    complete = label_alone = False
    for number, row in enumerate(rows[:-1]):
        labelled = row[0].first == 0
        values = row[1:] if labelled else row
        if heads and not values:
            if row[0].text.startswith("("):
                heads = number + 1
            elif label_alone:
                break
            else:
                label_alone = True
        elif values:
            if any(is_figure(cell.text) for cell in values) or (label_alone and labelled):
                break
            if heads and (complete or labelled) and not _set_as_heads(values, rows, number + 1, every=complete):
                break
            heads = number + 1
            complete, label_alone = complete or labelled, False
    if not heads and width > 1 and len(rows) > 1 and len(rows[0]) == 1 and rows[0][0].first == 0:
        return 1
    return heads


def _set_as_heads(values: list[Placed], rows: list[list[Placed]], after: int, *, every: bool) -> bool:
    """Whether a row below other heads is one as well: all years or bold, or above figures, each or at least one."""
    if all(_YEAR.match(cell.text) or _is_bold(cell) for cell in values):
        return True
    over_figures = (_above_figures(cell, rows[after : after + _LOOK_BELOW]) for cell in values)
    return all(over_figures) if every else any(over_figures)


def _is_bold(cell: Placed) -> bool:
    return cell.element is not None and look_at(list(pieces_of(cell.element)), None).bold


def _above_figures(head: Placed, below: list[list[Placed]]) -> bool:
    """Whether a cell has more figures than words under it."""
    balance = 0
    for row in below:
        for cell in row:
            if cell.first < head.end and head.first < cell.end:
                balance += 1 if is_figure(cell.text) else -1
    return balance > 0
