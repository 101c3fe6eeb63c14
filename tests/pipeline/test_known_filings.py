"""What is known of filings does not hang on which corpus is named first."""

from __future__ import annotations

from datetime import date
from itertools import permutations
from pathlib import Path

from benchmark_builders import judged_run
from classify_builders import ACCESSIONS, GOLD, gold_file

from fingreat.pipeline.benchmark import read_benchmark
from fingreat.pipeline.known_filings import known_filings
from fingreat.runs import RunFolder
from fingreat.schema import Filing

FILED, PERIOD = date(2005, 3, 1), date(2004, 12, 31)


def corpus_with(path: Path, **dates: date) -> Path:
    """A corpus that lists one filing of these dates and holds nothing else."""
    path.mkdir()
    filing = Filing(id=ACCESSIONS[0], path="raw/x", sha256="0", **dates)
    (path / "filings.jsonl").write_text(filing.model_dump_json() + "\n")
    return path


def test_a_filing_with_a_date_goes_before_one_with_a_period_and_that_before_none(tmp_path: Path) -> None:
    nothing = corpus_with(tmp_path / "nothing")
    period = corpus_with(tmp_path / "period", period=PERIOD)
    filed = corpus_with(tmp_path / "filed", filed=FILED)
    for named in permutations([nothing, period, filed]):
        filings, unread = known_filings(named)
        assert [(one.filed, one.period) for one in filings.values()] == [(FILED, None)]
        assert unread == ()
    for named in permutations([nothing, period]):
        assert known_filings(named)[0][ACCESSIONS[0]].period == PERIOD


def test_of_two_dates_the_first_is_taken_and_a_corpus_that_is_gone_is_named(tmp_path: Path) -> None:
    first = corpus_with(tmp_path / "first", filed=FILED)
    other = corpus_with(tmp_path / "other", filed=date(2006, 1, 1), period=PERIOD)
    filings, unread = known_filings([first, tmp_path / "gone", other])
    assert filings[ACCESSIONS[0]].filed == FILED
    assert [str(tmp_path / "gone") in str(error) for error in unread] == [True]


def test_years_of_a_benchmark_are_the_same_in_whichever_order_runs_are_named(tmp_path: Path) -> None:
    gold = gold_file(tmp_path, GOLD)
    runs = []
    for name, dates in (("undated", {}), ("dated", {"filed": FILED})):
        run = judged_run(tmp_path, name, gold=gold)
        manifest = run.manifest()
        where = str(corpus_with(tmp_path / f"of-{name}", **dates))
        run.write_manifest(manifest, asked={**manifest.asked, "corpus": where})
        runs.append(RunFolder(run.path))
    for named in permutations(runs):
        assert read_benchmark(named).years == {ACCESSIONS[0]: 2005}
