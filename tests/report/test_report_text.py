"""The section's Markdown as HTML: every character in its place, every range marked, nothing escapes."""

from __future__ import annotations

from bs4 import BeautifulSoup, Tag
from hypothesis import given, settings
from hypothesis import strategies as st

from fingreat.report.layers import Layer
from fingreat.report.marks import Pieces, Stretch
from fingreat.report.section_html import section_html
from fingreat.schema import Verdict


def layer(*ranges: tuple[int, int], edge: str = "REV-NNCA", style: int = 0) -> Layer:
    return Layer(0, (edge,), style, ranges, verdict=Verdict.EXACT)


def rendered(text: str, *layers: Layer) -> Tag:
    return BeautifulSoup(section_html(text, layers), "html5lib").body


def covered(body: Tag, number: int) -> list[str]:
    return [mark.get_text() for mark in body.find_all("mark") if str(number) in mark["data-x"].split()]


def test_a_range_over_a_paragraph_end_is_marked_in_both_paragraphs() -> None:
    text = "Sales rose.\n\nCosts fell too."
    body = rendered(text, layer((6, 18)))
    assert [p.get_text() for p in body.find_all("p")] == ["Sales rose.", "Costs fell too."]
    assert covered(body, 0) == ["rose.", "Costs"]


def test_overlapping_ranges_cut_the_text_at_every_border() -> None:
    body = rendered("abcdefghij", layer((1, 6)), layer((4, 9)), layer((4, 5)))
    assert [(m.get_text(), m["data-x"], m.get("data-b")) for m in body.find_all("mark")] == [
        ("bcd", "0", "0"), ("e", "0 1 2", "1 2"), ("f", "0 1", None), ("ghi", "1", None),
    ]  # fmt: skip
    assert body.get_text() == "abcdefghij"


def test_a_range_over_table_rows_marks_their_cells_and_no_pipe() -> None:
    text = "| Year | 2024 |\n| --- | --- |\n| Sales | $1,204 |\n| Loss | (33) |\n"
    start, end = text.index("Sales"), text.index("(33)") + 3
    body = rendered(text, layer((start, end)))
    rows = [[cell.get_text() for cell in row.find_all(["th", "td"])] for row in body.find_all("tr")]
    assert rows == [["Year", "2024"], ["Sales", "$1,204"], ["Loss", "(33)"]]
    assert covered(body, 0) == ["Sales", "$1,204", "Loss", "(33"]
    assert [th["scope"] for th in body.find_all("th")] == ["col", "col", "row", "row"]


def test_a_fixed_width_block_keeps_its_columns_and_first_empty_line() -> None:
    text = "```\n\n  Pumps    1,204\n  Parts      187\n```\nAfter."
    start = text.index("Pumps")
    body = rendered(text, layer((start, start + 14)))
    assert body.pre.get_text() == "\n  Pumps    1,204\n  Parts      187"
    assert covered(body, 0) == ["Pumps    1,204"]
    assert body.p.get_text() == "After."


def test_headings_lists_and_bold_lose_their_marks_and_nothing_else() -> None:
    text = (
        "## Results\n\n- one\n- two * 3\n\n1. first\n2. second\n\nA **bold** word, 3 * 4 and a note ** here.\n\n----\n"
    )
    body = rendered(text)
    assert body.h5.get_text() == "Results"
    assert [li.get_text() for li in body.find_all("li")] == ["one", "two * 3", "1. first", "2. second"]
    assert body.p.get_text() == "A bold word, 3 * 4 and a note ** here."
    assert body.b.get_text() == "bold"
    assert body.hr is not None


def test_text_after_three_backticks_is_text_and_opens_no_block() -> None:
    assert rendered("``` sales rose\nand fell").p.get_text() == "``` sales rose\nand fell"


def test_a_block_that_is_never_closed_runs_to_the_end() -> None:
    assert rendered("```\n1,204\n\n| 5 |").pre.get_text() == "1,204\n\n| 5 |"


def test_an_escaped_pipe_stays_in_its_cell() -> None:
    body = rendered("| a\\|b | c |\n| --- | --- |\n| d | e |")
    assert [cell.get_text() for cell in body.find_all(["th", "td"])] == ["a|b", "c", "d", "e"]


def test_a_range_that_begins_in_syntax_is_labelled_at_its_first_shown_character() -> None:
    body = rendered("## Sales rose", layer((0, 8)))
    assert body.mark.get_text() == "Sales"
    assert body.mark["data-l"] == "REV-NNCA"


def test_every_place_of_a_quote_that_stands_in_several_is_labelled() -> None:
    body = rendered("Sales rose. Costs fell. Sales rose.", layer((0, 11), (24, 35)))
    assert [m["data-l"] for m in body.find_all("mark")] == ["REV-NNCA", "REV-NNCA"]


def test_extractions_of_two_categories_over_one_piece_are_shown_as_mixed() -> None:
    body = rendered("abcd", layer((0, 3)), layer((1, 4), edge="CASH-DIV", style=1))
    assert [m["class"][0] for m in body.find_all("mark")] == ["c0", "cm", "c1"]


def test_a_run_of_equal_edges_is_counted_in_one_label() -> None:
    body = rendered("abcd", layer((0, 3)), layer((0, 4)))
    assert body.mark["data-l"] == "REV-NNCA ×2"


def test_line_ends_and_code_points_beyond_the_basic_plane_keep_their_offsets() -> None:
    text = "A \U0001f4c8 chart\r\nof sales"
    start = text.index("chart")
    body = rendered(text, layer((start, start + 9)))
    assert covered(body, 0) == ["chart\r\nof"]


MARKS = [
    "\n",
    "\n\n",
    "|",
    "| ",
    " |\n",
    "| --- | --- |\n",
    "## ",
    "- ",
    "**",
    "```",
    "\n```\n",
    "1. ",
    " ",
    "---",
    "\\",
    "<b>",
    "&amp;",
    "'",
    '"',
]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.one_of(st.sampled_from(MARKS), st.just("x")), max_size=60),
    st.lists(st.tuples(st.integers(0, 200), st.integers(1, 60)), max_size=8),
)
def test_each_letter_is_shown_once_in_order_under_exactly_its_ranges(
    tokens: list[str], spans: list[tuple[int, int]]
) -> None:
    # Every "x" becomes a letter that stands nowhere else, so the page tells for itself which offset it shows.
    text = "".join(chr(0x4E00 + i) if token == "x" else token for i, token in enumerate(tokens))
    ranges = [(start, min(start + length, len(text))) for start, length in spans if start < len(text)]
    body = rendered(text, *(layer(r) for r in ranges))
    shown = []
    for string in body.find_all(string=True):
        mark = string.find_parent("mark")
        over = {int(n) for n in mark["data-x"].split()} if mark else set()
        shown += [(letter, over) for letter in string if ord(letter) >= 0x4E00]
    expected = [
        (c, {i for i, (a, b) in enumerate(ranges) if a <= at < b}) for at, c in enumerate(text) if ord(c) >= 0x4E00
    ]
    assert shown == expected


def test_pieces_partition_what_is_asked_for() -> None:
    pieces = Pieces([Stretch(0, 2, 5), Stretch(1, 4, 9)])
    first = [(p.start, p.end, p.layers) for p in pieces.between(0, 3)]
    second = [(p.start, p.end, p.layers) for p in pieces.between(4, 12)]
    assert first == [(0, 2, ()), (2, 3, (0,))]
    assert second == [(4, 5, (0, 1)), (5, 9, (1,)), (9, 12, ())]


def test_the_number_of_pieces_grows_with_the_ranges_and_not_with_their_product() -> None:
    def count(n: int) -> int:
        pieces = Pieces(Stretch(i, 20 * i, 20 * i + 30) for i in range(n))
        return sum(1 for _ in pieces.between(0, 20 * n + 40))

    # n ranges that each overlap the next have 2n borders: 2n + 1 pieces, less the one before offset 0.
    assert (count(1_000), count(2_000)) == (2_000, 4_000)
