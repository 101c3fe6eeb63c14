"""Years as users write them: "2000-2025", "2019", "2015-2017,2020"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from fingreat.errors import InputError

FIRST_YEAR = 1993
"""The first year of EDGAR's indexes."""
_LAST_YEAR = 2100
_YEARS = re.compile(r"([0-9]{4})(?:\s*[-–]\s*([0-9]{4}))?")
_FAULTS = (
    (re.compile(r"[0-9]+\s*[-–]"), "ends nowhere"),
    (re.compile(r"[-–]\s*[0-9]+"), "begins nowhere"),
    (re.compile(r"[0-9]{1,3}|[0-9]+\s*[-–]\s*[0-9]+"), "has a year without four digits"),
)
_HINT = "Write years with four digits: 2019, 2000-2025 or 2000-2005,2019."
_SHOWN = 40


def years_of(text: str, where: str = "--years") -> tuple[int, ...]:
    """The years that a text names, in order, each once.

    Args:
        where: the option that the message names.

    Raises:
        InputError: a part is no year and no span of years, a span runs backwards, or EDGAR has no such year.
    """
    years: set[int] = set()
    for part in text.split(","):
        match = _YEARS.fullmatch(part.strip())
        shown = repr(part.strip()[:_SHOWN])
        if not match:
            raise InputError(f"{shown} {_fault(part.strip())}.", where=where, hint=_HINT)
        first, last = int(match[1]), int(match[2] or match[1])
        if first > last:
            raise InputError(f"{shown} runs backwards.", where=where, hint=f"Write {last}-{first}.")
        if first < FIRST_YEAR or last > _LAST_YEAR:
            raise InputError(f"{shown} is outside {FIRST_YEAR}-{_LAST_YEAR}.", where=where)
        years.update(range(first, last + 1))
    return tuple(sorted(years))


def _fault(text: str) -> str:
    """Why a text is no year and no span of years."""
    for shape, fault in _FAULTS:
        if shape.fullmatch(text):
            return fault
    return "is no year"


def stretches(years: Iterable[int]) -> list[tuple[int, int]]:
    """First and last year of each unbroken row of years."""
    years = sorted(set(years))
    if not years:
        return []
    breaks = [(a, b) for a, b in pairwise(years) if b != a + 1]
    return list(zip([years[0], *(b for _, b in breaks)], [*(a for a, _ in breaks), years[-1]], strict=True))


def spoken_years(years: Iterable[int]) -> str:
    """The years as a user would write them."""
    return ", ".join(f"{first}-{last}" if first != last else str(first) for first, last in stretches(years))
