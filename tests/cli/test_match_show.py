"""`fingreat match --show`: matches to be read by a person, and what is said of them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pipeline.extraction_builders import an_extraction, finished_run


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
    assert "1 filing; 5 matches by text (overlap of 0.80 or more), 1 with the same edge" in lines
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


def test_near_misses_are_shown_instead_with_what_they_say_else(
    tmp_path: Path, scripted: tuple[Path, Path], run: Callable
) -> None:
    arguments = ("match", *scripted, "--out", tmp_path / "match", "--show", "9", "--near-misses")
    lines = [line.strip() for line in run(*arguments).out.splitlines()]
    assert "Matches with different edges" not in lines
    # 10 of 11 tokens in order, then 9 of 10.
    said = [line for line in lines if "they say something else" in line and line.startswith("overlap")]
    assert [line.split("; ")[0] + line[line.rindex(":") :] for line in said] == [
        "overlap 0.909 (order): negation",
        "overlap 0.900 (order): figure",
    ]
    assert [line for line in lines if line.startswith(("We do", "Net"))] == [
        "We do not expect demand for pumps to recover before June.",
        "We do expect demand for pumps to recover before June.",
        "Net sales rose by 12% on higher volumes in Europe.",
        "Net sales rose by 13% on higher volumes in Europe.",
    ]
    data = json.loads(run(*arguments, "--json").out)
    assert data["different_edges"] == []
    assert [row["differs"] for row in data["near_misses_shown"]] == [["negation"], ["figure"]]
    # Equal edges may be asked for here, since near misses may agree on them.
    none = run(*arguments, "--edges", "REV-NNCA", "REV-NNCA")
    assert none.code == 0
    words = "No match that reads alike but says something else has edge REV-NNCA in one and REV-NNCA in two."
    assert words in none.out.splitlines()


def test_failed_requests_are_said(tmp_path: Path, scripted: tuple[Path, Path], run: Callable) -> None:
    (tmp_path / "none.jsonl").write_text(json.dumps({"text": "I cannot."}))
    arguments = ("--model", f"scripted:{tmp_path / 'none'}.jsonl", "--out", tmp_path / "none")
    assert run("extract", "--corpus", scripted[0].parent / "corpus", *arguments).code == 2
    shown = run("match", scripted[0], tmp_path / "none", "--out", tmp_path / "match")
    assert shown.code == 0
    words = "1 of 1 request of none failed: what they should have quoted counts as not quoted."
    assert words in shown.out.splitlines()
    data = json.loads(run("match", scripted[0], tmp_path / "none", "--out", tmp_path / "match", "--json").out)
    assert (data["failures_a"], data["failures_b"]) == (0, 1)


def test_runs_of_equal_names_are_told_apart(tmp_path: Path, scripted: tuple[Path, Path], run: Callable) -> None:
    for folder, path in zip("xy", scripted, strict=True):
        shutil.copytree(path, tmp_path / folder / "run")
    runs = tmp_path / "x" / "run", tmp_path / "y" / "run"
    outcome = run("match", *runs, "--out", tmp_path / "match", "--show", "1")
    assert outcome.code == 0
    assert re.search(r"edge in run +edge in run \(2\) +matches", outcome.out)
    assert re.search(r"REV-NNCA in run, NNCA-OPEX in run \(2\), both at ", outcome.out)


def test_a_passage_that_runs_give_both_edges_says_so_and_comes_later(tmp_path: Path, run: Callable) -> None:
    """Of equal quotes at one place the first ids are matched, and so on."""
    said = {
        "x": {"Dividends were paid in every quarter.": "CASH-DIV NNCA-CASH", "Net sales rose.": "REV-NNCA"},
        "y": {"Dividends were paid in every quarter.": "NNCA-CASH CASH-DIV", "Net sales rose.": "NNCA-OPEX REV-NNCA"},
    }
    for name, quotes in said.items():
        every = [(quote, edge) for quote, edges in quotes.items() for edge in edges.split()]
        every.append(("Cost of goods sold fell.", "NNCA-COGS" if name == "x" else "NNCA-OPEX"))
        finished_run(tmp_path / name, ["f"], [an_extraction("f", str(n), *given) for n, given in enumerate(every)])
    arguments = ("match", tmp_path / "x", tmp_path / "y", "--out", tmp_path / "match", "--show", "9")
    text = run(*arguments).out
    note = (
        "Matches with different edges in all: 4; in 2 of them both runs give the passage both edges; "
        "in 1 of them one run gives the passage both edges."
    )
    assert note in text
    items = [item.splitlines()[2:] for item in text[text.index("\n1. f\n") :].strip().split("\n\n")]
    both = "   Both runs give this passage both edges."
    assert [lines[0] for lines in items] == [
        "   NNCA-COGS in x, NNCA-OPEX in y, both not in the text:",
        "   y gives this passage both edges.",
        both,
        both,
    ]
    data = json.loads(run(*arguments, "--json").out)
    assert data["both_edges"] == {"no_run": 1, "one_run": 1, "both_runs": 2}
    assert [row["both_edges"] for row in data["different_edges"]] == [[], ["b"], ["a", "b"], ["a", "b"]]


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
