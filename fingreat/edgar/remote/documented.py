"""Reading EDGAR's JSON by its documented shape: what is anything else is said so, with its place."""

from __future__ import annotations

import json
import re
from datetime import date
from decimal import Decimal
from typing import Any

from fingreat.errors import RemoteError

_LARGEST = Decimal(2**63 - 1)
_DAY = re.compile(r"(\d{4}-\d\d-\d\d)(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?", re.ASCII)
_UNWRITABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def undocumented(where: str, expected: str) -> RemoteError:
    """The error for a place of a document that does not hold what is expected there."""
    return RemoteError(
        f"this is not what EDGAR documents: {expected} is expected here.",
        where=where,
        hint="Ask again later; if it stays, EDGAR has changed the shape of its data.",
    )


def document(data: bytes, where: str) -> dict[str, Any]:
    """The object that some bytes hold, with its fractions as `Decimal`, so that no digit is lost."""
    try:
        value = json.loads(data, parse_float=Decimal, parse_constant=_no_constant)
    # An exponent that no Decimal holds is an ArithmeticError.
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise undocumented(where, "JSON") from error
    return mapping(value, where)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def mapping(value: Any, where: str) -> dict[str, Any]:
    """An object."""
    if not isinstance(value, dict):
        raise undocumented(where, "an object")
    return value


def items(value: Any, where: str) -> list[Any]:
    """A list."""
    if not isinstance(value, list):
        raise undocumented(where, "a list")
    return value


def text(value: Any, where: str) -> str:
    """One line of text that any file and terminal can hold."""
    line = " ".join(value.split()) if isinstance(value, str) else None
    if line is None or _UNWRITABLE.search(line):
        raise undocumented(where, "a text")
    return line


def text_or_empty(value: Any, where: str) -> str:
    """A text that may be missing or null."""
    return text("" if value is None else value, where)


def amount(value: Any, where: str) -> Decimal:
    """A number, exact; none that 64 bits cannot hold."""
    number = Decimal(value) if isinstance(value, int | Decimal) and not isinstance(value, bool) else None
    if number is None or number.copy_abs() > _LARGEST:
        raise undocumented(where, "an amount")
    return number


def day(value: Any, where: str) -> date:
    """The day of an ISO date or date-time."""
    found = day_or_none(value, where)
    if found is None:
        raise undocumented(where, "a date")
    return found


def day_or_none(value: Any, where: str) -> date | None:
    """The day of an ISO date or date-time; None where it is missing or empty, or no calendar has it."""
    line = text_or_empty(value, where)
    match = _DAY.fullmatch(line)
    if line and not match:
        raise undocumented(where, "a date")
    try:
        return date.fromisoformat(match[1]) if match else None
    except ValueError:
        return None
