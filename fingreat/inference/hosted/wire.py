"""Reading a server's JSON, which may hold anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fingreat.inference.parse import valid_text

NO_JSON = (ValueError, RecursionError)
"""What reading a body raises that is no JSON, or none that anybody could want: Python's reader refuses numbers of
thousands of digits with a plain ValueError."""
_MOST = 2**53
"""What is more is no count; any JSON reader holds a whole number up to here."""


def part(data: Any, name: str) -> Mapping[str, Any]:
    """The object of that name in an object, an empty one for anything else."""
    found = data.get(name) if isinstance(data, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def parts(data: Any, name: str) -> list[Mapping[str, Any]]:
    """The objects in the list of that name, none for anything else."""
    found = data.get(name) if isinstance(data, Mapping) else None
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def text(data: Any, name: str) -> str:
    """The text of that name as a file can hold it, nothing for anything else."""
    found = data.get(name) if isinstance(data, Mapping) else None
    return valid_text(found) if isinstance(found, str) else ""


def count(data: Any, name: str) -> int | None:
    """The whole number of that name, from 0 to 2^53; None for anything else."""
    found = data.get(name) if isinstance(data, Mapping) else None
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found <= _MOST else None


def laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Two objects as one; where both hold an object under a name, that one key by key as well."""
    merged = dict(below)
    for name, value in above.items():
        mine = merged.get(name)
        merged[name] = laid_over(mine, value) if isinstance(mine, Mapping) and isinstance(value, Mapping) else value
    return merged
