"""Filings from EDGAR into a corpus: of companies, by accession number, and what a main document only points to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from fingreat.edgar.remote.addresses import Named, accession_of
from fingreat.edgar.remote.client import EdgarClient
from fingreat.edgar.remote.company import Listed, list_filings
from fingreat.edgar.remote.families import FormChoice
from fingreat.errors import BlockedError, CorpusError, InputError, RemoteError
from fingreat.pipeline.calls import listed
from fingreat.pipeline.corpus_folder import CorpusFolder, Holding, failure_of, sections_command
from fingreat.pipeline.downloads import (
    Downloads,
    Stored,
    Wanted,
    examine_stored,
    is_alone,
    is_submission_file,
    is_whole,
    raw_path,
    state_of,
    stored_limit,
)
from fingreat.pipeline.kept import KeptAnswers
from fingreat.pipeline.locate import Locator
from fingreat.pipeline.reading import DEFAULT_ITEM, Examined
from fingreat.pipeline.workers import Lost, in_order
from fingreat.pipeline.years import FIRST_YEAR, spoken_years, stretches
from fingreat.schema import Failure, Filing, SectionStatus, sha256_hex

STAGE = "fetch"
_LIST_EVERY = 100
"""Filings after which the list of all is written: a killed process leaves few that have to be read again."""


@dataclass
class FetchProgress:
    """Whom to tell what happens; does nothing by default.

    Attributes:
        companies: called once, with how many companies there are to look up.
        company: called with each company before its filings are looked up.
        total: called once, with how many filings there are to fetch.
        filing: called with each filing when it is dealt with, in order.
        failure: called with each filing or company that failed.
    """

    companies: Callable[[int], None] = lambda count: None
    company: Callable[[str], None] = lambda name: None
    total: Callable[[int], None] = lambda count: None
    filing: Callable[[str], None] = lambda accession: None
    failure: Callable[[Failure], None] = lambda failure: None


@dataclass(frozen=True)
class Selection:
    """Which filings are meant.

    Attributes:
        names: accession numbers, and companies by CIK or ticker, of which all filings of these forms and years are
            meant.
        years: of filing; None for all.
        exhibits: also the full submissions of those filings of the corpus that are a main document whose item points
            elsewhere; they take its place, and the next `make_sections` reads them. The file itself stays.
    """

    names: tuple[Named, ...] = ()
    forms: FormChoice = field(default_factory=FormChoice)
    years: Collection[int] | None = None
    exhibits: bool = False


def fetch(
    corpus: CorpusFolder,
    client: EdgarClient,
    selection: Selection,
    *,
    workers: int | None = 1,
    progress: FetchProgress | None = None,
) -> dict[str, int]:
    """Fetch full submissions, with all their exhibits, and add them to the corpus.

    What is in the corpus, or whole in its raw folder, is not asked for again. A filing or a company that fails is
    listed in failures.jsonl with the reason, and the others go on. A filing that came whole and cannot be read stays
    in the raw folder. The manifest notes every selection, with its counts over all calls.

    Args:
        workers: processes that read filings, as in `Corpus.add`.

    Returns:
        counts: `asked` filings, which are the sum of `fetched`, `already_there` and `failed`; `companies`, of which
        `companies_failed` gave no filing; `bytes` of what was fetched.

    Raises:
        InputError: nothing is selected, or exhibits in a corpus of which no item has been looked for.
        CorpusError: the corpus is a sample, and what is named is not of it.
        BlockedError: EDGAR refuses everything; what was fetched stays, and the same call goes on from there.
        StorageError, CorpusError, RunError: as in `Corpus.add`.
    """
    if not selection.names and not selection.exhibits:
        raise InputError(
            "no company and no filing is named.", hint="Use --ticker, --cik, --accession, --from-file or --exhibits."
        )
    if selection.exhibits and not _items(corpus):
        raise CorpusError(
            "has no sections that could point to exhibits.",
            where=str(corpus.path),
            hint="Leave --exhibits out: what is fetched by name comes with its exhibits."
            if selection.names
            else sections_command(corpus.path, DEFAULT_ITEM),
        )
    with corpus.held() as held:
        if any(name.accession not in held.filings for name in selection.names):
            held.check_no_sample("a filing fetched by name is none of it.", "Fetch into a folder of its own.")
        with closing(KeptAnswers(corpus.path, client)) as kept:
            stage = _Fetch(held, client, kept, selection, workers, progress or FetchProgress())
            return stage.run(_pointing(corpus, held) if selection.exhibits else [])


@dataclass
class _Fetch:
    held: Holding
    client: EdgarClient
    kept: KeptAnswers
    selection: Selection
    workers: int | None
    progress: FetchProgress
    failures: list[Failure] = field(default_factory=list)
    tried: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)

    def run(self, pointing: Sequence[Filing]) -> dict[str, int]:
        wanted, again = self._numbered(pointing), {filing.id for filing in pointing}
        self._add_named(wanted)
        missing = [one for one in wanted.values() if one.accession in again or not self._is_there(one.accession)]
        self.counts["asked"] += len(wanted)
        self.counts["already_there"] = len(wanted) - len(missing)
        self.tried |= wanted.keys() - {one.accession for one in missing}
        self.progress.total(len(missing))
        try:
            self._fetch(missing)
        finally:
            # Whatever ends the loop, what it did until then is kept.
            self.held.write_list()
            keys = ("asked", "fetched", "already_there", "failed", "companies", "companies_failed", "bytes")
            counts = {key: self.counts[key] for key in keys}
            self.held.finish_call(STAGE, self._selected(), counts, "fetched", self.failures, self.tried)
        return counts

    def _selected(self) -> dict[str, Any]:
        """What was selected, for the manifest; forms and years only where they choose among a company's filings."""
        names = self.selection.names
        made = listed("names", [*dict.fromkeys(name.accession or _company(name) for name in names)]) if names else {}
        if not all(name.accession for name in names):
            years, forms = self.selection.years, self.selection.forms
            made |= {"forms": list(forms.exact), "amendments": forms.amendments}
            made |= {"years": None if years is None else sorted(years)}
        return {**made, "exhibits": self.selection.exhibits}

    def _numbered(self, pointing: Sequence[Filing]) -> dict[str, Wanted]:
        """Those that EDGAR can be asked for."""
        wanted = {one.id: Wanted(one.id, one.cik) for one in pointing if accession_of(one.id) == one.id}
        for filing in pointing:
            if filing.id not in wanted:
                self.tried.add(filing.id)
                reason = f"an item points elsewhere, and the accession number of {filing.path} is not known."
                self._fail(filing.id, "no_accession", reason)
                self.counts["asked"] += 1
        return wanted

    def _is_there(self, accession: str) -> bool:
        """Whether the corpus has the filing, as a whole full submission or as a main document that was added."""
        filing = self.held.filings.get(accession)
        if filing is None:
            return False
        path = self.held.path / filing.path
        if not is_alone(path):
            return is_whole(path, accession)
        # Where full submissions go, anything may stand in place of one that was cut.
        return Path(filing.path) != raw_path(accession) or sha256_hex(path.read_bytes()) == filing.sha256

    def _add_named(self, wanted: dict[str, Wanted]) -> None:
        """Add the filings that the names mean, each once."""
        companies = {_company(name) for name in self.selection.names if not name.accession}
        self.progress.companies(len(companies))
        self.counts["companies"] = len(companies)
        for name in self.selection.names:
            if name.accession:
                _add(wanted, name.accession, name.cik)
            elif _company(name) in companies:
                companies.remove(_company(name))
                self.progress.company(_company(name))
                for one in self._listed(_company(name)):
                    _add(wanted, one.accession, one.cik)

    def _listed(self, company: str) -> list[Listed]:
        """A company's filings; none where they could not be listed, which is a failure with its reason."""
        self.tried.add(company)
        spans = (
            stretches(self.selection.years) if self.selection.years is not None else [(FIRST_YEAR, date.today().year)]
        )
        found: list[Listed] = []
        state, reason = "no_filings", self._none_found()
        try:
            for first, last in spans:
                days = date(first, 1, 1), date(last, 12, 31)
                found += list_filings(self.client, company, self.selection.forms.exact, *days)
        except BlockedError:
            raise
        except InputError as error:
            found = []
            state, reason = "unknown_company", f"{error.message} {error.hint or ''}".strip()
        except RemoteError as error:
            found = []
            state, reason = state_of(error, "unknown_company"), str(error)
        if not found:
            self._fail(company, state, reason, "companies_failed")
        return found

    def _none_found(self) -> str:
        when = f" filed in {spoken_years(self.selection.years)}" if self.selection.years is not None else ""
        return f"EDGAR lists no {' or '.join(self.selection.forms.forms)}{when} for it."

    def _fetch(self, missing: Sequence[Wanted]) -> None:
        locator = Locator(self.kept, (one.accession for one in missing))
        path = self.held.path
        with Downloads(path, self.client, missing, locator.locate) as downloads:
            results = in_order(
                partial(examine_stored, path), downloads, workers=self.workers, limit=partial(stored_limit, path)
            )
            with closing(results):
                for number, (wanted, stored, examined) in enumerate(zip(missing, downloads, results, strict=True), 1):
                    self._take(wanted, stored, examined)
                    self.progress.filing(wanted.accession)
                    if number % _LIST_EVERY == 0:
                        self.held.write_list()

    def _take(self, wanted: Wanted, stored: Stored, examined: Examined | Lost) -> None:
        self.tried.add(wanted.accession)
        self.counts["bytes"] += stored.size if stored.asked else 0
        state, reason = stored.state, stored.reason
        if stored.path is not None:
            state, reason = "unreadable", examined.reason if isinstance(examined, Lost) else examined.fault or ""
        if reason or isinstance(examined, Lost) or examined.filing is None:
            self._fail(wanted.accession, state, reason)
            return
        filing = as_fetched(examined.filing, wanted)
        old = self.held.filings.get(wanted.accession)
        if old is not None and old.sha256 == filing.sha256:
            # Its file was gone; what is known of the filing is at least what the file says.
            filing = old.model_copy(update={"path": filing.path})
        elif old is not None:
            # In place of its main document alone: what was learnt about the filing stays.
            present = ("sic", "sic_source", "division") if old.sic_source == "submissions" else ()
            known = {key: value for key, value in old if value is not None and getattr(filing, key) is None}
            known |= {key: getattr(old, key) for key in present}
            filing = filing.model_copy(update=known)
        self.held.filings[wanted.accession] = filing
        self.counts["fetched" if stored.asked else "already_there"] += 1

    def _fail(self, name: str, state: str, reason: str, count: str = "failed") -> None:
        self.failures.append(failure_of(STAGE, name, state, reason))
        self.counts[count] += 1
        self.progress.failure(self.failures[-1])


def as_fetched(filing: Filing, wanted: Wanted) -> Filing:
    """The record of a filing that stands where downloads go, under the number that it was asked for by."""
    return filing.model_copy(
        update={"id": wanted.accession, "cik": filing.cik or wanted.cik, "path": str(raw_path(wanted.accession))}
    )


def _company(name: Named) -> str:
    return name.cik or name.ticker or ""


def _add(wanted: dict[str, Wanted], accession: str, cik: str | None) -> None:
    if accession not in wanted or wanted[accession].cik is None:
        wanted[accession] = Wanted(accession, cik)


def _items(corpus: CorpusFolder) -> list[str]:
    """The items that have been looked for."""
    return sorted({part.parent.name for part in (corpus.path / "sections").glob("*/part-*.jsonl")})


def _pointing(corpus: CorpusFolder, held: Holding) -> list[Filing]:
    """The filings that are a main document alone, and of which an item points to a text that is not there."""
    pointing = {
        section.filing_id
        for item in _items(corpus)
        for section in corpus.sections(item)
        if section.status is SectionStatus.BY_REFERENCE
    }
    return [
        filing
        for filing in held.filings.values()
        if filing.id in pointing and not is_submission_file(held.path / filing.path)
    ]
