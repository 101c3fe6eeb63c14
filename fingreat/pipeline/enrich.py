"""What EDGAR knows of the filings of a corpus beyond their own files: industry, fiscal year's end, total assets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from fingreat.edgar.remote.addresses import accession_of, assets_path, older_page_path, submissions_path
from fingreat.edgar.remote.client import EdgarClient
from fingreat.edgar.remote.facts import (
    Assets,
    CompanyFacts,
    FilingRow,
    completed,
    pages_for,
    read_older_page,
    read_submissions,
    total_assets,
)
from fingreat.errors import BlockedError, RemoteError
from fingreat.pipeline.background import Background
from fingreat.pipeline.corpus_folder import CorpusFolder, failure_of
from fingreat.pipeline.downloads import THREADS
from fingreat.pipeline.kept import KeptAnswers
from fingreat.schema import Failure, Filing

STAGE = "enrich"
_COUNTS = ("filings", "completed", "failed", "without_cik", "companies", "with_sic", "with_division", "with_assets")
KNOWN, NO_PAGE = "known", "EDGAR has no tagged assets of the company"
"""What is noted of a filing's total assets, beside the reasons of `fingreat.edgar.remote.facts`."""


@dataclass(frozen=True)
class _Company:
    """What came of asking for one company: its filings' new records, or why there are none."""

    filings: tuple[Filing, ...]
    assets: Counter[str]
    failure: Failure | None = None


def enrich(
    corpus: CorpusFolder,
    client: EdgarClient,
    *,
    again: bool = False,
    on_company: Callable[[str], None] = lambda cik: None,
    on_total: Callable[[int], None] = lambda count: None,
) -> dict[str, int]:
    """Complete the records of all filings from EDGAR's submissions and company concepts, which the corpus keeps.

    See `fingreat.edgar.remote.facts.completed` for what is filled and what is not.

    Args:
        again: ask anew for what the corpus keeps; companies get new filings, and EDGAR corrects itself.
        on_company: called with the CIK of each company when it is done, in order.
        on_total: called once, with how many companies there are.

    Returns:
        counts: `filings`, which is the sum of `completed`, `failed` (the company could not be asked) and `without_cik`;
        `companies`; `with_sic`, `with_division`, `with_assets` of all filings.

    Raises:
        CorpusError: this is no corpus, or it is damaged.
        BlockedError: EDGAR refuses everything; what was asked stays, and the same call goes on from there.
        StorageError: the disk refused.
    """
    corpus.filings()
    with corpus.held() as held, closing(KeptAnswers(corpus.path, client, again=again)) as kept:
        companies: dict[str, list[Filing]] = {}
        for filing in held.filings.values():
            if filing.cik:
                companies.setdefault(filing.cik, []).append(filing)
        on_total(len(companies))
        failures: list[Failure] = []
        assets: Counter[str] = Counter()
        counts = Counter(filings=len(held.filings), companies=len(companies))
        counts["without_cik"] = sum(not filing.cik for filing in held.filings.values())
        ask = partial(_ask, kept)
        try:
            with Background(ask, list(companies.values()), count=THREADS, give_up=client.close) as answers:
                for filings, company in zip(companies.values(), answers, strict=True):
                    held.filings |= {filing.id: filing for filing in company.filings}
                    assets += company.assets
                    if company.failure:
                        failures.append(company.failure)
                    counts["failed" if company.failure else "completed"] += len(filings)
                    on_company(filings[0].cik or "")
        finally:
            # Whatever ends the loop, what it did until then is kept.
            held.write_list()
        every = held.filings.values()
        counts["with_sic"] = sum(filing.sic is not None for filing in every)
        counts["with_division"] = sum(filing.division is not None for filing in every)
        counts["with_assets"] = sum(filing.total_assets is not None for filing in every)
        total = {key: counts[key] for key in _COUNTS}
        held.finish(STAGE, {**total, "assets": dict(sorted(assets.items()))}, failures)
    return total


def _ask(kept: KeptAnswers, filings: Sequence[Filing]) -> _Company:
    """Ask for one company, of which these are the filings."""
    cik = filings[0].cik or ""
    try:
        data = kept.get(submissions_path(cik), "json")
        if data is None:
            return _failed(cik, "not_found", f"EDGAR knows no company with the CIK {cik}.")
        facts = read_submissions(data)
        concept = kept.get(assets_path(cik), "json")
        made, why = [], Counter[str]()
        for filing in filings:
            row = _row(kept, facts, filing)
            assets = _assets(concept, filing, row)
            why[assets.why or KNOWN] += 1
            made.append(completed(filing, facts, row, assets))
    except BlockedError:
        raise
    except RemoteError as error:
        if error.status is None and not error.retryable:
            # What came is not what EDGAR documents: kept, it would be in the way for good.
            kept.forget(submissions_path(cik), assets_path(cik))
        return _failed(cik, "not_fetched" if error.retryable else "refused", str(error))
    return _Company(tuple(made), why)


def _failed(cik: str, state: str, reason: str) -> _Company:
    return _Company((), Counter(), failure_of(STAGE, cik, state, reason))


def _row(kept: KeptAnswers, facts: CompanyFacts, filing: Filing) -> FilingRow | None:
    """The filing's row in the company's list; older pages are asked for only if the record lacks what is in it."""
    row = next((row for row in facts.rows if row.accession == filing.id), None)
    complete = None not in (filing.filed, filing.period, filing.form)
    if row or complete or accession_of(filing.id) != filing.id:
        return row
    for page in pages_for(facts, filing.filed):
        data = kept.get(older_page_path(page.name), "json")
        found = next((row for row in read_older_page(data) if row.accession == filing.id), None) if data else None
        if found:
            return found
    return None


def _assets(concept: bytes | None, filing: Filing, row: FilingRow | None) -> Assets:
    if concept is None:
        return Assets(None, None, NO_PAGE)
    filed, period = filing.filed or (row.filed if row else None), filing.period or (row.period if row else None)
    return total_assets(concept, filing.id, filed, period, cik=filing.cik)
