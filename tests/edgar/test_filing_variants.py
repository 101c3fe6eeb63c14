"""Item 7 of labelled filings whose form was changed in ways that other filers use, judged by the same labels."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import variants_file
import variants_markup
import variants_pages
import variants_pointers
from variants import TABLES, VARIANTS, Case, open_case, verdict

from fingreat.edgar import read_section

ROOMS = (variants_file, variants_markup, variants_pages, variants_pointers)
"""Each enters its variants when it is imported."""
SMALL = frozenset(("1443388_2011_takedown-shell.txt.gz", "839484_2003_jordan.txt.gz"))
"""A filing in HTML and one in fixed-width text; every variant applies to one of them at least."""
LARGEST = 600_000
"""Bytes of the filings that the long proof changes, so that it takes minutes."""
FLOORS: dict[str, float] = TABLES["floor"]
"""The share of filings that must be exact, for variants that are not exact in all of them."""
MOST = 0.9
"""Variants with a lower floor are left to the long proof."""


@cache
def labels(folder: Path) -> tuple[dict[str, Any], ...]:
    with gzip.open(folder / "gold.jsonl.gz", "rt", encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)


@cache
def cases(folder: Path, names: frozenset[str]) -> tuple[Case, ...]:
    return tuple(
        open_case(gzip.decompress((folder / "dev" / label["file"]).read_bytes()), label)
        for label in labels(folder)
        if label["file"] in names
    )


def judge(scorer: ModuleType, name: str, case: Case) -> str | None:
    """The verdict on one variant of one filing; None where it does not apply."""
    changed = VARIANTS[name](case.fresh())
    if changed is None:
        return None
    data, label = changed if isinstance(changed, tuple) else (changed, case.label)
    return verdict(scorer, label, read_section(data, name=case.label["file"]))


@pytest.mark.parametrize("name", sorted(name for name in VARIANTS if FLOORS.get(name, 1.0) >= MOST))
def test_item_7_is_exact_whatever_the_form(shared: Path, scorer: ModuleType, name: str) -> None:
    verdicts = {
        case.label["file"]: found
        for case in cases(shared / "filings", SMALL)
        if (found := judge(scorer, name, case)) is not None
    }
    assert verdicts, "the variant must apply to one of the small filings"
    assert set(verdicts.values()) == {"exact"}, verdicts


def test_a_wrong_section_is_not_exact(shared: Path, scorer: ModuleType) -> None:
    # The judge must be able to say no: another item of the same filing is never Item 7.
    for case in cases(shared / "filings", SMALL):
        assert verdict(scorer, case.label, read_section(case.written(), "1")) == "wrong"


@pytest.mark.prove
def test_variants_of_all_filings_reach_their_floors(shared: Path, scorer: ModuleType) -> None:
    folder = shared / "filings"
    applied: Counter[str] = Counter()
    exact: Counter[str] = Counter()
    missed: list[tuple[str, str, str]] = []
    for label in labels(folder):
        data = gzip.decompress((folder / "dev" / label["file"]).read_bytes())
        case = open_case(data, label) if len(data) <= LARGEST else None
        for name in VARIANTS if case else ():
            assert case is not None
            found = judge(scorer, name, case)
            applied[name] += found is not None
            exact[name] += found == "exact"
            if found not in (None, "exact"):
                missed.append((name, label["file"], str(found)))
    low = {name for name in VARIANTS if exact[name] < FLOORS.get(name, 1.0) * applied[name]}
    assert not low, [miss for miss in missed if miss[0] in low]
    assert set(applied) == set(VARIANTS)
