"""A study file as it is read, and the configurations of its runs."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from fingreat.edgar.chunks import MIN_BUDGET
from fingreat.errors import InputError
from fingreat.pipeline.extract import ExtractConfig
from fingreat.pipeline.questions import ClassifyConfig
from fingreat.pipeline.study.config import Classifier, ClassifySettings, Extractor, StudyConfig
from fingreat.schema.records import Record

_HINT = "See docs/studies.md for its form."
C = TypeVar("C", ExtractConfig, ClassifyConfig)


def load_study(file: Path) -> StudyConfig:
    """Read a study file; paths in it count from its folder, and those of the result are complete.

    Raises:
        InputError: it cannot be read, is no TOML, or has an unknown key or a bad value; with its place.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read the study file ({error.strerror}).", where=str(file)) from error
    try:
        table = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"is no TOML: {error}.", where=str(file), hint=_HINT) from error
    try:
        config = StudyConfig.model_validate(table, context=file.resolve().parent)
    except ValidationError as error:
        raise InputError(_fault(error, table), where=str(file), hint=_HINT) from error
    for entry in config.extractors:
        if entry.model:
            extract_config(config, entry, file)
    for classifier in config.classifiers:
        if classifier.model:
            classify_config(config, classifier, file)
    return config


def extract_config(config: StudyConfig, entry: Extractor, file: Path | None = None, repeat: int = 0) -> ExtractConfig:
    """The configuration of an extraction run.

    A repeat asks the same of other chunks: the nth has a seed n higher, and a budget n tenths smaller, whose chunks end
    elsewhere. Seeds alone change nothing at temperature 0.

    Raises:
        InputError: a value is out of its range; `file` is named in the message.
    """
    shared = {
        "item": config.corpus.item,
        "tokens": max(MIN_BUDGET, config.corpus.tokens * (10 - repeat) // 10),
        "schema_file": config.study.schema_file,
    }
    made = _run_config(ExtractConfig, config.extract, entry, shared, file)
    return made.model_copy(update={"seed": made.seed + repeat}) if repeat else made


def classify_config(config: StudyConfig, entry: Classifier, file: Path | None = None) -> ClassifyConfig:
    """The configuration of a classification run.

    Raises:
        InputError: a value is out of its range; `file` is named in the message.
    """
    shared = {"item": config.corpus.item, "schema_file": config.study.schema_file}
    return _run_config(ClassifyConfig, config.classify or ClassifySettings(), entry, shared, file)


def settings_of(common: Record, entry: Record) -> dict[str, Any]:
    """What an entry says, over what all entries share; what neither says is left out."""
    ours, theirs = ({name: getattr(one, name) for name in type(one).model_fields} for one in (common, entry))
    return {
        name: value
        for name in ours | theirs
        if (value := theirs.get(name) if theirs.get(name) is not None else ours.get(name)) is not None
    }


def _run_config(kind: type[C], common: Record, entry: Record, shared: dict[str, Any], file: Path | None) -> C:
    known = settings_of(common, entry) | {name: value for name, value in shared.items() if value is not None}
    try:
        return kind.model_validate({name: value for name, value in known.items() if name in kind.model_fields})
    except ValidationError as error:
        detail = error.errors()[0]
        raise InputError(
            f"{getattr(entry, 'name', '')}: '{'.'.join(map(str, detail['loc']))}': {detail['msg']}, "
            f"found {detail['input']!r}.",
            where=str(file) if file else None,
            hint=_HINT,
        ) from error


def _fault(error: ValidationError, table: Any) -> str:
    """The first fault, with its place in words, and how many there are."""
    faults = error.errors()
    first = faults[0]
    place, value = "", table
    for part in first["loc"]:
        inside = isinstance(value, (dict, list)) and (isinstance(part, int) or part in value)
        value = value[part] if inside else None
        if isinstance(part, int):
            label = value.get("name") if isinstance(value, dict) else None
            place += f"[{part + 1}]" + (f" ('{label}')" if label else "")
        else:
            place += f".{part}" if place else str(part)
    what = {"extra_forbidden": "is no key here", "missing": "is missing"}.get(
        first["type"], first["msg"].removeprefix("Value error, ").removesuffix(".")
    )
    more = f" ({len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{f'{place}: ' if place else ''}{what}{more}."
