"""`--grounded` of the commands that measure runs: the same in all of them, said in JSON and in what tables are from."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pipeline.extraction_builders import an_extraction, finished_run

from fingreat.schema import Verdict

COMMANDS = ("agreement", "groups", "ensemble", "behavior", "tags", "panel")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of every run one quote stands in the text; a has an altered one as well."""
    folder = tmp_path_factory.mktemp("runs")
    for name in "abr":
        verdicts = [Verdict.EXACT, Verdict.ALTERED][: 2 if name == "a" else 1]
        finished_run(
            folder / name,
            ("F1", "F2"),
            [an_extraction("F1", f"x{i}", f"Sales rose by {i} percent.", verdict=of) for i, of in enumerate(verdicts)],
        )
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_what_does_not_stand_in_the_text_is_left_out_and_said(
    command: str, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Callable
) -> None:
    monkeypatch.chdir(made)
    words = ["analyze", command, "a", "b", *(["--reference", "r"] if command == "ensemble" else [])]
    data = json.loads(run(*words, "--json").out)
    assert (data["grounded"], data["ungrounded"]) == (False, {})
    out = tmp_path / "out"
    outcome = run(*words, "--grounded", "--json", "--out", out)
    assert outcome.code == 0
    data = json.loads(outcome.out)
    assert data["grounded"] is True
    assert (data["ungrounded"]["a"], data["ungrounded"]["b"]) == (
        {"left_out": 1, "extractions": 2}, {"left_out": 0, "extractions": 1},
    )  # fmt: skip
    if command != "groups":
        made_by = {path.read_text(encoding="utf-8").splitlines()[0] for path in out.glob("*.tex")}
        assert made_by
        assert all(f"analyze {command} a b" in line and "--grounded" in line for line in made_by)
    assert "left out: 1 of the 2 of a" in " ".join(run(*words, "--grounded").out.split())
