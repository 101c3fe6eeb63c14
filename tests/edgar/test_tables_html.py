"""Tables as compact HTML, read back by BeautifulSoup: the grid of the Markdown form, the numbers of the source."""

from __future__ import annotations

import gzip
import html
import re
from collections import Counter
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag

from fingreat.edgar import chunk_section, read_section, read_submission
from fingreat.edgar.segments import segment_text
from fingreat.matching import Grounder
from fingreat.schema import Section, SectionStatus, TableStyle, Verdict

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")
WORDS = "Sales rose by a tenth because the harvest was good and the mill ran day and night all year. " * 8
SALES = (
    "<table><tr><td>&#160;</td><td colspan=5>Year ended</td></tr>"
    "<tr><td></td><td colspan=2>2024</td><td>&#160;</td><td colspan=2>2023</td></tr>"
    "<tr><td>Grain &amp; flour &lt;own&gt;</td><td>$</td><td>9,843</td><td></td><td>$</td><td>9,100</td></tr>"
    "<tr><td></td><td></td><td></td><td></td><td></td><td></td></tr>"
    "<tr><td>Loss</td><td></td><td>(12</td><td>)</td><td></td><td>(7)</td></tr></table>"
)


def filing(body: str) -> bytes:
    heading = "<p><b>Item 7. Management's Discussion and Analysis</b></p>"
    end = "<p><b>Item 8. Financial Statements</b></p><p>See the pages that follow.</p>"
    return f"<html><body>{heading}<p>{WORDS}</p>{body}{end}</body></html>".encode()


def tables_of(text: str) -> list[Tag]:
    blocks = re.findall(r"^<table>$.*?^</table>$", text, re.MULTILINE | re.DOTALL)
    return [BeautifulSoup(block, "html5lib").table for block in blocks]


def expanded(table: Tag) -> list[list[str]]:
    """Each row with a text for every column that a cell spans, as the HTML standard lays them out."""
    return [
        [cell.get_text() for cell in row.find_all(["td", "th"]) for _ in range(int(str(cell.get("colspan", 1))))]
        for row in table.find_all("tr")
    ]


def pipe_tables(text: str) -> list[list[list[str]]]:
    tables: list[list[list[str]]] = [[]]
    for line in text.split("\n"):
        if line.startswith("| "):
            row = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            tables[-1].append(row)
        elif tables[-1]:
            tables.append([])
    return [[table[0], *table[2:]] for table in tables if table]


def numbers(text: str) -> Counter[str]:
    return Counter(NUMBER.findall(text))


def test_heads_stay_rows_and_values_are_joined() -> None:
    text = read_section(filing(SALES), tables=TableStyle.HTML).text
    assert (
        "\n\n<table>\n"
        '<tr><th></th><th colspan="2">Year ended</th></tr>\n'
        "<tr><th></th><th>2024</th><th>2023</th></tr>\n"
        "<tr><td>Grain &amp; flour &lt;own&gt;</td><td>$9,843</td><td>$9,100</td></tr>\n"
        "<tr><td>Loss</td><td>(12)</td><td>(7)</td></tr>\n"
        "</table>"
    ) in text


def test_the_record_says_how_its_tables_are_written() -> None:
    assert read_section(filing(SALES)).tables is TableStyle.MARKDOWN
    assert read_section(filing(SALES), tables=TableStyle.HTML).tables is TableStyle.HTML
    assert read_section(b"no filing", tables=TableStyle.HTML).tables is TableStyle.HTML
    assert Section(filing_id="f", item="7", status=SectionStatus.ABSENT).tables is TableStyle.MARKDOWN


def test_outside_of_tables_the_text_is_the_same() -> None:
    body = SALES + "<p>Costs &lt; sales &amp; fell.</p>"
    markdown = read_section(filing(body)).text
    compact = read_section(filing(body), tables=TableStyle.HTML).text
    assert re.sub(r"(?s)<table>.*?</table>", "T", compact) == re.sub(r"(?m)(?:^\|.*\n)+", "T\n", markdown)
    assert "Costs < sales & fell." in compact


def test_a_fixed_width_table_stays_a_fenced_block() -> None:
    lines = ["Item 7. Management's Discussion and Analysis", "", *[WORDS[i : i + 70] for i in range(0, 700, 70)], ""]
    lines += ["              1996      1995", "Sales        5,210     4,901", "Costs        2,604     2,222", ""]
    lines += ["Item 8. Financial Statements", "", "See the pages that follow."]
    data = "\n".join(lines).encode()
    compact = read_section(data, tables=TableStyle.HTML).text
    assert "```" in compact
    assert compact == read_section(data).text


def test_each_row_is_a_segment_and_the_marks_belong_to_the_first_and_last() -> None:
    text = "Sales rose.\n\n<table>\n<tr><th>a</th></tr>\n<tr><td>1. B. c</td></tr>\n</table>\n\nCosts fell. So be it."
    assert [(p.segment.kind, text[p.segment.start : p.segment.end]) for p in segment_text(text)] == [
        ("sentence", "Sales rose.\n\n"),
        ("row", "<table>\n<tr><th>a</th></tr>\n"),
        ("row", "<tr><td>1. B. c</td></tr>\n</table>\n\n"),
        ("sentence", "Costs fell. "),
        ("sentence", "So be it."),
    ]


@pytest.mark.parametrize("words", ["<table>", "<tr><td>5</td></tr>", "</table>", "<tr>"])
def test_a_paragraph_that_spells_a_mark_is_a_sentence(words: str) -> None:
    body = "".join(f"<p>{html.escape(part)}</p>" for part in ("Before it.", words, words, "Behind it."))
    text = read_section(filing(body + SALES), tables=TableStyle.HTML).text
    assert f"Before it.\n\n{words}\n\n{words}\n\nBehind it." in text
    kinds = Counter(piece.segment.kind for piece in segment_text(text))
    assert kinds["row"] == 4, "only the rows of the table"


def test_chunks_end_between_rows() -> None:
    section = read_section(filing(SALES * 12), tables=TableStyle.HTML)
    chunks = chunk_section(section, 120)
    assert "".join(section.text[chunk.start : chunk.end] for chunk in chunks) == section.text
    rows = [section.text[s.start : s.end] for chunk in chunks for s in chunk.segments if s.kind == "row"]
    assert len(rows) == 12 * 4
    assert all(re.match(r"(?:<table>\n)?<tr>.*</tr>\n(?:</table>)?\s*\Z", row) for row in rows)


def test_a_row_is_grounded_as_it_stands() -> None:
    section = read_section(filing(SALES), tables=TableStyle.HTML)
    row = next(line for line in section.text.split("\n") if line.startswith("<tr><td>Grain"))
    (span,) = Grounder(section.text).ground(row).ranges
    assert section.text[slice(*span)] in row
    assert Grounder(section.text).ground(row).verdict in (Verdict.EXACT, Verdict.NORMALISED)


def source_tables(document: str) -> dict[str, list[str]]:
    """The source of every innermost table by its digits, in order: cut out by pattern, not by a parser."""
    found: dict[str, list[str]] = {}
    for source in re.findall(r"<table\b(?:(?!<table\b).)*?</table>", document, re.DOTALL | re.IGNORECASE):
        words = html.unescape(re.sub(r"<[^>]*>", "", source))
        found.setdefault(re.sub(r"\D", "", words), []).append(source)
    return found


def source_numbers(source: str) -> Counter[str]:
    """The numbers in the cells of a source table, by BeautifulSoup; raised marks and blocks are parted."""
    soup = BeautifulSoup(source, "html.parser")
    for tag in soup.find_all(["sup", "br", "p", "div", "td", "th", "tr"]):
        tag.insert_before(" ")
    for tag in soup.find_all(style=re.compile(r"vertical-align:\s*super|position:\s*relative;\s*top:\s*-")):
        tag.insert_before(" ")
    return numbers(" ".join(soup.get_text().split()))


def test_numbers_of_all_tables_in_real_filings_are_those_of_the_source(shared: Path) -> None:
    compared = found = 0
    for path in sorted((shared / "filings" / "dev").glob("*.gz")):
        compact = tables_of(read_section(path, tables=TableStyle.HTML).text)
        if not compact:
            continue
        piped = pipe_tables(read_section(path).text)
        assert len(piped) == len(compact), path.name
        with gzip.open(path) as file:
            documents = [document.text for document in read_submission(file.read(), path.name).documents]
        sources = source_tables("\n".join(documents))
        for table, pipes in zip(compact, piped, strict=True):
            where = f"{path.name}: {table.get_text(' ')[:80]}"
            rows = expanded(table)
            assert {len(row) for row in rows} == {len(pipes[0])}, where
            assert all(any(row[column] for row in rows) for column in range(len(rows[0]))), f"empty column, {where}"
            assert all(any(row) for row in rows), f"empty row, {where}"
            heads = len(table.find_all("tr")) - len(pipes) + 1
            assert numbers(" ".join(cell for row in pipes[1:] for cell in row)) == numbers(
                " ".join(cell.get_text() for row in table.find_all("tr")[heads:] for cell in row.find_all(["td", "th"]))
            ), where
            values = numbers(" ".join(cell.get_text() for cell in table.find_all(["td", "th"])))
            compared += 1
            candidates = sources.get(re.sub(r"\D", "", table.get_text()), [])
            found += bool(candidates)
            assert not candidates or values in [source_numbers(source) for source in candidates], where
    assert compared >= 450
    assert found / compared > 0.98, "the others are parts of a table that also sets paragraphs"
