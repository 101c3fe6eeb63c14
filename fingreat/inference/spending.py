"""The money that a run may spend: what is asked stops before it is passed."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

from fingreat.errors import CostError, InputError
from fingreat.inference.backend import RawReply
from fingreat.inference.presets import Prices
from fingreat.schema import Request, canonical_json

_CHARACTERS_PER_TOKEN = 4
"""Of English text, by the providers' own rule of thumb: https://platform.openai.com/tokenizer."""
_ROUNDING = 1e-9
"""US dollars; sums of cents may end a little above what they are."""
_ENOUGH = 20
"""Replies that a batch's costs are told from: each round of a batch may take a day, so that few of them should do."""


class Spending:
    """Counts what the replies of a run cost, and says whether one more request fits.

    What is under way counts with what it can cost at most: its prompt, and an answer that takes its whole budget; or
    as the dearest reply so far, where that was dearer. Through a batch interface, where all is under way at once, the
    dearest reply alone is what counts once there are enough of them. Where nothing is under way, one request is
    expected to cost the mean of what was paid: a small limit would otherwise buy nothing, and is passed by no more
    than what this one costs beyond the mean.

    Args:
        limit_usd: US dollars that the run may cost in all.
        spent: what it cost before.
        prices: of the model; without them one request at a time is asked until a reply has told its cost.
        batch: whether requests go through the provider's batch interface, at its price.
        promised: keys of requests that were handed over by an earlier call and are to be paid in any case.
    """

    def __init__(
        self,
        limit_usd: float,
        spent: float = 0.0,
        *,
        prices: Prices | None = None,
        batch: bool = False,
        promised: Iterable[str] = (),
    ) -> None:
        self.limit_usd = limit_usd
        self.spent = spent
        self._prices = prices
        self._batch = batch
        self._promised = set(promised)
        self._paid = 0.0
        self._answers = 0
        self._most = 0.0
        self._dearest = 0.0

    @staticmethod
    def check(limit_usd: float, prices: Prices | None, model: str) -> None:
        """Refuse a limit that cannot be kept, before anything is asked.

        Raises:
            InputError: the limit is no amount, or no price of the model is known.
        """
        if not math.isfinite(limit_usd) or limit_usd < 0:
            raise InputError(f"{limit_usd} is no amount of US dollars.", where="--max-cost")
        if prices is None:
            raise InputError(
                f"no price of {model} is known, so what it costs cannot be limited.",
                where="--max-cost",
                hint="Write its prices into a file and name that by --models, or leave --max-cost out.",
            )

    @property
    def promised(self) -> Collection[str]:
        """Keys of the requests of earlier calls that are to be paid and were not handed out yet."""
        return self._promised

    def allows(self, request: Request, under_way: int) -> bool:
        """Whether one more request fits beside those that are under way; it counts as handed out if it does.

        The very first one is asked whatever it may cost, as long as there is anything left, and one that is to be
        paid in any case however much was spent.
        """
        if request.key in self._promised:
            self._promised.remove(request.key)
            return True
        if self.spent >= self.limit_usd:
            return False
        outstanding = under_way + len(self._promised)
        if not outstanding and not self._answers:
            return True
        if not outstanding:
            return self.spent + self._paid / self._answers <= self.limit_usd + _ROUNDING
        return self.spent + (outstanding + 1) * self._at_most(request) <= self.limit_usd + _ROUNDING

    def add(self, request: Request, raw: RawReply) -> None:
        """Count what a reply cost; one that does not say it counts as expected, unless it is a failure."""
        failed = raw.state is not None
        if raw.cost_usd is not None:
            self.count(raw.cost_usd, failed=failed)
        elif not failed:
            self.count(self._paid / self._answers if self._answers else self._at_most(request))

    def count(self, cost: float, *, failed: bool = False) -> None:
        """Count what a reply of this call or an earlier one cost."""
        if not math.isfinite(cost):
            return
        self.spent += cost
        # A refused request that cost nothing says nothing of what an answer costs.
        if cost or not failed:
            self._paid += cost
            self._answers += 1
            self._dearest = max(self._dearest, cost)

    def over(self, left: int) -> CostError:
        """The error that ends the run, with so many requests left."""
        each = f", of about {_dollars(self._paid / self._answers)} each" if self._paid else ""
        return CostError(
            f"the run has cost {_dollars(self.spent)} of the {_dollars(self.limit_usd)} allowed, and {left:,} "
            f"request{'s are' if left != 1 else ' is'} left{each}.",
            where="--max-cost",
            hint="Run the same command again with a larger --max-cost: what is answered stays.",
        )

    def _at_most(self, request: Request) -> float:
        """What a request under way may cost; all count as the dearest that was met."""
        if self._answers and (self._prices is None or (self._batch and self._answers >= _ENOUGH)):
            return self._dearest
        if self._prices is None:
            return math.inf
        text = sum(len(message.content) for message in request.messages) + len(canonical_json(request.reply_schema))
        prompt = math.ceil(text / _CHARACTERS_PER_TOKEN)
        cost = self._prices.cost(prompt, 0, request.sampling.max_tokens, batch=self._batch)
        self._most = max(self._most, cost, self._dearest)
        return self._most


def _dollars(amount: float) -> str:
    """With cents, and with more places where it is less than a dollar."""
    return f"${amount:,.2f}" if amount >= 1 or not amount else f"${amount:.4f}"
