"""Samples: the first good filings of the seeded order and no others, and counts that add up."""

from __future__ import annotations

import gzip
import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from pipeline_builders import submission
from sample_builders import (
    GOOD,
    first_good,
    in_order,
    index_of,
    kept_ids,
    list_bytes,
    no_limit,
    other_forms,
    sampled,
    seeded_order,
    year_of_filings,
)
from servers.answers import denied, edited, missing
from servers.catalogue import Company
from servers.edgar import LocalEdgar
from servers.invented import invented_company, invented_filing, invented_filings

from fingreat.errors import CorpusError, InputError
from fingreat.pipeline import Corpus
from fingreat.pipeline.sample import SampleProgress, read_drawn

__all__ = ["no_limit"]
pytestmark = pytest.mark.usefixtures("no_limit")

YEARS = (2003, 2004)
WORLD = {year: year_of_filings(year) for year in (2002, *YEARS, 2005)}
EVERY = {number: one for year in WORLD.values() for number, one in year.items()}
STATES = {"no_item_7": "absent", "by_reference": "by_reference", "unreadable": "unreadable"}
REASONS = {
    "no_item_7": "its item 7 is absent",
    "by_reference": "its item 7 is by reference: The information required by this item is incorporated",
    "unreadable": "holds no document with text",
    "missing": "EDGAR has no such file",
    "denied": "EDGAR has no such file: status 403",
}


@pytest.fixture
def edgar() -> Iterator[LocalEdgar]:
    with LocalEdgar([one for one, _ in EVERY.values()]) as server:
        yield server


@pytest.fixture(scope="module")
def whole(no_limit: None, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The list of a sample that nothing came in the way of."""
    folder = tmp_path_factory.mktemp("whole")
    with LocalEdgar([one for one, _ in EVERY.values()]) as server:
        sampled(folder, server, YEARS)
    return list_bytes(folder)


def test_a_sample_is_the_first_good_filings_of_each_years_order(tmp_path: Path, edgar: LocalEdgar) -> None:
    world = dict(EVERY)
    for number, (fault, what) in zip(
        first_good(world, 2003, 7, 2), ((missing, "missing"), (denied, "denied")), strict=True
    ):
        edgar.fail(fault, edgar.path(world[number][0]))
        world[number] = (world[number][0], what)
    kept = [number for year in YEARS for number in first_good(world, year, 7, 4)]
    counts = sampled(tmp_path, edgar, YEARS)
    assert kept_ids(tmp_path) == kept
    assert len(kept) == counts["kept"] == 8
    log = in_order(read_drawn(tmp_path))
    replaced = [one for one in log if one.outcome == "replaced"]
    for year in YEARS:
        # Nothing beyond the last kept one was drawn, and ranks are places in the order.
        order = seeded_order([one for one, _ in world.values()], year, 7)
        drawn = [one for one in log if one.year == year]
        assert [one.accession for one in drawn] == order[: len(drawn)]
        assert [one.rank for one in drawn] == [*range(1, len(drawn) + 1)]
        assert drawn[-1].outcome == "kept"
    assert {world[one.accession][1] for one in replaced} == set(REASONS)
    for one in replaced:
        assert REASONS[world[one.accession][1]] in (one.reason or ""), one
        assert one.filing is None
    assert all(one.filing and one.reason is None for one in log if one.outcome == "kept")


def test_every_replaced_filing_has_its_reason_in_a_word(tmp_path: Path, edgar: LocalEdgar) -> None:
    lost = first_good(EVERY, 2003, 7, 1)[0]
    edgar.fail(missing, edgar.path(EVERY[lost][0]))
    sampled(tmp_path, edgar, YEARS)
    for one in read_drawn(tmp_path):
        expected = "not_found" if one.accession == lost else STATES.get(EVERY[one.accession][1])
        assert one.state == expected, one


def reasons_of(numbers: Sequence[str]) -> dict[str, int]:
    """What is to be counted of these draws."""
    found = [STATES.get(EVERY[number][1]) for number in numbers]
    return {state: found.count(state) for state in ("absent", "by_reference", "unreadable", "not_found")}


def test_files_of_replaced_filings_stay_and_are_not_in_the_list(tmp_path: Path, edgar: LocalEdgar) -> None:
    sampled(tmp_path, edgar)
    files = {path.name.removesuffix(".txt") for path in (tmp_path / "raw").rglob("*.txt")}
    assert files == {one.accession for one in read_drawn(tmp_path)}
    assert files > set(kept_ids(tmp_path))
    for filing in Corpus(tmp_path).filings():
        assert hashlib.sha256((tmp_path / filing.path).read_bytes()).hexdigest() == filing.sha256


def test_counts_are_those_of_the_order(tmp_path: Path, edgar: LocalEdgar) -> None:
    counts = sampled(tmp_path, edgar, YEARS)
    by_year = Corpus(tmp_path).manifest()["stages"]["sample"]["by_year"]
    for year in YEARS:
        order = seeded_order([one for one, _ in EVERY.values()], year, 7)
        drawn = order.index(first_good(EVERY, year, 7, 4)[-1]) + 1
        assert by_year[str(year)] == {
            "rows": 14,
            "filings": 14,
            "firms": 14,
            "drawn": drawn,
            "kept": 4,
            "replaced": drawn - 4,
            "open": 0,
            "short": 0,
            "reasons": reasons_of(order[:drawn]),
        }
    total = Corpus(tmp_path).manifest()["stages"]["sample"]["reasons"]
    assert total == {state: sum(row["reasons"][state] for row in by_year.values()) for state in total}
    assert sum(total.values()) == counts["replaced"]
    assert counts["replaced"] == sum(row["replaced"] for row in by_year.values()) > 0


def test_a_firm_is_drawn_once_a_year_and_may_be_in_several_years(tmp_path: Path) -> None:
    firms = [invented_company(number) for number in range(1, 5)]
    filings = [
        invented_filing(firm, year, number=number, filed=date(year, 2 + number, 1), paragraphs=1)
        for firm in firms
        for year in YEARS
        for number in (1, 2, 3)
    ]
    with LocalEdgar([*filings, *other_forms(*YEARS)]) as edgar:
        counts = sampled(tmp_path, edgar, YEARS, 4)
    assert counts["kept"] == 8
    assert kept_ids(tmp_path) == [number for year in YEARS for number in seeded_order(filings, year, 7)]
    found = Counter((filing.cik, filing.filed and filing.filed.year) for filing in Corpus(tmp_path).filings())
    assert found == {(firm.cik, year): 1 for firm in firms for year in YEARS}
    row = Corpus(tmp_path).manifest()["stages"]["sample"]["by_year"]["2003"]
    assert (row["rows"], row["filings"], row["firms"]) == (12, 12, 4)


def test_a_filing_of_several_registrants_is_that_of_the_smallest_cik_alone(tmp_path: Path) -> None:
    owner = Company("9900702", "OSTLER PUMP CORP", sic="3561", fiscal_year_end="0930")
    trust = Company("9900701", "TARN FINANCE TRUST I", sic="6189", fiscal_year_end="1231")
    both = replace(invented_filing(owner, 2003, paragraphs=1), companies=(owner, trust))
    alone = invented_filing(invented_company(1), 2003, paragraphs=1)
    with LocalEdgar([both, alone, *other_forms(2003)]) as edgar:
        sampled(tmp_path, edgar, per_year=2)
        assert edgar.log.count(f"/Archives/edgar/data/9900701/{both.accession}.txt") == 1
    filings = {filing.id: filing for filing in Corpus(tmp_path).filings()}
    assert kept_ids(tmp_path) == seeded_order([both, alone], 2003, 7)
    filing = filings[both.accession]
    # The header begins with the other registrant: what it says of that one is not said of this one.
    assert (filing.cik, filing.company) == ("9900701", "TARN FINANCE TRUST I")
    assert (filing.sic, filing.sic_source, filing.header_sic) == (None, None, None)
    assert (filing.division, filing.fiscal_year_end) == (None, None)
    assert (filing.form, filing.filed, filing.period) == ("10-K", both.filed, date(2002, 9, 30))
    assert filings[alone.accession].sic == alone.companies[0].sic
    row = Corpus(tmp_path).manifest()["stages"]["sample"]["by_year"]["2003"]
    assert (row["rows"], row["filings"], row["firms"]) == (3, 2, 2)


def test_forms_of_the_family_are_drawn_and_amendments_on_request_only(tmp_path: Path) -> None:
    forms = ("10-K", "10-K405", "10-KT", "10-K/A", "10-Q", "20-F")
    filings = [
        invented_filing(invented_company(number), 2003, form=form, paragraphs=1) for number, form in enumerate(forms, 1)
    ]
    with LocalEdgar([*filings, *other_forms(2003)]) as edgar:
        assert sampled(tmp_path / "plain", edgar, per_year=6)["short"] == 3
        assert sampled(tmp_path / "amended", edgar, per_year=6, amendments=True)["short"] == 2
        assert sampled(tmp_path / "one", edgar, per_year=1, forms=["10-K405"])["kept"] == 1
    found = {
        name: {filing.form for filing in Corpus(tmp_path / name).filings()} for name in ("plain", "amended", "one")
    }
    assert found == {
        "plain": {"10-K", "10-K405", "10-KT"},
        "amended": {"10-K", "10-K405", "10-KT", "10-K/A"},
        "one": {"10-K405"},
    }


def test_a_year_with_too_few_firms_is_short_and_says_so(tmp_path: Path, edgar: LocalEdgar) -> None:
    notes: list[str] = []
    counts = sampled(tmp_path, edgar, YEARS, 12, progress=SampleProgress(note=notes.append))
    good = {year: sum(what in GOOD for _, what in WORLD[year].values()) for year in YEARS}
    assert good == {2003: 8, 2004: 8}
    assert (counts["kept"], counts["short"], counts["drawn"], counts["open"]) == (16, 8, 28, 0)
    assert notes == [
        f"{year}: 8 of 12 filings; all 14 firms of the year were drawn, 6 had no usable text." for year in YEARS
    ]
    assert Corpus(tmp_path).manifest()["stages"]["sample"]["complete"] is False


def test_another_item_may_decide(tmp_path: Path, edgar: LocalEdgar) -> None:
    # Item 8 is there in all but the picture.
    counts = sampled(tmp_path, edgar, per_year=12, item=" 8 ")
    assert (counts["kept"], counts["replaced"]) == (12, 2)
    assert Corpus(tmp_path).manifest()["stages"]["sample"]["item"] == "8"


@pytest.mark.parametrize("workers", [2, 3])
def test_the_number_of_workers_changes_no_byte(workers: int, tmp_path: Path, edgar: LocalEdgar, whole: bytes) -> None:
    sampled(tmp_path, edgar, YEARS, workers=workers)
    assert list_bytes(tmp_path) == whole


@pytest.mark.parametrize("kind", ["form", "master", "company"])
@pytest.mark.parametrize("packed", [False, True])
def test_any_kind_of_index_file_gives_the_same_sample(
    kind: str, packed: bool, tmp_path: Path, edgar: LocalEdgar, whole: bytes
) -> None:
    paths = []
    for year in YEARS:
        data = index_of([one for one, _ in WORLD[year].values()], kind)
        path = tmp_path / str(year) / (f"{kind}.gz" if packed else f"{kind}.idx")
        path.parent.mkdir()
        path.write_bytes(gzip.compress(data) if packed else data)
        paths.append(path)
    sampled(tmp_path / "corpus", edgar, YEARS, indexes=paths)
    assert list_bytes(tmp_path / "corpus") == whole
    assert not any("index" in seen.path for seen in edgar.log.requests)


def test_the_order_of_an_indexs_rows_changes_no_byte(tmp_path: Path, edgar: LocalEdgar, whole: bytes) -> None:
    def shuffled(packed: bytes) -> bytes:
        head, dashes, rows = gzip.decompress(packed).partition(b"-" * 80 + b"\n")
        lines = rows.splitlines(keepends=True)
        random.Random(1).shuffle(lines)
        return gzip.compress(head + dashes + b"".join(lines))

    edgar.fail(edited(shuffled), lambda path: path.endswith(".gz"))
    sampled(tmp_path, edgar, YEARS)
    assert list_bytes(tmp_path) == whole


def test_another_seed_gives_another_sample(tmp_path: Path, edgar: LocalEdgar, whole: bytes) -> None:
    sampled(tmp_path, edgar, YEARS, seed=8)
    assert kept_ids(tmp_path) == [number for year in YEARS for number in first_good(EVERY, year, 8, 4)]
    assert set(list_bytes(tmp_path).splitlines()) != set(whole.splitlines())


def test_more_years_and_more_filings_a_year_extend_a_sample(tmp_path: Path, edgar: LocalEdgar) -> None:
    sampled(tmp_path / "one", edgar, (2003,), 2)
    first = list_bytes(tmp_path / "one").splitlines()
    sampled(tmp_path / "one", edgar, (2003,), 4)
    assert list_bytes(tmp_path / "one").splitlines()[:2] == first
    sampled(tmp_path / "one", edgar, (2002, 2003, 2005), 5)
    sampled(tmp_path / "one", edgar, (2002, 2003, 2004, 2005), 5)
    sampled(tmp_path / "two", edgar, (2005, 2004, 2003, 2002, 2002), 5)
    assert list_bytes(tmp_path / "one") == list_bytes(tmp_path / "two")
    assert kept_ids(tmp_path / "one") == [n for year in (2002, 2003, 2004, 2005) for n in first_good(EVERY, year, 7, 5)]
    # No file and no finished index came twice.
    twice = [path for path, count in Counter(seen.path for seen in edgar.log.requests).items() if count > 2]
    assert twice == []


def test_a_finished_sample_asks_nothing_and_stays_as_it_is(tmp_path: Path, edgar: LocalEdgar) -> None:
    sampled(tmp_path, edgar, YEARS)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    edgar.log.clear()
    sampled(tmp_path, edgar, YEARS, today=date(2026, 1, 1))
    assert edgar.log.count() == 0
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"per_year": 3}, "holds a sample with per year 4, not 3."),
        ({"seed": 8}, "holds a sample with seed 7, not 8."),
        ({"forms": ["10-K405", "8-K"]}, "holds a sample of other forms: with 10-K, 10KSB, 10-KSB, "),
        ({"forms": ["10-K405", "8-K"]}, " and without 8-K."),
        ({"forms": ["10-K", "8-K"]}, "holds a sample of other forms: without 8-K."),
        ({"amendments": True}, "holds a sample of other forms: without 10-K/A, 10-K405/A, "),
        ({"item": "8"}, "holds a sample with item 7, not 8."),
        ({"years": (2003,)}, "holds a sample with years 2003-2004, not 2003."),
    ],
)
def test_another_sample_does_not_fit_into_the_folder(
    change: dict[str, object], said: str, tmp_path: Path, edgar: LocalEdgar
) -> None:
    sampled(tmp_path, edgar, YEARS)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    edgar.log.clear()
    with pytest.raises(CorpusError) as caught:
        sampled(tmp_path, edgar, **{"years": YEARS, **change})  # type: ignore[arg-type]
    assert said in caught.value.message
    assert caught.value.hint
    assert caught.value.where == str(tmp_path)
    assert edgar.log.count() == 0
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_filings_of_another_source_are_never_mixed_with_a_sample(tmp_path: Path, edgar: LocalEdgar) -> None:
    (tmp_path / "other.txt").write_bytes(submission("0000000005-03-000001"))
    Corpus(tmp_path / "old").add([tmp_path / "other.txt"])
    with pytest.raises(CorpusError, match=r"holds 1 filing that this sample did not draw \(first: 0000000005-03-0"):
        sampled(tmp_path / "old", edgar)
    assert kept_ids(tmp_path / "old") == ["0000000005-03-000001"]
    # Whoever looks into that folder sees no sample.
    assert not (tmp_path / "old" / "sample").exists()
    assert not (tmp_path / "old" / "edgar").exists()
    sampled(tmp_path / "new", edgar)
    with (tmp_path / "new" / "filings.jsonl").open("ab") as file:
        file.write(list_bytes(tmp_path / "old"))
    assert len(kept_ids(tmp_path / "new")) == 5
    with pytest.raises(CorpusError, match=r"holds 1 filing that this sample did not draw"):
        sampled(tmp_path / "new", edgar)
    assert len(kept_ids(tmp_path / "new")) == 5


def test_a_call_that_fails_before_it_draws_changes_no_setting(tmp_path: Path, edgar: LocalEdgar) -> None:
    sampled(tmp_path, edgar, YEARS)
    before = list_bytes(tmp_path)
    with pytest.raises(InputError, match="hold no 10-K of 2012"):
        sampled(tmp_path, edgar, (*YEARS, 2012), 6)
    assert sampled(tmp_path, edgar, YEARS)["kept"] == 8
    assert list_bytes(tmp_path) == before


@pytest.mark.parametrize(
    ("settings", "where"), [({"per_year": 0}, "--per-year"), ({"years": ()}, "--years"), ({"item": "99"}, "--item")]
)
def test_settings_that_make_no_sample_are_refused(
    settings: dict[str, object], where: str, tmp_path: Path, edgar: LocalEdgar
) -> None:
    with pytest.raises(InputError) as caught:
        sampled(tmp_path / "corpus", edgar, **settings)  # type: ignore[arg-type]
    assert caught.value.where == where
    assert not (tmp_path / "corpus").exists()


def test_records_are_those_of_header_and_index(tmp_path: Path) -> None:
    company = invented_company(5)
    plain = invented_filing(company, 2003, paragraphs=1)
    # Nothing but its number and its text: the index says the rest.
    bare = invented_filings(2003, 1, first=8, paragraphs=1)[0]
    header = f"<SEC-HEADER>{bare.accession}.hdr.sgml : 20030101\nACCESSION NUMBER:\t\t{bare.accession}\n</SEC-HEADER>"
    document = f"<DOCUMENT>\n<TYPE>10-K\n<TEXT>\n{bare.documents[0].text}</TEXT>\n</DOCUMENT>"
    raw = f"<SEC-DOCUMENT>{bare.accession}.txt : 20030101\n{header}\n{document}\n</SEC-DOCUMENT>\n".encode()
    with LocalEdgar([plain, replace(bare, raw=raw), *other_forms(2003)]) as edgar:
        sampled(tmp_path, edgar, per_year=2)
    filings = {filing.id: filing for filing in Corpus(tmp_path).filings()}
    one, other = filings[plain.accession], filings[bare.accession]
    assert (one.cik, one.company, one.form, one.filed) == (company.cik, company.name, "10-K", plain.filed)
    assert (one.period, one.fiscal_year, one.fiscal_year_end) == (date(2002, 6, 30), 2002, "06-30")
    assert (one.sic, one.sic_source) == (company.sic, "header")
    assert one.path == f"raw/{plain.accession}/{plain.accession}.txt"
    assert (other.cik, other.form, other.filed) == (bare.companies[0].cik, "10-K", bare.filed)
    assert other.company
