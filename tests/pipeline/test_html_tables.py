"""A corpus with tables as HTML gives what the same corpus with Markdown tables gives."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from pipeline_builders import CONFIG, Counting, extractions_of_run, reply

import fingreat
from fingreat.edgar import chunk_section
from fingreat.inference import RawReply
from fingreat.inference.whole_segments import prose
from fingreat.pipeline import Corpus, ExtractConfig, extract
from fingreat.schema import Request, TableStyle, Verdict, load_graph

SHIPPED = Path(fingreat.__file__).parent / "shipped"
FILING = """<html><body><p><b>Item 7. Management's Discussion and Analysis</b></p>
<p>Net sales rose by 4% because demand for pumps grew in every region of the country.</p>
<table><tr><td></td><td>2024</td><td>2023</td></tr><tr><td>Pumps &amp; parts</td><td>$9,843</td><td>$9,100</td></tr>
<tr><td>Loss on hedges</td><td>(12)</td><td>(7)</td></tr></table>
<p>We paid dividends of $3 million, as in the year before it, and no share was bought.</p>
<p><b>Item 8. Financial Statements</b></p><p>See the pages that follow.</p></body></html>"""
ROWS = (
    "<tr><th></th><th>2024</th><th>2023</th></tr>",
    "<tr><td>Pumps &amp; parts</td><td>$9,843</td><td>$9,100</td></tr>",
    "<tr><td>Loss on hedges</td><td>(12)</td><td>(7)</td></tr>",
)
BIG = CONFIG.model_copy(update={"tokens": 4096})


def corpus(folder: Path, style: TableStyle) -> Corpus:
    folder.mkdir(exist_ok=True)
    (folder / "pumps.htm").write_text(FILING, encoding="utf-8")
    made = Corpus(folder / style.value)
    made.add([folder / "pumps.htm"])
    made.make_sections("7", tables=style)
    return made


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> dict[TableStyle, Corpus]:
    folder = tmp_path_factory.mktemp("shipped")
    corpora = {style: Corpus(folder / style.value) for style in TableStyle}
    for style, made in corpora.items():
        made.add([*SHIPPED.glob("*.htm"), *SHIPPED.glob("*.txt")])
        made.make_sections("7", tables=style)
    return corpora


def test_the_sentences_that_a_back_end_reads_are_the_same(shipped: dict[TableStyle, Corpus]) -> None:
    read = {
        style: [
            text.strip()
            for section in made.sections("7")
            for chunk in chunk_section(section)
            for _, text in prose([section.text[s.start : s.end] for s in chunk.segments])
        ]
        for style, made in shipped.items()
    }
    assert len(read[TableStyle.HTML]) > 500
    assert read[TableStyle.HTML] == read[TableStyle.MARKDOWN]


def test_the_lexicon_extracts_the_same_passages(shipped: dict[TableStyle, Corpus], tmp_path: Path) -> None:
    found = {}
    for style, made in shipped.items():
        extract(made, ExtractConfig(model="lexicon"), tmp_path / style.value)
        extractions = extractions_of_run(tmp_path / style.value)
        assert {x.verdict for x in extractions} == {Verdict.EXACT}
        found[style] = Counter((x.filing_id, x.edge, x.quote) for x in extractions)
    assert any("<table>\n<tr>" in section.text for section in shipped[TableStyle.HTML].sections("7"))
    assert found[TableStyle.HTML].total() > 200
    assert found[TableStyle.HTML] == found[TableStyle.MARKDOWN]


def test_a_span_of_rows_has_their_tags_and_not_those_of_the_table(tmp_path: Path) -> None:
    def respond(request: Request) -> RawReply:
        rows = [n for n, text in enumerate(request.segments, 1) if "<tr>" in text]
        spans = [(n, n) for n in rows] + [(rows[0], rows[-1]), (rows[0] - 1, rows[0]), (rows[-1], rows[-1] + 1)]
        # An edge for each: ranges of one edge that overlap would be one passage.
        items = [
            {"first": a, "last": b, "edge": edge, "tags": []}
            for (a, b), edge in zip(spans, load_graph().edges, strict=False)
        ]
        return RawReply(text=json.dumps({"extractions": items}))

    config = BIG.model_copy(update={"mode": "span"})
    made = corpus(tmp_path, TableStyle.HTML)
    extract(made, config, tmp_path / "run", backend=Counting(respond))
    text = next(made.sections("7")).text
    extractions = extractions_of_run(tmp_path / "run")
    *rows, all_of_them, into, out = [x.quote for x in extractions]
    assert rows == list(ROWS)
    assert all_of_them == "\n".join(ROWS)
    assert (into.endswith(f"country.\n\n<table>\n{ROWS[0]}"), out.startswith(f"{ROWS[2]}\n</table>\n\nWe paid")) == (
        True,
        True,
    )
    assert all(text[slice(*x.ranges[0])] == x.quote for x in extractions)


def test_quotes_of_a_row_are_grounded_in_both_styles(tmp_path: Path) -> None:
    quotes = ["Pumps & parts $9,843 $9,100", "Pumps &amp; parts | $9,843 | $9,100", "Loss on hedges (12) (7)"]
    wrong = ["Loss on hedges 12 (7)"]

    def respond(request: Request) -> RawReply:
        return RawReply(text=reply(*[(quote, "REV", "NNCA") for quote in quotes + wrong]), finish_reason="stop")

    for style in TableStyle:
        extract(corpus(tmp_path, style), BIG, tmp_path / f"run-{style.value}", backend=Counting(respond))
        verdicts = [x.verdict for x in extractions_of_run(tmp_path / f"run-{style.value}")]
        assert verdicts == [Verdict.NORMALISED] * 3 + [Verdict.ALTERED], style
