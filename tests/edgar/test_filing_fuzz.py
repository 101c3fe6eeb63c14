"""Damage at random: always a status and a text that holds together; never a crash, never a hang.

A case is judged in a process of its own, which the system ends when its processor time is used up: a hang inside a
parser written in C is found, too, and so is a crash. What fails is named by file and number: `damaged(data, name,
number)` makes it again.
"""

from __future__ import annotations

import faulthandler
import gc
import gzip
import multiprocessing
import re
import signal
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Self

import pytest
from damage import damaged

from fingreat.edgar import chunk_section, read_section
from fingreat.edgar.segments import segment_text
from fingreat.schema import Section, SectionStatus, TableStyle

SECONDS = 20
BUDGET = 512
SHORT = (
    "859368_1999_medicis.htm.gz",
    "moviestar_1999_10k.txt.gz",
    "21344_1998_ko.txt.gz",
    "roanoke_2004_steel-ibr.htm.gz",
)
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufdd0]")
WORDS = "We sold pumps and parts to the trade. " * 30
MOST_GROWTH = 9
"""Four times as much takes four times as long, sixteen where each place is compared with each."""
TWICE = 4
"""Each so-manieth case is read a second time."""


def judge(path: Path, number: int) -> None:
    """One case; raises where something is wrong."""
    data, item, html, what = damaged(gzip.decompress(path.read_bytes()), path.name, number)
    tables = TableStyle.HTML if html else TableStyle.MARKDOWN
    section = read_section(data, item, name=path.name, tables=tables)
    text = section.text
    assert section.status in SectionStatus, what
    assert bool(text) == (section.status in (SectionStatus.FOUND, SectionStatus.BY_REFERENCE)), (what, section.status)
    text.encode("utf-8")
    control = CONTROLS.search(text)
    assert control is None, (what, control)
    if number % TWICE == 0:
        assert section == read_section(data, item, name=path.name, tables=tables), what
    segments = [piece.segment for piece in segment_text(text)]
    assert "".join(text[segment.start : segment.end] for segment in segments) == text, what
    chunks = chunk_section(section, BUDGET)
    assert "".join(text[chunk.start : chunk.end] for chunk in chunks) == text, what
    assert all(chunk.n_tokens <= BUDGET for chunk in chunks), what


def serve(asked: Connection, told: Connection, work: Callable[[Path, int], None], limit: float) -> None:
    """Judge what is asked for; the system ends this process where one case takes too long."""
    faulthandler.enable()
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    faulthandler.register(signal.SIGPROF, chain=True)
    while (case := asked.recv()) is not None:
        signal.setitimer(signal.ITIMER_PROF, limit)
        start = time.process_time()
        try:
            work(*case)
            fault = ""
        except Exception as error:  # noqa: BLE001 - whatever it is, the case has failed and is named
            fault = f"{type(error).__name__}: {error}"
        told.send((fault, time.process_time() - start))


class Judges:
    """A process that judges cases, one at a time."""

    def __init__(self, work: Callable[[Path, int], None] = judge, limit: float = SECONDS) -> None:
        # One-way pipes: the other kind is a socket, which tests may not open.
        context = multiprocessing.get_context("spawn")
        asked, self.asked = context.Pipe(duplex=False)
        self.told, told = context.Pipe(duplex=False)
        self.process = context.Process(target=serve, args=(asked, told, work, limit), daemon=True)
        self.process.start()
        asked.close()
        told.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.join()

    def ask(self, path: Path, number: int) -> float:
        """Have a case judged; its seconds of processor time."""
        self.asked.send((path, number))
        try:
            fault, seconds = self.told.recv()
        except EOFError:
            pytest.fail(f"{path.name} #{number}: the process died, by a crash or after too long a time.")
        assert fault == "", f"{path.name} #{number}: {fault}"
        return float(seconds)


def never_return(path: Path, number: int) -> None:
    """Hang inside a function written in C."""
    re.match("(a+)+$", "a" * 60 + "b")


def test_damaged_filings_always_get_a_status(shared: Path) -> None:
    with Judges() as judges:
        for name in SHORT:
            for number in range(20):
                assert judges.ask(shared / "filings" / "dev" / name, number) < SECONDS


def test_a_case_that_never_returns_is_found(tmp_path: Path) -> None:
    with pytest.raises(pytest.fail.Exception, match="died"), Judges(never_return, 0.5) as judges:
        judges.ask(tmp_path / "x.txt", 1)


@pytest.fixture
def own_garbage_only() -> Iterator[None]:
    """Whoever makes many objects waits for the collector, which goes through all that the other tests left as well."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("own_garbage_only")
@pytest.mark.parametrize(
    "unit", [" ", "\t", "\n", "\f", ".", "1 ", "\u00a0", "(", "- ", "<PAGE>\n", "Item 7 ", "x\n\n"]
)
def test_plain_text_of_one_thing_over_and_over_costs_linear_time(unit: str) -> None:
    assert growth(f"ITEM 7. DISCUSSION\n\n{{}}\n\nITEM 8. STATEMENTS\n\n{WORDS}\n", unit) < MOST_GROWTH


@pytest.mark.usefixtures("own_garbage_only")
@pytest.mark.parametrize(
    "unit", ["<", "<PAGE>\n", "<hr>1", "<table>", "<td>", "<b>", "<TYPE>10-K\n", "a<sup>1</sup>", "<br>", "<p>x", "&#"]
)
def test_html_of_one_thing_over_and_over_costs_linear_time(unit: str) -> None:
    assert (
        growth(f"<html><body><p>Item 7.</p><p>{{}}</p><p>Item 8.</p><p>{WORDS}</p></body></html>", unit) < MOST_GROWTH
    )


def growth(frame: str, unit: str) -> float:
    """How many times as long four times as much of something takes."""
    seconds = []
    for size in (50_000, 200_000):
        data = frame.format(unit * (size // len(unit))).encode()
        start = time.process_time()
        read_section(data, name="x")
        seconds.append(time.process_time() - start)
    # What takes less than a tenth of a second says nothing of growth.
    return seconds[1] / max(seconds[0], 0.1)


@pytest.mark.usefixtures("own_garbage_only")
def test_one_long_sentence_is_cut_into_chunks_in_linear_time() -> None:
    seconds = []
    for size in (200_000, 800_000):
        section = Section(filing_id="x", item="7", status=SectionStatus.FOUND, text="a pump, " * (size // 8))
        start = time.process_time()
        assert (
            "".join(section.text[chunk.start : chunk.end] for chunk in chunk_section(section, BUDGET)) == section.text
        )
        seconds.append(time.process_time() - start)
    assert seconds[1] / max(seconds[0], 0.1) < MOST_GROWTH


@pytest.mark.prove
def test_all_filings_survive_damage(shared: Path) -> None:
    files = sorted((shared / "filings" / "dev").iterdir())
    end = time.monotonic() + 600
    number = 0
    with Judges() as judges:
        while time.monotonic() < end:
            assert judges.ask(files[number % len(files)], 1000 + number) < SECONDS
            number += 1
    assert number > len(files)
