"""The subset of Markdown that sections are written in, as blocks of ranges into the text.

No text is copied or changed: a block says which ranges of the source are shown, and what is left out between
them is syntax (heading and list marks, table pipes, the tags of HTML tables, fences, pairs of `**`). What is no
syntax is text: of HTML only a table in the form that sections have it, a line for each row, is a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

_HEADING = re.compile(r"[ \t]*(#{1,6})[ \t]+(?=\S)")
_BULLET = re.compile(r"([ \t]*)([-*+•▪●◦])[ \t]+(?=\S)")
_NUMBER = re.compile(r"([ \t]*)(\d{1,3}[.)])[ \t]+(?=\S)")
_RULE = re.compile(r"[ \t]*([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_DELIMITER_ROW = re.compile(r"[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$")
_FENCE = re.compile(r"[ \t]*(`{3,})[ \t]*$")
# Bold text has a longest length: without one, each unmatched `**` would be sought to the end of its block.
_STRONG = re.compile(r"(?<![\w*])\*\*(?=[^\s*])(.{0,400}?[^\s*])\*\*(?![\w*])", re.DOTALL)
_PIPE = re.compile(r"\\\||\|")
_HTML_CELL = re.compile(r"<(t[dh])(?: colspan=\"(\d{1,4})\")?>([^<>]*)</\1>")
_HTML_ROW = re.compile(r"<tr>(?:<(t[dh])(?: colspan=\"\d{1,4}\")?>[^<>]*</\1>)+</tr>")
_HTML_OPENING, _HTML_CLOSING = "<table>", "</table>"
_ENTITY = re.compile(r"&(?:amp|lt|gt);")
_MEANT = {"&lt;": "<", "&gt;": ">"}
_FIGURE = re.compile(r"[($€£¥+\-–−—\s]*(?:\d[\d,.]*)?[)%\s]*(?:\[?\(?[a-z\d]{1,2}\)?\]?)?")
_LONGEST_FIGURE = 40

Kind = Literal["heading", "paragraph", "item", "table", "fence", "rule"]


@dataclass(frozen=True, slots=True)
class Run:
    """A range of the source that is shown as it stands.

    Attributes:
        shown: what is shown instead: the character that an entity stands for, whose first one the range is.
    """

    start: int
    end: int
    strong: bool = False
    shown: str | None = None


@dataclass(frozen=True, slots=True)
class TableCell:
    """The text of one cell over `span` columns; `figure` if it holds a number or a dash and nothing else."""

    runs: tuple[Run, ...]
    figure: bool
    span: int = 1


@dataclass(frozen=True, slots=True)
class Block:
    """One block, over source range [start, end).

    Attributes:
        level: of a heading (1 to 6), or the nesting of a list item (0 to 3).
        bullet: the item's mark is a bullet, which is not among `runs`; a number is.
        rows: of a table, without the delimiter row; the first `heads` of them are its head.
    """

    kind: Kind
    start: int
    end: int
    runs: tuple[Run, ...] = ()
    level: int = 0
    bullet: bool = False
    rows: tuple[tuple[TableCell, ...], ...] = ()
    heads: int = 0


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str


def parse_blocks(text: str) -> Iterator[Block]:
    """The blocks of a text in order, in one pass. Any text is valid."""
    lines = _lines(text)
    i = 0
    while i < len(lines):
        line = lines[i]
        stop = i + 1
        if not line.text.strip():
            i = stop
            continue
        if _FENCE.match(line.text):
            block, stop = _fence(lines, i)
        elif line.text.lstrip().startswith("|"):
            block, stop = _table(text, lines, i)
        elif _opens_html_table(lines, i):
            block, stop = _html_table(text, lines, i)
        elif _RULE.match(line.text):
            block = Block("rule", line.start, line.end)
        elif heading := _HEADING.match(line.text):
            runs = _inline(text, line.start + heading.end(), line.end)
            block = Block("heading", line.start, line.end, runs, level=len(heading.group(1)))
        elif item := _BULLET.match(line.text) or _NUMBER.match(line.text):
            block, stop = _item(text, lines, i, item)
        else:
            while stop < len(lines) and not _opens_block(lines, stop):
                stop += 1
            end = lines[stop - 1].end
            block = Block("paragraph", line.start, end, _inline(text, line.start, end))
        yield block
        i = stop


def _lines(text: str) -> list[_Line]:
    lines = []
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        lines.append(_Line(start, end, text[start:end]))
        start = end + 1
    return lines


def _opens_block(lines: list[_Line], at: int) -> bool:
    """Whether a line ends the paragraph above it. A number does not: prose may wrap before "1998."."""
    line = lines[at].text
    stripped = line.lstrip()
    if not stripped or stripped[0] == "|" or _opens_html_table(lines, at):
        return True
    return any(pattern.match(line) for pattern in (_FENCE, _RULE, _HEADING, _BULLET))


def _opens_html_table(lines: list[_Line], at: int) -> bool:
    follows = at + 1 < len(lines) and lines[at].text == _HTML_OPENING
    return follows and _HTML_ROW.fullmatch(lines[at + 1].text) is not None


def _fence(lines: list[_Line], first: int) -> tuple[Block, int]:
    """A fixed-width block; without a closing fence it runs to the end of the text."""
    ticks = lines[first].text.strip()
    last = first + 1
    while last < len(lines) and not (_FENCE.match(lines[last].text) and len(lines[last].text.strip()) >= len(ticks)):
        last += 1
    closed = last < len(lines)
    runs = (Run(lines[first + 1].start, lines[last - 1].end),) if last > first + 1 else ()
    end = lines[last].end if closed else lines[last - 1].end
    return Block("fence", lines[first].start, end, runs), last + closed


def _table(text: str, lines: list[_Line], first: int) -> tuple[Block, int]:
    stop = first
    rows = []
    heads = 0
    while stop < len(lines) and lines[stop].text.lstrip().startswith("|"):
        if _DELIMITER_ROW.match(lines[stop].text):
            heads = heads or int(stop == first + 1)
        else:
            rows.append(_row(text, lines[stop]))
        stop += 1
    return Block("table", lines[first].start, lines[stop - 1].end, rows=tuple(rows), heads=heads), stop


def _row(text: str, line: _Line) -> tuple[TableCell, ...]:
    """The cells between the pipes; a pipe behind a backslash is text."""
    pipes = [line.start + m.start() for m in _PIPE.finditer(line.text) if m.group() == "|"]
    if text[pipes[-1] + 1 : line.end].strip():
        pipes.append(line.end)
    cells = []
    for left, right in pairwise(pipes):
        content = text[left + 1 : right]
        start = left + 1 + len(content) - len(content.lstrip())
        end = max(start, left + 1 + len(content.rstrip()))
        cells.append(TableCell(tuple(_without_backslashes(text, _inline(text, start, end))), _is_figure(content)))
    return tuple(cells)


def _is_figure(content: str) -> bool:
    return 0 < len(content.strip()) <= _LONGEST_FIGURE and _FIGURE.fullmatch(content.strip()) is not None


def _html_table(text: str, lines: list[_Line], first: int) -> tuple[Block, int]:
    """The rows up to the first line that is none; the closing tag may be missing."""
    stop = first + 1
    rows: list[tuple[TableCell, ...]] = []
    heads = 0
    while stop < len(lines) and (row := _HTML_ROW.fullmatch(lines[stop].text)):
        if row[1] == "th" and heads == len(rows):
            heads += 1
        rows.append(_html_row(text, lines[stop]))
        stop += 1
    closed = stop < len(lines) and lines[stop].text == _HTML_CLOSING
    end = lines[stop - 1 + closed].end
    return Block("table", lines[first].start, end, rows=tuple(rows), heads=heads), stop + closed


def _html_row(text: str, line: _Line) -> tuple[TableCell, ...]:
    cells = []
    for cell in _HTML_CELL.finditer(text, line.start, line.end):
        runs = tuple(_without_entities(text, _inline(text, *cell.span(3))))
        cells.append(TableCell(runs, _is_figure(cell[3]), int(cell[2] or 1)))
    return tuple(cells)


def _without_entities(text: str, runs: tuple[Run, ...]) -> Iterator[Run]:
    for run in runs:
        start = run.start
        for entity in _ENTITY.finditer(text, run.start, run.end):
            if entity.start() > start:
                yield Run(start, entity.start(), run.strong)
            yield Run(entity.start(), entity.start() + 1, run.strong, _MEANT.get(entity[0]))
            start = entity.end()
        if start < run.end:
            yield Run(start, run.end, run.strong)


def _without_backslashes(text: str, runs: tuple[Run, ...]) -> Iterator[Run]:
    for run in runs:
        start = run.start
        while (at := text.find("\\|", start, run.end)) >= 0:
            if at > start:
                yield Run(start, at, run.strong)
            start = at + 1
            yield Run(start, start + 1, run.strong)
            start += 1
        if start < run.end:
            yield Run(start, run.end, run.strong)


def _item(text: str, lines: list[_Line], first: int, mark: re.Match[str]) -> tuple[Block, int]:
    """A list item with the lines that go on with it."""
    line = lines[first]
    stop = first + 1
    while stop < len(lines) and not (_opens_block(lines, stop) or _NUMBER.match(lines[stop].text)):
        stop += 1
    bullet = not mark.group(2)[0].isdigit()
    start = line.start + (mark.end() if bullet else mark.start(2))
    level = min(len(mark.group(1).expandtabs(4)) // 2, 3)
    end = lines[stop - 1].end
    return Block("item", line.start, end, _inline(text, start, end), level=level, bullet=bullet), stop


def _inline(text: str, start: int, end: int) -> tuple[Run, ...]:
    """The range as runs, with pairs of `**` taken off what stands between them."""
    if start >= end:
        return ()
    runs = []
    at = start
    if text.find("**", start, end) >= 0:
        for match in _STRONG.finditer(text, start, end):
            if match.start() > at:
                runs.append(Run(at, match.start()))
            runs.append(Run(match.start(1), match.end(1), strong=True))
            at = match.end()
    if at < end:
        runs.append(Run(at, end))
    return tuple(runs)
