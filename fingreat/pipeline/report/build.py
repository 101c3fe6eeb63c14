"""Runs → matches → measures → one report: a page with its tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from itertools import chain, combinations, permutations
from pathlib import Path

from fingreat.analysis import FilingBootstrap, PairAgreement, by_filing, measure_tags, score_against_gold
from fingreat.errors import InputError
from fingreat.matching import FilingMatcher
from fingreat.pipeline.agreement import PairMeasure
from fingreat.pipeline.corpus_folder import CorpusFolder
from fingreat.pipeline.report.figures import FIGURES, make_figures
from fingreat.pipeline.report.measured import Measured, MeasuredRun, Names
from fingreat.pipeline.report.scores import run_view
from fingreat.pipeline.report.tables import TABLES, make_tables
from fingreat.pipeline.report.texts import MOST_FILINGS, Texts, read_texts
from fingreat.pipeline.side_by_side import Choice, Compared, Watching, compared, unwatched
from fingreat.report import MatchView, Report, count_of, draw_svg, render_report, table_csv
from fingreat.runs import Manifest, RunFolder, owner_of, read_record_file, readers, write_atomic
from fingreat.runs.files import storage_errors
from fingreat.schema import Extraction, Failure, GoldPassage, Graph, Match
from fingreat.schema.graph import DEFAULT_GROUPING


def build_report(
    runs: Sequence[RunFolder],
    corpus: CorpusFolder | None = None,
    *,
    gold: Sequence[GoldPassage] = (),
    show: Sequence[str] | int = MOST_FILINGS,
    common: bool = False,
    title: str | None = None,
    watch: Watching = unwatched,
) -> Report:
    """Measure finished runs over the same texts: one by one, against each other, and against a gold.

    Args:
        corpus: what the runs read; by default the one that the first manifest names.
        gold: passages that list all evidence of their filings. Filings without any play no part in the scores.
        show: ids of the filings whose texts the page shows, or of how many at most, which are the first in corpus
            order within `texts.MOST_CHARACTERS`.
        common: compare the runs on the filings that all of them read, instead of refusing others.
        watch: told how many steps are done: every two runs in every filing, then every pair of a run and its reference.

    Raises:
        RunError: a run is not complete or is damaged, or another process changes it.
        CorpusError: the corpus cannot be read, or has other texts than the runs read.
        InputError: there is no run, or the runs cannot be compared; `show` or `gold` name a filing that they did not
            read; a gold passage does not stand in its section.
    """
    if not runs:
        raise InputError("there is no run to report on.", hint="Name at least one run folder.")
    with ExitStack() as stack:
        found = stack.enter_context(compared(runs, Choice(common=common)))
        manifests = [run.manifest() for run in runs]
        corpus = corpus or _corpus_of(manifests[0], runs[0])
        stack.enter_context(readers(corpus.path))
        choice = (None, show) if isinstance(show, int) else (show, len(show))
        texts = read_texts(corpus, manifests, (*found.scope.filings, *found.scope.without_text), gold, choice)
        measured = _measured(found, runs, manifests, texts, watch)
    item = str(manifests[0].resolved["item"])
    return _laid_out(measured, texts, title or _title(texts, item), _notes(texts, item))


def _laid_out(measured: Measured, texts: Texts, title: str, notes: tuple[str, ...]) -> Report:
    return Report(
        title=title,
        created=datetime.now(UTC),
        graph=measured.graph,
        filings=texts.shown,
        runs=tuple(run_view(run) for run in measured.runs),
        matches=tuple(MatchView(a=a, b=b, matches=matches) for (a, b), matches in measured.matches.items()),
        tables=make_tables(measured),
        figures=make_figures(measured),
        notes=notes,
        filings_in_all=len(texts.filings),
    )


def write_report(report: Report, out: Path) -> Path:
    """Write `report.html`, `graph.svg`, `tables/<id>.csv` and `figures/<id>.svg` into a folder, the page last.

    Tables and figures that an earlier report left there and this one does not have are removed.

    Returns:
        the page.

    Raises:
        InputError: `out` is a file, a run or a corpus; or the report's parts do not belong together.
        StorageError: the disk refused; every file is whole, and the page is there only if all others are.
    """
    check_folder(out)
    page = out / "report.html"
    counts = [extraction.edge for run in report.runs for extraction in run.extractions]
    files = {
        page: render_report(report),
        out / "graph.svg": draw_svg(
            report.graph, grouping=report.grouping, counts={edge: counts.count(edge) for edge in report.graph.edges}
        ),
        **{out / "tables" / f"{table.id}.csv": table_csv(table) for table in report.tables},
        **{out / "figures" / f"{figure.id}.svg": figure.svg for figure in report.figures},
    }
    ours = [out / "tables" / f"{id_}.csv" for id_ in TABLES] + [out / "figures" / f"{id_}.svg" for id_ in FIGURES]
    with storage_errors(out):
        for path in (page, *(path for path in ours if path not in files)):
            path.unlink(missing_ok=True)
    # The page comes last: where it is, the rest is there too.
    for path, text in reversed(files.items()):
        write_atomic(path, text.encode("utf-8", "replace"))
    return page


def check_folder(out: Path) -> None:
    """Refuse a place where a report would not stand by itself.

    Raises:
        InputError: it is a file, a run or a corpus, or lies in the folder of one; or what would be written over is no
            part of a report.
    """
    hint = "Choose another --out."
    if (out.exists() or out.is_symlink()) and not out.is_dir():
        raise InputError("is a file; a report needs a folder.", where=str(out), hint=hint)
    for path in (out, out / "tables", out / "figures"):
        if any((path / name).exists() for name in ("manifest.json", "filings.jsonl")):
            raise InputError("is a run or a corpus; a report needs a folder of its own.", where=str(path), hint=hint)
    if owner := owner_of(out):
        raise InputError(f"lies in {owner}, which holds a run, a match or a corpus.", where=str(out), hint=hint)
    for path in (out / "report.html", out / "graph.svg", out / "tables", out / "figures"):
        is_folder = path.name in ("tables", "figures")
        if path.is_symlink() or (path.exists() and path.is_dir() != is_folder):
            raise InputError(f"is no {'folder' if is_folder else 'file'} of a report.", where=str(path), hint=hint)


def _measured(
    found: Compared, runs: Sequence[RunFolder], manifests: Sequence[Manifest], texts: Texts, watch: Watching
) -> Measured:
    """Go through the filings once: gather what each run has of them, and match every two runs."""
    extractions: list[list[Extraction]] = [[] for _ in runs]
    pairs = _Pairs(found, len(texts.lengths), watch)
    for filing_id, sides in found.by_filing():
        if filing_id in texts.lengths:
            for gathered, of_run in zip(extractions, sides, strict=True):
                gathered += of_run
            pairs.add(filing_id, sides)
    return Measured(
        graph=found.graph,
        filings=texts.filings,
        lengths=texts.lengths,
        runs=tuple(map(partial(_measure, texts, found.graph), found.names, runs, manifests, extractions)),
        matches=pairs.matches(),
        agreement=pairs.agreement(),
    )


class _Pairs:
    """Every two runs, matched filing by filing; whoever watches is told of each two in each filing, and of each result.

    Args:
        filings: how many will be added.
    """

    def __init__(self, found: Compared, filings: int, watch: Watching) -> None:
        self._names = found.names
        self._watch = watch
        numbers = list(combinations(range(len(found.names)), 2))
        self._measures = {pair: PairMeasure(found.graph, DEFAULT_GROUPING) for pair in numbers}
        self._matches: dict[tuple[int, int], list[Match]] = {pair: [] for pair in numbers}
        self._filings = filings
        self._done = 0

    def add(self, filing_id: str, sides: Sequence[Sequence[Extraction]]) -> None:
        """Match one filing's extractions of every two runs."""
        matcher = FilingMatcher(filing_id, chain.from_iterable(sides))
        for (a, b), measure in self._measures.items():
            self._matches[a, b] += measure.add(matcher, sides[a], sides[b])
            self._step()

    def matches(self) -> dict[Names, tuple[Match, ...]]:
        """The matches of every two runs, one way round."""
        return {(self._names[a], self._names[b]): tuple(found) for (a, b), found in self._matches.items()}

    def agreement(self) -> dict[Names, PairAgreement]:
        """Every ordered pair of a run and its reference, both directions from the same matches."""
        bootstrap = FilingBootstrap(self._filings)
        found: dict[Names, PairAgreement] = {}
        for run, reference in permutations(range(len(self._names)), 2):
            names = self._names[run], self._names[reference]
            measure = self._measures[min(run, reference), max(run, reference)]
            found[names] = measure.agreement(*names, "a" if reference < run else "b", bootstrap)
            self._step()
        return found

    def _step(self) -> None:
        self._done += 1
        # Two directions of every two runs come in the end.
        self._watch(self._done, len(self._measures) * (self._filings + 2))


def _measure(
    texts: Texts, graph: Graph, name: str, run: RunFolder, manifest: Manifest, extractions: Sequence[Extraction]
) -> MeasuredRun:
    """A run by itself and against the gold."""
    failures = tuple(f for _, f in read_record_file(run.failures, Failure) if f.filing_id in texts.lengths)
    score, scores = None, {}
    if texts.gold:
        score = score_against_gold(extractions, texts.gold, graph, texts.lengths)
        ours = by_filing(extractions)
        scores = {
            filing_id: score_against_gold(
                ours.get(filing_id, ()), passages, graph, {filing_id: texts.lengths[filing_id]}
            )
            for filing_id, passages in by_filing(texts.gold).items()
        }
    left = len(manifest.inputs.keys() - texts.ids)
    notes = (
        (
            f"Replies, tokens and seconds are those of the whole run, which read {count_of(left, 'filing')} more than "
            "all runs have in common.",
        )
        if left
        else ()
    )
    return MeasuredRun(name, manifest, tuple(extractions), failures, measure_tags(extractions), score, scores, notes)


def _notes(texts: Texts, item: str) -> tuple[str, ...]:
    notes = []
    if unread := len(texts.ids) - len(texts.filings):
        play = "plays" if unread == 1 else "play"
        notes.append(f"{count_of(unread, 'filing')} without an item {item} to read {play} no part.")
    if left := len(texts.filings) - len(texts.shown):
        whose = "The text of 1 filing is" if left == 1 else f"The texts of {left:,} filings are"
        notes.append(f"{whose} not shown; tables and figures are over all {len(texts.filings):,}.")
    return tuple(notes)


def _title(texts: Texts, item: str) -> str:
    if len(texts.filings) == 1:
        filing = texts.filings[0]
        return f"{filing.company or filing.id}: evidence in Item {item}"
    return f"Evidence in Item {item} of {len(texts.filings):,} filings"


def _corpus_of(manifest: Manifest, run: RunFolder) -> CorpusFolder:
    named = manifest.asked.get("corpus")
    if not named:
        raise InputError("does not say which corpus it read.", where=str(run.path), hint="Name it with --corpus.")
    if not Path(named).is_dir():
        raise InputError(
            f"read the corpus {named}, which is not there.", where=str(run.path), hint="Name it with --corpus."
        )
    return CorpusFolder(Path(named))
