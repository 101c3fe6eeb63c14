"""From an HTML tree to blocks: one walk, without recursion, that stops at every leaf block."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from lxml import etree

from fingreat.edgar.ascii_blocks import ascii_blocks
from fingreat.edgar.blocks import LINE_BREAK, Block, Kind, Look, fold
from fingreat.edgar.html_look import Piece, look_at, pieces_of
from fingreat.edgar.html_tree import Element, words_of
from fingreat.edgar.tables import TableShape, nest_rows, read_shape

_BLOCK_NAMES = (
    "address article aside blockquote body center dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr html"
    " li main nav ol p pre section table tbody td tfoot th thead tr ul caption page document text"
)
BLOCK_TAGS = frozenset(_BLOCK_NAMES.split())
_BREAK_BEFORE = re.compile(r"break-before\s*:\s*(?:always|page|left|right)", re.IGNORECASE)
_BREAK_AFTER = re.compile(r"break-after\s*:\s*(?:always|page|left|right)", re.IGNORECASE)
_BLANK = " \t\n\r\f\u00a0" + LINE_BREAK
_PARAGRAPH_BREAK = re.compile(f"{LINE_BREAK}[\\s\u00a0]*{LINE_BREAK}")
_ITEM_LINE = re.compile(r"^\s*(?:P(?:art|ART)\s+[IV]+\W+)?I(?:tem|TEM)\s*\d{1,2}\s?[A-Ca-c]?\s*(?:[.:–—-]|$)")
_LONG_LINE = 120
"""A line as long as this under an item's heading is text, not more of the heading."""
_BULLET_LINE = re.compile(r"^\s*[•●▪■◦·]")


def html_blocks(root: Element) -> list[Block]:
    """The blocks of an HTML document, in reading order."""
    walk = _Walk(root)
    walk.run()
    return walk.blocks


class _Walk:
    """The state of one walk: blocks made so far, loose text waiting for its end, pending anchors."""

    def __init__(self, root: Element) -> None:
        self.root = root
        self.blocks: list[Block] = []
        self.loose: list[Piece | Element] = []
        self.pending: list[str] = []
        self.names, self.named = _link_targets(root)
        self.claimed: set[str] = set()
        self.ahead: Element | None = None
        self.around_ahead: set[Element] = set()
        self.points: dict[Element, int] = {}

    def run(self) -> None:
        walker = etree.iterwalk(self.root, events=("start", "end"))
        for event, element in walker:
            tag = element.tag
            if event == "start":
                if tag in BLOCK_TAGS:
                    if self._open(element, tag):
                        walker.skip_subtree()
                elif self._has_blocks(element):
                    self._enter(element)
                else:
                    self._claim(element)
                    self.loose.append(element)
                    walker.skip_subtree()
            else:
                if tag in BLOCK_TAGS:
                    self._flush()
                    style = element.get("style")
                    if style and "break-after" in style and _BREAK_AFTER.search(style):
                        self._break()
                tail = element.tail
                if tail:
                    parent = element.getparent()
                    if parent is not None:
                        self.loose.append((tail, parent))
        self._flush()

    def _open(self, element: Element, tag: str) -> bool:
        """Start a block element; True where its inside is done with."""
        self._flush()
        self.ahead = None
        style = element.get("style")
        if style and "break-before" in style and _BREAK_BEFORE.search(style):
            self._break()
        if tag == "table":
            return self._table(element)
        if tag in ("hr", "page"):
            self._break()
            return tag == "hr"
        if tag == "li":
            self._count(element)
        if tag == "pre":
            self._claim(element)
            self._pre(element)
            return True
        if not self._has_blocks(element):
            self._claim(element)
            self._leaf(element, words_of(element))
            return True
        self._enter(element)
        return False

    def _has_blocks(self, element: Element) -> bool:
        """Whether a block element stands inside; up to the one found last, nothing is searched twice."""
        if self.ahead is not None:
            return element in self.around_ahead
        for inside in element.iterdescendants():
            if inside.tag in BLOCK_TAGS:
                self.ahead = inside
                self.around_ahead = {element}
                for around in inside.iterancestors():
                    if around is element:
                        break
                    self.around_ahead.add(around)
                return True
        return False

    def _enter(self, element: Element) -> None:
        """Go on inside an element that has blocks."""
        self._keep(self.names.get(element, ()))
        if element.text:
            self.loose.append((element.text, element))

    def _claim(self, element: Element) -> None:
        """Keep the link targets at and inside an element for the next block."""
        if element in self.named:
            for inside in element.iter():
                self._keep(self.names.get(inside, ()))

    def _keep(self, names: Iterable[str]) -> None:
        """Keep link targets for the next block; each counts once."""
        for name in names:
            if name not in self.claimed:
                self.claimed.add(name)
                self.pending.append(name)

    def _count(self, point: Element) -> None:
        parent = point.getparent()
        if parent is not None and parent.tag == "ol":
            stated = point.get("value") or (parent.get("start") if parent not in self.points else None) or ""
            self.points[parent] = int(stated) if stated.isdecimal() else self.points.get(parent, 0) + 1

    def _add(self, block: Block) -> None:
        if not block.text:
            return
        if self.pending:
            block.anchors = tuple(self.pending)
            self.pending = []
        self.blocks.append(block)

    def _break(self) -> None:
        if self.blocks and self.blocks[-1].kind is not Kind.BREAK:
            self.blocks.append(Block(Kind.BREAK, ""))

    def _leaf(self, element: Element, text: str) -> None:
        if not text.strip(_BLANK):
            return
        bullet = self._list_mark(element) if element.tag == "li" else ""
        if LINE_BREAK in text:
            self._lines(list(pieces_of(element)), element, bullet)
            return
        self._add(
            Block(Kind.TEXT, fold(text), element, lambda: look_at(list(pieces_of(element)), element), bullet=bullet)
        )

    def _list_mark(self, point: Element) -> str:
        """`-`, or the number that an ordered list gives the point."""
        parent = point.getparent()
        if parent is None or parent not in self.points:
            return "-"
        number = self.points[parent]
        kind = parent.get("type") or ""
        if kind in ("a", "A"):
            letter = chr(ord(kind) + (number - 1) % 26)
            return f"{letter}."
        return f"{number}."

    def _flush(self) -> None:
        if not self.loose:
            return
        loose, self.loose = self.loose, []
        pieces: list[Piece] = []
        for part in loose:
            if isinstance(part, tuple):
                pieces.append(part)
            else:
                pieces += pieces_of(part)
        if any(text.strip(_BLANK) for text, _ in pieces):
            self._lines(pieces, None, "")

    def _lines(self, pieces: list[Piece], element: Element | None, bullet: str) -> None:
        """Blocks from text with `<br>`: parted at empty lines, item headings, list points, and the borders of bold."""
        lines: list[list[Piece]] = [[]]
        for text, owner in pieces:
            first, *rest = text.split(LINE_BREAK)
            lines[-1].append((first, owner))
            for part in rest:
                lines.append([(part, owner)])
        group: list[Piece] = []
        group_bold = after_item = False
        for line in lines:
            text = "".join(part for part, _ in line)
            if not text.strip(_BLANK):
                self._paragraph(group, element, bullet)
                group = []
                continue
            bold = len(lines) > 1 and look_at(line, element).bold
            item = _ITEM_LINE.match(text) is not None
            run_in = after_item and len(text) > _LONG_LINE
            if group and (bold != group_bold or item or run_in or _BULLET_LINE.match(text)):
                self._paragraph(group, element, bullet)
                group = []
            group_bold, after_item = bold, item
            group += [(" ", line[0][1]), *line] if group else line
        self._paragraph(group, element, bullet)

    def _paragraph(self, group: list[Piece], element: Element | None, bullet: str) -> None:
        text = fold("".join(part for part, _ in group))
        if text:
            self._add(Block(Kind.TEXT, text, group, lambda: look_at(group, element), bullet=bullet))

    def _table(self, element: Element) -> bool:
        for caption in list(element.iterchildren("caption")):
            self._leaf(caption, words_of(caption))
            caption.clear()
        shape = read_shape(element)
        if shape.kind is TableShape.EMPTY:
            return True
        if shape.kind is TableShape.LAYOUT:
            nest_rows(element)
            return False
        self._claim(element)
        if shape.kind is TableShape.DATA:
            self._add(Block(Kind.TABLE, shape.text, element, targets=_targets(element)))
            return True
        for bullet, text, cells in shape.rows:
            look = partial(_row_look, cells)
            self._add(Block(Kind.TEXT, text, cells, look, bullet=bullet, targets=_targets(element)))
        return True

    def _pre(self, element: Element) -> None:
        text = words_of(element).replace(LINE_BREAK, "\n")
        for block in ascii_blocks(text):
            self._add(block)


def _row_look(cells: list[Element]) -> Look:
    pieces = [piece for cell in cells for piece in ((" ", cell), *pieces_of(cell))]
    return look_at(pieces, cells[0])


def _link_targets(root: Element) -> tuple[dict[Element, list[str]], set[Element]]:
    """The names by which links of the document point to an element, and the elements at or in which there are any."""
    wanted = {href[1:] for link in root.iter("a") if (href := link.get("href")) and href[0] == "#"}
    names: dict[Element, list[str]] = {}
    named: set[Element] = set()
    if not wanted:
        return names, named
    for element in root.iter():
        if (name := element.get("id")) in wanted:
            names[element] = [name]
    for element in root.iter("a"):
        if (name := element.get("name")) in wanted:
            names.setdefault(element, []).append(name)
    for element in names:
        here: Element | None = element
        while here is not None and here not in named:
            named.add(here)
            here = here.getparent()
    return names, named


def _targets(element: Element) -> tuple[str, ...]:
    """Where the links inside an element lead, within the document."""
    return tuple(href[1:] for link in element.iter("a") if (href := link.get("href")) and href[0] == "#")
