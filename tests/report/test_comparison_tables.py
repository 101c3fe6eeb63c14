"""Tables of what runs extract, what their matches say, what several quote and how they vote: cells by hand, notes."""

from __future__ import annotations

import re
from dataclasses import replace

from agreement_builders import agreement, fidelity, labels, pair, shown, vote
from bs4 import BeautifulSoup
from report_builders import two_filings

from fingreat.analysis import EnsembleRow, EnsembleScore, GroupCounts, GroupsOfSize, Interval, Ratio, Volume
from fingreat.report import Table, render_report, table_csv
from fingreat.report.agreement_tables import (
    agreement_by_category_table,
    agreement_by_edge_table,
    agreement_table,
    span_table,
)
from fingreat.report.ensemble_table import ensemble_by_category_table, ensemble_table
from fingreat.report.fidelity_table import fidelity_table, near_miss_table
from fingreat.report.groups_table import groups_table
from fingreat.report.latex import table_latex
from fingreat.report.tables import NO_SHARE
from fingreat.report.volume_table import volume_table

BOTH_WAYS = [pair("a", "b"), pair("b", "a", agreement(5, 4))]


def has(table: Table, words: str) -> bool:
    return any(words in note for note in table.notes)


def test_matches_are_counted_by_what_their_figures_say() -> None:
    table = fidelity_table([pair()])
    assert labels(table) == [
        *("run", "reference", "matched", "equal", "no figures", "same figures", "more in one", "other figures"),
        *("figures agree", "near misses"),
    ]
    # Two of the three have figures, the same in one.
    assert shown(table) == [
        "a | b | 3 | 33.3% (1/3) | 1 | 1 | 0 | 1 | 50.0% (1/2) [25.0–87.5%] | 33.3% (1/3) [25.0–87.5%]"
    ]
    assert has(table, "2,000 times (seed 20261010)")
    assert not has(table, "which of them is the reference plays no part")


def test_two_runs_have_one_row_whichever_is_the_reference() -> None:
    pairs = [pair("a", "b"), pair("a", "c"), pair("b", "a"), pair("b", "c"), pair("c", "a"), pair("c", "b")]
    for table in (fidelity_table(pairs), near_miss_table(pairs)):
        assert [row[:2] for row in table.rows] == [("a", "b"), ("a", "c"), ("b", "c")]
        assert has(table, "which of them is the reference plays no part")


def test_near_misses_are_counted_by_kind() -> None:
    table = near_miss_table([pair()])
    assert labels(table)[2:] == ["matched", "near misses", "direction", "figure", "modal", "negation", "scale"]
    assert shown(table) == ["a | b | 3 | 1 | 1 | 1 | 0 | 0 | 0"]
    assert has(table, "A near miss that differs in several kinds counts in each.")


def test_without_matches_nothing_is_said_of_figures() -> None:
    table = fidelity_table([pair(counts=fidelity(matched=0))])
    assert shown(table) == ["a | b | 0 | – (0/0) | 0 | 0 | 0 | 0 | – (0/0) | – (0/0)"]
    assert table.all_notes[-1] == NO_SHARE
    assert shown(near_miss_table([pair(counts=fidelity(matched=0))])) == ["a | b | 0 | 0 | 0 | 0 | 0 | 0 | 0"]


def test_volume_is_given_for_a_filing_and_in_all() -> None:
    # Eight filings with 12,345 extractions, three of them empty, 1,234,567 characters quoted.
    table = volume_table(
        {
            "a": Volume(12_345, 8, 3, 2, 1_234_567, 0.0, 1.5, 2000.25),
            "none": Volume(0, 0, 0, 0, 0, None, None, None),
        }
    )
    assert labels(table) == [
        *("run", "extractions", "in the text", "filings", "without any"),
        *("mean", "25%", "median", "75%", "characters"),
    ]
    assert shown(table) == [
        "a | 12,345 | >99.9% (12,343/12,345) | 8 | 3 | 1,543.1 | 0.0 | 1.5 | 2,000.2 | 154,321",
        "none | 0 | – (0/0) | 0 | 0 | – | – | – | – | –",
    ]
    assert table_csv(table).splitlines()[2] == "none,0,,0,0,0,0,,,,,"
    assert table_csv(table).splitlines()[1].endswith(",12343,12345,8,3,1543.125,0.0,1.5,2000.25,154320.875")


SIZES = (GroupsOfSize(2, 4, 3, 0, 1), GroupsOfSize(3, 6, 2, 3, 1))


def test_groups_are_counted_by_size_and_in_all() -> None:
    # Of two runs more than half are both: what is not unanimous is split.
    table = groups_table(GroupCounts(("x", "y", "z"), 2, SIZES, 0, {"x": 8, "y": 9, "z": 9}))
    assert table.title == "Passages that several of 3 runs quote"
    assert labels(table) == ["runs", "groups", "unanimous", "majority", "split"]
    assert shown(table) == [
        "2 | 4 | 75.0% (3/4) | – | 25.0% (1/4)",
        "3 | 6 | 33.3% (2/6) | 50.0% (3/6) | 16.7% (1/6)",
        "All | 10 | 50.0% (5/10) | 30.0% (3/10) | 20.0% (2/10)",
    ]
    assert table.totals == 1
    assert has(table, "Two runs are unanimous or split")
    assert not has(table, "linked by matches")
    larger = groups_table(GroupCounts(("x", "y", "z"), 2, SIZES[1:], 0, {}))
    assert shown(larger)[1] == "All | 6 | 33.3% (2/6) | 50.0% (3/6) | 16.7% (1/6)"
    assert not has(larger, "Two runs are unanimous or split")


def test_torn_groups_are_told() -> None:
    def notes(torn: int) -> tuple[str, ...]:
        return groups_table(GroupCounts(("x", "y", "z"), 2, SIZES, torn, {})).notes

    why = "no group: a run is in it twice, or two of the quotes are not matched."
    assert f"1 more set of quotes that are linked by matches is {why}" in notes(1)
    assert f"1,200 more sets of quotes that are linked by matches are {why}" in notes(1200)


def test_no_groups_have_no_shares() -> None:
    table = groups_table(GroupCounts(("x", "y"), 2, (GroupsOfSize(2, 0, 0, 0, 0),), 0, {}))
    assert shown(table) == ["2 | 0 | – (0/0) | – | – (0/0)", "All | 0 | – (0/0) | – | – (0/0)"]
    assert table.all_notes[-1] == NO_SHARE


def test_the_vote_stands_beside_its_members_with_the_difference_in_points() -> None:
    table = ensemble_table([vote()])
    assert labels(table) == ["reference", "run", "precision", "ensemble's gain"]
    assert [row.replace("\N{NO-BREAK SPACE}", " ") for row in shown(table)] == [
        "gold & co | ensemble | 80.0% (4/5) [25.0–87.5%] | –",
        "gold & co | m1 | 60.0% (3/5) [25.0–87.5%] | +20.0 [-10.0 to +50.0]",
        "gold & co | m2 | 100% (5/5) [25.0–87.5%] | -20.0 [-40.0 to 0]",
        "gold & co | m3 | 80.0% (4/5) [25.0–87.5%] | 0",
    ]
    assert (
        "Against gold & co: all 3 members quote 10 passages; 8 have an edge of at least 2 members, on 2 the "
        "ensemble abstains. The reference quotes 5 of the former, which are 12.5% (5/40) of its extractions, and 1 of "
        "the latter."
    ) in table.notes
    assert has(table, "Draws in which a measure is 0/0 are left out, 10 at most.")
    csv = table_csv(table).splitlines()
    assert csv[0].endswith("precision low,precision high,ensemble's gain,ensemble's gain low,ensemble's gain high")
    assert csv[1] == "gold & co,ensemble,0.8,4,5,0.25,0.875,,,"
    assert re.fullmatch(r"gold & co,m1,0\.6,3,5,0\.25,0\.875,0\.2\d*,-0\.1,0\.5", csv[2])


def test_every_reference_has_its_rows_and_its_note() -> None:
    table = ensemble_table([vote("r"), vote("s")])
    assert [row[:2] for row in table.for_reading().rows] == [
        *(("r", "ensemble"), ("", "m1"), ("", "m2"), ("", "m3")),
        *(("s", "ensemble"), ("", "m1"), ("", "m2"), ("", "m3")),
    ]
    assert has(table, "Against r:")
    assert has(table, "Against s:")


def test_members_stand_together_within_a_category() -> None:
    table = ensemble_by_category_table([vote()])
    assert labels(table) == ["reference", "category", "run", "precision"]
    ends = "[25.0–87.5%]"
    assert [row.removeprefix("gold & co | ") for row in shown(table)] == [
        f"Net Income | ensemble | 75.0% (3/4) {ends}",
        f"Net Income | m1 | 50.0% (2/4) {ends}",
        f"Net Income | m2 | 100% (4/4) {ends}",
        f"Net Income | m3 | 100% (4/4) {ends}",
        "Equity | ensemble | 100% (1/1)",
        "Equity | m1 | 100% (1/1)",
        "Equity | m2 | 100% (1/1)",
        "Equity | m3 | 0% (0/1)",
    ]
    assert table.detail


def test_a_vote_that_decides_nothing_has_no_precision_and_no_gain() -> None:
    rows = tuple(EnsembleRow(name, Ratio(0, 0), ()) for name in ("ensemble", "m1", "m2"))
    score = EnsembleScore("r", 1, 2, 2, 0, 0, 0, 0, 0, Ratio(0, 0), rows)
    table = ensemble_table([score])
    assert shown(table) == [f"r | {name} | – (0/0) | –" for name in ("ensemble", "m1", "m2")]
    assert has(table, "Against r: both members quote 0 passages; 0 have an edge of at least 2 members")
    assert has(table, "which are – (0/0) of its extractions")
    assert has(table, "Of one filing alone there are no intervals")
    assert shown(ensemble_by_category_table([score])) == []
    assert ensemble_table([]).rows == ()


def test_two_members_can_only_say_what_both_say_so_there_is_no_gain() -> None:
    rows = tuple(EnsembleRow(name, Ratio(3, 4), (), Interval(0.0, 0.0, 2000)) for name in ("ensemble", "m1", "m2"))
    table = ensemble_table([EnsembleScore("r", 300, 2, 2, 5, 4, 1, 4, 0, Ratio(4, 9), rows)])
    assert shown(table) == [f"r | {name} | 75.0% (3/4) | –" for name in ("ensemble", "m1", "m2")]
    assert has(table, "there is no gain to measure")
    assert not has(table, "in percentage points")
    assert not has(ensemble_table([vote()]), "there is no gain to measure")


def test_every_table_of_matches_says_what_a_match_is() -> None:
    # The constant is that of the published rule.
    what = "overlap (the largest of equality, containment, shared fragments and common order of words) is at least 0.80"
    tables = (
        *(make([pair()]) for make in (agreement_table, agreement_by_category_table, fidelity_table, near_miss_table)),
        *(make([vote()]) for make in (ensemble_table, ensemble_by_category_table)),
        groups_table(GroupCounts(("x", "y", "z"), 2, SIZES, 0, {})),
    )
    for table in tables:
        assert has(table, what), table.id
        assert not any("no truth" in note or "exact" in note.lower() for note in table.notes), table.id


def test_tables_of_edges_say_where_ties_decide_them() -> None:
    why = "All that is said of edges here rests on that one assignment"
    for make in (ensemble_table, ensemble_by_category_table):
        assert has(make([vote()]), why)
    assert has(groups_table(GroupCounts(("x", "y", "z"), 2, SIZES, 0, {})), why)
    for make in (agreement_by_category_table, agreement_by_edge_table):
        assert has(make([pair(words=agreement(ends=(1, 3)))]), why)
        assert not has(make([pair(words=agreement(ends=(2, 2)))]), why)
    assert not has(span_table([pair(words=agreement(ends=(1, 3)))]), why)
    assert has(span_table([replace(pair(), spans=agreement(matched=2, same=1, ends=(0, 1)))]), why)


def test_a_paper_has_an_interval_beside_the_numbers() -> None:
    source = table_latex(agreement_by_category_table([pair()]))
    ends = r"{[}25.0–87.5\%{]}"
    assert rf"a & b & Net Income & 75.0\% & 3/4 & {ends} & 66.7\% & 2/3 & {ends} \\" in source
    assert r"\begin{tabular}{lll" + 2 * "rrr" + "}" in source
    assert source.count(r"\multicolumn{3}{c}") == 2
    source = table_latex(ensemble_table([vote()]))
    assert rf"& m1 & 60.0\% & 3/5 & {ends} & +20.0 & {{[}}$-$10.0 to +50.0{{]}} \\" in source
    assert rf"gold \& co & ensemble & 80.0\% & 4/5 & {ends} & – &  \\" in source
    assert r"\begin{tabular}{llrrrrr}" in source
    assert r"\multicolumn{2}{c}{\shortstack[c]{Ensemble's \\ gain}}" in source


def test_a_paper_that_is_too_narrow_has_the_parts_of_a_share_below_each_other() -> None:
    lines = table_latex(agreement_table(BOTH_WAYS)).split("\n")
    ends = r"{[}25.0–87.5\%{]}"
    assert "% Below each other: per cent, k/n, [interval]." in lines
    assert "% Left out for want of room, but in the CSV file: matched." in lines
    assert r"\begin{tabular}{llrrrrr}" in lines
    assert lines[lines.index(r"\toprule") + 1] == (
        r"Run & Reference & Extractions & \shortstack[r]{Of the \\ reference} & Recall & Jaccard & "
        r"\shortstack[r]{Conditional \\ precision} \\"
    )
    first = lines.index(r"\midrule") + 1
    assert lines[first : lines.index(r"\bottomrule")] == [
        r"a & b & 4 & 5 & 60.0\% & 50.0\% & 66.7\% \\",
        r" &  &  &  & 3/5 & 3/6 & 2/3 \\",
        rf" &  &  &  & {ends} & {ends} & {ends} \\",
        r"\addlinespace",
        r"b & a & 5 & 4 & 75.0\% & 50.0\% & 66.7\% \\",
        r" &  &  &  & 3/4 & 3/6 & 2/3 \\",
        rf" &  &  &  & {ends} & {ends} & {ends} \\",
    ]
    lines = table_latex(agreement_table([pair("a long name", "another name"), pair("b")])).split("\n")
    assert "% Left out for want of room, but in the CSV file: of the reference, matched." in lines
    assert r"\addlinespace" not in table_latex(groups_table(GroupCounts(("x", "y", "z"), 2, SIZES, 0, {})))


EVIL = "<b onclick=x>\\input{/etc/passwd} & 50% $1 [red]"


def test_names_of_runs_are_no_markup() -> None:
    one = pair(EVIL, "b", unplaced=(1, 0))
    score = vote(EVIL)
    tables = (
        *(agreement_table([one]), agreement_by_category_table([one]), span_table([one]), fidelity_table([one])),
        *(near_miss_table([one]), volume_table({EVIL: Volume(1, 1, 0, 0, 9, 1.0, 1.0, 1.0)})),
        *(ensemble_table([score]), ensemble_by_category_table([score])),
    )
    page = BeautifulSoup(render_report(two_filings(tables=tables)), "html5lib")
    for table in tables:
        place = page.find(id=f"table-{table.id}")
        assert place.find("b") is None
        assert EVIL in place.tbody.get_text()
        assert "\\input{" not in table_latex(table)
        assert r"\textbackslash{}input\{/etc/passwd\} \& 50\% \$1 {[}red{]}" in table_latex(table).replace(
            r"\allowbreak{}", ""
        )
    assert f"Against {EVIL}: all 3 members" in page.find(id="table-ensemble").get_text()


def test_a_page_has_the_interval_below_the_numbers_of_a_share_and_beside_a_difference() -> None:
    page = BeautifulSoup(render_report(two_filings(tables=(ensemble_table([vote()]),))), "html5lib")
    place = page.find(id="table-ensemble")
    assert [(th.get_text(), th.get("colspan")) for th in place.thead("th")] == [
        *(("Reference", None), ("Run", None), ("Precision", "2"), ("Ensemble's gain", "2"))
    ]
    cells = [[cell.get_text().replace("\N{NO-BREAK SPACE}", " ") for cell in row] for row in place.tbody("tr")]
    assert cells[:2] == [
        ["gold & co", "ensemble", "80.0%", "4/5 25.0–87.5%", "–", ""],
        ["gold & co", "m1", "60.0%", "3/5 25.0–87.5%", "+20.0", "-10.0 to +50.0"],
    ]


def test_tables_of_categories_say_which_grouping_if_it_is_not_the_usual_one() -> None:
    for make, found in ((agreement_by_category_table, [pair()]), (ensemble_by_category_table, [vote()])):
        assert any("grouping “capital”" in note for note in make(found, grouping="capital").notes)
        assert not any("grouping" in note for note in make(found).notes)
