"""Names and figures taken out of a text, to see what a model knows of a filing beside what the passage says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from fingreat.schema import Graph

MaskKind = Literal["names", "figures"]

NAME, FIGURE = "[name]", "#"
_FIGURE = re.compile(r"\d+(?:[.,/:]\d+)*")
_WORD = re.compile(r"[^\W\d_]+(?:[&.'’-][^\W\d_]+)*")
_POSSESSIVE = re.compile(r"['’]s$")
_SENTENCE_END = re.compile(r"(?<=[.!?:;])[\"'”’)]*\s+")
_NAMES = re.compile(rf"{re.escape(NAME)}(?:(?:[ ,&-]{{0,3}}| (?:and|of|de) ){re.escape(NAME)})+")
_ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s|<>()\[\]]*[^\W_]/?"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?<![\w.-])(?:[a-z0-9-]+\.)+(?:com|net|org|gov|edu|biz|info|io|co\.uk)\b(?:/[^\s|<>()\[\]]*[^\W_]/?)?",
    re.IGNORECASE,
)
"""Of a page or a mailbox: they spell the firm's name."""
_MONTH = re.compile(
    r"\b(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\b\.?(?=[^\S\n]{1,3}\d)",
    re.IGNORECASE,
)
"""Before a figure, as in the heads of tables, where no sentence tells that the word is a name."""
_LEGAL_FORMS = (
    "company",
    "co",
    "corp",
    "corporation",
    "inc",
    "incorporated",
    "limited",
    "llc",
    "llp",
    "lp",
    "ltd",
    "plc",
)


class Mask:
    """Takes names, figures or both out of the texts of one filing.

    Figures: every number becomes `#`, with its points and commas; signs, currencies and per-cent marks stay, and so do
    numbers written as words.

    Names: the registrant's name, in the filing's form of it with or without "Inc.", becomes `[name]`, and so does
    every word with a capital that stands inside a sentence somewhere in `text` and is no ordinary word: none that the
    text or the graph file also writes small, no term of `capitals.txt`, no single letter. Such a word is then
    masked everywhere, at the beginning of sentences and in headings and tables too; neighbours become one `[name]`.
    Months are names by this rule; they also are, short or long, before a figure. So are addresses of web and mail.

    Args:
        text: of the filing's section; where there is only the passage, that.
        company: the registrant's name, where it is known.
    """

    def __init__(self, kinds: Iterable[MaskKind], graph: Graph, text: str, company: str | None = None) -> None:
        self._kinds = frozenset(kinds)
        self._company = _company_pattern(company) if company and "names" in self._kinds else None
        self._names: frozenset[str] = frozenset()
        if "names" in self._kinds:
            ordinary = _small_words(text).union(*(_small_words(part) for part in _graph_texts(graph)))
            self._names = frozenset(word for word in _capitals_inside(text) if _is_name(word, ordinary))

    def __call__(self, text: str) -> str:
        """The text with what the mask covers taken out."""
        if "names" in self._kinds:
            text = _ADDRESS.sub(NAME, text)
            text = _MONTH.sub(_unless_small, text)
        if self._company:
            # A word that is a name only with its capital: a firm called Target has targets.
            text = self._company.sub(_unless_small, text)
        if self._names:
            text = _WORD.sub(self._word, text)
        if "names" in self._kinds:
            text = _NAMES.sub(NAME, text)
        return _FIGURE.sub(FIGURE, text) if "figures" in self._kinds else text

    def _word(self, found: re.Match[str]) -> str:
        word = _POSSESSIVE.sub("", found.group())
        return NAME + found.group()[len(word) :] if word in self._names else found.group()


def _unless_small(found: re.Match[str]) -> str:
    return found.group() if found.group()[0].islower() else NAME


def _company_pattern(company: str) -> re.Pattern[str] | None:
    """The registrant's name in capitals or not, with whatever stands between its words, and its legal form or none."""
    words = _WORD.findall(company)
    while words and words[-1].lower().rstrip(".") in _LEGAL_FORMS:
        words.pop()
    if not words:
        return None
    legal = r"(?:,?\s+(?:" + "|".join(_LEGAL_FORMS) + r")\b\.?)*"
    return re.compile(r"\b" + r"[\W\d_]+".join(map(re.escape, words)) + r"\b" + legal, re.IGNORECASE)


def _capitals_inside(text: str) -> Iterator[str]:
    """Words with a capital where that says something: not first in a sentence, nor in headings, rows and titles."""
    for line in text.splitlines():
        if line.startswith(("#", "|", "<")):
            continue
        for sentence in _SENTENCE_END.split(line):
            words = [_POSSESSIVE.sub("", word) for word in _WORD.findall(sentence)]
            if any(word[0].islower() for word in words[1:]):
                yield from (word for word in words[1:] if word[0].isupper())


def _is_name(word: str, ordinary: frozenset[str]) -> bool:
    return len(word) > 1 and word.lower() not in ordinary and word not in _capitals()


def _small_words(text: str) -> frozenset[str]:
    return frozenset(word for word in _WORD.findall(text) if word[0].islower())


@lru_cache(maxsize=1)
def _capitals() -> frozenset[str]:
    lines = files("fingreat.prompts").joinpath("capitals.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def _graph_texts(graph: Graph) -> Iterator[str]:
    """What the graph file says in words."""
    yield from (f"{node.name} {node.holds}" for node in graph.nodes.values())
    yield from (f"{edge.is_} {edge.is_not}" for edge in graph.edges.values())
    yield from graph.rules
    if graph.prototypes:
        yield from graph.prototypes.no_evidence
        yield from (text for group in graph.prototypes.evidence.values() for text in group)
    if graph.lexicon:
        yield from (phrase for cues in graph.lexicon.cues.values() for phrase in cues)
