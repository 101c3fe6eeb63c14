"""`fingreat match` from a user's side: what it prints, what it leaves, and what the other commands make of it."""

from __future__ import annotations

import json
import re
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
    assert f"1 filing; {counts['matched']} matches by text, {counts['same_edge']} with the same edge" in lines
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


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two runs over one filing of a known company and year, by models whose replies are these; nothing changes them."""
    from fingreat.cli import main

    folder = tmp_path_factory.mktemp("scripted")
    long = "It was a year of pumps, " + ", ".join(f"pump {number} among them" for number in range(99)) + "."
    esc = "Costs \u202efell\u202c \x1b[31mmuch\x1b[0m in [bold]spring[/bold] and stayed there."
    said = {
        "one": [
            ("Net sales rose by 12% on higher volumes in Europe.", "REV-NNCA"),
            ("We do not expect demand for pumps to recover before June.", "REV-NNCA"),
            (esc, "NNCA-COGS"),
            (long, "REV-NNCA"),
            ("Dividends were paid in every quarter of the year.", "CASH-DIV"),
        ],
        "two": [
            ("Net sales rose by 13% on higher volumes in Europe.", "NNCA-OPEX"),
            ("We do expect demand for pumps to recover before June.", "NNCA-OPEX"),
            (esc, "NNCA-OPEX"),
            (long, "NNCA-OPEX"),
            ("Dividends were paid in every quarter of the year.", "CASH-DIV"),
        ],
    }
    # The filing holds what the first model says, but for marks that no filing's text keeps.
    text = "".join(f"<p>{quote}</p>" for quote, _ in said["one"] if quote != esc)
    (folder / "x.txt").write_text(
        "<SEC-DOCUMENT>x.txt\n<SEC-HEADER>x\nACCESSION NUMBER:\t\t0000000001-24-000001\n"
        "CONFORMED SUBMISSION TYPE:\t10-K\nPUBLIC DOCUMENT COUNT:\t1\nFILED AS OF DATE:\t\t20240215\n"
        "\tCOMPANY CONFORMED NAME:\t\t\tPUMPS [red]INC\n</SEC-HEADER>\n"
        "<DOCUMENT>\n<TYPE>10-K\n<SEQUENCE>1\n<FILENAME>x.htm\n<TEXT>\n<html><body>"
        f"<p><b>Item 1. Business</b></p><p>{'We make pumps. ' * 40}</p>"
        f"<p><b>Item 7. Management's Discussion and Analysis</b></p>{text}"
        f"<p><b>Item 8. Financial Statements</b></p><p>{'Balance. ' * 60}</p></body></html>\n</TEXT>\n</DOCUMENT>\n"
        "</SEC-DOCUMENT>\n"
    )
    corpus = folder / "corpus"
    assert main(["corpus", "add", str(folder / "x.txt"), "--corpus", str(corpus)]) == 0
    assert main(["corpus", "sections", "--corpus", str(corpus)]) == 0
    for name, quotes in said.items():
        items = [
            {
                "quote": q,
                "edge": dict(zip(("source", "target"), edge.split("-"), strict=True)),
                "tags": [],
                "period": None,
            }
            for q, edge in quotes
        ]
        (folder / f"{name}.jsonl").write_text(json.dumps({"text": json.dumps({"extractions": items})}))
        model = f"scripted:{folder / name}.jsonl"
        assert main(["extract", "--corpus", str(corpus), "--model", model, "--out", str(folder / name)]) == 0
    return folder / "one", folder / "two"


def test_show_prints_matches_with_different_edges_the_largest_first(
    tmp_path: Path, scripted: tuple[Path, Path], run: Callable
) -> None:
    outcome = run("match", *scripted, "--out", tmp_path / "match", "--show", "3")
    assert outcome.code == 0
    text = outcome.out
    lines = [" ".join(line.split()) for line in text.splitlines()]
    # Two equal and different, one equal and the same, two that read alike.
    assert "1 filing; 5 matches by text, 1 with the same edge" in lines
    said = "Quotes are equal in 3 of 5 matches; in 2 they read alike but say something else: figure 1, negation 1."
    assert said in lines
    # The long one's 99 figures and those of the escape codes agree; 12% and 13% do not; the other two have none.
    assert "Figures agree in 66.7% (2/3) of the matches with a figure; 2 have none." in lines
    assert lines.index("REV-NNCA NNCA-OPEX 3") < lines.index("NNCA-COGS NNCA-OPEX 1")
    # Equal quotes come before others, long before short.
    starts = [lines.index(f"{number}. PUMPS [red]INC, 2024: 0000000001-24-000001") for number in (1, 2, 3)]
    assert starts == sorted(starts)
    first, second, third = (lines[start : start + 6] for start in starts)
    assert first[1].startswith("overlap 1.000 (equal); containment 1.000, fragments ")
    assert first[1].endswith("span 1.000; the same figures")
    assert re.fullmatch(r"REV-NNCA in one, NNCA-OPEX in two, both at \d+-\d+:", first[2])
    assert first[3].startswith("It was a year of pumps, pump 0 among them, ")
    assert " … " in first[3]
    assert first[3].endswith(", pump 98 among them.")
    assert len(first[3]) < 700
    assert second[2] == "NNCA-COGS in one, NNCA-OPEX in two, both not in the text:"
    # 10 of 11 tokens in order are more than the 9 of 10 around the other percentage.
    assert third[1].startswith("overlap 0.909 (order); equal 0.000, ")
    assert third[1].endswith("; no figures; they say something else: negation")
    assert third[2].startswith("REV-NNCA in one, at ")
    assert third[4] == "NNCA-OPEX in two, not in the text:"
    assert third[3] != third[5]
    assert "\n4. " not in text
    assert "\n1. " not in run("match", *scripted, "--out", tmp_path / "match").out


def test_what_a_quote_holds_never_reaches_the_terminal(
    tmp_path: Path, scripted: tuple[Path, Path], run: Callable
) -> None:
    text = run("match", *scripted, "--out", tmp_path / "match", "--show", "9").out
    assert "Costs \\u202efell\\u202c \\x1b[31mmuch\\x1b[0m in [bold]spring[/bold] and stayed there." in text
    assert not set(text) & set("\x1b\u202e\u202c")
    shown = run("match", *scripted, "--out", tmp_path / "match", "--show", "9", "--json").out
    assert not set(shown) & set("\x1b\u202e\u202c")
    rows = json.loads(shown)["different_edges"]
    assert "Costs \u202efell\u202c \x1b[31mmuch\x1b[0m in [bold]spring[/bold] and stayed there." in [
        row["quote_a"] for row in rows
    ]


def test_json_has_every_pair_of_edges_and_whole_quotes(
    tmp_path: Path, scripted: tuple[Path, Path], run: Callable
) -> None:
    data = json.loads(run("match", *scripted, "--out", tmp_path / "match", "--show", "1", "--json").out)
    assert data["edge_pairs"] == [
        {"edge_a": "REV-NNCA", "edge_b": "NNCA-OPEX", "matches": 3},
        {"edge_a": "NNCA-COGS", "edge_b": "NNCA-OPEX", "matches": 1},
    ]
    (row,) = data["different_edges"]
    assert (row["company"], row["year"], row["filing_id"]) == ("PUMPS [red]INC", 2024, "0000000001-24-000001")
    assert "pump 50 among them" in row["quote_a"]
    assert row["ranges_a"] == row["ranges_b"]
    ((start, end),) = row["ranges_a"]
    assert end - start == len(row["quote_a"])
    assert (row["overlap"], row["decided_by"], row["figures"], row["differs"]) == (1.0, "equal", "same", [])
    assert (data["near_misses"], data["figures_differ"], data["equal"]) == (2, 1, 3)
    assert data["figures_agree"] == 2 / 3


def test_one_pair_of_edges_can_be_looked_at(tmp_path: Path, scripted: tuple[Path, Path], run: Callable) -> None:
    arguments = ("match", *scripted, "--out", tmp_path / "match", "--show", "9")
    text = run(*arguments, "--edges", "NNCA-COGS", "NNCA-OPEX").out
    assert "stayed there." in text
    assert "\n2. " not in text
    none = run(*arguments, "--edges", "NNCA-OPEX", "REV-NNCA").out
    assert "No match has edge NNCA-OPEX in one and REV-NNCA in two." in none
    same = run(*arguments, "--edges", "REV-NNCA", "REV-NNCA")
    assert (same.code, same.out) == (2, "")
    assert "--edges: names one edge twice" in same.err
    alone = run("match", *scripted, "--out", tmp_path / "match", "--edges", "NNCA-COGS", "NNCA-OPEX")
    assert (alone.code, alone.out) == (2, "")
    assert "Add --show 10." in alone.err


def test_without_the_corpus_the_filing_is_named_by_its_id(
    tmp_path: Path, scripted: tuple[Path, Path], run: Callable
) -> None:
    shutil.copytree(scripted[0].parent, tmp_path / "copy")
    runs = [tmp_path / "copy" / path.name for path in scripted]
    for path in runs:
        manifest = json.loads((path / "manifest.json").read_text())
        manifest["asked"]["corpus"] = str(tmp_path / "gone")
        (path / "manifest.json").write_text(json.dumps(manifest))
    text = run("match", *runs, "--out", tmp_path / "match", "--show", "1").out
    assert "\n1. 0000000001-24-000001\n" in text


def test_matching_by_place_has_a_folder_of_its_own(here: Path, run: Callable) -> None:
    assert run("match", "out/quote", "out/span").code == 0
    assert run("match", "out/quote", "out/span", "--by", "span").code == 0
    assert json.loads((here / "out" / "match-quote-span-span" / "manifest.json").read_text())["by"] == "span"
    assert run("match", "out/quote", "out/span", "--out", "elsewhere").code == 0
    assert (here / "elsewhere" / "done" / "match").is_file()


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
    assert "quote × span" in listed.out
    assert "match by text" in listed.out
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
