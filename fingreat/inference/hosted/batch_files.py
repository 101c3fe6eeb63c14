"""Join the result lines of a batch to what was asked: by id alone, never by order or number."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fingreat.inference.backend import RawReply
from fingreat.inference.fate import fate_of, fates_in_words
from fingreat.inference.parse import Judged

ReadLine = Callable[[Mapping[str, Any]], tuple[str, RawReply]]
"""The id and the reply in one line of a provider's results.

Raises:
    KeyError, TypeError, ValueError, AttributeError: it is no such line.
"""

_SHOWN = 3
"""Strange ids that a message names."""


@dataclass
class Join:
    """What was asked, and what has come for it so far.

    Attributes:
        asked: the ids, each of which takes the first line that names it.
        stray: ids that nobody asked for.
        duplicates: ids that came again, with the first answer or another one.
        damaged: whole lines that are no result.
        torn: files whose last line has no line end and does not parse.
    """

    asked: frozenset[str]
    stray: list[str] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)
    damaged: int = 0
    torn: int = 0
    _met: set[str] = field(default_factory=set)

    def rows(self, lines: Iterable[bytes], read: ReadLine) -> Iterator[tuple[str, RawReply]]:
        """Id and reply of every line of one file that joins, in the order of the file.

        Args:
            lines: each with its line end, but for a last one that may lack it.
        """
        for line in lines:
            if not line.strip():
                continue
            try:
                key, reply = read(json.loads(line))
            except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
                if line.endswith(b"\n"):
                    self.damaged += 1
                else:
                    self.torn += 1
                continue
            if key not in self.asked:
                self.stray.append(key)
            elif key in self._met:
                self.duplicates.append(key)
            else:
                self._met.add(key)
                yield key, reply

    @property
    def missing(self) -> frozenset[str]:
        """Ids for which no line came."""
        return self.asked - self._met

    def oddities(self) -> list[str]:
        """What did not join, in words; empty where all did."""
        found = [
            _count(len(self.stray), "stray line"),
            _count(len(self.duplicates), "duplicate"),
            _count(self.damaged, "damaged line"),
            _count(self.torn, "torn tail"),
        ]
        return [text for text in found if text]

    def shown_strays(self) -> str:
        """The first stray ids, safe to print."""
        return ", ".join(repr(key[:60]) for key in self.stray[:_SHOWN]) + (", …" if len(self.stray) > _SHOWN else "")

    def summary(self, judged: Mapping[str, Judged]) -> str:
        """One line on all that was asked.

        Args:
            judged: what became of the replies, by id; a missing one is to be resent.
        """
        found = (judged.get(key) for key in self.asked)
        fates = Counter(fate_of(None if one is None else one.state, len(one.items) if one else 0) for one in found)
        return ", ".join([f"{len(self.asked):,} asked", *fates_in_words(fates), *self.oddities()])


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}" if number else ""
