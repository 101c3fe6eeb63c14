"""The seeded order of a year's filings: computed by hand, blind to the order of rows, and fair."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fingreat.edgar.remote.families import FormChoice
from fingreat.edgar.remote.index import IndexRow, read_index
from fingreat.pipeline.draw import draw_order


def row(cik: int, number: int, *, year: int = 2003, form: str = "10-K") -> IndexRow:
    """A filing's row; the number makes its accession."""
    accession = f"0000000099-{year % 100:02}-{number:06}"
    return IndexRow(form, str(cik), f"FIRM {cik}", date(year, 3, 31), accession, f"edgar/data/{cik}/{accession}.txt")


def test_the_order_is_that_of_the_hashes() -> None:
    # printf '7|2003|320193' | sha256sum, and so on; first eight digits:
    #   320193 0cb153cf   789019 9bc7c356   1018724 9fcbf31f   66740 89c1d96b
    rows = [row(320193, 1), row(789019, 2), row(1018724, 3), row(66740, 4)]
    assert [int(one.cik) for one in draw_order(rows, 2003, 7).order] == [320193, 66740, 789019, 1018724]


def test_of_a_firms_filings_the_one_with_the_smallest_hash_stands_for_it() -> None:
    # printf '7|0000000099-03-000001' | sha256sum: 184182b7…; of -000002: 2ddad34a…; of -000003: 1638600a…
    rows = [row(5, 1), row(5, 2, form="10-KT"), row(5, 3), row(6, 4)]
    draw = draw_order(rows, 2003, 7)
    assert {one.cik: one.accession for one in draw.order} == {
        "5": "0000000099-03-000003",
        "6": "0000000099-03-000004",
    }
    assert (draw.rows, draw.accessions, draw.firms, draw.same_firm, draw.repeated) == (4, 4, 2, 2, 0)


def test_a_filing_of_several_registrants_is_that_of_the_smallest_number() -> None:
    # As numbers 99 < 100; as texts "100" < "99".
    rows = [row(100, 1), row(99, 1), row(1000, 1), row(100, 2)]
    draw = draw_order(rows, 2003, 7)
    assert {(one.cik, one.accession[-1]) for one in draw.order} == {("99", "1"), ("100", "2")}
    assert (draw.rows, draw.repeated, draw.accessions, draw.firms, draw.same_firm) == (4, 2, 2, 2, 0)


def test_rows_of_other_years_are_set_aside() -> None:
    draw = draw_order([row(1, 1), row(1, 1, year=2002), row(2, 2, year=2004)], 2003, 7)
    assert (draw.order, draw.rows, draw.other_years, draw.firms) == ((row(1, 1),), 3, 2, 1)


def test_no_rows_give_an_empty_order() -> None:
    draw = draw_order([], 2003, 7)
    assert (draw.order, draw.rows, draw.accessions, draw.firms) == ((), 0, 0, 0)


def test_either_index_of_the_case_gives_the_same_draw(shared: Path) -> None:
    folder = shared / "cases" / "form-idx-overflow"
    wanted = FormChoice(("10-K",), amendments=True).accepts
    form, master = (read_index((folder / f"input.{kind}.idx").read_bytes(), wanted).rows for kind in ("form", "master"))
    draw = draw_order(form, 2003, 1)
    assert draw == draw_order(master, 2003, 1)
    # Nine rows; 9900101 and 9900105 have a report and an amendment each.
    assert (draw.rows, draw.accessions, draw.firms, draw.same_firm, draw.repeated) == (9, 9, 7, 2, 0)
    # Both at once change nothing: every accession is there twice.
    both = draw_order(form + master, 2003, 1)
    assert both.order == draw.order
    assert (both.rows, both.repeated) == (18, 9)


ROWS = st.lists(
    st.builds(row, st.integers(1, 30), st.integers(1, 40), year=st.sampled_from([2002, 2003, 2003, 2003])), max_size=40
)


@given(rows=ROWS, seed=st.integers(), shuffler=st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_repeated_rows_matter(
    rows: list[IndexRow], seed: int, shuffler: random.Random
) -> None:
    again = rows + shuffler.choices(rows, k=5) if rows else []
    shuffler.shuffle(again)
    assert draw_order(again, 2003, seed).order == draw_order(rows, 2003, seed).order


@given(rows=ROWS, seed=st.integers(), year=st.sampled_from([2002, 2003, 2004]))
def test_the_counts_add_up_and_the_order_is_that_of_a_plain_recount(rows: list[IndexRow], seed: int, year: int) -> None:
    draw = draw_order(rows, year, seed)
    assert draw.rows == len(rows) == draw.other_years + draw.repeated + draw.same_firm + len(draw.order)
    of_year = [one for one in rows if one.filed.year == year]
    registrant = {one.accession: min(int(r.cik) for r in of_year if r.accession == one.accession) for one in of_year}
    assert draw.accessions == len(registrant)
    assert draw.firms == len(set(registrant.values()))

    def digest(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()

    firms = sorted(set(registrant.values()), key=lambda cik: digest(f"{seed}|{year}|{cik}"))
    chosen = [
        min(
            (accession for accession in registrant if registrant[accession] == cik), key=lambda a: digest(f"{seed}|{a}")
        )
        for cik in firms
    ]
    assert [(int(one.cik), one.accession) for one in draw.order] == list(zip(firms, chosen, strict=True))


@given(rows=ROWS, seed=st.integers(), number=st.integers(41, 50))
def test_a_further_firm_moves_no_other(rows: list[IndexRow], seed: int, number: int) -> None:
    before = draw_order(rows, 2003, seed).order
    after = draw_order([*rows, row(999, number)], 2003, seed).order
    assert [one for one in after if one.cik != "999"] == list(before)
    assert len(after) == len(before) + 1


SEEDS = range(3000)
FRAME = [row(cik, cik) for cik in range(1, 16)] + [row(15, 100 + more) for more in range(20)]
"""Fifteen firms; the last has 21 filings."""


@pytest.mark.parametrize("place", [0, 7, 14])
def test_every_firm_has_the_same_chance_of_every_place_however_much_it_files(place: int) -> None:
    counts = Counter(draw_order(FRAME, 2003, seed).order[place].cik for seed in SEEDS)
    assert stats.chisquare([counts[str(cik)] for cik in range(1, 16)]).pvalue > 0.001


def test_every_filing_of_a_firm_has_the_same_chance() -> None:
    chosen = Counter(
        next(one.accession for one in draw_order(FRAME, 2003, seed).order if one.cik == "15") for seed in SEEDS
    )
    assert len(chosen) == 21
    assert stats.chisquare(list(chosen.values())).pvalue > 0.001


def test_the_draws_of_two_years_are_independent() -> None:
    firms = range(1, 6)
    earlier, later = ([row(cik, cik, year=year) for cik in firms] for year in (2003, 2004))
    first = Counter(
        (draw_order(earlier, 2003, seed).order[0].cik, draw_order(later, 2004, seed).order[0].cik) for seed in SEEDS
    )
    table = [[first[str(one), str(other)] for other in firms] for one in firms]
    assert stats.chi2_contingency(table).pvalue > 0.001


def test_the_draws_of_two_seeds_are_independent() -> None:
    rows = [row(cik, cik) for cik in range(1, 6)]
    firsts = [draw_order(rows, 2003, seed).order[0].cik for seed in SEEDS]
    pairs = Counter(pairwise(firsts))
    table = [[pairs[str(one), str(other)] for other in range(1, 6)] for one in range(1, 6)]
    assert stats.chi2_contingency(table).pvalue > 0.001
