"""The same gold passages in two tasks of one model, as tables and bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fingreat.analysis import Ratio
from fingreat.analysis.bootstrap import SEED
from fingreat.analysis.stability import Stability
from fingreat.report.bar_chart import bars
from fingreat.report.columns import gain, names, on_intervals, points, rates, share, shares, texts
from fingreat.report.model import Figure
from fingreat.report.tables import Cell, Share, Table, count_of, fraction, percent

_MATCHED = (
    "Gold passages are matched one to one with what an extraction run quotes of the same filing, by words and whatever "
    "its edges."
)
_QUOTED = (
    "are of the passages so quoted: the same ones in both tasks. They are those that the model found by itself, which "
    "may be the plainer ones."
)
_SAME = f"{_MATCHED} All shares {_QUOTED}"
_SAME_BUT_FIRST = f"{_MATCHED} All shares but the first {_QUOTED}"
_RIGHT = (
    "An edge is right if the gold passage accepts it. A classification that failed is wrong, and its edge never the "
    "same as that of the extraction."
)
_CHANGE = "Change is the accuracy when classified less that when extracted, in percentage points, on the same draws."
_TIES = (
    "Where an extraction run quotes a passage several times under different edges, place, order and id decide which of "
    "these equal quotes counts. Shares and intervals rest on that one assignment; what others would give stands in the "
    "table of lowest and highest shares."
)
_RANGES = (
    "Lowest and highest are the shares if of each passage that is quoted under several edges the worst and the best of "
    "these edges counts. For each of both shares that is another choice."
)
_SHOWN = 3
"""How many ids of passages a note names."""


def stability_table(measured: Sequence[Stability], *, filings: int, seed: int = SEED) -> Table:
    """A row for each extraction run beside a classification run of the same model.

    Args:
        filings: that the intervals draw from.
        seed: of the draws.
    """
    found = [one for row in measured for one in (*(cell.interval for cell in _shares(row)), row.difference)]
    return Table(
        id="stability",
        title="The same gold passages, extracted and classified",
        columns=(
            *names("model"),
            *texts("extraction run", "classification run"),
            *shares("quoted", "right when extracted", "right when classified"),
            *points("change"),
            *shares("same edge"),
        ),
        rows=tuple(
            (
                *_runs(row),
                *map(share, _shares(row)[:3]),
                gain(row.classified, row.extracted, row.difference),
                share(row.same_edge),
            )
            for row in measured
        ),
        notes=(
            _SAME_BUT_FIRST,
            _RIGHT,
            _CHANGE,
            *_ties(measured),
            *_left_out(measured),
            *on_intervals(found, filings, seed),
        ),
    )


def stability_range_table(measured: Sequence[Stability]) -> Table:
    """How many passages can be right, and how many have the same edge, whichever of equal quotes counts."""
    return Table(
        id="stability-range",
        title="What shares could be where passages are quoted under several edges",
        columns=(
            *names("model"),
            *texts("extraction run", "classification run"),
            *shares("several edges", "right when extracted"),
            *rates("lowest right", "highest right"),
            *shares("same edge"),
            *rates("lowest same", "highest same"),
        ),
        rows=tuple(
            (
                *_runs(row),
                Share(k=row.several, n=row.quoted.hits),
                *_open(row.extracted, row.extracted_range),
                *_open(row.same_edge, row.same_edge_range),
            )
            for row in measured
        ),
        notes=(_SAME, _RIGHT, _RANGES),
    )


def transitions_table(measured: Sequence[Stability], *, filings: int, seed: int = SEED) -> Table:
    """In which of the two tasks the quoted passages are right: four shares that sum to one.

    Args:
        filings, seed: as for `stability_table`.
    """
    found = [one.interval for row in measured for one in _transitions(row)]
    return Table(
        id="stability-transitions",
        title="In which task the same gold passages are right",
        columns=(
            *names("model"),
            *texts("extraction run", "classification run"),
            *shares("in both", "only when extracted", "only when classified", "in neither"),
        ),
        rows=tuple((*_runs(row), *map(share, _transitions(row))) for row in measured),
        notes=(_SAME, _RIGHT, *_ties(measured), *on_intervals(found, filings, seed)),
    )


def is_open(measured: Sequence[Stability]) -> bool:
    """Whether some passage is quoted under several edges, so that there is something to say of equal quotes."""
    return any(row.several for row in measured)


def stability_bars(measured: Sequence[Stability]) -> Figure:
    """Both accuracies and the share of same edges, for each pair of runs."""
    several = len({row.model for row in measured}) < len(measured)
    groups = [f"{row.extraction} / {row.classification}" if several else row.model for row in measured]
    return bars(
        "stability",
        "The same gold passages, extracted and classified",
        groups,
        [
            ("right when extracted", [share(row.extracted) for row in measured]),
            ("right when classified", [share(row.classified) for row in measured]),
            ("same edge", [share(row.same_edge) for row in measured]),
        ],
        caption=" ".join((_SAME, _RIGHT, *_ties(measured))),
    )


def _runs(row: Stability) -> tuple[Cell, ...]:
    return row.model, row.extraction, row.classification


def _shares(row: Stability) -> tuple[Ratio, ...]:
    return row.quoted, row.extracted, row.classified, row.same_edge


def _transitions(row: Stability) -> tuple[Ratio, ...]:
    return row.both, row.only_extracted, row.only_classified, row.neither


def _open(shown: Ratio, ends: tuple[int, int]) -> tuple[Cell, ...]:
    """A share as it is shown, without its interval, and the lowest and the highest."""
    return Share(k=shown.hits, n=shown.total), *(Ratio(hits, shown.total).value for hits in ends)


def _ties(measured: Sequence[Stability]) -> tuple[str, ...]:
    return (_TIES,) if is_open(measured) else ()


def _left_out(measured: Sequence[Stability]) -> Iterator[str]:
    """Of each pair, what is not compared, and how the classification did on all passages."""
    for row in measured:
        one = row.extraction == row.classification
        pair = row.extraction if one else f"{row.extraction} and {row.classification}"
        left = len(row.not_quoted)
        ids = ", ".join(row.not_quoted[:_SHOWN])
        more = f", and {left - _SHOWN:,} more" if left > _SHOWN else ""
        told = [f"{count_of(left, 'passage')} not quoted ({ids}{more})"] if left else []
        told += [f"{count_of(row.unread, 'passage')} of filings that were not read"] * (row.unread > 0)
        if told:
            overall = share(row.overall)
            yield (
                f"{pair}: left out {' and '.join(told)}. Classified, {percent(overall)} ({fraction(overall)}) of all "
                "passages are right."
            )
