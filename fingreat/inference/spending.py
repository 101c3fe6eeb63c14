"""The money that a run may spend: what is asked stops before it is passed."""

from __future__ import annotations

import math

from fingreat.errors import CostError, InputError
from fingreat.inference.backend import RawReply
from fingreat.inference.presets import Prices
from fingreat.schema import Request, canonical_json

_CHARACTERS_PER_TOKEN = 4
"""Of English text, by the providers' own rule of thumb: https://platform.openai.com/tokenizer."""
_ROUNDING = 1e-9
"""US dollars; sums of cents may end a little above what they are."""


class Spending:
    """Counts what the replies of a run cost, and says whether one more request fits.

    A request is expected to cost the mean of what was paid so far. Until something was paid it is expected to cost
    what it can at most: its prompt, and an answer that takes its whole budget. So the limit is passed by what the
    requests under way cost more than the mean, and by no other.

    Args:
        limit_usd: US dollars that the run may cost in all.
        spent: what it cost before.
        prices: of the model; without them one request at a time is asked until a reply has told its cost.
        batch: whether requests go through the provider's batch interface, at its price.
    """

    def __init__(
        self, limit_usd: float, spent: float = 0.0, *, prices: Prices | None = None, batch: bool = False
    ) -> None:
        self.limit_usd = limit_usd
        self.spent = spent
        self._prices = prices
        self._batch = batch
        self._paid = 0.0
        self._answers = 0
        self._most = 0.0

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

    def allows(self, request: Request, under_way: int) -> bool:
        """Whether one more request fits beside those that are under way.

        The very first one is asked whatever it may cost, as long as there is anything left: the worst case is far
        from the usual one, and a small limit would otherwise buy nothing.
        """
        if self.spent >= self.limit_usd:
            return False
        if not self._answers and not under_way:
            return True
        return self.spent + (under_way + 1) * self._expected(request) <= self.limit_usd + _ROUNDING

    def add(self, request: Request, raw: RawReply) -> None:
        """Count what a reply cost; one that does not say it counts as expected, unless it is a failure."""
        failed = raw.state is not None
        if raw.cost_usd is None and failed:
            return
        cost = self._expected(request) if raw.cost_usd is None else raw.cost_usd
        if not math.isfinite(cost):
            return
        self.spent += cost
        # A refused request that cost nothing says nothing of what an answer costs.
        if cost or not failed:
            self._paid += cost
            self._answers += 1

    def over(self, left: int) -> CostError:
        """The error that ends the run, with so many requests left."""
        return CostError(
            f"the run has cost {_dollars(self.spent)} of the {_dollars(self.limit_usd)} allowed, and {left:,} "
            f"request{'s are' if left != 1 else ' is'} left.",
            where="--max-cost",
            hint="Run the same command again with a larger --max-cost: what is answered stays.",
        )

    def _expected(self, request: Request) -> float:
        if self._answers:
            return self._paid / self._answers
        if self._prices is None:
            return math.inf
        text = sum(len(message.content) for message in request.messages) + len(canonical_json(request.reply_schema))
        prompt = math.ceil(text / _CHARACTERS_PER_TOKEN)
        cost = self._prices.cost(prompt, 0, request.sampling.max_tokens, batch=self._batch)
        self._most = max(self._most, cost)
        return self._most


def _dollars(amount: float) -> str:
    """With cents, and with more places where it is less than a dollar."""
    return f"${amount:,.2f}" if amount >= 1 or not amount else f"${amount:.4f}"
