"""A sample of EDGAR's filings: as many per year as asked for, drawn from its indexes in a seeded order.

sample/part-*.jsonl   one Drawn per filing: kept, or why the next one stands in its place
edgar/…               the indexes, as they came
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from typing import Literal

from fingreat.edgar.remote.client import EdgarClient
from fingreat.edgar.remote.families import FormChoice
from fingreat.edgar.remote.index import IndexRow
from fingreat.errors import CorpusError, InputError
from fingreat.pipeline.corpus_folder import CorpusFolder, Holding, failure_of
from fingreat.pipeline.downloads import Downloads, Stored, Wanted, stored_limit
from fingreat.pipeline.draw import draw_order
from fingreat.pipeline.fetch import as_fetched
from fingreat.pipeline.frame import Frame
from fingreat.pipeline.kept import KeptAnswers
from fingreat.pipeline.reading import Examined, examine
from fingreat.pipeline.workers import Lost, in_order
from fingreat.runs import RecordLog, read_records
from fingreat.schema import Failure, Filing
from fingreat.schema.records import Record

STAGE = "sample"


@dataclass(frozen=True)
class SampleSettings:
    """What decides a sample, with the indexes.

    Attributes:
        years: of filing.
        per_year: filings a year.
        forms: see `FormChoice`.
        item: a filing in which it is not found is replaced.
    """

    years: tuple[int, ...]
    per_year: int
    seed: int
    forms: FormChoice = field(default_factory=FormChoice)
    item: str = "7"


class Drawn(Record):
    """A filing that was drawn.

    Attributes:
        rank: its place in the seeded order of its year, from 1.
        outcome: `replaced` filings are not in the corpus; the next of the order stands in their place.
        reason: why it was replaced.
        filing: its record, where it was kept.
    """

    year: int
    rank: int
    accession: str
    cik: str
    company: str
    form: str
    filed: date
    outcome: Literal["kept", "replaced"]
    reason: str | None = None
    filing: Filing | None = None


@dataclass
class SampleProgress:
    """Whom to tell what happens; does nothing by default.

    Attributes:
        draw: called with every draw when it is decided, by rank within a year.
        kept: called for each year with how many filings were kept before.
        open: called with a filing that could not be fetched now, and why: its place is left open.
        note: called with what there is to say about an index.
    """

    draw: Callable[[Drawn], None] = lambda draw: None
    kept: Callable[[int], None] = lambda count: None
    open: Callable[[IndexRow, str], None] = lambda row, reason: None
    note: Callable[[str], None] = lambda text: None


def draw_sample(
    corpus: CorpusFolder,
    client: EdgarClient,
    settings: SampleSettings,
    *,
    indexes: Sequence[Path] = (),
    workers: int | None = 1,
    progress: SampleProgress | None = None,
    today: date | None = None,
) -> dict[str, int]:
    """Draw a sample and make it the corpus: the same seed and the same indexes give the same filings.

    Each year's filings are taken in the order of `draw_order` until there are as many as asked for. One that has no
    such item, cannot be read, or is not on EDGAR although an index lists it is replaced by the next of the order. One
    that could not be fetched this time is not: its place stays open, and the same call tries it again.

    Args:
        indexes: index files at hand; EDGAR's master indexes are fetched where none are given.
        workers: processes that read filings, as in `Corpus.add`.
        today: decides which quarters have begun.

    Returns:
        counts: `asked` (years times `per_year`), which is the sum of `kept`, `open` (to be tried again) and `short`
        (a year has no more filings); `drawn`, which is the sum of `kept` and `replaced`.

    Raises:
        InputError: the settings cannot be met, or an index cannot be read.
        CorpusError: the corpus holds another sample, or filings that are not of this sample.
        RemoteError: an index could not be fetched, or EDGAR refuses everything; what is done stays, and the same call
            goes on from there.
        StorageError: the disk refused.
    """
    if settings.per_year < 1 or not settings.years:
        raise InputError("needs at least one filing of one year.", where="--per-year")
    corpus.section_folder(settings.item)
    with (
        corpus.held() as held,
        closing(KeptAnswers(corpus.path, client)) as kept,
        RecordLog(corpus.path / "sample", Drawn, lambda drawn: drawn.accession) as log,
    ):
        sample = _Sample(
            held, client, kept, log, settings, workers, progress or SampleProgress(), today or date.today()
        )
        return sample.run(indexes)


@dataclass
class _Sample:
    held: Holding
    client: EdgarClient
    kept: KeptAnswers
    log: RecordLog[Drawn]
    settings: SampleSettings
    workers: int | None
    progress: SampleProgress
    today: date
    failures: list[Failure] = field(default_factory=list)
    drawn: dict[str, Drawn] = field(default_factory=dict)
    years: dict[str, dict[str, int]] = field(default_factory=dict)

    def run(self, indexes: Sequence[Path]) -> dict[str, int]:
        self.drawn = {drawn.accession: drawn for drawn in read_drawn(self.held.path)}
        self._check()
        self.held.finish(STAGE, self._settings() | {"complete": False}, [], tried=frozenset())
        frame = Frame(self.held.path, self.kept, self.settings.forms, self.today, self.progress.note)
        if indexes:
            frame.take(indexes, self.settings.years)
        counts: Counter[str] = Counter()
        try:
            for year in self.settings.years:
                counts += self._year(year, frame.rows(year))
        finally:
            self._write_list()
        self.failures += [
            failure_of(STAGE, f"{name}, line {row.line}", "unreadable", f"{row.reason}: {row.text}")
            for name, row in frame.unreadable
        ]
        total = {key: counts[key] for key in ("asked", "kept", "open", "short", "drawn", "replaced")}
        made = {**total, "indexes": frame.digests, "by_year": self.years, "complete": not counts["open"]}
        self.held.finish(STAGE, self._settings() | made, self.failures)
        return total

    def _settings(self) -> dict[str, object]:
        return {
            "years": list(self.settings.years),
            "per_year": self.settings.per_year,
            "seed": self.settings.seed,
            "forms": list(self.settings.forms.exact),
            "item": self.settings.item.strip().upper(),
        }

    def _check(self) -> None:
        """Refuse what would mix two samples."""
        noted = self.held.manifest["stages"].get(STAGE, {}) if self.drawn else {}
        for key, value in self._settings().items():
            before = noted.get(key, value)
            if key == "years":
                fits = set(before) <= set(self.settings.years)
            else:
                fits = before <= value if key == "per_year" else before == value
            if not fits:
                raise CorpusError(
                    f"holds a sample with {key.replace('_', ' ')} {before}, not {value}.",
                    where=str(self.held.path),
                    hint="Draw the other sample into a folder of its own; years may be added, and filings per year.",
                )
        others = self.held.filings.keys() - {drawn.accession for drawn in self.drawn.values() if drawn.filing}
        if others:
            raise CorpusError(
                f"holds {len(others)} filings that this sample did not draw (first: {min(others)}).",
                where=str(self.held.path),
                hint="Draw the sample into a folder of its own.",
            )

    def _year(self, year: int, rows: list[IndexRow]) -> Counter[str]:
        frame = draw_order(rows, year, self.settings.seed)
        if not frame.order:
            raise InputError(
                f"the indexes hold no {' or '.join(self.settings.forms.forms)} of {year}.", where="--years"
            )
        ranks = {row.accession: rank for rank, row in enumerate(frame.order, 1)}
        mine = {drawn.accession: drawn for drawn in self.drawn.values() if drawn.year == year}
        self._check_ranks(year, mine, ranks)
        waiting = [row for row in frame.order if row.accession not in mine]
        before = sum(drawn.filing is not None for drawn in mine.values())
        self.progress.kept(before)
        left = self.settings.per_year - before
        open_places = 0
        # An open place may be filled later; as many as are sure to be needed are drawn meanwhile.
        while (count := left - open_places) > 0 and waiting:
            batch, waiting = waiting[:count], waiting[count:]
            drawn = self._draw(year, batch, ranks)
            left -= sum(one.filing is not None for one in drawn)
            open_places += len(batch) - len(drawn)
            mine |= {one.accession: one for one in drawn}
        kept = sum(one.filing is not None for one in mine.values())
        if left > 0 and not open_places:
            self.progress.note(f"{year}: {kept} of {self.settings.per_year}: no more firms filed one.")
        counts = Counter(
            asked=self.settings.per_year,
            kept=kept,
            open=max(0, left) if open_places else 0,
            short=0 if open_places else max(0, left),
            drawn=len(mine),
            replaced=len(mine) - kept,
        )
        self.years[str(year)] = {
            "rows": frame.rows,
            "filings": frame.accessions,
            "firms": frame.firms,
            **{key: counts[key] for key in ("drawn", "kept", "replaced", "open", "short")},
        }
        return counts

    def _check_ranks(self, year: int, mine: Mapping[str, Drawn], ranks: Mapping[str, int]) -> None:
        for drawn in mine.values():
            if ranks.get(drawn.accession) != drawn.rank:
                raise CorpusError(
                    f"drew {drawn.accession} as number {drawn.rank} of {year}, which the index at hand does not give.",
                    where=str(self.held.path),
                    hint="Use the indexes that it was drawn from, which are in edgar/, or another folder.",
                )

    def _draw(self, year: int, batch: Sequence[IndexRow], ranks: Mapping[str, int]) -> list[Drawn]:
        """Fetch and read filings, and note what becomes of each that could be fetched."""
        path, drawn = self.held.path, []
        wanted = [Wanted(row.accession, row.cik) for row in batch]
        with Downloads(path, self.client, wanted, None) as downloads:
            look = partial(examine_drawn, path, self.settings.item)
            results = in_order(look, downloads, workers=self.workers, limit=partial(stored_limit, path))
            with closing(results):
                for row, stored, examined in zip(batch, downloads, results, strict=True):
                    if stored.state == "not_fetched":
                        self.progress.open(row, stored.reason)
                        self.failures.append(failure_of(STAGE, row.accession, stored.state, stored.reason))
                        continue
                    one = _drawn(year, ranks[row.accession], row, stored, examined)
                    self.log.append(one)
                    self.drawn[one.accession] = one
                    drawn.append(one)
                    self.progress.draw(one)
        return drawn

    def _write_list(self) -> None:
        """The list of the corpus: by year, then by rank, whatever the order in which they were fetched."""
        kept = [drawn for drawn in self.drawn.values() if drawn.filing]
        kept.sort(key=lambda drawn: (drawn.year, drawn.rank))
        old = self.held.filings
        self.held.filings = {
            drawn.accession: old.get(drawn.accession, drawn.filing) for drawn in kept if drawn.filing is not None
        }
        self.held.write_list()


def examine_drawn(corpus: Path, item: str, stored: Stored) -> Examined:
    """Read what was stored completely; a fault, too, where the item's text is not found."""
    return examine(frozenset(), corpus / stored.path, item) if stored.path else Examined()


def read_drawn(corpus: Path) -> list[Drawn]:
    """What was drawn for a corpus, in the order in which it was decided; nothing where it is no sample.

    Raises:
        RunError: a line is damaged; the message names file and line.
    """
    return list(read_records(corpus / "sample", Drawn))


def _drawn(year: int, rank: int, row: IndexRow, stored: Stored, examined: Examined | Lost) -> Drawn:
    reason: str | None = stored.reason or None
    filing = None
    if isinstance(examined, Lost):
        reason = examined.reason
    elif reason is None:
        reason = examined.fault
        filing = examined.filing if reason is None else None
    if filing is not None:
        # A filing of several registrants counts as that of the one it was drawn for, in the year of its index.
        wanted = Wanted(row.accession, row.cik)
        known = {"cik": row.cik, "filed": row.filed, "company": filing.company or row.company}
        filing = as_fetched(filing, wanted).model_copy(update=known)
    return Drawn(
        year=year,
        rank=rank,
        accession=row.accession,
        cik=row.cik,
        company=row.company,
        form=row.form,
        filed=row.filed,
        outcome="kept" if filing else "replaced",
        reason=reason,
        filing=filing,
    )
