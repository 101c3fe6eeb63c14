"""What is known of models by name: family, size, how thinking is switched off, prices, settings of the engine."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails

from fingreat.errors import InputError
from fingreat.schema.records import Record

if TYPE_CHECKING:
    from fingreat.inference.backend import ModelSpec

_SHIPPED = "models.toml"
_SIZES = (
    (re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)b(?![a-z0-9])"), 1.0),
    (re.compile(r"(?<![a-z0-9.])(\d{2,})m(?![a-z0-9])"), 0.001),
)
"""Parameters as names give them, in billions: `Qwen3.6-35B-A3B` has 35, `SmolLM2-135M` 0.135; a part that is active
(`A3B`) is none. One figure before the M is no size but the length of a context (`1M`)."""
_EXPERTS = re.compile(r"(?<![a-z0-9])\d+e(?![a-z0-9])")
"""Beside a number of experts (`17B-16E`) the size is that of the active part, and the whole is not told."""
_ALIKE, _TELLING = 0.8, 6
"""Share of equal letters from which two names are alike, and letters from which one tells something in another."""
_WITHOUT_VALUE = {"missing": "is missing", "extra_forbidden": "is no key of this file", "too_short": "is empty"}
_MUST = (
    ("greater_than_equal", "at least {ge:g}"),
    ("greater_than", "more than {gt:g}"),
    ("less_than_equal", "at most {le:g}"),
    ("finite_number", "a finite number"),
    ("int", "a whole number"),
    ("float", "a number"),
    ("string", "a text in quotes"),
    ("date", "a day, such as 2026-11-01"),
    ("literal", "{expected}"),
    ("tuple", "a list"),
    ("mapping", "a table"),
    ("dict", "a table"),
    ("model", "a table"),
)
"""Beginnings of pydantic's names of faults, and what they ask for."""
PROVIDERS_DEFAULT = "the provider's default level of reasoning"
_AS_TOLD = "as the models file says"


class Prices(Record):
    """What a provider asks, in US dollars for a million tokens.

    Attributes:
        cached_input: for input that the provider read before; None where it costs as much as other input.
        cache_write: for input that it keeps for the requests after it; None where it costs as much as other input.
        batch_factor: what the batch interface costs of it.
        on: the day on which the price was quoted.
        source: where, and whom it quotes.
    """

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    cached_input: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    cache_write: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    batch_factor: float = Field(default=0.5, gt=0, le=1, allow_inf_nan=False)
    on: date
    source: str

    def cost(self, prompt: int, cached: int, output: int, *, written: int = 0, batch: bool = False) -> float:
        """US dollars for tokens of prompt, the parts of them that were read from and written to the provider's cache,
        and output with its thoughts.
        """
        cached_price = self.input if self.cached_input is None else self.cached_input
        write_price = self.input if self.cache_write is None else self.cache_write
        whole = (prompt - cached - written) * self.input + cached * cached_price + written * write_price
        whole += output * self.output
        return whole / 1_000_000 * (self.batch_factor if batch else 1.0)


class Engine(Record):
    """Settings of an engine on the user's own machines; None for the engine's own choice.

    Attributes:
        tensor_parallel: graphics cards that one copy of the model is spread over.
        max_context: tokens of prompt and answer.
        gpu_memory: the share of each card's memory, from 0 to 1.
        max_requests: requests that the engine runs at once.
        usd_per_hour: what the machine costs, for `analyze cost` and `--dry-run`.
    """

    tensor_parallel: int | None = Field(default=None, ge=1)
    max_context: int | None = Field(default=None, ge=1)
    gpu_memory: float | None = Field(default=None, gt=0, le=1, allow_inf_nan=False)
    max_requests: int | None = Field(default=None, ge=1)
    usd_per_hour: float | None = Field(default=None, ge=0, allow_inf_nan=False)


class Preset(Record):
    """What is known of one model. All of it is optional: an unknown model runs with the engine's own settings.

    Attributes:
        family: `qwen`, `gemma`, ...
        total_parameters: in billions.
        chat_template: arguments of the chat template that switch thinking off.
        request: parameters that a provider's request takes, such as the lowest level of reasoning.
        reasoning: the level at which a provider's model is asked so, the lowest it has: `off`, or the provider's word.
            None where it is not known, and nothing is sent.
        unused: names of tables in the user's file that are much like this model's, where none of them is its own.
    """

    name: str | None = None
    family: str | None = None
    total_parameters: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    chat_template: Mapping[str, Any] = Field(default_factory=dict)
    request: Mapping[str, Any] = Field(default_factory=dict)
    reasoning: str | None = None
    prices: Prices | None = None
    engine: Engine = Engine()
    unused: tuple[str, ...] = ()


def template_arguments(preset: Preset) -> dict[str, Any]:
    """What the chat template of a model on the user's own machine is given to switch thoughts off.

    Of a family that nothing is known of it is the most common switch, which templates without it ignore.
    """
    known = preset.family is not None or bool(preset.chat_template)
    return dict(preset.chat_template) if known else {"enable_thinking": False}


class _Known(Record):
    """What a table of a models file may say; the fields are those of `Preset`."""

    total_parameters: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    chat_template: Mapping[str, Any] = Field(default_factory=dict)
    request: Mapping[str, Any] = Field(default_factory=dict)
    reasoning: str | None = None
    prices: Prices | None = None
    engine: Engine = Engine()


class _Family(_Known):
    """`[[family]]`: what models have in common whose names fit one of `names` (`*`, `?`, `[...]`)."""

    name: str | None = None
    names: tuple[str, ...] = Field(min_length=1)

    def fits(self, name: str) -> bool:
        """Whether a model's bare name is one of the family's."""
        return any(fnmatchcase(name, pattern.lower()) for pattern in self.names)


class _Model(_Known):
    """`[model."NAME"]`: one model, of all back ends or of one; `also` are names under which a run shows it."""

    family: str | None = None
    backend: str | None = None
    also: tuple[str, ...] = ()


class _File(Record):
    """A models file."""

    format: Literal[1]
    family: tuple[_Family, ...] = ()
    model: Mapping[str, _Model] = Field(default_factory=dict)


class Presets:
    """What is known of all models: the shipped file, and the user's on top of it.

    Args:
        known: the files, the later over the earlier ones.
    """

    def __init__(self, known: Iterable[_File]) -> None:
        self._files = tuple(known)

    def find(self, spec: ModelSpec, base_url: str | None = None) -> Preset:
        """What is known of the model that a specification names.

        A name counts without case and without what stands before its last slash, so a hub's name, a folder and a
        server's name find the same entry; so does the name under which a run shows the model. Of each file the first
        family with a fitting name is taken, then the model's own entry over it; the user's file is taken over the
        shipped one. `chat_template`, `request` and `engine` are merged key by key, prices as a whole. Without a size
        anywhere, the one in the model's name is taken.

        Args:
            base_url: of a server of the user's: the shipped prices, which are the providers', don't hold there.
        """
        names = self._names(spec)
        found: dict[str, Any] = {}
        for number, file in enumerate(self._files):
            for table in (*_first_family(file, names), *_models(file, names, spec)):
                values = table.model_dump(exclude_unset=True, exclude={"names", "backend", "also"})
                if isinstance(table, _Family) and table.name:
                    values["family"] = table.name
                values.pop("name", None)
                if base_url and number == 0:
                    values.pop("prices", None)
                if "request" in values:
                    values.setdefault("reasoning", _AS_TOLD)
                _lay_over(found, values)
        if not found.get("total_parameters"):
            found["total_parameters"] = next(filter(None, map(_size, names)), None)
        return Preset(name=spec.model or spec.backend, **found, unused=tuple(self._unused(names, spec)))

    def _names(self, spec: ModelSpec) -> tuple[str, ...]:
        """The names of a model: as it is specified, and as the console and the manifest show it."""
        name = _bare(spec.model or spec.backend)
        shown = [_bare(also) for file in self._files for table in _models(file, (name,), spec) for also in table.also]
        return tuple(dict.fromkeys((name, name.removesuffix(".gguf"), *shown)))

    def _unused(self, names: tuple[str, ...], spec: ModelSpec) -> Iterator[str]:
        """Tables of the user's file that look as if they were meant for a model, and are not taken for it."""
        for file in self._files[1:]:
            if any(_models(file, names, spec)):
                return
            for key in file.model:
                if any(_alike(_bare(key), name) for name in names):
                    yield key


def load_presets(file: Path | None = None) -> Presets:
    """The shipped models file, with the user's own on top.

    Raises:
        InputError: the user's file is missing, is no TOML, or has an unknown key or a bad value; with its place.
    """
    shipped = _read(files("fingreat.inference").joinpath(_SHIPPED).read_bytes(), _SHIPPED)
    if file is None:
        return Presets([shipped])
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot read the models file ({error.strerror}).", where=str(file), hint="Check --models."
        ) from error
    return Presets([shipped, _read(data, str(file))])


def _read(data: bytes, where: str) -> _File:
    try:
        table = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"is no TOML: {error}.", where=where, hint="See docs/models.md for its form.") from error
    try:
        file = _File.model_validate(table)
    except ValidationError as error:
        raise InputError(_faults(table, error), where=where, hint="See docs/models.md for its form.") from error
    met: dict[tuple[str, str | None], str] = {}
    for name, model in file.model.items():
        if (other := met.setdefault((_bare(name), model.backend), name)) != name:
            raise InputError(
                f'[model."{name}"] and [model."{other}"] are one model: a name counts without case and without what '
                "stands before its last slash.",
                where=where,
                hint="Make one table of them, or give each a `backend` of its own.",
            )
    return file


def _faults(table: Mapping[str, Any], error: ValidationError) -> str:
    """The first fault, with its table by name, and how many there are."""
    faults = error.errors()
    first = faults[0]
    place = [str(part) for part in first["loc"]]
    if place[0] == "family" and len(place) > 1:
        entry = table["family"][int(place[1])] if isinstance(table["family"], list) else {}
        label = entry.get("name") if isinstance(entry, Mapping) else None
        place[:2] = [f"[[family]] {label or f'number {int(place[1]) + 1}'}"]
    elif place[0] == "model" and len(place) > 1:
        place[:2] = [f'[model."{place[1]}"]']
    more = f" ({len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{': '.join(place)} {_in_words(first)}{more}."


def _in_words(fault: ErrorDetails) -> str:
    """What is wrong with a value, in the words of a models file."""
    kind, limits = fault["type"], fault.get("ctx", {})
    if kind in _WITHOUT_VALUE:
        return _WITHOUT_VALUE[kind]
    must = next((words for start, words in _MUST if kind.startswith(start)), None)
    if must is None:
        return f"is wrong: {fault['msg']}, found {fault['input']!r}"
    return f"must be {must.format(**limits)}, and is {fault['input']!r}"


def _first_family(file: _File, names: Iterable[str]) -> list[_Family]:
    """The first family of a file that fits one of a model's names, where there is one."""
    return [family for family in file.family if any(map(family.fits, names))][:1]


def _models(file: _File, names: Iterable[str], spec: ModelSpec) -> Iterator[_Model]:
    """The tables of a file that are of a model with one of these names."""
    for key, model in file.model.items():
        if _bare(key) in names and model.backend in (None, spec.backend):
            yield model


def _size(name: str) -> float | None:
    """Billions of parameters as a name gives them."""
    if _EXPERTS.search(name):
        return None
    found = ((pattern.search(name), unit) for pattern, unit in _SIZES)
    return next((round(float(match.group(1)) * unit, 6) for match, unit in found if match), None)


def _alike(one: str, other: str) -> bool:
    """Whether one name may be meant for the other: `gpt-4o` and `gpt-4o-2024-08-06`, or a slip of the keys."""
    short, long = sorted((one, other), key=len)
    return (len(short) >= _TELLING and short in long) or SequenceMatcher(None, one, other).ratio() >= _ALIKE


def _bare(name: str) -> str:
    return name.rstrip("/").rpartition("/")[2].lower()


def _lay_over(below: dict[str, Any], above: Mapping[str, Any]) -> None:
    for key, value in above.items():
        merged = key in ("chat_template", "request", "engine") and key in below
        below[key] = {**below[key], **value} if merged else value
