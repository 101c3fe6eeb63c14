"""The commands from a user's side: what they print, what they leave, how they end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from lxml import etree

import fingreat
from fingreat.cli import app
from fingreat.errors import MissingExtraError
from fingreat.pipeline import Corpus, ExtractConfig, extract
from fingreat.runs import Manifest
from fingreat.schema import load_graph

FILING = Path(fingreat.__file__).parent / "shipped" / "quernholt-2024.htm"


@pytest.fixture
def corpus(tmp_path: Path, run: Callable) -> Path:
    folder = tmp_path / "corpus"
    assert run("corpus", "add", FILING, "--corpus", folder).code == 0
    assert run("corpus", "sections", "--corpus", folder).code == 0
    return folder


def commands(group: typer.Typer, prefix: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    click_group = typer.main.get_command(group)
    found = []
    for name, command in click_group.commands.items():  # type: ignore[attr-defined]
        if hasattr(command, "commands"):
            found += [(*prefix, name, inner) for inner in command.commands]
        else:
            found.append((*prefix, name))
    return found


@pytest.mark.parametrize("command", commands(app), ids=" ".join)
def test_every_command_has_help_with_an_example(command: tuple[str, ...], run: Callable) -> None:
    outcome = run(*command, "--help")
    assert outcome.code == 0
    assert f"Example: fingreat {command[0]}" in " ".join(outcome.out.split())


def test_version(run: Callable) -> None:
    assert run("--version").out == f"fingreat {fingreat.__version__}\n"


def test_section_prints_the_documented_object(run: Callable) -> None:
    outcome = run("section", FILING, "--item", "7", "--json")
    assert outcome.code == 0
    data = json.loads(outcome.out)
    assert list(data) == [
        "status", "item", "form", "heading", "next_heading", "text", "source_document", "pointer", "warnings", "chars",
        "tables",
    ]  # fmt: skip
    assert data["status"] == "found"
    assert data["form"] == "10-K"
    assert data["chars"] == len(data["text"]) > 30_000
    assert data["next_heading"].startswith("Item 7A")


def test_section_as_text(run: Callable) -> None:
    outcome = run("section", FILING)
    assert outcome.out.startswith("## Item 7. Management’s Discussion")
    assert "item 7 found" in outcome.err


@pytest.mark.parametrize(
    ("name", "data", "code", "words"),
    [
        ("empty.htm", b"", 2, "empty"),
        ("report.htm", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", 2, "PDF"),
        ("short.htm", b"<html><body><p>Item 1. Business</p><p>We sell pumps.</p></body></html>", 2, "absent"),
    ],
)
def test_section_of_what_is_no_filing(
    tmp_path: Path, run: Callable, name: str, data: bytes, code: int, words: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    outcome = run("section", path)
    assert outcome.code == code
    assert words in outcome.err
    assert "Traceback" not in outcome.err


def test_section_of_a_missing_file(tmp_path: Path, run: Callable) -> None:
    outcome = run("section", tmp_path / "none.htm")
    assert outcome.code == 2
    assert "none.htm" in outcome.err


def test_chunks_partition_the_section(run: Callable) -> None:
    text = json.loads(run("section", FILING, "--json").out)["text"]
    chunks = json.loads(run("chunk", FILING, "--tokens", 1500, "--json").out)["chunks"]
    joined = "".join(segment["text"] for chunk in chunks for segment in chunk["segments"])
    assert joined == text
    assert all(chunk["n_tokens"] <= 1500 for chunk in chunks)
    assert [segment["number"] for segment in chunks[0]["segments"][:3]] == [1, 2, 3]
    assert run("chunk", FILING).out.count("0-") >= 1
    assert run("chunk", FILING, "--tokens", 5).code == 2


def test_schema_show_check_draw(tmp_path: Path, run: Callable) -> None:
    data = json.loads(run("schema", "show", "--json", "--categories", "capital").out)
    assert len(data["nodes"]) == len(data["edges"]) == 11
    assert {edge["category"] for edge in data["edges"]} == {"Net Income", "Cash Flow", "Equity"}
    assert "REV-NNCA" in run("schema", "show").out
    assert "11 nodes, 11 edges" in run("schema", "check").out

    assert run("schema", "draw", "--out", tmp_path / "g.svg").code == 0
    words = " ".join(etree.parse(tmp_path / "g.svg").getroot().itertext())
    assert all(edge in words for edge in load_graph().edges)
    assert run("schema", "draw", "--out", tmp_path / "g.png").code == 0
    assert (tmp_path / "g.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert run("schema", "draw", "--out", tmp_path / "g.jpg").code == 2


def test_schema_check_lists_every_fault(tmp_path: Path, run: Callable) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('format = 1\nname = "mine"\n[[node]]\nid = "A"\n[[edge]]\nid = "A-B"\nsource = "A"\n')
    outcome = run("schema", "check", path)
    assert outcome.code == 2
    for words in ("[[node]] A, line 3: 'name' is missing", "[[edge]] A-B, line 5: 'target' is missing"):
        assert words in outcome.err


def test_extract_list_show_verify_export(corpus: Path, tmp_path: Path, run: Callable) -> None:
    target = tmp_path / "out" / "one"
    outcome = run("extract", "--corpus", corpus, "--model", "lexicon", "--tokens", 1500, "--out", target, "--json")
    assert outcome.code == 0, outcome.err
    counts = json.loads(outcome.out)
    assert counts["status"] == "complete"
    assert counts["requests"] == counts["outputs"] + counts["failures"] == sum(counts["requests_by_state"].values())
    assert counts["extractions"] == sum(counts["extractions_by_verdict"].values()) > 50

    listed = json.loads(run("runs", "list", tmp_path / "out", "--json").out)
    assert [run_["name"] for run_ in listed] == ["one"]
    assert "lexicon" in run("runs", "list", tmp_path / "out").out
    assert json.loads(run("runs", "show", target, "--json").out)["model"]["backend"] == "lexicon"
    assert "resolved.tokens" in run("runs", "show", target).out
    assert run("runs", "verify", target).code == 0

    exported = tmp_path / "x.csv"
    assert run("export", target, "--format", "csv", "--out", exported).code == 0
    assert exported.read_text(encoding="utf-8").startswith("id,run,filing_id,chunk_id,quote,edge,")

    part = target / "extractions" / "part-00000.jsonl"
    part.write_bytes(part.read_bytes().replace(b"exact", b"exakt", 1))
    outcome = run("runs", "verify", target)
    assert outcome.code == 2
    assert "extractions/part-00000.jsonl is not what stage extract wrote" in outcome.err


def test_a_damaged_run_does_not_hide_the_others(corpus: Path, tmp_path: Path, run: Callable) -> None:
    for name in ("good", "bad"):
        run("extract", "--corpus", corpus, "--model", "lexicon", "--out", tmp_path / "out" / name)
    (tmp_path / "out" / "bad" / "manifest.json").write_text("{")
    outcome = run("runs", "list", tmp_path / "out")
    assert outcome.code == 1
    assert "good" in outcome.out
    assert "bad/manifest.json: is not valid JSON" in outcome.err


def test_a_corpus_among_runs_is_no_run(corpus: Path, tmp_path: Path, run: Callable) -> None:
    run("extract", "--corpus", corpus, "--model", "lexicon", "--out", tmp_path / "good")
    listed = run("runs", "list", tmp_path, "--json")
    assert listed.code == 0
    assert [entry["name"] for entry in json.loads(listed.out)] == ["good"]
    outcome = run("export", corpus)
    assert outcome.code == 2
    assert "is a corpus, no run folder" in outcome.err


def test_verify_goes_on_after_a_bad_run_and_calls_no_unfinished_run_good(
    corpus: Path, tmp_path: Path, run: Callable
) -> None:
    good = tmp_path / "good"
    run("extract", "--corpus", corpus, "--model", "lexicon", "--out", good)
    outcome = run("runs", "verify", tmp_path / "nope", good)
    assert outcome.code == 1
    assert f"{good}: complete, every output is as it was written" in outcome.err
    manifest = good / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"status": "complete"', '"status": "started"'))
    outcome = run("runs", "verify", good)
    assert outcome.code == 2
    assert "the run is started, not complete" in outcome.err


def test_export_to_standard_output(corpus: Path, tmp_path: Path, run: Callable) -> None:
    run("extract", "--corpus", corpus, "--model", "lexicon", "--out", tmp_path / "good")
    outcome = run("export", tmp_path / "good", "--format", "jsonl", "--out", "-")
    assert outcome.code == 0
    assert all(json.loads(line)["edge"] for line in outcome.out.splitlines())
    os.mkfifo(tmp_path / "pipe")
    outcome = run("export", tmp_path / "good", "--out", tmp_path / "pipe")
    assert outcome.code == 2
    assert "no regular file" in outcome.err
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("redirect", [">/dev/full", ">&-"])
@pytest.mark.parametrize("command", ["schema show", "schema show --json", f"section {FILING}"])
def test_a_standard_output_that_takes_nothing_is_no_traceback(command: str, redirect: str) -> None:
    line = f"{sys.executable} -c 'import sys; from fingreat.cli import main; sys.exit(main())' {command} {redirect}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    if redirect == ">/dev/full":
        assert done.returncode == 2
        assert "cannot write" in done.stderr


def test_extract_as_text_says_where_the_run_is(
    corpus: Path, tmp_path: Path, run: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run("extract", "--corpus", corpus, "--model", "lexicon", "--mode", "span")
    assert outcome.code == 0
    assert "run: out/lexicon-span" in outcome.err
    assert "100%" in outcome.err
    assert outcome.out == ""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--model", "lexikon"), "Did you mean 'lexicon'?"),
        (("--model", "lexicon", "--mode", "both"), "--mode"),
        (("--model", "lexicon", "--guide", "all"), "--guide"),
        (("--model", "lexicon", "--tokens", "3"), "--tokens"),
        (("--model", "lexicon", "--schema", "nowhere.toml"), "nowhere.toml"),
        (("--model", "scripted:nowhere.jsonl"), "nowhere.jsonl"),
        (("--model", "lexicon", "--item", "8"), "corpus sections"),
    ],
)
def test_bad_options_end_with_one_message(
    corpus: Path, tmp_path: Path, run: Callable, options: tuple[str, ...], words: str
) -> None:
    outcome = run("extract", "--corpus", corpus, "--out", tmp_path / "r", *options)
    assert outcome.code == 2
    assert words in outcome.err
    assert "Traceback" not in outcome.err
    assert not (tmp_path / "r" / "manifest.json").exists()


def test_no_corpus_no_run(tmp_path: Path, run: Callable) -> None:
    outcome = run("extract", "--corpus", tmp_path / "none", "--model", "lexicon", "--out", tmp_path / "r")
    assert outcome.code == 2
    assert "Make one with `fingreat corpus fetch`" in outcome.err
    assert run("runs", "list", tmp_path / "none").code == 2
    assert run("runs", "show", tmp_path).code == 2


def test_failed_rows_end_with_status_1_and_no_output_with_2(corpus: Path, tmp_path: Path, run: Callable) -> None:
    some = tmp_path / "some.jsonl"
    some.write_text('{"contains": "Item 7.", "text": "no JSON"}\n{"text": "{\\"extractions\\": []}"}\n')
    outcome = run("extract", "--corpus", corpus, "--model", f"scripted:{some}", "--out", tmp_path / "a")
    assert outcome.code == 1
    assert "1 invalid_json" in outcome.err
    none = tmp_path / "none.jsonl"
    none.write_text('{"text": "no JSON"}\n')
    assert run("extract", "--corpus", corpus, "--model", f"scripted:{none}", "--out", tmp_path / "b").code == 2


def test_corpus_with_a_bad_file_goes_on(tmp_path: Path, run: Callable) -> None:
    (tmp_path / "bad.htm").write_bytes(b"%PDF-1.4 ...")
    outcome = run("corpus", "add", FILING, tmp_path / "bad.htm", "--corpus", tmp_path / "c", "--json")
    assert outcome.code == 1
    assert json.loads(outcome.out) == {"added": 1, "already_there": 0, "doubles": 0, "failed": 1, "passed_over": 0}
    assert "PDF" in (tmp_path / "c" / "failures.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_says_how_to_go_on(corpus: Path, tmp_path: Path, stop: signal.Signals) -> None:
    script = tmp_path / "slow.jsonl"
    script.write_text('{"text": "{\\"extractions\\": []}", "wait": 0.4}\n')
    command = [sys.executable, "-c", "import sys; from fingreat.cli import main; sys.exit(main())",
               "extract", "--corpus", str(corpus), "--model", f"scripted:{script}", "--tokens", "600",
               "--out", str(tmp_path / "run")]  # fmt: skip
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    replies = tmp_path / "run" / "replies" / "part-00000.jsonl"
    deadline = time.monotonic() + 60
    while not (replies.exists() and replies.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(stop)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "repeat the command to go on" in err
    assert "Traceback" not in err
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["status"] == "interrupted"
    before = replies.read_bytes()
    script_done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert script_done.returncode == 0, script_done.stderr
    assert "going on: " in script_done.stderr
    assert replies.read_bytes().startswith(before)


def test_demo_makes_a_page(tmp_path: Path, run: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole demo with the instant model; the others are left out as if they were not installed."""

    def only_the_instant_one(corpus: Corpus, config: ExtractConfig, *arguments: Any, **options: Any) -> Manifest:
        if config.model != "lexicon":
            raise MissingExtraError(f"what '{config.model}' runs on", 'pip install "fingreat[embedded]"')
        return extract(corpus, config, *arguments, **options)

    monkeypatch.setattr("fingreat.pipeline.demo.extract", only_the_instant_one)
    outcome = run("demo", "--out", tmp_path / "demo", "--json")
    assert outcome.code == 1, "the missing models are no silent skip"
    assert outcome.err.count('pip install "fingreat[embedded]"') == 2
    data = json.loads(outcome.out)
    assert [entry["model"] for entry in data["runs"]] == ["lexicon"]
    page = Path(data["page"]).read_text(encoding="utf-8")
    assert "embedded did not run" in page
    assert f"report: {Path(data['page']).resolve()}" in outcome.err
    assert "lexicon" in run("demo", "--out", tmp_path / "demo").out
