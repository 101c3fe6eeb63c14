"""`fingreat report` from a user's side."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

import fingreat
from fingreat.cli import common, main
from fingreat.report import Column, Share, Table

SHIPPED = Path(fingreat.__file__).parent / "shipped"
GOLD = SHIPPED / "quernholt-2024.gold.jsonl"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus of the shipped filing and two runs over it; nothing below changes them."""
    folder = tmp_path_factory.mktemp("made")
    commands = [
        ["corpus", "add", SHIPPED / "quernholt-2024.htm", "--corpus", folder / "corpus"],
        ["corpus", "sections", "--corpus", folder / "corpus"],
    ]
    for mode in ("quote", "span"):
        out = folder / "out" / mode
        commands.append(["extract", "--corpus", folder / "corpus", "--model", "lexicon", "--mode", mode, "--out", out])
    assert [main([str(word) for word in command]) for command in commands] == [0, 0, 0, 0]
    return folder


@pytest.fixture
def corpus(made: Path) -> Path:
    return made / "corpus"


@pytest.fixture
def runs(made: Path) -> tuple[Path, Path]:
    return made / "out" / "quote", made / "out" / "span"


def test_two_runs_and_a_gold(tmp_path: Path, corpus: Path, runs: tuple[Path, Path], run: Callable) -> None:
    out = tmp_path / "report"
    outcome = run("report", *runs, "--corpus", corpus, "--gold", GOLD, "--out", out, "--title", "Cues [bold]alone")
    assert outcome.code == 0
    for words in (
        "What each run extracts per filing",
        "Runs against each other",
        "Runs against the gold",
        "homogeneity",
    ):
        assert words in outcome.out
    assert "quote: " in outcome.out
    assert "extractions lie on evidence" in outcome.out
    # The console ends with the page to open.
    assert outcome.err.endswith(f"report: {out / 'report.html'}\n")
    page = (out / "report.html").read_text()
    assert "<title>Cues [bold]alone</title>" in page
    assert {path.name for path in (out / "tables").iterdir()} >= {"agreement.csv", "gold.csv", "tags.csv"}
    assert (out / "graph.svg").read_text().startswith("<svg")


def test_the_same_as_one_json_object(tmp_path: Path, corpus: Path, runs: tuple[Path, Path], run: Callable) -> None:
    outcome = run("report", runs[0], "--corpus", corpus, "--out", tmp_path / "report", "--json")
    data = json.loads(outcome.out)
    assert data["report"] == str(tmp_path / "report" / "report.html")
    assert (data["runs"], data["filings"], len(data["shown"]), data["notes"]) == (["quote"], 1, 1, [])
    assert "agreement" not in data["tables"]
    (row,) = data["tables"]["volume"]
    count = json.loads((runs[0] / "manifest.json").read_text())["counts"]["extractions"]
    assert (row["run"], row["extractions"]) == ("quote", count)
    assert row["in the text"] == {"k": count, "n": count, "value": 1.0, "interval": None}


def test_a_filing_to_show_must_be_one_of_them(
    tmp_path: Path, corpus: Path, runs: tuple[Path, Path], run: Callable
) -> None:
    outcome = run("report", runs[0], "--corpus", corpus, "--out", tmp_path / "report", "--filing", "17")
    assert outcome.code == 2
    assert "filing 17 is none that these runs read" in outcome.err
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize("case", ["no run", "a corpus", "another gold", "no gold file", "no corpus", "no such corpus"])
def test_what_cannot_be_reported_on_leaves_nothing(
    tmp_path: Path, corpus: Path, runs: tuple[Path, Path], run: Callable, case: str
) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(
        GOLD.read_text().replace('"filing_id":"', '"filing_id":"x').replace('"filing_id": "', '"filing_id": "x')
    )
    with_corpus = ("--corpus", corpus)
    moved = tmp_path / "moved"
    shutil.copytree(runs[0], moved)
    manifest = json.loads((moved / "manifest.json").read_text())
    manifest["asked"]["corpus"] = str(tmp_path / "gone")
    (moved / "manifest.json").write_text(json.dumps(manifest))
    arguments, words = {
        "no run": ((tmp_path / "none", *with_corpus), "is no run folder"),
        "a corpus": ((corpus, *with_corpus), "is a corpus, no run folder"),
        "another gold": ((runs[0], *with_corpus, "--gold", other), "is none that these runs read"),
        "no gold file": ((runs[0], *with_corpus, "--gold", tmp_path / "none.jsonl"), "cannot be read"),
        "no corpus": ((moved,), f"read the corpus {tmp_path / 'gone'}, which is not there. Name it with --corpus."),
        "no such corpus": ((runs[0], "--corpus", tmp_path / "none"), "is no corpus folder"),
    }[case]
    outcome = run("report", *arguments, "--out", tmp_path / "report")
    assert outcome.code == 2
    assert words in " ".join(outcome.err.split())
    assert "Traceback" not in outcome.err
    assert not (tmp_path / "report").exists()


def test_the_corpus_is_the_one_that_the_run_names(tmp_path: Path, runs: tuple[Path, Path], run: Callable) -> None:
    outcome = run("report", runs[0], "--out", tmp_path / "report")
    assert outcome.code == 0
    assert (tmp_path / "report" / "report.html").is_file()


def test_a_place_that_is_taken_is_refused(tmp_path: Path, corpus: Path, runs: tuple[Path, Path], run: Callable) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    for place, words in ((file, "is a file"), (runs[0], "is a run or a corpus"), (corpus, "is a run or a corpus")):
        outcome = run("report", runs[0], "--corpus", corpus, "--out", place)
        assert outcome.code == 2
        assert words in " ".join(outcome.err.split())
    assert run("runs", "verify", runs[0]).code == 0


@pytest.mark.parametrize("name", ["report.html", "graph.svg", "tables", "figures"])
def test_links_and_other_things_in_the_place_of_a_report_are_not_written_over(
    tmp_path: Path, corpus: Path, runs: tuple[Path, Path], run: Callable, name: str
) -> None:
    out, victim = tmp_path / "report", tmp_path / "victim"
    out.mkdir()
    if name in ("tables", "figures"):
        victim.mkdir()
    else:
        victim.write_text("mine")
    (out / name).symlink_to(victim)
    outcome = run("report", runs[0], "--out", out)
    assert outcome.code == 2
    assert "of a report. Choose another --out." in " ".join(outcome.err.split())
    assert victim.is_dir() and not list(victim.iterdir()) if victim.is_dir() else victim.read_text() == "mine"
    assert [path.name for path in out.iterdir()] == [name]


TABLE = Table(
    id="t",
    title="A [red]title",
    columns=(Column(label="run name"), Column(label="a share", kind="share"), Column(label="number", kind="number")),
    rows=(("[bold]lexicon and more", Share(k=4, n=7), 0.125), (None, Share(k=0, n=0), None)),
    notes=("A [blue]note.",),
)


@pytest.mark.parametrize("width", [200, 36, 24, 16])
def test_a_table_is_never_cut_and_never_markup(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(width=width, record=True, highlight=False, soft_wrap=True)
    monkeypatch.setattr(common, "out", console)
    common.show_table(TABLE)
    text = console.export_text()
    assert "…" not in text
    # Every character of every cell, head and note is there, however the lines are folded.
    shown = [column.label for column in TABLE.columns] + [TABLE.title, *TABLE.all_notes]
    shown += ["[bold]lexicon and more", "57.1% (4/7)", "0.125", "– (0/0)", "–", "–"]
    assert Counter("".join("".join(shown).split())) <= Counter(text)
    # Notes are prose that the terminal wraps by itself.
    table = text[: text.index("  A [blue]note.")]
    assert max(map(len, table.splitlines())) <= width


def test_a_table_takes_more_lines_where_it_is_too_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    def lines(width: int) -> list[str]:
        console = Console(width=width, record=True, highlight=False, soft_wrap=True)
        monkeypatch.setattr(common, "out", console)
        common.show_table(TABLE)
        return [" ".join(line.split()) for line in console.export_text().splitlines()]

    assert "[bold]lexicon and more 57.1% (4/7) 0.125" in lines(60)
    # 22 + 11 + 6 characters and the gaps do not fit; with the share on two lines, 22 + 5 + 6 do.
    assert {"[bold]lexicon and more 57.1% 0.125", "(4/7)"} <= set(lines(44))
    # Where that is too wide as well, each cell has a line of its own.
    assert {"run name [bold]lexicon and more", "a share 57.1% (4/7)", "number 0.125"} <= set(lines(38))
