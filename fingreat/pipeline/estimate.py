"""What a run would ask and cost, worked out before anything is spent; nothing is asked and nothing is written."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from typing import Any, Literal

from fingreat.analysis.cost import machine_cost
from fingreat.edgar.tokens import CL100K, cl100k_counter
from fingreat.errors import RunError
from fingreat.inference import Backend, is_finished
from fingreat.inference.backend import CountsTokens
from fingreat.inference.dry import DryBackend
from fingreat.inference.hosted.batch_notes import open_batches
from fingreat.inference.presets import PROVIDERS_DEFAULT, Prices
from fingreat.inference.requirements import NEEDS
from fingreat.pipeline.asked_model import unused_tables
from fingreat.pipeline.asking import AskOptions, as_asked_now, batches_folder
from fingreat.runs import Manifest, RecordLog, RunFolder, find_runs, read_records
from fingreat.schema import Reply, Request, canonical_json
from fingreat.schema.records import Record

_ASSUMED = "assumed_output.toml"
_PER_MESSAGE, _PER_REPLY = 3, 3
"""Tokens around each message and before the answer in the chat form of OpenAI's models, as its own counting guide
(cookbook, "How to count tokens with tiktoken") has them; those of others are alike."""
_NO_MATTER = ("item", "seed", "temperature", "resend")
"""Settings that change no reply's length to speak of; of runs that differ in others, lengths are not taken over."""


class Estimate(Record):
    """What a run would take.

    Attributes:
        requests: distinct ones, = `answered` + `from_cache` + `in_batches` + `to_ask`.
        answered: by this very run, before it was stopped.
        from_cache: by earlier runs, in the reply cache.
        in_batches: handed to the provider in batches that are not collected yet, and paid for with them.
        tokenizer: what `prompt_tokens`, those of what is to be asked, are counted in: `model` for the model's own;
            None where the back end is no language model, and takes no tokens.
        output_tokens: expected of what is to be asked; at most `output_bound`, where every answer takes its budget.
        output_basis: `measured` on earlier replies, or `assumed`; `output_source` says on which, or from what.
        cost_usd, cost_bound_usd: US dollars by `prices` for the expected and for the largest answers, or for the
            machine's hours; None where no price is known.
        hours: of time, at the pace of the runs named in `pace_source`.
        notes: what the figures leave open, in sentences.
    """

    model: str
    requests: int
    answered: int
    from_cache: int
    to_ask: int
    tokenizer: str | None
    prompt_tokens: int
    output_tokens: int
    output_bound: int
    output_basis: Literal["measured", "assumed"]
    output_source: str
    cost_usd: float | None = None
    cost_bound_usd: float | None = None
    prices: Prices | None = None
    batch: bool = False
    usd_per_hour: float | None = None
    hours: float | None = None
    pace_source: str | None = None
    in_batches: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Planned:
    """A run that is only counted.

    Attributes:
        run: its folder, which need not exist.
        manifest: what it would say of itself.
        backend: as `fingreat.inference.dry` makes it.
    """

    run: RunFolder
    manifest: Manifest
    backend: Backend
    options: AskOptions

    @property
    def certain(self) -> bool:
        """Whether the keys of the requests are those of a real run."""
        return self.backend.certain if isinstance(self.backend, DryBackend) else True

    @cached_property
    def replies(self) -> RecordLog[Reply]:
        """The run's replies by request key, only to be read; none where there is no run."""
        return RecordLog(
            self.run.replies,
            Reply,
            key=lambda reply: reply.key,
            supersedes=lambda old, new: not is_finished(old),
            writable=False,
        )

    def is_answered(self, key: str) -> bool:
        """Whether a request has a reply on disk that stands."""
        return (reply := self.replies.get(key)) is not None and is_finished(reply)


@dataclass
class Measured:
    """What finished replies of like runs took."""

    replies: int = 0
    output_tokens: int = 0
    asked: int = 0
    seconds: float = 0.0
    runs: tuple[str, ...] = ()
    timed: tuple[str, ...] = ()
    _met: set[str] = field(default_factory=set)

    def add(self, name: str, replies: Iterable[Reply], seconds: float) -> None:
        """Count the replies of one run that no other run has, and the time in which those were asked that did not
        come from a cache.
        """
        own: dict[str, int] = {}
        asked = 0
        for reply in replies:
            if is_finished(reply) and reply.output_tokens is not None and reply.key not in own:
                own[reply.key] = reply.output_tokens
                asked += not reply.from_cache
        if new := own.keys() - self._met:
            self._met |= new
            self.runs += (name,)
            self.replies += len(new)
            self.output_tokens += sum(own[key] for key in new)
        if seconds and asked:
            self.timed += (name,)
            self.asked += asked
            self.seconds += seconds


def estimate(requests: Iterable[Request], planned: Planned) -> Estimate:
    """Count requests, tokens and dollars of a run.

    Args:
        requests: of the run, as they would be asked; equal keys count once.

    Raises:
        RunError: the folder holds a run with other settings, or is damaged.
        InputError, StorageError: the reply cache cannot be used.
    """
    _check_same(planned)
    count = _Count(planned)
    for request in requests:
        count.add(request)
    measured = _measured(planned)
    output, source = _expected_output(planned, count, measured)
    made = Estimate(
        model=planned.manifest.model.spec,
        requests=len(count.met),
        answered=count.answered,
        from_cache=count.from_cache,
        in_batches=count.in_batches,
        to_ask=count.to_ask,
        tokenizer=count.tokenizer,
        prompt_tokens=count.prompt_tokens,
        output_tokens=output,
        output_bound=count.output_bound,
        output_basis="measured" if measured.replies else "assumed",
        output_source=source,
        notes=tuple(_notes(planned, count)),
    )
    priced = made.model_copy(update=_price(planned, made, measured))
    limit = planned.options.max_cost
    if limit is None or priced.cost_usd is None or priced.cost_usd <= limit:
        return priced
    # What earlier calls of the run cost counts too, so that this is said too rarely, never too often.
    return priced.model_copy(update={"notes": (*priced.notes, "The limit of cost will end the run before it is done.")})


class _Count:
    """Sums over the requests that are to be asked."""

    def __init__(self, planned: Planned) -> None:
        self._planned = planned
        self._backend = planned.backend
        self._cl100k = cl100k_counter()
        self._system: dict[str, int] = {}
        self._schema: int | None = None
        self.tokenizer: str | None = "model" if planned.backend.is_language_model else None
        self.met: set[str] = set()
        self.answered = self.from_cache = self.in_batches = self.to_ask = 0
        self._held = {key for part in open_batches(batches_folder(planned.run.path)) for key in part.keys}
        self.prompt_tokens = self.text_tokens = self.output_bound = 0

    def add(self, request: Request) -> None:
        """One more request."""
        if request.key in self.met:
            return
        self.met.add(request.key)
        cache = self._planned.options.cache
        if self._planned.is_answered(request.key):
            self.answered += 1
        elif cache is not None and cache.get(request.key, context=self._backend.context):
            self.from_cache += 1
        elif request.key in self._held:
            self.in_batches += 1
        else:
            self.to_ask += 1
            if self._backend.is_language_model:
                self._take(request)

    def _take(self, request: Request) -> None:
        fixed = self._system_tokens(request)
        own = self._backend.prompt_tokens(request) if isinstance(self._backend, CountsTokens) else None
        if own is None:
            self.tokenizer = CL100K
            own = fixed + sum(self._cl100k.count(message.content) for message in request.messages[1:])
            own += _PER_MESSAGE * len(request.messages) + _PER_REPLY + self._schema_tokens(request)
        self.prompt_tokens += own
        self.text_tokens += max(0, own - fixed)
        self.output_bound += request.sampling.max_tokens

    def _system_tokens(self, request: Request) -> int:
        """Of the message that all requests of a run share, so that it is counted once."""
        text = request.messages[0].content
        if text not in self._system:
            self._system[text] = self._cl100k.count(text)
        return self._system[text]

    def _schema_tokens(self, request: Request) -> int:
        """Providers show the model the reply's form; an engine on one's own machine does not."""
        if NEEDS[self._planned.manifest.model.backend].model != "hosted":
            return 0
        if self._schema is None:
            self._schema = self._cl100k.count(canonical_json(request.reply_schema))
        return self._schema


def _check_same(planned: Planned) -> None:
    if not planned.run.exists or not planned.certain:
        return
    found, wanted = planned.run.manifest(), planned.manifest
    # How much a model holds is not known before a server, or an engine with its memory, has said it.
    wanted = wanted.model_copy(update={"model": wanted.model.model_copy(update={"context": found.model.context})})
    if differences := as_asked_now(found, wanted).differences(wanted):
        raise RunError(
            f"holds a run with other settings: {'; '.join(differences)}.",
            where=str(planned.run.path),
            hint="Choose another --out, or repeat the settings of this run.",
        )


def _replies(run: RunFolder) -> Iterator[Reply]:
    return read_records(run.replies, Reply) if run.exists else iter(())


def _measured(planned: Planned) -> Measured:
    """What like runs took: this one and those beside it, of the same model, asked in the same way."""
    measured = Measured()
    for run in find_runs(planned.run.path.resolve().parent):
        # A match has no replies, and a damaged run is no help: neither is any harm.
        with suppress(RunError):
            manifest = run.manifest()
            if _alike(manifest, planned.manifest):
                measured.add(manifest.name, _replies(run), manifest.asking_seconds)
    return measured


def _alike(one: Manifest, other: Manifest) -> bool:
    def says(manifest: Manifest) -> tuple[Any, ...]:
        settings = {key: value for key, value in manifest.resolved.items() if key not in _NO_MATTER}
        return manifest.kind, manifest.model.spec, manifest.model.base_url, settings

    return says(one) == says(other)


def _expected_output(planned: Planned, count: _Count, measured: Measured) -> tuple[int, str]:
    """Output tokens of what is to be asked, and on what that rests."""
    if count.tokenizer is None:
        return 0, "no language model"
    if measured.replies:
        expected = count.to_ask * measured.output_tokens / measured.replies
        runs = ", ".join(measured.runs)
        source = f"{measured.output_tokens / measured.replies:,.0f} a reply, over {measured.replies:,} of {runs}"
    else:
        table = tomllib.loads(files("fingreat.pipeline").joinpath(_ASSUMED).read_text(encoding="utf-8"))
        rate = table[planned.manifest.resolved["mode"]]
        expected = count.to_ask * rate["per_reply"] + count.text_tokens / 1000 * rate["per_thousand"]
        source = f"as {table['source']} take"
    return min(round(expected), count.output_bound), source


def _price(planned: Planned, made: Estimate, measured: Measured) -> dict[str, Any]:
    """Dollars and hours."""
    if made.tokenizer is None:
        return {}
    settings = planned.options.settings
    prices, batch = settings.preset.prices, settings.batch is not None
    usd_per_hour = settings.preset.engine.usd_per_hour
    found: dict[str, Any] = {}
    seconds: float | None = None
    if measured.asked:
        seconds = made.to_ask * measured.seconds / measured.asked
        found = {"hours": seconds / 3600, "pace_source": ", ".join(measured.timed)}
    if prices is not None:
        found |= {
            "prices": prices,
            "batch": batch,
            "cost_usd": prices.cost(made.prompt_tokens, 0, made.output_tokens, batch=batch),
            "cost_bound_usd": prices.cost(made.prompt_tokens, 0, made.output_bound, batch=batch),
        }
    elif usd_per_hour is not None:
        found |= {"usd_per_hour": usd_per_hour, "cost_usd": machine_cost(seconds, usd_per_hour)}
    return found


def _notes(planned: Planned, count: _Count) -> Iterator[str]:
    if count.tokenizer is None:
        return
    options, model = planned.options, planned.manifest.model
    yield from unused_tables(model.spec, options.settings)
    if model.reasoning == PROVIDERS_DEFAULT:
        yield f"The model is asked at {PROVIDERS_DEFAULT}: its lowest is not known here."
    if not planned.certain:
        yield (
            "The model itself could not be looked at, so what the run or the reply cache already holds may be counted "
            "as still to be asked."
        )
    if options.settings.base_url is not None and isinstance(planned.backend, DryBackend):
        yield (
            "The server was not asked how much its model holds: what does not fit there is asked in parts, or with "
            "less text around it, and counted only where replies on disk show it."
        )
    if count.tokenizer == CL100K:
        yield "Prompts are counted in cl100k_base; the model's own tokens may be some per cent more or fewer."
    if options.settings.preset.prices is not None:
        yield "Every prompt is counted at its full price: what the provider has cached costs less."
    if count.to_ask and options.trial and options.settings.batch is None:
        yield "The small request that tries the model out first is not counted."
    yield "Replies that come back damaged are asked for again, which is not counted."
