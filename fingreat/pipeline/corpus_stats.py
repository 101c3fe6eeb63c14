"""The figures of a corpus, and its tables as files for a paper."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import fingreat
from fingreat.analysis.corpus import CorpusFigures, SectionFacts, measure_corpus
from fingreat.errors import CorpusError
from fingreat.pipeline.corpus_folder import CorpusFolder, sections_command
from fingreat.pipeline.table_files import TableFolder
from fingreat.pipeline.years import spoken_years
from fingreat.report.corpus_tables import IDS, corpus_tables
from fingreat.report.tables import Table

TABLES = TableFolder("a corpus", IDS)
"""What a folder of its tables holds."""


@dataclass(frozen=True)
class CorpusStats:
    """What there is to say of a corpus.

    Attributes:
        stages: what the stages that filled it noted.
        missing: what the figures lack, each with the command that makes it.
    """

    figures: CorpusFigures
    stages: dict[str, Any]
    tables: tuple[Table, ...]
    missing: tuple[str, ...]


def corpus_stats(corpus: CorpusFolder, item: str = "7", *, size_years: Collection[int] = ()) -> CorpusStats:
    """Measure a corpus; only one text is in memory at a time.

    Nothing is written or held: another process may be working there, since lists are replaced as a whole and logs only
    grow. What it adds meanwhile may be in the figures or not.

    Args:
        item: whose texts are measured, if they are there.
        size_years: years of filing to which the description of total assets is restricted; none for no restriction.

    Raises:
        CorpusError: this is no corpus, or it is damaged.
        InputError: that is no item.
        RunError: sections are damaged.
    """
    item = corpus.section_folder(item).name
    filings = corpus.filings()
    sections = _section_facts(corpus, item)
    stages = corpus.manifest()["stages"]
    figures = measure_corpus(filings, sections or {}, size_years=size_years)
    years = spoken_years(size_years).replace("-", "–") if size_years else None
    return CorpusStats(
        figures=figures,
        stages=stages,
        tables=corpus_tables(figures, item, stages, size_years=years),
        missing=tuple(_missing(corpus.path, item, figures, stages.get("enrich"))),
    )


def provenance(corpus: CorpusFolder, item: str, size_years: Collection[int] = ()) -> list[str]:
    """What tables were made from, and the command that makes them, in lines.

    Args:
        item, size_years: as in `corpus_stats`.
    """
    manifest = corpus.path / "manifest.json"
    made = ["--corpus", str(corpus.path), "--item", item]
    made += ["--assets-years", spoken_years(size_years)] if size_years else []
    lines = [f"Made by fingreat {fingreat.__version__}: fingreat corpus stats {shlex.join(made)}"]
    if manifest.is_file():
        changed = datetime.fromtimestamp(manifest.stat().st_mtime, UTC)
        lines.append(f"Item {item} of the corpus whose manifest was written at {changed:%Y-%m-%d %H:%M} UTC")
    return lines


def _section_facts(corpus: CorpusFolder, item: str) -> dict[str, SectionFacts]:
    """What became of the search in each filing; nothing where there was none."""
    try:
        sections = corpus.sections(item)
    except CorpusError:
        return {}
    return {section.filing_id: SectionFacts.of(section) for section in sections}


def _missing(corpus: Path, item: str, figures: CorpusFigures, enriched: Any) -> list[str]:
    """What the figures lack.

    Args:
        enriched: what the latest whole call of `enrich` noted; None where there was none.
    """
    missing = []
    unsearched, filings = figures.statuses["unsearched"], figures.all.filings
    if unsearched:
        missing.append(
            f"Item {item} was not looked for in {unsearched:,} of {filings:,} filings. {sections_command(corpus, item)}"
        )
    command = f"`fingreat corpus enrich --corpus {corpus}`"
    enrich = f"Get them with {command}."
    before = enriched.get("filings") if isinstance(enriched, dict) else None
    if isinstance(before, int) and before < filings:
        missing.append(f"{filings - before:,} of {filings:,} filings are not enriched: they came later. Run {command}.")
    if filings and not figures.all.with_assets.hits:
        missing.append(f"Total assets are known for no filing. {enrich}")
    if filings and figures.sic_sources["none"] == filings:
        missing.append(f"Industry codes are known for no filing. {enrich}")
    return missing
