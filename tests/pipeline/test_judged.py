"""Classifications beside the gold file and the corpus: years, and exports that accuracy can be worked out from."""

from __future__ import annotations

import csv
import json
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from classify_builders import ACCESSIONS, CONFIG, GOLD, Asked, gold_file, named
from pipeline_builders import corpus_of, submission

from fingreat.analysis import Ratio
from fingreat.inference import RawReply
from fingreat.pipeline import Corpus, ExportFormat, export_run
from fingreat.pipeline.classify import Classified, classify
from fingreat.runs import RunFolder


def run(folder: Path, backend: Asked, over: Corpus | None = None) -> Classified:
    config = CONFIG.model_copy(update={"resend": 0})
    return classify(gold_file(folder, GOLD), config, folder / "run", corpus=over, backend=backend)


def exported(folder: Path) -> tuple[list[dict[str, Any]], list[str]]:
    said: list[str] = []
    export_run(RunFolder(folder / "run"), "classifications", ExportFormat.JSONL, folder / "rows", said.append)
    return [json.loads(line) for line in (folder / "rows").read_text(encoding="utf-8").splitlines()], said


def test_a_filing_without_a_date_counts_by_its_periods_end(tmp_path: Path) -> None:
    filed, other = (submission(accession) for accession in ACCESSIONS)
    kind = b"CONFORMED SUBMISSION TYPE"
    filed = filed.replace(kind, b"CONFORMED PERIOD OF REPORT:\t20181231\nFILED AS OF DATE:\t\t20190214\n" + kind)
    other = other.replace(kind, b"CONFORMED PERIOD OF REPORT:\t20191231\n" + kind)
    measured = run(tmp_path, Asked(), over=corpus_of(tmp_path, a=filed, b=other)).accuracy
    # Always REV-NNCA: of the first filing's two passages one accepts it, of the second's one does.
    assert [(cohort.name, cohort.accuracy) for cohort in measured.years] == [("2019", Ratio(1, 2))]
    assert [(cohort.name, cohort.accuracy) for cohort in measured.period_years] == [("2019", Ratio(1, 1))]


def test_an_export_holds_what_accuracy_is_worked_out_from(tmp_path: Path) -> None:
    filed, other = (submission(accession) for accession in ACCESSIONS)
    filed = filed.replace(b"CONFORMED SUBMISSION", b"FILED AS OF DATE:\t\t20190214\nCONFORMED SUBMISSION")
    backend = Asked(lambda request: RawReply(text="?") if request.chunk_id == "p3-1" else named("REV-NNCA"))
    run(tmp_path, backend, over=corpus_of(tmp_path, a=filed, b=other))
    rows, said = exported(tmp_path)
    told = [[row[name] for name in ("passage_id", "edge", "accepted", "right", "filing_year")] for row in rows]
    assert told == [
        ["p0-1", "REV-NNCA", ["REV-NNCA"], True, 2019],
        # The reply failed, which is wrong.
        ["p3-1", None, ["NNCA-CASH"], False, 2019],
        ["p1-2", "REV-NNCA", ["NNCA-OPEX", "REV-NNCA"], True, None],
    ]
    assert said == []
    export_run(RunFolder(tmp_path / "run"), "classifications", ExportFormat.CSV, tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["right"] for row in rows] == ["True", "False", "True"]


@pytest.mark.parametrize("gone", [True, False])
def test_an_export_joins_no_gold_file_but_the_runs_own(gone: bool, tmp_path: Path) -> None:
    run(tmp_path, Asked())
    gold = tmp_path / "gold.jsonl"
    if gone:
        gold.unlink()
    else:
        gold.write_text(gold.read_text().replace("NNCA-CASH", "CASH-DIV"))
    rows, (said,) = exported(tmp_path)
    assert {(row["accepted"], row["right"]) for row in rows} == {(None, None)}
    assert "accepted and right are left empty" in said
    assert ("is not there" if gone else "is another than the run read") in said


def test_a_corpus_that_is_gone_leaves_the_years_empty_and_is_said(tmp_path: Path) -> None:
    over = corpus_of(tmp_path, a=submission(ACCESSIONS[0]))
    run(tmp_path, Asked(), over=over)
    over.path.rename(tmp_path / "elsewhere")
    rows, (said,) = exported(tmp_path)
    assert {row["filing_year"] for row in rows} == {None}
    assert said.startswith("The corpus cannot be read, so years are left empty: ")
    assert [row["right"] for row in rows] == [True, False, True]


@pytest.mark.skipif(find_spec("polars") is None, reason="writes Parquet")
def test_parquet_has_the_same_columns_whether_they_are_filled_or_not(tmp_path: Path) -> None:
    run(tmp_path, Asked())
    full, empty = tmp_path / "full.parquet", tmp_path / "empty.parquet"
    export_run(RunFolder(tmp_path / "run"), "classifications", ExportFormat.PARQUET, full)
    (tmp_path / "gold.jsonl").unlink()
    export_run(RunFolder(tmp_path / "run"), "classifications", ExportFormat.PARQUET, empty)
    polars: Any = import_module("polars")
    frames = [polars.read_parquet(path) for path in (full, empty)]
    assert frames[0].schema == frames[1].schema
    assert frames[0]["right"].to_list() == [True, False, True]
    assert frames[0]["accepted"].to_list()[2] == ["NNCA-OPEX", "REV-NNCA"]
