"""Samples from a local EDGAR, and what they must be by the rule that the samples' users cite."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from servers.catalogue import LocalFiling
from servers.edgar import LocalEdgar
from servers.indexes import index_file
from servers.invented import invented_company, invented_filing, invented_filings
from servers.quick import lift_limit

from fingreat.edgar.remote.client import EdgarClient
from fingreat.edgar.remote.families import FormChoice
from fingreat.pipeline import Corpus
from fingreat.pipeline.sample import SampleProgress, SampleSettings, draw_sample, read_drawn
from fingreat.pipeline.sample_year import Drawn

VARIANTS = ("found", "no_item_7", "exhibit", "found", "by_reference", "found", "unreadable")
GOOD = ("found", "exhibit")
TODAY = date(2010, 6, 1)
IDENTITY = "Test Person test@university.example"


@pytest.fixture(scope="module")
def no_limit() -> Iterator[None]:
    """No limit on requests, which has tests of its own, and nothing of this machine's surroundings."""
    with pytest.MonkeyPatch.context() as patch:
        lift_limit(patch)
        yield


def asking(edgar: LocalEdgar, **settings: Any) -> EdgarClient:
    """A client that is quick to give up and to go on."""
    quick = {"pause": 0.2, "tries": 2, "backoff": 0.01, "timeout": 5.0}
    return EdgarClient(IDENTITY, base=edgar.base, **{**quick, **settings})


def year_of_filings(year: int, count: int = 14, *, first: int = 1) -> dict[str, tuple[LocalFiling, str]]:
    """Filings by accession number, each with what its Item 7 is."""
    filings = invented_filings(year, count, first=first, variants=VARIANTS, paragraphs=1)
    return {one.accession: (one, VARIANTS[place % len(VARIANTS)]) for place, one in enumerate(filings)}


def other_forms(*years: int) -> list[LocalFiling]:
    """A report of another form in every quarter, so that there is an index of each."""
    company = invented_company(999)
    return [
        invented_filing(company, year, form="10-Q", number=month, filed=date(year, month, 15))
        for year in years
        for month in (2, 5, 8, 11)
    ]


def seeded_order(filings: Iterable[LocalFiling], year: int, seed: int) -> list[str]:
    """Accession numbers in the order in which they are drawn.

    Rule: a filing counts as that of the smallest CIK; a firm's filing with the smallest SHA-256 of `seed|accession`
    stands for it; firms come in the order of the SHA-256 of `seed|year|cik`.
    """

    def digest(*parts: object) -> int:
        return int(hashlib.sha256("|".join(str(part) for part in parts).encode()).hexdigest(), 16)

    firms: dict[int, list[str]] = {}
    for one in filings:
        if one.filed.year == year:
            firms.setdefault(min(int(company.cik) for company in one.companies), []).append(one.accession)
    chosen = {cik: min(numbers, key=lambda number: digest(seed, number)) for cik, numbers in firms.items()}
    return [chosen[cik] for cik in sorted(chosen, key=lambda cik: digest(seed, year, cik))]


def first_good(filings: dict[str, tuple[LocalFiling, str]], year: int, seed: int, count: int) -> list[str]:
    """The first so many of a year's order in which Item 7 is found."""
    order = seeded_order((one for one, _ in filings.values()), year, seed)
    return [number for number in order if filings[number][1] in GOOD][:count]


def sampled(
    folder: Path,
    edgar: LocalEdgar,
    years: Sequence[int] = (2003,),
    per_year: int = 4,
    *,
    seed: int = 7,
    forms: Sequence[str] = ("10-K",),
    amendments: bool = False,
    item: str = "7",
    indexes: Sequence[Path] = (),
    workers: int = 1,
    progress: SampleProgress | None = None,
    today: date = TODAY,
    whole: bool = True,
    **client: Any,
) -> dict[str, int]:
    """Draw a sample with a client of its own, and check that the counts add up.

    Args:
        whole: no stored file of a filing that was kept is gone.
    """
    settings = SampleSettings(tuple(years), per_year, seed, FormChoice(tuple(forms), amendments), item)
    with asking(edgar, **client) as asker:
        counts = draw_sample(
            Corpus(folder), asker, settings, indexes=indexes, workers=workers, progress=progress, today=today
        )
    if whole:
        assert_adds_up(folder, counts, len(set(years)), per_year)
    return counts


def assert_adds_up(folder: Path, counts: dict[str, int], years: int, per_year: int) -> None:
    """The counts of a call, of its manifest and of its log are the same and complete."""
    keys = ("kept", "open", "short", "drawn", "replaced")
    assert counts["asked"] == years * per_year == counts["kept"] + counts["open"] + counts["short"]
    assert counts["drawn"] == counts["kept"] + counts["replaced"]
    stage = Corpus(folder).manifest()["stages"]["sample"]
    assert {key: stage[key] for key in counts} == counts
    assert len(stage["by_year"]) == years
    for year, row in stage["by_year"].items():
        assert row["kept"] + row["open"] + row["short"] == per_year, year
        assert row["drawn"] == row["kept"] + row["replaced"], year
        assert row["filings"] >= row["firms"] >= row["drawn"], year
    assert {key: sum(row[key] for row in stage["by_year"].values()) for key in keys} == {k: counts[k] for k in keys}
    log = read_drawn(folder)
    assert (len(log), sum(one.filing is not None for one in log)) == (counts["drawn"], counts["kept"])
    assert [filing.id for filing in Corpus(folder).filings()] == [one.accession for one in in_order(log) if one.filing]
    assert stage["complete"] is (counts["open"] == 0 == counts["short"])


def index_of(filings: Iterable[LocalFiling], kind: str) -> bytes:
    """An index of any days, as EDGAR writes it."""
    rows = [(company, one) for one in filings for company in one.companies]
    return index_file(kind, rows, max(one.filed for _, one in rows))


def in_order(log: Iterable[Drawn]) -> list[Drawn]:
    return sorted(log, key=lambda one: (one.year, one.rank))


def kept_ids(folder: Path) -> list[str]:
    return [filing.id for filing in Corpus(folder).filings()]


def list_bytes(folder: Path) -> bytes:
    return (folder / "filings.jsonl").read_bytes()
