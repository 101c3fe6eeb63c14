"""The Standard Industrial Classification: codes as EDGAR writes them, and their divisions, from sic.toml."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_CODE = re.compile(r"[0-9]{1,4}")


@dataclass(frozen=True, slots=True)
class Division:
    """One division of the classification.

    Attributes:
        letter: A to J as in the classification, K for what it cannot classify.
        first, last: its major groups, both included.
        codes: further codes of four digits that belong to it wherever they stand.
    """

    letter: str
    name: str
    first: int
    last: int
    codes: tuple[str, ...] = ()

    def holds(self, code: str) -> bool:
        """Whether the major group of a code of four digits is one of the division's."""
        return self.first <= int(code[:2]) <= self.last


@cache
def divisions() -> tuple[Division, ...]:
    """All divisions in the classification's order, which is that of every table; "Unclassified" comes last."""
    table = tomllib.loads(files("fingreat.schema").joinpath("sic.toml").read_text(encoding="utf-8"))
    return tuple(Division(**{**entry, "codes": tuple(entry.get("codes", ()))}) for entry in table["division"])


def sic_of(text: str | None) -> str | None:
    """A code in its four digits, from the way EDGAR writes it: "100" is 0100; None for "", "0" and what is no code."""
    code = (text or "").strip()
    return code.zfill(4) if _CODE.fullmatch(code) and code.strip("0") else None


def division_of(sic: str | None) -> str | None:
    """The name of the division that a code belongs to.

    None where there is no code or its major group is in no division: the industry is unknown. Codes of major
    group 99 are known to be "Unclassified", which is something else.
    """
    code = sic_of(sic)
    if code is None:
        return None
    special = (division.name for division in divisions() if code in division.codes)
    return next(special, None) or next((division.name for division in divisions() if division.holds(code)), None)
