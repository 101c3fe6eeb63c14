"""How many passages several runs quote together, and whether they give them the same edge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fingreat.analysis.ensemble import majority
from fingreat.errors import InputError
from fingreat.schema import Group


@dataclass(frozen=True)
class GroupsOfSize:
    """Groups with so many members; `groups` = `unanimous` + `majority` + `split`.

    Attributes:
        size: members of each.
        unanimous: all members give the same edge.
        majority: more than half of the members, but not all, give the same edge.
        split: no edge has more than half of the members.
    """

    size: int
    groups: int
    unanimous: int
    majority: int
    split: int


@dataclass(frozen=True)
class GroupCounts:
    """The groups of some runs over some filings.

    Attributes:
        runs: that were grouped, in their order.
        filings: that were looked at.
        sizes: for every size that a group can have, from the smallest asked for to all runs.
        torn: connected extractions of enough runs that are no group.
        in_groups: run → groups that have an extraction of it.
    """

    runs: tuple[str, ...]
    filings: int
    sizes: tuple[GroupsOfSize, ...]
    torn: int
    in_groups: Mapping[str, int]

    @property
    def groups(self) -> int:
        """Groups of any size."""
        return sum(row.groups for row in self.sizes)

    @property
    def unanimous(self) -> int:
        """Groups of any size whose members all give the same edge."""
        return sum(row.unanimous for row in self.sizes)

    @property
    def majority(self) -> int:
        """Groups of any size of which more than half, but not all, give the same edge."""
        return sum(row.majority for row in self.sizes)

    @property
    def split(self) -> int:
        """Groups of any size without an edge of more than half of the members."""
        return sum(row.split for row in self.sizes)


class GroupTally:
    """Counts the groups of some runs filing by filing; what it keeps does not grow with the filings."""

    def __init__(self, runs: Sequence[str], *, least: int) -> None:
        """
        Args:
            runs: that are grouped.
            least: members that a group has at least.

        Raises:
            InputError: a run is named twice; `least` is below 2 or more than there are runs.
        """
        if repeated := [run for run, times in Counter(runs).items() if times > 1]:
            raise InputError(f"Run {repeated[0]} is named twice.", hint="Name different runs.")
        if not 2 <= least <= len(runs):
            raise InputError(f"Groups of at least {least} runs cannot be made of {len(runs)} runs.")
        self.runs = tuple(runs)
        self.least = least
        self._filings = 0
        self._torn = 0
        self._kinds: Counter[tuple[int, str]] = Counter()
        self._in_groups: Counter[str] = Counter()

    def add(self, groups: Sequence[Group], torn: int) -> None:
        """Count the groups of one filing.

        Raises:
            InputError: a group is too small, or has a member of none of the runs or two of one. Nothing of the filing
                is counted then.
        """
        for group in groups:
            self._check(group)
        for group in groups:
            votes = Counter(group.edges)
            if len(votes) == 1:
                kind = "unanimous"
            else:
                kind = "majority" if majority(group.edges, len(group.members)) else "split"
            self._kinds[len(group.members), kind] += 1
            self._in_groups.update(member.run for member in group.members)
        self._filings += 1
        self._torn += torn

    def counts(self) -> GroupCounts:
        """What was counted so far."""
        return GroupCounts(
            runs=self.runs,
            filings=self._filings,
            sizes=tuple(self._of_size(size) for size in range(self.least, len(self.runs) + 1)),
            torn=self._torn,
            in_groups={run: self._in_groups[run] for run in self.runs},
        )

    def _of_size(self, size: int) -> GroupsOfSize:
        kinds = [self._kinds[size, kind] for kind in ("unanimous", "majority", "split")]
        return GroupsOfSize(size, sum(kinds), *kinds)

    def _check(self, group: Group) -> None:
        runs = [member.run for member in group.members]
        if len(runs) < self.least:
            raise InputError(f"has {len(runs)} members, not at least {self.least}.", where=f"group {group.id}")
        if len(set(runs)) < len(runs) or not set(runs) <= set(self.runs):
            raise InputError(
                f"has members of {', '.join(runs)}, not at most one of each of {', '.join(self.runs)}.",
                where=f"group {group.id}",
            )
