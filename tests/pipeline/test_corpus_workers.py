"""A corpus read by several processes: what one writes, whatever a filing does to its reader or a kill to us."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import worker_tasks
from pipeline_builders import html, submission
from test_corpus import NO_ITEM, POINTER, failures, stages
from worker_tasks import wait_until

import fingreat.pipeline.corpus as corpus_module
import fingreat.pipeline.reading as reading_module
from fingreat.errors import CorpusError, InputError
from fingreat.pipeline import Corpus
from fingreat.runs import read_records
from fingreat.schema import Section, SectionStatus, TableStyle

HERE = str(Path(worker_tasks.__file__).parent)
TABLE = b"<table><tr><td>Sales</td><td>2024</td></tr><tr><td>Pumps</td><td>17</td></tr></table>"


def source(folder: Path) -> Path:
    """Twelve files: ten filings of all statuses but one, the bytes of one of them again, and a PDF."""
    made = folder / "in"
    made.mkdir()
    for number in range(6):
        (made / f"{number}.htm").write_bytes(html(company=f"Company {number}"))
    (made / "6-absent.htm").write_bytes(NO_ITEM)
    (made / "7-pointer.htm").write_bytes(POINTER)
    (made / "8-again.htm").write_bytes(html(company="Company 0"))
    (made / "9-bad.htm").write_bytes(b"%PDF-1.4")
    (made / "a-deadly.htm").write_bytes(html(company="Deadly"))
    (made / "b.txt").write_bytes(submission("0000000001-24-000005"))
    return made


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    corpus = Corpus(tmp_path / "corpus")
    corpus.add([source(tmp_path)])
    return corpus


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def copied(corpus: Corpus, folder: Path) -> Corpus:
    """The same corpus elsewhere, without sections."""
    for name in ("filings.jsonl", "manifest.json", "failures.jsonl", *(f.path for f in corpus.filings())):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((corpus.path / name).read_bytes())
    (folder / ".lock").touch()
    return Corpus(folder)


def test_the_bytes_on_disk_are_the_same_for_one_process_and_for_three(tmp_path: Path) -> None:
    files = source(tmp_path)
    one, three = Corpus(tmp_path / "one"), Corpus(tmp_path / "three")
    seen: dict[str, list[str]] = {"one": [], "three": []}
    for corpus, workers in ((one, 1), (three, 3)):
        name = corpus.path.name
        counts = corpus.add([files], lambda path, name=name: seen[name].append(path.name), workers=workers)
        assert counts == {"added": 10, "already_there": 1, "doubles": 0, "failed": 1, "passed_over": 0}
        counts = corpus.make_sections(
            "7", workers=workers, on_section=lambda section, name=name: seen[name].append(section.filing_id)
        )
        assert counts == {"found": 8, "by_reference": 1, "absent": 1, "unreadable": 0}
    assert contents(one.path) == contents(three.path)
    assert seen["one"] == seen["three"]
    assert [section.filing_id for section in three.sections("7")] == [filing.id for filing in three.filings()]


@pytest.mark.parametrize("workers", [2, None])
@pytest.mark.parametrize(
    ("reader", "words"), [("find_item_or_die", "SIGSEGV, twice"), ("find_item_or_raise", "RecursionError (too deep)")]
)
def test_a_filing_that_breaks_its_reader_is_unreadable_and_all_others_are_read(
    reader: str, words: str, workers: int | None, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_module, "find_item", getattr(worker_tasks, reader))
    counts = corpus.make_sections("7", workers=workers)
    assert counts == {"found": 7, "by_reference": 1, "absent": 1, "unreadable": 1}
    broken = [s for s in corpus.sections("7") if s.status is SectionStatus.UNREADABLE]
    deadly = next(filing for filing in corpus.filings() if "deadly" in filing.path)
    assert [(section.filing_id, section.item, section.text) for section in broken] == [(deadly.id, "7", "")]
    assert words in broken[0].warnings[0]
    reasons = {failure.id: failure.reason for failure in failures(corpus) if failure.state == "unreadable"}
    assert reasons[deadly.id].startswith(f"{deadly.path}: ")
    assert words in reasons[deadly.id]


def test_a_section_that_no_file_can_hold_stops_nobody(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_module, "read_section", worker_tasks.half_a_character)
    assert corpus.make_sections("7") == {"found": 7, "by_reference": 1, "absent": 1, "unreadable": 1}
    assert ["surrogates" in failure.reason for failure in failures(corpus) if failure.state == "unreadable"][-1]


def test_a_file_that_breaks_its_reader_is_not_added_and_all_others_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = source(tmp_path)
    monkeypatch.setattr(corpus_module, "examine_local", worker_tasks.examine_or_die)
    corpus = Corpus(tmp_path / "corpus")
    counts = corpus.add([files], workers=2)
    assert counts == {"added": 9, "already_there": 1, "doubles": 0, "failed": 2, "passed_over": 0}
    listed = {Path(failure.id).name: failure.reason for failure in failures(corpus)}
    assert list(listed) == ["9-bad.htm", "a-deadly.htm"]
    assert "SIGKILL" in listed["a-deadly.htm"]
    monkeypatch.undo()
    counts = corpus.add([files], workers=2)
    assert counts == {"added": 1, "already_there": 10, "doubles": 0, "failed": 1, "passed_over": 0}


def test_a_file_that_changes_while_it_is_added_is_not_taken(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.htm").write_bytes(html(company=name))
    corpus = Corpus(tmp_path / "corpus")

    def change(path: Path) -> None:
        if path.name == "a.htm":
            path.write_bytes(NO_ITEM)

    counts = corpus.add([tmp_path / "a.htm", tmp_path / "b.htm"], on_file=change)
    assert counts == {"added": 1, "already_there": 0, "doubles": 0, "failed": 1, "passed_over": 0}
    assert [failure.reason for failure in failures(corpus)] == ["it changed while it was read."]
    assert list((corpus.path / "raw").iterdir()) == [corpus.path / "raw" / corpus.filings()[0].id]


def test_where_no_process_can_start_nothing_is_lost(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", "/nowhere/python")
        with pytest.raises(InputError, match="could not be started"):
            corpus.make_sections("7", workers=2)
    assert sum(corpus.make_sections("7", workers=2).values()) == 10


def test_sections_of_two_table_styles_are_not_mixed(tmp_path: Path) -> None:
    (tmp_path / "a.htm").write_bytes(html().replace(b"<p><b>Item 8", TABLE + b"<p><b>Item 8"))
    corpus = Corpus(tmp_path / "corpus")
    corpus.add([tmp_path / "a.htm"])
    corpus.make_sections("7")
    before = contents(corpus.path)
    with pytest.raises(CorpusError, match="tables are markdown, and html is asked for") as caught:
        corpus.make_sections("7", tables=TableStyle.HTML)
    assert "--again" in (caught.value.hint or "")
    assert contents(corpus.path) == before
    assert stages(corpus)["sections/7"]["tables"] == "markdown"
    corpus.make_sections("7", tables=TableStyle.HTML, again=True, workers=None)
    section = next(corpus.sections("7"))
    assert section.tables is TableStyle.HTML
    assert "<table" in section.text
    assert stages(corpus)["sections/7"]["tables"] == "html"
    # Another item may have another style.
    corpus.make_sections("1")
    with pytest.raises(CorpusError, match="tables are html, and markdown is asked for"):
        corpus.make_sections("7")


def test_a_script_without_a_main_guard_is_not_run_again_in_every_process(corpus: Corpus, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nfrom pathlib import Path\nfrom fingreat.pipeline import Corpus\n"
        "print(Corpus(Path(sys.argv[1])).make_sections('7', workers=2)['found'])\n"
    )
    done = subprocess.run(
        [sys.executable, str(script), str(corpus.path)], capture_output=True, text=True, check=True, env=environment()
    )
    assert (done.stdout, done.stderr) == ("8\n", "")


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join((HERE, *filter(None, sys.path)))}


SLOWLY = (
    "import os, signal, sys, worker_tasks, fingreat.pipeline.corpus as module; from pathlib import Path;"
    "module.find_item = worker_tasks.find_item_slowly;"
)


def test_an_interrupt_ends_all_processes_at_once_and_keeps_what_was_found(corpus: Corpus, tmp_path: Path) -> None:
    whole = copied(corpus, tmp_path / "whole")
    whole.make_sections("7")
    arguments = ["corpus", "sections", "--corpus", str(corpus.path), "--workers", "2"]
    # A terminal sends Ctrl-C to the whole group.
    process = subprocess.Popen(
        [sys.executable, "-c", SLOWLY + "from fingreat.cli import main; sys.exit(main())", *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,
    )
    part = corpus.path / "sections" / "7" / "part-00000.jsonl"
    assert wait_until(lambda: part.exists() and part.stat().st_size > 0)
    readers = children(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "stopped. What was found stays; repeat the command to go on.\n"
    assert len(readers) == 2
    assert not any(Path(f"/proc/{pid}").exists() for pid in readers)
    assert 0 < len(list(read_records(part.parent, Section))) < 10
    corpus.make_sections("7", workers=2)
    assert contents(corpus.path) == contents(whole.path)


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def killed(corpus: Corpus, when: str) -> int:
    """How a process ended that finds item 7 and is killed somewhere."""
    work = f"{SLOWLY} kill = lambda *_: os.kill(os.getpid(), signal.SIGKILL); {when}"
    command = [sys.executable, "-c", work, str(corpus.path)]
    return subprocess.run(command, check=False, env=environment(), timeout=300).returncode


def assert_goes_on_as_if_nothing_had_happened(corpus: Corpus, whole: Corpus) -> None:
    before = b"".join(part.read_bytes() for part in sorted((corpus.path / "sections/7").glob("part-*.jsonl")))
    counts = corpus.make_sections("7", workers=2)
    assert counts == {"found": 8, "by_reference": 1, "absent": 1, "unreadable": 0}
    assert contents(corpus.path) == contents(whole.path)
    after = (corpus.path / "sections" / "7" / "part-00000.jsonl").read_bytes()
    assert after.startswith(before[: before.rfind(b"\n") + 1])


BEFORE = """
import itertools
turns, real = itertools.count(1), os.{step}
os.{step} = lambda *given: kill() if next(turns) == {number} else real(*given)
module.Corpus(Path(sys.argv[1])).make_sections('7', workers=2)
"""


@pytest.mark.parametrize(("step", "number"), [("fsync", 1), ("replace", 2), ("fsync", 4), ("fsync", 22)])
def test_a_killed_call_goes_on_to_the_same_bytes(step: str, number: int, corpus: Corpus, tmp_path: Path) -> None:
    whole = copied(corpus, tmp_path / "whole")
    whole.make_sections("7")
    assert killed(corpus, BEFORE.format(step=step, number=number)) == -signal.SIGKILL
    assert_goes_on_as_if_nothing_had_happened(corpus, whole)


AFTER = """
import threading
threading.Timer({seconds}, kill).start()
module.Corpus(Path(sys.argv[1])).make_sections('7', workers=2)
os._exit(0)
"""


@pytest.mark.prove
def test_calls_killed_at_thirty_random_moments_go_on_to_the_same_bytes(corpus: Corpus, tmp_path: Path) -> None:
    whole = copied(corpus, tmp_path / "whole")
    whole.make_sections("7")
    chance = random.Random(11)
    ends = []
    for number in range(30):
        other = copied(corpus, tmp_path / str(number))
        ends.append(killed(other, AFTER.format(seconds=chance.uniform(0, 4))))
        assert_goes_on_as_if_nothing_had_happened(other, whole)
    assert ends.count(-signal.SIGKILL) > 15


@pytest.mark.prove
@pytest.mark.parametrize("workers", [1, 2])
def test_memory_does_not_grow_with_the_number_of_filings(workers: int, tmp_path: Path) -> None:
    """Ten times the filings, of 2 MB of text in all and then 20: far less than that may be added."""
    most = []
    for count in (60, 600):
        files = tmp_path / str(count)
        files.mkdir()
        for number in range(count):
            (files / f"{number}.htm").write_bytes(html([f"Sales of line {n} rose." for n in range(1500)], str(number)))
        work = (
            "import sys, json, resource; from pathlib import Path; from fingreat.pipeline import Corpus;"
            "corpus = Corpus(Path(sys.argv[1])); corpus.add([Path(sys.argv[2])], workers=int(sys.argv[3]));"
            "corpus.make_sections('7', workers=int(sys.argv[3]));"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        )
        command = [sys.executable, "-c", work, str(tmp_path / f"c{count}"), str(files), str(workers)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment())
        most.append(int(done.stdout))
    assert most[1] - most[0] < 8_000
