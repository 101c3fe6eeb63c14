"""What holds of every command of `fingreat analyze`, by the example that its own help gives."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from every_analyze import made_everything

from fingreat.cli import common
from fingreat.cli.analyze import app
from fingreat.report import count_of

COMMANDS = sorted(str(one.name) for one in app.registered_commands)
MEASURED_ON = {
    "behavior": "filings",
    "accuracy": "passages",
    "agreement": "filings",
    "cost": "passages",
    "ensemble": "filings",
    "errors": "passages",
    "groups": "filings",
    "panel": "filings",
    "reviewers": "passages",
    "stability": "passages",
    "tags": "filings",
}
"""What --common keeps those of that all have."""
MORE = {"agreement": ("--by-edge",), "behavior": ("--corpus", "corpus"), "panel": ("--corpus", "corpus")}
"""Options with which there are more tables."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_everything(tmp_path_factory.mktemp("everything"))


@pytest.fixture
def here(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made)
    return made


def example(run: Callable, command: str) -> list[str]:
    """The words of the example in a command's help, without where it writes."""
    text = " ".join(run("analyze", command, "--help").out.split("Arguments")[0].split())
    [found] = re.findall(r"Example: fingreat (analyze .*?)(?: [^\w./-]|$)", text)
    words = shlex.split(found)
    return words[: words.index("--out")] if "--out" in words else words


@pytest.mark.parametrize("command", COMMANDS)
def test_the_example_of_its_help_works_and_no_line_is_wider_than_the_console(
    command: str, here: Path, run: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = example(run, command)
    assert words[1] == command
    assert run(*words).code == 0
    for width in (80, 120, 200):
        monkeypatch.setattr(common.out, "width", width)
        outcome = run(*words, *MORE.get(command, ()))
        assert (outcome.code, outcome.err) == (0, "")
        # Notes are indented; they are folded on a terminal alone.
        assert max(len(line) for line in outcome.out.splitlines() if not line.startswith("  ")) <= width
        assert "…" not in outcome.out


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"groups"}))
def test_files_are_made_again_by_the_command_that_they_name(
    command: str, here: Path, tmp_path: Path, run: Callable
) -> None:
    out = tmp_path / "tables"
    outcome = run(*example(run, command), "--out", out)
    assert outcome.code == 0
    assert outcome.err.endswith(f": {out}\n")
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    tables = [name for name in before if name.endswith(".csv") and name != "panel.csv"]
    assert count_of(len(tables), "table") in outcome.err.splitlines()[-1]
    [made_by] = {path.read_text(encoding="utf-8").splitlines()[0] for path in out.glob("*.tex")}
    again = shlex.split(made_by.split(": ", 1)[1])
    assert again[:3] == ["fingreat", "analyze", command]
    assert run(*again[1:], "--out", out).code == 0
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


@pytest.mark.parametrize("command", COMMANDS)
def test_help_says_of_what_common_keeps_those_that_all_have(command: str, run: Callable) -> None:
    words = " ".join(re.sub("[│╭╮╰╯─]", " ", run("analyze", command, "--help").out).split())
    # The help's columns are narrow: `--common   Compare on the passages that all runs …`.
    assert re.search(rf"--common [\w ]*\b{MEASURED_ON[command]} that all", words)
