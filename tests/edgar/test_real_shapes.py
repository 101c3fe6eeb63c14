"""Shapes of real filings, each in a small invented one: the item's status, extent, source and pointer as stated."""

from __future__ import annotations

import pytest
from shapes import LAST, Shape, discussion
from shapes_exhibits import EXHIBIT_SHAPES
from shapes_forms import FORM_SHAPES
from shapes_html import HTML_SHAPES
from shapes_late import LATE_SHAPES
from shapes_more import MORE_SHAPES
from shapes_odd import ODD_SHAPES
from shapes_pointers import POINTER_SHAPES
from shapes_rare import RARE_SHAPES
from shapes_refs import REF_SHAPES

from fingreat.edgar import read_section
from fingreat.schema.records import SectionStatus

SHAPES = [
    *HTML_SHAPES,
    *POINTER_SHAPES,
    *EXHIBIT_SHAPES,
    *FORM_SHAPES,
    *ODD_SHAPES,
    *MORE_SHAPES,
    *LATE_SHAPES,
    *RARE_SHAPES,
    *REF_SHAPES,
]
HEADING = 250
"""Letters that a heading and a line under it may have."""


def squeezed(text: str) -> str:
    """Letters and digits only: what a heading or a paragraph says, however it is set."""
    return "".join(filter(str.isalnum, text.casefold().replace("’", "")))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_item_is_read_as_stated(shape: Shape) -> None:
    section = read_section(shape.build().encode("utf-8"), shape.item)
    assert section.status == SectionStatus(shape.status), section.warnings
    if shape.status == "absent":
        return
    body = squeezed(section.text)
    assert body.startswith(squeezed(shape.start)), section.text[:300]
    assert 0 <= body.find(squeezed(shape.first)) <= HEADING, section.text[:300]
    assert body.endswith(squeezed(shape.last)), section.text[-300:]
    if shape.whole and shape.last == LAST:
        assert not [text for text in discussion() if squeezed(text) not in body]
    if shape.following is not None:
        assert squeezed(section.next_heading or "").startswith(squeezed(shape.following))
    if shape.source is not None:
        assert section.source_document == shape.source
    if shape.pointer is not None:
        assert section.pointer is not None
        assert shape.pointer in section.pointer
