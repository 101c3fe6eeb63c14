"""A sample of EDGAR's filings: as many per year as asked for, drawn from its indexes in a seeded order.

sample/part-*.jsonl   one Drawn per filing: kept, or why the next one stands in its place
edgar/…               the indexes, as they came
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from fingreat.edgar.remote.client import EdgarClient
from fingreat.edgar.remote.families import FormChoice
from fingreat.edgar.remote.index import IndexRow
from fingreat.errors import CorpusError, InputError, RemoteError
from fingreat.pipeline.corpus_folder import CorpusFolder, Holding, failure_of
from fingreat.pipeline.downloads import Downloads, Stored, Wanted, is_whole, raw_path, stored_limit
from fingreat.pipeline.draw import draw_order
from fingreat.pipeline.fetch import as_fetched
from fingreat.pipeline.frame import Frame
from fingreat.pipeline.kept import KeptAnswers
from fingreat.pipeline.reading import Examined, examine
from fingreat.pipeline.sample_year import STATES, Drawn, Place, State, YearSample
from fingreat.pipeline.workers import Lost, in_order
from fingreat.pipeline.years import spoken_years
from fingreat.report import count_of
from fingreat.runs import RecordLog, read_records
from fingreat.schema import Failure, Filing, SectionStatus, sha256_hex

STAGE = "sample"
_MOST_ABSENT = 10
"""Filings in a row that an index lists and EDGAR does not have: more likely, something refuses all requests."""
_STATES: dict[SectionStatus, State] = {
    SectionStatus.ABSENT: "absent",
    SectionStatus.BY_REFERENCE: "by_reference",
    SectionStatus.UNREADABLE: "unreadable",
}
_OF_REGISTRANT = ("sic", "sic_source", "header_sic", "division", "fiscal_year_end")
"""What a header says of a registrant, and not of the filing."""
_TOTALS = ("kept", "open", "short", "drawn", "replaced")


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


@dataclass
class SampleProgress:
    """Whom to tell what happens; does nothing by default.

    Attributes:
        framed: called with each year when its indexes are read, before anything is drawn.
        kept: called with how many filings were kept before.
        draw: called with every draw when it is decided.
        open: called with year and accession number of a filing that could not be had now, and why: its place is open.
        note: called with what there is to say of a year: of its indexes, or that it has too few filings.
    """

    framed: Callable[[int], None] = lambda year: None
    kept: Callable[[int], None] = lambda count: None
    draw: Callable[[Drawn], None] = lambda draw: None
    open: Callable[[int, str, str], None] = lambda year, accession, reason: None
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

    All indexes are read before anything is drawn. Each year's filings are taken in the order of `draw_order` until
    there are as many as asked for. One that has no such item, cannot be read, or is not on EDGAR although an index
    lists it is replaced by the next of the order. One that could not be fetched this time, that something refuses, or
    whose reader died is not: its place stays open, and the same call tries it again. Ten in a row that are not there,
    or all, end the call, and none of them is noted. Files of kept filings that are gone or cut are fetched again.

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
    if settings.per_year < 1:
        raise InputError("needs at least one filing a year.", where="--per-year")
    if not settings.years:
        raise InputError("needs at least one year.", where="--years")
    item = corpus.section_folder(settings.item).name
    settings = replace(settings, years=tuple(sorted(set(settings.years))), item=item)
    with corpus.held() as held:
        sample = _Sample(held, client, settings, workers, progress or SampleProgress())
        noted = sample.take_up()
        with closing(KeptAnswers(corpus.path, client)) as kept:
            fixed = frozenset(drawn.year for drawn in sample.drawn.values())
            frame = Frame(corpus.path, kept, settings.forms, today or date.today(), noted, fixed)
            if indexes:
                frame.take(indexes, settings.years)
            return sample.run(frame)


@dataclass
class _Sample:
    held: Holding
    client: EdgarClient
    settings: SampleSettings
    workers: int | None
    progress: SampleProgress
    drawn: dict[str, Drawn] = field(default_factory=dict)
    absent: list[Drawn] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    given: bool = False
    log: RecordLog[Drawn] = field(init=False)

    def take_up(self) -> dict[str, Any]:
        """What was drawn and noted before, if this sample goes on with it; nothing is written where it does not."""
        self.drawn = {drawn.accession: drawn for drawn in read_drawn(self.held.path)}
        self.given = any(drawn.filing for drawn in self.drawn.values())
        noted: dict[str, Any] = self.held.manifest["stages"].get(STAGE, {}) if self.drawn else {}
        self._check(noted)
        return noted

    def run(self, frame: Frame) -> dict[str, int]:
        years = self._years(frame)
        made = self._settings() | frame.as_noted()
        self.held.finish(STAGE, made | {"complete": False}, [], tried=frozenset())
        self.progress.kept(sum(year.kept for year in years))
        try:
            self._restore(years)
            with RecordLog(self.held.path / "sample", Drawn, lambda drawn: drawn.accession) as self.log:
                while due := [(year, place) for year in years for place in year.due()]:
                    self._draw(due)
                self._note_absent()
        finally:
            self._write_list()
        self.failures += [
            failure_of(STAGE, f"{name}, line {row.line}", "unreadable", f"{row.reason}: {row.text}")
            for name, row in frame.unreadable
        ]
        return self._finish(made, years)

    def _settings(self) -> dict[str, Any]:
        return {
            "years": list(self.settings.years),
            "per_year": self.settings.per_year,
            "seed": self.settings.seed,
            "forms": list(self.settings.forms.exact),
            "item": self.settings.item,
        }

    def _check(self, noted: dict[str, Any]) -> None:
        """Refuse what would mix two samples."""
        for key, value in self._settings().items():
            before = noted.get(key, value)
            if key == "years":
                fits = set(before) <= set(self.settings.years)
            else:
                fits = before <= value if key == "per_year" else before == value
            if not fits:
                other = (
                    f"holds a sample with {key.replace('_', ' ')} {_spoken(key, before)}, not {_spoken(key, value)}."
                )
                raise CorpusError(
                    _other_forms(before, value) if key == "forms" else other,
                    where=str(self.held.path),
                    hint="Draw the other sample into a folder of its own; years may be added, and filings per year.",
                )
        others = self.held.filings.keys() - {drawn.accession for drawn in self.drawn.values() if drawn.filing}
        if others:
            raise CorpusError(
                f"holds {count_of(len(others), 'filing')} that this sample did not draw (first: {min(others)}).",
                where=str(self.held.path),
                hint="Draw the sample into a folder of its own.",
            )

    def _years(self, frame: Frame) -> list[YearSample]:
        """The seeded order of every year, with what was drawn of it before."""
        years: list[YearSample] = []
        earlier: set[str] = set()
        for year in self.settings.years:
            # No index has been seen to date one filing into two years; it would stand in the corpus once.
            rows = [row for row in frame.rows(year) if row.accession not in earlier]
            order = draw_order(rows, year, self.settings.seed)
            earlier.update(row.accession for row in order.order)
            drawn = [drawn for drawn in self.drawn.values() if drawn.year == year]
            years.append(YearSample(year, order, self.settings.per_year, drawn))
            misplaced = years[-1].misplaced
            if misplaced:
                raise CorpusError(
                    f"drew {misplaced.accession} as number {misplaced.rank} of {year}, which the indexes at hand do "
                    "not give.",
                    where=str(self.held.path),
                    hint="Use the indexes that it was drawn from, which are in its folder edgar, or another folder.",
                )
            self.progress.framed(year)
            for remark in frame.remarks[year]:
                self.progress.note(f"{year}: {remark}")
        return years

    def _restore(self, years: Sequence[YearSample]) -> None:
        """Fetch the files of kept filings that are gone or cut again."""
        path = self.held.path
        lost = [
            (year, one)
            for year in years
            for one in year.filings
            if not is_whole(path / raw_path(one.accession), one.accession)
        ]
        with Downloads(path, self.client, [Wanted(one.accession, one.cik) for _, one in lost], None) as downloads:
            for (year, one), stored in zip(lost, downloads, strict=True):
                state, reason = stored.state, stored.reason
                if stored.path and one.filing and sha256_hex((path / stored.path).read_bytes()) != one.filing.sha256:
                    state, reason = "changed", "EDGAR's file is not the one that was drawn: its SHA-256 differs."
                if state:
                    year.lose(one)
                    self._leave_open(one.year, one.accession, state, f"its file is gone, and {reason}")

    def _draw(self, due: Sequence[tuple[YearSample, Place]]) -> None:
        """Fetch and read filings, and note what becomes of each that could be fetched."""
        path = self.held.path
        wanted = [Wanted(row.accession, row.cik) for _, (_, row) in due]
        with Downloads(path, self.client, wanted, None) as downloads:
            look = partial(examine_drawn, path, self.settings.item)
            results = in_order(look, downloads, workers=self.workers, limit=partial(stored_limit, path))
            with closing(results):
                for (year, place), stored, examined in zip(due, downloads, results, strict=True):
                    self._decide(year, place, stored, examined)

    def _decide(self, year: YearSample, place: Place, stored: Stored, examined: Examined | Lost) -> None:
        row = place[1]
        if stored.state in ("not_fetched", "refused") or isinstance(examined, Lost):
            # A reader that died may have lacked memory or time, which another machine has.
            state, reason = (
                ("not_read", examined.reason) if isinstance(examined, Lost) else (stored.state, stored.reason)
            )
            year.leave_open()
            self._leave_open(year.year, row.accession, state, reason)
            return
        one = _drawn(year.year, place, stored, examined)
        year.decide(one)
        if stored.path is not None:
            self.given = True
            self._note_absent()
            self._note(one)
            return
        self.absent.append(one)
        if len(self.absent) == _MOST_ABSENT:
            self.given = False
            self._note_absent()

    def _leave_open(self, year: int, accession: str, state: str, reason: str) -> None:
        self.failures.append(failure_of(STAGE, accession, state, reason))
        self.progress.open(year, accession, reason)

    def _note_absent(self) -> None:
        """Those that EDGAR does not have, now that it has been seen to give others."""
        if self.absent and not self.given:
            raise RemoteError(
                f"gave none of {count_of(len(self.absent), 'filing')} in a row that its indexes list. "
                f"{self.absent[-1].reason}",
                where="EDGAR",
                hint="Check whether a proxy or a stand-in for EDGAR refuses requests; the same command goes on.",
            )
        for one in self.absent:
            self._note(one)
        self.absent.clear()

    def _note(self, one: Drawn) -> None:
        self.log.append(one)
        self.drawn[one.accession] = one
        self.progress.draw(one)

    def _write_list(self) -> None:
        """The list of the corpus: by year, then by rank, whatever the order in which they were fetched."""
        kept = [drawn for drawn in self.drawn.values() if drawn.filing]
        kept.sort(key=lambda drawn: (drawn.year, drawn.rank))
        old = self.held.filings
        self.held.filings = {
            drawn.accession: old.get(drawn.accession, drawn.filing) for drawn in kept if drawn.filing is not None
        }
        self.held.write_list()

    def _finish(self, made: dict[str, Any], years: Sequence[YearSample]) -> dict[str, int]:
        asked = self.settings.per_year
        counted = [(year.year, year.counts(), year.reasons()) for year in years]
        for number, counts, _ in counted:
            if counts["short"]:
                self.progress.note(f"{number}: {counts['kept']} of {count_of(asked, 'filing')}; {_all_drawn(counts)}.")
        total = {"asked": asked * len(years)}
        total |= {key: sum(counts[key] for _, counts, _ in counted) for key in _TOTALS}
        made |= {"reasons": {state: sum(reasons[state] for _, _, reasons in counted) for state in STATES}}
        made |= {"by_year": {str(number): {**counts, "reasons": reasons} for number, counts, reasons in counted}}
        self.held.finish(STAGE, made | total | {"complete": total["kept"] == total["asked"]}, self.failures)
        return total


def examine_drawn(corpus: Path, item: str, stored: Stored) -> Examined:
    """Read what was stored completely; a fault, too, where the item's text is not found."""
    return examine(frozenset(), corpus / stored.path, item) if stored.path else Examined()


def read_drawn(corpus: Path) -> list[Drawn]:
    """What was drawn for a corpus, in the order in which it was decided; nothing where it is no sample.

    Raises:
        RunError: a line is damaged; the message names file and line.
    """
    return list(read_records(corpus / "sample", Drawn))


def _drawn(year: int, place: Place, stored: Stored, examined: Examined) -> Drawn:
    rank, row = place
    reason: str | None = stored.reason or None
    state: State | None = "not_found" if reason else None
    filing = None
    if reason is None:
        reason = examined.fault
        filing = examined.filing if reason is None else None
        state = _STATES.get(examined.status) if examined.status else None
    return Drawn(
        year=year,
        rank=rank,
        accession=row.accession,
        cik=row.cik,
        company=row.company,
        form=row.form,
        filed=row.filed,
        outcome="kept" if filing else "replaced",
        state=state,
        reason=reason,
        filing=_as_drawn(filing, row) if filing else None,
    )


def _as_drawn(filing: Filing, row: IndexRow) -> Filing:
    """The record of a filing that stands for one of its registrants, in the year of its index."""
    known = {"cik": row.cik, "filed": row.filed, "company": filing.company or row.company}
    known["form"] = filing.form or row.form
    if filing.cik not in (None, row.cik):
        # Its header begins with another of them, and what it says first holds for that one.
        known |= {"company": row.company, **dict.fromkeys(_OF_REGISTRANT)}
    return as_fetched(filing, Wanted(row.accession, row.cik)).model_copy(update=known)


def _all_drawn(counts: dict[str, int]) -> str:
    """Why a year has too few filings, in words."""
    parts = [f"all {count_of(counts['firms'], 'firm')} of the year were drawn"]
    if counts["firms"] == 1:
        parts = ["the only firm of the year was drawn"]
    if counts["replaced"]:
        parts.append(f"{counts['replaced']} had no usable text")
    if counts["open"]:
        parts.append(f"{counts['open']} could not be fetched yet")
    return ", ".join(parts)


def _spoken(key: str, value: Any) -> str:
    return spoken_years(value) if key == "years" else str(value)


def _other_forms(before: Sequence[str], wanted: Sequence[str]) -> str:
    """How the forms of a sample differ from those that are wanted now: there may be dozens that do not."""
    more = ", ".join(form for form in before if form not in wanted)
    less = ", ".join(form for form in wanted if form not in before)
    parts = [f"with {more}"] * bool(more) + [f"without {less}"] * bool(less)
    return f"holds a sample of other forms: {' and '.join(parts)}."
