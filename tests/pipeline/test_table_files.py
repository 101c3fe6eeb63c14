"""A folder of tables and figures: every form of each, nothing of an earlier call, nothing of anybody else."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from fingreat.errors import InputError
from fingreat.pipeline.table_files import TableFolder
from fingreat.report import Column, Figure, Points, Share, Table

FOLDER = TableFolder("an example", ("one", "two"), figures=("chart", "map"))
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="8" viewBox="0 0 20 8"/>'


def table(id_: str) -> Table:
    return Table(id=id_, title="T", columns=(Column(label="run"),), rows=(("a|b",),))


def figure(id_: str) -> Figure:
    return Figure(id=id_, title="F", svg=SVG)


def names(out: Path) -> list[str]:
    return sorted(path.name for path in out.iterdir())


def test_a_table_is_written_in_three_forms_and_a_figure_in_two(tmp_path: Path) -> None:
    pytest.importorskip("typst")
    assert FOLDER.write([table("one")], tmp_path, ["made by x"], [figure("chart")]) == ()
    assert names(tmp_path) == ["chart.pdf", "chart.svg", "one.csv", "one.md", "one.tex"]
    assert (tmp_path / "one.csv").read_bytes() == b"run\r\na|b\r\n"
    assert (tmp_path / "one.md").read_text("utf-8").startswith("<!--\nmade by x\n-->\n\n**T**\n")
    assert (tmp_path / "one.tex").read_text("utf-8").startswith("% made by x\n")
    assert (tmp_path / "chart.svg").read_text("utf-8") == SVG
    assert (tmp_path / "chart.pdf").read_bytes().startswith(b"%PDF-")


def test_what_an_earlier_call_left_and_this_one_lacks_goes(tmp_path: Path) -> None:
    pytest.importorskip("typst")
    FOLDER.write([table("one"), table("two")], tmp_path, figures=[figure("chart"), figure("map")])
    FOLDER.write([table("two")], tmp_path, figures=[figure("map")])
    assert names(tmp_path) == ["map.pdf", "map.svg", "two.csv", "two.md", "two.tex"]


def test_without_a_typesetter_figures_are_svg_and_no_old_pdf_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "chart.pdf").write_bytes(b"%PDF- of an earlier call")
    monkeypatch.setitem(sys.modules, "typst", None)
    (told,) = FOLDER.write([table("one")], tmp_path, figures=[figure("chart")])
    assert told.startswith("The figures are written as SVG only.")
    assert "pip install 'fingreat[figures]'" in told
    assert "\n" not in told
    assert names(tmp_path) == ["chart.svg", "one.csv", "one.md", "one.tex"]
    assert FOLDER.write([table("one")], tmp_path) == ()


@pytest.mark.parametrize("name", ["chart.csv", "one.svg", "one.pdf", "chart.png", "other.md"])
def test_a_folder_with_anything_else_is_refused_and_stays_as_it_is(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(InputError, match=f"holds '{name}', which is no table of an example"):
        FOLDER.write([table("one")], tmp_path, figures=[figure("chart")])
    assert names(tmp_path) == [name]


def test_all_pairs_of_forty_four_models_are_written_in_a_moment(tmp_path: Path) -> None:
    columns = (
        Column(label="a", once=True), Column(label="b", once=True), Column(label="right", kind="share"),
        Column(label="difference", kind="points"), Column(label="p", kind="rate"),
    )  # fmt: skip
    share, points = Share(k=1, n=2, interval=(0.25, 0.75)), Points(value=0.1, interval=(-0.1, 0.3))
    rows = tuple((f"m{a}", f"m{b}", share, points, 0.5) for a in range(44) for b in range(a))
    began = time.process_time()
    FOLDER.write([Table(id="one", title="T", columns=columns, rows=rows)], tmp_path)
    # Some 0.2 s; where each row looks at all others it takes many.
    assert time.process_time() - began < 2
    assert (tmp_path / "one.csv").read_text("utf-8").count("\n") == 947
