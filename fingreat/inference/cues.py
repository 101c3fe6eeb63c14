"""Evidence by cue phrases: a score per edge for a sentence or a passage, with no model."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import unescape

from fingreat.errors import InputError
from fingreat.schema.graph import Graph

_GAP = 5
"""Words that ` ... ` may stand for, at most."""
_AFTER_CAUSE = 0.5
"""What a cue counts where its sentence names causes, uses or parts: they are not what the main clause states."""
_OPENING, _OPENING_BONUS = 10, 1.5
"""Cues that begin within the first words of a sentence are mostly its subject and count more."""
_LATER_SENTENCE = 0.5
"""What a sentence counts after the first: a passage mostly opens with what it is about."""
_FULL_EVIDENCE = 2.0
"""Weight of `moved` less `against` from which a sentence counts in full."""
_LEAST_SHARE = 0.05
"""What a sentence counts that is no evidence at all; not 0, so that a passage always has a best edge."""

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|(?:\b[a-z]\.){2,}|[^\W\d_]+(?:&[^\W\d_]+)*|[$€£¥%,]")
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)%\"*][.!?])\s+(?=[A-Z(\"])|\n\s*\n|\n(?=\|)|(?<=\|)\n")
_HTML_ROW = re.compile(r"^<tr>(.*)</tr>$", re.MULTILINE)
_HTML_TAG = re.compile(r"</?t[dh]>|<t[dh] colspan=\"\d+\">")
_TYPOGRAPHY = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"', "\u00ad": None})
_POSSESSIVE = re.compile(r"'(?:s\b)?", re.IGNORECASE)

_Pattern = tuple[str, bool]
"""A word, and whether it is only the beginning of one."""


class CueScorer:
    """Scores text against the cue phrases of a graph. Compiled once; `scores` is linear in the text's length.

    A sentence gives each edge the weights of its cues, more at the sentence's opening and less where it names causes,
    times the sentence's share as evidence: `moved` less `against`, between 0.05 and 1, and 0.05 for a row of a table
    (Markdown or HTML). A text's score is the sum over its sentences, the first with a cue in full and the later ones
    by half.

    Raises:
        InputError: the graph has no lexicon.
    """

    def __init__(self, graph: Graph) -> None:
        lexicon = graph.lexicon
        if lexicon is None:
            raise InputError(
                f"graph '{graph.name}' has no cue phrases.",
                where=graph.source,
                hint="Add a [lexicon] table to the graph file, or use a model.",
            )
        self._edges = tuple(graph.edges)
        self._threshold = lexicon.threshold
        by_phrase: dict[str, dict[str, float]] = defaultdict(dict)
        for edge_id, cues in lexicon.cues.items():
            for phrase, weight in cues.items():
                by_phrase[phrase][edge_id] = weight
        self._cues = _PhraseIndex(by_phrase)
        self._moved = _PhraseIndex({phrase: {"": weight} for phrase, weight in lexicon.moved.items()})
        self._against = _PhraseIndex({phrase: {"": weight} for phrase, weight in lexicon.against.items()})
        self._causes = _PhraseIndex({phrase: {"": 1.0} for phrase in lexicon.causes})

    def scores(self, text: str) -> dict[str, float]:
        """The score of every edge, in graph order; 0 where no cue of the edge occurs."""
        total = dict.fromkeys(self._edges, 0.0)
        for (edge_id, _), weight in self._weights(text).items():
            total[edge_id] += weight
        return total

    def classify(self, text: str) -> str:
        """The one best edge; the first in graph order where several are equal, even at 0."""
        scores = self.scores(text)
        return max(self._edges, key=lambda edge_id: scores[edge_id])

    def edges(self, text: str) -> list[str]:
        """The edges for which a sentence is evidence (the threshold is made for single sentences), in graph order."""
        return [edge_id for edge_id, score in self.scores(text).items() if score >= self._threshold]

    def cues(self, text: str, edge_id: str) -> list[str]:
        """The phrases that speak for an edge, strongest first (equal ones in the file's order), without their marks.

        `gain* ... on sale` reads "gain on sale"; phrases that then read alike are given once.
        """
        weights = {phrase: weight for (edge, phrase), weight in self._weights(text).items() if edge == edge_id}
        ranked = sorted(weights, key=lambda phrase: (-weights[phrase], phrase.number))
        return list(dict.fromkeys(phrase.readable for phrase in ranked))

    def _weights(self, text: str) -> dict[tuple[str, _Phrase], float]:
        """What each phrase adds to the score of an edge, over all sentences; nothing that adds 0."""
        total: dict[tuple[str, _Phrase], float] = defaultdict(float)
        share = 1.0
        for sentence in _sentences(text):
            found = self._cue_weights(sentence)
            if not found:
                continue
            evidence = self._evidence(sentence) * share
            for key, weight in found.items():
                total[key] += weight * evidence
            share = _LATER_SENTENCE
        return total

    def _cue_weights(self, sentence: _Sentence) -> dict[tuple[str, _Phrase], float]:
        """The cues of one sentence, each phrase counted once, where it counts most."""
        causes = _CauseZones(sentence, [places[0] for places, _ in self._causes.find(sentence.words)])
        best: dict[tuple[str, _Phrase], float] = {}
        for places, phrase in self._cues.find(sentence.words):
            place = _AFTER_CAUSE if places[0] in causes else _OPENING_BONUS if places[0] < _OPENING else 1.0
            for edge_id, weight in phrase.weights.items():
                if weight:
                    key = (edge_id, phrase)
                    best[key] = max(best.get(key, 0.0), weight * place)
        return best

    def _evidence(self, sentence: _Sentence) -> float:
        """How far a sentence states what happened, from `_LEAST_SHARE` to 1; a row of a table states nothing."""
        if sentence.is_row:
            return _LEAST_SHARE
        moved = sum(self._moved.distinct_weights(sentence.words))
        against = sum(self._against.distinct_weights(sentence.words))
        balance = min(moved, _FULL_EVIDENCE + 1) - against
        return min(1.0, max(_LEAST_SHARE, (balance + 1) / (_FULL_EVIDENCE + 1)))


@dataclass(frozen=True)
class _Sentence:
    """Lower-case words, numbers as `#`; `commas` are the places that a comma stands before; a row of a table or not."""

    words: list[str]
    commas: list[int]
    is_row: bool


class _CauseZones:
    """The places of a sentence that lie in causes: from the first cause phrase on, or, where one opens the sentence
    or is set off by commas at its opening ("In 2009, due to ..., sales"), up to the comma after it and again from the
    next."""

    def __init__(self, sentence: _Sentence, starts: list[int]) -> None:
        commas, end = set(sentence.commas), len(sentence.words)
        opening = next((start for start in starts if start == 0 or (start < _OPENING and start in commas)), None)
        self._opening = range(0)
        if opening is not None:
            self._opening = range(opening, min((comma for comma in commas if comma > opening), default=end))
        self._from = min((start for start in starts if start not in self._opening), default=end)

    def __contains__(self, place: int) -> bool:
        return place in self._opening or place >= self._from


@dataclass(frozen=True, eq=False)
class _Phrase:
    """A phrase as groups of adjacent words, with a gap between groups; `readable` is its text without marks."""

    number: int
    readable: str
    groups: tuple[tuple[_Pattern, ...], ...]
    weights: Mapping[str, float]

    def match(self, words: list[str], start: int) -> tuple[int, ...] | None:
        """The places of the phrase's words if it begins at `start`, each gap as short as can be."""
        end = start
        places: list[int] = []
        for number, group in enumerate(self.groups):
            last = min(end + (_GAP if number else 0), len(words) - len(group))
            begin = next((at for at in range(end, last + 1) if _fits(group, words, at)), None)
            if begin is None:
                return None
            end = begin + len(group)
            places.extend(range(begin, end))
        return tuple(places)


class _PhraseIndex:
    """Phrases by their first word, so that most words of a text cost one look-up."""

    def __init__(self, weights: Mapping[str, Mapping[str, float]]) -> None:
        self._words: dict[str, list[_Phrase]] = defaultdict(list)
        self._stems: dict[str, list[_Phrase]] = defaultdict(list)
        for number, (text, by_edge) in enumerate(weights.items()):
            readable = text.replace(" ... ", " ").replace("*", "")
            phrase = _Phrase(number, readable, tuple(_patterns(group) for group in text.split(" ... ")), by_edge)
            word, is_stem = phrase.groups[0][0]
            (self._stems if is_stem else self._words)[word].append(phrase)
        self._stem_lengths = sorted({len(stem) for stem in self._stems})

    def find(self, words: list[str]) -> list[tuple[tuple[int, ...], _Phrase]]:
        """Places and phrase of each match, in text order; where matches share a word the longest stays."""
        matches = [
            (places, phrase)
            for start, word in enumerate(words)
            for phrase in self._beginning_with(word)
            if (places := phrase.match(words, start)) is not None
        ]
        matches.sort(key=lambda match: (-len(match[0]), match[0]))
        taken: set[int] = set()
        kept = []
        for places, phrase in matches:
            if taken.isdisjoint(places):
                taken.update(places)
                kept.append((places, phrase))
        return sorted(kept, key=lambda match: match[0])

    def distinct_weights(self, words: list[str]) -> Iterable[float]:
        """The weights of the phrases that occur, each once."""
        found = {phrase.number: phrase for _, phrase in self.find(words)}
        return [weight for phrase in found.values() for weight in phrase.weights.values()]

    def _beginning_with(self, word: str) -> Iterator[_Phrase]:
        yield from self._words.get(word, ())
        for length in self._stem_lengths:
            if length > len(word):
                return
            yield from self._stems.get(word[:length], ())


def _fits(group: tuple[_Pattern, ...], words: list[str], at: int) -> bool:
    return all(
        words[at + step].startswith(text) if is_stem else words[at + step] == text
        for step, (text, is_stem) in enumerate(group)
    )


def _patterns(group: str) -> tuple[_Pattern, ...]:
    """The word patterns of a phrase's part, tokenised as text is, so that `share-based` finds "share based"."""
    patterns: list[_Pattern] = []
    for word in group.split():
        if word.rstrip("*") == "#":
            patterns.append(("#", False))
            continue
        *whole, last = _words(word.rstrip("*")).words
        patterns += [(part, False) for part in whole] + [(last, word.endswith("*"))]
    return tuple(patterns)


def _sentences(text: str) -> Iterator[_Sentence]:
    piped = _HTML_ROW.sub(_piped, text) if "<tr>" in text else text
    plain = unicodedata.normalize("NFKC", piped).translate(_TYPOGRAPHY)
    for sentence in _SENTENCE_END.split(plain):
        yield _words(sentence)


def _piped(row: re.Match[str]) -> str:
    """A row of an HTML table as a Markdown row."""
    return f"|{unescape(_HTML_TAG.sub('|', row[1]))}|"


def _words(text: str) -> _Sentence:
    sentence = _Sentence([], [], is_row=text.lstrip().startswith("|"))
    for token in _TOKEN.findall(_POSSESSIVE.sub("", text).lower()):
        if token == ",":
            sentence.commas.append(len(sentence.words))
        else:
            sentence.words.append("#" if token[0].isdigit() else token.replace(".", ""))
    return sentence
