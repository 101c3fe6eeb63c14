"""Item 7 of the labelled filings, judged by the scorer that lies beside them."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from types import ModuleType

from fingreat.edgar import read_section

EXACT = 66
MEAN_F1 = 0.99


def test_item_7_is_exact_in_the_labelled_filings(shared: Path, scorer: ModuleType) -> None:
    with gzip.open(shared / "filings" / "gold.jsonl.gz", "rt", encoding="utf-8") as lines:
        gold = [json.loads(line) for line in lines]
    verdicts: Counter[str] = Counter()
    total = 0.0
    missed = []
    for label in gold:
        section = read_section(shared / "filings" / "dev" / label["file"])
        verdict, f1 = scorer.judge(label, {"status": section.status.value, "text": section.text})
        verdicts[verdict] += 1
        total += f1
        if verdict != "exact":
            missed.append((label["file"], verdict, round(f1, 3)))
        # Every section says which rule decided, or why there is none.
        assert section.warnings, label["file"]
        assert section.heading, label["file"]
        if label.get("exhibit_text"):
            assert section.pointer, f"{label['file']}: the sentence that points to the text must be kept"
    assert verdicts["exact"] >= EXACT, missed
    assert total / len(gold) >= MEAN_F1


def test_other_items_begin_where_the_form_says(shared: Path) -> None:
    # Headings read by eye in the printed filing.
    path = shared / "filings" / "dev" / "320193_2024_aapl.htm.gz"
    assert read_section(path, "1").heading == "Item 1. Business"
    assert read_section(path, "1A").next_heading == "Item 1B. Unresolved Staff Comments"
    assert (read_section(path, "7A").heading or "").startswith("Item 7A. Quantitative and Qualitative")
    assert len(read_section(path, "8").text) > 50_000
