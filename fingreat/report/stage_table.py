"""What the stages that made a corpus noted in its manifest, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from fingreat.report.tables import Column, Table

_MOST_COUNTS, _LONGEST_LIST, _MOST_CALLS = 12, 100, 5
"""Up to how many counts, characters and calls, what a stage notes is shown itself and not only counted."""
_AS_TYPED = ("seed", "year")
"""Whole numbers by these names are no counts: they are shown as a user types them."""
_ELSEWHERE = {"sample": ("by_year", "reasons", "remarks"), "enrich": ("with_assets",)}
"""What has tables of its own, or is also among the other counts."""
_WORDS = {
    "asked": "wanted",
    "assets": "total assets",
    "doubles": "documents beside their full submission",
    "passed_over": "passed over as of another kind",
    "paths": "files and folders",
    "paths_in_all": "files and folders in all",
    "per_year": "filings per year",
    "tables": "form of tables",
    "with_division": "industry known",
    "with_sic": "industry code known",
    "without_cik": "without CIK",
}
"""What a key of the manifest means, where it is not the word itself."""
_UNSHOWN = ("paths_sha256",)
"""What tells calls apart, and a reader nothing: it hashes where files lay."""


def stage_table(stages: Mapping[str, Any]) -> Table | None:
    """All that the stages noted, a row each.

    Args:
        stages: from a corpus' manifest, whatever stages there are and whatever they noted.
    """
    # What a stage noted in all and of its only call is the same.
    rows = [
        (_stage(stage), *row)
        for stage, noted in stages.items()
        for row in dict.fromkeys(_noted("", _own(stage, noted)))
    ]
    if not rows:
        return None
    return Table(
        id="corpus-stages",
        title="How the corpus was made",
        columns=(Column(label="stage", once=True), Column(label="what"), Column(label="value")),
        rows=tuple(rows),
        notes=("As noted in the corpus folder's manifest.json, which has all of it.",),
    )


def _stage(name: str) -> str:
    """The name of a stage as a reader has it."""
    kind, _, item = name.partition("/")
    return f"Item {item}" if kind == "sections" and item else name


def _own(stage: str, noted: Any) -> Any:
    """What a stage noted, without what is shown elsewhere."""
    if not isinstance(noted, dict):
        return noted
    return {key: value for key, value in noted.items() if key not in _ELSEWHERE.get(stage, ())}


def _noted(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Name and value of everything that a stage noted, in words.

    Of a table within, such as that of the digests of all indexes, only the entries are counted, unless it holds a few
    counts and nothing else. Calls that are noted one by one are numbered. Of a path only the name is shown.
    """
    if isinstance(value, dict) and (not name or _is_few_counts(value)):
        for key, inner in value.items():
            if key in _UNSHOWN:
                continue
            words = _WORDS.get(key, str(key).replace("_", " "))
            yield from _noted(f"{name}: {words}" if name else words, inner)
    elif _is_few_calls(value):
        for number, call in enumerate(value, 1):
            for words, text in _noted("", call):
                what = words.removeprefix("counts: ")
                yield (f"{name.removesuffix('s')} {number}: {what}" if len(value) > 1 else what), text
    elif name == _WORDS["paths"] and isinstance(value, list):
        yield name, _listed([PurePath(str(path)).name for path in value])
    elif isinstance(value, dict | list):
        yield name, _listed(value)
    elif isinstance(value, bool):
        yield name, "yes" if value else "no"
    elif isinstance(value, int) and value >= 0 and not name.endswith(_AS_TYPED):
        yield name, f"{value:,}"
    elif value is not None:
        yield name, str(value)


def _is_few_counts(value: dict[str, Any]) -> bool:
    return len(value) <= _MOST_COUNTS and all(type(one) is int for one in value.values())


def _is_few_calls(value: Any) -> bool:
    return isinstance(value, list) and 0 < len(value) <= _MOST_CALLS and all(isinstance(one, dict) for one in value)


def _listed(value: dict[str, Any] | list[Any]) -> str:
    """A short list of plain values in one line, a row of years as its first and last; of anything else, how many."""
    if isinstance(value, dict) or any(isinstance(one, dict | list) for one in value):
        return f"{len(value):,}"
    if len(value) > 2 and all(type(one) is int for one in value) and value == [*range(value[0], value[-1] + 1)]:
        return f"{value[0]}–{value[-1]}"
    text = ", ".join(map(str, value)) or "none"
    return text if len(text) <= _LONGEST_LIST else f"{len(value):,}"
