"""What must be said beside figures of a benchmark: what they leave out, what failed, in what runs differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from fingreat.analysis.answers import AnswerSheet
from fingreat.report.tables import count_of
from fingreat.runs import Manifest
from fingreat.schema import GoldPassage

_NAMED = 4
"""How many runs a note names; tables have all of them."""
_NO_SETTINGS = ("graph", "mode")
"""What is resolved, but the same in all runs that can be compared."""


def notes_on(sheet: AnswerSheet, manifests: Mapping[str, Manifest]) -> tuple[str, ...]:
    """The notes, as sentences.

    Args:
        manifests: of each run, by the sheet's names.
    """
    return (
        f"Over {count_of(len(sheet.passages), 'passage')} of {count_of(len(sheet.filings), 'filing')}.",
        *_left_out(sheet),
        *_failed(sheet),
        *_twice(sheet.passages),
        *_settings(manifests),
        *_texts(manifests),
    )


def _left_out(sheet: AnswerSheet) -> Iterator[str]:
    if sheet.without_edges:
        play = "plays" if sheet.without_edges == 1 else "play"
        yield f"{count_of(sheet.without_edges, 'passage')} without an accepted edge {play} no part."
    if sheet.left_out:
        yield (
            f"Left out: {count_of(len(sheet.left_out), 'passage')} that not all runs were asked about (first: "
            f"{sheet.left_out[0]})."
        )


def _failed(sheet: AnswerSheet) -> Iterator[str]:
    failed = {name: sum(edge is None for edge in edges) for name, edges in zip(sheet.names, sheet.edges, strict=True)}
    worst = sorted((name for name in failed if failed[name]), key=lambda name: -failed[name])
    if worst:
        named = [f"{failed[name]:,} of {name}" for name in worst[:_NAMED]]
        if others := worst[_NAMED:]:
            named.append(f"{sum(failed[name] for name in others):,} of {count_of(len(others), 'other run')}")
        yield f"Replies that failed count as wrong: {', '.join(named)}."


def _twice(passages: Sequence[GoldPassage]) -> Iterator[str]:
    """Whether a filing has one text under two ids: it then weighs twice."""
    first: dict[tuple[str, str], GoldPassage] = {}
    twice = []
    for passage in passages:
        place = passage.filing_id, " ".join(passage.text.split())
        if first.setdefault(place, passage) is not passage:
            twice.append((first[place], passage))
    if twice:
        one, other = twice[0]
        differ = sum(a.accepted != b.accepted for a, b in twice)
        beside = f", {differ:,} of them with other accepted edges" if differ else ""
        have = "has" if len(twice) == 1 else "have"
        yield (
            f"{count_of(len(twice), 'passage')} {have} the text of an earlier one of the same filing (first: "
            f"{other.passage_id}, as {one.passage_id}); each counts{beside}."
        )


def _settings(manifests: Mapping[str, Manifest]) -> Iterator[str]:
    """In what runs were asked differently."""
    keys = dict.fromkeys(key for manifest in manifests.values() for key in manifest.resolved if key not in _NO_SETTINGS)
    for key in keys:
        by_value: dict[str, list[str]] = {}
        for name, manifest in manifests.items():
            by_value.setdefault(_shown(manifest.resolved.get(key)), []).append(name)
        if len(by_value) > 1:
            told = (f"{value} in {_some(names)}" for value, names in by_value.items())
            yield f"Runs were asked in different ways: {key.replace('_', ' ')} is {', '.join(told)}."


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return " and ".join(map(str, value)) or "nothing"
    if value is None:
        return "not set"
    return ("given" if value else "not given") if isinstance(value, bool) else str(value)


def _some(names: Sequence[str]) -> str:
    """Some names, and how many more there are."""
    left = len(names) - _NAMED
    return ", ".join(islice(names, _NAMED)) + (f" and {left:,} more" if left > 0 else "")


def _texts(manifests: Mapping[str, Manifest]) -> Iterator[str]:
    """Whether runs saw other texts of the same filing around a passage."""
    digests: dict[str, str] = {}
    differ = set()
    for manifest in manifests.values():
        for filing, digest in manifest.inputs.items():
            if filing != "gold" and digests.setdefault(filing, digest) != digest:
                differ.add(filing)
    if differ:
        whose = "1 filing is" if len(differ) == 1 else f"{len(differ):,} filings are"
        yield f"The text of {whose} not the same in all runs (first: {min(differ)}): contexts may differ."
