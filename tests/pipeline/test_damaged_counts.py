"""A manifest whose counts are damaged is one clear error where runs are priced, whatever is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from fingreat.cli import main
from fingreat.errors import RunError
from fingreat.inference.presets import load_presets
from fingreat.pipeline.frontier import cost_tables, measure_costs
from fingreat.runs import Manifest, ModelInfo, RunFolder

PRESETS = load_presets(None)
COUNTS: Mapping[str, Any] = {
    "filings": 7,
    "filings_by_status": {"found": 4, "absent": 3},
    "passages": 9,
    "left_out": 1,
    "requests": 8,
    "failures": 1,
    "replies": 8,
    "replies_by_state": {"ok": 7, "error": 1},
    "from_cache": 2,
    "prompt_tokens": 400,
    "cached_tokens": 10,
    "output_tokens": 20,
    "reasoning_tokens": 0,
    "unpriced": 0,
    "cost_usd": 0.5,
    "spent_usd": 0.75,
    "beside": {"requests": 1, "cost_usd": 0.125},
    "unused": {"requests": 2, "cost_usd": 0.25},
}
"""A run of each kind could have them."""
MAY_BE_NONE = ("cost_usd", "spent_usd")
ODD = (None, "", "x", -1, True, float("inf"), float("nan"), 10**400, [], ["a"], {"a": "b"})


WHOLE = Manifest.new(
    "run",
    asked={},
    resolved={"item": "7", "mode": "quote", "seed": 0},
    model=ModelInfo(spec="openai:m", backend="openai", model="m", revision=None, context=None),
    hashes={"graph": "g"},
).model_copy(update={"status": "complete", "counts": COUNTS, "asking_seconds": 3.0})


def a_run(path: Path, **changes: Any) -> RunFolder:
    run = RunFolder(path)
    run.write_manifest(WHOLE, **changes)
    return run


def damages() -> Iterator[tuple[str, dict[str, Any]]]:
    """Which count is damaged, and the counts: each of them odd in every way that it cannot be."""
    for name, value in COUNTS.items():
        if isinstance(value, dict):
            inner = next(iter(value))
            yield from ((f"{name}.{inner}", {**COUNTS, name: {**value, inner: odd}}) for odd in ODD)
            yield from ((name, {**COUNTS, name: odd}) for odd in (5, *ODD[:-1]))
        else:
            odds = (odd for odd in ODD if odd is not None or name not in MAY_BE_NONE)
            yield from ((name, {**COUNTS, name: odd}) for odd in odds)


def test_every_count_that_is_no_number_of_its_kind_is_named() -> None:
    assert WHOLE.fault_in_counts() is None
    for name, counts in damages():
        fault = WHOLE.model_copy(update={"counts": counts}).fault_in_counts()
        assert (fault or "").startswith(f"counts.{name}"), (counts[name.split(".")[0]], fault)


@pytest.mark.parametrize(
    ("kind", "counts", "words"),
    [
        ("extract", {}, "counts.filings: Field required"),
        ("classify", {"filings": 7, "left_out": 0}, "counts.passages: Field required"),
        ("classify", {"filings": 7, "passages": 1}, "counts.left_out: Field required"),
        ("classify", {**COUNTS, "left_out": 10}, "counts.left_out is more than counts.passages"),
        ("extract", {**COUNTS, "from_cache": 9}, "counts.from_cache is more than counts.replies"),
    ],
)
def test_counts_that_lack_something_or_do_not_fit_are_one_error(
    kind: str, counts: dict[str, Any], words: str, tmp_path: Path
) -> None:
    run = a_run(tmp_path / "run", kind=kind, counts=counts)
    with pytest.raises(RunError, match=f"the manifest is damaged: {words}") as caught:
        measure_costs([run], PRESETS)
    assert caught.value.where == str(run.path)
    assert caught.value.hint == f"Repeat its `fingreat {kind}` command."


def test_a_whole_run_and_one_that_was_stopped_without_counts_are_priced(tmp_path: Path) -> None:
    runs = [a_run(tmp_path / "whole"), a_run(tmp_path / "half", status="interrupted", counts={})]
    measured = measure_costs(runs, PRESETS)
    assert [one.filings for one in measured.runs] == [4, None]
    assert len(cost_tables(measured)) == 1


def test_the_command_says_it_and_leaves_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = a_run(tmp_path / "run", counts={**COUNTS, "replies": None})
    assert main(["analyze", "cost", str(run.path)]) == 2
    told = capsys.readouterr()
    assert "the manifest is damaged: counts.replies" in " ".join(told.err.split())
    assert told.out == ""


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("asking_seconds", float("nan")),
        ("asking_seconds", -1),
        ("trials", {"cost_usd": float("inf")}),
        ("model", {"total_parameters": float("inf")}),
        ("model", {"total_parameters": 0}),
    ],
)
def test_times_prices_and_sizes_that_are_no_numbers_are_damage(field: str, value: Any, tmp_path: Path) -> None:
    run = a_run(tmp_path / "run")
    path = run.path / "manifest.json"
    data = json.loads(path.read_text())
    data[field] = {**(data[field] or {}), **value} if isinstance(value, dict) else value
    path.write_text(json.dumps(data))
    with pytest.raises(RunError, match="is damaged") as caught:
        run.manifest()
    assert caught.value.where == str(path)
