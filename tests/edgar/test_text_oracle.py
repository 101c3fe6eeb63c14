"""An independent parser must find the same prose words in a filing's body."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from fingreat.edgar import read_submission
from fingreat.edgar.blocks import Block, Kind
from fingreat.edgar.html_blocks import html_blocks
from fingreat.edgar.html_tree import parse_html
from fingreat.edgar.tables import filled_rows

FILES = (
    "859368_1999_medicis.htm.gz",
    "72633_2021_neort-royaltytrust.htm.gz",
    "320193_2024_aapl.htm.gz",
    "1288776_2012_google.htm.gz",
    "878560_2012_standardpacific.htm.gz",
)
BLOCKS = ["br", "p", "div", "td", "tr", "table", "li", "h1", "h2", "h3", "h4", "h5", "h6", "center", "hr"]
WORD = re.compile(r"[A-Za-z]{2,}")


def visible_words(html: str) -> Counter[str]:
    """Words by BeautifulSoup, after the removals that the reader declares."""
    soup = BeautifulSoup(html, "html.parser")
    for tag in soup.find_all(["head", "title", "script", "style", "ix:header", "ix:exclude", "ix:hidden"]):
        tag.decompose()
    for tag in soup.find_all(style=re.compile(r"display\s*:\s*none", re.IGNORECASE)):
        tag.decompose()
    for tag in soup.find_all(BLOCKS):
        tag.insert_before(" ")
        tag.insert_after(" ")
    return Counter(WORD.findall("".join(soup.strings)))


def words(block: Block) -> str:
    """A block's words, a table's cell by cell."""
    if block.kind is Kind.TABLE:
        return " ".join(text for row in filled_rows(block.source) for text, _ in row)
    return block.text


@pytest.mark.parametrize("name", FILES)
def test_no_word_of_the_body_is_lost_or_made_up(shared: Path, name: str) -> None:
    data = gzip.decompress((shared / "filings" / "dev" / name).read_bytes())
    html = read_submission(data, name).documents[0].text
    root, warnings = parse_html(html)
    assert root is not None
    assert warnings == []
    ours = Counter(word for block in html_blocks(root) for word in WORD.findall(words(block)))
    oracle = visible_words(html)
    missing = oracle - ours
    extra = ours - oracle
    total = sum(oracle.values())
    assert total > 1000
    assert sum(missing.values()) < 0.003 * total, missing.most_common(10)
    assert sum(extra.values()) < 0.003 * total, extra.most_common(10)
