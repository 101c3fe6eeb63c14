"""The passages that several runs quote, as a table."""

from __future__ import annotations

from fingreat.analysis import GroupCounts, GroupsOfSize, Ratio
from fingreat.report.columns import MATCHED, TIES, counts, share, shares, texts
from fingreat.report.tables import ALL, Cell, Table, count_of

_GROUP = (
    "A group is one passage of a filing that several runs quote: each of its runs has one quote in it, and every two "
    "of these are matched."
)
_EDGES = (
    "Unanimous: all of its runs give it the same edge; majority: more than half of them do, but not all; split: no "
    "edge has more than half."
)
_PAIR = 2
_PAIRS = "Two runs are unanimous or split: more than half of them are both."


def groups_table(found: GroupCounts) -> Table:
    """Groups by how many runs they have, and how far those agree on the edge; all groups last."""
    return Table(
        id="groups",
        title=f"Passages that several of {count_of(len(found.runs), 'run')} quote",
        columns=(*texts("runs"), *counts("groups"), *shares("unanimous", "majority", "split")),
        rows=(*(_row(f"{row.size:,}", row) for row in found.sizes), _row(ALL, found)),
        totals=1,
        notes=(
            MATCHED,
            _GROUP,
            _EDGES,
            *((_PAIRS,) if found.sizes[0].size == _PAIR else ()),
            TIES,
            *torn_note(found.torn),
        ),
    )


def _row(name: str, row: GroupsOfSize | GroupCounts) -> tuple[Cell, ...]:
    unanimous, majority, split = (share(Ratio(hits, row.groups)) for hits in (row.unanimous, row.majority, row.split))
    largest = row.size if isinstance(row, GroupsOfSize) else row.sizes[-1].size
    return name, row.groups, unanimous, majority if largest > _PAIR else None, split


def torn_note(torn: int) -> tuple[str, ...]:
    """The note on matched quotes of enough runs that are no group, if there are any."""
    if not torn:
        return ()
    are = "are" if torn != 1 else "is"
    return (
        f"{count_of(torn, 'more set')} of quotes that are linked by matches {are} no group: a run is in it twice, or "
        "two of the quotes are not matched.",
    )
