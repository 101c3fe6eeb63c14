"""What a corpus is made of: filings and firms by industry, year, form and size, and the lengths of an item's texts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Literal, TypeVar

from fingreat.analysis.ratio import Ratio
from fingreat.schema import Filing, Section, SectionStatus
from fingreat.schema.sic import division_of, divisions

QUANTILES = tuple(Fraction(percent, 100) for percent in (0, 5, 25, 50, 75, 95, 100))
"""Which quantiles are given, the smallest and the largest value included."""
_BOUNDS = (0, 1, *(10**power for power in (7, 8, 9, 10, 11)))
"""Where bands of total assets begin, in US dollars: nothing at all, then up to ten million, and so on."""
K = TypeVar("K", bound=str | int)


@dataclass(frozen=True)
class SectionFacts:
    """What is known of the search for an item in one filing.

    Attributes:
        chars: length of the text, in code points.
        pointed_to: where the text of a found item stands if the item itself only points there.
    """

    status: SectionStatus
    chars: int
    pointed_to: Literal["document", "exhibit"] | None = None

    @classmethod
    def of(cls, section: Section) -> SectionFacts:
        """The facts of a section, which don't hold its text."""
        pointed_to: Literal["document", "exhibit"] | None = None
        if section.status is SectionStatus.FOUND and section.pointer is not None:
            pointed_to = "exhibit" if (section.source_document or "").upper().startswith("EX") else "document"
        return cls(section.status, len(section.text), pointed_to)


@dataclass(frozen=True)
class Group:
    """Some filings of a corpus.

    Attributes:
        name: of the division, year or form; None where the filings have none, and for all of a corpus.
        firms: distinct CIKs.
        without_cik: filings that are of no known firm.
        found: filings whose item was found, of those in which it was looked for.
        with_assets: filings whose total assets are known, of all.
        firms_with_assets: distinct CIKs among them.
        median_assets: in US dollars, of the filings whose size is described; None where there is none.
        median_chars: of the texts that were found; None where there is none.
    """

    name: str | None
    filings: int
    firms: int
    without_cik: int
    found: Ratio
    with_assets: Ratio
    firms_with_assets: int
    median_assets: float | None
    median_chars: float | None


@dataclass(frozen=True)
class Band:
    """Filings whose total assets are in a band.

    Attributes:
        least: the smallest amount of the band, None for amounts below zero.
        below: the smallest amount above it, None where there is no end.
    """

    least: int | None
    below: int | None
    filings: int


@dataclass(frozen=True)
class Quantile:
    """The value below which a share of all values lies."""

    share: float
    value: float


@dataclass(frozen=True)
class CorpusFigures:
    """The figures of a corpus.

    Attributes:
        all: every filing.
        divisions: all in the classification's order, then one without a name: the industry is unknown.
        firms_of_several: firms whose filings stand in more than one of them.
        years: by year of filing, then one without a name where filings have no date.
        forms: by form type, then one without a name where filings have none.
        sic_sources: filings by where their industry code is from: `submissions`, `header`, `unstated` or `none`.
        size_years: the years of filing whose sizes are described; empty for all filings.
        sized: the filings of those years.
        bands: of total assets, one below zero only if there is such a filing.
        assets: quantiles of total assets, none where no value is known.
        chars: quantiles of the lengths of the texts that were found.
        statuses: filings by what became of the search; `unsearched` where there was none.
        found_elsewhere, found_in_exhibit: filings whose item was found by following its pointer to another place of
            its document, and to an exhibit.
    """

    all: Group
    divisions: tuple[Group, ...]
    firms_of_several: int
    years: tuple[Group, ...]
    forms: tuple[Group, ...]
    sic_sources: dict[str, int]
    size_years: tuple[int, ...]
    sized: Group
    bands: tuple[Band, ...]
    assets: tuple[Quantile, ...]
    chars: tuple[Quantile, ...]
    statuses: dict[str, int]
    found_elsewhere: int
    found_in_exhibit: int


def measure_corpus(
    filings: Sequence[Filing], sections: Mapping[str, SectionFacts], *, size_years: Collection[int] = ()
) -> CorpusFigures:
    """Measure a corpus.

    Args:
        sections: what became of the search for one item, by filing id.
        size_years: years of filing to which all that is said of total assets, but for its coverage, is restricted;
            none for no restriction.
    """
    sized = [one for one in filings if not size_years or (one.filed is not None and one.filed.year in size_years)]
    measured = _Measuring(sections, frozenset(one.id for one in sized))
    known = [sections[one.id] for one in filings if one.id in sections]
    return CorpusFigures(
        all=measured.group(None, filings),
        divisions=measured.groups(filings, _division, [division.name for division in divisions()]),
        firms_of_several=_of_several(filings),
        years=measured.groups(filings, lambda one: one.filed.year if one.filed else None),
        forms=measured.groups(filings, lambda one: one.form),
        sic_sources=_sic_sources(filings),
        size_years=tuple(sorted(size_years)),
        sized=measured.group(None, sized),
        bands=_bands(_assets(sized)),
        assets=quantiles(_assets(sized)),
        chars=quantiles(_chars(known)),
        statuses=_statuses(len(filings), known),
        found_elsewhere=sum(one.pointed_to == "document" for one in known),
        found_in_exhibit=sum(one.pointed_to == "exhibit" for one in known),
    )


def quantile(values: Sequence[int], share: Fraction) -> float:
    """The quantile of sorted whole numbers by linear interpolation between neighbours.

    Definition 7 of R. J. Hyndman and Y. Fan, "Sample Quantiles in Statistical Packages", The American Statistician
    50 (1996), 361-365: the default of NumPy and R. A whole number is given as an int, exactly.
    """
    place = (len(values) - 1) * share
    low, high = values[floor(place)], values[ceil(place)]
    value = low + (place - floor(place)) * (high - low)
    return int(value) if value.denominator == 1 else float(value)


def quantiles(values: Iterable[int]) -> tuple[Quantile, ...]:
    """The `QUANTILES` of whole numbers in any order; none of no numbers."""
    ordered = sorted(values)
    return tuple(Quantile(float(share), quantile(ordered, share)) for share in QUANTILES) if ordered else ()


@dataclass(frozen=True)
class _Measuring:
    """What every group is measured with."""

    sections: Mapping[str, SectionFacts]
    sized: frozenset[str]

    def groups(
        self, filings: Sequence[Filing], key: Callable[[Filing], K | None], names: Sequence[K] = ()
    ) -> tuple[Group, ...]:
        """The filings by a key: the named groups, empty or not, further ones sorted, at last those without a key."""
        parted: defaultdict[K | None, list[Filing]] = defaultdict(list)
        for filing in filings:
            parted[key(filing)].append(filing)
        further = sorted(found for found in parted if found is not None and found not in names)
        made = [self.group(str(name), parted[name]) for name in (*names, *further)]
        return (*made, self.group(None, parted[None])) if names or None in parted else tuple(made)

    def group(self, name: str | None, filings: Sequence[Filing]) -> Group:
        known = [self.sections[one.id] for one in filings if one.id in self.sections]
        with_assets = [one for one in filings if one.total_assets is not None]
        return Group(
            name=name,
            filings=len(filings),
            firms=_firms(filings),
            without_cik=sum(one.cik is None for one in filings),
            found=Ratio(sum(one.status is SectionStatus.FOUND for one in known), len(known)),
            with_assets=Ratio(len(with_assets), len(filings)),
            firms_with_assets=_firms(with_assets),
            median_assets=_median(_assets(one for one in filings if one.id in self.sized)),
            median_chars=_median(_chars(known)),
        )


def _division(filing: Filing) -> str | None:
    return filing.division or division_of(filing.sic)


def _firms(filings: Iterable[Filing]) -> int:
    return len({filing.cik for filing in filings if filing.cik is not None})


def _of_several(filings: Iterable[Filing]) -> int:
    """How many firms have filings of more than one division, unknown ones included."""
    seen: defaultdict[str, set[str | None]] = defaultdict(set)
    for filing in filings:
        if filing.cik is not None:
            seen[filing.cik].add(_division(filing))
    return sum(len(found) > 1 for found in seen.values())


def _sic_sources(filings: Iterable[Filing]) -> dict[str, int]:
    counts = Counter((one.sic_source or "unstated") if one.sic is not None else "none" for one in filings)
    return {source: counts[source] for source in ("submissions", "header", "unstated", "none")}


def _assets(filings: Iterable[Filing]) -> list[int]:
    return [one.total_assets for one in filings if one.total_assets is not None]


def _chars(sections: Iterable[SectionFacts]) -> list[int]:
    return [one.chars for one in sections if one.status is SectionStatus.FOUND]


def _median(values: Iterable[int]) -> float | None:
    ordered = sorted(values)
    return quantile(ordered, Fraction(1, 2)) if ordered else None


def _bands(values: Sequence[int]) -> tuple[Band, ...]:
    ends = (None, *_BOUNDS, None)
    made = tuple(
        Band(
            least,
            below,
            sum((least is None or value >= least) and (below is None or value < below) for value in values),
        )
        for least, below in pairwise(ends)
    )
    return made if made[0].filings else made[1:]


def _statuses(filings: int, known: Sequence[SectionFacts]) -> dict[str, int]:
    counts = Counter(one.status for one in known)
    return {**{status.value: counts[status] for status in SectionStatus}, "unsearched": filings - len(known)}
