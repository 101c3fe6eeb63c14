"""Items of the forms beside Form 10-K, each in a small invented filing in the style of its years.

An item is asked for by its number on Form 10-K: `7` is management's discussion and `8` the financial statements,
whatever number the form gives them.
"""

from __future__ import annotations

import pytest

from fingreat.edgar import read_section
from fingreat.schema.records import Section, SectionStatus

MDA = "Management's Discussion and Analysis of Financial Condition and Results of Operations"
MDA_PLAN = "Management's Discussion and Analysis or Plan of Operation"
STATEMENTS = "Financial Statements"
MARKET_RISK = "Quantitative and Qualitative Disclosures About Market Risk"
CONTROLS = "Controls and Procedures"
UNREGISTERED = "Unregistered Sales of Equity Securities and Use of Proceeds"
DISAGREEMENTS = "Changes in and Disagreements with Accountants on Accounting and Financial Disclosure"

# What an item holds besides its heading: several sentences that name it, so that a wrong extent shows.
FILLER = "We sold pumps and parts to the trade, and the trade sold them to farms and mills. "


def words(title: str) -> list[str]:
    """An item's paragraphs: the first and the last one name the item."""
    return [f"What {title} is about begins here. " + FILLER * 8, FILLER * 8, FILLER * 4 + f"So ends {title}."]


def html_filing(cover: str, parts: dict[str, list[tuple[str, str]]], *, contents: bool = True) -> str:
    """A filing of the HTML years: a cover, a contents table of all parts, pages with a running footer.

    `parts` gives each part's line (such as "PART I") and its items' (number, title); an empty line gives none.
    """
    rows, body, page = "", "", 2
    for part, items in parts.items():
        rows += f"<tr><td colspan='3'><b>{part}</b></td></tr>" if part else ""
        body += f"<p align='center'><b>{part}</b></p>" if part else ""
        for number, title in items:
            page += 1
            rows += f"<tr><td>Item {number}.</td><td><a href='#p{page}'>{title}</a></td><td>{page}</td></tr>"
            body += f"<p><a name='p{page}'></a><b>Item {number}.&nbsp;&nbsp;{title}</b></p>"
            body += "".join(f"<p>{paragraph}</p>" for paragraph in words(f"{part} item {number}".strip()))
            body += f"<p align='center'>{page}</p><hr style='page-break-after:always'>"
    table = f"<p align='center'><b>TABLE OF CONTENTS</b></p><table>{rows}</table><hr>" if contents else ""
    signatures = "<p align='center'><b>SIGNATURES</b></p><p>Pursuant to the requirements of the Act, signed by us.</p>"
    return f"<html><body><p align='center'><b>FORM {cover}</b></p>{table}{body}{signatures}</body></html>"


def ascii_filing(kind: str, parts: dict[str, list[tuple[str, str]]], *, contents: bool = True) -> str:
    """A full submission of the years before HTML: a header, a contents page with dots, page marks."""
    rows, body, page = "", "", 2
    for part, items in parts.items():
        rows += f"\n{part:^70}\n\n" if part else ""
        body += f"\n{part:^70}\n\n" if part else ""
        for number, title in items:
            page += 1
            rows += f"Item {number}.  {title[:52]:.<56}{page:>4}\n"
            body += f"Item {number}.   {title.upper()}\n\n"
            body += "\n\n".join(lines(paragraph) for paragraph in words(f"{part} item {number}".strip()))
            body += f"\n\n{page:^70}\n<PAGE>\n\n"
    table = f"{'INDEX':^70}\n{rows}\n<PAGE>\n" if contents else ""
    return (
        "<SEC-DOCUMENT>0000012345-99-000001.txt : 19990331\n<SEC-HEADER>\nACCESSION NUMBER:\t\t0000012345-99-000001\n"
        f"CONFORMED SUBMISSION TYPE:\t{kind}\nPUBLIC DOCUMENT COUNT:\t\t1\nCONFORMED PERIOD OF REPORT:\t19981231\n"
        "FILED AS OF DATE:\t\t19990331\n</SEC-HEADER>\n"
        f"<DOCUMENT>\n<TYPE>{kind}\n<SEQUENCE>1\n<TEXT>\n{'SECURITIES AND EXCHANGE COMMISSION':^70}\n\n"
        f"{'FORM ' + kind:^70}\n<PAGE>\n{table}{body}"
        f"{'SIGNATURES':^70}\n\nPursuant to the requirements of the Act, signed by us.\n</TEXT>\n</DOCUMENT>\n"
    )


def lines(paragraph: str, width: int = 70) -> str:
    """A paragraph broken into lines of a printed page, its first line indented."""
    printed, line = [], "    "
    for word in paragraph.split():
        if len(line) + len(word) + 1 > width:
            printed.append(line)
            line = word
        else:
            line += ("" if line.endswith(" ") else " ") + word
    return "\n".join([*printed, line])


def read(filing: str, item: str) -> Section:
    return read_section(filing.encode(), item, name="filing.txt")


def wrong(section: Section, own: str, heading: str, following: str | None) -> list[str]:
    """What keeps a section from being the item that the form calls `own`, whole and nothing else."""
    text = " ".join(section.text.split())
    checks = {
        f"status {section.status}, {section.warnings}": section.status is SectionStatus.FOUND,
        f"heading {section.heading!r}": plain(section.heading) == plain(heading),
        f"next heading {section.next_heading!r}": plain(section.next_heading) == plain(following),
        f"begins {text[:200]!r}": f"What {own} is about begins here." in text,
        f"ends {text[-200:]!r}": text.endswith(f"So ends {own}."),
        "more than one item": text.count("begins here.") == 1,
    }
    return [fault for fault, right in checks.items() if not right]


def plain(heading: str | None) -> str:
    return " ".join((heading or "").split()).casefold()


def present(section: Section, *notes: str) -> list[str]:
    """What keeps a section from being absent, with these words in its warnings."""
    said = " ".join(section.warnings)
    faults = [f"{note!r} is not in {said!r}" for note in notes if note not in said]
    if section.status is not SectionStatus.ABSENT or section.text:
        faults.append(f"{section.status}, {section.heading!r}, {section.text[:200]!r}")
    return faults


QUARTER = {
    "PART I. FINANCIAL INFORMATION": [
        ("1", STATEMENTS),
        ("2", MDA),
        ("3", MARKET_RISK),
        ("4", CONTROLS),
    ],
    "PART II. OTHER INFORMATION": [
        ("1", "Legal Proceedings"),
        ("1A", "Risk Factors"),
        ("2", UNREGISTERED),
        ("5", "Other Information"),
        ("6", "Exhibits"),
    ],
}
PART_1, PART_2 = QUARTER
QUARTERLY = [
    ("8", PART_1, "1", STATEMENTS, f"Item 2. {MDA}"),
    ("7", PART_1, "2", MDA, f"Item 3. {MARKET_RISK}"),
    ("7A", PART_1, "3", MARKET_RISK, f"Item 4. {CONTROLS}"),
    ("1A", PART_2, "1A", "Risk Factors", f"Item 2. {UNREGISTERED}"),
]


@pytest.mark.parametrize("style", ["html", "html without contents", "ascii"])
@pytest.mark.parametrize(("item", "part", "number", "title", "following"), QUARTERLY)
def test_10_q_items_of_both_parts_are_told_apart(
    style: str, item: str, part: str, number: str, title: str, following: str
) -> None:
    if style == "ascii":
        filing = ascii_filing("10-Q", QUARTER)
    else:
        filing = html_filing("10-Q", QUARTER, contents=style == "html")
    assert not wrong(read(filing, item), f"{part} item {number}", f"Item {number}. {title}", following)


def test_10_q_parts_whose_line_and_title_stand_apart() -> None:
    # "PART II" and "OTHER INFORMATION" in blocks of their own, as many filers print them.
    filing = html_filing("10-Q", {"PART I": QUARTER[PART_1], "PART II": QUARTER[PART_2]})
    filing = filing.replace(
        "<p align='center'><b>PART II</b></p>", "<p align='center'><b>PART II</b></p><p><b>OTHER INFORMATION</b></p>"
    )
    section = read(filing, "7")
    assert not wrong(section, "PART I item 2", f"Item 2. {MDA}", f"Item 3. {MARKET_RISK}")
    assert not wrong(read(filing, "1A"), "PART II item 1A", "Item 1A. Risk Factors", f"Item 2. {UNREGISTERED}")


@pytest.mark.parametrize(("item", "part", "number", "title", "following"), QUARTERLY)
def test_10_q_headings_that_stand_in_tables(item: str, part: str, number: str, title: str, following: str) -> None:
    filing = html_filing("10-Q", QUARTER)
    for own, name in (entry for items in QUARTER.values() for entry in items):
        cells = f"<table><tr><td><b>Item {own}.</b></td><td>&nbsp;</td><td><b>{name}</b></td></tr></table>"
        filing = filing.replace(f"<b>Item {own}.&nbsp;&nbsp;{name}</b>", f"</p>{cells}<p>")
    assert not wrong(read(filing, item), f"{part} item {number}", f"Item {number}. {title}", following)


def test_10_q_headings_that_name_their_part() -> None:
    # No "PART II" line stands between; each heading says its part.
    body = "".join(
        f"<p><b>{part}, Item {number}. {title}</b></p>"
        + "".join(f"<p>{paragraph}</p>" for paragraph in words(f"{part} item {number}"))
        for part, items in zip(("Part I", "Part II"), QUARTER.values(), strict=True)
        for number, title in items
    )
    filing = f"<html><body><p><b>FORM 10-Q</b></p>{body}</body></html>"
    discussion, risks = read(filing, "7"), read(filing, "1A")
    assert not wrong(discussion, "Part I item 2", f"Part I, Item 2. {MDA}", f"Part I, Item 3. {MARKET_RISK}")
    assert not wrong(risks, "Part II item 1A", "Part II, Item 1A. Risk Factors", f"Part II, Item 2. {UNREGISTERED}")


def test_10_q_discussion_that_closes_part_i_ends_there() -> None:
    # Before 1997 the form had no Items 3 and 4 in Part I, and no Item 1A.
    filing = ascii_filing(
        "10-Q",
        {
            "PART I - FINANCIAL INFORMATION": [("1", STATEMENTS), ("2", MDA)],
            "PART II - OTHER INFORMATION": [("1", "Legal Proceedings"), ("6", "Exhibits and Reports on Form 8-K")],
        },
    )
    assert not wrong(
        read(filing, "7"), "PART I - FINANCIAL INFORMATION item 2", f"Item 2. {MDA}", "Item 1. Legal Proceedings"
    )
    assert not present(read(filing, "7A"))
    assert not present(read(filing, "1A"))


def test_10_q_has_no_business_item_and_says_how_items_are_named() -> None:
    for filing in (html_filing("10-Q", QUARTER), ascii_filing("10-Q", QUARTER)):
        assert not present(read(filing, "1"), "named as on Form 10-K", "8 for this form's Item 1")


QUARTER_SMALL = {
    "PART I": [("1", STATEMENTS), ("2", MDA_PLAN), ("3", CONTROLS)],
    "PART II": [
        ("1", "Legal Proceedings"),
        ("2", "Changes in Securities and Small Business Issuer Purchases of Equity Securities"),
        ("6", "Exhibits and Reports on Form 8-K"),
    ],
}


@pytest.mark.parametrize("style", ["html", "ascii"])
def test_10_qsb_items(style: str) -> None:
    filing = html_filing("10-QSB", QUARTER_SMALL) if style == "html" else ascii_filing("10-QSB", QUARTER_SMALL)
    assert not wrong(read(filing, "8"), "PART I item 1", f"Item 1. {STATEMENTS}", f"Item 2. {MDA_PLAN}")
    assert not wrong(read(filing, "7"), "PART I item 2", f"Item 2. {MDA_PLAN}", f"Item 3. {CONTROLS}")


@pytest.mark.parametrize("style", ["html", "ascii"])
def test_10_qsb_item_3_is_controls_not_market_risk(style: str) -> None:
    filing = html_filing("10-QSB", QUARTER_SMALL) if style == "html" else ascii_filing("10-QSB", QUARTER_SMALL)
    assert not present(read(filing, "7A"))


ANNUAL_SMALL = {
    "PART I": [
        ("1", "Description of Business"),
        ("2", "Description of Property"),
        ("3", "Legal Proceedings"),
        ("4", "Submission of Matters to a Vote of Security Holders"),
    ],
    "PART II": [
        ("5", "Market for Common Equity and Related Stockholder Matters"),
        ("6", MDA_PLAN),
        ("7", STATEMENTS),
        ("8", DISAGREEMENTS),
        ("8A", CONTROLS),
        ("8B", "Other Information"),
    ],
    "PART III": [
        ("9", "Directors and Executive Officers of the Registrant"),
        ("10", "Executive Compensation"),
        ("13", "Exhibits and Reports on Form 8-K"),
        ("14", "Principal Accountant Fees and Services"),
    ],
}


@pytest.mark.parametrize(
    ("item", "part", "number", "title", "following"),
    [
        ("1", "PART I", "1", "Description of Business", "Item 2. Description of Property"),
        ("7", "PART II", "6", MDA_PLAN, f"Item 7. {STATEMENTS}"),
        ("8", "PART II", "7", STATEMENTS, f"Item 8. {DISAGREEMENTS}"),
        ("9", "PART II", "8", DISAGREEMENTS, f"Item 8A. {CONTROLS}"),
        ("9A", "PART II", "8A", CONTROLS, "Item 8B. Other Information"),
    ],
)
@pytest.mark.parametrize("style", ["10-KSB html", "10-KSB ascii", "10-KSB40 ascii", "10-KSB/A html"])
def test_10_ksb_items_are_asked_for_by_their_number_on_form_10_k(
    style: str, item: str, part: str, number: str, title: str, following: str
) -> None:
    form, kind = style.split()
    filing = html_filing(form, ANNUAL_SMALL) if kind == "html" else ascii_filing(form, ANNUAL_SMALL)
    assert not wrong(read(filing, item), f"{part} item {number}", f"Item {number}. {title}", following)


def test_10_ksb_has_neither_market_risk_nor_risk_factors() -> None:
    filing = html_filing("10-KSB", ANNUAL_SMALL)
    for item in ("7A", "1A", "6"):
        assert not present(read(filing, item))


ANNUAL = {
    "PART I": [("1", "Business"), ("1A", "Risk Factors"), ("2", "Properties"), ("3", "Legal Proceedings")],
    "PART II": [
        ("5", "Market for Registrant's Common Equity"),
        ("6", "Selected Financial Data"),
        ("7", MDA),
        ("7A", MARKET_RISK),
        ("8", "Financial Statements and Supplementary Data"),
        ("9", DISAGREEMENTS),
    ],
    "PART III": [("10", "Directors and Executive Officers of the Registrant"), ("11", "Executive Compensation")],
    "PART IV": [("15", "Exhibits and Financial Statement Schedules")],
}
ANNUAL_ITEMS = [
    ("1", "PART I", "Business", "Item 1A. Risk Factors"),
    ("1A", "PART I", "Risk Factors", "Item 2. Properties"),
    ("7", "PART II", MDA, f"Item 7A. {MARKET_RISK}"),
    ("7A", "PART II", MARKET_RISK, "Item 8. Financial Statements and Supplementary Data"),
    ("8", "PART II", "Financial Statements and Supplementary Data", f"Item 9. {DISAGREEMENTS}"),
]


@pytest.mark.parametrize("style", ["10-KT html", "10-KT/A ascii", "10-KT405 ascii", "10-K405 ascii", "10-K/A html"])
@pytest.mark.parametrize(("item", "part", "title", "following"), ANNUAL_ITEMS)
def test_transition_reports_and_whole_amendments_have_the_items_of_form_10_k(
    style: str, item: str, part: str, title: str, following: str
) -> None:
    form, kind = style.split()
    filing = html_filing(form, ANNUAL) if kind == "html" else ascii_filing(form, ANNUAL)
    assert not wrong(read(filing, item), f"{part} item {item}", f"Item {item}. {title}", following)


def explained(filing: str, reason: str) -> str:
    """An amendment with a note before its items that names items without being one."""
    if filing.startswith("<html>"):
        note = f"<p align='center'><b>EXPLANATORY NOTE</b></p><p>{reason}</p>"
        return filing.replace("<body>", "<body>" + note, 1)
    return filing.replace("<PAGE>\n", f"<PAGE>\n{'EXPLANATORY NOTE':^70}\n\n{lines(reason)}\n\n", 1)


@pytest.mark.parametrize("style", ["10-K405/A ascii", "10-K/A html"])
def test_an_amendment_that_restates_items_7_and_8_only(style: str) -> None:
    form, kind = style.split()
    make = html_filing if kind == "html" else ascii_filing
    restated = {"": [("7", MDA), ("8", "Financial Statements and Supplementary Data")]}
    filing = explained(
        make(form, restated, contents=False),
        "This amendment to our annual report is filed to restate Item 7, Management's Discussion, and Item 8, Financial"
        " Statements. No other item of the report is amended.",
    )
    assert not wrong(
        read(filing, "7"), "item 7", f"Item 7. {MDA}", "Item 8. Financial Statements and Supplementary Data"
    )
    eight = read(filing, "8")
    assert eight.status is SectionStatus.FOUND
    assert "What item 8 is about begins here." in eight.text.replace("\n", " ")
    assert "So ends item 8." in eight.text
    assert "What item 7 is about" not in eight.text.replace("\n", " ")
    for item in ("1", "1A", "7A"):
        assert not present(read(filing, item))


@pytest.mark.parametrize("style", ["html", "ascii"])
def test_an_amendment_with_part_iii_only_has_no_discussion(style: str) -> None:
    part = {
        "PART III": [
            ("10", "Directors, Executive Officers and Corporate Governance"),
            ("11", "Executive Compensation"),
            ("12", "Security Ownership of Certain Beneficial Owners and Management"),
            ("13", "Certain Relationships and Related Transactions"),
            ("14", "Principal Accountant Fees and Services"),
        ]
    }
    make = html_filing if style == "html" else ascii_filing
    filing = explained(
        make("10-K/A", part),
        "This amendment is filed to give the information of Part III, Items 10 through 14. It does not amend Item 7,"
        " Management's Discussion and Analysis, or Item 8, Financial Statements, of our annual report.",
    )
    for item in ("1", "1A", "7", "7A", "8"):
        assert not present(read(filing, item), f"No heading of Item {item} was found.")
