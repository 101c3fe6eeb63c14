"""How a run that is only counted is shown."""

from __future__ import annotations

from collections.abc import Iterator

from fingreat.cli.common import print_json, show_pairs, tell
from fingreat.cli.live import dollars, duration
from fingreat.edgar.tokens import CL100K
from fingreat.pipeline.estimate import Estimate
from fingreat.report import count_of


def show_estimate(made: Estimate, *, json: bool) -> None:
    """What a run would ask and cost, on standard output."""
    if json:
        print_json(made.model_dump(mode="json"))
        return
    show_pairs([*_pairs(made)])
    if made.notes:
        tell("")
    for note in made.notes:
        tell(note)


def _pairs(made: Estimate) -> Iterator[tuple[str, str]]:
    yield "model", made.model
    yield "requests", f"{made.requests:,}: {', '.join(_requests(made))}"
    if made.tokenizer is None:
        yield "tokens", "none: this is no language model"
        return
    if not made.to_ask:
        yield "tokens", "none: nothing is left to ask"
        return
    counted = "in cl100k_base" if made.tokenizer == CL100K else "by the model's own tokenizer"
    yield "prompt tokens", f"{made.prompt_tokens:,} ({counted})"
    yield (
        "output tokens",
        f"about {made.output_tokens:,} ({made.output_basis}: {made.output_source}), at most {made.output_bound:,}",
    )
    yield "cost", _cost(made)
    if made.hours is not None:
        yield "time", f"about {duration(made.hours * 3600)} at the pace of {made.pace_source}"
    else:
        yield "time", "unknown: no run of this model beside this one was timed"


def _requests(made: Estimate) -> Iterator[str]:
    yield f"{made.to_ask:,} to ask"
    if made.answered:
        yield f"{made.answered:,} answered by this run before"
    if made.from_cache:
        yield f"{count_of(made.from_cache, 'reply')} in the cache"
    if made.in_batches:
        yield f"{made.in_batches:,} paid for in batches under way, which --batch collects"


def _cost(made: Estimate) -> str:
    if made.prices is not None:
        prices = made.prices
        batch = f", times {prices.batch_factor:g} for a batch" if made.batch else ""
        return (
            f"about {dollars(made.cost_usd)}, at most {dollars(made.cost_bound_usd)} ({_price(prices.input)} in and "
            f"{_price(prices.output)} out for a million tokens{batch}; {prices.source}, {prices.on.isoformat()})"
        )
    if made.usd_per_hour is not None:
        hourly = f"{_price(made.usd_per_hour)} for an hour of the machine"
        return f"about {dollars(made.cost_usd)} ({hourly})" if made.cost_usd is not None else f"{hourly}; time unknown"
    return "unknown: no price is known, neither of tokens nor of the machine's hour; name a file with it by --models"


def _price(amount: float) -> str:
    """A price with its cents, and with as many digits as it has below them."""
    cents = f"{amount:.2f}"
    return f"${cents if float(cents) == amount else f'{amount:g}'}"
