"""`fingreat match` from a user's side: what it prints, what it leaves, and what the other commands make of it."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import fingreat

FILING = Path(fingreat.__file__).parent / "shipped" / "quernholt-2024.htm"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs over one filing: out/quote, and out/span with smaller chunks."""
    from fingreat.cli import main

    folder = tmp_path_factory.mktemp("made")
    for arguments in (
        ("corpus", "add", FILING, "--corpus", folder / "corpus"),
        ("corpus", "sections", "--corpus", folder / "corpus"),
        ("extract", "--corpus", folder / "corpus", "--model", "lexicon", "--out", folder / "out" / "quote"),
        ("extract", "--corpus", folder / "corpus", "--model", "lexicon", "--mode", "span", "--tokens", "800",
         "--out", folder / "out" / "span"),
    ):  # fmt: skip
        assert main([str(argument) for argument in arguments]) == 0
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy to work in."""
    shutil.copytree(made, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def test_the_table_says_what_the_runs_share(here: Path, run: Callable) -> None:
    outcome = run("match", "out/quote", "out/span")
    assert outcome.code == 0
    data = json.loads((here / "out" / "match-quote-span" / "manifest.json").read_text())
    counts = data["counts"]
    lines = outcome.out.splitlines()
    [row] = [line.split() for line in lines if line.split()[:1] == ["quote"]]
    assert row[:5] == [
        "quote", "lexicon", *(str(counts[name]) for name in ("extractions_a", "matched", "unmatched_a")),
    ]  # fmt: skip
    assert row[-1] == f"({counts['matched']}/{counts['extractions_b']})"
    union = counts["extractions_a"] + counts["extractions_b"] - counts["matched"]
    assert f"({counts['matched']}/{union}); conditional precision" in outcome.out
    assert f"({counts['same_edge']}/{counts['matched']})" in outcome.out
    matches = f"{counts['matched']} matches by text (overlap of 0.80 or more)"
    assert f"1 filing; {matches}, {counts['same_edge']} with the same edge" in lines
    assert "match: out/match-quote-span" in outcome.err


def test_json_is_one_object_with_the_arithmetic(here: Path, run: Callable) -> None:
    outcome = run("match", "out/quote", "out/span", "--json", "--show", "3")
    data = json.loads(outcome.out)
    assert data["matched"] > 10
    assert data["extractions_a"] == data["matched"] + data["unmatched_a"]
    assert data["extractions_b"] == data["matched"] + data["unmatched_b"]
    assert data["recall_a"] == data["matched"] / data["extractions_b"]
    assert data["recall_b"] == data["matched"] / data["extractions_a"]
    assert data["jaccard"] == data["matched"] / (data["extractions_a"] + data["extractions_b"] - data["matched"])
    assert data["conditional_precision"] == data["same_edge"] / data["matched"]
    least, most = data["conditional_precision_range"]
    assert least <= data["conditional_precision"] <= most
    assert (data["filings"], data["by"], data["threshold"], data["status"]) == (1, "text", 0.8, "complete")
    assert len(data["different_edges"]) == min(3, data["matched"] - data["same_edge"])
    assert all(row["edge_a"] != row["edge_b"] and row["quote_a"] for row in data["different_edges"])
    assert sum(data["both_edges"].values()) == data["matched"] - data["same_edge"]
    # The file's digest names a filing that has no accession number; its cover knows the fiscal year.
    assert {(row["company"], row["year"], row["fiscal_year"]) for row in data["different_edges"]} == {
        ("QUERNHOLT CORPORATION", None, 2024)
    }
    shown = run("match", "out/quote", "out/span", "--show", "1").out
    assert (
        f"\n1. QUERNHOLT CORPORATION, fiscal 2024: {hashlib.sha256(FILING.read_bytes()).hexdigest()[:12]}…\n" in shown
    )


def test_every_way_of_matching_has_a_folder_of_its_own(here: Path, run: Callable) -> None:
    assert run("match", "out/quote", "out/span").code == 0
    assert run("match", "out/quote", "out/span", "--by", "span").code == 0
    assert json.loads((here / "out" / "match-quote-span-span" / "manifest.json").read_text())["by"] == "span"
    assert run("match", "out/quote", "out/span", "--common").code == 0
    assert json.loads((here / "out" / "match-quote-span-common" / "manifest.json").read_text())["common"] is True
    assert run("match", "out/quote", "out/span", "--out", "elsewhere").code == 0
    assert (here / "elsewhere" / "done" / "match").is_file()


def test_names_too_long_for_a_folder_of_both_ask_for_one(here: Path, run: Callable) -> None:
    for name in ("quote", "span"):
        (here / "out" / name).rename(here / "out" / (name * 30))
    names = f"out/{'quote' * 30}", f"out/{'span' * 30}"
    outcome = run("match", *names)
    assert (outcome.code, outcome.out) == (2, "")
    assert "too long for a folder named after both.\nName one by --out." in outcome.err
    assert run("match", *names, "--out", "short").code == 0


def test_nothing_of_nothing_is_a_dash(tmp_path: Path, run: Callable) -> None:
    (tmp_path / "plain.htm").write_text(
        "<html><body><p><b>Item 7. Management's Discussion and Analysis</b></p><p>We are glad to be here today.</p>"
        "<p>There is no more to be said of it, and so we close.</p><p><b>Item 8. Financial Statements</b></p>"
        f"<p>{'Balance. ' * 60}</p></body></html>"
    )
    corpus = tmp_path / "corpus"
    assert run("corpus", "add", tmp_path / "plain.htm", "--corpus", corpus).code == 0
    assert run("corpus", "sections", "--corpus", corpus).code == 0
    for mode in ("quote", "span"):
        out = tmp_path / mode
        assert run("extract", "--corpus", corpus, "--model", "lexicon", "--mode", mode, "--out", out).code == 0
    outcome = run("match", tmp_path / "quote", tmp_path / "span", "--out", tmp_path / "match")
    assert outcome.code == 0
    assert "Jaccard – (0/0); conditional precision – (0/0)" in outcome.out
    assert "read alike" not in outcome.out
    shown = run("match", tmp_path / "quote", tmp_path / "span", "--out", tmp_path / "match", "--show", "3")
    assert shown.code == 0
    assert shown.out.endswith("\nNo match has different edges.\n")
    data = json.loads(run("match", tmp_path / "quote", tmp_path / "span", "--out", tmp_path / "match", "--json").out)
    assert data["jaccard"] is data["recall_a"] is data["conditional_precision"] is None
    assert data["conditional_precision_range"] == [None, None]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("out/quote", "out/quote"), "is named twice"),
        (("out/quote", "out/none"), "is no run folder"),
        (("out/quote", "corpus"), "is a corpus, no run folder"),
        (("out/quote", "out/span", "--out", "out/span"), "is one of the runs"),
        (("out/quote", "out/span", "--out", "corpus"), "is a corpus"),
        (("out/quote", "out/span", "--out", "out/span/match"), "which holds other results"),
        (
            ("out/quote", "out/span", "--show", "1", "--edges", "NOPE", "REV-NNCA"),
            "'NOPE' is no edge of graph 'gaap11'",
        ),
        (("out/quote", "out/span", "--show", "1", "--edges", "REV-NNCA", "rev-nnca"), "Edges: REV-NNCA, NNCA-COGS, "),
        (("out/quote", "out/span", "--near-misses"), "Add --show 10."),
    ],
)
def test_what_cannot_be_matched_is_one_clear_message(
    arguments: tuple[str, ...], words: str, here: Path, run: Callable
) -> None:
    outcome = run("match", *arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert words in outcome.err
    assert "Traceback" not in outcome.err
    assert not (here / "out" / "match-quote-span").exists()


def test_the_other_commands_know_a_match(here: Path, run: Callable) -> None:
    assert run("match", "out/quote", "out/span").code == 0
    match = "out/match-quote-span"
    listed = run("runs", "list", "out")
    assert listed.code == 0
    assert ["match-quote-span", "complete", "quote", "span", "text"] in [x.split()[:5] for x in listed.out.splitlines()]
    assert [row["kind"] for row in json.loads(run("runs", "list", "out", "--json").out)] == [
        "match",
        "extract",
        "extract",
    ]
    shown = run("runs", "show", match)
    assert shown.code == 0
    assert "counts.matched" in shown.out
    assert "run_a.name" in shown.out
    assert run("runs", "verify", match).code == 0
    exported = run("export", match, "--out", "-")
    assert exported.code == 0
    assert exported.out.startswith("filing_id,a,b,edge_a,edge_b,overlap,decided_by")
    assert run("export", match, "--table", "unmatched").code == 0
    assert (here / "match-quote-span-unmatched.csv").read_text().startswith("side,id,filing_id\n")
    assert "has no replies" in run("export", match, "--table", "replies").err
    assert "has no matches" in run("export", "out/quote", "--table", "matches").err
    refused = run("extract", "--corpus", "corpus", "--model", "lexicon", "--out", match)
    assert refused.code == 2
    assert "is a match of two runs, no run" in refused.err
    (here / match / "unmatched.jsonl").write_text("{}")
    damaged = run("runs", "verify", match)
    assert damaged.code == 2
    assert "unmatched.jsonl is not what stage match wrote" in damaged.err
