"""What a part of a study's page shows of the tables that were made for it."""

from __future__ import annotations

from contextlib import nullcontext
from typing import cast

import pytest

from fingreat.pipeline.side_by_side import unwatched
from fingreat.pipeline.study import parts
from fingreat.pipeline.study.material import Material
from fingreat.report import Column, Part, Table


def table(id_: str, rows: int) -> Table:
    lines = tuple((f"m{number}",) for number in range(rows))
    return Table(id=id_, title=f"Title of {id_}", columns=(Column(label="model"),), rows=lines, detail=True)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Part:
    made = parts.Made(
        (table("matched-accuracy", 0), table("other", 0), table("error-overlap", 1)), text=("Two models.",)
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
        "There is nothing to show as “Title of other”.",
    )


@pytest.mark.parametrize(("rows", "folded"), [(30, False), (31, True)])
def test_differences_of_accuracy_are_folded_only_where_they_are_many(
    rows: int, folded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = parts.Made((table("accuracy-differences", rows), table("accuracy-by-edge", 1)))
    monkeypatch.setattr(parts, "PARTS", {"accuracy": ("Accuracy", "", lambda *_: made)})
    assert [one.detail for one in only().tables] == [folded, True]
