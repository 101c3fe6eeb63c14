"""The documentation says what is so: its code runs, its names and commands exist."""

from __future__ import annotations

import importlib
import json
import re
import shutil
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
import typer
from jsonschema import Draft202012Validator
from servers.catalogue import LocalFiling
from servers.edgar import LocalEdgar
from servers.invented import invented_company, invented_filing

import fingreat
from fingreat.cli import app
from fingreat.pipeline import Corpus
from fingreat.schema import load_graph, reply_schema

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = Path(fingreat.__file__).parent / "shipped" / "quernholt-2024.htm"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def edgar_of_the_pages() -> list[LocalFiling]:
    """A company for each quarter, one of which has the ticker that the pages name."""
    companies = [replace(invented_company(1), name="QUILLFEATHER INC", tickers=("AAPL",))]
    companies += [invented_company(number) for number in (2, 3, 4)]
    return [
        invented_filing(company, year, filed=date(year, 3 * number, 15))
        for year in (2003, 2004, 2016)
        for number, company in enumerate(companies, 1)
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "downloads").mkdir()
    shutil.copy(SHIPPED, tmp_path / "downloads" / "10k.htm")
    shutil.copy(SHIPPED, tmp_path / "10k.htm")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    with LocalEdgar(edgar_of_the_pages()) as edgar:
        monkeypatch.setenv("EDGAR_BASE_URL", edgar.base)
        for code in blocks(page, "python"):
            exec(compile(code, str(page), "exec"), names)
    if page.name == "api.md":
        assert (tmp_path / "out" / "lexicon" / "manifest.json").is_file()
        assert (tmp_path / "out" / "echo" / "manifest.json").is_file()
        assert "<mark" in (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
        assert (tmp_path / "report" / "tables" / "agreement.csv").is_file()
        assert {filing.company for filing in Corpus(tmp_path / "fetched").filings()} == {"QUILLFEATHER INC"}
        assert len(Corpus(tmp_path / "drawn").filings()) == 8


def test_replies_of_the_api_page_fit_the_schema() -> None:
    replies = [json.loads(block) for block in blocks(ROOT / "docs" / "api.md", "json")]
    for mode, reply in zip(("quote", "span"), replies, strict=True):
        assert Draft202012Validator(reply_schema(load_graph(), mode)).is_valid(reply)


def test_readme_example_answers_as_printed() -> None:
    code = "\n".join(blocks(ROOT / "README.md", "python"))
    claim = re.search(r"(CueScorer\(.*\))\s+# ('[A-Z-]+')", code)
    assert claim is not None
    from fingreat.inference import CueScorer

    assert repr(eval(claim.group(1), {"CueScorer": CueScorer, "load_graph": load_graph})) == claim.group(2)


def test_names_of_the_api_page_exist_and_are_complete() -> None:
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(fingreat(?:\.\w+)+)` \| (.+) \|$", text, re.MULTILINE)
    assert len(rows) == 10
    for module, names in rows:
        room = importlib.import_module(module)
        for name in re.findall(r"`(\w+)`", names):
            assert name in room.__all__, f"{module}.{name}"
        for file, name in re.findall(r"`(\w+)\.(\w+)`", names):
            assert hasattr(importlib.import_module(f"{module}.{file}"), name), f"{module}.{file}.{name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_of_a_page_exist(page: Path) -> None:
    root = typer.main.get_command(app)
    for line in re.findall(r"^\$ fingreat ([^#|>\n]+)", page.read_text(encoding="utf-8"), re.MULTILINE):
        words = line.split()
        command = root.commands[words[0]]  # type: ignore[attr-defined]
        if hasattr(command, "commands"):
            command = command.commands[words[1]]
        options = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= options, line


def test_files_that_the_architecture_page_names_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`(\w+/[\w./]+\.\w+|\w+/\w+/)`", text)
    assert len(named) > 10
    for name in named:
        assert (ROOT / "fingreat" / name).exists(), name


def test_every_command_is_named_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in typer.main.get_command(app).commands:  # type: ignore[attr-defined]
        assert f"fingreat {name}" in text or f"`{name}`" in text or f"make {name}" in text, name


def test_readme_shows_what_the_demo_prints(tmp_path: Path) -> None:
    """The instant model's row, to the letter; the others depend on the machine's speed or on what is installed."""
    from fingreat.cli.demo import summary
    from fingreat.pipeline import run_demo
    from fingreat.report import cell_text

    row = next(line for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines() if " lexicon   " in line)
    table = summary(run_demo(tmp_path, models=("lexicon",)))
    shown = list(map(cell_text, table.columns, table.rows[0]))
    assert re.split(r"\s{2,}", row.strip())[:-1] == shown[:-1]
