"""Tables in Markdown, as GitHub and most others read it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from fingreat.report.tables import Table, cell_text

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!&$@])")
_LINK = re.compile(r"(?i)(?<=www)\.|:(?=//)")
"""What makes a link of an address that nobody marked as one."""
_BLOCK = re.compile(r"^([-+=]|\d+[.)])")
"""What makes a list or a heading of a line that begins with it."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def markdown_text(text: str) -> str:
    """A text that Markdown shows as it is, in one line: nothing in it is markup, HTML or the end of a cell.

    White space and control characters become one space, and half a surrogate pair a question mark.
    """
    line = " ".join(_CONTROL.sub(" ", text.encode("utf-8", "replace").decode()).split())
    return _LINK.sub(r"\\\g<0>", _SPECIAL.sub(r"\\\1", line))


def table_markdown(table: Table, comment: Sequence[str] = ()) -> str:
    """The table with its title above and its notes below; cells as on the console, numbers aligned to the right.

    Args:
        comment: lines of a comment before the table, such as what it was made from.
    """
    rows = [
        [cell_text(column, cell) for column, cell in zip(table.columns, row, strict=True)]
        for row in table.for_reading().rows
    ]
    paragraphs = [
        *([_comment(comment)] if comment else []),
        f"**{markdown_text(table.title)}**",
        "\n".join(
            [
                _row(markdown_text(column.head) for column in table.columns),
                _row("---:" if column.right else ":---" for column in table.columns),
                *(_row(map(markdown_text, row)) for row in rows),
            ]
        ),
        *(_BLOCK.sub(_escaped, markdown_text(note)) for note in table.all_notes),
    ]
    return "\n\n".join(paragraphs) + "\n"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(begin: re.Match[str]) -> str:
    return f"{begin[0][:-1]}\\{begin[0][-1]}"


def _comment(lines: Sequence[str]) -> str:
    """A comment of HTML, which nothing in it ends."""
    return "\n".join(
        ("<!--", *(" ".join(_CONTROL.sub(" ", line).split()).replace(">", "&gt;") for line in lines), "-->")
    )
