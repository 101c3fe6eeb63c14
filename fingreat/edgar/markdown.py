"""Blocks as Markdown: one paragraph a line, headings marked, tables as tables, no character changed."""

from __future__ import annotations

import re

from fingreat.edgar.blocks import Block, Kind
from fingreat.edgar.table_html import table_html
from fingreat.edgar.table_markdown import table_markdown
from fingreat.schema import TableStyle

_BULLET = re.compile(r"^(?:[•●▪■◦·○►➢✓√\uf0b7\uf0a7]|[-–—*o§](?=\s))\s*")
_HEADING_LENGTH = 200
_LETTER = re.compile(r"[^\W\d_]")
_SENTENCE = re.compile(r"[a-z,;]\s+\S.*[.;:]$")


def render(
    blocks: list[Block], heading: str | None, heading_blocks: int, tables: TableStyle = TableStyle.MARKDOWN
) -> str:
    """Markdown of a section.

    Args:
        blocks: the section's blocks, heading first.
        heading: the item's heading as printed; None where the section has none.
        heading_blocks: how many blocks the heading takes; where it is only the beginning of the
            first block, the rest of that block follows as a paragraph.
        tables: how tables are written; fixed-width ones are fenced blocks either way.
    """
    parts: list[str] = []
    rest = blocks
    if heading is not None and blocks:
        parts.append(f"## {heading}")
        rest = blocks[heading_blocks:]
        left = blocks[0].text[len(heading) :].strip() if blocks[0].text.startswith(heading) else ""
        if heading_blocks == 1 and left:
            parts.append(left)
    in_list = False
    for block in rest:
        text, is_point = _render_block(block, tables)
        if not text:
            continue
        if is_point and in_list:
            parts[-1] += "\n" + text
        else:
            parts.append(text)
        in_list = is_point
    return "\n\n".join(parts)


def _render_block(block: Block, tables: TableStyle) -> tuple[str, bool]:
    """A block's Markdown and whether it is a point of a list."""
    if block.kind is Kind.TABLE:
        write = table_html if tables == TableStyle.HTML else table_markdown
        return write(block.source), False
    if block.kind is Kind.FIXED:
        return "```\n" + "\n".join(block.source) + "\n```", False
    if block.kind is Kind.BREAK:
        return "", False
    if block.bullet:
        return f"{block.bullet} {_BULLET.sub('', block.text)}", True
    if is_heading(block):
        return f"### {block.text}", False
    point = _BULLET.match(block.text)
    if point and len(block.text) > point.end():
        return f"- {block.text[point.end() :]}", True
    return block.text, False


def is_heading(block: Block) -> bool:
    """Whether a block is set as a heading: short, and bold, underlined, italic, centred or in capitals throughout."""
    text = block.text
    if block.kind is not Kind.TEXT or len(text) > _HEADING_LENGTH or not _LETTER.search(text):
        return False
    # Words without a capital are a unit ("in millions") or the rest of a sentence.
    if text.islower() or (_SENTENCE.search(text) and not text.isupper()):
        return False
    look = block.look
    if look.bold or look.underlined or look.apart:
        return True
    if len(text) < 120 and text.isupper() and len(text) > 4:
        return True
    return look.italic and len(text) < 100 and not text.endswith((".", ":", ";", ","))
