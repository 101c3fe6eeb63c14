"""Which terms a model's tags are, once they are written in one way, and how far two models share them.

The rules are in `tag_rules.toml`, each with its reason. They are mechanical: nothing is stemmed, and no two tags are
taken for one because they mean the same.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, TypeAlias

from fingreat.analysis.ratio import Ratio

Fault: TypeAlias = Literal["malformed", "placeholder"]
KINDS = ("abbreviation", "spelling", "plural")
"""The rounds in which words are replaced, in order."""

_HUMPS = re.compile(r"(?<=[a-zß-öø-ÿ\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z](?!s(?![a-z]))[a-z])")
"""Where CamelCase parts words: before a capital after a small letter or a digit, and before the last of several
capitals that goes on in small letters, unless these are a plural's (`REITs`)."""
_APOSTROPHES = re.compile("['\N{RIGHT SINGLE QUOTATION MARK}\N{MODIFIER LETTER APOSTROPHE}]")
_SIGNS = {"&": " and ", "%": " percent "}


@dataclass(frozen=True)
class Vocabulary:
    """The terms that a model's tags are.

    Attributes:
        terms: V_m: what the rules make of its valid tags.
        written: how many different strings the model wrote.
        malformed, placeholders: those that are no terms, sorted.
    """

    terms: frozenset[str]
    written: int
    malformed: tuple[str, ...]
    placeholders: tuple[str, ...]


def vocabulary_of(tags: Iterable[str]) -> Vocabulary:
    """The terms of tags, however often each is given. A blank string is no tag."""
    written = {tag for tag in tags if tag.strip()}
    left_out: dict[Fault, list[str]] = {"malformed": [], "placeholder": []}
    terms = set()
    for tag in sorted(written):
        if fault := fault_of(tag):
            left_out[fault].append(tag)
        else:
            terms.add(normalise_tag(tag))
    return Vocabulary(frozenset(terms), len(written), tuple(left_out["malformed"]), tuple(left_out["placeholder"]))


def vocabulary_overlap(a: Vocabulary, b: Vocabulary) -> Ratio:
    """Jaccard of two vocabularies: |V_a ∩ V_b| of |V_a ∪ V_b|; without a value where both are empty."""
    return Ratio(len(a.terms & b.terms), len(a.terms | b.terms))


def fault_of(tag: str) -> Fault | None:
    """Why a string is no term, None if it is one."""
    rules = _rules()
    composed = _composed(tag)
    if any(pattern.search(composed) for pattern in rules.malformed):
        return "malformed"
    return "placeholder" if rules.placeholder.fullmatch(normalise_tag(tag)) else None


def normalise_tag(tag: str) -> str:
    """A tag as words in lower case, one blank between them, with abbreviations, spelling and plurals of the rules.

    Whether it is a valid one is another question: `fault_of`.
    """
    rules = _rules()
    text = rules.whole.sub(lambda found: f" {found[0].lower()} ", _composed(tag))
    text = _APOSTROPHES.sub("", _HUMPS.sub(" ", text)).casefold()
    spaced = (_SIGNS.get(char, char if _in_word(char) else " ") for char in unicodedata.normalize("NFKC", text))
    words = "".join(spaced).split()
    for replacing in rules.rounds:
        words = replacing.applied(words)
    return " ".join(words)


def _composed(tag: str) -> str:
    """NFKC, without characters that cannot be seen (soft hyphens, zero-width ones, selectors of a form)."""
    text = unicodedata.normalize("NFKC", tag)
    return "".join(char for char in text if unicodedata.category(char) != "Cf" and not _selects(char)).strip()


def _selects(char: str) -> bool:
    return unicodedata.name(char, "").startswith("VARIATION SELECTOR")


def _in_word(char: str) -> bool:
    """Whether it is a letter, a digit, or a sign on one, such as a vowel of Devanagari."""
    return char.isalnum() or unicodedata.category(char) in ("Mn", "Mc")


class _Replacing:
    """Phrases and what they are replaced by."""

    def __init__(self, phrases: Mapping[str, str]) -> None:
        self._phrases = {tuple(old.split()): tuple(new.split()) for old, new in phrases.items()}
        self._longest: dict[str, int] = {}
        for first, *rest in self._phrases:
            self._longest[first] = max(self._longest.get(first, 0), 1 + len(rest))

    def applied(self, words: Sequence[str]) -> list[str]:
        """The words, from left to right with the longest phrase replaced that stands there."""
        found: list[str] = []
        place = 0
        while place < len(words):
            for length in range(self._longest.get(words[place], 0), 0, -1):
                new = self._phrases.get(tuple(words[place : place + length]))
                if new is not None:
                    found += new
                    place += length
                    break
            else:
                found.append(words[place])
                place += 1
        return found


@dataclass(frozen=True)
class _Rules:
    malformed: tuple[re.Pattern[str], ...]
    whole: re.Pattern[str]
    placeholder: re.Pattern[str]
    rounds: tuple[_Replacing, ...]


@cache
def _rules() -> _Rules:
    data: dict[str, Any] = tomllib.loads(files(__package__).joinpath("tag_rules.toml").read_text(encoding="utf-8"))
    whole = [re.escape(word) for group in data["whole"] for word in group["words"]]
    placeholders = [re.escape(term) for group in data["placeholder"] for term in group["terms"]]
    placeholders += [pattern for group in data["placeholder"] for pattern in group.get("patterns", ())]
    rounds = []
    for kind in KINDS:
        phrases: dict[str, str] = {}
        for group in data["replace"]:
            if group["kind"] == kind:
                phrases |= group["words"]
        rounds.append(_Replacing(phrases))
    return _Rules(
        malformed=tuple(re.compile(group["pattern"]) for group in data["malformed"]),
        whole=re.compile(rf"(?<![A-Z])(?:{'|'.join(whole)})(?![a-z])"),
        placeholder=re.compile("|".join(placeholders)),
        rounds=tuple(rounds),
    )
