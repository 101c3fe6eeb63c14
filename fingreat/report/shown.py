"""The filings of a report as the page shows them: their layers, and which of them are matched between runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from fingreat.report.layers import GOLD, Layer, filing_layers
from fingreat.report.model import FilingView, Report
from fingreat.report.palette import edge_styles
from fingreat.schema import Extraction, Match

LONGEST_LIST = 200
"""How many rows a list of passages shows at most; how many are left out is said under it."""


@dataclass(frozen=True)
class Shown:
    """One filing of the page.

    Attributes:
        number: from 1, in page order.
        first: number of its first layer among all layers of the page.
        extractions: of this filing, per run, grounded or not.
    """

    number: int
    view: FilingView
    first: int
    layers: tuple[Layer, ...]
    extractions: tuple[tuple[Extraction, ...], ...]

    @property
    def name(self) -> str:
        """The company, or the name of the file where no company is known."""
        return self.view.filing.company or PurePosixPath(self.view.filing.path).name

    @property
    def label(self) -> str:
        """Name, form and filing year in one line; the fiscal year where the filing year is not known."""
        filing = self.view.filing
        fiscal = f"fiscal {filing.fiscal_year}" if filing.fiscal_year else None
        year = str(filing.filed.year) if filing.filed else fiscal
        return ", ".join(part for part in (self.name, filing.form, year) if part)

    def counts(self, runs: Sequence[str]) -> dict[str, Counter[str]]:
        """How many layers each switch turns: per run, edge and verdict; gold under "gold"."""
        return {
            "runs": Counter(runs[layer.run] for layer in self.layers if layer.run != GOLD),
            "edges": Counter(edge for layer in self.layers for edge in layer.edges),
            "verdicts": Counter(layer.verdict.value for layer in self.layers if layer.verdict),
            "gold": Counter("gold" for layer in self.layers if layer.run == GOLD),
        }


@dataclass(frozen=True)
class Partner:
    """An extraction of another run that is matched with a layer.

    Attributes:
        layer: its number, None where it has no place in a text of the page.
    """

    run: int
    edge: str
    overlap: float
    layer: int | None


@dataclass(frozen=True)
class Difference:
    """A matched pair with two edges.

    Attributes:
        filing: None for a filing that is not shown.
        layer: number of the first of the two that has a place in a text of the page.
    """

    match: Match
    run_a: str
    run_b: str
    a: Extraction
    b: Extraction
    filing: Shown | None
    layer: int | None


def shown_filings(report: Report) -> tuple[Shown, ...]:
    """The filings in page order, their layers numbered through."""
    styles = edge_styles(report.graph, report.grouping)
    by_filing: dict[str, list[list[Extraction]]] = {
        view.filing.id: [[] for _ in report.runs] for view in report.filings
    }
    for i, run in enumerate(report.runs):
        for extraction in run.extractions:
            if extraction.filing_id in by_filing:
                by_filing[extraction.filing_id][i].append(extraction)
    filings = []
    first = 0
    for number, view in enumerate(report.filings, 1):
        extractions = tuple(tuple(of_run) for of_run in by_filing[view.filing.id])
        layers = tuple(filing_layers(extractions, view.gold, styles))
        filings.append(Shown(number, view, first, layers, extractions))
        first += len(layers)
    return tuple(filings)


def _layer_numbers(filings: Sequence[Shown]) -> dict[tuple[int, str, str], int]:
    """(run, filing, extraction) → number of its layer."""
    return {
        (layer.run, filing.view.filing.id, layer.extraction.id): filing.first + i
        for filing in filings
        for i, layer in enumerate(filing.layers)
        if layer.extraction
    }


def partners(report: Report, filings: Sequence[Shown]) -> Mapping[int, Sequence[Partner]]:
    """Layer → the extractions that are matched with it, pair of runs by pair of runs."""
    numbers = _layer_numbers(filings)
    runs = {run.name: i for i, run in enumerate(report.runs)}
    found: dict[int, list[Partner]] = defaultdict(list)
    for pair in report.matches:
        a, b = runs[pair.a], runs[pair.b]
        for match in pair.matches:
            at_a, at_b = numbers.get((a, match.filing_id, match.a)), numbers.get((b, match.filing_id, match.b))
            if at_a is not None:
                found[at_a].append(Partner(b, match.edge_b, match.overlap, at_b))
            if at_b is not None:
                found[at_b].append(Partner(a, match.edge_a, match.overlap, at_a))
    return found


def differences(report: Report, filings: Sequence[Shown]) -> list[Difference]:
    """Every matched pair with two edges: largest overlap first, then in page order; filings not shown last."""
    numbers = _layer_numbers(filings)
    runs = {run.name: i for i, run in enumerate(report.runs)}
    shown = {filing.view.filing.id: filing for filing in filings}
    found = []
    for pair in report.matches:
        of_a = {(x.filing_id, x.id): x for x in report.runs[runs[pair.a]].extractions}
        of_b = {(x.filing_id, x.id): x for x in report.runs[runs[pair.b]].extractions}
        for match in pair.matches:
            if match.same_edge:
                continue
            a, b = of_a[match.filing_id, match.a], of_b[match.filing_id, match.b]
            layer = numbers.get((runs[pair.a], match.filing_id, match.a))
            if layer is None:
                layer = numbers.get((runs[pair.b], match.filing_id, match.b))
            found.append(Difference(match, pair.a, pair.b, a, b, shown.get(match.filing_id), layer))
    end = len(numbers) + 1
    return sorted(found, key=lambda d: (-d.match.overlap, d.filing is None, end if d.layer is None else d.layer))
