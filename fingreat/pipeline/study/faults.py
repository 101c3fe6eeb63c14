"""What is wrong with a study file, in sentences: all of it at once, each with its place."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

_KINDS = {
    "int": "must be a whole number",
    "float": "must be a number",
    "bool": "must be true or false",
    "string": "must be a text in quotes",
    "path": "must be a path in quotes",
    "tuple": "must be a list",
    "model": "must be a table",
}
"""Beginning of the name of an error of the wrong kind of value → what the value must be."""
_WORDS = {
    "extra_forbidden": "is no key here",
    "missing": "is missing",
    "too_short": "must not be empty",
    "string_too_short": "must not be empty",
    "finite_number": "must be a finite number",
    "string_pattern_mismatch": (
        "must be letters, digits, '.', '_' and '-', 80 at most, the first of them a letter or a digit"
    ),
}
_LONGEST = 60
"""Characters of a value that a message shows."""


def faults_of(error: ValidationError, kind: type[BaseModel], table: Any) -> list[str]:
    """Every fault that was found, in the order of the file's form.

    Args:
        kind: the record that the table was read as.
        table: what was read.
    """
    return [
        f"{place}: {line}." if (place := _place(detail["loc"], table)) else f"{line}."
        for detail in error.errors()
        for line in _in_words(detail, kind).splitlines()
    ]


def listed(faults: Sequence[str]) -> str:
    """Faults as the message of an error: one in a sentence, several in lines."""
    if len(faults) == 1:
        return faults[0]
    return "\n".join((f"{len(faults)} faults:", *(f"  - {fault}" for fault in faults)))


def _place(parts: Sequence[int | str], table: Any) -> str:
    """Where something stands, such as "extract.models[2] ('large').seed"."""
    place, value = "", table
    for part in parts:
        inside = isinstance(value, (dict, list, tuple)) and (isinstance(part, int) or part in value)
        value = value[part] if inside and not (isinstance(part, int) and isinstance(value, dict)) else None
        if isinstance(part, int):
            label = value.get("name") if isinstance(value, dict) else None
            place += f"[{part + 1}]" + (f" ('{label}')" if label else "")
        else:
            place += f".{part}" if place else str(part)
    return place


def _in_words(detail: ErrorDetails, kind: type[BaseModel]) -> str:
    """What is wrong with one value, without its place; lines, where a check found several faults."""
    name, message = detail["type"], detail["msg"]
    if name == "value_error":
        return message.removeprefix("Value error, ").removesuffix(".")
    if name == "extra_forbidden":
        return _WORDS[name] + _meant(detail["loc"], kind)
    if name == "missing":
        return _WORDS[name]
    must = _WORDS.get(name)
    if must is None:
        broad = _KINDS.get(name.split("_")[0]) if name.endswith(("_type", "_parsing", "_from_float")) else None
        must = broad or message.replace("Input should", "must")
    shown = repr(detail["input"])
    return f"{must}; it is {shown if len(shown) <= _LONGEST else f'{shown[: _LONGEST - 1]}…'}"


def _meant(place: Sequence[int | str], kind: type[BaseModel]) -> str:
    """The nearest of the keys that may stand in a place, or all of them."""
    known = _keys_at(place[:-1], kind)
    near = difflib.get_close_matches(str(place[-1]), known, n=1)
    if near:
        return f", but '{near[0]}' is"
    return f"; there are {', '.join(known)}" if known else ""


def _keys_at(place: Sequence[int | str], kind: type[BaseModel]) -> list[str]:
    for part in place:
        if isinstance(part, str):
            found = next(
                (_record_in(field.annotation) for name, field in kind.model_fields.items() if name == part), None
            )
            if found is None:
                return []
            kind = found
    return [field.alias or name for name, field in kind.model_fields.items()]


def _record_in(annotation: Any) -> type[BaseModel] | None:
    """The record that a field has, alone or several of them."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _record_in(part))), None)
