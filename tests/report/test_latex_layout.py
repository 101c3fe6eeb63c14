"""How tables fit on a page of a paper: names above their rows, parts below each other, tables that break."""

from __future__ import annotations

import re
from itertools import product

from fingreat.report import Column, Points, Share, Table
from fingreat.report.latex import table_latex

NAMES = (Column(label="run", once=True), Column(label="reference", once=True), Column(label="edge"))
SHARES = tuple(Column(label=label, kind="share") for label in ("recall", "conditional precision"))
HALF = Share(k=12, n=24, interval=(0.25, 0.75))


def by_edge(*pairs: tuple[str, str], edges: int, spare: tuple[Column, ...] = (), totals: int = 0) -> Table:
    """A row for each pair of runs and each edge."""
    return Table(
        id="by-edge",
        title="By edge",
        columns=(*NAMES, *spare, *SHARES),
        rows=tuple(
            (*pair, f"EDGE-{n:02}", *[1 for _ in spare], HALF, HALF) for pair, n in product(pairs, range(edges))
        ),
        notes=("A note.",),
        totals=totals,
    )


LONG_NAMES = ("lexicon-quote_1", "embed-quote")


def test_names_stand_above_their_rows_before_shares_are_taken_apart() -> None:
    lines = table_latex(by_edge(LONG_NAMES, ("b", "embed-quote"), edges=2)).split("\n")
    assert r"\footnotesize\setlength{\tabcolsep}{3.5pt}" in lines
    assert r"\begin{tabular}{lrrrrrr}" in lines
    row = r"50.0\% & 12/24 & {[}25.0–75.0\%{]} & 50.0\% & 12/24 & {[}25.0–75.0\%{]} \\"
    assert lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")] == [
        r"\multicolumn{7}{l}{\textit{Run lexicon-quote\_1, reference embed-quote}} \\",
        f"EDGE-00 & {row}",
        f"EDGE-01 & {row}",
        r"\addlinespace",
        r"\multicolumn{7}{l}{\textit{Run b, reference embed-quote}} \\",
        f"EDGE-00 & {row}",
        f"EDGE-01 & {row}",
    ]
    assert not any(line.startswith("% Below each other") for line in lines)


def test_names_of_one_row_each_get_no_line_of_their_own() -> None:
    source = table_latex(by_edge(LONG_NAMES, ("b", "embed-quote"), edges=1))
    assert r"\textit" not in source
    assert "% Below each other: per cent, k/n, [interval]." in source


def test_a_table_too_wide_for_parts_below_each_other_has_its_names_above_them() -> None:
    spare = tuple(Column(label=f"number {n:02}", kind="count", spare=n > 5) for n in range(8))
    lines = table_latex(by_edge(LONG_NAMES, edges=1, spare=spare)).split("\n")
    assert [line for line in lines if line.startswith("% ")][1:] == [
        "% Below each other: per cent, k/n, [interval].",
        "% Left out for want of room, but in the CSV file: number 06, number 07.",
    ]
    assert lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")] == [
        r"\multicolumn{9}{l}{\textit{Run lexicon-quote\_1, reference embed-quote}} \\",
        r"EDGE-00 & 1 & 1 & 1 & 1 & 1 & 1 & 50.0\% & 50.0\% \\",
        r" &  &  &  &  &  &  & 12/24 & 12/24 \\",
        r" &  &  &  &  &  &  & {[}25.0–75.0\%{]} & {[}25.0–75.0\%{]} \\",
    ]


def test_long_names_stand_above_their_rows_in_as_many_lines_as_they_need() -> None:
    def above(*names: str) -> list[str]:
        made = Table(id="t", title="T", columns=(*NAMES[:2], *SHARES), rows=((*names, HALF, HALF),))
        return re.findall(r"\\textit\{(.*)\}\} ", table_latex(made))

    # Some 80 characters of 4.45 pt are the width of a page.
    assert above("a" * 36, "b" * 28) == ["Run " + "a" * 36 + ", reference " + "b" * 28]
    assert above("a" * 36, "b" * 30) == ["Run " + "a" * 36, "Reference " + "b" * 30]
    assert above("a" * 30, "b") == []


def test_counts_too_wide_with_their_names_have_these_above_them() -> None:
    columns = (*NAMES[:2], *(Column(label=f"number {n}", kind="count") for n in range(4)))
    made = Table(id="t", title="T", columns=columns, rows=(("a" * 36, "b" * 36, 1, 2, 3, 4),))
    lines = table_latex(made).split("\n")
    assert lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")] == [
        rf"\multicolumn{{4}}{{l}}{{\textit{{Run {'a' * 36}}}}} \\",
        rf"\multicolumn{{4}}{{l}}{{\textit{{Reference {'b' * 36}}}}} \\",
        r"1 & 2 & 3 & 4 \\",
    ]


def test_sums_stay_under_the_columns_they_sum() -> None:
    assert r"\textit" not in table_latex(by_edge(LONG_NAMES, edges=4, totals=1))


def test_a_table_longer_than_a_page_breaks_and_says_what_it_needs() -> None:
    lines = table_latex(by_edge(LONG_NAMES, ("b", "c"), edges=30), ["Made by x"]).split("\n")
    assert lines[:4] == [
        "% Made by x",
        r"% Needs \usepackage{booktabs,array,longtable}. In UTF-8, for pdfLaTeX of 2020 and later, run until no width "
        "changes.",
        "% Longer than a page: it breaks between rows, does not float, and needs a text in one column.",
        r"\begingroup",
    ]
    assert lines[5:9] == [r"\begin{longtable}{lrrrrrr}", r"\caption{By edge}", r"\label{tab:by-edge} \\", r"\toprule"]
    again = lines.index(r"\caption[]{By edge (continued)} \\")
    # The same head on every page; the rule below stands at the end of each.
    assert lines[again + 1 : again + 5] == [*lines[8:11], r"\endhead"]
    assert lines[again + 5 : again + 7] == [r"\bottomrule", r"\endfoot"]
    assert lines[9].startswith("Edge & ")
    assert lines[11] == r"\endfirsthead"
    rows = lines[again + 7 : lines.index(r"\end{longtable}")]
    assert sum(line.startswith("EDGE-") for line in rows) == 60
    # No page ends with the names of what follows.
    assert [line for line in rows if line.endswith(r"\\*")] == [
        r"\multicolumn{7}{l}{\textit{Run lexicon-quote\_1, reference embed-quote}} \\*",
        r"\multicolumn{7}{l}{\textit{Run b, reference c}} \\*",
    ]
    assert "A note." in lines
    assert lines[-2:] == [r"\endgroup", ""]
    assert r"\begin{table}" not in lines


def test_a_table_breaks_as_soon_as_its_rows_fill_a_page() -> None:
    # 540 pt less some 60 for caption, head and rules are 35 lines of 13.6 pt, and 43 of 11 pt in small letters.
    def is_long(rows: int, label: str) -> bool:
        columns = tuple(Column(label=f"{label} {n}", kind="count") for n in range(5))
        table = Table(id="t", title="T", columns=columns, rows=(tuple(range(5)),) * rows)
        return "longtable" in table_latex(table)

    assert [is_long(rows, "n") for rows in (34, 37)] == [False, True]
    assert [is_long(rows, "a longer label") for rows in (42, 45)] == [False, True]


def test_a_minus_sign_is_no_hyphen_and_a_hyphen_no_minus_sign() -> None:
    columns = (
        *(Column(label="a"), Column(label="gain", kind="points"), Column(label="n", kind="number")),
        Column(label="usd", kind="money"),
    )
    rows = (("lexicon-quote", Points(value=-0.25, interval=(-0.5, 0.0)), -1.5, -5.0),)
    source = table_latex(Table(id="t", title="T", columns=columns, rows=rows))
    assert re.search(r"^lexicon-quote & (.*) \\\\$", source, re.MULTILINE)[1] == (  # type: ignore[index]
        r"$-$25.0 & {[}$-$50.0 to 0{]} & $-$1.500 & $-$\$5"
    )
