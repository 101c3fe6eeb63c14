"""`fingreat corpus stats`: what a corpus is made of."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from fingreat.analysis import Ratio
from fingreat.cli.common import CorpusOption, ItemOption, JsonFlag, print_json, say, show_table, stoppable
from fingreat.pipeline import Corpus
from fingreat.pipeline.corpus_stats import TABLES, corpus_stats, provenance
from fingreat.pipeline.years import years_of
from fingreat.report import count_of


def stats(
    corpus: CorpusOption,
    item: ItemOption = "7",
    assets_years: Annotated[
        str | None,
        typer.Option(
            "--assets-years",
            help="Describe the sizes of filings of these years only, such as 2012-2025. All other figures are of the "
            "whole corpus.",
            show_default=False,
        ),
    ] = None,
    target: Annotated[
        Path | None,
        typer.Option("--out", help="A folder for each table as CSV, LaTeX and Markdown.", show_default=False),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Show what a corpus is made of: industries, years, forms, sizes, lengths of an item's texts, how it was made.

    Example: fingreat corpus stats --corpus corpus --assets-years 2012-2025 --out tables
    """
    years = years_of(assets_years, "--assets-years") if assets_years is not None else ()
    if target is not None:
        TABLES.check(target)
    with stoppable(lambda: "Every table that was written is whole; repeat the command."):
        found = corpus_stats(Corpus(corpus), item, size_years=years)
        if target is not None:
            TABLES.write(found.tables, target, provenance(Corpus(corpus), item, years))
    if json:
        print_json({"item": item, **_as_data(found.figures), "stages": found.stages, "missing": list(found.missing)})
    else:
        for table in found.tables:
            show_table(table)
    for line in found.missing:
        say(line)
    if target is not None:
        say(f"{count_of(len(found.tables), 'table')}: {target.resolve()}")


def _as_data(value: Any) -> Any:
    """Figures as JSON has them; a share with its value, null for 0 of 0."""
    if isinstance(value, Ratio):
        return {"k": value.hits, "n": value.total, "value": value.value}
    if is_dataclass(value):
        return {field.name: _as_data(getattr(value, field.name)) for field in fields(value)}
    return [_as_data(one) for one in value] if isinstance(value, tuple) else value
