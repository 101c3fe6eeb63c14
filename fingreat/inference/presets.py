"""What is known of models by name: family, size, how thinking is switched off, prices, settings of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from pydantic import Field

from fingreat.schema.records import Record


class Prices(Record):
    """What a provider asks, in US dollars for a million tokens.

    Attributes:
        cached_input: for input that the provider read before; None where it costs as much as other input.
        batch_factor: what the batch interface costs of it.
        on: the day on which the price was looked up.
        source: where.
    """

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached_input: float | None = Field(default=None, ge=0)
    batch_factor: float = Field(default=0.5, gt=0, le=1)
    on: date
    source: str

    def cost(self, prompt: int, cached: int, output: int, *, batch: bool = False) -> float:
        """US dollars for tokens of prompt, the part of them that was cached, and output with its thoughts."""
        cached_price = self.input if self.cached_input is None else self.cached_input
        whole = (prompt - cached) * self.input + cached * cached_price + output * self.output
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
    gpu_memory: float | None = Field(default=None, gt=0, le=1)
    max_requests: int | None = Field(default=None, ge=1)
    usd_per_hour: float | None = Field(default=None, ge=0)


class Preset(Record):
    """What is known of one model. All of it is optional: an unknown model runs with the engine's own settings.

    Attributes:
        family: `qwen`, `gemma`, ...
        total_parameters: in billions.
        chat_template: arguments of the chat template that switch thinking off.
        request: parameters that a provider's request takes, such as the lowest level of reasoning.
    """

    name: str | None = None
    family: str | None = None
    total_parameters: float | None = Field(default=None, gt=0)
    chat_template: Mapping[str, Any] = Field(default_factory=dict)
    request: Mapping[str, Any] = Field(default_factory=dict)
    prices: Prices | None = None
    engine: Engine = Engine()
