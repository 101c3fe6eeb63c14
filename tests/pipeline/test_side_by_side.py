"""Runs held side by side: what is said of them, and what of their extractions is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from extraction_builders import an_extraction, finished_run

from fingreat.errors import InputError
from fingreat.pipeline.agreement import agreement_tables, measure_runs
from fingreat.pipeline.groups import group_runs
from fingreat.pipeline.side_by_side import compared, names_of, provenance
from fingreat.runs import RunFolder


def test_requests_that_failed_are_said_under_every_table(tmp_path: Path) -> None:
    runs = [finished_run(tmp_path / name, ["F"], [an_extraction("F", "x")]) for name in "abc"]
    runs[1].write_manifest(runs[1].manifest(), counts={"requests": 8, "outputs": 8, "failures": 0})
    runs[2].write_manifest(runs[2].manifest(), counts={"requests": 1200, "outputs": 1, "failures": 1199})
    measured = measure_runs(runs, replicates=10)
    assert measured.scope.failed == {"c": (1199, 1200)}
    for table in agreement_tables(measured):
        (said,) = (note for note in table.notes if "failed" in note)
        assert said.startswith("1,199 of 1,200 requests of c failed")
    assert not any("failed" in note for table in agreement_tables(measure_runs(runs[:2])) for note in table.notes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"edge": "FOO-BAR"}, "has edge FOO-BAR, no edge of graph 'gaap11'"),
        ({"ranges": ((0, 5), (7, 2**70))}, "has a range that is longer than any text"),
    ],
)
def test_an_extraction_that_no_run_can_have_made_is_refused_by_the_name_of_its_run(
    changes: dict[str, object], words: str, tmp_path: Path
) -> None:
    one = finished_run(tmp_path / "one", ["F"], [an_extraction("F", "x")])
    other = finished_run(tmp_path / "other", ["F"], [an_extraction("F", "x"), an_extraction("F", "y", **changes)])
    for measure in (measure_runs, group_runs):
        with pytest.raises(InputError, match=words) as caught:
            measure([one, other])
        assert caught.value.where == "run other, extraction y"


def test_what_tables_were_made_from_names_each_run_once(tmp_path: Path) -> None:
    runs = [finished_run(tmp_path / name, ["F"]) for name in "ab"]
    lines = provenance(["analyze", "agreement"], [*runs, runs[1], RunFolder(tmp_path / "a" / ".." / "b")])
    assert len(lines) == 3
    assert lines[1].startswith(f"Run {tmp_path / 'a'}:")


def test_equal_names_and_taken_ones_get_a_number(tmp_path: Path) -> None:
    paths = [tmp_path / place for place in ("x/run", "y/run", "run (2)", "z/vote")]
    assert names_of(paths, ["vote"]) == ("run", "run (2)", "run (2) (2)", "vote (2)")
    runs = [finished_run(path, ["F"]) for path in paths]
    with compared(runs, taken=["vote"]) as found:
        assert found.names == names_of(paths, ["vote"])
