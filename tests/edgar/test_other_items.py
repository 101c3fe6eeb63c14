"""Items 1, 1A, 7A and 8 of the labelled filings, against labels made by reading them.

A line of other_items.jsonl says of a filing's item: `status`; `first` and `last`, at most 60 characters from where it
starts and ends; `next`, the heading that ends it. For pointers, `target` says whether the text pointed to stands in
the same document, and `there` where it starts and ends if the file has it (several places where a reader may differ:
with or without an index page, a report or a schedule). Left out are the items whose text a cross-reference index
scatters over pages, and one that is half pointer.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from fingreat.edgar import section as section_module
from fingreat.edgar.blocks import Block
from fingreat.edgar.container import Document, read_submission
from fingreat.edgar.decode import read_bytes
from fingreat.edgar.describe import describe_filing
from fingreat.edgar.section import find_section, read_blocks
from fingreat.schema.records import Section, SectionStatus

Label = dict[str, Any]

LABELS = Path(__file__).parent / "other_items.jsonl"
RIGHT = {"1": 64, "1A": 66, "7A": 63, "8": 63}
"""How many of each item's labels must be met: the status, the start and the end."""
LABELLED = {"1": 64, "1A": 66, "7A": 63, "8": 66}
COMPARED = 30
"""Letters and digits of an anchor that are looked for, and how far from the ends: as the scorer of Item 7 does."""
LATE_START, EARLY_END = 160, 240


def labels() -> list[Label]:
    return [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]


def squash(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", unicodedata.normalize("NFKD", text).casefold())


def fault(label: Label, section: Section) -> str:
    """What is wrong with a section by its label; empty where it is right."""
    firsts, lasts = [label.get("first", "")], [label.get("last", "")]
    if section.status.value != label["status"]:
        followed = section.status is SectionStatus.FOUND and section.pointer and "there" in label
        if not followed:
            return f"{section.status.value} instead of {label['status']}"
        firsts, lasts = label["there"]["first"], label["there"]["last"]
    elif label["status"] == "absent":
        return ""
    text = squash(section.text)
    starts = any(0 <= text.find(squash(first)[:COMPARED]) <= LATE_START for first in firsts)
    ends = any(squash(last)[-COMPARED:] in text[-EARLY_END - COMPARED :] for last in lasts)
    return " and ".join([*(["wrong start"] if not starts else []), *(["wrong end"] if not ends else [])])


@pytest.fixture(scope="module")
def faults(shared: Path) -> dict[tuple[str, str], str]:
    """Each labelled item's fault; a document's blocks are read once for all its items."""
    known: dict[int, tuple[Document, list[Block], list[str]]] = {}

    def read_once(document: Document) -> tuple[list[Block], list[str]]:
        if id(document) not in known:
            known[id(document)] = (document, *read_blocks(document))
        _, blocks, warnings = known[id(document)]
        return blocks, list(warnings)

    by_file: dict[str, list[Label]] = {}
    for label in labels():
        by_file.setdefault(label["file"], []).append(label)
    found: dict[tuple[str, str], str] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(section_module, "read_blocks", read_once)
        for file, its_labels in by_file.items():
            path = shared / "filings" / "dev" / file
            data = read_bytes(path)
            submission = read_submission(data, file)
            filing = describe_filing(submission, hashlib.sha256(data).hexdigest(), path)
            for label in its_labels:
                found[file, label["item"]] = fault(
                    label, find_section(submission, label["item"], filing.id, filing.form)
                )
            known.clear()
    return found


@pytest.mark.parametrize("item", list(RIGHT))
def test_an_item_is_found_where_a_reader_found_it(item: str, faults: dict[tuple[str, str], str]) -> None:
    its_faults = {file: wrong for (file, own), wrong in faults.items() if own == item}
    assert len(its_faults) == LABELLED[item]
    misses = [f"{file}: {wrong}" for file, wrong in its_faults.items() if wrong]
    assert len(its_faults) - len(misses) >= RIGHT[item], misses


def test_labels_hold_anchors_only() -> None:
    for label in labels():
        assert label["status"] in {"found", "by_reference", "absent"}
        there = label.get("there", {"first": [], "last": []})
        anchors = [label[name] for name in ("first", "last", "next") if name in label] + there["first"] + there["last"]
        assert all(len(anchor) <= 60 for anchor in anchors), label["file"]
        assert ("target" in label) is (label["status"] == "by_reference")
