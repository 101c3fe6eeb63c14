"""Trees of files are read as they are: sec-edgar-downloader's folders, its doubles and half files; links and pipes."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from pipeline_builders import html, submission
from tree_builders import added, cover, downloaded, failures

from fingreat.errors import InputError
from fingreat.pipeline import Corpus
from fingreat.pipeline.local_files import find_files
from fingreat.schema import SectionStatus

ACCESSION, OTHER = "0000000001-24-000005", "0000000002-24-000006"
FULL = submission(ACCESSION)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return Corpus(tmp_path / "corpus")


def test_a_main_document_beside_its_full_submission_is_its_double_and_no_failure(
    corpus: Corpus, tmp_path: Path
) -> None:
    for accession in (ACCESSION, OTHER):
        downloaded(tmp_path, accession, "full-submission.txt", submission(accession))
        downloaded(tmp_path, accession, "primary-document.html", html())
    tree = tmp_path / "sec-edgar-filings"
    assert corpus.add([tree]) == {"added": 2, "already_there": 0, "doubles": 2, "failed": 0, "passed_over": 0}
    assert [filing.path for filing in corpus.filings()] == [
        f"raw/{ACCESSION}/full-submission.txt",
        f"raw/{OTHER}/full-submission.txt",
    ]
    assert failures(corpus) == []
    # The same when a shell names each file, and on the second time.
    every = sorted(path for path in tree.rglob("*") if path.is_file())
    assert corpus.add(every) == {"added": 0, "already_there": 2, "doubles": 2, "failed": 0, "passed_over": 0}


def test_what_an_earlier_version_listed_as_failed_is_off_the_list_once_it_is_a_double(
    corpus: Corpus, tmp_path: Path
) -> None:
    full = downloaded(tmp_path, ACCESSION, "full-submission.txt", FULL)
    main = downloaded(tmp_path, ACCESSION, "primary-document.html", html())
    assert corpus.add([full])["added"] == 1
    # Alone it is a filing of its own, and the corpus has another of that number.
    assert corpus.add([main])["failed"] == 1
    assert corpus.add([tmp_path / "sec-edgar-filings"])["doubles"] == 1
    assert failures(corpus) == []


@pytest.mark.parametrize("ending", ["html", "htmll", "txt", "html.gz"])
def test_a_main_document_alone_is_the_filing_and_its_folders_say_which(
    ending: str, corpus: Corpus, tmp_path: Path
) -> None:
    """An ending of .html becomes .htmll: `get_to_download` puts html in place of htm."""
    data = gzip.compress(html()) if ending.endswith("gz") else html()
    downloaded(tmp_path, ACCESSION, f"primary-document.{ending}", data, company="0000320193", form="10-KT")
    filing = added(corpus, tmp_path / "sec-edgar-filings")
    assert (filing.id, filing.form, filing.cik) == (ACCESSION, "10-KT", "320193")
    assert filing.filed is None


def test_a_ticker_is_no_cik(corpus: Corpus, tmp_path: Path) -> None:
    downloaded(tmp_path, ACCESSION, "primary-document.html", html(), company="PMP")
    assert added(corpus, tmp_path).cik is None


def test_folders_count_where_a_path_begins_below_them(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = downloaded(tmp_path, ACCESSION, "primary-document.html", html(), company="0000320193")
    monkeypatch.chdir(path.parent)
    filing = added(corpus, Path())
    assert (filing.id, filing.form, filing.cik) == (ACCESSION, "10-K", "320193")


def test_an_amendment_among_the_reports_that_it_amends_is_one(corpus: Corpus, tmp_path: Path) -> None:
    """With `include_amends` the downloader stores them under the form that was asked for."""
    downloaded(tmp_path, ACCESSION, "primary-document.html", cover("FORM 10-K/A"), form="10-K")
    assert added(corpus, tmp_path).form == "10-K/A"


def test_a_folder_s_form_goes_before_what_the_cover_calls_it(corpus: Corpus, tmp_path: Path) -> None:
    # The cover of a 10-K405 says Form 10-K.
    downloaded(tmp_path, ACCESSION, "primary-document.html", cover("FORM 10-K"), form="10-K405")
    assert added(corpus, tmp_path).form == "10-K405"


def test_what_a_filing_says_of_itself_goes_before_its_folders(corpus: Corpus, tmp_path: Path) -> None:
    lines = b"CONFORMED SUBMISSION TYPE:\t10-K405/A\n\tCENTRAL INDEX KEY:\t\t\t0000000777\n"
    data = FULL.replace(b"CONFORMED SUBMISSION TYPE:\t10-K\n", lines)
    downloaded(tmp_path, ACCESSION, "full-submission.txt", data, company="0000320193", form="10-K")
    filing = added(corpus, tmp_path)
    # A filing of several registrants stands in the folders of all of them.
    assert (filing.form, filing.cik) == ("10-K405/A", "777")


def test_older_versions_names_are_known(corpus: Corpus, tmp_path: Path) -> None:
    """Version 4 called the main document filing-details; before it there was one file, <accession>.txt."""
    folder = tmp_path / "sec-edgar-filings" / "PMP" / "10-K" / ACCESSION
    folder.mkdir(parents=True)
    (folder / "full-submission.txt").write_bytes(FULL)
    (folder / "filing-details.html").write_bytes(html())
    oldest = tmp_path / "sec_edgar_filings" / "0000320193" / "10-K"
    oldest.mkdir(parents=True)
    (oldest / f"{OTHER}.txt").write_bytes(submission(OTHER)[:-20])
    counts = corpus.add([tmp_path])
    assert counts == {"added": 1, "already_there": 0, "doubles": 1, "failed": 1, "passed_over": 0}
    assert "it is cut" in failures(corpus)[0].reason


@pytest.mark.parametrize("share", [0.02, 0.3, 0.9, 0.99])
@pytest.mark.parametrize("frame", ["SEC", "IMS", "PEM"])
def test_a_half_download_is_refused_with_the_reason_until_it_is_whole(
    share: float, frame: str, corpus: Corpus, tmp_path: Path
) -> None:
    """Only the last bytes tell: `save_document` writes in place, and a killed one leaves the first part."""
    whole = FULL
    if frame == "PEM":
        begin, end = (f"-----{word} PRIVACY-ENHANCED MESSAGE-----\n".encode() for word in ("BEGIN", "END"))
        whole = begin + FULL + end
    elif frame == "IMS":
        whole = FULL.replace(b"SEC-DOCUMENT", b"IMS-DOCUMENT").replace(b"SEC-HEADER", b"IMS-HEADER")
    path = downloaded(tmp_path, ACCESSION, "full-submission.txt", whole[: int(len(whole) * share)])
    downloaded(tmp_path, ACCESSION, "primary-document.html", html())
    counts = corpus.add([tmp_path / "sec-edgar-filings"])
    assert counts == {"added": 0, "already_there": 0, "doubles": 1, "failed": 1, "passed_over": 0}
    assert corpus.filings() == []
    assert not (corpus.path / "raw").exists()
    [failure] = failures(corpus)
    assert failure.id == str(path)
    if share > 0.1:
        assert failure.reason.startswith("it is cut: it does not end with ")
        assert "download it again" in failure.reason
    path.write_bytes(whole)
    assert added(corpus, tmp_path / "sec-edgar-filings").id == ACCESSION
    assert failures(corpus) == []


def test_a_submission_cut_after_its_last_document_is_cut(corpus: Corpus, tmp_path: Path) -> None:
    downloaded(tmp_path, ACCESSION, "full-submission.txt", FULL.removesuffix(b"</SEC-DOCUMENT>\n"))
    assert corpus.add([tmp_path])["failed"] == 1
    assert failures(corpus)[0].reason.startswith("it is cut: it does not end with </SEC-DOCUMENT>;")


def test_a_half_main_document_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    path = downloaded(tmp_path, ACCESSION, "primary-document.html", html()[:-40])
    assert corpus.add([tmp_path])["failed"] == 1
    assert "it is cut" in failures(corpus)[0].reason
    path.write_bytes(html() + b"\n<!-- made by a program -->\n")
    assert added(corpus, tmp_path).id == ACCESSION


def test_a_cut_copy_of_another_name_is_taken_and_its_section_says_so(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_bytes(FULL[:-60])
    assert added(corpus, tmp_path / "kept.txt").id == ACCESSION
    corpus.make_sections("7")
    [section] = corpus.sections("7")
    assert section.status is SectionStatus.FOUND
    assert any("truncated" in warning for warning in section.warnings)


def test_a_submission_in_the_folder_of_another_is_refused_with_both_numbers(corpus: Corpus, tmp_path: Path) -> None:
    downloaded(tmp_path, OTHER, "full-submission.txt", FULL)
    assert corpus.add([tmp_path])["failed"] == 1
    [failure] = failures(corpus)
    assert ACCESSION in failure.reason
    assert OTHER in failure.reason


def test_a_page_that_refused_the_download_is_named_for_what_it_is(corpus: Corpus, tmp_path: Path) -> None:
    page = b"<html><title>SEC.gov | Request Rate Threshold Exceeded</title><body>later</body></html>"
    downloaded(tmp_path, ACCESSION, "full-submission.txt", page)
    assert corpus.add([tmp_path])["failed"] == 1
    assert "refused the download" in failures(corpus)[0].reason


def test_a_filing_of_two_tickers_is_one(corpus: Corpus, tmp_path: Path) -> None:
    for ticker in ("PMP", "PMP-B"):
        downloaded(tmp_path, ACCESSION, "full-submission.txt", FULL, company=ticker)
    counts = corpus.add([tmp_path])
    assert counts == {"added": 1, "already_there": 1, "doubles": 0, "failed": 0, "passed_over": 0}


def test_a_folder_whose_name_no_form_has_is_none(corpus: Corpus, tmp_path: Path) -> None:
    path = downloaded(tmp_path, ACCESSION, "primary-document.html", html())
    odd = Path(os.fsdecode(os.fsencode(path.parent.parent.parent) + b"/10-\xff"))
    path.parent.parent.rename(odd)
    assert added(corpus, tmp_path).form is None


def test_links_are_followed_once_and_dead_ones_are_named(corpus: Corpus, tmp_path: Path) -> None:
    real, tree = tmp_path / "real", tmp_path / "tree"
    real.mkdir()
    (tree / "own").mkdir(parents=True)
    (real / "a.htm").write_bytes(html(company="A"))
    (tree / "own" / "b.htm").write_bytes(html(company="B"))
    (tree / "linked").symlink_to(real)
    (tree / "own" / "up").symlink_to(tree)
    (tree / "c.htm").symlink_to(real / "a.htm")
    (tree / "gone.htm").symlink_to(tmp_path / "nowhere.htm")
    (tree / "loop.htm").symlink_to(tree / "loop.htm")
    counts = corpus.add([tree, tree / "own", tree])
    assert counts == {"added": 2, "already_there": 1, "doubles": 0, "failed": 2, "passed_over": 0}
    assert [Path(failure.id).name for failure in failures(corpus)] == ["gone.htm", "loop.htm"]


def test_the_name_of_a_link_counts_and_not_that_of_its_target(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "blob").write_bytes(html())
    path = downloaded(tmp_path, ACCESSION, "primary-document.html", b"")
    path.unlink()
    path.symlink_to(tmp_path / "blob")
    assert added(corpus, tmp_path / "sec-edgar-filings").id == ACCESSION


def test_a_pipe_in_a_folder_is_named_and_not_waited_for(corpus: Corpus, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.txt")
    (tmp_path / "b.htm").write_bytes(html())
    assert corpus.add([tmp_path])["failed"] == 1
    assert "pipe" in failures(corpus)[0].reason


def test_a_folder_that_cannot_be_read_is_a_failure_until_it_can(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tmp_path / "tree"
    (tree / "closed").mkdir(parents=True)
    (tree / "closed" / "a.htm").write_bytes(html(company="A"))
    (tree / "b.htm").write_bytes(html(company="B"))
    scandir = os.scandir

    def refused(path: Path) -> object:
        # Whoever runs the tests may be allowed to read everything.
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", refused)
        counts = corpus.add([tree])
        with pytest.raises(InputError, match="closed: The folder cannot be read: Permission denied"):
            corpus.add([tree / "closed"])
    assert counts == {"added": 1, "already_there": 0, "doubles": 0, "failed": 1, "passed_over": 0}
    assert [(Path(one.id).name, one.reason) for one in failures(corpus)] == [
        ("closed", "The folder cannot be read: Permission denied.")
    ]
    assert corpus.add([tree])["added"] == 1
    assert failures(corpus) == []


def test_files_come_in_the_order_of_their_names_and_none_is_looked_at_while_they_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [
        "a.htm",
        "a/b.htm",
        "a/b/c.htm",
        "a-b.htm",
        "B.htm",
        "a.b/z.htm",
        "é.htm",
        *(f"n{n}.txt" for n in range(50)),
    ]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    expected = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    looked_at: list[Path] = []
    stat = Path.stat
    monkeypatch.setattr(Path, "stat", lambda path, **options: (looked_at.append(path), stat(path, **options))[1])
    found = find_files([tmp_path])
    assert [file.path for file in found.files] == expected
    assert not {path for path in looked_at if path.suffix in (".htm", ".txt")}


def test_the_raw_files_of_another_corpus_are_filings_under_their_numbers(corpus: Corpus, tmp_path: Path) -> None:
    first = Corpus(tmp_path / "first")
    (tmp_path / "a.htm").write_bytes(html())
    downloaded(tmp_path, ACCESSION, "full-submission.txt", FULL)
    downloaded(tmp_path, OTHER, "primary-document.html", html(company="B"))
    first.add([tmp_path / "a.htm", tmp_path / "sec-edgar-filings"])
    first.make_sections("7")
    counts = corpus.add([first.path])
    assert (counts["added"], counts["failed"]) == (3, 0)
    assert {(one.id, one.path) for one in corpus.filings()} == {(one.id, one.path) for one in first.filings()}
    # A corpus added to itself is there already.
    assert first.add([first.path])["already_there"] == 3


def test_digits_of_a_digest_are_no_accession_number(corpus: Corpus, tmp_path: Path) -> None:
    folder = tmp_path / ("ab" + "0" * 9 + "1" * 9 + "c" * 44)
    folder.mkdir()
    (folder / "a.htm").write_bytes(html())
    filing = added(corpus, folder)
    assert filing.id == filing.sha256


@pytest.mark.parametrize("name", [f"{ACCESSION}.txt", f"{ACCESSION.replace('-', '')}.htm", f"PMP_{ACCESSION}_10-K.htm"])
def test_a_number_in_any_file_name_is_the_filing_s(name: str, corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(html())
    assert added(corpus, tmp_path / name).id == ACCESSION


def test_a_note_beside_filings_is_no_filing_unless_it_is_named_itself(tmp_path: Path) -> None:
    tree = tmp_path / "sec-edgar-filings" / "QUILL" / "10-K"
    folder = tree / "0009900003-05-000001"
    folder.mkdir(parents=True)
    (folder / "primary-document.html").write_bytes(html())
    notes = b"Downloaded by Jane on Monday for the study of pumps. Ask her before you delete anything.\n" * 20
    for place in (tree, tmp_path):
        (place / "README.txt").write_bytes(notes)
    corpus = Corpus(tmp_path / "corpus")
    counts = corpus.add([tmp_path / "sec-edgar-filings", tmp_path / "README.txt"])
    assert (counts["added"], counts["failed"]) == (2, 1)
    assert [filing.form for filing in corpus.filings()] == ["10-K", None]
    alone = Corpus(tmp_path / "alone")
    assert alone.add([tmp_path / "sec-edgar-filings"])["failed"] == 1
    (failure,) = alone.failures()
    assert failure.reason == "nothing in it says that it is a filing; name the file itself to add it."
    assert [filing.id for filing in alone.filings()] == ["0009900003-05-000001"]
