"""Words and figures of weight, and what kind of them two token sequences differ in."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from rapidfuzz.distance import Indel

from fingreat.matching.tokens import is_word, tokens

_MAX_COMPARED = 4000
"""Longer sequences are not compared token by token: their edit script would need too much memory."""

WORDING = "wording"


@cache
def words_of_weight() -> dict[str, str]:
    """Each word of weight and its kind: `negation`, `direction`, `modal` or `scale`."""
    kinds = {word: kind for kind, words in _data()["weight"].items() for word in words}
    return {word: "negation" if kind == "contraction" else kind for word, kind in kinds.items()}


@cache
def chrome_phrases() -> frozenset[str]:
    """Running lines of a page, in lower case."""
    return frozenset(_data()["chrome"]["phrases"])


@cache
def negations() -> re.Pattern[str]:
    """A pattern that finds what an ellipsis may not hide in a normalised text."""
    words = "|".join(map(re.escape, _data()["weight"]["negation"]))
    return re.compile(rf"\b(?:{words})\b|n't\b")


def weighs(normalised_text: str) -> bool:
    """Whether a text holds a figure or a word of weight."""
    known = words_of_weight()
    return any(token.kind != "word" or token.text in known for token in tokens(normalised_text, symbols=True))


def differences(a: Sequence[str], b: Sequence[str]) -> tuple[str, ...]:
    """The kinds of tokens in which two sequences differ, given as their texts, sorted; empty if they are equal.

    Kinds are `figure` (numbers with their signs, per-cent marks and currencies), `negation`,
    `direction`, `modal`, `scale`, and `wording` for all other words. Order counts: two figures that
    changed places differ. Of very long sequences only the tokens that one side lacks are looked at.
    """
    if max(len(a), len(b)) > _MAX_COMPARED:
        lacking = set(a) ^ set(b)
        return _kinds(lacking) or ((WORDING,) if list(a) != list(b) else ())
    odd: list[str] = []
    for change in Indel.opcodes(a, b):
        if change.tag != "equal":
            odd += [*a[change.src_start : change.src_end], *b[change.dest_start : change.dest_end]]
    return _kinds(odd)


def _kinds(odd: Iterable[str]) -> tuple[str, ...]:
    known = words_of_weight()
    return tuple(sorted({known.get(text, WORDING) if is_word(text) else "figure" for text in odd}))


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))
