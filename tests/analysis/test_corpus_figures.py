"""Figures of a corpus, against hand arithmetic, numbers that a study published, and another library's quantiles."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingreat.analysis import Ratio
from fingreat.analysis.corpus import QUANTILES, Group, SectionFacts, measure_corpus, quantile, quantiles
from fingreat.schema import Filing, Section, SectionStatus

NUMBERS = count()
FOUND, ABSENT = SectionStatus.FOUND, SectionStatus.ABSENT


def filing(cik: str | None = "1", year: int | None = 2020, **fields: object) -> Filing:
    """A filing like no other, of firm 1 in 2020 unless said otherwise."""
    filed = None if year is None else date(year, 3, 1)
    return Filing(id=f"f{next(NUMBERS)}", cik=cik, filed=filed, path="x", sha256="0" * 64, **fields)  # type: ignore[arg-type]


def by_name(groups: tuple[Group, ...]) -> dict[str | None, Group]:
    named = {group.name: group for group in groups}
    assert len(named) == len(groups)
    return named


def test_a_firm_counts_once_in_each_division_and_once_in_all() -> None:
    filings = [
        *(filing("1", year, sic="3571", sic_source="submissions") for year in (2018, 2019, 2020)),
        filing("2", sic="2834", sic_source="submissions"),
        # The header of one year has another code than that of the next.
        filing("3", 2001, sic="6021", sic_source="header"),
        filing("3", 2002, sic="7372", sic_source="header"),
        filing("4", sic="9995"),
        filing("4"),
        filing(None, sic="3571"),
        filing(None),
    ]
    figures = measure_corpus(filings, {})
    divisions = by_name(figures.divisions)
    counted = {name: (group.filings, group.firms) for name, group in divisions.items() if group.filings}
    assert counted == {
        "Manufacturing": (5, 2),
        "Finance, Insurance, and Real Estate": (1, 1),
        "Services": (1, 1),
        "Unclassified": (1, 1),
        None: (2, 1),
    }
    assert (figures.all.filings, figures.all.firms, figures.all.without_cik) == (10, 4, 2)
    assert divisions["Manufacturing"].without_cik == 1
    assert figures.firms_of_several == 2
    assert figures.sic_sources == {"submissions": 4, "header": 2, "unstated": 2, "none": 2}


def test_every_division_has_its_row_in_the_order_of_the_classification_and_the_unknown_come_last() -> None:
    names = [group.name for group in measure_corpus([filing(sic="7372")], {}).divisions]
    assert names[:4] == ["Agriculture, Forestry, and Fishing", "Mining", "Construction", "Manufacturing"]
    assert names[-3:] == ["Public Administration", "Unclassified", None]
    assert len(names) == 12


def test_a_division_that_is_noted_goes_before_one_from_the_code() -> None:
    figures = measure_corpus([filing(sic="3571", division="Services")], {})
    assert by_name(figures.divisions)["Services"].filings == 1


def test_years_and_forms_have_rows_of_their_own_for_what_is_not_known() -> None:
    filings = [filing(year=2003, form="10-K405"), filing(year=None, form="10-K"), filing("2", 2001), filing("2", 2003)]
    figures = measure_corpus(filings, {})
    assert [(group.name, group.filings, group.firms) for group in figures.years] == [
        ("2001", 1, 1),
        ("2003", 2, 2),
        (None, 1, 1),
    ]
    assert [(group.name, group.filings, group.firms) for group in figures.forms] == [
        ("10-K", 1, 1),
        ("10-K405", 1, 1),
        (None, 2, 1),
    ]


def test_an_empty_corpus_has_no_values() -> None:
    figures = measure_corpus([], {})
    assert (figures.all.filings, figures.all.firms) == (0, 0)
    assert figures.all.with_assets.value is None
    assert (figures.years, figures.assets, figures.chars) == ((), (), ())
    assert sum(band.filings for band in figures.bands) == 0


def test_what_became_of_the_search_adds_up_and_lengths_are_of_found_texts_only() -> None:
    filings = [filing(year=2001), *(filing(year=2002) for _ in range(5))]
    ids = [one.id for one in filings]
    sections = {
        ids[0]: SectionFacts(FOUND, 900, "exhibit"),
        ids[1]: SectionFacts(FOUND, 100, "document"),
        ids[2]: SectionFacts(FOUND, 201),
        ids[3]: SectionFacts(SectionStatus.BY_REFERENCE, 50),
        ids[4]: SectionFacts(ABSENT, 0),
        "gone": SectionFacts(FOUND, 10**6),
    }
    figures = measure_corpus(filings, sections)
    assert figures.statuses == {"found": 3, "by_reference": 1, "absent": 1, "unreadable": 0, "unsearched": 1}
    assert (figures.found_elsewhere, figures.found_in_exhibit) == (1, 1)
    assert figures.all.found == Ratio(3, 5)
    years = by_name(figures.years)
    assert years["2002"].found == Ratio(2, 4)
    # Between 100 and 201; all three: 100, 201, 900.
    assert (years["2002"].median_chars, figures.all.median_chars) == (150.5, 201)
    assert [(one.share, one.value) for one in figures.chars][2:5] == [(0.25, 150.5), (0.5, 201), (0.75, 550.5)]


@pytest.mark.parametrize(
    ("status", "document", "pointer", "pointed_to"),
    [
        ("found", "EX-13", "See the Annual Report.", "exhibit"),
        ("found", "ex-13.1", "See the Annual Report.", "exhibit"),
        ("found", "10-K", "See page 12.", "document"),
        ("found", None, "See page 12.", "document"),
        ("found", "10-K", None, None),
        ("by_reference", "10-K", "See the Proxy Statement.", None),
    ],
)
def test_a_pointer_was_followed_where_the_text_is_found_elsewhere(
    status: str, document: str | None, pointer: str | None, pointed_to: str | None
) -> None:
    section = Section(
        filing_id="a",
        item="7",
        status=SectionStatus(status),
        text="ångström",
        source_document=document,
        pointer=pointer,
    )
    assert SectionFacts.of(section) == SectionFacts(SectionStatus(status), 8, pointed_to)  # type: ignore[arg-type]


def test_bands_begin_with_their_lower_amount_and_zero_is_an_amount() -> None:
    amounts = [0, 0, 1, 9_999_999, 10_000_000, 99_999_999, 100_000_000, 10**9, 10**10, 10**11, 3_170_000_000_000, None]
    figures = measure_corpus([filing(total_assets=amount) for amount in amounts], {})
    assert [(band.least, band.below, band.filings) for band in figures.bands] == [
        (0, 1, 2),
        (1, 10_000_000, 2),
        (10_000_000, 100_000_000, 2),
        (100_000_000, 1_000_000_000, 1),
        (1_000_000_000, 10_000_000_000, 1),
        (10_000_000_000, 100_000_000_000, 1),
        (100_000_000_000, None, 2),
    ]
    assert figures.all.with_assets == Ratio(11, 12)
    assert figures.assets[0].value == 0
    assert figures.assets[-1].value == 3_170_000_000_000


def test_amounts_below_zero_get_a_band_only_where_there_are_any() -> None:
    figures = measure_corpus([filing(total_assets=-1), filing(total_assets=0)], {})
    assert [(band.least, band.below, band.filings) for band in figures.bands][:2] == [(None, 0, 1), (0, 1, 1)]


def test_a_window_of_years_restricts_sizes_and_nothing_else() -> None:
    filings = [
        filing("1", 2010, total_assets=1),
        filing("2", 2012, total_assets=30),
        filing("2", 2013, total_assets=50),
        filing("3", 2013),
        filing("4", None, total_assets=7),
    ]
    figures = measure_corpus(filings, {}, size_years=range(2012, 2014))
    assert figures.size_years == (2012, 2013)
    assert (figures.all.filings, figures.all.firms) == (5, 4)
    # Coverage is that of all years, medians are those of the window.
    assert {group.name: (group.with_assets, group.median_assets) for group in figures.years} == {
        "2010": (Ratio(1, 1), None),
        "2012": (Ratio(1, 1), 30),
        "2013": (Ratio(1, 2), 50),
        None: (Ratio(1, 1), None),
    }
    assert (figures.all.with_assets, figures.all.median_assets) == (Ratio(4, 5), 40)
    assert (figures.sized.filings, figures.sized.with_assets.hits) == (3, 2)
    assert (figures.sized.firms, figures.sized.firms_with_assets) == (2, 1)
    assert sum(band.filings for band in figures.bands) == 2
    assert figures.assets[0].value == 30


def published() -> list[Filing]:
    """1,300 filings, 50 of each year from 2000 to 2025, of 1,237 firms: 15 of them, with 17 filings, of no known
    industry. Total assets are known for 9 of the first 600 filings and for all but 53 of the last 700."""
    unknown = [f"u{number % 15}" for number in range(17)]
    known = [f"k{number % 1222}" for number in range(1300 - 17)]
    filings = []
    for number, cik in enumerate(unknown + known):
        has_assets = number < 9 or number >= 653
        filings.append(
            filing(
                cik,
                2000 + number // 50,
                sic="3571" if cik.startswith("k") else None,
                total_assets=10**6 * number if has_assets else None,
            )
        )
    return filings


def test_a_corpus_of_published_size_gives_the_published_figures() -> None:
    figures = measure_corpus(published(), {}, size_years=range(2012, 2026))
    assert (figures.all.filings, figures.all.firms) == (1300, 1237)
    assert [(group.name, group.filings) for group in figures.years] == [(str(year), 50) for year in range(2000, 2026)]
    divisions = by_name(figures.divisions)
    assert (divisions["Manufacturing"].filings, divisions["Manufacturing"].firms) == (1283, 1222)
    assert (divisions[None].filings, divisions[None].firms) == (17, 15)
    assert figures.firms_of_several == 0
    assert figures.all.with_assets == Ratio(656, 656 + 644)
    assert figures.sized.with_assets == Ratio(647, 700)
    assert figures.sized.with_assets.value == pytest.approx(0.924286, abs=5e-7)
    assert sum(group.with_assets.hits for group in figures.years) == 656
    assert by_name(figures.years)["2012"].with_assets == Ratio(0, 50)
    assert by_name(figures.years)["2013"].with_assets == Ratio(47, 50)
    assert sum(band.filings for band in figures.bands) == 647


def test_quantiles_are_those_of_the_definition() -> None:
    # R's documentation of `quantile`, whose default is definition 7: 1:4 has the quartiles 1.75, 2.5 and 3.25.
    assert [quantile([1, 2, 3, 4], Fraction(part, 4)) for part in range(5)] == [1, 1.75, 2.5, 3.25, 4]
    # 21 values: the 5 % quantile is the second, exactly.
    assert quantile([*range(0, 210, 10)], Fraction(1, 20)) == 10
    assert quantiles([]) == ()
    assert [one.value for one in quantiles([5])] == [5] * len(QUANTILES)


def test_quantiles_of_whole_numbers_are_exact() -> None:
    # Half of 2**53 + 1 and 2**53 + 3, which no float could tell apart.
    middle = quantile([2**53 + 1, 2**53 + 3], Fraction(1, 2))
    assert (middle, type(middle)) == (2**53 + 2, int)


@given(st.lists(st.integers(-(10**13), 4 * 10**13), min_size=1, max_size=60))
def test_quantiles_are_those_of_numpy(values: list[int]) -> None:
    ours = quantiles(values)
    theirs = np.quantile(values, [one.share for one in ours], method="linear")
    # NumPy interpolates in floats; ours are exact.
    assert [one.value for one in ours] == pytest.approx(list(theirs), abs=1e-9 + 1e-14 * max(map(abs, values)))
    assert [one.share for one in ours] == [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]
