"""`fingreat analyze cost` over runs whose manifests hold figures that are easy to divide."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fingreat.inference import reply_log
from fingreat.runs import Beside, Manifest, ModelInfo, RunFolder
from fingreat.schema import Reply, ReplyState

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
MORE = "beside", "replies_by_state", "unused", "spent_usd"


def _run(folder: Path, spec: str = "openai:priced", *, mode: str = "span", **changes: Any) -> Path:
    backend, _, model = spec.partition(":")
    manifest = Manifest.new(
        folder.name,
        asked={},
        resolved={"item": "7", "mode": mode, "seed": 0},
        model=ModelInfo(spec=spec, backend=backend, model=model, revision=None, context=None),
        hashes={"graph": "g"},
    )
    counts = COUNTS | {name: changes.pop(name) for name in list(changes) if name in (*COUNTS, *MORE)}
    RunFolder(folder).write_manifest(manifest, **{"status": "complete", "counts": counts, **changes})
    return folder


def test_its_help_has_an_example(run: Callable) -> None:
    assert "Example: fingreat analyze agreement" in " ".join(run("analyze", "--help").out.split())


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
    # Dollars in all, seconds and dollars of a filing, hours and dollars of a thousand.
    assert row.split().count("–") == 5
    words = " ".join(outcome.out.split())
    assert "No price of vllm:nobody/knows is known" in words
    assert "Of bare no time was noted." in words


def test_runs_of_one_model_are_also_shown_together(run: Callable, tmp_path: Path) -> None:
    first = _run(tmp_path / "y2023", cost_usd=0.5, asking_seconds=10.0)
    second = _run(tmp_path / "y2024", cost_usd=1.5, asking_seconds=30.0)
    other = _run(tmp_path / "quotes", mode="quote", cost_usd=3.0, asking_seconds=30.0)
    outcome = run("analyze", "cost", first, second, other, "--json")
    models = json.loads(outcome.out)["models"]
    assert [(one["runs"], one["mode"]) for one in models] == [(["y2023", "y2024"], "span"), (["quotes"], "quote")]
    # 2 dollars over eight filings.
    assert models[0]["per_filing"]["usd"] == 0.25
    shown = run("analyze", "cost", first, second, other)
    assert "2 runs" in shown.out


def test_what_came_from_the_cache_is_not_taken_for_free(run: Callable, tmp_path: Path) -> None:
    # Two of eight replies came from the cache; six cost 1.2 dollars and 30 s, the trial 0.2.
    half = _run(tmp_path / "half", cost_usd=1.4, asking_seconds=30.0, from_cache=2, beside={"cost_usd": 0.2})
    (found,) = json.loads(run("analyze", "cost", half, "--json").out)["runs"]
    # Eight at 0.2 dollars and 5 s, and the trial once, over four filings.
    assert found["per_filing"]["usd"] == pytest.approx((8 * 0.2 + 0.2) / 4)
    assert found["per_filing"]["seconds"] == pytest.approx(8 * 5 / 4)
    assert found["usd"] == 1.4
    shown = " ".join(run("analyze", "cost", half).out.split())
    assert "half: 2 of 8 replies came from the cache" in shown
    assert "as if they had taken what the other 6 took" in shown


@pytest.mark.parametrize("price", [0.0, None])
def test_a_run_that_the_cache_answered_has_no_costs_to_copy(run: Callable, tmp_path: Path, price: float | None) -> None:
    asked = _run(tmp_path / "asked", cost_usd=8.0, asking_seconds=40.0)
    copied = _run(tmp_path / "copied", cost_usd=price, asking_seconds=0.01, from_cache=8)
    data = json.loads(run("analyze", "cost", asked, copied, "--json").out)
    assert [one["per_filing"]["usd"] for one in data["runs"]] == [2.0, None]
    assert [one["per_1000_filings"]["seconds"] for one in data["runs"]] == [pytest.approx(10_000), None]
    assert data["runs"][1]["usd"] == 0.0
    # Eight filings with sixteen replies, of which eight cost a dollar each.
    assert data["models"][0]["per_filing"]["usd"] == 2.0
    shown = " ".join(run("analyze", "cost", asked, copied).out.split())
    assert "copied: 8 replies, all from the cache. Nothing was spent" in shown
    assert "Dollars of openai:priced: by the prices" in shown
    assert "No price" not in shown


def test_what_belongs_to_the_result_no_more_is_in_what_was_spent_and_in_nothing_per_filing(
    run: Callable, tmp_path: Path
) -> None:
    # Eight replies cost 1.6 dollars, the trial 0.2, and eight more that are no part of the result 3.2; 64 s in all.
    more = {"unused": {"requests": 8, "cost_usd": 3.2}, "spent_usd": 5.0, "beside": {"cost_usd": 0.2}}
    part = _run(tmp_path / "part", cost_usd=1.8, asking_seconds=64.0, **more)
    (found,) = json.loads(run("analyze", "cost", part, "--json").out)["runs"]
    assert found["usd"] == 5.0
    assert found["unused_usd"] == 3.2
    assert found["per_filing"]["usd"] == pytest.approx(1.8 / 4)
    # Half of what was asked: 32 of 64 seconds.
    assert found["per_filing"]["seconds"] == pytest.approx(32 / 4)
    shown = " ".join(run("analyze", "cost", part).out.split())
    assert "part: 8 replies that the run asked for besides no longer belong to its result" in shown
    assert "They cost $3.20 of the $5.00 in all." in shown
    # Two of the result's eight came from the cache: six took 6/14 of the time and 1.2 dollars.
    half = _run(tmp_path / "half", cost_usd=1.4, asking_seconds=56.0, from_cache=2, **more | {"spent_usd": 4.6})
    data = json.loads(run("analyze", "cost", half, part, "--json").out)
    assert data["runs"][0]["per_filing"]["usd"] == pytest.approx((8 * 0.2 + 0.2) / 4)
    assert data["runs"][0]["per_filing"]["seconds"] == pytest.approx(8 * 4 / 4)
    assert data["models"][0]["usd"] == pytest.approx(9.6)
    # Fourteen of sixteen were asked, at 0.2 dollars each, and two trials, over eight filings.
    assert data["models"][0]["per_filing"]["usd"] == pytest.approx((16 * 0.2 + 0.4) / 8)


def test_a_machines_hour_is_paid_for_what_belongs_to_the_result_no_more(run: Callable, tmp_path: Path) -> None:
    models = tmp_path / "models.toml"
    models.write_text('format = 1\n[model."tiny"]\nengine = { usd_per_hour = 10.0 }\n')
    timed = _run(tmp_path / "timed", "vllm:some/tiny", asking_seconds=3600.0, unused={"requests": 24, "cost_usd": None})
    (found,) = json.loads(run("analyze", "cost", timed, "--models", models, "--json").out)["runs"]
    # Eight of 32 replies belong to the result: a quarter of ten dollars over four filings.
    assert (found["usd"], found["unused_usd"], found["per_filing"]["usd"]) == (10.0, 7.5, 0.625)


def test_requests_that_failed_without_an_answer_are_said_with_what_is_per_filing(run: Callable, tmp_path: Path) -> None:
    failed = _run(tmp_path / "failed", cost_usd=8.0, replies_by_state={"ok": 3, "error": 5})
    whole = _run(tmp_path / "whole", cost_usd=8.0, replies_by_state={"ok": 8, "error": 0})
    data = json.loads(run("analyze", "cost", failed, whole, "--json").out)
    assert [one["failed"] for one in (*data["runs"], *data["models"])] == [5, 0, 5]
    shown = " ".join(run("analyze", "cost", failed, whole).out.split())
    assert "failed: 5 of 8 requests failed without an answer. Figures per filing leave out" in shown
    assert shown.count("without an answer") == 1


def test_two_runs_of_one_model_are_told_apart_where_only_one_has_a_price(run: Callable, tmp_path: Path) -> None:
    priced, bare = _run(tmp_path / "priced", cost_usd=8.0), _run(tmp_path / "bare")
    shown = " ".join(run("analyze", "cost", priced, bare).out.split())
    assert "Dollars of openai:priced in priced: by the prices" in shown
    assert "No price of openai:priced in bare is known" in shown


@pytest.mark.parametrize("status", ["interrupted", "failed", "started"])
def test_a_run_that_is_not_complete_has_what_it_took_so_far(run: Callable, tmp_path: Path, status: str) -> None:
    half = _run(
        tmp_path / "half", status=status, counts={}, asking_seconds=4.0, trials=Beside(requests=1, cost_usd=0.25)
    )
    with reply_log(RunFolder(half).replies) as log:
        log.append(Reply(key="a", state=ReplyState.OK, text="", prompt_tokens=300, output_tokens=20, cost_usd=0.5))
        log.append(Reply(key="b", state=ReplyState.ERROR, text="", cost_usd=0.125))
        log.append(Reply(key="b", state=ReplyState.OK, text="", prompt_tokens=400, output_tokens=30, cost_usd=0.5))
    whole = _run(tmp_path / "whole", cost_usd=8.0, asking_seconds=40.0)
    data = json.loads(run("analyze", "cost", half, whole, "--json").out)
    found = data["runs"][0]
    assert (found["status"], found["requests"], found["filings"]) == (status, 2, None)
    # Two replies, the trial, and the error that was asked again.
    assert (found["prompt_tokens"], found["output_tokens"], found["usd"]) == (700, 50, 1.375)
    assert set(found["per_filing"].values()) == {None}
    assert [one["runs"] for one in data["models"]] == [["whole"]]
    shown = " ".join(run("analyze", "cost", half, whole).out.split())
    assert f"half is not complete ({status}): 2 replies so far" in shown


def test_a_run_named_twice_is_refused(run: Callable, tmp_path: Path) -> None:
    once = _run(tmp_path / "once")
    outcome = run("analyze", "cost", once, tmp_path / "." / "once")
    assert outcome.code == 2
    assert "named twice" in outcome.err
