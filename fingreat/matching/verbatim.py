"""Quotes that stand in their chunk letter by letter: found in the text as it is, before anything is normalised.

Most quotes do, and normalising and indexing a section takes longer than all else that is done for it. Only quotes are
taken whose borders leave no doubt, so that the verdict is the one that the index gives; all others go there.
"""

from __future__ import annotations

import re

_BORDERS = re.compile(r"[A-Za-z].*(?:[A-Za-z][.,;:!?]?|[0-9%)][.;:!?])", re.DOTALL)
"""A letter first, a letter or the end of a sentence last: no sign, figure, mark or tag reaches over the borders."""
_ODD = re.compile(r"[<>\r]")
"""Tags, which may begin before the quote; lone carriage returns, which are line ends to some and not to others."""
_WORD = re.compile(r"[A-Za-z]{2,}")
_BEFORE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,;:!?)%\"'|#>")
"""What the text before a quote may end with; a hyphen there may belong to the quote's first word."""
_BLANKS = 100
_MOST_PLACES = 100

Range = tuple[int, int]


def verbatim_places(quote: str, section: str, start: int, end: int, least_words: int) -> tuple[Range, ...]:
    """Every place of a quote in `section[start:end]`; nothing where there is none, or any doubt about one.

    Args:
        quote: without white space around it.
        least_words: words that it must have to be checked at all; twice as many are asked for here, since two runs of
            letters may be one word.
    """
    if not _BORDERS.fullmatch(quote) or _ODD.search(quote) or len(_WORD.findall(quote)) < 2 * least_words:
        return ()
    places: list[Range] = []
    at = section.find(quote, start, end)
    while at >= 0:
        if len(places) == _MOST_PLACES or not _is_apart(section, at, at + len(quote)):
            return ()
        places.append((at, at + len(quote)))
        at = section.find(quote, at + 1, end)
    return tuple(places)


def _is_apart(section: str, start: int, end: int) -> bool:
    """Whether a stretch of text begins and ends with whole words, whatever is normalised around it."""
    if section[end : end + 1] not in ("", " ", "\n"):
        return False
    before = section[max(0, start - _BLANKS) : start]
    if not before:
        return True
    return before[-1] in " \n" and before.rstrip(" \n")[-1:] in _BEFORE
