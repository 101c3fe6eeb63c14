"""`fingreat analyze cost` over runs whose manifests hold figures that are easy to divide."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fingreat.runs import Manifest, ModelInfo, RunFolder

COUNTS = {
    "filings_by_status": {"found": 4, "absent": 3},
    "filings": 7,
    "replies": 8,
    "from_cache": 0,
    "prompt_tokens": 40_000,
    "cached_tokens": 1_000,
    "output_tokens": 2_000,
    "reasoning_tokens": 0,
    "cost_usd": None,
    "unpriced": 0,
}


def _run(folder: Path, spec: str = "openai:priced", *, mode: str = "span", **changes: Any) -> Path:
    backend, _, model = spec.partition(":")
    manifest = Manifest.new(
        folder.name,
        asked={},
        resolved={"item": "7", "mode": mode, "seed": 0},
        model=ModelInfo(spec=spec, backend=backend, model=model, revision=None, context=None),
        hashes={"graph": "g"},
    )
    counts = COUNTS | {name: changes.pop(name) for name in list(changes) if name in COUNTS}
    RunFolder(folder).write_manifest(manifest, **{"status": "complete", "counts": counts, **changes})
    return folder


def test_figures_are_those_of_the_filings_that_were_shown(run: Callable, tmp_path: Path) -> None:
    priced = _run(tmp_path / "priced", cost_usd=0.5, asking_seconds=36.0)
    outcome = run("analyze", "cost", priced, "--json")
    assert outcome.code == 0
    (found,) = json.loads(outcome.out)["runs"]
    # Four filings were shown; three had no such item.
    assert found["per_filing"] == {"prompt_tokens": 10_000, "output_tokens": 500, "seconds": 9.0, "usd": 0.125}
    assert found["per_1000_filings"]["usd"] == 125.0
    assert found["per_1000_filings"]["seconds"] == 9000.0
    assert found["basis"] == "prices"


def test_a_machine_by_the_hour_costs_its_time(run: Callable, tmp_path: Path) -> None:
    models = tmp_path / "models.toml"
    models.write_text('format = 1\n[model."tiny"]\nengine = { usd_per_hour = 10.0 }\n')
    timed = _run(tmp_path / "timed", "vllm:some/tiny", asking_seconds=1800.0)
    (found,) = json.loads(run("analyze", "cost", timed, "--models", models, "--json").out)["runs"]
    # Half an hour at 10 dollars for four filings.
    assert found["per_filing"]["usd"] == 1.25
    assert found["basis"] == "machine"


def test_runs_without_price_or_time_say_so(run: Callable, tmp_path: Path) -> None:
    outcome = run("analyze", "cost", _run(tmp_path / "bare", "vllm:nobody/knows"))
    assert outcome.code == 0
    (row,) = [line for line in outcome.out.splitlines() if "bare" in line and "vllm:" in line]
    # Seconds and dollars of a filing, hours and dollars of a thousand.
    assert row.split().count("–") == 4
    words = " ".join(outcome.out.split())
    assert "No price of vllm:nobody/knows is known" in words
    assert "Of bare no time was noted." in words


def test_runs_of_one_model_are_also_shown_together(run: Callable, tmp_path: Path) -> None:
    first = _run(tmp_path / "y2023", cost_usd=0.5, asking_seconds=10.0)
    second = _run(tmp_path / "y2024", cost_usd=1.5, asking_seconds=30.0, from_cache=2)
    other = _run(tmp_path / "quotes", mode="quote", cost_usd=3.0, asking_seconds=30.0)
    outcome = run("analyze", "cost", first, second, other, "--json")
    models = json.loads(outcome.out)["models"]
    assert [(one["runs"], one["mode"]) for one in models] == [(["y2023", "y2024"], "span"), (["quotes"], "quote")]
    # 2 dollars over eight filings.
    assert models[0]["per_filing"]["usd"] == 0.25
    shown = run("analyze", "cost", first, second, other)
    assert "2 runs" in shown.out
    assert "y2024: 2 of 8 replies came from the cache" in " ".join(shown.out.split())


@pytest.mark.parametrize("status", ["interrupted", "failed", "started"])
def test_a_run_that_is_not_complete_is_refused(run: Callable, tmp_path: Path, status: str) -> None:
    outcome = run("analyze", "cost", _run(tmp_path / "half", status=status))
    assert outcome.code == 2
    assert f"the run is {status}, not complete" in outcome.err
    assert outcome.out == ""


def test_a_run_named_twice_is_refused(run: Callable, tmp_path: Path) -> None:
    once = _run(tmp_path / "once")
    outcome = run("analyze", "cost", once, tmp_path / "." / "once")
    assert outcome.code == 2
    assert "named twice" in outcome.err
