"""A section's Markdown as HTML, with its passages marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from markupsafe import Markup

from fingreat.report.layers import Layer, look_of, stretches
from fingreat.report.markdown import Block, Run, TableCell, parse_blocks
from fingreat.report.marks import Pieces

_HEADING_SHIFT = 3
"""A section's first heading level stands under the page's own three."""


def section_html(text: str, layers: Sequence[Layer], *, name: str = "at", first: int = 0) -> Markup:
    """The section as HTML: every character of the text escaped, every layer's ranges in `<mark>` elements.

    A `<mark>` covers a piece of text that the same layers cover throughout; `data-x` lists their numbers and
    `data-b` those that begin there. Each block's id is `name`, a hyphen and its first offset.

    Args:
        first: number of the first layer.
    """
    return Markup("\n".join(_Writer(text, layers, name, first).blocks()))


class _Writer:
    def __init__(self, text: str, layers: Sequence[Layer], name: str, first: int) -> None:
        self._text = text
        self._layers = layers
        self._name = name
        self._first = first
        self._pieces = Pieces(stretches(layers))

    def blocks(self) -> Iterator[str]:
        for is_item, group in groupby(parse_blocks(self._text), key=lambda block: block.kind == "item"):
            if is_item:
                yield f'<ul class="items">{"".join(self._item(block) for block in group)}</ul>'
            else:
                yield from map(self._block, group)

    def _block(self, block: Block) -> str:
        place = f'id="{self._name}-{block.start}"'
        if block.kind == "rule":
            return "<hr>"
        if block.kind == "table":
            return self._table(block, place)
        content = self._runs(block.runs)
        if block.kind == "heading":
            tag = f"h{min(block.level + _HEADING_SHIFT, 6)}"
            return f"<{tag} {place}>{content}</{tag}>"
        if block.kind == "fence":
            # The parser drops a line end that follows <pre>: give it one of ours.
            return f"{_scrolling('Fixed-width block')}<pre {place}>\n{content}</pre></div>"
        return f"<p {place}>{content}</p>"

    def _item(self, block: Block) -> str:
        kind = "dot" if block.bullet else "num"
        return f'<li id="{self._name}-{block.start}" class="{kind} n{block.level}">{self._runs(block.runs)}</li>'

    def _table(self, block: Block, place: str) -> str:
        head = "".join(f"<tr>{''.join(self._heads(row))}</tr>" for row in block.rows[: block.heads])
        head = f"<thead>{head}</thead>" if head else ""
        body = "".join(f"<tr>{''.join(self._cells(row))}</tr>" for row in block.rows[block.heads :])
        return f'{_scrolling("Table")}<table class="filed" {place}>{head}<tbody>{body}</tbody></table></div>'

    def _heads(self, row: Sequence[TableCell]) -> Iterator[str]:
        for cell in row:
            scope = "colgroup" if cell.span > 1 else "col"
            yield f'<th scope="{scope}"{_span(cell)}{_figure(cell)}>{self._runs(cell.runs)}</th>'

    def _cells(self, row: Sequence[TableCell]) -> Iterator[str]:
        for i, cell in enumerate(row):
            content = self._runs(cell.runs)
            if i == 0 and content:
                yield f'<th scope="row"{_span(cell)}>{content}</th>'
            else:
                yield f"<td{_span(cell)}{_figure(cell)}>{content}</td>"

    def _runs(self, runs: Sequence[Run]) -> str:
        return "".join(f"<b>{self._marked(r)}</b>" if r.strong else self._marked(r) for r in runs)

    def _marked(self, run: Run) -> str:
        parts = []
        for piece in self._pieces.between(run.start, run.end):
            # The parser takes a bare carriage return for a line end.
            content = escape(run.shown or self._text[piece.start : piece.end], quote=False).replace("\r", "&#13;")
            if not piece.layers:
                parts.append(content)
                continue
            look = look_of(self._layers, piece.layers, piece.opening)
            begins = ""
            if piece.opening:
                begins = f' data-b="{self._numbers(piece.opening)}" data-l="{escape(look.label)}"'
            parts.append(
                f'<mark class="{look.classes}" data-x="{self._numbers(piece.layers)}"{begins}>{content}</mark>'
            )
        return "".join(parts)

    def _numbers(self, layers: Sequence[int]) -> str:
        return " ".join(str(self._first + layer) for layer in layers)


def _scrolling(label: str) -> str:
    """A box that scrolls sideways, also by keyboard."""
    return f'<div class="wide" tabindex="0" role="region" aria-label="{label}">'


def _span(cell: TableCell) -> str:
    return f' colspan="{cell.span}"' if cell.span > 1 else ""


def _figure(cell: TableCell) -> str:
    return ' class="fig"' if cell.figure else ""
