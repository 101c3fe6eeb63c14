"""Quotes with something left out: their fragments, and the places where these stand in order."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fingreat.matching.index import Place

MAX_GAP = 200
"""Most code points of the source that may be left out between two fragments."""
ELISION = "..."
"""Stands among the texts of a quote's tokens where something is left out, or put in."""

_MAX_FRAGMENTS = 20
_CASE_CHANGE = re.compile(r"\[(\w)\](?=\w)")  # "[S]ales" for "sales"
_SIGNS = "[", "…", "..", ". ."  # a quote without any of them is plain
_DOTS = r"(?:…|\.(?: ?\.){2,})"
_MARK = re.compile(rf"\[ ?{_DOTS} ?\]|{_DOTS}|\[(?P<insert>[^\[\]]{{0,200}})\]")


@dataclass(frozen=True)
class Parts:
    """An elided quote taken apart.

    Attributes:
        fragments: what is quoted, in order. One before an insert keeps the blank at its end.
        inserts: what an editor put in brackets.
    """

    fragments: tuple[str, ...]
    inserts: tuple[str, ...]


def take_apart(quote: str) -> Parts | None:
    """The fragments of a quote with ellipses or bracketed inserts; None for a plain quote or a mosaic."""
    if not any(sign in quote for sign in _SIGNS):
        return None
    text = _CASE_CHANGE.sub(r"\1", quote).strip()
    fragments: list[str] = []
    inserts: list[str] = []
    done = 0
    for match in _MARK.finditer(text):
        fragment = text[done : match.start()].lstrip()
        if match["insert"] is None:
            fragment = fragment.rstrip()
        else:
            inserts.append(match["insert"])
        fragments.append(fragment)
        done = match.end()
    if not done and text == quote.strip():
        return None
    fragments.append(text[done:].lstrip())
    return Parts(tuple(fragments), tuple(inserts)) if len(fragments) <= _MAX_FRAGMENTS else None


def chains(
    places: Sequence[Sequence[Place]],
    starts: Sequence[int],
    ends: Sequence[int],
    allowed: Callable[[Place, Place], bool],
) -> list[tuple[Place, ...]]:
    """Every way to put the fragments of a quote in order with gaps of at most `MAX_GAP`.

    Each place goes on to the nearest next one that leads to an end; of chains with the same last
    place only the tightest is kept.

    Args:
        places: for each fragment its places in order.
        starts, ends: source offsets of each token.
        allowed: whether the gap between two places may be left out.
    """
    following: dict[Place, tuple[Place, ...]] = {place: (place,) for place in places[-1]}
    for nearer in reversed(places[:-1]):
        firsts = sorted(following)
        tails, following = following, {}
        for place in nearer:
            end = ends[place[1]]
            for at in range(bisect_left(firsts, (place[1] + 1, 0)), len(firsts)):
                candidate = firsts[at]
                if starts[candidate[0]] - end > MAX_GAP:
                    break
                if allowed(place, candidate):
                    following[place] = (place, *tails[candidate])
                    break
    by_last = {chain[-1]: chain for chain in sorted(following.values())}
    return list(by_last.values())
