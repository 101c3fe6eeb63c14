"""What a folder of results says of itself: the manifests of runs and of matches between runs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, ValidationError, model_validator

from fingreat.runs.environment import Code, Environment, environment, our_code
from fingreat.schema.records import Record

FORMAT = 1
MATCH_FORMAT = 2
"""Of the folder of a match; its records and counts changed since the first."""
Status = Literal["started", "interrupted", "failed", "complete"]
_MOST = 2**53
"""Numbers above this are no counts of anything; sums of smaller ones fit every table."""
_Number = Annotated[int, Field(ge=0, le=_MOST)]
_Amount = Annotated[float, Field(ge=0, le=_MOST)]


class ModelInfo(Record):
    """The model that answered.

    Attributes:
        spec: as the user names it, `backend:model[@revision]`.
        revision: what pins the weights: a hash or a commit.
        context: tokens of context, None where there is no limit.
        base_url: of the server that was asked instead of the provider's own.
        options: what the back end adds to every request that can change an answer.
        family: `qwen`, `gemma`, ... where it is known.
        total_parameters: in billions, where they are known.
        reasoning: the level that a provider's model is asked at; None for other models, which are told not to think.
    """

    spec: str
    backend: str
    model: str
    revision: str | None
    context: int | None
    base_url: str | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    family: str | None = None
    total_parameters: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    reasoning: str | None = None


class Beside(Record):
    """What was asked and is no reply of a run: trials of the model, and errors that a later reply replaced.

    Attributes:
        cost_usd: None where nothing of it has a price.
    """

    requests: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost_usd: float | None = Field(default=None, allow_inf_nan=False)


class _Paid(Record):
    """What the counts of a run say of requests that are no part of its result."""

    model_config = ConfigDict(strict=True, extra="ignore")

    requests: _Number = 0
    cost_usd: _Amount | None = None


class _Counts(Record):
    """What is relied on in the counts of a complete run; those that are not always there have a default."""

    model_config = ConfigDict(strict=True, extra="ignore")

    filings: _Number
    passages: _Number = 0
    left_out: _Number = 0
    filings_by_status: dict[str, _Number] = Field(default_factory=dict)
    requests: _Number = 0
    failures: _Number = 0
    replies: _Number = 0
    replies_by_state: dict[str, _Number] = Field(default_factory=dict)
    from_cache: _Number = 0
    prompt_tokens: _Number = 0
    cached_tokens: _Number = 0
    output_tokens: _Number = 0
    reasoning_tokens: _Number = 0
    unpriced: _Number = 0
    cost_usd: _Amount | None = None
    spent_usd: _Amount | None = None
    beside: _Paid = _Paid()
    unused: _Paid = _Paid()


class Session(Record):
    """An earlier stretch of a run, on other code or another machine."""

    ended: datetime
    code: Code
    environment: Environment


class Manifest(Record):
    """Everything that says what a run is.

    Attributes:
        asked: the configuration as passed.
        resolved: the same after defaults; two runs with equal `resolved`, `model` and `hashes` ask the same.
        seeds: every seed, by what it seeds.
        code, environment: of the latest call.
        earlier: what the run went on from where code or environment was another; replies may come from each.
        hashes: of prompt, graph and reply schema.
        inputs: filing id → SHA-256 of the section text that was read; of a classification, also that of the gold file.
        counts: rows by state, extractions by verdict, tokens, seconds, dollars.
        asking_seconds: wall time of all calls together while the model was asked.
        trial: what the request that tries a model out showed, None where none was made.
        trials: what all such requests took together, None where none was made.
        so_far: tokens, seconds, dollars and replies by state of a run that was stopped; empty in a complete one.
    """

    format: int = FORMAT
    kind: str
    name: str
    status: Status
    created: datetime
    updated: datetime
    asked: dict[str, Any]
    resolved: dict[str, Any]
    seeds: dict[str, int]
    code: Code
    environment: Environment
    earlier: tuple[Session, ...] = ()
    model: ModelInfo
    hashes: dict[str, str]
    inputs: dict[str, str]
    counts: dict[str, Any] = Field(default_factory=dict)
    asking_seconds: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    trial: dict[str, Any] | None = None
    trials: Beside | None = None
    so_far: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _says_what_was_asked(self) -> Manifest:
        for field, name in (("resolved", "item"), ("resolved", "mode"), ("hashes", "graph")):
            if not isinstance(getattr(self, field).get(name), str):
                raise ValueError(f"{field} does not say the {name}")
        for name in ("corpus", "schema_file"):
            if not isinstance(self.asked.get(name, ""), str | None):
                raise ValueError(f"asked: the {name} is no path")
        return self

    def fault_in_counts(self) -> str | None:
        """What is wrong with the counts of a complete run, in words; None where they can be relied on."""
        if self.status != "complete":
            return None
        needed = ("passages", "left_out") if self.kind == "classify" else ()
        if lacking := [name for name in needed if name not in self.counts]:
            return f"counts.{lacking[0]}: Field required"
        try:
            found = _Counts.model_validate(self.counts)
        except ValidationError as error:
            first = error.errors()[0]
            return f"counts.{'.'.join(map(str, first['loc']))}: {first['msg']}"
        for part, whole in (("from_cache", "replies"), ("left_out", "passages")):
            if getattr(found, part) > getattr(found, whole):
                return f"counts.{part} is more than counts.{whole}"
        return None

    @classmethod
    def new(
        cls,
        name: str,
        *,
        asked: dict[str, Any],
        resolved: dict[str, Any],
        model: ModelInfo,
        hashes: dict[str, str],
        kind: Literal["extract", "classify"] = "extract",
    ) -> Manifest:
        """The manifest of a run that begins now."""
        now = datetime.now(UTC)
        return cls(
            kind=kind,
            name=name,
            status="started",
            created=now,
            updated=now,
            asked=asked,
            resolved=resolved,
            seeds={"sampling": int(resolved["seed"])},
            code=our_code(),
            environment=environment(),
            model=model,
            hashes=hashes,
            inputs={},
        )

    def going_on_from(self, found: Manifest) -> Manifest:
        """This manifest as the continuation of `found`: its beginning and its sessions are kept."""
        earlier = found.earlier
        if (found.code, found.environment) != (self.code, self.environment):
            earlier = (*earlier, Session(ended=found.updated, code=found.code, environment=found.environment))
        kept = {name: getattr(found, name) for name in ("created", "asking_seconds", "trial", "trials")}
        return self.model_copy(update=kept | {"earlier": earlier})

    def differences(self, other: Manifest) -> list[str]:
        """In words, what would make the two runs ask different questions."""
        found = []
        for field in ("kind", "resolved", "model", "hashes"):
            ours, theirs = (_flat(field, getattr(m, field)) for m in (self, other))
            found += [
                f"{key} was {ours.get(key)!r}, now {theirs.get(key)!r}"
                for key in sorted(ours.keys() | theirs.keys())
                if ours.get(key) != theirs.get(key)
            ]
        return found


class MatchedRun(Record):
    """One of the two runs of a match, as it was when it was read.

    Attributes:
        name: of its folder; of two equal names the second has a number.
        path: as the user named it.
        created: when the run began; one that goes on, on a corpus that has grown, began when it did before.
        model: what answered.
        requests, failures: what the run asked, and how many of its requests ended without output.
        extractions: what was read: file, relative to the run → SHA-256.
    """

    name: str
    path: str
    created: datetime
    model: ModelInfo
    requests: int = 0
    failures: int = 0
    extractions: dict[str, str]


class MatchCounts(Record):
    """How many extractions of two runs were matched, and how far the matches say the same.

    Attributes:
        extractions_a, extractions_b: each is `matched` and that run's `unmatched` together.
        same_edge: matches whose two extractions have the same edge.
        same_edge_least, same_edge_most: the range of `same_edge` over all assignments with the largest total overlap.
        equal: matches of quotes whose normal forms are equal, also of those matched by place.
        figures_none, figures_same, figures_more, figures_differ: matches by `Match.figures`; together `matched`.
        near_misses: matches of quotes that read alike and say something else.
        differs_direction, differs_figure, differs_modal, differs_negation, differs_scale: near misses by what they
            differ in, which may be several.
    """

    extractions_a: int = 0
    extractions_b: int = 0
    matched: int = 0
    unmatched_a: int = 0
    unmatched_b: int = 0
    same_edge: int = 0
    same_edge_least: int = 0
    same_edge_most: int = 0
    equal: int = 0
    figures_none: int = 0
    figures_same: int = 0
    figures_more: int = 0
    figures_differ: int = 0
    near_misses: int = 0
    differs_direction: int = 0
    differs_figure: int = 0
    differs_modal: int = 0
    differs_negation: int = 0
    differs_scale: int = 0


class MatchManifest(Record):
    """Everything that says what a match of two runs is.

    Attributes:
        runs: run A and run B, in this order.
        by: `text` or `span`.
        threshold: the least overlap of a match.
        common: only the filings that both runs read were compared.
        counts: in all, the sums of `filings`; zeros until the match is complete.
        filings: of each filing that was compared.
        left_out_a, left_out_b: extractions of filings that only one run read, which `common` leaves out.
        without_text: how many filings both runs looked into without such an item; they play no part.
    """

    format: int = MATCH_FORMAT
    kind: Literal["match"] = "match"
    name: str
    status: Status
    created: datetime
    updated: datetime
    runs: tuple[MatchedRun, MatchedRun]
    by: Literal["text", "span"]
    threshold: float
    common: bool
    code: Code
    environment: Environment
    counts: MatchCounts = MatchCounts()
    left_out_a: int = 0
    left_out_b: int = 0
    without_text: int = 0
    filings: dict[str, MatchCounts] = Field(default_factory=dict)


def _flat(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, Record):
        value = value.model_dump()
    return {f"{name}.{key}": item for key, item in value.items()} if isinstance(value, dict) else {name: value}
