"""Tokens of a normalised text: words, and figures with all that belongs to their value."""

from __future__ import annotations

import re
import unicodedata
from itertools import accumulate
from typing import Literal, NamedTuple, TypeVar

from fingreat.matching.normalise import Normalised

Kind = Literal["word", "number", "symbol"]
T = TypeVar("T")

# The patterns run over classes, one per character: a letter, 0 decimal digit, c currency sign, < or >
# comparison, ! anything else; ASCII punctuation and the blank stand for themselves.
# Each alternative begins with the character itself, so that `re` skips to the next that any of them can begin with.
_DIGITS = r"0(?:0{0,2}(?:,000)+(?!0)|0*)(?:\.0+)?"
_POINT = r"\.(?<![a0.)]\.)0+"
_FIGURE = f"(?:{_DIGITS}|{_POINT})"
_CUT = re.compile(
    rf"(aa*|\( ?(?:c ?)?{_FIGURE}(?: ?%)? ?\)(?: ?%)?|{_DIGITS}(?: ?%)?|{_POINT}(?: ?%)?"
    rf"|-(?<![a0)%]-)(?:c ?)?{_FIGURE}(?: ?%)?|\+(?<![a0)%]\+)(?:c ?)?{_FIGURE}(?: ?%)?"
    r"|c|<(?= ?c? ?[0.])|>(?= ?c? ?[0.]))"
)
"""Words, losses in parentheses, figures, figures with a sign, and symbols."""
_SYMBOLS = frozenset("c<>")
_NO_DIGIT = re.compile(r"[^\d.]+")


class Token(NamedTuple):
    """One token.

    Attributes:
        text: a word as it stands; a figure as sign, digits with the point, per-cent mark, without
            thousands commas, an accounting loss in parentheses with a minus sign; a symbol as it stands.
        start, end: its place in the normalised text, half-open.
        kind: `word`, `number`, or `symbol` (currency and comparison signs before a figure).
    """

    text: str
    start: int
    end: int
    kind: Kind


class Columns(NamedTuple):
    """Many tokens, one list for each of their attributes: made many times faster than the tokens one by one."""

    texts: list[str]
    starts: list[int]
    ends: list[int]
    kinds: list[Kind]


class _Classes(dict[int, str]):
    """Character classes for `str.translate`, worked out when a character is first met."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        category = unicodedata.category(char)
        if category == "Nd":
            kind = "0"
        elif category[0] in "LMN":
            kind = "a"
        elif category == "Sc":
            kind = "c"
        elif char in "≤≥":
            kind = "<" if char == "≤" else ">"
        else:
            kind = char if code < 128 else "!"
        self[code] = kind
        return kind


_CLASSES = _Classes()


def tokens(normalised: Normalised | str, *, symbols: bool = False) -> list[Token]:
    """The tokens of a text in order.

    Args:
        normalised: what `normalise` returned, or its text.
        symbols: also give currency signs and comparison signs (`$`, `<`), each before its figure.
    """
    found = map(Token._make, zip(*columns(normalised if isinstance(normalised, str) else normalised.text), strict=True))
    return list(found) if symbols else [token for token in found if token.kind != "symbol"]


def columns(text: str) -> Columns:
    """The tokens of a normalised text, symbols included."""
    classes = text.translate(_CLASSES)
    # What stands between tokens and the tokens in turn: no match need be looked at by itself.
    cut = _CUT.split(classes)
    places = list(accumulate(map(len, cut)))
    starts, ends = places[:-1:2], places[1::2]
    texts = [text[a:b] for a, b in zip(starts, ends, strict=True)]
    kinds: list[Kind] = ["word"] * len(texts)
    signs: list[tuple[int, int]] = []
    for at, raw in enumerate(cut[1::2]):
        if raw[0] == "a":
            continue
        if raw in _SYMBOLS:
            kinds[at] = "symbol"
            continue
        if (sign := raw.find("c")) >= 0:
            signs.append((at, starts[at] + sign))
        texts[at] = _figure(texts[at], loss=raw[0] == "(")
        kinds[at] = "number"
    if not signs:
        return Columns(texts, starts, ends, kinds)
    # "-$5" and "($5)" read like "$-5" and "$(5)"; both tokens begin where the sign does.
    return Columns(
        _with_new(texts, [(at, text[sign]) for at, sign in signs]),
        _with_new(starts, [(at, starts[at]) for at, _ in signs]),
        _with_new(ends, [(at, sign + 1) for at, sign in signs]),
        _with_new(kinds, [(at, "symbol") for at, _ in signs]),
    )


def _with_new(column: list[T], new: list[tuple[int, T]]) -> list[T]:
    """A list with new entries, each before the one that has its number now."""
    found: list[T] = []
    done = 0
    for at, entry in new:
        found += column[done:at]
        found.append(entry)
        done = at
    return found + column[done:]


def word_around(text: str, at: int) -> tuple[int, int]:
    """The place of the word that has the character `at` of a normalised text; empty where it is no letter."""
    start = end = at
    while start and _CLASSES[ord(text[start - 1])] == "a":
        start -= 1
    while end < len(text) and _CLASSES[ord(text[end])] == "a":
        end += 1
    return start, end


def is_word(text: str) -> bool:
    """Whether the text of a token is that of a word, not of a figure or a symbol."""
    return _CLASSES[ord(text[0])] == "a"


def _figure(raw: str, *, loss: bool) -> str:
    digits = _NO_DIGIT.sub("", raw)
    sign = "-" if loss else raw[0] if raw[0] in "+-" else ""
    whole = "0" if digits.startswith(".") else ""
    return f"{sign}{whole}{digits}{'%' if '%' in raw else ''}"
