"""Tables of a corpus: what stands in them, by hand, and how money and what the stages noted are shown."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest

from fingreat.analysis.corpus import SectionFacts, measure_corpus
from fingreat.report import Cell, Column, Table, cell_text, table_csv
from fingreat.report.corpus_tables import IDS, corpus_tables
from fingreat.report.latex import table_latex
from fingreat.report.sample_table import replaced_table, sample_table
from fingreat.report.stage_table import stage_table
from fingreat.schema import Filing, SectionStatus

MONEY = Column(label="assets", kind="money")


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        (568_700_000, "$568.7 million"),
        (61_400_000, "$61.4 million"),
        (3_000_000_000, "$3.00 billion"),
        (37_560_000_000, "$37.56 billion"),
        (3_170_000_000_000, "$3.17 trillion"),
        (1_000_000, "$1.0 million"),
        (999_999, "$999,999"),
        (999_999.5, "$1.0 million"),
        (999_940_000, "$999.9 million"),
        # Rounded, these would be 1,000.0 million and 1,000.00 billion.
        (999_950_001, "$1.00 billion"),
        (999_996_000_000, "$1.00 trillion"),
        (10**16, "$10,000.00 trillion"),
        (0, "$0"),
        (0.0, "$0"),
        (0.25, "<$1"),
        (0.5, "<$1"),
        (-0.25, ">-$1"),
        (1, "$1"),
        (12_345.4, "$12,345"),
        (-2_500_000, "-$2.5 million"),
        (-7, "-$7"),
        (None, "–"),
    ],
)
def test_money_is_shown_as_a_paper_writes_it(amount: Cell, shown: str) -> None:
    assert cell_text(MONEY, amount) == shown


def test_csv_gives_money_exactly() -> None:
    made = Table(id="t", title="T", columns=(MONEY,), rows=((568_712_345,), (0.5,), (-1,), (None,)))
    assert table_csv(made) == 'assets\r\n568712345\r\n0.5\r\n-1\r\n""\r\n'
    assert MONEY.right


def filing(number: int, cik: str | None, year: int | None, **fields: object) -> Filing:
    filed = None if year is None else date(year, 3, 1)
    return Filing(id=f"f{number}", cik=cik, filed=filed, path="x", sha256="0" * 64, **fields)  # type: ignore[arg-type]


FILINGS = [
    filing(0, "1", 2011, form="10-K", sic="3571", sic_source="submissions", total_assets=5),
    filing(1, "1", 2012, form="10-K", sic="3571", sic_source="submissions", total_assets=1_500_000_000),
    filing(2, "2", 2012, form="10-K405", sic="6021", sic_source="header", total_assets=0),
    filing(3, "2", 2013, form="10-K", sic="7372", sic_source="header"),
    filing(4, None, None),
]
SECTIONS = {
    "f0": SectionFacts(SectionStatus.FOUND, 100),
    "f1": SectionFacts(SectionStatus.FOUND, 301, "exhibit"),
    "f2": SectionFacts(SectionStatus.ABSENT, 0),
}


def tables(
    filings: Sequence[Filing] = FILINGS, sections: dict[str, SectionFacts] = SECTIONS, **settings: object
) -> dict[str, Table]:
    years = (2012, 2013) if settings.get("size_years") else ()
    figures = measure_corpus(filings, sections, size_years=years)
    return {table.id: table for table in corpus_tables(figures, "7", {}, **settings)}  # type: ignore[arg-type]


def shown(table: Table) -> list[str]:
    """The rows as the console has them."""
    return [" | ".join(map(cell_text, table.columns, row)) for row in table.rows]


def test_divisions_give_filings_and_firms_and_say_where_the_codes_are_from() -> None:
    table = tables()["corpus-divisions"]
    rows = [row for row in shown(table) if "| 0 |" not in row]
    assert rows == [
        "Manufacturing | 2 | 40.0% (2/5) | 1",
        "Finance, Insurance, and Real Estate | 1 | 20.0% (1/5) | 1",
        "Services | 1 | 20.0% (1/5) | 1",
        "Unknown | 1 | 20.0% (1/5) | 0",
        "All | 5 | 100% (5/5) | 2",
    ]
    assert len(table.rows) == 13
    assert table.notes[:3] == (
        "Firms are distinct CIKs. 1 filing without one is of no firm here.",
        "1 firm with filings of several rows is counted in each, and once in all.",
        "Source of the industry code: the registrant's present one, 2; the filing's header, 2; no code, 1.",
    )


def test_years_give_coverage_of_all_filings_and_medians_of_those_whose_size_is_described() -> None:
    table = tables(size_years="2012–2013")["corpus-years"]
    assert [column.label for column in table.columns[3:5]] == ["Item 7 found", "with total assets"]
    assert shown(table) == [
        "2011 | 1 | 1 | 100% (1/1) | 100% (1/1) | – | 100",
        "2012 | 2 | 2 | 50.0% (1/2) | 100% (2/2) | $750.0 million | 301",
        # No search was made in these two.
        "2013 | 1 | 1 | – | 0% (0/1) | – | –",
        "no date | 1 | 0 | – | 0% (0/1) | – | –",
        "All | 5 | 2 | 66.7% (2/3) | 60.0% (3/5) | $750.0 million | 200",
    ]
    assert "Median assets: of filings of 2012–2013 only." in table.notes


def test_forms_have_the_columns_of_years() -> None:
    made = tables()
    assert made["corpus-forms"].columns[1:] == made["corpus-years"].columns[1:]
    assert [row[:3] for row in made["corpus-forms"].rows] == [
        ("10-K", 3, 2),
        ("10-K405", 1, 1),
        ("unknown", 1, 0),
        ("All", 5, 2),
    ]


def test_bands_give_shares_of_what_is_known() -> None:
    table = tables(size_years="2012–2013")["corpus-assets-bands"]
    assert table.title == "Filings of 2012–2013 by total assets"
    assert shown(table) == [
        "zero | 1 | 50.0% (1/2)",
        "under $10 million | 0 | 0% (0/2)",
        "$10 million to $100 million | 0 | 0% (0/2)",
        "$100 million to $1 billion | 0 | 0% (0/2)",
        "$1 billion to $10 billion | 1 | 50.0% (1/2)",
        "$10 billion to $100 billion | 0 | 0% (0/2)",
        "$100 billion and more | 0 | 0% (0/2)",
        "known | 2 | 100% (2/2)",
        "unknown | 1 | –",
        "All | 3 | –",
    ]
    assert table.notes[-2:] == (
        "Known for 2 of 3 filings; all 2 firms have at least one.",
        "1 filing without a date of filing is left out.",
    )
    assert "Known for 3 of 5 filings; all 2 firms have at least one." in tables()["corpus-assets-bands"].notes
    lone = tables([*FILINGS, filing(5, "3", 2013)])["corpus-assets-bands"]
    assert "Known for 3 of 6 filings; 2 of 3 firms have at least one." in lone.notes
    assert (
        shown(tables([filing(0, "1", 2020, total_assets=-3)])["corpus-assets-bands"])[0]
        == "below zero | 1 | 100% (1/1)"
    )


def test_quantiles_of_assets_are_money_and_those_of_lengths_are_characters() -> None:
    made = tables()
    # Of 0, 5 and 1,500,000,000: half of the way from 5 to the largest is the 75 % quantile.
    assert shown(made["corpus-assets"]) == [
        "minimum | 3 | $0",
        "5% | 3 | <$1",
        "25% | 3 | $2",
        "median | 3 | $5",
        "75% | 3 | $750.0 million",
        "95% | 3 | $1.35 billion",
        "maximum | 3 | $1.50 billion",
    ]
    assert made["corpus-assets"].rows[4][2] == 750_000_002.5
    assert shown(made["corpus-lengths"])[0] == "minimum | 2 | 100"
    # Read without a decimal, which says nothing of some ten thousand characters; a program has it.
    assert shown(made["corpus-lengths"])[3] == "median | 2 | 200"
    assert table_csv(made["corpus-lengths"]).splitlines()[4] == "median,2,200.5"


def test_outcomes_of_the_search_add_up() -> None:
    table = tables()["corpus-statuses"]
    assert shown(table) == [
        "found | 2 | 40.0% (2/5)",
        "of which elsewhere in the document | 0 | 0% (0/5)",
        "of which in an exhibit | 1 | 20.0% (1/5)",
        "by reference | 0 | 0% (0/5)",
        "absent | 1 | 20.0% (1/5)",
        "unreadable | 0 | 0% (0/5)",
        "not looked for yet | 2 | 40.0% (2/5)",
        "All | 5 | 100% (5/5)",
    ]


def test_tables_with_nothing_to_say_are_left_out() -> None:
    assert list(tables()) == [name for name in IDS if name not in ("corpus-sample", "corpus-replaced", "corpus-stages")]
    bare = tables([filing(0, "1", 2020)], {})
    assert list(bare) == ["corpus-divisions", "corpus-years", "corpus-forms", "corpus-statuses"]
    assert shown(tables([], {})["corpus-statuses"])[-1] == "All | 0 | – (0/0)"


def test_whatever_the_stages_noted_is_a_row() -> None:
    table = stage_table(
        {
            "sample": {
                "years": list(range(2000, 2026)),
                "per_year": 50,
                "seed": 20261010,
                "forms": ["10-K", "10-K405"],
                "remarks": {},
                "by_year": {str(year): {"kept": 50} for year in range(2000, 2026)},
                "indexes": {"one.gz": "ab", "two.gz": "cd"},
                "kept": 1300,
                "complete": True,
                "rate": 9.5,
                "note": None,
            },
            "enrich": {"with_sic": 7, "assets": {"known": 6, "other currency: EUR": 1}},
            "sections/7": {
                "found": 1262,
                "by_reference": 3,
                "why": {"no_heading": 3},
                "odd": ["a", 1],
                "tables": "markdown",
            },
        }
    )
    assert table is not None
    assert [column.label for column in table.columns] == ["stage", "what", "value"]
    assert shown(table) == [
        "sample | years | 2000–2025",
        "sample | filings per year | 50",
        "sample | seed | 20261010",
        "sample | forms | 10-K, 10-K405",
        "sample | indexes | 2",
        "sample | kept | 1,300",
        "sample | complete | yes",
        "sample | rate | 9.5",
        "enrich | industry code known | 7",
        "enrich | total assets: known | 6",
        "enrich | total assets: other currency: EUR | 1",
        "Item 7 | found | 1,262",
        "Item 7 | by reference | 3",
        "Item 7 | why: no heading | 3",
        "Item 7 | odd | a, 1",
        "Item 7 | form of tables | markdown",
    ]
    # A reader sees each stage once, a program in every row.
    assert [row[0] for row in table.for_reading().rows] == ["sample", *[""] * 7, "enrich", "", "", "Item 7", *[""] * 4]
    assert table_csv(table).splitlines()[2] == "sample,filings per year,50"
    assert r"enrich & industry code known & 7 \\" in table_latex(table)
    assert r" & by reference & 3 \\" in table_latex(table)


def test_calls_of_a_stage_are_numbered() -> None:
    call = {"names": ["AAPL"], "forms": ["10-K"], "counts": {"fetched": 3}}
    table = stage_table({"fetch": {"calls": [call, {"names": ["MSFT"]}]}, "add": {"calls": [{"names": ["a"]}]}})
    assert table is not None
    assert shown(table) == [
        "fetch | call 1: names | AAPL",
        "fetch | call 1: forms | 10-K",
        "fetch | call 1: fetched | 3",
        "fetch | call 2: names | MSFT",
        "add | names | a",
    ]
    table = stage_table({"fetch": {"calls": [call] * 6}})
    assert table is not None
    assert shown(table) == ["fetch | calls | 6"]


def test_files_are_named_without_their_folders_and_a_call_alone_repeats_nothing() -> None:
    call = {
        "paths": ["/somewhere/else/a.htm", "b.txt"],
        "paths_in_all": 2,
        "paths_sha256": "0" * 64,
        "counts": {"added": 2, "already_there": 0, "doubles": 1},
    }
    table = stage_table({"add": {"filings": 2, "added": 2, "calls": [call]}})
    assert table is not None
    assert shown(table) == [
        "add | filings | 2",
        "add | added | 2",
        "add | files and folders | a.htm, b.txt",
        "add | files and folders in all | 2",
        "add | already there | 0",
        "add | documents beside their full submission | 1",
    ]


def test_a_stage_with_many_notes_has_a_row_for_each_and_no_stage_gives_no_table() -> None:
    table = stage_table({"fetch": {f"n{number}": number for number in range(20)}})
    assert table is not None
    assert len(table.rows) == 20
    assert stage_table({}) is None
    odd = stage_table({"old": 3, "empty": {}, "list": []})
    assert odd is not None
    assert shown(odd) == ["old |  | 3", "list |  | none"]


def test_a_sample_has_a_row_for_each_year_and_a_total() -> None:
    row = {"rows": 20, "filings": 18, "firms": 17, "drawn": 6, "kept": 4, "replaced": 2, "open": 1, "short": 0}
    noted: dict[str, object] = {
        "by_year": {"2003": row, "2004": {**row, "rows": 1_000, "drawn": 5, "replaced": 1, "short": 3}},
        "remarks": {"2004": ["quarter 4 had not begun on 2004-08-01."]},
    }
    table = sample_table(noted)
    assert table is not None
    assert (table.id, table.title) == ("corpus-sample", "Sample by year")
    assert [column.label for column in table.columns] == ["year", *row]
    assert shown(table) == [
        "2003 | 20 | 18 | 17 | 6 | 4 | 2 | 1 | 0",
        "2004 | 1,000 | 18 | 17 | 5 | 4 | 1 | 1 | 3",
        "All | 1,020 | 36 | 34 | 11 | 8 | 3 | 2 | 3",
    ]
    assert "their total counts a firm once for each year." in table.notes[0]
    assert table.notes[-1] == "2004: quarter 4 had not begun on 2004-08-01."
    assert table_csv(table).splitlines()[1] == "2003,20,18,17,6,4,2,1,0"
    assert r"All & 1,020 & 36 & 34 & 11 & 8 & 3 & 2 & 3 \\" in table_latex(table)
    figures = measure_corpus(FILINGS, {}, size_years=())
    noted["seed"] = 1
    assert [one.id for one in corpus_tables(figures, "7", {"sample": noted})][-2:] == ["corpus-sample", "corpus-stages"]


def test_tables_of_a_sample_say_that_the_item_is_found_by_construction() -> None:
    figures = measure_corpus(FILINGS, SECTIONS)
    for item, saying in (
        ("7", {"corpus-years", "corpus-forms", "corpus-statuses"}),
        ("7A", set()),
    ):
        made = corpus_tables(figures, item, {"sample": {"item": "7"}})
        assert {one.id for one in made if "found in all by construction" in one.notes[-1]} == saying
    assert not any("construction" in note for one in corpus_tables(figures, "7", {}) for note in one.notes)


def test_replaced_filings_have_their_reasons_by_year() -> None:
    by_year = {
        "2003": {
            "drawn": 6,
            "replaced": 2,
            "reasons": {"absent": 1, "by_reference": 1, "unreadable": 0, "not_found": 0},
        },
        "2004": {
            "drawn": 4,
            "replaced": 1,
            "reasons": {"absent": 0, "by_reference": 0, "unreadable": 0, "not_found": 1},
        },
    }
    table = replaced_table({"by_year": by_year})
    assert table is not None
    assert shown(table) == [
        "2003 | 6 | 33.3% (2/6) | 1 | 1 | 0 | 0",
        "2004 | 4 | 25.0% (1/4) | 0 | 0 | 0 | 1",
        "All | 10 | 30.0% (3/10) | 1 | 1 | 0 | 1",
    ]
    assert [column.label for column in table.columns[3:]] == ["absent", "by reference", "unreadable", "not on EDGAR"]
    # Nothing where none was replaced, and nothing that does not add up.
    none = {"drawn": 4, "replaced": 0, "reasons": dict.fromkeys(by_year["2003"]["reasons"], 0)}
    assert replaced_table({"by_year": {"2003": none}}) is None
    assert replaced_table({"by_year": {**by_year, "2005": {**none, "replaced": 1}}}) is None
    assert replaced_table({"by_year": {"2003": {"drawn": 6, "replaced": 2}}}) is None
    assert replaced_table(None) is None


@pytest.mark.parametrize("noted", [None, {}, {"complete": False}, {"by_year": {}}, {"by_year": 3}, [1]])
def test_no_finished_sample_gives_no_table(noted: object) -> None:
    assert sample_table(noted) is None


def test_a_manifest_that_was_edited_gives_dashes() -> None:
    table = sample_table({"by_year": {"2003": {"rows": "many", "kept": -1, "drawn": True, "short": 2}, "2004": 5}})
    assert table is not None
    assert shown(table) == [
        "2003 | – | – | – | – | – | – | – | 2",
        "2004 | – | – | – | – | – | – | – | –",
        "All | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 2",
    ]
