"""The extractions of several runs side by side, one filing after the other."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from fingreat.errors import RunError
from fingreat.runs import RunFolder, part_paths
from fingreat.runs.log import parse_line
from fingreat.schema import Extraction

_PART = 1 << 48
"""More than a part has bytes."""


def read_by_filing(runs: Sequence[RunFolder], filings: Sequence[str], *, grounded: bool = False) -> ByFiling:
    """The extractions of runs, filing by filing; hold the folders' `readers` locks until the last one is read.

    The files are gone through once to see that they are whole and where each filing's lines stand, in whatever order
    that is. The extractions of one filing at a time are then read from there, so that a few hundred bytes are held for
    a filing, however much is quoted of it.

    Args:
        filings: different ids, in the order in which the filings are wanted.
        grounded: give only extractions whose quote stands in the text.

    Raises:
        RunError: a run's extractions cannot be read, or a line of them is damaged; the message names the line.
    """
    return ByFiling(runs, filings, grounded=grounded)


class ByFiling:
    """Pairs of a filing's id and its extractions in each of the runs, in the order in which these wrote them.

    Every filing that was asked for is given, also one without extractions. It can be gone through several times, and
    raises a RunError where a filing has two extractions with one id in a run.

    Attributes:
        left_out: for each run, how many of its extractions are of filings that were not asked for.
        given: for each run, how many of the others are given.
        ungrounded: for each run, how many are not, since they do not stand in the text; 0 where that was not asked.
    """

    def __init__(self, runs: Sequence[RunFolder], filings: Sequence[str], *, grounded: bool = False) -> None:
        numbers = {filing: number for number, filing in enumerate(filings)}
        self._filings = filings
        self._places = [_Places(run, numbers, grounded=grounded) for run in runs]
        self.left_out = tuple(places.left_out for places in self._places)
        self.given = tuple(places.given for places in self._places)
        self.ungrounded = tuple(places.ungrounded for places in self._places)

    def __len__(self) -> int:
        return len(self._filings)

    def __iter__(self) -> Iterator[tuple[str, tuple[list[Extraction], ...]]]:
        for number, filing in enumerate(self._filings):
            yield filing, tuple(places.extractions(number, filing) for places in self._places)


class _Places:
    """Where each filing's lines stand in the files of a run: three whole numbers for every stretch of such lines."""

    def __init__(self, run: RunFolder, numbers: Mapping[str, int], *, grounded: bool) -> None:
        self.left_out = self.given = self.ungrounded = 0
        self._grounded = grounded
        self._run = run
        self._parts = part_paths(run.extractions)
        found: tuple[array[int], ...] = (array("Q"), array("Q"), array("Q"))
        for number, start, end in self._lines(numbers):
            if found[0] and (found[0][-1], found[2][-1]) == (number, start):
                found[2][-1] = end
            else:
                for values, value in zip(found, (number, start, end), strict=True):
                    values.append(value)
        # Stable, so that a filing's stretches stay in the order in which they were written.
        order = sorted(range(len(found[0])), key=found[0].__getitem__)
        self._numbers, self._starts, self._ends = (array("Q", map(values.__getitem__, order)) for values in found)

    def extractions(self, number: int, filing: str) -> list[Extraction]:
        """The extractions of the filing with this number and this id."""
        found: dict[str, Extraction] = {}
        for extraction in self._extractions(number):
            if extraction.id in found:
                raise RunError(
                    f"has two extractions with the id {extraction.id} in filing {filing}.",
                    where=str(self._run.path),
                    hint="Repeat its `fingreat extract` command: extractions are made anew from the replies.",
                )
            found[extraction.id] = extraction
        return list(found.values())

    def _extractions(self, number: int) -> Iterator[Extraction]:
        for at in range(bisect_left(self._numbers, number), bisect_left(self._numbers, number + 1)):
            part, start = divmod(self._starts[at], _PART)
            path = self._parts[part]
            try:
                with path.open("rb") as file:
                    file.seek(start)
                    lines = file.read(self._ends[at] - self._starts[at]).removesuffix(b"\n").split(b"\n")
            except OSError as error:
                raise _unreadable(error) from error
            for line in lines:
                yield parse_line(line, Extraction, path)

    def _lines(self, numbers: Mapping[str, int]) -> Iterator[tuple[int, int, int]]:
        """The number of the filing, and where the line begins and ends, of every line that is wanted."""
        for part, path in enumerate(self._parts):
            start = part * _PART
            try:
                with path.open("rb") as file:
                    for row, line in enumerate(file, 1):
                        if not line.endswith(b"\n"):
                            break
                        extraction = parse_line(line, Extraction, path, row)
                        number = numbers.get(extraction.filing_id)
                        if number is None:
                            self.left_out += 1
                        elif self._grounded and not extraction.verdict.grounded:
                            self.ungrounded += 1
                        else:
                            self.given += 1
                            yield number, start, start + len(line)
                        start += len(line)
            except OSError as error:
                raise _unreadable(error) from error


def _unreadable(error: OSError) -> RunError:
    return RunError(f"cannot be read ({error.strerror}).", where=str(error.filename))
