"""Trees of edgar-crawler are read as they are: its names, its list and what is damaged in it, its half files."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from pipeline_builders import html, submission
from tree_builders import COLUMNS, added, cover, crawled, crawled_name, failures, listed, write_list

from fingreat.pipeline import Corpus

ACCESSION, OTHER = "0000000001-24-000005", "0000000002-24-000006"
FULL = submission(ACCESSION)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return Corpus(tmp_path / "corpus")


def test_a_crawled_name_says_registrant_form_and_number(corpus: Corpus, tmp_path: Path) -> None:
    crawled(tmp_path, listed("1001258", ACCESSION, **{"Type": "10-K405"}), html())
    filing = added(corpus, tmp_path / "RAW_FILINGS")
    assert (filing.id, filing.cik, filing.form) == (ACCESSION, "1001258", "10-K405")
    # The year of the name is that of the period, which is not always the fiscal year.
    assert (filing.filed, filing.period, filing.fiscal_year) == (None, None, None)


def test_the_crawler_s_list_says_what_a_main_document_does_not(corpus: Corpus, tmp_path: Path) -> None:
    row = listed("1001258", ACCESSION, **{"Period of Report": "2010-01-03", "Fiscal Year End": "1228"})
    crawled(tmp_path, row, cover("FORM 10-K"))
    write_list(tmp_path, [listed("5", OTHER), row])
    filing = added(corpus, tmp_path)
    assert filing.company == "PUMPS, LISTED INC"
    assert (filing.filed, filing.period) == (date(2004, 12, 14), date(2010, 1, 3))
    # Filers whose year ends by mid January name the year before.
    assert filing.fiscal_year == 2009
    assert (filing.sic, filing.division, filing.fiscal_year_end) == ("3561", "Manufacturing", "12-28")
    # From the landing page or, where that has none, from the company's page: the list does not say which.
    assert (filing.sic_source, filing.header_sic) == (None, None)


@pytest.mark.parametrize("where", [".", "RAW_FILINGS", "RAW_FILINGS/10-K"])
@pytest.mark.parametrize("asked", [".", "RAW_FILINGS", "RAW_FILINGS/10-K"])
def test_the_list_is_found_wherever_it_stands(where: str, asked: str, corpus: Corpus, tmp_path: Path) -> None:
    row = listed("1001258", ACCESSION)
    crawled(tmp_path, row, html())
    write_list(tmp_path / where, [row])
    assert corpus.add([tmp_path / asked]) == {
        "added": 1,
        "already_there": 0,
        "doubles": 0,
        "failed": 0,
        "passed_over": 0,
    }
    assert corpus.filings()[0].filed == date(2004, 12, 14)


@pytest.mark.parametrize("form", ["10-K", "10-K405", "10-KSB", "10KSB", "10-KT", "10-K/A", "10-K405/A", "20-F"])
@pytest.mark.parametrize("with_list", [True, False])
def test_a_crawled_form_has_its_hyphens_and_slash_again(
    form: str, with_list: bool, corpus: Corpus, tmp_path: Path
) -> None:
    row = listed("1001258", ACCESSION, **{"Type": form})
    crawled(tmp_path, row, html())
    if with_list:
        write_list(tmp_path, [row])
    filing = added(corpus, tmp_path)
    assert filing.form == form
    assert (filing.filed is not None) == with_list


@pytest.mark.parametrize("form", ["10-K", "10-K405", "10-KSB", "10-KT", "10-K/A", "10-KSB/A", "8-K"])
def test_an_older_tree_without_folders_for_forms_is_read(form: str, corpus: Corpus, tmp_path: Path) -> None:
    name = crawled_name("1001258", form, "2004-09-30", ACCESSION, "htm")
    (tmp_path / name).write_bytes(html())
    assert added(corpus, tmp_path).form == form


def test_a_folder_that_lost_the_hyphen_gives_the_form_its_own_again(corpus: Corpus, tmp_path: Path) -> None:
    row = listed("1001258", ACCESSION)
    crawled(tmp_path, row, html())
    (tmp_path / "RAW_FILINGS" / "10-K").rename(tmp_path / "RAW_FILINGS" / "10K")
    assert added(corpus, tmp_path).form == "10-K"


def test_zeros_in_a_list_say_nothing_and_are_no_damage(corpus: Corpus, tmp_path: Path) -> None:
    row = listed("1001258", ACCESSION, **{"SIC": "0000", "Fiscal Year End": "0000"})
    crawled(tmp_path, row, html())
    write_list(tmp_path, [row])
    filing = added(corpus, tmp_path)
    assert (filing.sic, filing.division, filing.fiscal_year_end) == (None, None, None)


def test_a_list_knows_files_whose_names_have_no_number(corpus: Corpus, tmp_path: Path) -> None:
    """The first versions named them <CIK>_<form>_<year>.htm."""
    row = listed("1001258", ACCESSION) | {"filename": "1001258_10K_2004.htm"}
    crawled(tmp_path, row, html())
    write_list(tmp_path, [row])
    assert added(corpus, tmp_path).id == ACCESSION


def test_a_header_goes_before_the_list(corpus: Corpus, tmp_path: Path) -> None:
    lines = b"FILED AS OF DATE:\t\t20041231\n\tSTANDARD INDUSTRIAL CLASSIFICATION:\tMINING [1000]\n</SEC-HEADER>"
    row = listed("1001258", ACCESSION, ending="txt")
    crawled(tmp_path, row, FULL.replace(b"</SEC-HEADER>", lines))
    write_list(tmp_path, [row])
    filing = added(corpus, tmp_path)
    assert (filing.company, filing.filed) == ("PUMPS INC", date(2004, 12, 31))
    assert (filing.sic, filing.sic_source, filing.division) == ("1000", "header", "Mining")
    # What it does not have is the list's.
    assert (filing.period, filing.fiscal_year_end) == (date(2004, 9, 30), "09-30")


def test_a_filing_of_two_registrants_is_one(corpus: Corpus, tmp_path: Path) -> None:
    """Communications & Power Industries and its holding are listed with 0000891618-02-005524 both."""
    rows = [listed("1000564", "0000891618-02-005524"), listed("1000654", "0000891618-02-005524")]
    for row in rows:
        crawled(tmp_path, row, html())
    write_list(tmp_path, rows)
    counts = corpus.add([tmp_path])
    assert counts == {"added": 1, "already_there": 1, "doubles": 0, "failed": 0, "passed_over": 0}
    assert corpus.filings()[0].cik == "1000564"


@pytest.mark.parametrize(("ending", "data"), [("txt", FULL[:-30]), ("htm", html()[:-30])])
def test_a_half_file_of_the_crawler_is_refused(ending: str, data: bytes, corpus: Corpus, tmp_path: Path) -> None:
    crawled(tmp_path, listed("1001258", ACCESSION, ending=ending), data)
    assert corpus.add([tmp_path])["failed"] == 1
    assert "it is cut" in failures(corpus)[0].reason


def test_what_else_a_crawl_leaves_is_passed_over(corpus: Corpus, tmp_path: Path) -> None:
    row = listed("1001258", ACCESSION)
    crawled(tmp_path, row, html())
    write_list(tmp_path, [row])
    (tmp_path / "EXTRACTED_FILINGS" / "10-K").mkdir(parents=True)
    (tmp_path / "EXTRACTED_FILINGS" / "10-K" / row["filename"].replace(".htm", ".json")).write_text(json.dumps(row))
    (tmp_path / "INDICES").mkdir()
    (tmp_path / "INDICES" / "2004_QTR4.tsv").write_text("1001258|PUMPS INC|10-K|2004-12-14|a|b\n")
    (tmp_path / "companies_info.json").write_text("{}")
    counts = corpus.add([tmp_path])
    assert counts == {"added": 1, "already_there": 0, "doubles": 0, "failed": 0, "passed_over": 3}


GOOD, BAD = listed("1001258", ACCESSION), listed("777", OTHER)
LINES = [",".join(COLUMNS), *(",".join(f'"{row[name]}"' for name in COLUMNS) for row in (GOOD, BAD))]
TEXT = "\n".join(LINES) + "\n"


@pytest.mark.parametrize(
    ("damaged", "words", "good_row_is_used"),
    [
        (TEXT.replace("2004-12-14", "14.12.2004"), ["line 2", "'Filing Date' is '14.12.2004'", "line 3"], False),
        ("\n".join([*LINES[:2], LINES[2][:60]]), ["line 3", "columns"], True),
        ("\n".join([*LINES[:2], LINES[2].replace('"3561"', '"see below"')]), ["line 3", "'SIC' is 'see below'"], True),
        ("\n".join([*LINES[:2], LINES[2].replace('"0930"', '"0931"')]), ["'Fiscal Year End' is '0931'"], True),
        ("\n".join([*LINES[:2], LINES[2].replace('"777"', '"778"')]), ["line 3", "another filing"], True),
        ("\n".join([*LINES[:2], '"', *["x" * 1000] * 200]), ["line"], True),
        ("\n".join([*LINES, LINES[1].replace("LISTED", "OTHER")]), ["line 4", "earlier row"], True),
        (TEXT.replace("Filing Date", "Filed"), ["no column 'Filing Date'"], False),
        (TEXT.replace("filename", "file"), ["no column 'filename'"], False),
        (
            "version https://git-lfs.github.com/spec/v1\noid sha256:8a6d\nsize 2752180\n",
            ["no column 'filename'"],
            False,
        ),
        ("", ["empty"], False),
        ("\x00\x01\x02" * 400, ["no column 'filename'"], False),
    ],
)
def test_a_damaged_list_is_one_failure_and_the_filings_are_added(
    damaged: str, words: list[str], good_row_is_used: bool, corpus: Corpus, tmp_path: Path
) -> None:
    crawled(tmp_path, GOOD, html())
    crawled(tmp_path, BAD, html(company="B"))
    path = write_list(tmp_path, [GOOD, BAD])
    path.write_text(damaged, encoding="utf-8")
    counts = corpus.add([tmp_path])
    assert counts == {"added": 2, "already_there": 0, "doubles": 0, "failed": 1, "passed_over": 0}
    [failure] = failures(corpus)
    assert failure.id == str(path)
    assert all(word in failure.reason for word in words), failure.reason
    assert len(failure.reason) < 500
    by_id = {filing.id: filing for filing in corpus.filings()}
    assert by_id.keys() == {ACCESSION, OTHER}
    assert (by_id[ACCESSION].filed == date(2004, 12, 14)) == good_row_is_used
    # Its failure ends with its damage.
    write_list(tmp_path, [GOOD, BAD])
    assert corpus.add([tmp_path])["failed"] == 0
    assert failures(corpus) == []


def test_a_list_that_a_spreadsheet_has_saved_is_read(corpus: Corpus, tmp_path: Path) -> None:
    """A mark of the encoding at the start, lines with CR, no zeros before numbers, nan for what is empty."""
    row = GOOD | {"SIC": "100", "Fiscal Year End": "630", "Company": "nan"}
    crawled(tmp_path, row, html())
    path = write_list(tmp_path, [row])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    filing = added(corpus, tmp_path)
    assert (filing.sic, filing.fiscal_year_end, filing.filed) == ("0100", "06-30", date(2004, 12, 14))
    assert filing.company is None
