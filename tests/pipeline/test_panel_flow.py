"""The panel of runs on disk: every row by hand, its files, and shares corrected by gold passages."""

from __future__ import annotations

import csv
import sys
from datetime import date
from pathlib import Path

import pytest
from extraction_builders import an_extraction, finished_run

from fingreat.errors import CorpusError, InputError
from fingreat.pipeline.panel import TABLES, MeasuredPanel, PanelSettings, measure_panel, panel_tables, write_panel
from fingreat.report import Table, table_csv, table_markdown
from fingreat.runs import RunFolder
from fingreat.schema import Filing, GoldPassage, load_graph

GRAPH = load_graph()
FILINGS = (
    Filing(id="F1", cik="320193", company="PUMPS, INC", form="10-K", filed=date(2020, 3, 1), period=date(2019, 12, 31),
           fiscal_year=2019, sic="3561", division="Manufacturing", total_assets=12_000_000_000, path="raw/1",
           sha256="1"),
    Filing(id="F2", cik="320193", company="PUMPS, INC", filed=date(2020, 11, 5), path="raw/2", sha256="2"),
    Filing(id="F3", cik="789019", filed=date(2021, 2, 1), path="raw/3", sha256="3"),
    Filing(id="F4", path="raw/4", sha256="4"),
)  # fmt: skip
QUOTES = (
    "Revenue from pumps rose by 12% on higher volumes in Europe.",
    "Cost of sales fell because copper became cheaper during spring.",
    "Our effective tax rate was 21% after a settlement with authorities.",
    "Dividends of $0.40 per share were paid in every quarter.",
)
SAID = {
    "a": {"F1": {0: "REV-NNCA", 1: "NNCA-COGS", 2: "REV-NNCA"}, "F2": {0: "REV-NNCA"}, "F3": {3: "CASH-DIV"}},
    "b": {"F1": {1: "NNCA-OPEX"}},
}
"""Run → filing → number of a quote → its edge."""
GOLD = (
    ("F1", 0, {"REV-NNCA"}),
    ("F1", 1, {"NNCA-COGS", "NNCA-OPEX"}),
    ("F2", 0, {"NNCA-COGS"}),
    ("F3", 2, {"NNCA-TAX"}),
    ("F9", 0, {"REV-NNCA"}),
)
"""Filing, number of the quote, accepted edges; the run `a` does not quote the fourth, and nobody read the fifth."""


def corpus_at(path: Path, filings: tuple[Filing, ...] = FILINGS) -> Path:
    path.mkdir(parents=True)
    (path / "filings.jsonl").write_text("".join(filing.model_dump_json() + "\n" for filing in filings))
    return path


def gold() -> list[GoldPassage]:
    return [
        GoldPassage(passage_id=f"{filing}-{n}", filing_id=filing, text=QUOTES[n], accepted=frozenset(edges),
                    source="primary")
        for filing, n, edges in GOLD
    ]  # fmt: skip


def run_at(path: Path, said: dict[str, dict[int, str]], **asked: object) -> RunFolder:
    extractions = [
        an_extraction(filing, f"{filing}-{n}", QUOTES[n], edge) for filing, edges in said.items()
        for n, edge in edges.items()
    ]  # fmt: skip
    return finished_run(path, [filing.id for filing in FILINGS], extractions, **asked)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[RunFolder]:
    folder = tmp_path_factory.mktemp("runs")
    corpus = corpus_at(folder / "corpus")
    return [run_at(folder / name, said, corpus=str(corpus)) for name, said in SAID.items()]


@pytest.fixture(scope="module")
def measured(runs: list[RunFolder]) -> MeasuredPanel:
    return measure_panel(runs, gold=gold(), settings=PanelSettings(replicates=50))


def named(tables: tuple[Table, ...], id_: str) -> Table:
    return next(table for table in tables if table.id == id_)


def test_there_is_a_row_for_every_run_filing_and_edge(measured: MeasuredPanel) -> None:
    keys = [(row.run, row.filing_id, row.edge) for row in measured.rows]
    assert keys == [(run, filing.id, edge) for run in "ab" for filing in FILINGS for edge in GRAPH.edges]
    found = {(row.run, row.filing_id, row.edge): row for row in measured.rows}
    row = found["a", "F1", "REV-NNCA"]
    assert (row.count, row.total, row.share, row.covered, row.category) == (2, 3, 2 / 3, True, "Net Income")
    assert (row.cik, row.company, row.form, row.sic, row.division) == (
        "320193", "PUMPS, INC", "10-K", "3561", "Manufacturing",
    )  # fmt: skip
    assert (row.filed, row.period, row.filing_year, row.fiscal_year) == (
        date(2020, 3, 1), date(2019, 12, 31), 2020, 2019,
    )  # fmt: skip
    assert row.total_assets == 12_000_000_000
    # A filing that was read and of which nothing is quoted: no share, which is not 0.
    row = found["b", "F2", "REV-NNCA"]
    assert (row.count, row.total, row.share, row.covered) == (0, 0, None, False)


def test_counts_of_a_filing_add_up_to_its_total(measured: MeasuredPanel) -> None:
    for run, said in SAID.items():
        for filing in FILINGS:
            of_filing = [row for row in measured.rows if (row.run, row.filing_id) == (run, filing.id)]
            assert sum(row.count for row in of_filing) == len(said.get(filing.id, {}))
            assert {row.total for row in of_filing} == {len(said.get(filing.id, {}))}


def test_what_the_panel_holds_is_said(measured: MeasuredPanel) -> None:
    table = named(panel_tables(measured), "panel-contents")
    # 4 filings by 11 edges; two firms, one filing without a number; 4 of the rows of `a` have an extraction.
    assert table.rows == (
        ("a", 44, 4, 2, "2020–2021", 1, 40, 1),
        ("b", 44, 4, 2, "2020–2021", 3, 43, 1),
    )
    assert "1 filing without a date of filing." in table.notes


def test_corrected_shares_are_as_worked_out_by_hand(measured: MeasuredPanel) -> None:
    of_a = next(found for found in measured.corrected if found.run == "a")
    # Three of the five gold passages are among the five extractions of `a`, in two filings.
    assert (of_a.extractions, of_a.gold_filings, of_a.gold_passages) == (5, 2, 3)
    found = {share.name: share for share in of_a.shares}
    # REV: 3/5 by the run; readers less run are 0, 0 and -1, over three.
    assert found["REV-NNCA"].value == pytest.approx(3 / 5 - 1 / 3)
    # COGS: 1/5; 0, 1/2 - 1 and 1. OPEX: 0; 1/2.
    assert found["NNCA-COGS"].value == pytest.approx(1 / 5 + 1 / 6)
    assert found["NNCA-OPEX"].value == pytest.approx(1 / 6)
    assert found["CASH-DIV"].value is None
    rows = {row[1]: row for row in named(panel_tables(measured), "corrected-shares-by-edge").rows if row[0] == "a"}
    # So few labels give a value and no interval.
    labels, correction, corrected = rows["REV-NNCA"][3:]
    assert (labels, correction.value, corrected.value) == (2, pytest.approx(-1 / 3), pytest.approx(3 / 5 - 1 / 3))
    assert corrected.interval is None
    assert rows["CASH-DIV"][3:] == (0, None, None)
    # A single label in one filing corrects nothing.
    of_b = next(found for found in measured.corrected if found.run == "b")
    assert (of_b.gold_passages, {share.value for share in of_b.shares}) == (1, {None})


def test_all_extractions_that_quote_a_labelled_passage_are_labelled(tmp_path: Path) -> None:
    # F1's first passage also under a second, wrong edge.
    both = [
        an_extraction("F1", "x", QUOTES[0], "REV-NNCA"),
        an_extraction("F1", "y", QUOTES[0], "NNCA-TAX"),
        an_extraction("F2", "z", QUOTES[0], "REV-NNCA"),
        an_extraction("F3", "w", QUOTES[3], "CASH-DIV"),
    ]
    run = finished_run(tmp_path / "twice", [filing.id for filing in FILINGS], both)
    measured = measure_panel([run], gold=gold())
    (found,) = measured.corrected
    assert (found.gold_passages, found.labelled, found.gold_filings) == (2, 3, 2)
    shares = {share.name: share.value for share in found.shares}
    # REV: 2/4 by the run; readers less run are 0, 1 and -1. TAX: 1/4; 0, -1 and 0.
    assert (shares["REV-NNCA"], shares["NNCA-TAX"]) == (pytest.approx(1 / 2), pytest.approx(1 / 4 - 1 / 3))
    notes = named(panel_tables(measured), "corrected-shares").notes
    assert "twice: 3 labelled extractions of 2 filings, of 4 extractions of 4 filings. They quote 2 passages." in notes


def test_tables_of_categories_tell_another_grouping(runs: list[RunFolder]) -> None:
    measured = measure_panel(runs, gold=gold(), settings=PanelSettings(grouping="capital", replicates=50))
    told = {table.id for table in panel_tables(measured) if any("grouping “capital”" in note for note in table.notes)}
    assert told == {"panel-contents", "corrected-shares", "corrected-shares-by-year"}


def test_what_files_say_of_a_corrected_share_is_in_one_unit(tmp_path: Path) -> None:
    # Twelve filings alike but for one, so that the corrected shares have intervals.
    ids = [f"F{number:02}" for number in range(12)]
    said = [an_extraction(id_, id_, QUOTES[0], "REV-NNCA") for id_ in ids]
    labels = [
        GoldPassage(passage_id=id_, filing_id=id_, text=QUOTES[0], source="primary",
                    accepted=frozenset({"NNCA-TAX" if id_ == "F00" else "REV-NNCA"}))
        for id_ in ids
    ]  # fmt: skip
    measured = measure_panel([finished_run(tmp_path / "a", ids, said)], gold=labels)
    table = named(panel_tables(measured), "corrected-shares-by-edge")
    row = next(row for row in csv.DictReader(table_csv(table).splitlines()) if row["edge"] == "REV-NNCA")
    shown = {name: float(row[name]) for name in ("uncorrected", "correction", "corrected")}
    assert shown == {"uncorrected": 1, "correction": pytest.approx(-1 / 12), "corrected": pytest.approx(11 / 12)}
    # One of twelve filings is off by -1: from the mean of -1/12 one is off by 11/12 and eleven by 1/12, whose standard
    # error is 1/12. t of 11 degrees of freedom is 2.201.
    assert float(row["corrected low"]) == pytest.approx((11 - 2.201) / 12, abs=1e-4)
    assert float(row["corrected high"]) == pytest.approx((11 + 2.201) / 12, abs=1e-4)
    # To a reader all are per cent.
    assert "-8.3 | 91.7% \\[73.3–110.0%\\]" in table_markdown(table)


def test_years_with_labels_in_two_filings_are_corrected_by_themselves(measured: MeasuredPanel) -> None:
    (of_year,) = measured.by_year
    assert (of_year.run, of_year.year, of_year.filings, of_year.extractions) == ("a", 2020, 2, 4)
    shares = {share.name: share.value for share in of_year.shares}
    assert shares["REV-NNCA"] == pytest.approx(3 / 4 - 1 / 3)
    table = named(panel_tables(measured), "corrected-shares-by-year")
    assert {row[:2] for row in table.rows} == {("a", "2020")}
    # Filings with labels, and all labels.
    assert {row[4:6] for row in table.rows} == {(2, 3)}


def test_passages_of_filings_that_nobody_read_are_said(measured: MeasuredPanel) -> None:
    assert (measured.gold_passages, measured.gold_elsewhere) == (5, 1)
    notes = named(panel_tables(measured), "corrected-shares").notes
    assert "1 of 5 labelled passages stands in a filing that was not read, and plays no part." in notes
    assert any("right only if the labelled passages are like the run's other extractions" in note for note in notes)


def test_without_gold_there_is_the_panel_alone(runs: list[RunFolder]) -> None:
    measured = measure_panel(runs)
    assert [table.id for table in panel_tables(measured)] == ["panel-contents"]
    assert len(measured.rows) == 88


def test_both_files_hold_the_same_rows(measured: MeasuredPanel, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    assert write_panel(measured, tmp_path) == (tmp_path / "panel.csv", tmp_path / "panel.parquet")
    with (tmp_path / "panel.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 88
    assert rows[0] == {
        "run": "a", "filing_id": "F1", "cik": "320193", "company": "PUMPS, INC", "form": "10-K", "filed": "2020-03-01",
        "period": "2019-12-31", "filing_year": "2020", "fiscal_year": "2019", "sic": "3561",
        "division": "Manufacturing", "total_assets": "12000000000", "edge": "REV-NNCA", "category": "Net Income",
        "count": "2", "total": "3", "share": repr(2 / 3), "covered": "true",
    }  # fmt: skip
    assert (rows[-1]["share"], rows[-1]["cik"], rows[-1]["covered"]) == ("", "", "false")
    frame = polars.read_parquet(tmp_path / "panel.parquet")
    assert frame.columns == list(rows[0])
    assert [frame.schema[name] for name in ("filed", "filing_year", "total_assets", "share", "covered", "cik")] == [
        polars.Date, polars.Int64, polars.Int64, polars.Float64, polars.Boolean, polars.String,
    ]  # fmt: skip
    again = polars.read_csv(tmp_path / "panel.csv", schema=frame.schema)
    assert again.equals(frame)


def test_without_polars_the_panel_is_written_as_csv_alone(
    measured: MeasuredPanel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    assert write_panel(measured, tmp_path) == (tmp_path / "panel.csv",)
    assert [path.name for path in tmp_path.iterdir()] == ["panel.csv"]


def test_a_folder_of_a_panel_may_be_written_again_and_nothing_else_may_lie_there(
    measured: MeasuredPanel, tmp_path: Path
) -> None:
    for _ in range(2):
        TABLES.write(panel_tables(measured), tmp_path)
        write_panel(measured, tmp_path)
    TABLES.check(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"holds 'notes\.txt', which is no table of a panel"):
        TABLES.check(tmp_path)


def test_another_corpus_may_say_more(runs: list[RunFolder], tmp_path: Path) -> None:
    dated = FILINGS[3].model_copy(update={"filed": date(2019, 1, 1)})
    measured = measure_panel(runs, corpus=corpus_at(tmp_path / "other", (*FILINGS[:3], dated)))
    assert measured.contents[0].first_year == 2019


def test_firms_that_no_corpus_knows_are_empty_and_said(tmp_path: Path) -> None:
    run = run_at(tmp_path / "a", SAID["a"])
    measured = measure_panel([run])
    assert {(row.cik, row.filing_year) for row in measured.rows} == {(None, None)}
    notes = named(panel_tables(measured), "panel-contents").notes
    assert "Firm and year of 4 filings are not known: no corpus that was read has them." in notes
    assert any("does not say which corpus it read" in note for note in notes)


def test_what_cannot_be_a_panel_is_refused(runs: list[RunFolder], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no run to make a panel of"):
        measure_panel([])
    with pytest.raises(CorpusError, match="is no corpus folder"):
        measure_panel(runs, corpus=tmp_path)
    with pytest.raises(InputError, match="has no grouping 'colour'"):
        measure_panel(runs, settings=PanelSettings(grouping="colour"))
