"""What a study file may say: one TOML file for corpus, models, labels and statistics."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, model_validator

from fingreat.analysis.bootstrap import MOST_REPLICATES, REPLICATES, SEED
from fingreat.edgar.chunks import DEFAULT_BUDGET, MIN_BUDGET
from fingreat.edgar.forms import load_forms
from fingreat.errors import InputError
from fingreat.inference.requirements import NEEDS, known_spec
from fingreat.pipeline.years import years_of
from fingreat.prompts import Guide, MaskKind
from fingreat.schema import Mode
from fingreat.schema.graph import DEFAULT_GROUPING
from fingreat.schema.records import Record

MOST_REPEATS = 5
"""Each has a chunk budget a tenth smaller than the one before."""


def _beside_the_file(path: Path, info: ValidationInfo) -> Path:
    """Paths count from the folder of the study file, wherever the command is given."""
    return Path(info.context) / path.expanduser() if info.context is not None else path


def _years(value: object) -> object:
    try:
        return years_of(value, "years") if isinstance(value, str) else value
    except InputError as error:
        raise ValueError(error.message) from error


def _known_model(text: str, info: ValidationInfo) -> str:
    """A specification of a back end that there is; a file or folder beside the study file is named completely."""
    try:
        spec = known_spec(text)
    except InputError as error:
        raise ValueError(f"{error.message} {error.hint or ''}".strip()) from error
    if spec.model and info.context is not None and NEEDS[spec.backend].model != "hosted":
        path = Path(info.context) / Path(spec.model).expanduser()
        if path.exists():
            return str(replace(spec, model=str(path)))
    return text


def _known_item(item: str) -> str:
    if item.strip().upper() not in load_forms()["10-K"].order:
        raise ValueError(f"'{item}' is no item of a 10-K; write its number, such as 7 or 7A")
    return item


Item = Annotated[str, AfterValidator(_known_item)]


def _plain(text: str) -> str:
    """Characters that cannot be seen may turn a page's text around."""
    if hidden := [one for one in text if unicodedata.category(one) in ("Cc", "Cf")]:
        raise ValueError(f"has a character that cannot be seen, U+{ord(hidden[0]):04X}")
    return text


Plain = Annotated[str, AfterValidator(_plain)]
StudyPath = Annotated[Path, AfterValidator(_beside_the_file)]
StudyModel = Annotated[Plain, AfterValidator(_known_model)]
Years = Annotated[tuple[int, ...], BeforeValidator(_years)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$")]
"""Names a folder, and a run in tables."""


class About(Record):
    """`[study]`.

    Attributes:
        replicates, seed: of the intervals.
        grouping: which grouping of the graph's edges gives the categories.
        grounded: measure only extractions whose quote stands in the text, instead of all.
        schema_file: a graph file instead of the shipped graph; `schema` in the file.
    """

    name: Name
    title: Plain = Field(min_length=1)
    seed: int = Field(default=SEED, ge=0)
    replicates: int = Field(default=REPLICATES, ge=1, le=MOST_REPLICATES)
    grouping: str = DEFAULT_GROUPING
    grounded: bool = False
    schema_file: StudyPath | None = Field(default=None, alias="schema")


class SamplePart(Record):
    """`[corpus.sample]`: drawn from EDGAR's indexes, as `fingreat corpus sample` does.

    Attributes:
        enrich: whether industries and total assets are asked for as well.
    """

    years: Years
    per_year: int = Field(ge=1)
    seed: int = 0
    forms: tuple[str, ...] = ("10-K",)
    alone: bool = False
    amendments: bool = False
    enrich: bool = True


class CorpusPart(Record):
    """`[corpus]`: local files, an existing corpus, or a sample; just one of these.

    Attributes:
        tokens: budget of a chunk, in cl100k_base.
        assets_years: years of filing to which the description of total assets is restricted.
    """

    files: tuple[StudyPath, ...] = ()
    folder: StudyPath | None = None
    sample: SamplePart | None = None
    item: Item = "7"
    tokens: int = Field(default=DEFAULT_BUDGET, ge=MIN_BUDGET)
    assets_years: Years = ()

    @model_validator(mode="after")
    def _just_one(self) -> CorpusPart:
        if sum(map(bool, (self.files, self.folder, self.sample))) != 1:
            raise ValueError("needs just one of `files`, `folder` and `sample`")
        return self


class Reached(Record):
    """How a model is reached and what it may cost; of all this only `models_file` can change an answer.

    Attributes:
        models_file: what is known of models by name, on top of the shipped file.
        rpm, tpm: requests and tokens a minute.
        batch: through the provider's batch interface.
        max_cost: US dollars that each run may spend.
        trial: whether a small request tries a language model out first.
    """

    models_file: StudyPath | None = None
    in_flight: int | None = Field(default=None, ge=1)
    rpm: int | None = Field(default=None, ge=1)
    tpm: int | None = Field(default=None, ge=1)
    batch: bool | None = None
    max_cost: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    trial: bool | None = None


class ExtractSettings(Reached):
    """What extraction runs share, or one of them has instead; None for the default of `ExtractConfig`."""

    mode: Mode | None = None
    guide: Guide | None = None
    facets: bool | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    seed: int | None = None
    resend: int | None = None
    repeats: int | None = Field(default=None, ge=0, le=MOST_REPEATS)


class ClassifySettings(Reached):
    """What classification runs share, or one of them has instead; None for the default of `ClassifyConfig`."""

    guide: Guide | None = None
    context: Literal["auto", "none"] | None = None
    mask: tuple[MaskKind, ...] | None = None
    shuffle: int | None = None
    tokens: int | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    seed: int | None = None
    resend: int | None = None


class Extractor(ExtractSettings):
    """`[[extract.models]]`: a model, or a slot for one that is still to be named.

    Attributes:
        model: `backend:model[@revision]`; None in a slot.
        slot: what belongs here.
        base_url: of a server that speaks the provider's language, instead of the provider's own.
        years: of filing; the model reads only the filings of these. All, where empty.
    """

    name: Name
    model: StudyModel | None = None
    slot: Plain | None = Field(default=None, min_length=1)
    base_url: str | None = None
    years: Years = ()

    @model_validator(mode="after")
    def _model_or_slot(self) -> Extractor:
        _check_entry(self.model, self.slot)
        return self


class Classifier(ClassifySettings):
    """`[[classify.models]]`: a model, or a slot for one that is still to be named."""

    name: Name
    model: StudyModel | None = None
    slot: Plain | None = Field(default=None, min_length=1)
    base_url: str | None = None

    @model_validator(mode="after")
    def _model_or_slot(self) -> Classifier:
        _check_entry(self.model, self.slot)
        return self


def _check_entry(model: str | None, slot: str | None) -> None:
    if (model is None) == (slot is None):
        raise ValueError("needs a `model`, or a `slot` that says what belongs there")


def repeat_name(name: str, number: int) -> str:
    """What the nth repeat of a run is called; number 0 is the run itself."""
    return f"{name}-repeat-{number}" if number else name


def _clashes(models: Sequence[tuple[str, int]]) -> Iterator[str]:
    """What is wrong with the names of one task's models, each with how many repeats it has: runs are folders."""
    taken: dict[str, str] = {}
    told = set()
    for name, _ in models:
        if name.casefold() not in taken:
            taken[name.casefold()] = name
        elif name not in told:
            told.add(name)
            other = taken[name.casefold()]
            if other == name:
                yield f"two models of one task have the name '{name}'"
            else:
                yield f"two models of one task have the names '{other}' and '{name}', which some disks don't tell apart"
    for name, repeats in models:
        for number in range(1, repeats + 1):
            if repeated := taken.get(repeat_name(name, number).casefold()):
                yield f"a model has the name '{repeated}', which is that of a repeat of '{name}'"


class ExtractPart(ExtractSettings):
    """`[extract]`.

    Attributes:
        references: runs that the models are measured against; they may read fewer filings.
    """

    models: tuple[Extractor, ...] = ()
    references: tuple[Extractor, ...] = ()


class ClassifyPart(ClassifySettings):
    """`[classify]`.

    Attributes:
        gold: files of labelled passages; together they are the benchmark.
    """

    gold: tuple[StudyPath, ...] = Field(min_length=1)
    models: tuple[Classifier, ...] = ()


class ReviewsPart(Record):
    """`[reviews]`: the reviewers' decisions, a line each."""

    file: StudyPath


class EnsemblePart(Record):
    """`[ensemble]`: names of the extraction models that vote; all of them by default."""

    members: tuple[Name, ...] = ()


class PowerPart(Record):
    """`[power]`: what the benchmark is asked before the models are, see `PowerQuestion`.

    Attributes:
        differences: of accuracy, as fractions.
        comparisons: pairs of models that are tested together; by default all pairs of `[[classify.models]]`.
        passages, filings: of the benchmark, as long as there is no gold file.
    """

    accuracy: float | None = Field(default=None, gt=0, lt=1)
    differences: tuple[Annotated[float, Field(gt=0, lt=1)], ...] | None = Field(default=None, min_length=1)
    comparisons: int | None = Field(default=None, ge=1)
    correlation: float | None = Field(default=None, ge=-1, le=1)
    intracluster: float | None = Field(default=None, ge=0, le=1)
    simulations: int | None = Field(default=None, ge=1, le=100_000)
    passages: int | None = Field(default=None, ge=2)
    filings: int | None = Field(default=None, ge=2)

    @model_validator(mode="after")
    def _both_or_none(self) -> PowerPart:
        if (self.passages is None) != (self.filings is None):
            raise ValueError("needs `passages` and `filings` together, or neither")
        return self


class StudyConfig(Record):
    """A study file."""

    format: Literal[1]
    study: About
    corpus: CorpusPart
    extract: ExtractPart = ExtractPart()
    classify: ClassifyPart | None = None
    reviews: ReviewsPart | None = None
    ensemble: EnsemblePart = EnsemblePart()
    power: PowerPart | None = None

    @model_validator(mode="after")
    def _names_are_told_apart(self) -> StudyConfig:
        if not self.extractors and not self.classifiers:
            raise ValueError("names no model: [[extract.models]] and [[classify.models]] do")
        extractors = [(one.name, self.repeats_of(one)) for one in self.extractors]
        faults = [*_clashes(extractors), *_clashes([(one.name, 0) for one in self.classifiers])]
        unknown = set(self.ensemble.members) - {one.name for one in self.extract.models}
        faults += (f"[ensemble] names '{name}', which is none of [[extract.models]]" for name in sorted(unknown))
        if faults:
            raise ValueError("\n".join(faults))
        return self

    def repeats_of(self, entry: Extractor) -> int:
        """How often a run is repeated; a reference only where its own entry says so: it may be dear."""
        if entry.repeats is not None or all(entry is not one for one in self.extract.models):
            return entry.repeats or 0
        return self.extract.repeats or 0

    @property
    def extractors(self) -> tuple[Extractor, ...]:
        """The entries of `[[extract.models]]` and `[[extract.references]]`."""
        return (*self.extract.models, *self.extract.references)

    @property
    def classifiers(self) -> tuple[Classifier, ...]:
        """The entries of `[[classify.models]]`."""
        return self.classify.models if self.classify else ()
