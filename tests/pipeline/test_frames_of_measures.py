"""What is measured comes as data frames, too."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.analyzed_runs import made_runs

from fingreat.errors import InputError
from fingreat.pipeline import (
    frames_of,
    group_runs,
    measure_behavior,
    measure_panel,
    measure_run_tags,
    measure_runs,
    tables_of,
)
from fingreat.runs import RunFolder


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> list[RunFolder]:
    folder = made_runs(tmp_path_factory.mktemp("runs"))
    return [RunFolder(folder / name) for name in ("a", "b")]


def test_frames_hold_what_was_counted_by_hand(two: list[RunFolder]) -> None:
    frames = frames_of(measure_behavior(two))
    edges = frames["behavior-by-edge"]
    # Of the five extractions of run a, two are of REV-NNCA.
    (row,) = edges.filter((edges["run"] == "a") & (edges["edge"] == "REV-NNCA")).to_dicts()
    assert row["share k"] == 2
    assert row["share n"] == 5
    assert row["share"] == 0.4


@pytest.mark.parametrize("measure", [measure_behavior, measure_run_tags, measure_runs, group_runs])
def test_every_table_is_a_frame_under_its_id(
    two: list[RunFolder], measure: Callable[[list[RunFolder]], object]
) -> None:
    measured = measure(two)
    frames = frames_of(measured)
    assert list(frames) == [table.id for table in tables_of(measured)]
    assert {id_: frame.height for id_, frame in frames.items()} == {t.id: len(t.rows) for t in tables_of(measured)}


def test_the_panel_itself_is_a_frame(two: list[RunFolder]) -> None:
    panel = frames_of(measure_panel(two))["panel"]
    # Two runs, two filings, eleven edges.
    assert panel.height == 2 * 2 * 11
    assert panel.filter(panel["run"] == "a")["count"].sum() == 5


def test_what_was_not_measured_is_refused() -> None:
    with pytest.raises(InputError, match="a str has no tables"):
        frames_of("accuracy")
