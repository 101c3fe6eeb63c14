"""A study file as it is read, and the configurations of its runs."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from fingreat.edgar.chunks import MIN_BUDGET
from fingreat.errors import InputError
from fingreat.pipeline.extract import ExtractConfig
from fingreat.pipeline.questions import ClassifyConfig
from fingreat.pipeline.study.config import Classifier, ClassifySettings, Extractor, ExtractSettings, StudyConfig
from fingreat.pipeline.study.faults import faults_of, listed
from fingreat.schema import Graph, load_graph
from fingreat.schema.records import Record

_HINT = "Its form is in docs/studies.md of the source."


class _FaultsError(InputError):
    """A study file with faults.

    Attributes:
        faults: a sentence for each, with its place.
    """

    def __init__(self, faults: Sequence[str], *, where: str | None = None) -> None:
        self.faults = tuple(faults)
        super().__init__(listed(self.faults), where=where, hint=_HINT)


C = TypeVar("C", ExtractConfig, ClassifyConfig)


def load_study(file: Path) -> StudyConfig:
    """Read a study file; paths in it count from its folder, and those of the result are complete.

    Raises:
        InputError: it cannot be read, is no TOML, or has unknown keys or bad values: all of them, with their places.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read the study file ({error.strerror}).", where=str(file)) from error
    try:
        table = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"is no TOML: {error}.", where=str(file), hint=_HINT) from error
    try:
        config = StudyConfig.model_validate(table, context=file.resolve().parent)
    except ValidationError as error:
        raise _FaultsError(faults_of(error, StudyConfig, table), where=str(file)) from error
    faults: list[str] = []
    for entry in (*config.extractors, *config.classifiers):
        try:
            if isinstance(entry, Extractor) and entry.model:
                extract_config(config, entry, file)
            elif isinstance(entry, Classifier) and entry.model:
                classify_config(config, entry, file)
        except _FaultsError as error:
            faults += error.faults
    if faults:
        # What all models share is wrong once and not for each of them.
        raise _FaultsError(list(dict.fromkeys(faults)), where=str(file))
    return config


def graph_of_study(config: StudyConfig, file: Path) -> Graph:
    """The graph that a study's evidence is of, which has the grouping that the study names.

    Raises:
        InputError: it has not, or it cannot be read.
    """
    graph = load_graph(config.study.schema_file)
    try:
        graph.categories(config.study.grouping)
    except InputError as error:
        raise InputError(f"study.grouping: {error.message}", where=str(file), hint=error.hint) from error
    return graph


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


def _run_config(
    kind: type[C], common: ExtractSettings | ClassifySettings, entry: Record, shared: dict[str, Any], file: Path | None
) -> C:
    known = settings_of(common, entry) | {name: value for name, value in shared.items() if value is not None}
    try:
        return kind.model_validate({name: value for name, value in known.items() if name in kind.model_fields})
    except ValidationError as error:
        task = "extract" if kind is ExtractConfig else "classify"
        faults = []
        for fault in faults_of(error, kind, known):
            name = fault.partition(":")[0]
            own = getattr(entry, name, None) is not None and name not in shared
            place = getattr(entry, "name", task) if own else "corpus" if name in shared else task
            faults.append(f"{place}.{fault}")
        raise _FaultsError(faults, where=str(file) if file else None) from error
