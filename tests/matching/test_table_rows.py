"""Rows of tables written as HTML: their words are found as those of Markdown rows are, tags and entities are marks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingreat.matching import Grounder, ground, normalise, tokens
from fingreat.schema.records import Verdict

HTML = (
    "Sales & costs rose, R&D too.\n\n<table>\n"
    '<tr><th></th><th colspan="2">Year ended</th></tr>\n'
    "<tr><th></th><th>2024</th><th>2023</th></tr>\n"
    "<tr><td>Grain &amp; flour &lt;own&gt;</td><td>$9,843</td><td>$(9,100)</td></tr>\n"
    "<tr><td>Loss before taxes</td><td>(12)</td><td>5.9%</td></tr>\n"
    "</table>\n\nThe <td> element is a mark, says AT&T."
)
MARKDOWN = (
    "Sales & costs rose, R&D too.\n\n"
    "|  | Year ended 2024 | Year ended 2023 |\n| --- | --- | --- |\n"
    "| Grain & flour <own> | $9,843 | $(9,100) |\n"
    "| Loss before taxes | (12) | 5.9% |\n\nThe element is a mark, says AT&T."
)
ROW = "Grain &amp; flour &lt;own&gt;</td><td>$9,843</td><td>$(9,100)"


def found(quote: str, text: str = HTML) -> tuple[Verdict, list[str]]:
    result = ground(quote, None, text)
    return result.verdict, [text[a:b] for a, b in result.ranges]


@pytest.mark.parametrize(
    "quote",
    [
        "Grain & flour <own> $9,843 $(9,100)",
        "| Grain & flour <own> | $9,843 | $(9,100) |",
        "Grain &amp; flour &lt;own&gt; $9,843 $(9,100)",
        "Grain & flour &lt;own&gt; | $9843 | $(9100)",
        "<tr><td>Grain & flour <own></td><td>$9,843</td><td>$(9,100)</td></tr>",
        '<td colspan="3">Grain & flour <own></td> <td>$9,843</td> <td>$(9,100)</td>',
        # As a prompt shows a tag, with a zero-width space behind the bracket.
        "<\u200btd>Grain & flour <own><\u200b/td><\u200btd>$9,843 $(9,100)",
    ],
)
def test_the_words_of_a_row_are_found_with_and_without_their_marks(quote: str) -> None:
    assert found(quote) == (Verdict.NORMALISED, [ROW])


def test_a_row_copied_with_its_tags_is_exact_and_its_range_holds_them() -> None:
    row = f"<tr><td>{ROW}</td></tr>"
    assert found(row) == (Verdict.EXACT, [row])
    assert found(ROW) == (Verdict.EXACT, [ROW])


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("Sales &amp; costs rose, R&amp;D too.", "Sales & costs rose, R&D too."),
        ("Year ended 2024 2023", "Year ended</th></tr>\n<tr><th></th><th>2024</th><th>2023"),
        ("$(9,100) Loss before taxes", "$(9,100)</td></tr>\n<tr><td>Loss before taxes"),
        ("<own> $9,843 $(9,100) Loss", "&lt;own&gt;</td><td>$9,843</td><td>$(9,100)</td></tr>\n<tr><td>Loss"),
        ("5.9% The <td> element", "5.9%</td></tr>\n</table>\n\nThe <td> element"),
    ],
)
def test_ranges_reach_from_the_first_to_the_last_word_of_the_source(quote: str, text: str) -> None:
    assert found(quote) == (Verdict.NORMALISED, [text])


@pytest.mark.parametrize(
    "quote",
    [
        "Grain & flour <own> $9,844 $(9,100)",
        "Grain & flour <own> $9,843 $9,100",
        "Loss before taxes 12 5.9%",
        "Loss before taxes (12) 5.9",
        "Loss before taxes colspan 2 (12) 5.9%",
        "Loss before taxes td (12) td 5.9%",
        "Loss before taxes <b> (12) </b> 5.9%",
    ],
)
def test_a_changed_figure_and_words_that_no_row_has_stay_altered(quote: str) -> None:
    assert found(quote)[0] is Verdict.ALTERED


def test_prose_that_spells_a_tag_is_found_as_it_stands() -> None:
    assert found("The <td> element is a mark") == (Verdict.EXACT, ["The <td> element is a mark"])
    text = "Tags such as <br>, <tdx>, < td > and <td class=x> are text."
    assert normalise(text).text == text.lower()


def test_the_normal_form_of_a_row_is_that_of_the_markdown_row() -> None:
    rows = HTML.split("\n")[5:7], MARKDOWN.split("\n")[4:6]
    for html, markdown in zip(*rows, strict=True):
        assert normalise(html).text == normalise(markdown).text
    assert normalise(rows[0][0]).text == "grain & flour <own> $9,843 $(9,100)"


def test_entities_are_one_character_each_and_point_to_all_of_their_source() -> None:
    normal = normalise("a &lt; 5, R&amp;D, &AMP;amp;lt; &quot; &amp")
    assert normal.text == "a < 5, r&d, < &quot; &amp"
    assert normal.source_range(2, 3) == (2, 6)
    assert normal.source_range(8, 9) == (11, 16)
    assert [token.text for token in tokens(normalise("a &lt; 5"), symbols=True)] == ["a", "<", "5"]


def test_a_tag_in_pieces_is_no_tag_even_where_another_mark_in_it_goes() -> None:
    for text in ('<td<td>colspan="2">', '<td\n# colspan="2">', '<<td<tr>colspan="2">'):
        assert "colspan" in normalise(text).text
        assert normalise(normalise(text).text).text == normalise(text).text


def test_a_word_is_never_put_together_over_the_border_of_a_row() -> None:
    assert normalise("<tr><td>long-</td></tr>\n<tr><td>term</td></tr>").text == "long- term"


@pytest.mark.parametrize("between", ["\n\n22\n\n", "\n\nTARN VALLEY INSTRUMENTS INC\n\n"])
def test_a_quote_does_not_go_on_over_page_chrome_from_or_to_a_row(between: str) -> None:
    table = "<table>\n<tr><td>the new line started late</td></tr>\n</table>"
    quote = "the new line started late in the fourth quarter"
    assert not ground(quote, None, f"{table}{between}in the fourth quarter of the year.").verdict.grounded
    behind = table.replace("the new line started late", "in the fourth quarter")
    assert not ground(quote, None, f"Costs rose because the new line started late{between}{behind}").verdict.grounded


CELLS = ["Grain & flour", "<own> mills", "$9,843", "(12)", "5.9%", "—", "", "R&D", "Loss before taxes", "not", "a_b"]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(st.sampled_from(CELLS), min_size=3, max_size=3), min_size=2, max_size=6), st.data())
def test_both_styles_of_a_table_give_a_quote_the_same_verdict(rows: list[list[str]], data: st.DataObject) -> None:
    def escaped(cell: str) -> str:
        return cell.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    lines = ["<tr>" + "".join(f"<td>{escaped(cell)}</td>" for cell in row) + "</tr>" for row in rows]
    html = "\n".join(["<table>", *lines, "</table>"])
    markdown = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    words = " ".join(cell for row in rows for cell in row).split()
    first = data.draw(st.integers(0, max(0, len(words) - 4)))
    quote = " ".join(words[first : first + data.draw(st.integers(3, 9))])
    quote = quote.replace(*data.draw(st.sampled_from([("x", "x"), ("9,843", "9,834"), ("&", "&amp;"), ("(12)", "12")])))
    ours, theirs = Grounder(html).ground(quote), Grounder(markdown).ground(quote)
    assert ours.verdict.grounded == theirs.verdict.grounded
    assert len(ours.ranges) == len(theirs.ranges)
    # By words and figures: a dash that stands for an empty cell may read as a mark of Markdown once it is cut out.
    assert [[token.text for token in tokens(normalise(html[a:b]))] for a, b in ours.ranges] == [
        [token.text for token in tokens(normalise(markdown[a:b]))] for a, b in theirs.ranges
    ]
