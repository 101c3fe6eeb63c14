"""Texts as LaTeX sets them: nothing in them is a command, how wide they are, and where they may break."""

from __future__ import annotations

import re
from functools import lru_cache

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    # By itself it closes a quotation, and begins a command in some languages of babel.
    '"': r"\symbol{34}",
    # At the beginning of a row they would belong to the line break before it.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "\0": "{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Marks that turn the direction of writing: with them a comment could look like something else."""
_JOINED = re.compile(r"([-',])(?=\1)")
"""What a font makes one character of with its neighbour: two hyphens, two apostrophes, two commas."""
_WORD = re.compile(r"\W*[^\W\d_]+(?:[-'’][^\W\d_]+)*\W*")
_LONG_WORD, _LONG_NAME = 20, 10
"""Characters from which on a word is none that LaTeX can hyphenate, and those from which on a name may break."""
_PIECE = re.compile(r"(?:[^\W\d_]{1,8}(?![^\W_])|\d{1,3}\.\d{1,2}[^\W\d_]?(?![^\W_])|[^\W_]{1,4})[\W_]{0,2}|[\W_]{1,4}")
"""What of a long name is not broken: a short word, a decimal, or some letters and digits, with the signs after them."""
_WIDTHS = (
    ("ijl.,:;'!|[]", 0.28),
    ("frst()-` ", 0.39),
    ("mw%&", 0.82),
    ("MW@…", 1.0),
    ("+<>=~ABCDEFGHIJKLNOPQRSTUVXYZ", 0.75),
)
"""Characters by their width in Computer Modern, as parts of the size of letters."""
_EM = {character: width for characters, width in _WIDTHS for character in characters}
_OTHER, _WIDE = 0.52, 1.0
"""The width of other characters, and of those of East Asian writing."""


def latex_text(text: str) -> str:
    """A text that LaTeX sets as it is, in one line: nothing in it is a command or ends an argument.

    White space and control characters become one space, and half a surrogate pair a question mark.
    """
    return "".join(_SPECIAL.get(character, character) for character in _JOINED.sub("\\1\0", _line(text)))


def breakable_text(text: str) -> str:
    """The same for a narrow column: hashes, names of models and what else has no syllables may break anywhere."""
    return " ".join(r"\allowbreak{}".join(map(latex_text, _pieces(word))) for word in _line(text).split(" "))


def comment_line(text: str) -> str:
    """A text as a line of a comment, which it cannot leave."""
    return f"% {' '.join(_CONTROL.sub(' ', _TURNING.sub('?', text)).split())}"


@lru_cache(maxsize=2**15)
def width(text: str) -> float:
    """About how wide a text is, in sizes of its letters."""
    return sum(_EM.get(character, _OTHER if character < "\u2e80" else _WIDE) for character in text)


def _line(text: str) -> str:
    return " ".join(_CONTROL.sub(" ", text.encode("utf-8", "replace").decode()).split())


def _pieces(word: str) -> list[str]:
    """What of a word stays together."""
    if len(word) > (_LONG_WORD if _WORD.fullmatch(word) else _LONG_NAME):
        return _PIECE.findall(word)
    return [word]
