"""What holds for the gold of every shipped filing: its format, its edges, and that it stands in what was filed.

The text as printed is taken here with plain lxml, or plain text, apart from the package's own readers.
"""

import hashlib
import json
import re
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from lxml import html

from fingreat.edgar import read_section
from fingreat.schema.ids import content_id
from fingreat.schema.records import GoldPassage, Section, SectionStatus

SHIPPED = Path(__file__).resolve().parents[1] / "fingreat" / "shipped"
NAMES = sorted(path.name.removesuffix(".gold.jsonl") for path in SHIPPED.glob("*.gold.jsonl"))
EDGES = {
    *("REV-NNCA", "NNCA-COGS", "NNCA-OPEX", "NNCA-NONOP", "NNCA-TAX", "NNCA-CASH"),
    *("CASH-DIV", "ISS-CASH", "CASH-REP", "ISS-NNCA", "OCI-NNCA"),
}
# A reference such as &#146; names a byte of windows-1252; libxml2 leaves it as the control character of that number.
WINDOWS = {byte: bytes([byte]).decode("cp1252", "ignore") for byte in range(0x80, 0xA0)}
# What stands between two pages: a page's number, and the running link or the head in capitals of the next page.
HTML_PAGE_END = re.compile(r"\s\d{1,3}\s+Table of Contents(?=\s)")
TEXT_PAGE_END = re.compile(r"\n[ \t]*(?:F?-?\d{1,3}-?)?[ \t]*\n<PAGE>[^\n]*\n(?:[ \t]*\n)*(?:[A-Z][^a-z\n]*\n)*")

pytestmark = pytest.mark.parametrize("name", NAMES)


def filing_of(name: str) -> Path:
    (path,) = (p for p in SHIPPED.glob(f"{name}.*") if p.suffix in (".htm", ".txt"))
    return path


def gold_lines(name: str) -> list[str]:
    return (SHIPPED / f"{name}.gold.jsonl").read_text("utf-8").splitlines()


@cache
def gold(name: str) -> tuple[GoldPassage, ...]:
    return tuple(GoldPassage.model_validate_json(line) for line in gold_lines(name))


@cache
def section(name: str) -> Section:
    return read_section(filing_of(name), "7")


def squeezed(text: str) -> str:
    """Without blanks and hyphens, which line ends may add or take away."""
    return re.sub(r"[\s-]", "", text)


@cache
def printed(name: str) -> str:
    """The whole filing, squeezed, without what pages put between its lines."""
    path = filing_of(name)
    if path.suffix == ".txt":
        return squeezed(TEXT_PAGE_END.sub("\n", path.read_text("utf-8")))
    body = html.fromstring(path.read_bytes()).find("body")
    assert body is not None
    return squeezed(HTML_PAGE_END.sub(" ", " ".join(body.itertext()).translate(WINDOWS)))


def number_of(name: str) -> str:
    """A full submission's accession number; else the SHA-256 of the file."""
    data = filing_of(name).read_bytes()
    found = re.search(rb"ACCESSION NUMBER:\s*(\d{10}-\d{2}-\d{6})", data[:5000])
    return found[1].decode() if found else hashlib.sha256(data).hexdigest()


def test_gold_covers_every_edge_twice_and_names_no_other(name: str) -> None:
    counts = Counter(edge for p in gold(name) for edge in p.accepted)
    assert set(counts) == EDGES
    assert min(counts.values()) >= 2


def test_gold_is_rich_enough_to_score_with(name: str) -> None:
    assert len(gold(name)) >= 45
    assert sum(len(p.accepted) > 1 for p in gold(name)) >= 8


def test_every_passage_is_a_primary_one_with_an_id_made_of_its_text(name: str) -> None:
    assert {p.source for p in gold(name)} == {"primary"}
    assert [p.passage_id for p in gold(name)] == [content_id("gold", p.text) for p in gold(name)]
    assert len({p.passage_id for p in gold(name)}) == len(gold(name))


def test_gold_is_written_with_sorted_edges_so_that_the_file_never_changes_by_itself(name: str) -> None:
    fields = ["passage_id", "filing_id", "text", "start", "end", "accepted", "source"]
    for line in gold_lines(name):
        row = json.loads(line)
        assert list(row) == fields
        assert row["accepted"] == sorted(set(row["accepted"]))


def test_gold_names_the_filing_by_its_accession_number_or_hash(name: str) -> None:
    assert {p.filing_id for p in gold(name)} == {number_of(name)}
    assert section(name).filing_id == number_of(name)


def test_every_gold_text_occurs_exactly_once_in_the_filing_as_printed(name: str) -> None:
    wrong = [p.text for p in gold(name) if printed(name).count(squeezed(p.text)) != 1]
    assert wrong == []


def test_every_gold_text_is_whole_sentences(name: str) -> None:
    for p in gold(name):
        assert re.match(r"[A-Z0-9$“\"]", p.text), p.text
        assert re.search(r"[.!?][”\"]?$", p.text), p.text
        assert p.text == " ".join(p.text.split())
        before, after = section(name).text[: p.start], section(name).text[p.end :]
        assert re.search(r"(?:\n|\n- |[.!?:][)”\"]* )$", before), p.text
        assert re.match(r"\s|$", after), p.text


def test_gold_stands_at_its_offsets_in_the_section_that_the_finder_gives(name: str) -> None:
    found = section(name)
    assert found.status is SectionStatus.FOUND
    wrong = [p.text for p in gold(name) if found.text[p.start : p.end] != p.text]
    assert wrong == [], "If the section's text was changed on purpose, set start and end anew: see shipped/README.md"


def test_gold_follows_the_order_of_the_text_and_never_overlaps(name: str) -> None:
    ranges = [(p.start or 0, p.end or 0) for p in gold(name)]
    assert all(end <= start for (_, end), (start, _) in pairwise(ranges))


def test_gold_lies_in_the_prose_and_never_in_a_table_or_a_heading(name: str) -> None:
    text = section(name).text
    lines = [text[text.rfind("\n", 0, p.start) + 1 :].split("\n", 1)[0] for p in gold(name)]
    assert [line for line in lines if line.startswith(("|", "#"))] == []


def test_much_of_the_prose_is_no_evidence(name: str) -> None:
    prose = [line for line in section(name).text.split("\n") if line and not line.startswith(("|", "#"))]
    words = sum(len(line.split()) for line in prose)
    evidence = sum(len(p.text.split()) for p in gold(name))
    assert words >= 2_500
    assert evidence / words < 0.6


def test_readme_speaks_of_the_filing_and_says_that_the_company_is_invented(name: str) -> None:
    readme = (SHIPPED / "README.md").read_text("utf-8")
    assert f"`{filing_of(name).name}`" in readme
    assert "invented compan" in readme
