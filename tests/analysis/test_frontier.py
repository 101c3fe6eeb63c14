"""Which models no other beats, on answers that are counted by hand."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from fingreat.analysis import FilingBootstrap, Ratio
from fingreat.analysis.answers import AnswerSheet
from fingreat.analysis.frontier import measure_frontier, unbeaten
from fingreat.errors import InputError
from fingreat.schema import GoldPassage, load_graph

RIGHT, WRONG = "REV-NNCA", "NNCA-TAX"


def sheet_of(filings: Sequence[str], right: dict[str, str]) -> AnswerSheet:
    """A passage for each letter of `filings`; models with a 1 for each passage that they get right."""
    passages = tuple(
        GoldPassage(passage_id=f"p{i}", filing_id=of, text="x", accepted=frozenset({RIGHT}), source="primary")
        for i, of in enumerate(filings)
    )
    edges = tuple(tuple(RIGHT if hit == "1" else WRONG for hit in hits) for hits in right.values())
    return AnswerSheet(load_graph(), passages, tuple(right), edges)


def test_a_model_is_on_the_frontier_if_none_is_as_right_for_less_nor_more_right_for_as_much() -> None:
    sheet = sheet_of(
        "AAAABBBB",
        {
            "cheap": "11110000",  # 4 right for $1
            "good": "11111100",  # 6 for $2
            "dear": "11111000",  # 5 for $3: "good" has more for less
            "twin": "00111111",  # 6 for $2, as "good": neither beats the other
            "unknown": "11111110",  # 7, for who knows how much
            "poor": "11100000",  # 3 for $1: "cheap" has more for as much
            "slow": "11111100",  # 6 for $4: "good" has as many for less
        },
    )
    dollars = [1.0, 2.0, 3.0, 2.0, None, 1.0, 4.0]
    found = measure_frontier(sheet, dollars, [None] * 7)
    assert {row.name: row.dollars.unbeaten for row in found} == {
        "cheap": True, "good": True, "dear": False, "twin": True, "unknown": None, "poor": False, "slow": False,
    }  # fmt: skip
    assert [row.accuracy for row in found][:3] == [Ratio(4, 8), Ratio(6, 8), Ratio(5, 8)]
    assert all(row.seconds.unbeaten is row.seconds.cost is None for row in found)
    assert [row.dollars.in_draws for row in found] == [None] * 7


def test_draws_tell_how_sure_a_place_on_the_frontier_is() -> None:
    # "first" gets filing A right and "second" filing B. Both filings are drawn in half of the draws, where they are
    # even and the dearer is beaten; in a quarter B is drawn twice, and only then is "second" more right.
    sheet = sheet_of("AABB", {"first": "1100", "second": "0011"})
    first, second = measure_frontier(sheet, [1.0, 2.0], [5.0, 5.0], FilingBootstrap(2, replicates=2000))
    assert first.dollars.in_draws == 1
    assert second.dollars.in_draws == pytest.approx(0.25, abs=0.04)
    # As fast as each other, each stands there unless the other is more right.
    assert first.seconds.in_draws == pytest.approx(0.75, abs=0.04)
    assert second.seconds.in_draws == pytest.approx(0.75, abs=0.04)


def test_one_filing_alone_has_no_draws_to_tell_anything() -> None:
    (alone,) = measure_frontier(sheet_of("AA", {"m": "10"}), [1.0], [1.0], FilingBootstrap(1))
    assert (alone.dollars.unbeaten, alone.dollars.in_draws, alone.accuracy.interval) == (True, None, None)


def test_the_frontier_is_what_a_sweep_by_cost_finds() -> None:
    rng = random.Random(4)
    costs = [rng.randint(1, 15) for _ in range(44)]
    hits = [rng.randint(300, 320) for _ in range(44)]
    best, on = -1, set()
    for cost in sorted(set(costs)):
        top = max(hits[i] for i in range(44) if costs[i] == cost)
        if top > best:
            best = top
            on |= {i for i in range(44) if costs[i] == cost and hits[i] == top}
    found = unbeaten(np.array(costs, dtype=float), np.array(hits)[:, None])[:, 0]
    assert {i for i in range(44) if found[i]} == on


def test_costs_that_are_not_one_for_each_model_are_refused() -> None:
    with pytest.raises(InputError, match="1 costs are not one for each of 2 models"):
        measure_frontier(sheet_of("A", {"a": "1", "b": "0"}), [1.0], [1.0, 2.0])
