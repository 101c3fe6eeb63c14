"""The requests of a classification: each passage with what is shown around it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from fingreat.edgar.tokens import cl100k_counter
from fingreat.errors import CorpusError, InputError
from fingreat.inference import Backend
from fingreat.inference.backend import CountsTokens
from fingreat.pipeline.asked_model import HOTTEST, LAST_SEED, MOST_RESENDS, MOST_TOKENS, name_in_requests, resampled
from fingreat.pipeline.corpus_folder import CorpusFolder, sections_command
from fingreat.pipeline.passages import ALONE, Context, Surroundings
from fingreat.prompts import ClassificationPrompt, Guide, Mask, MaskKind, header
from fingreat.runs import digest_of_text
from fingreat.schema import (
    Example,
    Filing,
    GoldPassage,
    Graph,
    Message,
    Range,
    Request,
    Sampling,
    Section,
    SectionStatus,
)
from fingreat.schema.records import Record

BUDGET = 8192
ANSWER_TOKENS = 512
"""What the budget leaves for an answer, whatever a run's own budget of answers is: contexts are the same for all."""


class ClassifyConfig(Record):
    """What a classification run is asked to do.

    Attributes:
        model: `backend:model[@revision]`.
        item: whose text is shown around the passages.
        guide: `none` sends the definitions only, as published; `rules` adds the border rules.
        context: `auto` shows a passage's section, paragraph or window, `none` the passage alone, without a word on
            its filing.
        mask: what is taken out of passages and contexts, see `Mask`.
        shuffle: lists the relationships in another order, see `ClassificationPrompt`.
        tokens: budget of prompt, context, passage and an answer of 512 tokens, in cl100k_base.
        max_tokens: budget of an answer, in the model's own tokens.
        base_url: of a server that speaks the provider's language, instead of the provider's own.
        models_file: what is known of models by name, on top of the shipped models.toml.
        resend: how often a passage is asked again with other sampling whose reply came back damaged.
    """

    model: str
    item: str = "7"
    guide: Guide = "rules"
    context: Literal["auto", "none"] = "auto"
    mask: tuple[MaskKind, ...] = ()
    shuffle: int | None = None
    tokens: int = Field(default=BUDGET, ge=1024)
    max_tokens: int = Field(default=ANSWER_TOKENS, ge=1, le=MOST_TOKENS)
    temperature: float = Field(default=0.0, ge=0, le=HOTTEST, allow_inf_nan=False)
    seed: int = Field(default=0, ge=0, le=LAST_SEED)
    schema_file: Path | None = None
    base_url: str | None = None
    models_file: Path | None = None
    resend: int = Field(default=2, ge=0, le=MOST_RESENDS)

    @field_validator("max_tokens")
    @classmethod
    def _within_the_budget(cls, max_tokens: int, info: ValidationInfo) -> int:
        if max_tokens >= info.data.get("tokens", max_tokens + 1):
            raise PydanticCustomError("budget", "Input should be less than --tokens, the budget of prompt and answer")
        return max_tokens


@dataclass(frozen=True)
class Variant:
    """How a question is put: for the nth time with other sampling, with a context that was halved so many times."""

    samples: int = 0
    halvings: int = 0


@dataclass(frozen=True)
class Question:
    """A passage, what is shown around it, and the request that asks for its edge."""

    passage: GoldPassage
    context: Context
    request: Request


@dataclass(frozen=True)
class _Place:
    """Where a passage stands, and its context; `smaller` where the model has no room for that of all models."""

    range: Range | None
    context: Context
    smaller: bool = False


class Questions:
    """Makes the requests of a run, anew at each pass: only places are kept, never texts.

    A passage's context is found in the section of its filing (`Surroundings`), within `config.tokens` for prompt,
    context, passage and an answer of 512 tokens, counted in cl100k_base on the text as it is: the same for every
    model, order of edges and mask. Where a model's own context cannot hold that, it is shown less.

    Args:
        passages: those to be asked about.
        corpus: where their filings are; without it a passage stands alone.

    Attributes:
        filings: those of the passages that the corpus has, by id.
        inputs: filing id → SHA-256 of its section's text; filled by `survey`.
        largest: the request that takes most, found by `survey`.

    Raises:
        InputError: the corpus has none of the filings.
    """

    def __init__(
        self,
        config: ClassifyConfig,
        graph: Graph,
        backend: Backend,
        passages: Sequence[GoldPassage],
        corpus: CorpusFolder | None,
    ) -> None:
        self._config = config
        self._graph = graph
        self._backend = backend
        self._corpus = corpus
        self._passages: dict[str, list[GoldPassage]] = {}
        for passage in passages:
            self._passages.setdefault(passage.filing_id, []).append(passage)
        self.prompt = ClassificationPrompt(graph, config.guide, shuffle=config.shuffle)
        self._unshuffled = ClassificationPrompt(graph, config.guide)
        self._counter = cl100k_counter()
        self.filings = _filings_of(corpus, self._passages.keys())
        self.inputs: dict[str, str] = {}
        self._places: dict[str, _Place] = {}
        self._unplaced = self._lonely = self._largest_size = 0
        self.largest: Request | None = None

    def survey(self) -> list[str]:
        """Find every passage's place and context.

        Returns:
            the keys of the first requests.

        Raises:
            CorpusError: a filing's section was not looked for yet, or is there twice.
            InputError: the model has no room for any passage.
        """
        for section, passages in self._sections():
            if section is not None:
                self._check_once(section)
                self.inputs[section.filing_id] = digest_of_text(section.text)
            surroundings = Surroundings(section.text) if section is not None and section.text else None
            self._lonely += len(passages) if surroundings is None else 0
            for passage in passages:
                self._places[passage.passage_id] = self._found(passage, section, surroundings)
        if self._corpus is not None and (missing := self.filings.keys() - self.inputs.keys()):
            raise CorpusError(
                f"{len(missing)} of {len(self.filings)} filings with gold passages have no section record for item "
                f"{self._config.item} (first: {min(missing)}).",
                where=str(self._corpus.path),
                hint=sections_command(self._corpus.path, self._config.item),
            )
        keys, beyond = [], []
        for question in self.all():
            keys.append(question.request.key)
            beyond.append(self._beyond(question.request))
            self._take_largest(question)
        if beyond and min(beyond) > 0:
            raise InputError(
                f"no passage fits: the model holds {self._backend.context:,} tokens, {min(beyond):,} fewer than the "
                "shortest prompt takes with its answer.",
                where=self._config.model,
                hint="Use --guide none, a smaller --max-tokens, or a model that holds more.",
            )
        return keys

    def _check_once(self, section: Section) -> None:
        if self._corpus is not None and section.filing_id in self.inputs:
            raise CorpusError(
                f"has two section records of filing {section.filing_id}.",
                where=str(self._corpus.path),
                hint=f"Add --again: {sections_command(self._corpus.path, self._config.item)}",
            )

    def _take_largest(self, question: Question) -> None:
        size = question.context.n_tokens + len(question.passage.text)
        if self.largest is None or size > self._largest_size:
            self.largest, self._largest_size = question.request, size

    def all(self, variants: Mapping[str, Variant] | None = None) -> Iterator[Question]:
        """Every question, those of a filing in text order so that they share the beginnings of their prompts.

        Args:
            variants: passage id → how it is asked; only these are yielded. None for all, as at first.
        """
        for section, passages in self._sections():
            wanted = [p for p in passages if variants is None or p.passage_id in variants]
            if not wanted:
                continue
            mask = self._mask(section, wanted)
            surroundings: Surroundings | None = None
            for passage in sorted(wanted, key=self._in_text_order):
                variant = variants[passage.passage_id] if variants else Variant()
                place = self._places[passage.passage_id]
                if variant.halvings and section is not None and place.range is not None:
                    surroundings = surroundings or Surroundings(section.text)
                    room = place.context.n_tokens >> variant.halvings
                    place = replace(place, context=surroundings.around(place.range, room))
                yield self._question(passage, section, place.context, mask, variant)

    def trial(self, example: Example) -> Request:
        """A small request in the form of this run's others: a passage of a worked example."""
        quote = example.quote(example.extractions[0]) if example.extractions else example.segments[-1].strip()
        passage = GoldPassage(passage_id="trial", filing_id="trial", text=quote, accepted=frozenset(), source="none")
        alone = self._config.context == "none"
        messages = self.prompt.messages(quote, *(() if alone else ("".join(example.segments), example.header)))
        return self._request(passage, quote, messages, Variant())

    def counts(self) -> dict[str, object]:
        """How the passages are shown, for the manifest.

        `contexts` by kind sum to the passages; `smaller_contexts` are those that the model had no room for;
        `unplaced` passages stand nowhere in their section, or in several places; `without_filing` ones belong to a
        filing that the corpus lacks, or has no such section of.
        """
        kinds = Counter(place.context.kind for place in self._places.values())
        return {
            "contexts": {kind: kinds[kind] for kind in ("section", "paragraph", "window", "none")},
            "smaller_contexts": sum(place.smaller for place in self._places.values()),
            "unplaced": self._unplaced,
            "without_filing": self._lonely if self._corpus is not None else 0,
        }

    def _sections(self) -> Iterator[tuple[Section | None, list[GoldPassage]]]:
        """The passages by filing: in corpus order with the filing's section, then those without."""
        met = set()
        if self._corpus is not None:
            for section in self._corpus.sections(self._config.item):
                if section.filing_id in self.filings:
                    met.add(section.filing_id)
                    found = (
                        section if section.status is SectionStatus.FOUND else section.model_copy(update={"text": ""})
                    )
                    yield found, self._passages[section.filing_id]
        for filing_id, passages in self._passages.items():
            if filing_id not in met:
                yield None, passages

    def _in_text_order(self, passage: GoldPassage) -> tuple[bool, Range]:
        """Those without a place last."""
        range = self._places[passage.passage_id].range
        return range is None, range or (0, 0)

    def _found(self, passage: GoldPassage, section: Section | None, surroundings: Surroundings | None) -> _Place:
        range = surroundings.place(passage) if surroundings else None
        self._unplaced += surroundings is not None and range is None
        if self._config.context == "none" or surroundings is None or range is None:
            return _Place(range, ALONE)
        budget = self._config.tokens - ANSWER_TOKENS
        text, who = surroundings.text, self.filings.get(passage.filing_id)

        def over(context: Context) -> int:
            shown = _cut(text, context.range)
            return self._count(self._unshuffled.messages(passage.text, shown, header(who) if who else "")) - budget

        context = _largest(surroundings, range, budget, over)
        if self._backend.context is None:
            return _Place(range, context)
        mask = self._mask(section, [passage])
        fitting = _largest(
            surroundings,
            range,
            context.n_tokens,
            lambda shown: self._excess(self._question(passage, section, shown, mask, Variant()).request),
        )
        return _Place(range, fitting, smaller=fitting != context)

    def _question(
        self, passage: GoldPassage, section: Section | None, context: Context, mask: Mask, variant: Variant
    ) -> Question:
        who = self.filings.get(passage.filing_id) if self._config.context != "none" else None
        shown = mask(passage.text)
        around = mask(_cut(section.text, context.range)) if section is not None else ""
        messages = self.prompt.messages(shown, around, mask(header(who)) if who else "")
        return Question(passage, context, self._request(passage, shown, messages, variant))

    def _request(self, passage: GoldPassage, shown: str, messages: tuple[Message, ...], variant: Variant) -> Request:
        config = self._config
        once = Sampling(max_tokens=config.max_tokens, temperature=config.temperature, seed=config.seed)
        sampling = resampled(once, variant.samples)
        model = name_in_requests(config.model, config.base_url)
        schema, revision, options = self.prompt.reply_schema, self._backend.revision, self._backend.options
        return Request(
            key=Request.make_key(messages, schema, sampling, model, revision, options),
            filing_id=passage.filing_id,
            chunk_id=passage.passage_id,
            mode="classify",
            model=model,
            revision=revision,
            messages=messages,
            reply_schema=schema,
            sampling=sampling,
            segments=(shown,),
            options=options,
        )

    def _mask(self, section: Section | None, passages: Sequence[GoldPassage]) -> Mask:
        who = self.filings.get(passages[0].filing_id)
        text = section.text if section is not None and section.text else "\n".join(p.text for p in passages)
        return Mask(self._config.mask, self._graph, text, who.company if who else None)

    def _count(self, messages: Sequence[Message]) -> int:
        return sum(self._counter.count(message.content) for message in messages)

    def _beyond(self, request: Request) -> int:
        """By how many tokens a request is too long for the model, by its own tokenizer where that can be had."""
        if self._backend.context is None:
            return 0
        return self._own_count(request) + self._config.max_tokens - self._backend.context

    def _excess(self, request: Request) -> int:
        """The same in about so many tokens of cl100k_base."""
        return ceil(self._beyond(request) * self._count(request.messages) / max(1, self._own_count(request)))

    def _own_count(self, request: Request) -> int:
        own = self._backend.prompt_tokens(request) if isinstance(self._backend, CountsTokens) else None
        return self._count(request.messages) if own is None else own


def _filings_of(corpus: CorpusFolder | None, wanted: Container[str]) -> dict[str, Filing]:
    if corpus is None:
        return {}
    found = {filing.id: filing for filing in corpus.filings() if filing.id in wanted}
    if not found:
        raise InputError(
            "has none of the filings that the gold passages are from.",
            where=str(corpus.path),
            hint="Name the corpus that they were taken from, or leave --corpus out.",
        )
    return found


def _largest(surroundings: Surroundings, place: Range, room: int, over: Callable[[Context], int]) -> Context:
    """The largest context of at most `room` tokens that is not `over`, which says by how many tokens one is."""
    context = surroundings.around(place, room)
    while context.range is not None and (excess := over(context)) > 0:
        room = min(room, context.n_tokens) - excess
        context = surroundings.around(place, room) if room > 0 else ALONE
    return context


def _cut(text: str, range: Range | None) -> str:
    return text[range[0] : range[1]] if range is not None else ""
