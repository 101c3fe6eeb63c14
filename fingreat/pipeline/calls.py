"""What a corpus notes of the calls that filled it: each selection once, with its counts over all of its calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fingreat.schema import sha256_hex

_SHOWN = 100
"""Names and paths that are noted themselves; the checksum stands for all of them."""


def listed(key: str, texts: Sequence[str]) -> dict[str, Any]:
    """The first of some texts, how many there are, and the SHA-256 of all of them, a line each."""
    digest = sha256_hex("".join(f"{text}\n" for text in texts).encode())
    return {key: list(texts[:_SHOWN]), f"{key}_in_all": len(texts), f"{key}_sha256": digest}


def with_call(
    calls: Sequence[dict[str, Any]], selection: Mapping[str, Any], counts: Mapping[str, int], done: str
) -> list[dict[str, Any]]:
    """The calls of a stage with one more; one that selects the same takes the place of the earlier one.

    What was done, and its bytes, add up then; what failed is that of the latest call; what is left was there before.

    Args:
        selection: what the call was to do, as JSON holds it.
        counts: `done`, `already_there` and `failed`, of which `asked`, where it is among them, is the sum.
        done: the name of the count of filings that came in.
    """
    earlier = next((call for call in calls if _selects(call, selection)), None)
    added = {key: counts[key] + (earlier["counts"][key] if earlier else 0) for key in (done, "bytes") if key in counts}
    seen = counts[done] + counts["already_there"] + counts["failed"]
    there = max(0, seen - added[done] - counts["failed"])
    merged = {**counts, **added, "already_there": there}
    if "asked" in counts:
        merged["asked"] = added[done] + there + counts["failed"]
    call = {**selection, "counts": merged}
    return [call if one is earlier else one for one in calls] if earlier else [*calls, call]


def _selects(call: Mapping[str, Any], selection: Mapping[str, Any]) -> bool:
    return {key: value for key, value in call.items() if key != "counts"} == selection
