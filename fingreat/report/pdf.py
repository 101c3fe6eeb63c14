"""Drawings as PDF for a paper: text stays text, set in the same font on every machine."""

from __future__ import annotations

import re

from fingreat.errors import InputError, MissingExtraError
from fingreat.report.draw import FIGURES_INSTALL, font_folder
from fingreat.report.templating import printable

# The drawing and its title are passed as values: neither is ever read as typst.
_PAGE = b"""\
#set document(title: sys.inputs.title, date: none)
#set page(width: auto, height: auto, margin: 0pt)
#image(bytes(sys.inputs.svg), format: "svg", width: float(sys.inputs.width) * 0.75pt, alt: sys.inputs.title)
"""
_WIDTH = re.compile(r'<svg[^>]*?\swidth="([0-9.]+)"')


def svg_to_pdf(svg: str, title: str) -> bytes:
    """A drawing as PDF of one page of its size, 96 units to the inch; the same drawing gives the same bytes.

    Args:
        svg: as this room draws it, with a width in units.
        title: the document's, and the text that stands for the drawing where it cannot be seen.

    Raises:
        MissingExtraError: the extra `figures` (typesetter and font) is not installed.
        InputError: the text is no SVG, or has no width.
    """
    try:
        import typst
    except ImportError as error:
        raise MissingExtraError("Drawing to PDF", FIGURES_INSTALL) from error
    fonts = font_folder("PDF")
    width = _WIDTH.search(svg)
    if width is None:
        raise InputError("the drawing cannot be turned into a PDF: it has no width.")
    try:
        data = typst.compile(
            _PAGE,
            format="pdf",
            font_paths=typst.Fonts(include_system_fonts=False, font_paths=[fonts]),
            sys_inputs={"svg": printable(svg), "title": printable(title), "width": str(width[1])},
        )
    except RuntimeError as error:
        raise InputError(f"the drawing cannot be turned into a PDF: {error}") from error
    return bytes(data)
