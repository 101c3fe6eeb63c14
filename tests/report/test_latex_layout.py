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
        r"\multicolumn{7}{l}{\textit{Run: lexicon-quote\_1, reference: embed-quote}} \\",
        f"EDGE-00 & {row}",
        f"EDGE-01 & {row}",
        r"\addlinespace",
        r"\multicolumn{7}{l}{\textit{Run: b, reference: embed-quote}} \\",
        f"EDGE-00 & {row}",
        f"EDGE-01 & {row}",
    ]
    assert not any(line.startswith("% Below each other") for line in lines)


def test_names_of_one_row_each_get_no_line_of_their_own() -> None:
    source = table_latex(by_edge(LONG_NAMES, ("b", "embed-quote"), edges=1))
    assert r"\textit" not in source
    assert "% Below each other: per cent, k/n, [interval]." in source


def test_a_table_too_wide_for_parts_below_each_other_has_its_columns_in_panels_with_all_names() -> None:
    numbers = tuple(Column(label=f"number {n:02}", kind="count", spare=n > 5) for n in range(12))
    source = table_latex(by_edge(LONG_NAMES, edges=4, spare=numbers))
    lines = source.split("\n")
    assert [line for line in lines if line.startswith("% ")][1:] == [
        "% Too wide for a page: its columns are divided into panels.",
        f"% Left out for want of room, but in the CSV file: {', '.join(f'number {n:02}' for n in range(6, 12))}.",
    ]
    heads = [lines[place + 1] for place, line in enumerate(lines) if line == r"\toprule"]
    assert all(head.startswith("Run & Reference & Edge & ") for head in heads)
    assert [re.findall(r"Number \\\\ (\d+)", head) for head in heads] == [["00", "01", "02", "03", "04"], ["05"], []]
    assert [head.count(r"\multicolumn{3}") for head in heads] == [0, 1, 1]
    assert source.count(r"\begin{tabular}") == 3
    assert source.count(r"\caption") == source.count(r"\label") == 1


def test_panels_of_a_table_longer_than_a_page_have_one_number() -> None:
    numbers = tuple(Column(label=f"number {n:02}", kind="count") for n in range(12))
    source = table_latex(by_edge(LONG_NAMES, edges=40, spare=numbers, totals=1))
    lines = source.split("\n")
    begun = [place for place, line in enumerate(lines) if line.startswith(r"\begin{longtable}")]
    assert len(begun) > 1
    assert [lines[place - 1] == r"\addtocounter{table}{-1}" for place in begun] == [False, *[True] * (len(begun) - 1)]
    assert source.count(r"\caption{") == source.count(r"\label") == 1


def test_lines_above_rows_are_wrapped_if_they_are_wider_than_a_page() -> None:
    def above(*names: str) -> list[str]:
        rows = ((*names, HALF, HALF),) * 2
        made = Table(id="t", title="T", columns=(*NAMES[:2], *SHARES), rows=rows)
        return re.findall(r"^\\multicolumn\{6\}\{(.*)\}\{\\textit\{(.*)\}\} ", table_latex(made), re.MULTILINE)

    # The letters of "Run: , reference: " and 52 of 9 pt, half as wide as high, are 320 pt of the 360 that a page has.
    assert above("a" * 26, "b" * 26) == [("l", f"Run: {'a' * 26}, reference: {'b' * 26}")]
    [(place, text)] = above("a" * 40, "b" * 40)
    assert place == r"p{\dimexpr\linewidth-2\tabcolsep}"
    assert text.replace(r"\allowbreak{}", "") == f"Run: {'a' * 40}, reference: {'b' * 40}"


def test_names_are_wrapped_where_a_table_is_too_wide_with_them_and_the_longest_most() -> None:
    columns = (*NAMES[:2], *(Column(label=f"number {n}", kind="count") for n in range(4)))
    rows = tuple((name, f"b-{'0123456789' * 3}0123", 1, 2, 3, 4) for name in ("a-longer-name", "b"))
    source = table_latex(Table(id="t", title="T", columns=columns, rows=rows))
    wrap = re.search(r"\\begin\{tabular\}\{l>\{.*\}p\{(\d+)pt\}rrrr\}", source)
    assert wrap
    # 13 letters and 4 x 6 of some 5 pt, and 6 x 5 pt of space, leave about 360 - 215.
    assert 125 <= int(wrap[1]) <= 165
    assert r"a-longer-name & b-\allowbreak{}0123\allowbreak{}4567\allowbreak{}8901" in source
    # Rows of several lines are apart.
    assert source.count(r"\addlinespace") == 1


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
    # Pages end after half of a pair's rows, which would fill more than half a page, or all, and begin with its names.
    ends = [place for place, line in enumerate(rows) if line.endswith(r" \\")]
    assert [rows[place][:7] for place in ends] == ["EDGE-14", "EDGE-29", "EDGE-14", "EDGE-29"]
    names = [r"Run: lexicon-quote\_1, reference: embed-quote"] * 2 + ["Run: b, reference: c"] * 2
    begun = [place for place, line in enumerate(rows) if "textit" in line]
    assert [rows[place] for place in begun] == [rf"\multicolumn{{7}}{{l}}{{\textit{{{name}}}}} \\*" for name in names]
    assert begun == [0, *(place + 2 for place in ends[:-1])]
    assert [rows[place - 1] for place in begun[1:]] == [r"\addlinespace"] * 3
    # Notes in a box could be higher than a page.
    assert lines[-6:] == [r"\end{longtable}", r"\footnotesize\raggedright", "A note.", r"\par", r"\endgroup", ""]
    assert r"\begin{table}" not in lines


def test_every_page_of_a_long_table_begins_with_all_names_of_its_first_row() -> None:
    made = by_edge(("a", "b"), ("a", "c"), edges=30).only((0, 1, 2, 3))
    lines = table_latex(made).split("\n")
    rows = [line for line in lines if "EDGE-" in line]
    assert r"\begin{longtable}{lllrrr}" in lines
    assert r"\textit" not in "".join(lines)
    # 30 lines of 13.6 pt are 408 of the 540 pt of a page, more than half of it: two parts of 15 rows for each pair.
    begun = [place for place, line in enumerate(rows) if not line.startswith(" &")]
    assert begun == [0, 15, 30, 45]
    assert [rows[place][:8] for place in begun] == ["a & b & ", "a & b & ", "a & c & ", "a & c & "]
    # A page ends only before such a row.
    assert [place for place, line in enumerate(rows, 1) if not line.endswith(r"\\*")] == [15, 30, 45, 60]


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
