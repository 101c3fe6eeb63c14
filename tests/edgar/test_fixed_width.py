"""Fixed-width filings: no word lost or moved; headings, lists, tables and paragraphs as a reader sees them."""

from __future__ import annotations

import gzip
import re
from difflib import SequenceMatcher
from pathlib import Path

from fingreat.edgar import read_section, read_submission
from fingreat.edgar.ascii_blocks import ascii_blocks
from fingreat.edgar.ascii_pages import split_pages
from fingreat.edgar.blocks import Block, Kind
from fingreat.edgar.markdown import render

WORD = re.compile(r"[^\W_]+")
TAGS = re.compile(r"</?(?:TABLE|CAPTION|S|C|FN|F(\d{1,2})|B|I|U|R|MULTIPLIER|ARTICLE|LEGEND|HEADING)>", re.IGNORECASE)
PROSE = """\
The pumps that we sold to the trade in the year were more than those of the
year before, and the board expects that this will go on in the next year. We
make no forecast of prices.
"""


def markdown(text: str) -> str:
    return render(ascii_blocks(text), None, 0)


def words_of(block: Block) -> list[str]:
    """The words of a block in order."""
    return WORD.findall("\n".join(block.source) if block.kind is Kind.FIXED else block.text)


def reference_words(text: str) -> list[str]:
    """The words of a document line by line, its marks out; words that a hyphen parts at a line's end as two."""
    lines = [line for page in split_pages(text) for line in page.lines]
    return [word for line in lines for word in WORD.findall(TAGS.sub(lambda tag: f"F{tag[1]}" if tag[1] else "", line))]


def strangers(ours: list[str], theirs: list[str]) -> list[str]:
    """Where two sequences differ, apart from joined hyphenated words and the letter o for a list's point."""
    found = []
    for tag, a, b, c, d in SequenceMatcher(None, theirs, ours, autojunk=False).get_opcodes() if ours != theirs else ():
        lost, made = theirs[a:b], ours[c:d]
        if tag != "equal" and "".join(lost) != "".join(made) and (lost, made) != (["o"], []):
            found.append(f"{' '.join(theirs[a - 3 : a])} [{' '.join(lost)} → {' '.join(made)}]")
    return found


def test_no_word_of_a_page_is_lost_made_up_or_moved(shared: Path) -> None:
    documents = words = 0
    for path in sorted((shared / "filings" / "dev").glob("*.txt.gz")):
        for document in read_submission(gzip.decompress(path.read_bytes()), path.name).documents:
            if document.is_html or not document.text:
                continue
            theirs = reference_words(document.text)
            ours = [word for block in ascii_blocks(document.text) for word in words_of(block)]
            assert strangers(ours, theirs) == [], (path.name, document.type)
            documents += 1
            words += len(theirs)
    assert documents > 60
    assert words > 600_000


def test_points_of_lists_are_points() -> None:
    text = "We have:\n\n  .  direct costs;\n  .  other costs that are named\n     there; and\n\n >   the rest.\n"
    assert markdown(text) == ("We have:\n\n- direct costs;\n- other costs that are named there; and\n- the rest.")


def test_leaders_are_no_points() -> None:
    assert markdown(". . . . . . see the table of this report\n") == ". . . . . . see the table of this report"


def test_lines_escaped_by_privacy_enhanced_mail_are_as_they_were() -> None:
    text = (
        "The factors are:\n- -- The ability to sell pumps to the\n   trade at a price.\n- -- Prices.\n- ------------\n"
    )
    assert markdown(text) == "The factors are:\n\n- The ability to sell pumps to the trade at a price.\n- Prices."
    pages = split_pages("".join(f"{PROSE}\n- -{number}-\n<PAGE>\n" for number in (4, 5, 6)))
    assert [page.label for page in pages[:3]] == ["4", "5", "6"]


def test_a_title_right_above_its_paragraph_is_a_heading() -> None:
    assert markdown(f"Net Sales\n{PROSE}").startswith("### Net Sales\n\nThe pumps that we sold")
    assert markdown(f"Results of Operations\n      {PROSE}").startswith("### Results of Operations\n\nThe pumps")
    # A line as long as the others is the beginning of the paragraph.
    full = "Acme Pumps Incorporated Sold Many Hundreds of Pumps to the Trade in 1999\n"
    assert markdown(full + PROSE).startswith(full.strip() + " The pumps")


def test_headings_of_years_are_headings() -> None:
    assert markdown("1999 Compared with 1998\n") == "### 1999 Compared with 1998"
    assert markdown("12 pumps of the old kind\n") == "12 pumps of the old kind"


def test_the_name_of_an_item_inside_a_sentence_does_not_end_the_paragraph() -> None:
    for line in ("item 7  (Management's Discussion) have been restated.", "Item 8. Financial Statements has more."):
        text = f"{PROSE.strip()} More of it is in\n{line}\n"
        assert len(ascii_blocks(text)) == 1
    blocks = ascii_blocks(f"{PROSE}Item 8. Financial Statements\n")
    assert [block.text for block in blocks][-1] == "Item 8. Financial Statements"


def test_rows_of_figures_between_prose_are_a_table() -> None:
    rows = (
        "1997       CHANGE       1996        CHANGE        1995\n"
        "                         ---------  -----------  -----\n"
        "Research and development.........  $     485   (20%)  $     604\n"
    )
    text = markdown(f"RESEARCH AND DEVELOPMENT\n{rows}{PROSE}")
    assert text.startswith("### RESEARCH AND DEVELOPMENT\n\n```\n1997       CHANGE")
    assert "$     604\n```\n\nThe pumps that we sold to the trade in the year were more than those" in text


def test_prose_set_to_both_margins_is_no_table() -> None:
    text = (
        "Sales   were  $12.5  million  in   1997,   up   from\n$10.0   million  in   1996,   $9.0   million   then.\n"
    )
    assert [block.kind for block in ascii_blocks(PROSE + text + PROSE)] == [Kind.TEXT]


def test_a_heading_under_the_last_rule_of_a_table_is_no_row() -> None:
    table = "Pumps        105,769     95,440\nParts         10,000     20,000\n            --------   --------\n"
    assert markdown(f"{table}2000 Compared with 1999\n\n{PROSE}").split("\n\n")[1] == "### 2000 Compared with 1999"


def test_a_running_header_inside_a_table_tag_goes() -> None:
    head = "<TABLE>\n<CAPTION>\n          management discussion\n\n          Acme Pumps Corporation\n- ---------\n\n"
    page = "{0}Pumps        105,769     95,440\nParts         10,000     20,000\n</TABLE>\n\n{1}\n{2}\n<PAGE>\n"
    text = markdown("".join(page.format(head, PROSE, number) for number in (4, 5, 6, 7)))
    assert text.count("Acme Pumps Corporation") == 1


def test_a_table_or_a_sentence_is_whole_in_a_filing(shared: Path) -> None:
    # Read in the printed source.
    text = read_section(shared / "filings" / "dev" / "723603_2001_culp-10ka.txt.gz").text
    assert "As a result, certain disclosures in item 7 (Management's Discussion" in text
    assert "### 2000 Compared with 1999\n" in text
    text = read_section(shared / "filings" / "dev" / "310979_2001_firstbanks-10k405.txt.gz").text
    assert "- internal loan growth; and\n" in text
    text = read_section(shared / "filings" / "dev" / "51143_1998_ibm-10k405.txt.gz").text
    assert text.count("International Business Machines Corporation") == 0
