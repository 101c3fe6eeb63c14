"""What one reply says twice of one passage counts once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pipeline_builders import (
    SENTENCES,
    Counting,
    assert_counts_add_up,
    corpus_of,
    extractions_of_run,
    html,
    reply,
)

from fingreat.inference import Item, RawReply
from fingreat.pipeline import Corpus, ExtractConfig, extract
from fingreat.pipeline.ground import merged

ONE_CHUNK = ExtractConfig(model="scripted:x", tokens=1000, max_tokens=100)
SIX = SENTENCES[:6]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """A filing whose item is one chunk of a heading and six sentences."""
    return corpus_of(tmp_path_factory.mktemp("passages"), a=html(SIX))


def span(first: int, last: int, edge: str = "REV-NNCA", *tags: str, index: int = 0, **facets: str) -> Item:
    return Item(index=index, edge=edge, first=first, last=last, tags=tags, facets=facets)


def ranges(*items: Item) -> list[tuple[int | None, int | None, str, tuple[str, ...]]]:
    numbered = [Item(**{**item.__dict__, "index": index}) for index, item in enumerate(items)]
    return [(item.first, item.last, item.edge, item.tags) for item in merged(numbered)]


def test_overlapping_ranges_of_one_edge_are_one_passage_with_all_tags() -> None:
    assert ranges(span(1, 3, "REV-NNCA", "Price"), span(3, 4, "REV-NNCA", "Volume", "Price")) == [
        (1, 4, "REV-NNCA", ("Price", "Volume"))
    ]


def test_a_joined_passage_has_no_more_tags_than_one_may_have() -> None:
    first, second = span(1, 3, "REV-NNCA", "a", "b", "c", "d"), span(3, 4, "REV-NNCA", "e", "b", "f")
    # The reply's form allows five.
    assert ranges(first, second) == [(1, 4, "REV-NNCA", ("a", "b", "c", "d", "e"))]


def test_a_range_may_join_two_others() -> None:
    assert ranges(span(1, 2), span(4, 6), span(2, 4)) == [(1, 6, "REV-NNCA", ())]


@pytest.mark.parametrize(
    "apart",
    [
        (span(1, 3), span(2, 4, "COGS-NNCA")),
        (span(1, 2), span(3, 4)),
        (span(1, 8), span(8, 13)),
        (span(1, 3, period="past"), span(2, 4, period="future")),
    ],
    ids=["other edges", "only touching", "longer than a range may be", "other facets"],
)
def test_ranges_stay_apart_where_they_are_not_one_passage(apart: tuple[Item, Item]) -> None:
    assert ranges(*apart) == [(item.first, item.last, item.edge, item.tags) for item in apart]


def given(*items: tuple[str, str, list[str]]) -> RawReply:
    """A reply with quote, target and tags of each extraction."""
    edges = {"NNCA": ("REV", "NNCA"), "COGS": ("NNCA", "COGS")}
    listed = [json.loads(reply((quote, *edges[target])))["extractions"][0] | {"tags": t} for quote, target, t in items]
    return RawReply(text=json.dumps({"extractions": listed}), finish_reason="stop")


def test_a_quote_that_is_given_again_for_the_same_edge_counts_once_with_all_tags(
    corpus: Corpus, tmp_path: Path
) -> None:
    nowhere = "These words stand nowhere in it."
    said = given(
        (SIX[0], "NNCA", ["Price"]),
        (nowhere, "NNCA", []),
        (SIX[0], "COGS", ["Cost"]),
        (SIX[0], "NNCA", ["Volume", "Price"]),
        (nowhere, "NNCA", []),
        *[(SIX[1], "NNCA", [])] * 40,
    )
    manifest = extract(corpus, ONE_CHUNK, tmp_path / "run", backend=Counting(lambda request: said))
    assert_counts_add_up(manifest, tmp_path / "run")
    assert [(x.quote, x.edge, x.tags) for x in extractions_of_run(tmp_path / "run")] == [
        (SIX[0], "REV-NNCA", ("Price", "Volume")),
        (nowhere, "REV-NNCA", ()),
        (SIX[0], "NNCA-COGS", ("Cost",)),
        (SIX[1], "REV-NNCA", ()),
    ]
    assert manifest.counts["extractions"] == 4


def test_a_quote_that_is_given_again_has_no_more_tags_than_one_may_have(corpus: Corpus, tmp_path: Path) -> None:
    said = given((SIX[0], "NNCA", ["a", "b", "c", "d"]), (SIX[0], "NNCA", ["e", "b", "f"]))
    extract(corpus, ONE_CHUNK, tmp_path / "run", backend=Counting(lambda request: said))
    (found,) = extractions_of_run(tmp_path / "run")
    assert found.tags == ("a", "b", "c", "d", "e")


@pytest.mark.parametrize(("times", "counted"), [(1, 1), (2, 2), (3, 3), (5, 3)])
def test_a_quote_counts_as_often_as_it_stands_in_the_text_at_most(times: int, counted: int, tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html([SIX[0], SIX[1], SIX[0], SIX[2], SIX[0]]))
    model = Counting(lambda request: given(*[(SIX[0], "NNCA", [])] * times))
    extract(corpus, ONE_CHUNK, tmp_path / "run", backend=model)
    assert len(extractions_of_run(tmp_path / "run")) == counted


def test_merged_ranges_are_cut_from_the_text_as_one(corpus: Corpus, tmp_path: Path) -> None:
    pair = [
        {"first": 2, "last": 3, "edge": "REV-NNCA", "tags": []},
        {"first": 3, "last": 4, "edge": "REV-NNCA", "tags": []},
    ]
    model = Counting(lambda request: RawReply(text=json.dumps({"extractions": pair})))
    extract(corpus, ONE_CHUNK.model_copy(update={"mode": "span"}), tmp_path / "run", backend=model)
    (found,) = extractions_of_run(tmp_path / "run")
    assert found.quote == "".join(model.seen[0].segments[1:4]).strip()
