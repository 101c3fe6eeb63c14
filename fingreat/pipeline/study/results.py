"""From the runs of a study to its tables, figures and page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

from fingreat.errors import InputError
from fingreat.pipeline.panel import PanelFolder
from fingreat.pipeline.side_by_side import Watching
from fingreat.pipeline.study.appendices import TABLE_IDS as APPENDED
from fingreat.pipeline.study.appendices import make_appendices
from fingreat.pipeline.study.material import Material
from fingreat.pipeline.study.methods import lead_of, methods_of
from fingreat.pipeline.study.parts import FIGURE_IDS, TABLE_IDS, make_parts
from fingreat.pipeline.study.runs import Slot
from fingreat.pipeline.study.sources import GOLD
from fingreat.pipeline.table_files import TableFolder
from fingreat.report.study import StudyReport
from fingreat.report.study_page import render_study
from fingreat.report.tables import count_of
from fingreat.runs import sweep, write_atomic

TABLES = TableFolder("a study", (*TABLE_IDS, *APPENDED))
FIGURES = TableFolder("a study", (), FIGURE_IDS)
PANEL = PanelFolder("a study", ())
"""What the folders `tables`, `figures` and `panel` of a study hold."""
MAIN_TABLES = ("volume", "agreement", "noise-floor", "accuracy")
"""What a console shows of them."""


def measure_study(
    material: Material,
    slots: Sequence[Slot],
    inputs: dict[str, str],
    watch: Callable[[str], AbstractContextManager[Watching]],
) -> StudyReport:
    """Measure all there is of a study.

    Args:
        slots: places for models that are still to be named.
        inputs: SHA-256 of what was read, by what it is.
        watch: makes what is told while a part is measured.

    Raises:
        RunError, CorpusError: what the appendices show is damaged.
        StorageError: the disk refused the panel.
    """
    # A panel of runs that are gone would be taken for one of those that are there.
    PANEL.write((), material.out / "panel")
    made = list(make_parts(material, watch))
    lacking = [f"{part.title}: {reason}" for part, reason in made if reason]
    return StudyReport(
        title=material.config.study.title,
        created=datetime.now(UTC),
        graph=material.graph,
        grouping=material.config.study.grouping,
        lead=lead_of(material),
        missing=(*_missing(material, slots), *lacking),
        methods=methods_of(material),
        parts=tuple(part for part, _ in made),
        appendices=tuple(make_appendices(material, slots, inputs)),
    )


def check_results(out: Path) -> None:
    """Refuse a place where tables, figures, panel or page would write over something else.

    Raises:
        InputError: with what is there.
    """
    TABLES.check(out / "tables")
    FIGURES.check(out / "figures")
    PANEL.check(out / "panel")
    for name, what in (("report.html", "page"), (GOLD, "file of gold passages")):
        file = out / name
        if file.is_symlink() or (file.exists() and not file.is_file()):
            raise InputError(f"is no {what} of a study.", where=str(file), hint="Choose another --out.")


def write_results(report: StudyReport, out: Path, comment: Sequence[str] = ()) -> tuple[Path, tuple[str, ...]]:
    """Write tables, figures, and the page last.

    Args:
        comment: lines that stand before each table in LaTeX and Markdown.

    Returns:
        the page, and sentences on forms that could not be made here.

    Raises:
        InputError: as in `check_results`.
        StorageError: the disk refused; every file is whole.
    """
    check_results(out)
    page = out / "report.html"
    sweep(page)
    page.unlink(missing_ok=True)
    told = (
        *TABLES.write(report.tables, out / "tables", comment),
        *FIGURES.write((), out / "figures", figures=report.figures),
    )
    files = {f"{folder}/{path.name}" for folder in ("tables", "figures") for path in (out / folder).glob("*")}
    # Where the page is, the rest is there too.
    write_atomic(page, render_study(report, files).encode("utf-8", "replace"))
    return page, told


def _missing(material: Material, slots: Sequence[Slot]) -> Iterator[str]:
    """What the study lacks so far, in sentences."""
    if material.config.corpus.folder is None:
        for failure in material.corpus.failures():
            if failure.stage == "add":
                yield f"{Path(failure.id).name} is not in the corpus: {failure.reason}"
    for outcome in material.outcomes:
        if outcome.reason:
            yield f"Run {outcome.run.label} is missing: {outcome.reason}"
        elif outcome.manifest is not None and (failed := outcome.manifest.counts.get("failures")):
            requests = count_of(outcome.manifest.counts["requests"], "request")
            yield f"Of run {outcome.run.label}, {failed:,} of {requests} ended without output."
    if slots:
        yield f"{count_of(len(slots), 'slot')} of the study file {'has' if len(slots) == 1 else 'have'} no model yet."
