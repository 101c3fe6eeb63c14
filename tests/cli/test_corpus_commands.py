"""`fingreat corpus` from a user's side: what it prints, and that its options reach the corpus."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import fingreat
from fingreat.pipeline import Corpus
from fingreat.schema import TableStyle

SHIPPED = Path(fingreat.__file__).parent / "shipped"
FILINGS = [SHIPPED / name for name in ("quernholt-2024.htm", "pellwether-2008.htm", "larkmoor-2001.txt")]


@pytest.mark.parametrize("workers", [("--workers", "1"), ("--workers", "2"), ()])
def test_filings_are_added_and_read_by_as_many_processes_as_asked(
    workers: tuple[str, ...], tmp_path: Path, run: Callable
) -> None:
    corpus = tmp_path / "corpus"
    outcome = run("corpus", "add", *FILINGS, "--corpus", corpus, *workers)
    assert (outcome.code, outcome.err) == (0, "added 3, already there 0, failed 0\n")
    outcome = run("corpus", "sections", "--corpus", corpus, *workers, "--json")
    assert outcome.code == 0
    assert json.loads(outcome.out) == {"found": 3, "by_reference": 0, "absent": 0, "unreadable": 0}
    megabytes = sum(path.stat().st_size for path in FILINGS) / 1e6
    line = rf"found 3, by reference 0, absent 0, unreadable 0 · 3 filings read, {megabytes:.1f} MB in [0-9.]+ s\n"
    assert re.fullmatch(line, outcome.err)
    # Nothing is left to do, and that is what the line says.
    assert "· 0 filings read, 0.0 MB in" in run("corpus", "sections", "--corpus", corpus, *workers).err


def test_no_process_at_all_is_refused(tmp_path: Path, run: Callable) -> None:
    for command in (("add", *FILINGS), ("sections",)):
        outcome = run("corpus", *command, "--corpus", tmp_path / "corpus", "--workers", "0")
        assert outcome.code == 2
        assert "--workers" in outcome.err
        assert "Traceback" not in outcome.err


def test_another_table_style_needs_again(tmp_path: Path, run: Callable) -> None:
    corpus = tmp_path / "corpus"
    run("corpus", "add", FILINGS[0], "--corpus", corpus)
    assert run("corpus", "sections", "--corpus", corpus, "--tables", "html").code == 0
    section = next(Corpus(corpus).sections("7"))
    assert section.tables is TableStyle.HTML
    assert "<table" in section.text
    outcome = run("corpus", "sections", "--corpus", corpus)
    assert outcome.code == 2
    assert "--again" in outcome.err
    assert run("corpus", "sections", "--corpus", corpus, "--again").code == 0
    assert "<table" not in next(Corpus(corpus).sections("7")).text
