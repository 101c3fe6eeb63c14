"""What `fingreat corpus sample` says on the way and at the end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import shorten

from fingreat.cli.common import say
from fingreat.pipeline.sample_year import Drawn, State
from fingreat.report import count_of

_TOLD = 10
"""Replaced filings that are told one by one: of a large sample there are hundreds."""
_COMPANY, _REASON = 40, 80
"""Characters of a company's name and of a reason on the console; sample/ has all of them."""
_STATES: dict[State, str] = {
    "absent": "absent",
    "by_reference": "by reference",
    "unreadable": "unreadable",
    "not_found": "not on EDGAR",
}


class SampleLines:
    """Tells the first filings that are replaced, and then how many more there were.

    Args:
        corpus: the corpus folder.
    """

    def __init__(self, corpus: Path) -> None:
        self._corpus = corpus
        self._replaced = 0

    def replaced(self, one: Drawn) -> None:
        """One that the next of the order stands in for."""
        self._replaced += 1
        if self._replaced <= _TOLD:
            company, reason = _short(one.company, _COMPANY), _short(one.reason or "", _REASON)
            say(f"{one.year}: {one.accession} ({company}, {_short(one.form, _COMPANY)}) is replaced: {reason}")

    def open(self, year: int, accession: str, reason: str) -> None:
        """One that could not be had."""
        say(f"{year}: {accession} could not be had: {_printable(reason)}")

    def end(self, counts: Mapping[str, int], reasons: Mapping[State, int], requests: int) -> None:
        """What became of all, and where the reasons are.

        Args:
            counts: as `draw_sample` returns them.
            reasons: replaced filings by their state.
        """
        sample = f"{self._corpus / 'sample'}/"
        if self._replaced > _TOLD:
            say(f"… and {self._replaced - _TOLD:,} more: {sample}")
        states = ", ".join(f"{_STATES[state]} {number:,}" for state, number in reasons.items() if number)
        why = f" ({states})" if states else ""
        say(
            f"wanted {counts['asked']:,}: kept {counts['kept']:,}, open {counts['open']:,}, short {counts['short']:,} "
            f"· drawn {counts['drawn']:,}, of which replaced {counts['replaced']:,}{why} · "
            f"{count_of(requests, 'request')}"
        )
        if counts["open"]:
            say("Repeat the command to fetch what is open.")
        places = {"open": str(self._corpus / "failures.jsonl"), "replaced": sample}
        found = [place for key, place in places.items() if counts[key]]
        if found:
            say(f"why: {' and '.join(found)}")


def _short(text: str, most: int) -> str:
    return shorten(_printable(text), most, placeholder=" …")


def _printable(text: str) -> str:
    """Text from a file that a terminal cannot read as a command."""
    return "".join(char if char.isprintable() else " " for char in text)
