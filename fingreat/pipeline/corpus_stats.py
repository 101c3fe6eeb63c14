"""The figures of a corpus, and its tables as files for a paper."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import fingreat
from fingreat.analysis.corpus import CorpusFigures, SectionFacts, measure_corpus
from fingreat.errors import CorpusError, InputError
from fingreat.pipeline.corpus_folder import CorpusFolder, sections_command
from fingreat.pipeline.years import spoken_years
from fingreat.report.corpus_tables import IDS, corpus_tables
from fingreat.report.latex import table_latex
from fingreat.report.tables import Table, table_csv
from fingreat.runs import sweep, write_atomic
from fingreat.runs.files import storage_errors

_FILES = tuple(f"{name}.{ending}" for name in IDS for ending in ("csv", "tex"))


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


def check_tables_folder(out: Path) -> None:
    """Refuse a folder with anything in it but tables of a corpus, which are written over.

    Raises:
        InputError: it is a file, or holds something else.
    """
    hint = "Choose another --out."
    if out.exists() and not out.is_dir():
        raise InputError("is a file; the tables need a folder.", where=str(out), hint=hint)
    for path in sorted(out.iterdir()) if out.is_dir() else ():
        hidden = path.name.startswith(".") and path.is_file()
        if not hidden and (path.name not in _FILES or path.is_symlink() or not path.is_file()):
            raise InputError(f"holds {path.name!r}, which is no table of a corpus.", where=str(out), hint=hint)


def write_tables(tables: Sequence[Table], out: Path, comment: Sequence[str] = ()) -> None:
    """Write each table as `<id>.csv` and `<id>.tex`; tables that an earlier call left there and this one lacks go.

    Args:
        comment: lines that stand before each table in LaTeX.

    Raises:
        InputError: as in `check_tables_folder`.
        StorageError: the disk refused; every file is whole.
    """
    check_tables_folder(out)
    files = {f"{table.id}.csv": table_csv(table) for table in tables}
    files |= {f"{table.id}.tex": table_latex(table, comment) for table in tables}
    sweep(*(out / name for name in _FILES))
    with storage_errors(out):
        for name in _FILES:
            if name not in files:
                (out / name).unlink(missing_ok=True)
    for name, text in files.items():
        write_atomic(out / name, text.encode("utf-8", "replace"))


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
