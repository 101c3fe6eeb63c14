"""Which filings of a year a sample holds: a seeded order in which every firm has the same chance.

The rule, to be cited:

1. The frame of a year is every filing of the wanted forms that an index dates into that calendar year, each accession
   once. One that stands under several registrants counts as that of the smallest CIK.
2. A firm is a CIK, and it is drawn once a year. Where it has several filings in the frame, the one whose SHA-256 of
   `seed|accession` is the smallest stands for it.
3. Firms come in the order of the SHA-256 of `seed|year|cik`. A sample of n is the first n of them; a filing that cannot
   be used is replaced by the next of the same order.

The texts that are hashed are ASCII: the seed and the year as decimal numbers, the CIK without leading zeros, the
accession with dashes. Digests are compared as numbers. So the order depends on nothing but the seed and the frame: not
on the kind of index, the order of its rows or a random generator's version. A firm more or less changes nothing about
the order of the others, and the draws of two years are independent of each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from fingreat.edgar.remote.index import IndexRow


@dataclass(frozen=True)
class Draw:
    """The order of a year's filings, and what was set aside to get there.

    `rows = other_years + repeated + same_firm + len(order)`.

    Attributes:
        order: one filing of each firm, in the order in which they are drawn.
        rows: that were given.
        other_years: rows dated into another year.
        repeated: further rows of an accession that is counted already: of other registrants, or the same row again.
        same_firm: further filings of a firm.
    """

    order: tuple[IndexRow, ...]
    rows: int
    other_years: int
    repeated: int
    same_firm: int

    @property
    def accessions(self) -> int:
        """Distinct filings of the year."""
        return len(self.order) + self.same_firm

    @property
    def firms(self) -> int:
        """Distinct firms of the year."""
        return len(self.order)


def draw_order(rows: Iterable[IndexRow], year: int, seed: int) -> Draw:
    """The order in which a year's filings are drawn; see the module's head for the rule.

    Args:
        rows: of the wanted forms, from one index or several; in any order, the same row any number of times.
        year: of filing.
        seed: any whole number.
    """
    count = other_years = 0
    filings: dict[str, IndexRow] = {}
    for row in rows:
        count += 1
        if row.filed.year != year:
            other_years += 1
        elif row.accession not in filings or _registrant(row) < _registrant(filings[row.accession]):
            filings[row.accession] = row
    firms: dict[str, IndexRow] = {}
    for row in filings.values():
        rival = firms.get(row.cik)
        if rival is None or _digest(seed, row.accession) < _digest(seed, rival.accession):
            firms[row.cik] = row
    return Draw(
        order=tuple(sorted(firms.values(), key=lambda row: _digest(seed, year, row.cik))),
        rows=count,
        other_years=other_years,
        repeated=count - other_years - len(filings),
        same_firm=len(filings) - len(firms),
    )


def _registrant(row: IndexRow) -> tuple[object, ...]:
    """What decides between rows of one accession: the CIK as a number; the rest only where two indexes differ."""
    return (int(row.cik), *row)


def _digest(*parts: int | str) -> bytes:
    return sha256("|".join(map(str, parts)).encode("ascii")).digest()
