"""Shares of edges corrected by passages whose right edges are known.

A model's own share of an edge is off where it gives the edge to the wrong passages. Of the passages that readers
labelled it is known by how much; the mean of these errors is taken off (prediction-powered inference for a mean,
Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023). That is right only if the labelled passages are like the others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fingreat.analysis.bootstrap import ratios_of_sums
from fingreat.analysis.ratio import Ratio
from fingreat.errors import InputError
from fingreat.schema import Extraction, Graph
from fingreat.schema.graph import DEFAULT_GROUPING

if TYPE_CHECKING:
    import numpy as np

    from fingreat.analysis.bootstrap import FilingBootstrap

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

NO_EVIDENCE = "no evidence"
"""Name of what readers see no edge in; a run has no such extractions by its own account."""
LEAST_FILINGS = 2
"""With labels in fewer filings nothing is known of how filings differ."""
LEAST_LABELS = 10
"""With fewer labelled extractions that speak of something there is no interval: what so few do not show would count as
certain, and intervals hold the truth less often than they say (of a share of 3 to 5 % in 8 or 9 of 10 corpora)."""
_LEVEL = 0.975
_NO_ERROR = 1e-12
"""What rounding leaves of a standard error of 0."""


@dataclass(frozen=True)
class CorrectedShare:
    """The share of one edge or category among a run's extractions.

    Attributes:
        name: id of the edge, name of the category, or `NO_EVIDENCE`.
        uncorrected: by the run's own edges, its interval by drawing filings where draws were given.
        labelled: labelled extractions that speak of it: the run or a reader gives it to them.
        value: by what readers would say; None where no labelled extraction speaks of it, or fewer than two filings
            have labels. It is not bound to 0 to 1.
        standard_error: of the value, by how filings differ; None where they don't, which tells nothing of others, and
            where fewer than `LEAST_LABELS` labelled extractions speak of it.
        interval: 95 %, by Student's t with as many degrees of freedom as filings with labels, less 1.
    """

    kind: Literal["edge", "category", "none"]
    name: str
    uncorrected: Ratio
    labelled: int
    value: float | None
    standard_error: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True)
class CorrectedShares:
    """The shares of a run over some filings.

    Attributes:
        year: of filing; None for all filings.
        filings, extractions: that the shares are of.
        gold_filings: of those, with labels.
        gold_passages: labelled passages that the run quotes.
        labelled: extractions that quote them.
        shares: of every edge, then of every category, in the graph's order, then of no evidence.
    """

    run: str
    year: int | None
    filings: int
    extractions: int
    gold_filings: int
    gold_passages: int
    labelled: int
    shares: tuple[CorrectedShare, ...]

    def of_kind(self, kind: str) -> tuple[CorrectedShare, ...]:
        """The shares of one kind."""
        return tuple(share for share in self.shares if share.kind == kind)


@dataclass(frozen=True)
class Correction:
    """Shares of k things, corrected.

    Attributes:
        values, errors: of shape [k]; errors are standard errors.
    """

    values: Array
    errors: Array
    df: int


class CorrectionTally:
    """Counts a run's extractions and the labels of some of them, filing by filing."""

    def __init__(self, run: str, graph: Graph, *, grouping: str = DEFAULT_GROUPING) -> None:
        """
        Raises:
            InputError: the graph has no such grouping.
        """
        self._run = run
        self._graph = graph
        self._grouping = grouping
        self._categories = graph.categories(grouping)
        self._places = {edge: place for place, edge in enumerate(graph.edges)}
        # Filing id → per edge its extractions; per labelled passage the edges given and those accepted.
        self._counts: dict[str, list[int]] = {}
        self._labels: dict[str, list[tuple[list[str], frozenset[str]]]] = {}

    def add(
        self,
        filing_id: str,
        extractions: Sequence[Extraction],
        labels: Iterable[tuple[Sequence[Extraction], frozenset[str]]] = (),
    ) -> None:
        """Count one filing; one without extractions is a filing too.

        Args:
            labels: for each labelled passage the extractions of the filing that quote it, with the edges that readers
                accept; each extraction once. All of them are to be there: second edges of a passage are wrong more
                often than first ones.

        Raises:
            InputError: the filing was counted before, or an edge is none of the graph.
        """
        where = f"run {self._run}, filing {filing_id}"
        if filing_id in self._counts:
            raise InputError("was counted before.", where=where)
        row, found = [0] * len(self._places), [([one.edge for one in own], accepted) for own, accepted in labels]
        given = [one.edge for one in extractions]
        for edge in (*given, *(edge for edges, accepted in found for edge in (*edges, *accepted))):
            if edge not in self._places:
                raise InputError(f"has edge {edge}, no edge of graph '{self._graph.name}'.", where=where)
        for edge in given:
            row[self._places[edge]] += 1
        self._counts[filing_id] = row
        if found:
            self._labels[filing_id] = found

    def gold_filings(self, filings: Iterable[str]) -> int:
        """How many of some filings have labels."""
        return sum(filing in self._labels for filing in filings)

    def shares(
        self,
        filings: Collection[str] | None = None,
        *,
        year: int | None = None,
        bootstrap: FilingBootstrap | None = None,
    ) -> CorrectedShares:
        """The shares over some of the filings that were counted, or over all.

        Args:
            year: what the filings have in common, noted in the result.
            bootstrap: draws of as many filings, for the intervals of uncorrected shares.

        Raises:
            InputError: the draws are of another number of filings.
        """
        import numpy as np

        ids = sorted(self._counts if filings is None else filings)
        edges, spread = len(self._places), self._spread()
        counts = np.array([self._counts[one] for one in ids], dtype=np.int64).reshape(len(ids), edges)
        above = (np.hstack((counts, np.zeros((len(ids), 1), dtype=np.int64))) @ spread).astype(np.int64)
        totals = counts.sum(axis=1)
        off, labels, speaking = self._off(ids, spread)
        ratios = ratios_of_sums(above, np.broadcast_to(totals[:, None], above.shape), bootstrap)
        correction = corrected(above, totals, off, labels)
        return CorrectedShares(
            run=self._run,
            year=year,
            filings=len(ids),
            extractions=int(totals.sum()),
            gold_filings=int(np.count_nonzero(labels)),
            gold_passages=sum(len(self._labels.get(one, ())) for one in ids),
            labelled=int(labels.sum()),
            shares=tuple(
                _share(place, kind, name, ratios[place], int(speaking[place]), correction)
                for place, (kind, name) in enumerate(self._names())
            ),
        )

    def _names(self) -> list[tuple[Literal["edge", "category", "none"], str]]:
        return [
            *(("edge", edge) for edge in self._places),
            *(("category", category) for category in self._categories),
            ("none", NO_EVIDENCE),
        ]

    def _spread(self) -> Array:
        """What an edge, or none (the last row), counts for among the names."""
        import numpy as np

        edges = len(self._places)
        found = np.zeros((edges + 1, edges + len(self._categories) + 1))
        for edge, place in self._places.items():
            found[place, place] = 1
            found[place, edges + self._categories.index(self._graph.category(edge, self._grouping))] = 1
        found[edges, -1] = 1
        return found

    def _off(self, ids: Sequence[str], spread: Array) -> tuple[Array, Array, Array]:
        """Per filing and name, what readers give to the labelled extractions less what the run does; per filing its
        labels; per name the labels that speak of it.
        """
        import numpy as np

        off = np.zeros((len(ids), spread.shape[1]))
        labels = np.zeros(len(ids), dtype=np.int64)
        speaking = np.zeros(spread.shape[1], dtype=np.int64)
        for number, filing in enumerate(ids):
            for edges, accepted in self._labels.get(filing, ()):
                read = np.zeros(len(spread))
                for one in accepted:
                    read[self._places[one]] = 1 / len(accepted)
                read[-1] = not accepted
                right, given = read @ spread, spread[[self._places[edge] for edge in edges]]
                off[number] += (right - given).sum(axis=0)
                labels[number] += len(edges)
                speaking += ((right > 0) | (given > 0)).sum(axis=0)
        return off, labels, speaking


def corrected(above: Array, totals: Array, off: Array, labels: Array) -> Correction | None:
    """Shares with the mean error of the labelled taken off: sum(above) / sum(totals) + sum(off) / sum(labels).

    The variance is that of the sum of both ratios, linearised, between filings (Särndal, Swensson and Wretman 1992,
    section 5.5). Each ratio has the factor G/(G-1) of its own filings, so that a few filings with labels among many
    without do not pass for many.

    Args:
        above, off: what each filing has of k things, and what readers add to it; of shape [filings, k].
        totals, labels: extractions of each filing, and labelled ones; of shape [filings].

    Returns:
        None where there is no extraction, or where fewer than two filings have labels.
    """
    import numpy as np

    labelled, filings = int(np.count_nonzero(labels)), len(totals)
    if labelled < LEAST_FILINGS or not totals.sum():
        return None
    share, error = above.sum(axis=0) / totals.sum(), off.sum(axis=0) / labels.sum()
    of_all = (above - share * totals[:, None]) / totals.sum() * (filings / (filings - 1)) ** 0.5
    of_labelled = (off - error * labels[:, None]) / labels.sum() * (labelled / (labelled - 1)) ** 0.5
    errors = np.sqrt(np.square(of_all + of_labelled).sum(axis=0))
    return Correction(share + error, errors, labelled - 1)


def _share(
    place: int,
    kind: Literal["edge", "category", "none"],
    name: str,
    ratio: Ratio,
    speaking: int,
    correction: Correction | None,
) -> CorrectedShare:
    from scipy.special import stdtrit

    if correction is None or not speaking:
        return CorrectedShare(kind, name, ratio, speaking, None, None, None)
    value, error = float(correction.values[place]), float(correction.errors[place])
    if error < _NO_ERROR or speaking < LEAST_LABELS:
        return CorrectedShare(kind, name, ratio, speaking, value, None, None)
    width = float(stdtrit(correction.df, _LEVEL)) * error
    return CorrectedShare(kind, name, ratio, speaking, value, error, (value - width, value + width))
