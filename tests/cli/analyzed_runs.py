"""Runs over two filings whose extractions are written down, for the commands that measure runs against each other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pipeline.extraction_builders import an_extraction, finished_run

from fingreat.runs import RunFolder

SENTENCES = (
    "Revenue from pumps rose by 12% on higher volumes in Europe.",
    "Cost of sales fell because copper became cheaper during spring.",
    "Our effective tax rate was 21% after a settlement with authorities.",
    "Dividends of $0.40 per share were paid in every quarter.",
)
SAID: Mapping[str, Mapping[str, Mapping[int, str]]] = {
    "a": {"F1": {0: "REV-NNCA", 1: "NNCA-COGS", 2: "NNCA-TAX"}, "F2": {0: "REV-NNCA", 1: "NNCA-COGS"}},
    "b": {"F1": {0: "REV-NNCA", 1: "NNCA-OPEX", 3: "CASH-DIV"}, "F2": {0: "REV-NNCA", 1: "NNCA-COGS"}},
    "c": {"F1": {0: "NNCA-TAX", 1: "NNCA-OPEX"}, "F2": {0: "REV-NNCA"}},
    "empty": {},
}
"""Run → filing → number of a sentence → its edge."""


def made_runs(folder: Path) -> Path:
    """A folder with a run for each of those above, all over the filings F1 and F2."""
    for name, said in SAID.items():
        made_run(folder / name, said)
    return folder


def made_run(path: Path, said: Mapping[str, Mapping[int, str]], filings: tuple[str, ...] = ("F1", "F2")) -> RunFolder:
    """A complete run with these extractions, each of which stands in the text."""
    extractions = [
        an_extraction(
            filing,
            f"{filing}-{number}",
            SENTENCES[number],
            edge,
            ranges=((number * 100, number * 100 + len(SENTENCES[number])),),
        )
        for filing, edges in said.items()
        for number, edge in edges.items()
    ]
    return finished_run(path, filings, extractions)
