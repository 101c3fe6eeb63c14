"""Tokens of a normalised text: words, and figures with all that belongs to their value."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, NamedTuple

from fingreat.matching.normalise import Normalised

Kind = Literal["word", "number", "symbol"]

# The patterns run over classes, one per character: a letter, 0 decimal digit, c currency sign, < or >
# comparison, ! anything else; ASCII punctuation and the blank stand for themselves.
_FIGURE = r"(?:(?:0{1,3}(?:,000)+(?!0)|0+)(?:\.0+)?|(?<![a0.)])\.0+)"
_TOKEN = re.compile(
    rf"(?P<word>a+)|(?P<loss>\( ?(?:c ?)?{_FIGURE}(?: ?%)? ?\)(?: ?%)?)"
    rf"|(?P<number>(?:(?<![a0)%])[-+](?:c ?)?)?{_FIGURE}(?: ?%)?)|(?P<symbol>c|[<>](?= ?c? ?[0.]))"
)


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
    text = normalised if isinstance(normalised, str) else normalised.text
    found: list[Token] = []
    # Nearly all tokens are words; made without the call that a named tuple's own constructor is.
    add, make = found.append, tuple.__new__
    for match in _TOKEN.finditer(text.translate(_CLASSES)):
        a, b = match.span()
        kind = match.lastgroup
        if kind == "word":
            add(make(Token, (text[a:b], a, b, "word")))
        elif kind == "symbol":
            if symbols:
                found.append(Token(text[a:b], a, b, "symbol"))
        else:
            sign = match.group().find("c")
            if symbols and sign >= 0:
                # "-$5" and "($5)" read like "$-5" and "$(5)"; both tokens begin where the sign does.
                found.append(Token(text[a + sign], a, a + sign + 1, "symbol"))
            found.append(Token(_figure(text[a:b], loss=kind == "loss"), a, b, "number"))
    return found


def _figure(raw: str, *, loss: bool) -> str:
    digits = "".join(char for char in raw if char == "." or char.isdecimal())
    sign = "-" if loss else raw[0] if raw[0] in "+-" else ""
    whole = "0" if digits.startswith(".") else ""
    return f"{sign}{whole}{digits}{'%' if '%' in raw else ''}"
