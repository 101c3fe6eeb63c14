"""Several runs → groups of extractions that quote the same passage."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from pathlib import Path

from pydantic import ValidationError

from fingreat.analysis.groups import GroupCounts, GroupTally
from fingreat.errors import InputError
from fingreat.matching import FilingMatcher
from fingreat.matching.groups import Grouped, group_matches
from fingreat.pipeline.side_by_side import EVERYTHING, Choice, Compared, Scope, Watching, compared, unwatched
from fingreat.runs import RunFolder, owner_of, sweep
from fingreat.runs.files import replacing
from fingreat.schema import Extraction, Group

_LINE = 2**26
"""More bytes than a group has."""


@dataclass(frozen=True)
class GroupedRuns:
    """How many passages runs quote together.

    Attributes:
        least: runs that a group has at least.
    """

    scope: Scope
    least: int
    counts: GroupCounts


def group_runs(
    runs: Sequence[RunFolder],
    out: Path | None = None,
    *,
    least: int | None = None,
    choice: Choice = EVERYTHING,
    watch: Watching = unwatched,
) -> GroupedRuns:
    """Group the extractions of runs, in one pass over their filings, and count the groups.

    Args:
        out: a file for the groups, one `Group` a line, filing by filing; earlier groups are replaced as a whole.
        least: runs that a group has at least; all of them by default.
        choice: which of their filings and extractions; by default all, and runs that read others are refused.
        watch: told how many filings are done.

    Raises:
        RunError: a run is not complete or is damaged, or another process changes it.
        InputError: fewer than two runs, one named twice, or runs that cannot be compared; `least` is below 2 or above
            the number of runs; `out` is a folder, holds something else, or lies in the folder of a run, a match or a
            corpus.
        StorageError: the disk refused; an old file is still there.
    """
    least = _least(runs, least)
    if out is not None:
        _check_file(out)
    with compared(runs, choice) as found:
        tally = GroupTally(found.names, least=least)
        groups = _tallied(found, least, tally, watch)
        if out is None:
            for _ in groups:
                pass
        else:
            sweep(out.resolve())
            with replacing(out) as temporary, temporary.open("wb") as file:
                file.writelines(groups)
                file.flush()
                os.fsync(file.fileno())
    return GroupedRuns(found.scope, least, tally.counts())


def group_filing(matcher: FilingMatcher, runs: Mapping[str, Sequence[Extraction]], least: int) -> Grouped:
    """Match the extractions of every two runs in one filing, and group them.

    Args:
        matcher: of the filing; it knows the quotes of all runs.
        runs: name → its extractions.
        least: runs that a group has at least.
    """
    matches = {(a, b): matcher.candidates(runs[a], runs[b]).matches() for a, b in combinations(runs, 2)}
    return group_matches(matcher.filing_id, runs, matches, least=least)


def _tallied(found: Compared, least: int, tally: GroupTally, watch: Watching) -> Iterator[bytes]:
    """The groups of one filing after the other, a line each, counted on the way."""
    for filing_id, extractions in found.by_filing(watch):
        matcher = FilingMatcher(filing_id, chain.from_iterable(extractions))
        grouped = group_filing(matcher, dict(zip(found.names, extractions, strict=True)), least)
        tally.add(grouped.groups, grouped.torn)
        for group in grouped.groups:
            yield group.model_dump_json().encode() + b"\n"


def _least(runs: Sequence[RunFolder], least: int | None) -> int:
    """How many runs a group has at least; a number that no group of these runs can have is refused."""
    if len(runs) < 2:
        raise InputError(
            "a group takes at least two runs.",
            where=str(runs[0].path) if runs else None,
            hint="Name at least two run folders.",
        )
    if least is not None and not 2 <= least <= len(runs):
        allowed = "2" if len(runs) == 2 else f"from 2 to {len(runs)}"
        raise InputError(
            f"must be {allowed} for {len(runs)} runs, not {least}.",
            where="--least",
            hint="Choose another number, or name more runs.",
        )
    return least or len(runs)


def _check_file(out: Path) -> None:
    """Refuse a place for groups where something else is, or that belongs to a run, a match or a corpus."""
    where, hint = str(out), "Choose another --out."
    if out.exists() and not out.is_file():
        raise InputError("is no regular file.", where=where, hint=hint)
    if owner := owner_of(out):
        raise InputError(f"lies in {owner}, which holds a run, a match or a corpus.", where=where, hint=hint)
    if not out.exists():
        return
    try:
        with out.open("rb") as file:
            first = file.readline(_LINE)
        if first:
            Group.model_validate_json(first)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror}).", where=where, hint=hint) from error
    except ValidationError as error:
        raise InputError("holds something else than groups.", where=where, hint=hint) from error
