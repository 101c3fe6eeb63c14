"""What a provider's batch interface does with a batch, in no provider's language."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

End = Literal["done", "expired", "cancelled", "failed", "no room"]


@dataclass
class Batch:
    """A batch that was handed in.

    Attributes:
        rows: the requests, as they were sent.
        looks: how often it is still in progress.
        answered: how many of its first rows get an answer before it ends.
    """

    id: str
    name: str
    rows: Sequence[Mapping[str, Any]]
    created: float
    looks: int
    end: End
    answered: int


@dataclass
class Desk:
    """The batches of one provider; what a test changes counts for batches that come later.

    Attributes:
        looks: how often a batch is still in progress when it is looked at.
        ends: how the next batches end, one after the other; `done` after these.
        answered: rows that get an answer in a batch that expires or is cancelled.
        shuffle: the order in which results are given.
    """

    looks: int = 1
    ends: list[End] = field(default_factory=list)
    answered: int = 0
    shuffle: Callable[[list[Any]], list[Any]] = lambda rows: rows[::-1]
    batches: dict[str, Batch] = field(default_factory=dict)

    def take(self, name: str, rows: Sequence[Mapping[str, Any]], id_form: str = "batch_{}") -> Batch:
        """Take a batch in."""
        end = self.ends.pop(0) if self.ends else "done"
        answered = {"done": len(rows), "failed": 0, "no room": 0}.get(end, self.answered)
        batch = Batch(id_form.format(len(self.batches) + 1), name, rows, time.time(), self.looks, end, answered)
        self.batches[batch.id] = batch
        return batch

    def look(self, batch: Batch) -> bool:
        """Whether it has ended; counts the look."""
        batch.looks -= 1
        return batch.looks < 0

    def sent(self) -> list[int]:
        """How many rows each batch had, in the order in which they came."""
        return [len(batch.rows) for batch in self.batches.values()]
