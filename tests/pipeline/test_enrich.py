"""What EDGAR knows of a corpus's filings comes into their records, unchanged by how often and how it is asked."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pipeline_builders import CONFIG, Counting, corpus_of, html
from sample_builders import asking, list_bytes, no_limit, other_forms, sampled
from servers.answers import Fault, delayed, edited, reset, threshold, unavailable
from servers.catalogue import Company, Fact, FormerName, LocalFiling
from servers.edgar import LocalEdgar
from servers.invented import invented_company, invented_filing, invented_filings
from servers.submission import full_submission

from fingreat.errors import BlockedError, CorpusError, RunError
from fingreat.pipeline import Corpus, extract
from fingreat.pipeline.enrich import enrich
from fingreat.pipeline.kept import Answer
from fingreat.runs import read_records
from fingreat.schema import Filing

__all__ = ["no_limit"]
pytestmark = pytest.mark.usefixtures("no_limit")

PUMPS_THEN = Company("9900601", "OSTLER & SONS INC", sic="3561", fiscal_year_end="0630")
PUMPS = replace(
    PUMPS_THEN,
    name="OSTLER SOFTWARE CORP",
    sic="7372",
    sic_title="PREPACKAGED SOFTWARE",
    fiscal_year_end="0930",
    former_names=(
        FormerName("OSTLER & SONS INC", date(1995, 1, 2), date(1999, 5, 6)),
        FormerName("OSTLER PUMP CORP", date(1999, 9, 1), date(2004, 1, 31)),
    ),
)
TRUST = Company("9900602", "TARN FINANCE TRUST I", sic="", fiscal_year_end="")
MAPLE = Company("9900603", "MAPLE HOIST LTD", sic="3530", fiscal_year_end="1231")
SHELL = Company("9900604", "EMPTY SHELL INC", sic="6770", fiscal_year_end="0228")


def report(company: Company, year: int, period: date, *facts: Fact, form: str = "10-K") -> LocalFiling:
    made = invented_filing(company, year, form=form, filed=date(year, 3, 15), paragraphs=1)
    return replace(made, period=period, facts=facts)


THEN = report(PUMPS_THEN, 1998, date(1997, 6, 30), form="10-K405")
MIDDLE = report(replace(PUMPS_THEN, name="OSTLER PUMP CORP"), 2002, date(2001, 9, 30))
TAGGED = report(
    PUMPS, 2011, date(2010, 9, 30), Fact(date(2009, 9, 30), 700), Fact(date(2010, 9, 30), 900, frame="CY2010Q3I")
)
LATER = report(PUMPS, 2012, date(2011, 9, 30), Fact(date(2010, 9, 30), 901), Fact(date(2011, 9, 30), 1_250_000_000_000))
LATEST = report(PUMPS, 2013, date(2012, 9, 30), Fact(date(2011, 9, 30), 1_250_000_000_000))
NOTHING = report(TRUST, 2012, date(2011, 12, 31))
DOLLARS = report(MAPLE, 2012, date(2011, 12, 31), Fact(date(2011, 12, 31), 44, unit="CAD"))
ZERO = report(SHELL, 2012, date(2012, 2, 29), Fact(date(2012, 2, 29), 0))
WORLD = [THEN, MIDDLE, TAGGED, LATER, LATEST, NOTHING, DOLLARS, ZERO]


@pytest.fixture
def edgar() -> Iterator[LocalEdgar]:
    with LocalEdgar(WORLD, page_size=3) as server:
        yield server


def corpus_from(folder: Path, *filings: LocalFiling, **others: bytes) -> Corpus:
    """A corpus of these submissions, and of other files by their name."""
    raw = {one.accession: full_submission(one) for one in filings}
    return corpus_of(folder, **(raw | others))


def enriched(corpus: Corpus, edgar: LocalEdgar, *, again: bool = False, **client: Any) -> dict[str, int]:
    """Enrich with a client of its own, and check that the counts add up."""
    with asking(edgar, **client) as asker:
        counts = enrich(corpus, asker, again=again)
    filings = corpus.filings()
    assert counts["filings"] == len(filings) == counts["completed"] + counts["failed"] + counts["without_cik"]
    assert counts["companies"] == len({filing.cik for filing in filings} - {None})
    assert counts["with_sic"] == sum(filing.sic is not None for filing in filings)
    assert counts["with_division"] == sum(filing.division is not None for filing in filings)
    assert counts["with_assets"] == sum(filing.total_assets is not None for filing in filings)
    stage = corpus.manifest()["stages"]["enrich"]
    assert {key: stage[key] for key in counts} == counts
    assert sum(stage["assets"].values()) == counts["completed"]
    return counts


def listed(corpus: Corpus) -> dict[str, Filing]:
    return {filing.id: filing for filing in corpus.filings()}


def asked(edgar: LocalEdgar) -> Counter[str]:
    return Counter(seen.path for seen in edgar.log.requests)


def submissions(company: Company) -> str:
    return f"/submissions/CIK{company.padded}.json"


def concept(company: Company) -> str:
    return f"/api/xbrl/companyconcept/CIK{company.padded}/us-gaap/Assets.json"


def test_industry_is_the_present_one_and_says_so(tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus = corpus_from(tmp_path, THEN, NOTHING, DOLLARS)
    before = listed(corpus)
    assert (before[THEN.accession].sic, before[THEN.accession].sic_source) == ("3561", "header")
    enriched(corpus, edgar)
    after = listed(corpus)
    then, nothing, dollars = after[THEN.accession], after[NOTHING.accession], after[DOLLARS.accession]
    assert (then.sic, then.sic_source, then.division) == ("7372", "submissions", "Services")
    # That of the filing's day stays beside it.
    assert then.header_sic == "3561"
    assert (nothing.sic, nothing.sic_source, nothing.division) == (None, None, None)
    assert (dollars.sic, dollars.sic_source, dollars.division) == ("3530", "submissions", "Manufacturing")
    # The year's end is that of the filing's day where its header has one.
    assert (then.fiscal_year_end, nothing.fiscal_year_end) == ("06-30", None)
    assert (then.company, then.form, then.filed) == ("OSTLER & SONS INC", "10-K405", date(1998, 3, 15))


def test_total_assets_are_those_of_the_filings_own_balance_sheet(tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus = corpus_from(tmp_path, *WORLD)
    counts = enriched(corpus, edgar)
    found = {number: (one.total_assets, one.assets_date) for number, one in listed(corpus).items()}
    assert found == {
        THEN.accession: (None, None),
        MIDDLE.accession: (None, None),
        # The next year's report gives 901 for the same day: that is another filing's.
        TAGGED.accession: (900, date(2010, 9, 30)),
        LATER.accession: (1_250_000_000_000, date(2011, 9, 30)),
        # It tags the year before alone.
        LATEST.accession: (None, None),
        NOTHING.accession: (None, None),
        DOLLARS.accession: (None, None),
        ZERO.accession: (0, date(2012, 2, 29)),
    }
    assert counts["with_assets"] == 3
    assert corpus.manifest()["stages"]["enrich"]["assets"] == {
        "EDGAR has no tagged assets of the company": 1,
        "known": 3,
        "no facts of this filing": 2,
        "only an earlier balance sheet": 1,
        "other currency: CAD": 1,
    }


def test_a_filing_that_says_nothing_of_itself_is_completed_from_older_pages(tmp_path: Path, edgar: LocalEdgar) -> None:
    # The newest three of the company's five filings are on its first page.
    cik = '<ix:nonNumeric name="dei:EntityCentralIndexKey" contextRef="c">0009900601</ix:nonNumeric>'
    bare = html().replace(b"<body>", f"<body><div>{cik}</div>".encode())
    assert b"9900601" in bare
    for one in (THEN, MIDDLE):
        (tmp_path / one.accession).mkdir()
        (tmp_path / one.accession / "main.htm").write_bytes(bare + one.accession.encode())
    corpus = Corpus(tmp_path / "corpus")
    assert corpus.add([tmp_path / one.accession for one in (THEN, MIDDLE)])["added"] == 2
    nothing = {filing.id: (filing.company, filing.form, filing.filed, filing.period) for filing in corpus.filings()}
    assert nothing == {one.accession: (None, None, None, None) for one in (THEN, MIDDLE)}
    enriched(corpus, edgar)
    then, middle = (listed(corpus)[one.accession] for one in (THEN, MIDDLE))
    assert (then.form, then.filed, then.period) == ("10-K405", date(1998, 3, 15), date(1997, 6, 30))
    assert (then.company, then.fiscal_year, then.fiscal_year_end) == ("OSTLER & SONS INC", 1997, "09-30")
    assert (middle.company, middle.form, middle.filed) == ("OSTLER PUMP CORP", "10-K", date(2002, 3, 15))
    assert asked(edgar) == {
        submissions(PUMPS): 1,
        concept(PUMPS): 1,
        f"/submissions/CIK{PUMPS.padded}-submissions-001.json": 1,
    }


def test_older_pages_are_asked_for_only_where_they_can_say_something(tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus = corpus_from(tmp_path, THEN)
    enriched(corpus, edgar)
    assert asked(edgar) == {submissions(PUMPS): 1, concept(PUMPS): 1}


def test_doing_it_twice_asks_nothing_and_changes_no_byte(tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus = corpus_from(tmp_path, *WORLD)
    counts = enriched(corpus, edgar)
    assert max(asked(edgar).values()) == 1
    before = {path: path.read_bytes() for path in corpus.path.rglob("*") if path.is_file()}
    edgar.log.clear()
    assert enriched(corpus, edgar) == counts
    assert edgar.log.count() == 0
    assert {path: path.read_bytes() for path in corpus.path.rglob("*") if path.is_file()} == before


def test_again_asks_anew_for_everything_once(tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus = corpus_from(tmp_path, *WORLD)
    enriched(corpus, edgar)
    first = asked(edgar)
    # EDGAR has corrected a fact, taken one back, and the company has another industry.
    edgar.add(
        [
            replace(TAGGED, facts=(Fact(date(2010, 9, 30), 905),)),
            replace(LATER, facts=()),
            replace(LATEST, companies=(replace(PUMPS, sic="6770"),)),
        ]
    )
    edgar.log.clear()
    enriched(corpus, edgar)
    assert edgar.log.count() == 0
    assert listed(corpus)[TAGGED.accession].total_assets == 900
    enriched(corpus, edgar, again=True)
    assert asked(edgar) == first
    after = listed(corpus)
    assert (after[TAGGED.accession].total_assets, after[LATER.accession].total_assets) == (905, None)
    assert {after[one.accession].sic for one in (THEN, MIDDLE, TAGGED, LATER)} == {"6770"}


def test_answers_are_kept_as_they_came(tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus = corpus_from(tmp_path, TAGGED, NOTHING)
    served: dict[str, bytes] = {}
    edgar.fail(edited(lambda body: served.setdefault(str(len(served)), body)))
    enriched(corpus, edgar)
    kept = {path.read_bytes() for path in (corpus.path / "edgar").rglob("*.json")}
    # Three bodies and the page that says 404, which is no answer to keep.
    assert len(kept) == 3
    assert kept <= set(served.values())
    assert len(served) == 4


def test_a_company_that_edgar_does_not_know_is_a_failure_and_the_others_go_on(
    tmp_path: Path, edgar: LocalEdgar
) -> None:
    stranger = invented_filing(invented_company(77), 2012, paragraphs=1)
    corpus = corpus_from(tmp_path, stranger, TAGGED)
    counts = enriched(corpus, edgar)
    assert (counts["completed"], counts["failed"]) == (1, 1)
    (failure,) = corpus.failures()
    assert (failure.stage, failure.id, failure.state) == ("enrich", "9900077", "not_found")
    assert failure.reason == "EDGAR knows no company with the CIK 9900077."
    assert listed(corpus)[TAGGED.accession].total_assets == 900
    assert listed(corpus)[stranger.accession].sic_source == "header"
    # When it is known, --again finds it, and the failure is gone.
    edgar.add([stranger])
    assert enriched(corpus, edgar, again=True)["failed"] == 0
    assert corpus.failures() == []


def test_filings_without_cik_are_counted_and_left_as_they_are(tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus = corpus_from(tmp_path, TAGGED, nobody=html(company="NOBODY INC"))
    before = next(filing for filing in corpus.filings() if filing.cik is None)
    counts = enriched(corpus, edgar)
    assert (counts["without_cik"], counts["completed"]) == (1, 1)
    assert listed(corpus)[before.id] == before


@pytest.mark.parametrize("fault", [unavailable, reset(), reset(0.5)], ids=["503", "reset", "broken"])
@pytest.mark.parametrize("path", [submissions(PUMPS), concept(PUMPS)], ids=["submissions", "concept"])
def test_a_company_that_cannot_be_asked_for_the_moment_is_asked_the_next_time(
    fault: Fault, path: str, tmp_path: Path, edgar: LocalEdgar
) -> None:
    corpus, whole = corpus_from(tmp_path / "one", *WORLD), corpus_from(tmp_path / "two", *WORLD)
    enriched(whole, edgar)
    before = listed(corpus)
    edgar.fail(fault, path)
    edgar.log.clear()
    counts = enriched(corpus, edgar)
    assert (counts["failed"], counts["completed"]) == (5, 3)
    (failure,) = corpus.failures()
    assert (failure.id, failure.state) == (PUMPS.cik, "not_fetched")
    for one in (THEN, MIDDLE, TAGGED, LATER, LATEST):
        # All of its filings or none of them.
        assert listed(corpus)[one.accession] == before[one.accession]
    edgar.heal()
    edgar.log.clear()
    assert enriched(corpus, edgar)["failed"] == 0
    assert list_bytes(corpus.path) == list_bytes(whole.path)
    assert corpus.failures() == []
    assert asked(edgar).keys() <= {submissions(PUMPS), concept(PUMPS)}
    assert path in asked(edgar)


@pytest.mark.parametrize("what", ["[]", "{}", '{"cik": 5}', "null"])
def test_json_of_another_shape_is_a_failure_of_that_company(what: str, tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus = corpus_from(tmp_path, TAGGED, ZERO)
    edgar.put(submissions(PUMPS), what.encode())
    counts = enriched(corpus, edgar)
    assert (counts["failed"], counts["completed"]) == (1, 1)
    (failure,) = corpus.failures()
    assert failure.id == PUMPS.cik
    assert "not what EDGAR documents" in failure.reason


def test_facts_of_another_company_are_refused(tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus = corpus_from(tmp_path, TAGGED)
    edgar.fail(edited(lambda body: body.replace(b'"0009900601"', b'"0009900604"', 1)), submissions(PUMPS))
    assert enriched(corpus, edgar)["failed"] == 1
    assert "EDGAR's facts are those of company 9900604, not 9900601" in corpus.failures()[0].reason


def test_a_block_ends_the_call_and_the_next_one_goes_on(tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus, whole = corpus_from(tmp_path / "one", *WORLD), corpus_from(tmp_path / "two", *WORLD)
    enriched(whole, edgar)
    edgar.fail(threshold, spare=4)
    edgar.log.clear()
    with pytest.raises(BlockedError):
        enriched(corpus, edgar, pause=0.05)
    had = {seen.path for seen in edgar.log.requests if seen.status in (200, 404)}
    assert len(had) == 4
    edgar.heal()
    edgar.log.clear()
    enriched(corpus, edgar)
    assert had.isdisjoint(asked(edgar))
    assert list_bytes(corpus.path) == list_bytes(whole.path)


@pytest.mark.parametrize("after", [1, 2, 3])
def test_an_interrupt_keeps_what_is_done_and_the_next_call_goes_on(
    after: int, tmp_path: Path, edgar: LocalEdgar
) -> None:
    corpus, whole = corpus_from(tmp_path / "one", *WORLD), corpus_from(tmp_path / "two", *WORLD)
    enriched(whole, edgar)
    edgar.log.clear()
    done: list[str] = []

    def stop(cik: str) -> None:
        done.append(cik)
        if len(done) == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), asking(edgar) as client:
        enrich(corpus, client, on_company=stop)
    ready, found = listed(whole), listed(corpus)
    assert all(found[number] == one for number, one in ready.items() if one.cik in done)
    assert "enrich" not in corpus.manifest()["stages"]
    enriched(corpus, edgar)
    assert list_bytes(corpus.path) == list_bytes(whole.path)
    assert sum(count - 1 for count in asked(edgar).values()) <= 4


def test_an_interrupt_does_not_wait_for_a_slow_answer(tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus = corpus_from(tmp_path, ZERO, TAGGED)
    edgar.fail(delayed(30), lambda path: SHELL.padded in path)

    def stop(cik: str) -> None:
        raise KeyboardInterrupt

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt), asking(edgar, timeout=60) as client:
        enrich(corpus, client, on_company=stop)
    assert time.monotonic() - started < 10
    assert listed(corpus)[TAGGED.accession].total_assets == 900


def test_companies_are_told_in_order_with_their_number(tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus = corpus_from(tmp_path, *WORLD)
    told: list[str] = []
    totals: list[int] = []
    edgar.fail(delayed(0.3), lambda path: PUMPS.padded in path)
    with asking(edgar) as client:
        enrich(corpus, client, on_company=told.append, on_total=totals.append)
    assert (told, totals) == ([PUMPS.cik, TRUST.cik, MAPLE.cik, SHELL.cik], [4])


def test_the_corpus_is_one_process_alone_meanwhile(tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus = corpus_from(tmp_path, *WORLD)
    edgar.fail(delayed(0.5))
    thread = threading.Thread(target=enriched, args=(corpus, edgar))
    thread.start()
    assert edgar.log.wait_for(1)
    with pytest.raises(RunError, match="another process is working here"):
        enriched(corpus, edgar)
    thread.join()
    enriched(corpus, edgar)


def test_no_corpus_is_said(tmp_path: Path, edgar: LocalEdgar) -> None:
    with pytest.raises(CorpusError, match="is no corpus folder"):
        enriched(Corpus(tmp_path / "none"), edgar)
    assert not (tmp_path / "none").exists()


def test_a_filing_of_several_registrants_is_completed_for_its_own(tmp_path: Path) -> None:
    both = replace(TAGGED, companies=(PUMPS, replace(TRUST, cik="9900599", sic="6189", fiscal_year_end="0331")))
    with LocalEdgar([both, *other_forms(2011)]) as edgar:
        sampled(tmp_path, edgar, (2011,), 1, today=date(2012, 6, 1))
        corpus = Corpus(tmp_path)
        enriched(corpus, edgar)
        assert submissions(PUMPS) not in asked(edgar)
    (filing,) = corpus.filings()
    assert (filing.cik, filing.company, filing.sic, filing.sic_source) == (
        "9900599",
        "TARN FINANCE TRUST I",
        "6189",
        "submissions",
    )
    assert (filing.fiscal_year_end, filing.total_assets) == ("03-31", 900)


def test_a_sample_stays_enriched_when_it_grows(tmp_path: Path) -> None:
    filings = [*invented_filings(2012, 8, paragraphs=1), *other_forms(2012)]
    with LocalEdgar(filings) as edgar:
        sampled(tmp_path, edgar, (2012,), 3, today=date(2013, 6, 1))
        corpus = Corpus(tmp_path)
        enriched(corpus, edgar)
        before = corpus.filings()
        assert all(filing.total_assets for filing in before)
        sampled(tmp_path, edgar, (2012,), 5, today=date(2013, 6, 1))
        assert corpus.filings()[:3] == before
        enriched(corpus, edgar)
        assert all(filing.total_assets for filing in corpus.filings())
        assert {path: count for path, count in asked(edgar).items() if count > 1} == {}


def test_a_run_that_was_made_before_asks_no_model_again(tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus = corpus_from(tmp_path / "in", *WORLD)
    corpus.make_sections("7")
    first, second = Counting(), Counting()
    extract(corpus, CONFIG, tmp_path / "run", backend=first)
    assert len(first.asked) > 0
    enriched(corpus, edgar)
    extract(corpus, CONFIG, tmp_path / "run", backend=second)
    assert len(second.asked) == 0


def test_answers_of_a_company_are_noted_with_their_status(tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus = corpus_from(tmp_path, NOTHING)
    enriched(corpus, edgar)
    noted = {answer.path: answer.status for answer in read_records(corpus.path / "edgar" / "answers", Answer)}
    assert noted == {submissions(TRUST): 200, concept(TRUST): 404}


def test_an_answer_of_another_shape_is_not_kept(tmp_path: Path, edgar: LocalEdgar) -> None:
    corpus = corpus_from(tmp_path, TAGGED)
    edgar.put(concept(PUMPS), b'{"units": []}')
    assert enriched(corpus, edgar)["failed"] == 1
    edgar.put(concept(PUMPS), b'{"cik": 5, "taxonomy": "us-gaap", "tag": "Assets", "units": {}}')
    assert enriched(corpus, edgar)["failed"] == 1
    (failure,) = corpus.failures()
    assert f"the company {PUMPS.cik} is expected here" in failure.reason
    facts = [{"end": str(TAGGED.period), "val": 12, "accn": TAGGED.accession}]
    edgar.put(concept(PUMPS), json.dumps({"units": {"USD": facts}}).encode())
    assert enriched(corpus, edgar)["with_assets"] == 1
    assert listed(corpus)[TAGGED.accession].total_assets == 12
