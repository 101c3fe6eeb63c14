"""Link targets, numbered points, stray cells, hidden text and styles; and damage that once cost quadratic time."""

import time

import pytest

from fingreat.edgar import read_section
from fingreat.edgar.blocks import Block
from fingreat.edgar.container import read_submission
from fingreat.edgar.decode import decode
from fingreat.edgar.section import read_blocks

SECONDS = 10
"""Far above what linear time takes for these inputs, far below what quadratic time does."""


def blocks_of(body: str) -> list[Block]:
    data = f"<html><body><div>{body}</div></body></html>".encode()
    return read_blocks(read_submission(data).documents[0])[0]


def test_a_link_target_belongs_to_the_block_it_starts_not_to_the_loose_text_before() -> None:
    blocks = blocks_of('<p><a href="#there">Our discussion</a></p>Words outside.<p id="there">Discussion</p>')
    assert [(block.text, block.anchors) for block in blocks] == [
        ("Our discussion", ()),
        ("Words outside.", ()),
        ("Discussion", ("there",)),
    ]


def test_a_link_target_inside_a_style_around_many_blocks_belongs_to_the_block_after_it() -> None:
    blocks = blocks_of(
        '<p><a href="#there">Go</a></p><font><p>First.</p><a name="there"></a><p>Second.</p><p>Third.</p></font>'
    )
    assert [block.text for block in blocks if block.anchors == ("there",)] == ["Second."]


def test_a_link_target_inside_a_table_belongs_to_the_table() -> None:
    row = '<tr><td>Net sales</td><td id="there">41,207</td><td>38,915</td></tr>'
    blocks = blocks_of(f'<p><a href="#there">Go</a></p><table>{row}{row.replace(" id=", " title=")}</table><p>End.</p>')
    assert [block.anchors for block in blocks] == [(), ("there",), ()]


def test_points_of_ordered_lists_are_numbered_each_list_by_itself() -> None:
    blocks = blocks_of("<ol><li>a</li><li>b<ol><li>inner</li></ol></li><li>c</li></ol><ul><li>d</li></ul>")
    marks = {block.text: block.bullet for block in blocks if block.bullet}
    assert marks["a"] == "1."
    assert marks["inner"] == "1."
    assert marks["c"] == "3."
    assert marks["d"] == "-"


def test_words_in_a_row_but_in_no_cell_are_kept() -> None:
    words = " ".join(block.text for block in blocks_of("<p>Before.</p><table><tr><p>In no cell.</p></tr></table>"))
    assert "In no cell." in words


@pytest.mark.parametrize("style", ["display:none", "DISPLAY : None", "color:red; visibility: HIDDEN", "font-size:0px"])
def test_what_a_browser_hides_is_gone_however_its_style_is_written(style: str) -> None:
    assert [block.text for block in blocks_of(f'<p style="{style}">gone</p><p>Here.</p>')] == ["Here."]


@pytest.mark.parametrize(
    ("style", "bold", "size"),
    [
        ("font-weight:bold", True, None),
        ("FONT: BOLD 12pt Times", True, 12.0),
        ("font-weight: 700; font-size: 16px", True, 12.0),
        ("mso-bidi-font-weight:bold", False, None),
        ("font-weight:normal", False, None),
    ],
)
def test_styles_are_read_by_the_names_of_their_declarations(style: str, bold: bool, size: float | None) -> None:
    look = blocks_of(f'<p style="{style}">Liquidity</p><p>Words.</p>')[0].look
    assert (look.bold, look.size) == (bold, size)


def test_bytes_of_the_other_encoding_in_the_guise_of_controls_are_read_and_controls_go() -> None:
    # U+0093 and U+0094 are the quotation marks of Windows-1252; 0x81 is none of its characters.
    assert decode("\x93Net\x94\x81 sales\x00\x0b".encode())[0] == "“Net” sales"


@pytest.mark.parametrize(
    "body",
    [
        "<span>" * 1900 + "<i>x</i>" * 60_000 + "<p>end</p>",
        "<span>" * 1900 + "".join(f'<a name="n{i}" href="#n{i}">x</a>' for i in range(30_000)),
        "<ol>" + "<li>point</li>" * 60_000 + "</ol>",
        "<title " * 300_000,
        "<ix:nonnumeric " * 60_000,
        '<ix:nonnumeric name="dei:a">' * 20_000 + "x" + "</ix:nonnumeric>" * 20_000,
        "<sup>" * 1900 + "1" * 1_000_000,
        '<p style="' + "font:font-weight:color: " * 40_000 + '">Item 7.</p>',
        '<p style="' + "font: " * 100_000 + '">' + "<b>Item 7.</b><i>x</i>" * 5_000 + "</p>",
        "<br>" * 200_000,
        "<td>x</td>" * 50_000,
        "<div>" * 20_000 + "deep",
    ],
    ids=lambda body: body[:14],
)
def test_hostile_markup_costs_linear_time(body: str) -> None:
    start = time.process_time()
    read_section(f"<html><body><p>Item 7. Discussion</p>{body}</body></html>".encode())
    assert time.process_time() - start < SECONDS
