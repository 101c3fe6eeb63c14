"""Tables in Markdown, read by another program: every text comes back as it was, and none of it is markup."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from fingreat.report import Cell, Column, Points, Share, Table, table_markdown

HOSTILE = [
    "one | two || three",
    "<script>alert(1)</script> & &amp; &lt;",
    "**bold** _it_ `code` ~~gone~~ [link](javascript:alert(2)) ![image](x) <https://example.org>",
    r"back\slash \| \\ C:\runs\x",
    "half `a tick | b",
    "$x$ {{ 7 * 7 }} # no head",
    "snake_case_name and *",
    "[^1]: note",
]


def reader() -> MarkdownIt:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def text_of(inline: Token) -> str:
    """What a reader sees of a line; refuses everything that is more than text."""
    children = inline.children or []
    assert {child.type for child in children} <= {"text", "text_special"}, inline.content
    return "".join(child.content for child in children)


def cells_of(markdown: str) -> list[list[str]]:
    rows: list[list[str]] = []
    tokens = reader().parse(markdown)
    for token, inner in pairwise(tokens):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            rows[-1].append(text_of(inner))
    return rows


def of_texts(*texts: str, **more: object) -> Table:
    fields = {"id": "t", "title": "T", "columns": (Column(label="text"),), "rows": tuple((text,) for text in texts)}
    return Table.model_validate({**fields, **more})


def test_a_table_is_what_the_console_shows_with_numbers_aligned_to_the_right() -> None:
    columns = (
        Column(label="run", once=True), Column(label="edge", kind="edge"), Column(label="same edge", kind="share"),
        Column(label="gain", kind="points"), Column(label="n", kind="count"),
    )  # fmt: skip
    rows: tuple[tuple[Cell, ...], ...] = (
        ("a", "REV-NNCA", Share(k=4, n=7, interval=(0.3, 0.85)), Points(value=0.025), 1234),
        ("a", "NNCA-TAX", Share(k=0, n=0), None, 0),
    )
    table = Table(id="t", title="Runs | edges", columns=columns, rows=rows, notes=("Measured.",))
    assert table_markdown(table) == (
        "**Runs \\| edges**\n\n| Run | Edge | Same edge | Gain | N |\n".replace("| N |", "| n |")
        + "| :--- | :--- | ---: | ---: | ---: |\n"
        "| a | REV-NNCA | 57.1% (4/7) \\[30.0–85.0%\\] | +2.5 | 1,234 |\n"
        "|  | NNCA-TAX | – (0/0) | – | 0 |\n"
        "\n"
        "Measured.\n"
        "\n"
        "0/0 has no value: it is neither 0 nor 1.\n"
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_every_text_comes_back_as_it_was_and_is_no_markup(text: str) -> None:
    table = of_texts(text, "next", title=text, columns=(Column(label=text),), notes=(text,))
    markdown = table_markdown(table)
    head = text[:1].upper() + text[1:]
    assert cells_of(markdown) == [[head], [text], ["next"]]
    inlines = [token for token in reader().parse(markdown) if token.type == "inline"]
    title, note = inlines[0], inlines[-1]
    empty, strong, *words, end, _ = title.children or []
    assert (empty.content, strong.type, end.type) == ("", "strong_open", "strong_close")
    assert "".join(word.content for word in words) == text
    assert text_of(note) == text
    assert "<script" not in reader().render(markdown)


@pytest.mark.parametrize(
    "note", ["- a list", "+ a list", "1. first", "2) second", "=== head", "--- rule", "# head", "> said"]
)
def test_a_note_is_a_paragraph_whatever_it_begins_with(note: str) -> None:
    tokens = reader().parse(table_markdown(of_texts("x", notes=(note,))))
    assert [token.type for token in tokens[-3:]] == ["paragraph_open", "inline", "paragraph_close"]
    assert text_of(tokens[-2]) == note
    assert tokens[-3].level == 0


def test_an_address_is_no_link_where_addresses_become_links_by_themselves() -> None:
    # GitHub makes links of "http://", "https://", "ftp://" and "www." as they stand in the source.
    markdown = table_markdown(of_texts("see https://example.org, HTTP://X.org and www.example.org, WWW.x"))
    assert not re.search(r"(?i)https?://|www\.", markdown)
    assert cells_of(markdown)[1] == ["see https://example.org, HTTP://X.org and www.example.org, WWW.x"]


def test_a_text_of_several_lines_stays_in_its_cell() -> None:
    rows = cells_of(table_markdown(of_texts("a\nb\r\n| c |\u2028d\x00e\ud800")))
    assert rows == [["Text"], ["a b | c | d e?"]]


def test_nothing_in_a_comment_ends_it() -> None:
    comment = ["Made by: fingreat --out '-->'", "--!> <b>x</b>\n-->"]
    tokens = reader().parse(table_markdown(of_texts("x"), comment))
    assert tokens[0].type == "html_block"
    assert tokens[0].content.count(">") == 1
    assert tokens[0].content.rstrip().endswith("-->")
    assert "Made by: fingreat --out '--&gt;'" in tokens[0].content


def test_a_table_without_rows_is_its_head() -> None:
    assert cells_of(table_markdown(of_texts())) == [["Text"]]
