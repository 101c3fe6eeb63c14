"""The baseline's replies: valid, in both modes, with the numbers of the segments as they are shown."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from reply_builders import GRAPH, judge, request

from fingreat.edgar import chunk_section
from fingreat.inference import create_backend
from fingreat.inference.whole_segments import prose
from fingreat.schema import Mode, Section, reply_schema

REVENUE = "Net sales rose 6% to $84.2 million, because volumes were higher. "
DIVIDEND = "In fiscal 2019 we paid dividends of $3.1 million.\n\n"
INTEREST = "Interest expense increased by $2 million.\n\n"
FENCE = "```\n"
ROWS = ("Net sales increased   $84.2   $79.4\n", "Dividends paid   $3.1   $2.9\n")

# Segments as a chunk has them: marks that are none of their own end the segment before them.
SEGMENTS = (
    "### Net sales increased\n\n",
    REVENUE,
    DIVIDEND,
    "| Net sales increased | $84.2 | $79.4 |\n",
    "| --- | --- | --- |\n",
    "| Dividends paid increased | $3.1 | $2.9 |\n\n",
    f"The table shows net sales, which rose 6%:\n\n{FENCE}",
    ROWS[0],
    f"{ROWS[1]}{FENCE}\n",
    INTEREST,
)
EXPECTED = [(2, "REV-NNCA"), (3, "CASH-DIV"), (7, "REV-NNCA"), (10, "NNCA-NONOP")]


def answer(segments: tuple[str, ...], mode: Mode, *, facets: bool = False) -> list[dict[str, Any]]:
    backend = create_backend("lexicon", GRAPH)
    asked = request(segments=segments, mode=mode, facets=facets)
    ((one, reply),) = backend.answer([asked])
    backend.close()
    assert one is asked
    assert reply.finish_reason == "stop"
    value = json.loads(reply.text)
    Draft202012Validator(reply_schema(GRAPH, mode, facets=facets)).validate(value)
    judged = judge(mode, facets=facets).judge(reply, len(segments))
    assert judged.state.value == "ok"
    assert len(judged.items) == len(value["extractions"])
    extractions: list[dict[str, Any]] = value["extractions"]
    return extractions


def edges(extractions: list[dict[str, Any]]) -> list[str]:
    pairs = [item["edge"] for item in extractions]
    return [pair if isinstance(pair, str) else f"{pair['source']}-{pair['target']}" for pair in pairs]


def test_span_mode_names_the_segments_that_are_sentences() -> None:
    found = answer(SEGMENTS, "span")
    assert [(item["first"], edge) for item, edge in zip(found, edges(found), strict=True)] == EXPECTED
    assert all("last" not in item for item in found)


def test_quote_mode_copies_the_same_segments_without_marks_and_blanks_around_them() -> None:
    found = answer(SEGMENTS, "quote")
    assert edges(found) == [edge for _, edge in EXPECTED]
    for item, (number, _) in zip(found, EXPECTED, strict=True):
        assert item["quote"] in SEGMENTS[number - 1]
        assert item["quote"] == SEGMENTS[number - 1].replace(FENCE, "").strip()


@pytest.mark.parametrize("mode", ["quote", "span"])
def test_tags_are_the_cue_phrases_of_the_edge(mode: Mode) -> None:
    # "net sales" weighs 2 in REV-NNCA, "volume*" 1, and stands in a cause; "interest expense" names NNCA-NONOP.
    tags = [item["tags"] for item in answer(SEGMENTS, mode)]
    assert tags[0] == ["net sales", "volume"]
    assert tags[3] == ["interest expense"]
    assert all(1 <= len(these) <= 5 for these in tags)


def test_no_more_tags_are_given_than_a_reply_may_hold() -> None:
    many = "Net sales rose 6% on net revenues, volume, pricing, shipments, backlog, subscribers, traffic and royalties."
    ((tags),) = [item["tags"] for item in answer((many,), "span")]
    assert len(tags) == 5


@pytest.mark.parametrize("mode", ["quote", "span"])
def test_facets_are_given_where_they_are_asked_for(mode: Mode) -> None:
    assert all(item["activity"] is None for item in answer(SEGMENTS, mode, facets=True))


@pytest.mark.parametrize("mode", ["quote", "span"])
def test_a_dense_chunk_gives_no_full_list_and_is_not_taken_for_cut(mode: Mode) -> None:
    # 70 weak sentences, then a strong one: of the equal ones the first 62 stay, and the strong one does.
    weak = tuple(f"Net sales rose {number}%. " for number in range(70))
    strong = "Our board declared dividends, and we paid cash dividends of $3.1 million, an increase of 4%. "
    found = answer((*weak, strong), mode)
    assert len(found) == 63
    assert edges(found)[-1] == "CASH-DIV"
    assert edges(found)[:62] == ["REV-NNCA"] * 62


def test_a_chunk_that_begins_inside_a_fenced_table_is_read_from_the_end_of_the_table() -> None:
    found = answer((ROWS[0], f"{ROWS[1]}{FENCE}\n", INTEREST, DIVIDEND), "span")
    assert [(item["first"], edge) for item, edge in zip(found, edges(found), strict=True)] == [
        (3, "NNCA-NONOP"),
        (4, "CASH-DIV"),
    ]


@pytest.mark.parametrize("budget", [40, 80, 4096])
def test_it_reads_the_segments_that_real_chunks_have(budget: int) -> None:
    # However small the chunks are, a row of a fenced table is never evidence and each sentence is, once.
    table = "".join(f"Net sales increased in region {number}     $84.2     $79.4\n" for number in range(8))
    text = f"### Results\n\n{REVENUE}\n\n{FENCE}{table}{FENCE}\n{INTEREST}{DIVIDEND}"
    section = Section(filing_id="f", item="7", status="found", text=text)
    found = []
    for chunk in chunk_section(section, budget):
        found += answer(tuple(text[segment.start : segment.end] for segment in chunk.segments), "quote")
    assert [item["quote"] for item in found] == [REVENUE.strip(), INTEREST.strip(), DIVIDEND.strip()]


HEAD = '<table>\n<tr><th></th><th colspan="2">Net sales increased in all of the year</th></tr>\n'
RECORD = "<tr><td>Net sales increased in all of the regions by 6%</td><td>$84.2</td><td>$79.4</td></tr>\n"


@pytest.mark.parametrize("budget", [16, 40, 80, 4096])
def test_rows_of_html_tables_are_no_evidence_however_small_the_chunks(budget: int) -> None:
    text = f"### Results\n\n{REVENUE}\n\n{HEAD}{RECORD * 6}</table>\n\n{INTEREST}{DIVIDEND}"
    section = Section(filing_id="f", item="7", status="found", text=text)
    found = []
    for chunk in chunk_section(section, budget):
        found += answer(tuple(text[segment.start : segment.end] for segment in chunk.segments), "quote")
    sentences = " ".join(item["quote"] for item in found)
    assert not set("<>") & set(sentences)
    if budget > 16:
        assert [item["quote"] for item in found] == [REVENUE.strip(), INTEREST.strip(), DIVIDEND.strip()]


@pytest.mark.parametrize(
    "paragraph",
    [
        "<tr> Net sales rose 6% to $84.2 million in the year.\n\n",
        "<table> Net sales rose 6% to $84.2 million in the year.\n\n",
        "Net sales rose 6% in the year, as <td>a</td><td>b</td> in the filing says.\n\n",
    ],
)
def test_a_paragraph_that_only_spells_the_marks_of_a_table_is_read(paragraph: str) -> None:
    found = answer(("The year was a good one for all.\n\n", paragraph, INTEREST), "span")
    assert [item["first"] for item in found] == [2, 3]


def test_a_line_of_cells_is_a_row_only_where_no_empty_line_follows_it() -> None:
    line = "<tr><td>Net sales rose 6% to $84.2 million</td></tr>"
    assert list(prose((f"{line}\n\n", "Costs fell in the year."))) == [
        (1, f"{line}\n\n"),
        (2, "Costs fell in the year."),
    ]
    assert list(prose((f"<table>\n{line}\n", f"{line}\n", f"{line}\n</table>\n\n", "Costs fell in the year."))) == [
        (4, "Costs fell in the year.")
    ]


def test_a_chunk_without_evidence_gets_an_empty_list() -> None:
    assert answer(("### Overview\n\n", "The weather was fine."), "quote") == []
    assert answer((), "span") == []
