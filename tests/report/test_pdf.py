"""Drawings as PDF: their size, their font, the same bytes each time, nothing left behind."""

from __future__ import annotations

import re
import sys
import zlib
from pathlib import Path

import pytest

from fingreat.errors import InputError, MissingExtraError
from fingreat.report import DotRow, Share, dots, draw_svg, svg_to_pdf
from fingreat.schema import load_graph

pytest.importorskip("typst")
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="80" viewBox="0 0 200 80">{}</svg>'
WORD = '<text x="10" y="40" font-size="20" font-family="Open Sans, serif">H</text>'


def streams_of(pdf: bytes) -> list[bytes]:
    return [zlib.decompress(body) for body in re.findall(rb"/FlateDecode.*?stream\r?\n(.*?)\r?\nendstream", pdf, re.S)]


def test_a_page_has_the_size_of_the_drawing_at_96_units_to_the_inch() -> None:
    # 200 units are 200 / 96 inches of 72 points each: 150 points.
    assert re.findall(rb"/MediaBox ?\[([^]]*)\]", svg_to_pdf(SVG.format(""), "T")) == [b"0 0 150 60"]


def test_text_stays_text_in_the_font_of_the_package_whatever_the_drawing_prefers() -> None:
    pdf = svg_to_pdf(SVG.format(WORD), "T")
    assert set(re.findall(rb"/FontName ?/[A-Z]{6}\+([\w-]+)", pdf)) == {b"OpenSans-Regular"}
    assert any(re.search(rb"T[jJ]", stream) for stream in streams_of(pdf))
    chart = dots("f", "F", [DotRow("a", Share(k=1, n=2))])
    fonts = set(re.findall(rb"/FontName ?/[A-Z]{6}\+([\w-]+)", svg_to_pdf(chart.svg, chart.title)))
    assert fonts <= {b"OpenSans-Regular", b"OpenSans-SemiBold", b"OpenSans-Bold"}
    assert fonts


def test_the_same_drawing_gives_the_same_bytes_and_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    svg = draw_svg(load_graph())
    first = svg_to_pdf(svg, "The graph")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert svg_to_pdf(svg, "The graph") == first
    assert first.startswith(b"%PDF-")
    assert b"CreationDate" not in first
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("title", ['#read("/etc/passwd")', '"] #panic()', "$x$ *b* _i_ <label> @ref"])
def test_a_title_is_data(title: str) -> None:
    pdf, plain = (svg_to_pdf(SVG.format(WORD), text) for text in (title, "T"))
    assert len(re.findall(rb"/MediaBox", pdf)) == 1
    # The page is the same drawing, whatever its title.
    assert streams_of(pdf)[0] == streams_of(plain)[0]


@pytest.mark.parametrize(
    "svg", ["", "<p>x</p>", '<svg width="0x">', '<svg xmlns="http://www.w3.org/2000/svg" width="9"><']
)
def test_what_is_no_drawing_is_one_clear_message(svg: str) -> None:
    with pytest.raises(InputError, match="the drawing cannot be turned into a PDF"):
        svg_to_pdf(svg, "T")


@pytest.mark.parametrize("module", ["typst", "ttf_opensans"])
def test_without_typesetter_or_font_the_extra_is_named(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if module == "typst":
        monkeypatch.setitem(sys.modules, module, None)
    else:
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"fingreat\[figures\]"):
        svg_to_pdf(SVG.format(""), "T")
