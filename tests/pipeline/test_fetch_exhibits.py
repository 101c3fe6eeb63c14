"""`fetch --exhibits`: full submissions for the filings that are a main document alone and point elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fetch_builders import as_served, asked, failed, fetched, listed, raw_files, unlimited
from servers.answers import missing, unavailable
from servers.catalogue import LocalFiling
from servers.edgar import LocalEdgar
from servers.invented import invented_company, invented_filing
from servers.reports import closing, opening

from fingreat.errors import CorpusError
from fingreat.pipeline import Corpus
from fingreat.schema import Section, SectionStatus

pytestmark = pytest.mark.usefixtures("unlimited")
__all__ = ["unlimited"]

COMPANY = invented_company(5)
IN_EXHIBIT = invented_filing(COMPANY, 2006, variant="exhibit")
IN_TEXT = invented_filing(invented_company(6), 1998, variant="exhibit")
NOWHERE = invented_filing(invented_company(7), 2006, variant="by_reference")
PLAIN = invented_filing(invented_company(8), 2006)
ALL = (IN_EXHIBIT, IN_TEXT, NOWHERE, PLAIN)


@pytest.fixture(scope="module")
def serving() -> Iterator[LocalEdgar]:
    with LocalEdgar(ALL) as server:
        yield server


@pytest.fixture
def edgar(serving: LocalEdgar) -> LocalEdgar:
    serving.heal()
    serving.log.clear()
    return serving


def main_document(filing: LocalFiling) -> bytes:
    return filing.documents[0].text.encode()


def as_downloaded(folder: Path, filing: LocalFiling) -> Path:
    """The main document where sec-edgar-downloader puts it."""
    path = folder / "sec-edgar-filings" / filing.companies[0].cik / "10-K" / filing.accession
    path.mkdir(parents=True)
    (path / "primary-document.html").write_bytes(main_document(filing))
    return path / "primary-document.html"


def as_named(folder: Path, filing: LocalFiling, ending: str = "htm") -> Path:
    path = folder / f"{filing.accession}.{ending}"
    path.write_bytes(main_document(filing))
    return path


def corpus_of(folder: Path, *paths: Path) -> Corpus:
    """A corpus of local files, in which Item 7 has been looked for."""
    corpus = Corpus(folder / "corpus")
    corpus.add(paths)
    corpus.make_sections("7")
    return corpus


def statuses(corpus: Corpus) -> dict[str, SectionStatus]:
    return {section.filing_id: section.status for section in corpus.sections("7")}


def section_of(corpus: Corpus, filing: LocalFiling) -> Section:
    return next(section for section in corpus.sections("7") if section.filing_id == filing.accession)


@pytest.mark.parametrize("layout", [as_downloaded, as_named])
@pytest.mark.parametrize("filing", [IN_EXHIBIT, IN_TEXT])
def test_the_item_is_found_in_the_exhibit_of_the_full_submission(
    tmp_path: Path, edgar: LocalEdgar, layout: object, filing: LocalFiling
) -> None:
    corpus = corpus_of(tmp_path, layout(tmp_path, filing))  # type: ignore[operator]
    assert statuses(corpus) == {filing.accession: SectionStatus.BY_REFERENCE}
    old = listed(corpus.path)[filing.accession]
    counts = fetched(corpus.path, edgar, exhibits=True)
    assert (counts["asked"], counts["fetched"]) == (1, 1)
    assert asked(edgar, "") == {edgar.path(filing): 1}

    assert corpus.make_sections("7")["found"] == 1
    section = section_of(corpus, filing)
    assert section.status is SectionStatus.FOUND
    assert section.source_document == "EX-13"
    words = " ".join(section.text.split())
    assert opening(filing.companies[0], filing.period) in words
    assert closing(filing.companies[0], filing.period) in words

    new = listed(corpus.path)[filing.accession]
    assert new.path == f"raw/{filing.accession}/{filing.accession}.txt"
    assert (corpus.path / old.path).read_bytes() == main_document(filing)
    assert raw_files(corpus.path).items() >= as_served(filing).items()

    # It is a full submission now, and nothing points elsewhere.
    edgar.log.clear()
    assert fetched(corpus.path, edgar, exhibits=True)["asked"] == 0
    assert edgar.log.count() == 0


def test_a_main_document_that_has_the_place_of_a_full_submission_is_kept_beside_it(
    tmp_path: Path, edgar: LocalEdgar
) -> None:
    corpus = corpus_of(tmp_path, as_named(tmp_path, IN_EXHIBIT, "txt"))
    name = f"{IN_EXHIBIT.accession}/{IN_EXHIBIT.accession}.txt"
    assert raw_files(corpus.path) == {name: main_document(IN_EXHIBIT)}
    # By its number alone, it is there.
    assert fetched(corpus.path, edgar, IN_EXHIBIT.accession)["already_there"] == 1
    assert fetched(corpus.path, edgar, exhibits=True)["fetched"] == 1
    beside = f"{IN_EXHIBIT.accession}/{IN_EXHIBIT.accession}.main.txt"
    assert raw_files(corpus.path) == {**as_served(IN_EXHIBIT), beside: main_document(IN_EXHIBIT)}
    assert corpus.make_sections("7")["found"] == 1


def test_what_was_learnt_of_the_filing_stays(tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus = corpus_of(tmp_path, as_named(tmp_path, IN_EXHIBIT))
    learnt = {"total_assets": 77, "assets_date": IN_EXHIBIT.period, "fiscal_year_end": "12-30"}
    with corpus.held() as held:
        held.filings[IN_EXHIBIT.accession] = held.filings[IN_EXHIBIT.accession].model_copy(update=learnt)
        held.write_list()
    fetched(corpus.path, edgar, exhibits=True)
    record = listed(corpus.path)[IN_EXHIBIT.accession]
    assert (record.total_assets, record.assets_date) == (77, IN_EXHIBIT.period)
    # What the header says itself goes first.
    assert record.fiscal_year_end == f"{COMPANY.fiscal_year_end[:2]}-{COMPANY.fiscal_year_end[2:]}"
    assert (record.sic, record.sic_source, record.cik) == (COMPANY.sic, "header", COMPANY.cik)


def test_the_registrants_present_industry_is_not_replaced_by_the_header_s(tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus = corpus_of(tmp_path, as_named(tmp_path, IN_EXHIBIT))
    present = {"sic": "7372", "sic_source": "submissions", "division": "Services"}
    with corpus.held() as held:
        held.filings[IN_EXHIBIT.accession] = held.filings[IN_EXHIBIT.accession].model_copy(update=present)
        held.write_list()
    fetched(corpus.path, edgar, exhibits=True)
    record = listed(corpus.path)[IN_EXHIBIT.accession]
    assert (record.sic, record.sic_source, record.division) == ("7372", "submissions", "Services")
    assert record.header_sic == COMPANY.sic


def test_a_pointer_to_what_no_exhibit_holds_stays_one_and_is_asked_for_once(tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus = corpus_of(tmp_path, as_named(tmp_path, NOWHERE))
    assert fetched(corpus.path, edgar, exhibits=True)["fetched"] == 1
    assert corpus.make_sections("7")["by_reference"] == 1
    edgar.log.clear()
    assert fetched(corpus.path, edgar, exhibits=True)["asked"] == 0
    assert edgar.log.count() == 0


def test_only_what_points_elsewhere_is_fetched(tmp_path: Path, edgar: LocalEdgar) -> None:
    paths = [as_named(tmp_path, filing) for filing in ALL]
    corpus = corpus_of(tmp_path, *paths)
    counts = fetched(corpus.path, edgar, exhibits=True)
    assert counts["fetched"] == 3
    assert asked(edgar) == {edgar.path(filing): 1 for filing in (IN_EXHIBIT, IN_TEXT, NOWHERE)}
    # The order of the list is that in which they were added.
    assert list(listed(corpus.path)) == [filing.accession for filing in ALL]
    corpus.make_sections("7")
    assert statuses(corpus) == {
        IN_EXHIBIT.accession: SectionStatus.FOUND,
        IN_TEXT.accession: SectionStatus.FOUND,
        NOWHERE.accession: SectionStatus.BY_REFERENCE,
        PLAIN.accession: SectionStatus.FOUND,
    }


def test_with_names_beside_it_each_filing_is_asked_for_once(tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus = corpus_of(tmp_path, as_named(tmp_path, IN_EXHIBIT))
    counts = fetched(corpus.path, edgar, IN_EXHIBIT.accession, PLAIN.accession, exhibits=True)
    assert (counts["asked"], counts["fetched"]) == (2, 2)
    assert asked(edgar) == {edgar.path(IN_EXHIBIT): 1, edgar.path(PLAIN): 1}


@pytest.mark.parametrize("fault", [missing, unavailable])
def test_where_it_cannot_be_had_the_filing_stays_as_it_was(tmp_path: Path, edgar: LocalEdgar, fault: object) -> None:
    corpus = corpus_of(tmp_path, as_named(tmp_path, IN_EXHIBIT))
    before = listed(corpus.path), raw_files(corpus.path)
    edgar.fail(fault, edgar.path(IN_EXHIBIT))  # type: ignore[arg-type]
    assert fetched(corpus.path, edgar, exhibits=True)["failed"] == 1
    assert (listed(corpus.path), raw_files(corpus.path)) == before
    assert set(failed(corpus.path)) == {IN_EXHIBIT.accession}
    edgar.heal()
    assert fetched(corpus.path, edgar, exhibits=True)["fetched"] == 1
    assert not failed(corpus.path)


def test_a_filing_whose_number_is_not_known_is_a_failure_that_says_so(tmp_path: Path, edgar: LocalEdgar) -> None:
    path = tmp_path / "report.htm"
    path.write_bytes(main_document(IN_EXHIBIT))
    corpus = corpus_of(tmp_path, path, as_named(tmp_path, NOWHERE))
    (digest,) = [one for one in listed(corpus.path) if one != NOWHERE.accession]
    counts = fetched(corpus.path, edgar, exhibits=True)
    assert (counts["asked"], counts["fetched"], counts["failed"]) == (2, 1, 1)
    assert failed(corpus.path)[digest].state == "no_accession"
    assert failed(corpus.path)[digest].reason == (
        f"an item points elsewhere, and the accession number of raw/{digest}/report.htm is not known."
    )


def test_every_item_that_was_looked_for_counts(tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus = Corpus(tmp_path / "corpus")
    corpus.add([as_named(tmp_path, IN_EXHIBIT)])
    with pytest.raises(CorpusError, match="corpus sections"):
        fetched(corpus.path, edgar, exhibits=True)
    corpus.make_sections("1")
    (corpus.path / "sections" / "notes.txt").write_text("mine")
    assert fetched(corpus.path, edgar, exhibits=True)["asked"] == 0
    corpus.make_sections("7")
    assert fetched(corpus.path, edgar, exhibits=True)["fetched"] == 1
