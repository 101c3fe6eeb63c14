"""How much runs extract, as a table."""

from __future__ import annotations

from collections.abc import Mapping

from fingreat.analysis import Volume
from fingreat.report.columns import counts, numbers, shares, spares, texts
from fingreat.report.tables import Share, Table

_PER_FILING = (
    "Mean, median and quartiles (25%, 75%) are of the extractions per filing, filings without any included. Characters "
    "are those of the text that the run quotes per filing, on average, each counted once."
)


def volume_table(volumes: Mapping[str, Volume]) -> Table:
    """A row for each run: what it extracts in all and of a filing.

    Args:
        volumes: run → its volume.
    """
    return Table(
        id="volume",
        title="What each run extracts per filing",
        columns=(
            *texts("run"),
            *spares("extractions"),
            *shares("in the text"),
            *counts("filings", "without any"),
            *numbers("mean", "25%", "median", "75%", digits=1),
            *numbers("characters", digits=0),
        ),
        rows=tuple(
            (
                name,
                volume.extractions,
                Share(k=volume.extractions - volume.unplaced, n=volume.extractions),
                *(volume.filings, volume.silent),
                *(volume.mean, volume.lower_quartile, volume.median, volume.upper_quartile),
                volume.mean_characters,
            )
            for name, volume in volumes.items()
        ),
        notes=(_PER_FILING,),
    )
