"""A data table as compact HTML: a line for each row, heads as they were set, no attribute but colspan."""

from __future__ import annotations

from html import escape

from fingreat.edgar.html_tree import Element
from fingreat.edgar.logical_table import logical_table
from fingreat.edgar.table_heads import Placed

OPENING, ROW, CLOSING = "<table>", "<tr>", "</table>"


def table_html(table: Element) -> str:
    """The table as HTML, every row over the same columns as in Markdown; texts are escaped, as they are data."""
    logical = logical_table(table)
    lines = [_line(row, logical.width, "th") for row in logical.heads]
    lines += [_line(row, logical.width, "td") for row in logical.rows]
    return "\n".join((OPENING, *lines, CLOSING))


def _line(row: list[Placed], width: int, tag: str) -> str:
    cells = []
    column = 0
    for cell in row:
        cells += [f"<{tag}></{tag}>"] * (cell.first - column)
        span = cell.end - cell.first
        opening = f'<{tag} colspan="{span}">' if span > 1 else f"<{tag}>"
        cells.append(f"{opening}{escape(cell.text, quote=False)}</{tag}>")
        column = cell.end
    cells += [f"<{tag}></{tag}>"] * (width - column)
    return ROW + "".join(cells) + "</tr>"
