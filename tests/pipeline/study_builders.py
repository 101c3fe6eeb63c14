"""A small study of scripted models: filings of three years, two models, a repeat, a reference, five passages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from classify_builders import gold_file
from pipeline_builders import html, reply

from fingreat.pipeline.study.flow import Study
from fingreat.report import Table
from fingreat.schema import GoldPassage

SENTENCES = (
    "Net sales rose by 4% because demand for pumps grew in Europe.",
    "Customers returned valves worth $2 million under a warranty of ten years.",
    "The order book stood at a record when the year ended.",
    "Freight and steel cost far more than a year ago.",
    "We bought a foundry in Ohio for $30 million in cash.",
    "Receivables fell as two distributors paid early.",
    "Licences to third parties brought in $7 million.",
    "Research was cut back after the merger of both laboratories.",
    "Turnover in Asia doubled thanks to new dealers.",
    "A strike stopped deliveries from our largest plant during March.",
    "Prices were raised twice to keep pace with inflation.",
    "The board looks at the dividend every quarter.",
)
"""Four for each filing; no two of them read alike."""
YEARS = {2010: "0000000001-10-000001", 2015: "0000000002-15-000001", 2020: "0000000003-20-000001"}
"""Year of filing → accession number; the nth filing has sentences of its own."""
PASSAGES = {
    "p1": (2010, 0, ("REV-NNCA",)),
    "p2": (2010, 1, ("REV-NNCA", "NNCA-CASH")),
    "p3": (2015, 4, ("NNCA-CASH",)),
    "p4": (2015, 5, ("REV-NNCA",)),
    "p5": (2020, 8, ()),
}
"""Passage → year of its filing, number of its sentence, edges that it accepts."""
SCRIPTS: Mapping[str, Sequence[tuple[int, str, str]]] = {
    # Two of the four sentences of each filing.
    "first": [(number, "REV", "NNCA") for number in (0, 1, 4, 5, 8, 9)],
    # One of those and another one, the former as other evidence in the filing of 2015.
    "second": [(number, *(("NNCA", "CASH") if number == 5 else ("REV", "NNCA"))) for number in (1, 2, 5, 6, 9, 10)],
}
"""Script → sentence and edge that it quotes where it is shown the sentence's filing."""


def write_sources(folder: Path) -> None:
    """Filings, gold passages and scripts of models."""
    for number, (year, accession) in enumerate(YEARS.items()):
        (folder / f"{year}.txt").write_bytes(dated_submission(accession, year, SENTENCES[4 * number : 4 * number + 4]))
    gold_file(
        folder,
        [
            GoldPassage(
                passage_id=id_,
                filing_id=YEARS[year],
                text=SENTENCES[sentence],
                accepted=frozenset(accepted),
                source="primary" if accepted else "none",
            )
            for id_, (year, sentence, accepted) in PASSAGES.items()
        ],
    )
    for name, quoted in SCRIPTS.items():
        rules = [
            {"contains": SENTENCES[first], "text": reply(*((SENTENCES[n], *edge) for n, *edge in quoted[at : at + 2]))}
            for at, first in ((0, 0), (2, 4), (4, 8))
        ]
        write_script(folder / f"{name}.jsonl", rules)
    write_script(folder / "revenue.jsonl", [{"text": json.dumps({"edge": "REV-NNCA"})}])
    write_script(folder / "cash.jsonl", [{"text": json.dumps({"edge": "NNCA-CASH"})}])


def write_script(file: Path, rules: Sequence[Mapping[str, object]]) -> None:
    file.write_text("".join(json.dumps(rule) + "\n" for rule in rules), encoding="utf-8")


def dated_submission(accession: str, year: int, sentences: Sequence[str]) -> bytes:
    """A full submission whose header has a date of filing."""
    head = (
        f"<SEC-DOCUMENT>x.txt\n<SEC-HEADER>x\nACCESSION NUMBER:\t\t{accession}\nCONFORMED SUBMISSION TYPE:\t10-K\n"
        f"PUBLIC DOCUMENT COUNT:\t1\nFILED AS OF DATE:\t\t{year}0301\n\tCOMPANY CONFORMED NAME:\t\t\tPUMPS INC\n"
        "</SEC-HEADER>\n<DOCUMENT>\n<TYPE>10-K\n<SEQUENCE>1\n<FILENAME>x.htm\n<TEXT>\n"
    )
    return head.encode() + html(sentences) + b"\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n"


STUDY = """
format = 1
[study]
name = "small"
title = "A small study"
replicates = 50
[corpus]
files = ["2010.txt", "2015.txt", "2020.txt"]
[extract]
guide = "none"
[[extract.models]]
name = "first"
model = "scripted:first.jsonl"
repeats = 1
[[extract.models]]
name = "second"
model = "scripted:second.jsonl"
[[extract.references]]
name = "judge"
model = "scripted:first.jsonl"
years = "2010,2015"
[classify]
gold = ["gold.jsonl"]
context = "none"
[[classify.models]]
name = "revenue"
model = "scripted:revenue.jsonl"
[[classify.models]]
name = "cash"
model = "scripted:cash.jsonl"
[power]
simulations = 20
"""


def write_study(folder: Path, text: str = STUDY, name: str = "study") -> Path:
    """A study file beside its sources, which are written where there are none."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "gold.jsonl").exists():
        write_sources(folder)
    file = folder / f"{name}.toml"
    file.write_text(text, encoding="utf-8")
    return file


def table(study: Study, id_: str) -> Table:
    assert study.report is not None
    return next(one for one in study.report.tables if one.id == id_)


def states(study: Study) -> dict[str, str]:
    return {outcome.run.label: outcome.state for outcome in study.outcomes}


def rows(measured: Table, *labels: str) -> list[tuple[object, ...]]:
    places = [[column.label for column in measured.columns].index(label) for label in labels]
    return [tuple(row[place] for place in places) for row in measured.rows]
