"""How the console looks: tables and sentences at a width, help, and what is left out of it."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from rich.console import Console

import fingreat
from fingreat.cli import app, common, main
from fingreat.errors import InputError
from fingreat.report import Column, Share, Table
from fingreat.schema import load_graph

FILING = Path(fingreat.__file__).parent / "shipped" / "quernholt-2024.htm"
PROGRAM = [sys.executable, "-c", "import sys; from fingreat.cli import main; sys.exit(main())"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus, two runs and their match; nothing below changes them."""
    folder = tmp_path_factory.mktemp("made")
    out = folder / "out"
    commands = [
        ["corpus", "add", FILING, "--corpus", folder / "corpus"],
        ["corpus", "sections", "--corpus", folder / "corpus"],
        ["extract", "--corpus", folder / "corpus", "--model", "lexicon", "--out", out / "quote"],
        ["extract", "--corpus", folder / "corpus", "--model", "lexicon", "--mode", "span", "--out", out / "span"],
        ["match", out / "quote", out / "span", "--out", out / "match"],
    ]
    assert [main([str(word) for word in command]) for command in commands] == [0] * 5
    return folder


def on_terminal(columns: int, *arguments: object) -> list[str]:
    """The lines that a terminal of so many columns is given, without its colours."""
    screen, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    variables = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    command = [*PROGRAM, *map(str, arguments)]
    with subprocess.Popen(command, stdin=end, stdout=end, stderr=end, env=variables | {"TERM": "xterm"}) as process:
        os.close(end)
        data = b""
        while True:
            try:
                data += (block := os.read(screen, 65536))
            except OSError:  # Linux says so that the other end is closed.
                break
            if not block:
                break
    os.close(screen)
    assert process.returncode == 0, data
    return [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", data.decode()).splitlines()]


def test_runs_are_a_table_where_they_fit_and_blocks_where_not(made: Path) -> None:
    counts = json.loads((made / "out" / "quote" / "manifest.json").read_text())["counts"]
    made_at = json.loads((made / "out" / "quote" / "manifest.json").read_text())["created"]
    begun = f"{made_at[:10]} {made_at[11:16]}"
    n = str(counts["extractions"])
    wide = [line.split() for line in on_terminal(200, "runs", "list", made / "out")]
    row = ["quote", "complete", "lexicon", "quote", str(counts["requests"]), "0", n, "100%", f"({n}/{n})"]
    assert [*row, *begun.split()] in wide
    narrow = on_terminal(60, "runs", "list", made / "out")
    assert max(map(len, narrow)) <= 60
    assert {"run          quote", "status       complete", f"extractions  {n}", f"begun        {begun}"} <= set(narrow)
    # Matches have a table of their own.
    matched = str(json.loads((made / "out" / "match" / "manifest.json").read_text())["counts"]["matched"])
    (row,) = (line for line in wide if line[:1] == ["match"] and "complete" in line)
    assert row[:6] == ["match", "complete", "quote", "span", "text", matched]
    assert [line[0] for line in wide if line[1:2] == ["in"]] == ["Runs", "Matches"]


@pytest.mark.parametrize("columns", [80, 100])
def test_on_a_terminal_no_word_is_broken(columns: int, made: Path) -> None:
    pair = (made / "out" / "quote", made / "out" / "span")
    for arguments in (
        ("schema", "show"),
        ("match", *pair, "--out", made / "out" / "match", "--show", "3"),
        ("report", *pair, "--out", made / "report"),
    ):
        narrow, wide = on_terminal(columns, *arguments), on_terminal(10_000, *arguments)
        # A path is one long word, which is left to the terminal.
        short = [line for line in narrow if str(made) not in line]
        assert max(map(len, short)) <= columns
        words = {word for line in wide for word in line.split()}
        assert {word for line in short for word in line.split()} - words <= {"─" * n for n in range(columns)}


def test_without_a_terminal_sentences_have_one_line_and_columns_gives_the_width(made: Path) -> None:
    def lines(**variables: str) -> list[str]:
        command = [*PROGRAM, "match", "out/quote", "out/span", "--out", "out/match", "--show", "1"]
        clean = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        done = subprocess.run(command, cwd=made, env=clean | variables, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    for columns in ("", "0", "wide"):
        assert lines(COLUMNS=columns) == lines()
    assert any(line.split()[:2] == ["run", "model"] for line in lines())
    # 5 + 7 + 11 + 7 + 9 + 7 characters do not fit, so that each cell has a line.
    narrow = [line.rstrip() for line in lines(COLUMNS="45")]
    assert {"run          quote", "model        lexicon"} <= set(narrow)
    (sentence,) = (line for line in narrow if line.startswith("Jaccard "))
    assert len(sentence) > 45
    assert "; conditional precision " in sentence


def test_prose_is_wrapped_between_words_and_other_columns_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(width=50, record=True, soft_wrap=True)
    monkeypatch.setattr(common, "out", console)
    text = "one two three four five six seven eight nine ten"
    rows = (("2024-01-31 23:59", text), ("2024-02-29 00:00", "eleven"))
    common.show_table(Table(id="t", title="T", columns=(Column(label="a"), Column(label="b")), rows=rows))
    lines = [" ".join(line.split()) for line in console.export_text().splitlines()]
    # 16 characters, 3 between the columns and 1 at either end leave 29.
    assert {"2024-01-31 23:59 one two three four five six", "seven eight nine ten", "2024-02-29 00:00 eleven"} <= set(
        lines
    )


def test_a_text_that_stands_once_in_a_table_stands_in_every_block(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = (Column(label="run", once=True), Column(label="edge"))
    made = Table(id="t", title="T", columns=columns, rows=(("a-long-name", "REV-NNCA"), ("a-long-name", "NNCA-TAX")))

    def lines(width: int) -> list[str]:
        console = Console(width=width, record=True, soft_wrap=True)
        monkeypatch.setattr(common, "out", console)
        common.show_table(made)
        return [" ".join(line.split()) for line in console.export_text().splitlines()]

    assert {"a-long-name REV-NNCA", "NNCA-TAX"} <= set(lines(40))
    # 11 + 8 characters and 5 around them do not fit.
    assert lines(23).count("run a-long-name") == 2


def test_columns_that_others_hold_too_are_left_out_before_rows_become_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = (Column(label="run"), Column(label="matched", kind="count", spare=True), Column(label="n", kind="count"))
    made = Table(id="t", title="T", columns=columns, rows=(("a-long-name", 12, 7),))

    def lines(width: int) -> list[str]:
        console = Console(width=width, record=True, soft_wrap=True)
        monkeypatch.setattr(common, "out", console)
        common.show_table(made)
        return [" ".join(line.split()) for line in console.export_text().splitlines()]

    # 11 + 7 + 1 characters and 8 around them, 11 + 1 and 5 without the spare ones.
    assert "a-long-name 12 7" in lines(27)
    assert {"run n", "a-long-name 7"} <= set(lines(26))
    assert "a-long-name 7" in lines(17)
    # A block has room for all.
    assert any(line.endswith(" 12") for line in lines(16))


def test_heads_take_as_few_lines_as_their_cells_are_wide_and_spare_columns_go_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    columns = (
        *(Column(label="run"), Column(label="spare", kind="count", spare=True)),
        *(Column(label="in the text", kind="share"), Column(label="more in one", kind="count")),
    )
    made = Table(id="t", title="T", columns=columns, rows=(("a", 1, Share(k=241, n=241), 5),))

    def lines(width: int) -> list[str]:
        console = Console(width=width, record=True, soft_wrap=True)
        monkeypatch.setattr(common, "out", console)
        common.show_table(made)
        return [" ".join(line.split()) for line in console.export_text().splitlines() if line.strip()]

    # Cells of 3, 5, 14 and 11 characters, with 11 around them; without the spare one 28 with 8.
    assert "a 1 100% (241/241) 5" in lines(44)
    assert lines(43)[1] == "run in the text more in one"
    assert "a 100% (241/241) 5" in lines(36)
    # "in the" has the width of "(241/241)", and nothing is wider than "more"; there is room for the spare one again.
    assert lines(35)[1:4] == ["more", "in the in", "run spare text one"]
    assert lines(35)[5:] == ["a 1 100% 5", "(241/241)"]


def test_whole_numbers_have_thousands_commas(made: Path, tmp_path: Path, run: Callable) -> None:
    manifest = json.loads((made / "out" / "quote" / "manifest.json").read_text())
    manifest["counts"] |= {"requests": 1234567, "extractions": 4000, "grounded": 1000}
    (tmp_path / "big").mkdir()
    (tmp_path / "big" / "manifest.json").write_text(json.dumps(manifest))
    listed = run("runs", "list", tmp_path).out
    assert "1,234,567" in listed
    assert "25.0% (1,000/4,000)" in listed
    shown = [line.split() for line in run("runs", "show", tmp_path / "big").out.splitlines()]
    assert ["counts.requests", "1,234,567"] in shown
    assert ["resolved.tokens", "4096"] in shown, "a setting is shown as its option takes it"


def test_a_run_is_shown_as_dotted_names_without_what_is_empty(made: Path, run: Callable) -> None:
    run_, match = made / "out" / "quote", made / "out" / "match"
    counts = json.loads((run_ / "manifest.json").read_text())["counts"]
    lines = run("runs", "show", run_).out.splitlines()
    assert all(line.strip() for line in lines)
    shown = {name: value.strip() for name, _, value in (line.partition(" ") for line in lines)}
    assert shown["kind"] == "extract"
    assert shown["counts.requests_by_state.ok"] == str(counts["requests"])
    assert shown["counts.extractions_by_verdict.exact"] == str(counts["extractions_by_verdict"]["exact"])
    assert shown["resolved.facets"] == "no"
    assert shown["inputs"] == "1 section"
    assert "pydantic" in {name.removeprefix("environment.packages.") for name in shown}
    assert not {"earlier", "environment.gpus", "model.context"} & shown.keys()
    assert not any(mark in value for value in shown.values() for mark in "{}[]")
    assert "None" not in shown.values()
    everything = json.loads(run("runs", "show", run_, "--json").out)
    assert everything["earlier"] == []
    assert everything["model"]["context"] is None
    shown_match = run("runs", "show", match).out
    assert re.search(r"^run_b\.model\.spec +lexicon *$", shown_match, re.MULTILINE)
    assert re.search(r"^filings +1 filing *$", shown_match, re.MULTILINE)


def test_verify_as_json_names_status_and_faults_of_every_run(made: Path, tmp_path: Path, run: Callable) -> None:
    assert json.loads(run("runs", "verify", made / "out" / "quote", made / "out" / "match", "--json").out) == [
        {"run": str(made / "out" / name), "status": "complete", "faults": []} for name in ("quote", "match")
    ]
    outcome = run("runs", "verify", made / "out" / "quote", tmp_path / "none", "--json")
    assert (outcome.code, outcome.err) == (1, "")
    good, bad = json.loads(outcome.out)
    assert (good["faults"], bad["status"], bad["run"]) == ([], None, str(tmp_path / "none"))
    (fault,) = bad["faults"]
    assert "is no run folder" in fault
    assert run("runs", "verify", tmp_path / "none").err.count(str(tmp_path / "none")) == 1


def test_check_as_json_counts_or_lists_the_faults(tmp_path: Path, run: Callable) -> None:
    data = json.loads(run("schema", "check", "--json").out)
    assert (data["nodes"], data["edges"], data["faults"]) == (11, 11, [])
    assert data["categories"] == list(load_graph().categories())
    path = tmp_path / "mine.toml"
    path.write_text('format = 1\nname = "mine"\n[[node]]\nid = "A"\n')
    outcome = run("schema", "check", path, "--json")
    assert (outcome.code, outcome.err) == (2, "")
    data = json.loads(outcome.out)
    assert data["source"] == str(path)
    assert "[[node]] A, line 3: 'name' is missing" in data["faults"]


def test_files_that_a_folder_passes_over_are_counted(tmp_path: Path, run: Callable) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "a.htm").write_bytes(FILING.read_bytes())
    assert "passed over" not in run("corpus", "add", source, "--corpus", tmp_path / "c").err
    for name in ("b.pdf", ".hidden"):
        (source / name).write_bytes(b"%PDF-1.4")
    assert "1 file of another kind passed over\n" in run("corpus", "add", source, "--corpus", tmp_path / "c").err
    outcome = run("corpus", "add", source, source / "b.pdf", "--corpus", tmp_path / "c", "--json")
    assert json.loads(outcome.out) == {"added": 0, "already_there": 1, "doubles": 0, "failed": 1, "passed_over": 1}


def test_an_empty_gold_is_refused(made: Path, tmp_path: Path, run: Callable) -> None:
    (tmp_path / "gold.jsonl").write_text("")
    arguments = ("--gold", tmp_path / "gold.jsonl", "--out", tmp_path / "report")
    outcome = run("report", made / "out" / "quote", *arguments)
    assert outcome.code == 2
    assert "gold.jsonl: holds no passage" in outcome.err
    assert not (tmp_path / "report").exists()


def parameters() -> list[tuple[str, typer.core.TyperOption | typer.core.TyperArgument]]:
    """Every parameter of every command."""
    root = typer.main.get_command(app)
    groups = {"": root} | {name: c for name, c in root.commands.items() if hasattr(c, "commands")}  # type: ignore[attr-defined]
    return [
        (f"{group} {name}".strip(), parameter)
        for group, inner in groups.items()
        for name, command in inner.commands.items()
        if not hasattr(command, "commands")
        for parameter in command.params
    ]


def test_arguments_are_in_capitals_and_flags_take_no_value() -> None:
    found = parameters()
    arguments = {(name, p.metavar) for name, p in found if p.param_type_name == "argument"}
    assert {("match", "RUN_A"), ("match", "RUN_B"), ("chunk", "FILE"), ("corpus add", "PATH")} <= arguments
    assert all(metavar and metavar.isupper() for _, metavar in arguments)
    flags = [(name, p.name, p.metavar) for name, p in found if getattr(p, "is_flag", False)]
    assert len(flags) > 10
    assert {metavar for _, _, metavar in flags} == {""}, flags


def test_every_command_that_prints_results_has_json() -> None:
    found = parameters()
    with_json = {name for name, parameter in found if "--json" in parameter.opts}
    # These two write a file, and say only where.
    assert {name for name, _ in found} - with_json == {"export", "schema draw"}


def test_of_a_long_table_the_first_rows_are_shown_and_the_rest_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    rows = tuple((f"row-{number}",) for number in range(10))
    common.show_table(Table(id="t", title="T", columns=(Column(label="name"),), rows=rows), most=3)
    shown = capsys.readouterr().out
    assert [f"row-{number}" in shown for number in range(10)] == [True] * 3 + [False] * 7
    assert "7 more rows are not shown here; --json has them." in shown


EVIL = "\x1b[31mred\x1b]0;title\x07 \x9b2J \u202eabc\u2066 [bold]x[/nope] :smile: half \ud83d end\r"
SHOWN = r"\x1b[31mred\x1b]0;title\x07 \x9b2J \u202eabc\u2066 [bold]x[/nope] :smile: half \ud83d end\r"


def test_what_a_terminal_would_obey_is_shown_and_not_obeyed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common.out, "_width", 400)  # in narrow columns a text would be cut into lines
    common.show_error(InputError(EVIL, where=EVIL, hint=EVIL))
    common.say(EVIL)
    assert capsys.readouterr().err == f"error: {SHOWN}: {SHOWN}\n{SHOWN}\n{SHOWN}\n"
    common.tell(EVIL)
    common.show_pairs([(EVIL, EVIL)])
    held = EVIL.replace("\ud83d", "")
    common.show_table(Table(id="t", title=held, columns=(Column(label=held),), rows=((held,),), notes=(held,)))
    said = capsys.readouterr().out
    assert [said.count(part) for part in SHOWN.split(" ")[:2]] == [7, 7]
    assert [character for character in said if not character.isprintable() and character != "\n"] == []


def test_json_on_the_console_says_the_same_with_nothing_to_obey(capfd: pytest.CaptureFixture[str]) -> None:
    common.print_json({EVIL: EVIL})
    said = capfd.readouterr().out
    assert json.loads(said) == {EVIL: EVIL}
    assert [character for character in said if not character.isprintable() and character != "\n"] == []
