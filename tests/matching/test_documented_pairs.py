"""The pairs of the page on matching: what it says of each was worked out by hand, and is what the code gives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fingreat.matching import MIN_OVERLAP, components, fidelity, overlap, prepare

PAGE = Path(__file__).resolve().parents[2] / "docs" / "matching.md"
HEAD = "| one quote | the other |"
COMPONENTS = slice(2, 6)


def documented_pairs() -> list[list[str]]:
    """The rows of the page's table of pairs, cell by cell, without the escapes that Markdown needs."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith(HEAD)) + 2
    rows = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        rows.append([re.sub(r"\\(.)", r"\1", cell).strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows


ROWS = documented_pairs()


def test_the_page_has_ten_pairs() -> None:
    assert len(ROWS) == 10
    assert {row[7] for row in ROWS} == {"equal", "containment", "fragments", "order"}


@pytest.mark.parametrize("row", ROWS, ids=range(1, len(ROWS) + 1))
def test_a_pair_is_what_the_page_says(row: list[str]) -> None:
    a, b = prepare(row[:2])
    found = overlap(a, b)
    assert [f"{value:.3f}" for value in components(a, b)] == [f"{float(cell):.3f}" for cell in row[COMPONENTS]]
    assert found.decided_by == row[7]
    if row[6] == "no match":
        assert found.score < MIN_OVERLAP
    else:
        assert f"{found.score:.3f}" == f"{float(row[6]):.3f}"
        assert found.score >= MIN_OVERLAP
    said = fidelity(a.texts, b.texts)
    assert (said.figures, ", ".join(said.differs) or "–") == (row[8], row[9])
