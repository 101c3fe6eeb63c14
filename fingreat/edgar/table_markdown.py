"""A data table as one Markdown pipe table."""

from __future__ import annotations

from fingreat.edgar.html_tree import Element
from fingreat.edgar.logical_table import logical_table
from fingreat.edgar.table_heads import Placed


def table_markdown(table: Element) -> str:
    """The table as Markdown: one row per row, the same number of columns in each, a delimiter row."""
    logical = logical_table(table)
    lines = [_line(_header(logical.heads, logical.width)), _line(["---"] * logical.width)]
    for row in logical.rows:
        cells = [""] * logical.width
        for cell in row:
            cells[cell.first] = cell.text
        lines.append(_line(cells))
    return "\n".join(lines)


def _header(heads: list[list[Placed]], width: int) -> list[str]:
    """The rows of heads as one; what spans several columns stands in each of them, a title or label once."""
    header = [""] * width
    for row in heads:
        for cell in row:
            for index in range(cell.first, cell.end if cell.first else 1):
                header[index] = f"{header[index]} {cell.text}".strip()
    return header


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
