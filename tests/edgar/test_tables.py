"""Tables of filings as Markdown: small tables as filers set them, with the rows a reader would write by hand."""

from __future__ import annotations

import pytest

from fingreat.edgar import read_section


def text_of(table: str) -> str:
    """The section of a filing that has a discussion with this table in it."""
    words = "Sales rose by a tenth because the harvest was good and the mill ran day and night all year. " * 8
    body = (
        "<p><b>Item 7. Management's Discussion and Analysis</b></p>"
        f"<p>{words}</p>{table}<p><b>Item 8. Financial Statements</b></p><p>See the pages that follow.</p>"
    )
    return read_section(f"<html><body>{body}</body></html>".encode()).text


def rows_of(table: str) -> list[list[str]]:
    """The cells of the section's only Markdown table, the delimiter row left out."""
    lines = [line for line in text_of(table).split("\n") if line.startswith("|")]
    assert lines[1] == "| --- " * (lines[1].count("|") - 1) + "|", "the second line is the delimiter row"
    rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in (lines[0], *lines[2:])]
    assert len({len(row) for row in rows}) == 1, "every row has the same number of columns"
    return rows


def table(*rows: str) -> str:
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"


def cells(*texts: str) -> str:
    return "".join(f"<td>{text}</td>" for text in texts)


def test_words_with_numbers_in_them_are_heads() -> None:
    found = rows_of(
        table(
            cells("(in millions)", "Change 2022 to 2023", "FY06 vs. FY05", "1-3 Years", "After 2029"),
            cells("Revenue", "4.3", "1.2", "7.5", "8.0"),
            cells("Costs", "(3.8)", "0.4", "7.1", "2.0"),
        )
    )
    assert found[0] == ["(in millions)", "Change 2022 to 2023", "FY06 vs. FY05", "1-3 Years", "After 2029"]
    assert found[1] == ["Revenue", "4.3", "1.2", "7.5", "8.0"]


def test_a_title_and_a_unit_above_the_years_belong_to_the_head() -> None:
    found = rows_of(
        table(
            "<td colspan=3>Goodwill by segment</td>",
            cells("In millions of dollars", "", ""),
            cells("", "2015", "2014"),
            cells("Media", "2,579", "2,511"),
            cells("Digital", "1,340", "1,402"),
        )
    )
    assert found[0] == ["Goodwill by segment In millions of dollars", "2015", "2014"]
    assert found[1:] == [["Media", "2,579", "2,511"], ["Digital", "1,340", "1,402"]]


def test_what_spans_years_stands_at_each_of_them() -> None:
    found = rows_of(
        table(
            "<td></td><td colspan=2>Three months ended July 27,</td><td colspan=2>Years ended July 27,</td>",
            cells("", "2024", "2023", "2024", "2023"),
            cells("Revenue", "13,642", "15,203", "53,803", "56,998"),
            cells("Costs", "4,863", "5,455", "18,975", "21,245"),
        )
    )
    assert found[0] == [
        "",
        "Three months ended July 27, 2024",
        "Three months ended July 27, 2023",
        "Years ended July 27, 2024",
        "Years ended July 27, 2023",
    ]


def test_words_above_figures_are_a_second_row_of_heads() -> None:
    found = rows_of(
        table(
            "<td></td><td colspan=2>2022</td>",
            cells("(in millions)", "As reported", "Constant currency"),
            cells("Revenue", "72,386", "72,464"),
            cells("Costs", "40,101", "40,120"),
        )
    )
    assert found[0] == ["(in millions)", "2022 As reported", "2022 Constant currency"]


def test_words_above_words_are_data() -> None:
    found = rows_of(
        table(
            cells("", "Moody's", "S&amp;P"),
            cells("Outlook", "Stable", "Negative"),
            cells("Short term", "P-2", "A-2"),
            cells("Long term", "Baa1", "BBB+"),
        )
    )
    assert found[0] == ["", "Moody's", "S&P"]
    assert found[1] == ["Outlook", "Stable", "Negative"]


def test_a_label_below_the_heads_is_data_and_a_unit_in_brackets_is_none() -> None:
    found = rows_of(
        table(
            cells("", "2024", "2023"),
            cells("(in thousands)", "", ""),
            cells("Revenues:", "", ""),
            cells("Flour", "310", "290"),
        )
    )
    assert found == [["(in thousands)", "2024", "2023"], ["Revenues:", "", ""], ["Flour", "310", "290"]]


def test_words_below_a_label_are_data_even_above_figures() -> None:
    found = rows_of(
        table(
            cells("", "2024", "2023"),
            cells("Assumptions:", "", ""),
            cells("Basis", "spot", "forward"),
            cells("Rate", "5.1%", "4.9%"),
            cells("Growth", "2.0%", "2.1%"),
        )
    )
    assert found[:3] == [["", "2024", "2023"], ["Assumptions:", "", ""], ["Basis", "spot", "forward"]]


def test_a_table_without_heads_keeps_all_its_rows_as_data() -> None:
    found = rows_of(table(cells("Tax rate", "24.4%", "24.3%"), cells("Statutory rate", "21.0%", "21.0%")))
    assert found == [["", "", ""], ["Tax rate", "24.4%", "24.3%"], ["Statutory rate", "21.0%", "21.0%"]]


def test_a_title_alone_is_the_head_of_what_follows() -> None:
    found = rows_of(table(cells("Gross margin percentage:", "", ""), cells("Products", "37.2%", "36.5%")))
    assert found == [["Gross margin percentage:", "", ""], ["Products", "37.2%", "36.5%"]]


def test_empty_values_are_not_run_together() -> None:
    found = rows_of(table(cells("", "2024", "2023"), cells("Leases", "-", "-"), cells("Debt", "5", "(7)")))
    assert found[1] == ["Leases", "-", "-"]


@pytest.mark.parametrize(
    ("split", "joined"),
    [
        (["$", "9,843"], "$9,843"),
        (["$", "(315,651", ")"], "$(315,651)"),
        (["$", "Nil"], "$Nil"),
        (["$", "―"], "$―"),
        (["(0.6", ") ppts."], "(0.6) ppts."),
        (["(19.3%", ")"], "(19.3%)"),
        (["n.m.", "%"], "n.m.%"),
        (["(", "5", ")", "%"], "(5)%"),
        (["-", "5"], "-5"),
        (["3.4", "x"], "3.4x"),
        (["80", "bps"], "80 bps"),
    ],
)
def test_a_value_set_in_several_cells_is_one(split: list[str], joined: str) -> None:
    blanks = "<td></td>" * (len(split) - 1)
    found = rows_of(
        table(
            f"<td></td><td colspan={len(split)}>2024</td><td>&#160;</td><td>2023</td>",
            f"{cells('Sales', *split)}<td>&#160;</td><td>11</td>",
            f"<td>Other</td><td>12</td>{blanks}<td>&#160;</td><td>13</td>",
        )
    )
    assert found[0] == ["", "2024", "2023"]
    assert found[1] == ["Sales", joined, "11"]


def test_a_note_mark_after_a_figure_is_parted_from_it() -> None:
    found = rows_of(table(cells("", "2024", "2023"), cells("Asset impairments<sup>2</sup>", "1,011<sup>3</sup>", "7")))
    assert found[1] == ["Asset impairments 2", "1,011 3", "7"]


def test_cells_that_are_not_displayed_take_no_column() -> None:
    hidden = '<td style="display:none" colspan=3></td>' * 2
    found = rows_of(
        table(
            '<td></td><td colspan=2 style="text-align:center">2022</td><td colspan=2>2021</td>',
            f"<td>(in millions)</td>{hidden}{cells('Reported', 'Constant', 'Reported', 'Constant')}",
            f"<td>Broadband</td>{hidden}{cells('24,469', '24,470', '22,979', '22,980')}",
        )
    )
    assert found[0] == ["(in millions)", "2022 Reported", "2022 Constant", "2021 Reported", "2021 Constant"]


def test_cells_under_a_row_span_are_blank_and_shift_nothing() -> None:
    found = rows_of(
        table(
            cells("Region", "Kind", "2024"),
            "<td rowspan=2>North</td>" + cells("Wheat", "10"),
            cells("Rye", "20"),
        )
    )
    assert found == [["Region", "Kind", "2024"], ["North", "Wheat", "10"], ["", "Rye", "20"]]


@pytest.mark.parametrize("mark", ["•", "¡", "§", "Ø", "—"])
def test_a_mark_beside_a_sentence_makes_a_list(mark: str) -> None:
    points = table(cells(mark, "Gross profit increased $50.2 million"), cells(mark, "Debt fell by a third"))
    assert "- Gross profit increased $50.2 million\n- Debt fell by a third" in text_of(points)


def test_a_page_set_as_a_table_keeps_its_figures_in_rows() -> None:
    prose = "We sold pumps and parts to the trade in the year, and the trade sold them on to farms and mills. " * 3
    page = table(
        f"<td colspan=3>{prose}</td>",
        cells("", "2024", "2023"),
        cells("Sales", "70", "80"),
        cells("Costs", "7", "8"),
        f"<td colspan=3>{prose}</td>",
    )
    parts = text_of(page).split("\n\n")
    assert [part.strip() for part in parts[2:5]] == [
        prose.strip(),
        "|  | 2024 | 2023 |\n| --- | --- | --- |\n| Sales | 70 | 80 |\n| Costs | 7 | 8 |",
        prose.strip(),
    ]


def test_rows_of_long_cells_are_read_once() -> None:
    cell = "<td><p>We sold pumps.</p><p>" + "The trade sold them to farms and mills. " * 8 + "</p></td>"
    words = text_of(table(cell * 2, cell * 2, "<td>Sales</td><td>70</td>", "<td>Costs</td><td>7</td>"))
    assert words.count("We sold pumps.") == 4
    assert words.count("Costs") == 1


def test_a_unit_in_small_letters_is_no_heading() -> None:
    assert "\n\nin millions" in text_of("<p><b>in millions</b></p>")


def test_a_bracket_in_a_cell_of_its_own_belongs_to_the_figure_as_the_currency_does() -> None:
    found = rows_of(
        table(
            cells("", "", "", "2024", "", "", "", "", "2023", ""),
            cells("Net loss", "$", "(", "5", ")", "", "$", "(", "6", ")"),
            cells("Sales", "", "", "70", "", "", "", "", "80", ""),
            cells("Costs", "", "(", "7", ")", "", "", "(", "8", ")"),
        )
    )
    assert found[1:] == [["Net loss", "$(5)", "$(6)"], ["Sales", "70", "80"], ["Costs", "(7)", "(8)"]]
