"""What a part of a study's page shows of the tables that were made for it."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import date
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fingreat.pipeline.side_by_side import unwatched
from fingreat.pipeline.study import parts
from fingreat.pipeline.study.material import Material
from fingreat.report import Column, Part, Table
from fingreat.schema import Filing


def table(id_: str, rows: int, *notes: str) -> Table:
    lines = tuple((f"m{number}",) for number in range(rows))
    return Table(
        id=id_, title=f"Title of {id_}", columns=(Column(label="model"),), rows=lines, detail=True, notes=notes
    )


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Part:
    made = parts.Made(
        (
            table("matched-accuracy", 0),
            table("other", 0, "Shared.", "None of 4."),
            table("error-overlap", 1, "Shared."),
        ),
        text=("Two models.",),
    )
    monkeypatch.setattr(parts, "PARTS", {"errors": ("Errors", "What goes wrong.", lambda *_: made)})
    return only()


def only() -> Part:
    ((part, lacks),) = parts.make_parts(cast(Material, None), lambda _: nullcontext(unwatched))
    assert lacks is None
    return part


def test_a_table_without_rows_is_a_sentence(shown: Part) -> None:
    assert [one.id for one in shown.tables] == ["error-overlap"]
    assert shown.text == (
        "What goes wrong.",
        "Two models.",
        "No two models are about as accurate as each other, so that none are compared in their errors.",
        "There is nothing to show as “Title of other”. None of 4.",
    )


@pytest.mark.parametrize(("rows", "folded"), [(30, False), (31, True)])
def test_differences_of_accuracy_are_folded_only_where_they_are_many(
    rows: int, folded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = parts.Made((table("accuracy-differences", rows), table("accuracy-by-edge", 1)))
    monkeypatch.setattr(parts, "PARTS", {"accuracy": ("Accuracy", "", lambda *_: made)})
    assert [one.detail for one in only().tables] == [folded, True]


def corpus_of(*filings: Filing) -> Material:
    return cast(Material, SimpleNamespace(corpus=SimpleNamespace(filings=lambda: list(filings))))


def test_company_and_year_stand_beside_the_id_of_a_filing_where_they_are_known() -> None:
    said: dict[str, Any] = {"path": "x", "sha256": "0" * 64}
    columns = (Column(label="right"), Column(label="filing", kind="filing"), Column(label="text"))
    made = Table(id="t", title="T", columns=columns, rows=tuple((str(n), id_, "…") for n, id_ in enumerate("abcd")))
    named = Filing(id="a", company="PUMPS INC", filed=date(2015, 3, 1), **said)
    undated, unnamed = (
        Filing(id="b", company="VALVES", fiscal_year=2019, **said),
        Filing(id="c", filed=date(2020, 3, 1), **said),
    )
    found = parts._with_companies(made, corpus_of(named, undated, unnamed))
    assert [column.label for column in found.columns] == ["right", "filing", "company and year", "text"]
    assert [row[2] for row in found.rows] == ["PUMPS INC, 2015", "VALVES, fiscal 2019", "2020", None]
    assert [row[3] for row in found.rows] == ["…"] * 4
    assert parts._with_companies(made, corpus_of(Filing(id="a", **said))) == made
    assert parts._with_companies(table("other", 1), corpus_of(named)) == table("other", 1)
