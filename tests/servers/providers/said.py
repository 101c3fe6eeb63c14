"""What a model says, in no provider's language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Stop = Literal["end", "length", "refusal", "filter", "recitation"]


@dataclass(frozen=True)
class Said:
    """One answer of a model and what it took.

    Attributes:
        reasoning: its thoughts, where a provider shows them.
        refusal: its words for not answering.
        stop: why it stopped.
    """

    text: str = '{"extractions": []}'
    reasoning: str | None = None
    refusal: str | None = None
    stop: Stop = "end"
    prompt_tokens: int = 100
    cached_tokens: int = 0
    output_tokens: int = 10
    reasoning_tokens: int = 0
