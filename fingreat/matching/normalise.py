"""One normal form for quotes and filings, with a map back to the source.

Grounding and matching compare what this module returns, so that typography, line ends, Markdown and the
tags of tables never decide whether two texts are the same. Every step is linear in the length of the text.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

_NON_ASCII = re.compile(r"[^\x00-\x7f]+")
# Patterns begin with the character itself where they can: `re` then looks for it many times faster.
_LINE_HYPHEN = re.compile(r"-(?<=[^\W_]-)[^\S\n]*\n[^\S\n]*(?=[^\W_])")
_SOFT_HYPHEN_AT_LINE_END = re.compile(r"\u00ad(?=[^\S\n]*\n)")
_BACKSLASHES = re.compile(r"\\\\*(?![^\W_])")
_DELIMITER_ROW = re.compile(r"^[^\S\n]*(?:[|:\-][^\S\n]*)+$", re.MULTILINE)
_EMPHASIS = re.compile(r"[*_]+")
# A dash alone on its line is an empty cell, not a list mark, unless the text begins with it.
_FIRST_MARKS = re.compile(r"\s*(?:(?:#{1,6}|[-*+])(?:\s+|\Z))+")
_LINE_MARKS = re.compile(r"\n[^\S\n]*(?:(?:#{1,6}|[-*+])[^\S\n]+)+(?=[^\W_]|[\"'$(\[])")
_ENTITY = re.compile(r"&(?:amp;)*(?:lt;|gt;)?")
_SPAN = r"t[dh]\s+colspan=\"\d+\""
_TABLE_TAG = re.compile(rf"<(?:/?(?:table|tr|t[dh])|{_SPAN})>")
_OPENS_SPAN = re.compile(rf"<(?<!<<)<*(?={_SPAN}>)")
_OTHER_SPACE = re.compile(r"[^\S ]")
_SPACE = re.compile(r"  +")
_ELLIPSIS = re.compile(r"\.(?: ?\.){2,}")
_MAX_FOLDS = 4
_MAX_GROUP = 31  # a letter and 30 marks, the bound of Unicode's stream-safe format (UAX 15)

Replacement = Callable[[re.Match[str], "_Mapped"], str | None]


@dataclass(frozen=True)
class Normalised:
    """A text in normal form and where each of its characters came from.

    Attributes:
        source: the text as given.
        text: its normal form; normalising it again changes nothing.
        starts, ends: for each character of `text` the half-open range of code points of `source` that
            it stands for. Characters of `source` that were dropped belong to no range.
        joined: where in `source` a hyphen at a line end was dropped, in order.
    """

    source: str
    text: str
    starts: array[int]
    ends: array[int]
    joined: tuple[int, ...] = ()

    def source_range(self, a: int, b: int) -> tuple[int, int]:
        """The code points of `source` behind `text[a:b]`, half-open.

        Raises:
            ValueError: unless 0 <= a < b <= len(text).
        """
        if not 0 <= a < b <= len(self.text):
            raise ValueError(f"no characters {a} to {b} in a normalised text of {len(self.text)}")
        return self.starts[a], self.ends[b - 1]


def normalise(text: str) -> Normalised:
    """The normal form of a text: what must be equal for two texts to say the same in the same words.

    NFKC with case folding; typographic quotes, dashes, ellipses and bullets as ASCII; soft hyphens and
    other invisible characters gone; words put together that a line end had cut; Markdown marks,
    back-slash escapes and table pipes gone; every run of white space one blank, none at the ends.
    Stars and underscores between blanks, digits or inside names (`3 * 4`, `A_B`) are text and stay.

    The tags of tables written as HTML are gone like pipes, and `&amp;`, `&lt;`, `&gt;` are the characters they stand
    for. A quote may be any piece of a row, so no context tells a mark from text: those tags (`table`, `tr`, `th`,
    `td`, with `colspan` or nothing) are marks wherever they stand, in quotes and texts alike; any other tag is text.
    """
    # Both replacements keep the length, so offsets still hold.
    lines = re.sub(r"\r(?=\n)", " ", text).replace("\r", "\n") if "\r" in text else text
    mapped = _fold_characters(_SOFT_HYPHEN_AT_LINE_END.sub("-", lines))
    mapped.source = text
    for pattern, replacement in _STEPS if _MARK.search(mapped.text) else _STEPS_WITHOUT_MARKS:
        if pattern is _EMPHASIS and not ("*" in mapped.text or "_" in mapped.text):
            continue  # told many times faster than by looking for either
        if pattern is _SPACE:
            # One character for one: offsets hold, and no match need be looked at by itself.
            mapped.text = _OTHER_SPACE.sub(" ", mapped.text)
        mapped.sub(pattern, replacement)
        if pattern is _SPACE:
            mapped.strip()
    return Normalised(text, mapped.text, mapped.starts, mapped.ends, tuple(mapped.joined))


class _Mapped:
    """A text under change, with the source range of each character."""

    def __init__(self, text: str, starts: array[int], ends: array[int]) -> None:
        self.source = ""
        self.text = text
        self.starts = starts
        self.ends = ends
        self.joined: list[int] = []

    def sub(self, pattern: re.Pattern[str], replacement: Replacement | str) -> None:
        """Replace each match; None leaves it. New characters stand for all that they replace."""
        pieces: list[str] = []
        starts, ends = array("I"), array("I")
        done = 0
        first = (pattern.match(self.text),) if pattern is _FIRST_MARKS else None
        for match in filter(None, first) if first else pattern.finditer(self.text):
            new = replacement if isinstance(replacement, str) else replacement(match, self)
            if new is None or new == match.group():
                continue
            a, b = match.span()
            pieces += (self.text[done:a], new)
            starts += self.starts[done:a]
            ends += self.ends[done:a]
            for _ in new:
                starts.append(self.starts[a])
                ends.append(self.ends[b - 1])
            done = b
        if done:
            pieces.append(self.text[done:])
            starts += self.starts[done:]
            ends += self.ends[done:]
            self.text, self.starts, self.ends = "".join(pieces), starts, ends

    def strip(self) -> None:
        """Drop the blank at either end, where no more than one stands."""
        a, b = self.text.startswith(" "), len(self.text.rstrip(" "))
        self.text, self.starts, self.ends = self.text[a:b], self.starts[a:b], self.ends[a:b]


def _join_line_end(match: re.Match[str], whole: _Mapped) -> str:
    """A word cut by a line end is put together; a figure or a name in capitals keeps its hyphen."""
    before, after = (whole.source[whole.starts[place]] for place in (match.start() - 1, match.end()))
    letters = before.isalpha() and after.isalpha()
    if not letters or (before.islower() and not after.islower()):
        return "-"
    whole.joined.append(whole.starts[match.start()])
    return ""


def _delimiter_row(match: re.Match[str], whole: _Mapped) -> str | None:
    return " " if "|" in match.group() else None


def _entity(match: re.Match[str], whole: _Mapped) -> str:
    """The character meant, however often it was escaped: a character that comes out is never the start of another."""
    return {"lt;": "<", "gt;": ">"}.get(match.group()[-3:], "&")


def _emphasis(match: re.Match[str], whole: _Mapped) -> str | None:
    """Drop a run of stars and underscores unless it is text."""
    a, b = match.span()
    before = whole.text[a - 1] if a else " "
    after = whole.text[b] if b < len(whole.text) else " "
    marks = match.group()
    if before.isspace() and after.isspace():
        return None if marks == "*" else ""
    if before.isdigit() and after.isdigit():
        return None
    return None if before.isalnum() and after.isalnum() and set(marks) == {"_"} else ""


# The order matters: no step may bring back what an earlier one removed.
_STEPS: tuple[tuple[re.Pattern[str], Replacement | str], ...] = (
    (_LINE_HYPHEN, _join_line_end),
    (_BACKSLASHES, ""),
    (_DELIMITER_ROW, _delimiter_row),
    (re.compile(r"\|\|*"), " "),
    (_EMPHASIS, _emphasis),
    (re.compile(r"`"), "'"),
    (re.compile(r"''+"), '"'),
    (re.compile(r"----+"), " "),
    (re.compile(r"==+"), " "),
    (re.compile(r"--+"), " - "),
    (_ENTITY, _entity),
    (_TABLE_TAG, " "),
    (_FIRST_MARKS, " "),
    (_LINE_MARKS, " "),
    (_OPENS_SPAN, " "),  # text that became a tag only now: the blank stands where another mark was
    (_SPACE, " "),
    (_ELLIPSIS, "..."),
)
_MARK = re.compile(r"[\n\\|*_`&<]|''|--|==")
"""Without any of it, as most quotes are, a text is changed by the next few steps only."""
_STEPS_WITHOUT_MARKS = tuple(step for step in _STEPS if step[0] in (_FIRST_MARKS, _SPACE, _ELLIPSIS))


def _fold_characters(text: str) -> _Mapped:
    """NFKC, case folding and plain typography, one group of joined characters at a time."""
    for char in () if text.isascii() else _same_length():
        # Nearly all that is not ASCII; found in the whole text faster than looked at one by one.
        text = text.replace(char, _typography()[ord(char)])
    pieces: list[str] = []
    starts, ends = array("I"), array("I")
    numbers = _numbers(len(text).bit_length())
    done = 0
    for match in () if text.isascii() else _NON_ASCII.finditer(text):
        a, b = match.span()
        a = max(done, a - 1)  # marks join the character before them, which may be ASCII
        pieces.append(text[done:a].lower())
        starts += numbers[done:a]
        ends += numbers[done + 1 : a + 1]
        while a < b:
            group = a + 1
            while group < b and group - a < _MAX_GROUP and _joins(text[group]):
                group += 1
            new = _fold(text[a:group])
            if new and new[0].isdigit() and a and text[a - 1].isdecimal() and not text[a].isdecimal():
                new = " " + new  # a fraction or a footnote mark behind a figure is not its next digit
            seen = group
            while seen > a + 1 and _invisible(text[seen - 1]):
                seen -= 1
            pieces.append(new)
            starts.extend([a] * len(new))
            ends.extend([seen] * len(new))
            a = group
        done = b
    pieces.append(text[done:].lower())
    starts += numbers[done : len(text)]
    ends += numbers[done + 1 : len(text) + 1]
    return _Mapped("".join(pieces), starts, ends)


@lru_cache(maxsize=8)
def _numbers(bits: int) -> array[int]:
    """The numbers from 0 that take so many bits, and the next one: to be sliced, not counted again for each text."""
    return array("I", range((1 << bits) + 1))


@lru_cache(maxsize=65536)
def _fold(group: str) -> str:
    table = _typography()
    seen = "".join(char for char in group if not _invisible(char)).translate(table)
    for _ in range(_MAX_FOLDS):
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", seen).translate(table).casefold())
        if folded == seen:
            break
        seen = folded
    return _without_orphans(seen.translate(table))


def _without_orphans(text: str) -> str:
    """Combining marks that stand on no letter are dropped: they would join whatever comes before them."""
    kept: list[str] = []
    on_letter = False
    for char in text:
        if unicodedata.category(char)[0] != "M":
            on_letter = char.isalpha()
            kept.append(char)
        elif on_letter:
            kept.append(char)
    return "".join(kept)


@lru_cache(maxsize=65536)
def _joins(char: str) -> bool:
    """Whether a character can melt into the one before it: combining marks, Hangul vowels and finals."""
    if _invisible(char):
        return True
    first = unicodedata.normalize("NFKD", char)[0]
    return unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff"


@lru_cache(maxsize=65536)
def _invisible(char: str) -> bool:
    return unicodedata.category(char) == "Cf" or "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


@cache
def _typography() -> dict[int, str]:
    data = tomllib.loads(files(__package__).joinpath("typography.toml").read_text(encoding="utf-8"))
    plain = {
        "single_quotes": "'",
        "double_quotes": '"',
        "hyphens": "-",
        "dashes": "--",
        "bullets": " ",
        "slashes": "/",
    }
    return {ord(char): plain[name] for name, chars in data.items() for char in chars}


@cache
def _same_length() -> tuple[str, ...]:
    """Characters of print that one plain character stands for, and that melt into none before them."""
    return tuple(chr(code) for code, plain in _typography().items() if len(plain) == 1 and not _joins(chr(code)))
