"""What the stages that made a corpus noted in its manifest, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fingreat.report.tables import Column, Table

_MOST_COUNTS, _LONGEST_LIST = 12, 100
"""Up to how many counts, and how many characters, what a stage notes is shown itself and not only counted."""
_AS_TYPED = ("seed", "year")
"""Whole numbers by these names are no counts: they are shown as a user types them."""


def stage_table(stages: Mapping[str, Any]) -> Table | None:
    """All that the stages noted, a row each: whole numbers as counts, all else as settings.

    Args:
        stages: from a corpus' manifest, whatever stages there are and whatever they noted.
    """
    rows = [(stage, *row) for stage, noted in stages.items() for row in _noted("", noted)]
    if not rows:
        return None
    return Table(
        id="corpus-stages",
        title="How the corpus was made",
        columns=(
            Column(label="stage"),
            Column(label="what"),
            Column(label="count", kind="count"),
            Column(label="setting"),
        ),
        rows=tuple(rows),
        notes=("As noted in the corpus folder's manifest.json, of the latest call of each stage.",),
    )


def _noted(name: str, value: Any) -> Iterator[tuple[str, int | None, str | None]]:
    """Name, count and setting of everything that a stage noted, in words.

    Of a table within, such as that of the digests of all indexes, only the entries are counted, unless it holds a few
    counts and nothing else.
    """
    if isinstance(value, dict) and (not name or _is_few_counts(value)):
        for key, inner in value.items():
            yield from _noted(f"{name}, {key}" if name else str(key), inner)
        return
    words = name.replace("_", " ")
    if isinstance(value, dict | list):
        text = _listed(value)
        yield (words, len(value), None) if text is None else (words, None, text)
    elif isinstance(value, bool):
        yield words, None, "yes" if value else "no"
    elif isinstance(value, int) and value >= 0 and not words.endswith(_AS_TYPED):
        yield words, value, None
    elif value is not None:
        yield words, None, str(value)


def _is_few_counts(value: dict[str, Any]) -> bool:
    return len(value) <= _MOST_COUNTS and all(type(one) is int for one in value.values())


def _listed(value: dict[str, Any] | list[Any]) -> str | None:
    """A short list of plain values in one line, a row of years as its first and last; None for anything else."""
    if isinstance(value, dict) or any(isinstance(one, dict | list) for one in value):
        return None
    if len(value) > 2 and all(type(one) is int for one in value) and value == [*range(value[0], value[-1] + 1)]:
        return f"{value[0]}–{value[-1]}"
    text = ", ".join(map(str, value)) or "none"
    return text if len(text) <= _LONGEST_LIST else None
