"""From fixed-width text to blocks: paragraphs with their lines joined, tables kept as they stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from fingreat.edgar.ascii_pages import split_pages
from fingreat.edgar.blocks import Block, Kind, Look

_ENTITIES = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}
"""What SGML asks writers of plain text to write, too."""
_TABLE_OPEN = re.compile(r"^\s*<TABLE>", re.IGNORECASE)
_TABLE_CLOSE = re.compile(r"</TABLE>", re.IGNORECASE)
_TABLE_MARK = re.compile(r"</?TABLE>", re.IGNORECASE)
_MARKS = re.compile(r"</?(?:S|C|CAPTION|FN|TABLE|B|I|U|R|MULTIPLIER|ARTICLE|LEGEND|HEADING)>", re.IGNORECASE)
_NOTE_MARK = re.compile(r"<(F\d{1,2})>", re.IGNORECASE)
_RULE = re.compile(r"^[\s|+]*(?:[-=_*~][\s|+]*){3,}$|^\s*\|[\s|]*$")
_GAP = re.compile(r"\S(?:\s{3,}|\s*\.{4,}\s*|\s*(?:\. ){3,}\s*)\S")
_FIGURE = re.compile(r"(?:^|\s)[$(]*\d[\d,.]*%?\)?(?=\s|$)|\s--?(?=\s|$)")
_ITEM_LINE = re.compile(
    r"^\s*(?:part\s+[iv]+\W{0,4})?items?\s+[#(]?(?:\d{1,2}|[ivx]{1,5})\s?[a-c]?\b\)?\s*(?:[.:\-–—(]|$|\s{2,})",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*o•·>]|--|\.(?!\s*\.))\s+(?=\S)")
_NUMBERED = re.compile(r"^\s*\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s+\S", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_SPACES = re.compile(r"\s+")
_WIDE = 40
_CONTENTS_LINES = 3
_PROSE_LINES = 25
_HEADING_LINES = 4
_TITLE_LENGTH = 100
_SMALL_WORDS = frozenset(("with", "from", "into", "than", "that", "over"))
_BEFORE_ITEM = frozenset(("and", "at", "by", "from", "in", "of", "or", "see", "the", "this", "to", "under", "with"))
_SLACK = 12
"""A line that ends so much before the others, its next word left out, was ended on purpose."""
_ENDS_ROW = frozenset("0123456789)%-")
_ROWS = 2
"""Rows of figures that make a table where prose touches it."""


def ascii_blocks(text: str) -> list[Block]:
    """The blocks of a fixed-width document, in reading order."""
    for entity, character in _ENTITIES.items():
        text = text.replace(entity, character)
    words: set[str] = set()

    def known(word: str) -> bool:
        if not words:
            words.update(match.casefold() for match in _WORD.findall(text))
        return word.casefold() in words

    blocks: list[Block] = []
    for number, page in enumerate(split_pages(text)):
        if number:
            blocks.append(Block(Kind.BREAK, ""))
        first = len(blocks)
        for lines, is_table in _groups(page.lines):
            blocks += _fixed(lines) if is_table else _prose(lines, known)
        for block in blocks[first:]:
            block.page = page.label
    return blocks


def _groups(lines: list[str]) -> Iterator[tuple[list[str], bool]]:
    """Runs of lines: tagged tables whole, other text parted at empty lines; True for tables."""
    group: list[str] = []
    place = 0
    while place < len(lines):
        line = lines[place]
        if _TABLE_OPEN.match(line):
            if group:
                yield group, False
                group = []
            end = place + 1
            while end < len(lines) and not _TABLE_CLOSE.search(lines[end]) and not _TABLE_OPEN.match(lines[end]):
                end += 1
            if end < len(lines) and _TABLE_CLOSE.search(lines[end]):
                end += 1
            inside = [_TABLE_MARK.sub("", inner) for inner in lines[place:end]]
            if _is_wrapped_prose(inside):
                yield from _groups(inside)
            else:
                yield inside, True
            place = end
            continue
        if line.strip():
            group.append(line)
        elif group:
            yield group, False
            group = []
        place += 1
    if group:
        yield group, False


def _is_wrapped_prose(lines: list[str]) -> bool:
    """Whether a tagged table is ordinary text after all: many lines, few with gaps."""
    filled = [line for line in lines if line.strip()]
    gaps = sum(1 for line in filled if _GAP.search(line.strip()))
    return len(filled) > _PROSE_LINES and gaps * 4 < len(filled)


def _fixed(lines: list[str]) -> list[Block]:
    """A table as one fixed-width block, its marks and rules out."""
    kept: list[str] = []
    for line in lines:
        clean = _MARKS.sub("", _NOTE_MARK.sub(r"[\1]", line)).rstrip()
        emptied = not clean and bool(line.strip())
        if not emptied and not _RULE.match(clean) and (clean or (kept and kept[-1])):
            kept.append(clean)
    while kept and not kept[-1]:
        kept.pop()
    while kept and not kept[0]:
        kept.pop(0)
    if not kept:
        return []
    return [Block(Kind.FIXED, _SPACES.sub(" ", " ".join(kept)).strip(), kept)]


def _prose(lines: list[str], known: Callable[[str], bool]) -> list[Block]:
    """Blocks of a run of lines without an empty one: a table by its gaps, else paragraphs."""
    heads = [place for place, line in enumerate(lines) if _ITEM_LINE.match(line)]
    if heads and len(heads) < _CONTENTS_LINES and len(lines) > 1 and _is_table(lines):
        # A heading that touches a table: cut around the heading's lines.
        start, end = heads[0], _heading_end(lines, heads[0])
        parts = (lines[:start], lines[start:end], lines[end:])
        return [block for part in parts if part for block in _prose(part, known)]
    if _is_table(lines):
        if len(lines) > _ROWS and _RULE.match(lines[-2]) and not _GAP.search(lines[-1]) and _in_title_case(lines[-1]):
            # A heading right under a table's last rule.
            return [*_fixed(lines[:-1]), *_prose(lines[-1:], known)]
        return _fixed(lines)
    start, end = _rows_of_figures(lines)
    if end:
        return [*_prose(lines[:start], known), *_fixed(lines[start:end]), *_prose(lines[end:], known)]
    blocks: list[Block] = []
    for paragraph, underlined in _paragraphs(lines):
        text = _join(paragraph, known)
        bullet = _BULLET.match(text)
        if text:
            indents = [len(line) - len(line.lstrip()) for line in paragraph]
            longest = max(len(line.strip()) for line in paragraph)
            centred = min(indents) >= 8 and longest < 64
            apart = len(paragraph) == 1 and not bullet and _in_title_case(text)
            look = Look(underlined=underlined, centred=centred, apart=apart)
            text = text[bullet.end() :] if bullet else text
            blocks.append(Block(Kind.TEXT, text, paragraph, _look=look, bullet="-" if bullet else ""))
    return blocks


def _rows_of_figures(lines: list[str]) -> tuple[int, int]:
    """The first run of rows of figures among lines of prose, as a half-open range; (0, 0) where there is none."""
    start = rows = 0
    for place, line in enumerate([*lines, ""]):
        if len(_FIGURE.findall(line)) > 1 and len(_GAP.findall(line.strip())) > 1 and line.rstrip()[-1] in _ENDS_ROW:
            rows += 1
        elif rows and _RULE.match(line):
            continue
        elif rows >= _ROWS:
            return start, place
        else:
            start, rows = place + 1, 0
    return 0, 0


def _in_title_case(text: str) -> bool:
    """Whether a line reads like a heading: short, unpunctuated, its longer words capitalised."""
    text = text.strip()
    words = [word for word in _WORD.findall(text) if len(word) > 3 and word not in _SMALL_WORDS]
    if not words or len(text) > _TITLE_LENGTH or text[-1] in ".,;:" or not (text[0].isupper() or text[0].isdigit()):
        return False
    return all(word[0].isupper() for word in words)


def _heading_end(lines: list[str], start: int) -> int:
    """Where a heading that begins at a line ends: it goes on while lines have no figures or gaps."""
    end = start + 1
    while end < len(lines) and end < start + 3 and not _FIGURE.search(lines[end]) and not _RULE.match(lines[end]):
        if lines[start].isupper() and not lines[end].isupper():
            break
        end += 1
    return end


def _is_table(lines: list[str]) -> bool:
    """Whether most lines have wide gaps with figures or leaders: a table without tags."""
    filled = [line for line in lines if not _RULE.match(line)]
    if not filled:
        return True
    if len(filled) == 1 and len(_GAP.findall(filled[0].strip())) < 2:
        return False
    gaps = sum(1 for line in filled if _GAP.search(line.strip()) and _FIGURE.search(line))
    if any(_ITEM_LINE.match(line) for line in filled) and gaps < len(filled) / 2:
        return False
    return gaps * 2 > len(filled) or (gaps >= 2 and gaps * 3 > len(filled))


def _paragraphs(lines: list[str]) -> Iterator[tuple[list[str], bool]]:
    """Paragraphs of a run of lines, each with whether a rule underlines it.

    A new one starts at a rule, an item heading, a list point, and at a first-line indent.
    """
    filled = [line for line in lines if not _RULE.match(line)]
    base = min((len(line) - len(line.lstrip()) for line in filled), default=0)
    width = max((len(line) for line in filled), default=0)
    group: list[str] = []
    for line in lines:
        if _RULE.match(line):
            if group:
                yield group, True
                group = []
            continue
        indent = len(line) - len(line.lstrip())
        previous = group[-1] if group else ""
        starts = _BULLET.match(line) or (_ITEM_LINE.match(line) and not _goes_on(previous, line))
        # A first-line indent counts only where the line before was set at the margin and is long:
        # continuation lines of a heading are indented too.
        long_before = len(previous.strip()) > _WIDE and len(previous) - len(previous.lstrip()) == base
        indented = base + 2 <= indent <= base + 12 and long_before and _ends_sentence(previous)
        numbered = _NUMBERED.match(line) and _ends_sentence(previous)
        if group and (starts or indented or numbered or _heading_ends(group, line) or _is_run_over(group, line, width)):
            yield group, False
            group = []
        group.append(line)
    if group:
        yield group, False


def _ends_sentence(line: str) -> bool:
    return line.rstrip().rstrip("\"')”").endswith((".", ":", ";", "!", "?"))


def _heading_ends(group: list[str], line: str) -> bool:
    """Whether a heading in capitals ends before a line of ordinary text."""
    if len(group) > _HEADING_LINES:
        return False
    head = " ".join(group)
    return head.isupper() and len(head) < 200 and not line.isupper() and any(char.islower() for char in line)


def _is_run_over(group: list[str], line: str, width: int) -> bool:
    """Whether a title stands right above its paragraph, whose first word would have fitted beside it."""
    title = group[-1].rstrip()
    heads_item = _ITEM_LINE.match(group[0]) and len(group) <= _HEADING_LINES
    if not (heads_item or (len(group) == 1 and _in_title_case(title))):
        return False
    if not line.strip()[0].isupper() or len(line.strip()) <= _WIDE:
        return False
    return len(title) + len(line.split()[0]) + _SLACK < width and not _in_title_case(line)


def _goes_on(previous: str, line: str) -> bool:
    """Whether a line that begins with the name of an item is the middle of a sentence: "see / Item 7 ..."."""
    words = previous.split()
    if not words or _ends_sentence(previous):
        return False
    return line.lstrip()[0].islower() or words[-1] in _BEFORE_ITEM


def _join(lines: list[str], known: Callable[[str], bool]) -> str:
    """Hard-wrapped lines as one; a word parted by a hyphen is joined as the filing writes it elsewhere."""
    parts: list[str] = []
    last = ""
    for line in lines:
        piece = _SPACES.sub(" ", _MARKS.sub("", _NOTE_MARK.sub(r"[\1]", line))).strip()
        if not piece:
            continue
        if last.endswith("-") and len(last) > 1 and last[-2].isalpha() and piece[0].isalpha():
            start = _WORD.findall(last[-60:-1])[-1:]
            end = _WORD.match(piece)
            if start and end and known(start[0] + end[0]):
                parts[-1] = parts[-1][:-1]
        elif parts:
            parts.append(" ")
        parts.append(piece)
        last = piece
    return "".join(parts)
