"""Gold passages and what a run quotes of them: one to one, by words, whatever the edges, and what is like it."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest
from pipeline.extraction_builders import an_extraction, extractions_on_disk

from fingreat.errors import RunError
from fingreat.pipeline.on_gold import on_gold, run_on_gold
from fingreat.schema import GoldPassage

SENTENCES = (
    "Revenue from pumps rose by 12% on higher volumes in Europe.",
    "Cost of sales fell because copper became cheaper during spring.",
    "Our effective tax rate was 21% after a settlement with authorities.",
)


def passage(name: str, text: str, start: int | None = None, filing: str = "F1", accepted: str = "") -> GoldPassage:
    return GoldPassage(
        passage_id=name,
        filing_id=filing,
        text=text,
        start=start,
        end=None if start is None else start + len(text),
        accepted=frozenset(accepted.split()),
        source="primary" if accepted else "none",
    )


def quoted(name: str, text: str, start: int | None = None, filing: str = "F1", edge: str = "REV-NNCA"):
    return an_extraction(filing, name, text, edge, ranges=() if start is None else ((start, start + len(text)),))


def found(extractions: list, gold: list[GoldPassage]) -> dict[str, str]:
    return {passage_id: one.quoted.id for passage_id, one in on_gold([("F1", extractions)], gold).items()}


def twins(extractions: list, gold: list[GoldPassage]) -> dict[str, list[str]]:
    """Passage → all that quotes it."""
    return {
        passage_id: [each.id for each in one.all]
        for passage_id, one in on_gold([("F1", extractions)], gold).items()
    }  # fmt: skip


def test_a_passage_goes_with_the_quote_of_the_same_words() -> None:
    gold = [passage("one", SENTENCES[0]), passage("two", SENTENCES[1]), passage("three", SENTENCES[2])]
    # The second is quoted with other marks and a word less, the third not at all.
    extractions = [quoted("x", "cost of sales fell because copper became cheaper during"), quoted("y", SENTENCES[0])]
    assert found(extractions, gold) == {"one": "y", "two": "x"}


def test_edges_play_no_part() -> None:
    edges = ("REV-NNCA", "NNCA-COGS", "CASH-DIV")
    gold = [passage(f"p{n}", SENTENCES[n], n * 100, accepted="NNCA-TAX") for n in range(3)]
    results = [
        found([quoted(f"x{n}", SENTENCES[n], n * 100, edge=order[n]) for n in range(3)], gold)
        for order in permutations(edges)
    ]
    assert results == [{"p0": "x0", "p1": "x1", "p2": "x2"}] * 6


def test_equal_passages_go_with_the_quotes_at_their_places() -> None:
    gold = [passage("early", SENTENCES[0], 10), passage("late", SENTENCES[0], 500)]
    extractions = [quoted("a-late", SENTENCES[0], 500), quoted("b-early", SENTENCES[0], 10)]
    assert found(extractions, gold) == {"early": "b-early", "late": "a-late"}
    # One quote goes with one passage only.
    assert found(extractions[:1], gold) == {"late": "a-late"}


def test_a_passage_that_accepts_no_edge_keeps_its_quote_from_others() -> None:
    longer = f"{SENTENCES[0]} Nothing else changed."
    gold = [passage("none", longer, 0), passage("some", SENTENCES[0], 0, accepted="REV-NNCA")]
    assert found([quoted("x", longer, 0)], gold) == {"none": "x"}
    assert found([quoted("x", longer, 0)], gold[1:]) == {"some": "x"}


def test_equal_quotes_at_the_same_place_all_quote_the_passage_the_matched_one_first() -> None:
    gold = [passage("one", SENTENCES[0], 10), passage("two", SENTENCES[1], 200)]
    extractions = [
        quoted("z", SENTENCES[0], 10, edge="CASH-DIV"),
        # The same words with other marks and spaces.
        quoted("b", SENTENCES[0].replace(" from ", "  from\n"), 10, edge="NNCA-COGS"),
        quoted("a", SENTENCES[0], 10),
        quoted("y", SENTENCES[1], 200),
        quoted("longer", f"{SENTENCES[1]} Nothing else changed.", 200),
    ]
    assert twins(extractions, gold) == {"one": ["a", "b", "z"], "two": ["y"]}
    assert twins(extractions[::-1], gold) == {"one": ["a", "b", "z"], "two": ["y"]}


def test_equal_quotes_at_other_places_do_not_quote_the_passage() -> None:
    gold = [passage("early", SENTENCES[0], 10)]
    # Places that touch share nothing, and one that stands nowhere is at no place.
    after = 10 + len(SENTENCES[0])
    extractions = [quoted("x", SENTENCES[0], 10), quoted("y", SENTENCES[0], after), quoted("z", SENTENCES[0])]
    assert twins(extractions, gold) == {"early": ["x"]}
    # Of quotes that all stand nowhere nothing tells them apart.
    assert twins([quoted("v", SENTENCES[0]), quoted("w", SENTENCES[0])], gold) == {"early": ["v", "w"]}


def test_an_extraction_quotes_one_passage_at_most() -> None:
    gold = [passage("early", SENTENCES[0], 10), passage("late", SENTENCES[0], 500)]
    extractions = [
        quoted("a", SENTENCES[0], 10), quoted("b", SENTENCES[0], 500), quoted("c", SENTENCES[0], 500),
        # It begins in the middle of the early place, and reaches as far as half of the late one.
        an_extraction("F1", "d", SENTENCES[0], "REV-NNCA", ranges=((40, 50), (500, 530))),
    ]  # fmt: skip
    found = twins(extractions, gold)
    assert sorted(found["early"]) == ["a"]
    assert sorted(found["late"]) == ["b", "c", "d"]


def test_passages_are_matched_within_their_filing_alone() -> None:
    gold = [passage("here", SENTENCES[0]), passage("there", SENTENCES[0], filing="F2")]
    extractions = [("F2", [quoted("x", SENTENCES[0], filing="F2")]), ("F3", [quoted("y", SENTENCES[0], filing="F3")])]
    assert {name: one.quoted.id for name, one in on_gold(extractions, gold).items()} == {"there": "x"}
    assert on_gold([], gold) == {}


def test_a_run_on_disk_gives_the_same_with_ids_that_filings_share(tmp_path: Path) -> None:
    run = extractions_on_disk(
        tmp_path / "run",
        [quoted("x", SENTENCES[0]), quoted("x", SENTENCES[1], filing="F2")],
        [quoted("y", SENTENCES[2]), quoted("z", SENTENCES[0], filing="F3")],
    )
    gold = [passage("a", SENTENCES[2]), passage("b", SENTENCES[1], filing="F2"), passage("c", SENTENCES[1])]
    quotes = {name: one.quoted.quote for name, one in run_on_gold(run, gold).items()}
    assert quotes == {"a": SENTENCES[2], "b": SENTENCES[1]}


def test_a_damaged_run_is_refused(tmp_path: Path) -> None:
    run = extractions_on_disk(tmp_path / "run", [quoted("x", SENTENCES[0]), quoted("x", SENTENCES[1])])
    with pytest.raises(RunError, match="two extractions with the id x"):
        run_on_gold(run, [passage("a", SENTENCES[0])])


def test_shortened_quotes_of_real_passages_go_with_their_own(shared: Path) -> None:
    rows = [json.loads(line) for line in (shared / "passages" / "gold.jsonl").read_text(encoding="utf-8").splitlines()]
    gold = [passage(row["id"], row["text"], filing=row["file"]) for row in rows]
    filings: dict[str, list] = {}
    for row in reversed(rows):
        words = row["text"].upper().split()
        shortened = " ".join(words[: max(8, len(words) * 9 // 10)])
        filings.setdefault(row["file"], []).append(quoted(f"x-{row['id']}", shortened, filing=row["file"]))
    assert {name: one.quoted.id for name, one in on_gold(filings.items(), gold).items()} == {
        row["id"]: f"x-{row['id']}" for row in rows
    }
