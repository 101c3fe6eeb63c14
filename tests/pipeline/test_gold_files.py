"""Gold files: faults by line, places found in the text or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fingreat.errors import InputError
from fingreat.pipeline import anchor_gold, read_gold
from fingreat.schema import GoldPassage

TEXT = (
    "Sales rose by 5% in the year. Costs of goods fell by 3% again. Costs of goods fell by 3% again. We paid dividends."
)


def line(**changes: Any) -> dict[str, Any]:
    values: dict[str, Any] = {
        "passage_id": "p1",
        "filing_id": "f",
        "text": "Sales rose by 5% in the year.",
        "accepted": ["REV-NNCA"],
        "source": "primary",
    }
    return {**values, **changes}


def write(path: Path, *lines: object) -> Path:
    path.write_text("\n".join(json.dumps(value) for value in lines) + "\n", encoding="utf-8")
    return path


def passage(**changes: Any) -> GoldPassage:
    return GoldPassage.model_validate(line(**changes))


def test_passages_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "g.jsonl", line(passage_id="b"), line(passage_id="a", accepted=[], source="none"))
    passages = read_gold(path)
    assert [found.passage_id for found in passages] == ["b", "a"]
    assert passages[1].accepted == frozenset()


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (line(passage_id="p1"), "passage id 'p1' occurs twice"),
        (line(passage_id="p2", accepted=[]), "is no gold passage"),
        (line(passage_id="p2", source="none"), "source 'none' goes with an empty set"),
        (line(passage_id="p2", source="guess"), "'source'"),
        (line(passage_id="p2", more=1), "'more'"),
        ({"passage_id": "p2"}, "'filing_id'"),
        ([], "is no gold passage"),
        (3, "is no gold passage"),
    ],
)
def test_a_fault_names_its_line(bad: object, words: str, tmp_path: Path) -> None:
    path = write(tmp_path / "g.jsonl", line(), bad)
    with pytest.raises(InputError, match=words) as caught:
        read_gold(path)
    assert caught.value.where == f"{path}, line 2"


def test_a_file_that_is_no_json_lines_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "g.jsonl").write_text('{"passage_id": \n')
    with pytest.raises(InputError, match=r"g\.jsonl, line 1: is no JSON"):
        read_gold(tmp_path / "g.jsonl")
    with pytest.raises(InputError, match="cannot be read"):
        read_gold(tmp_path / "none.jsonl")


@pytest.mark.parametrize("content", ["", "\n\n  \n", "\ufeff"])
def test_a_file_without_a_passage_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "g.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"g\.jsonl: holds no passage"):
        read_gold(tmp_path / "g.jsonl")


def test_a_place_that_fits_is_kept_and_one_that_does_not_is_found_anew() -> None:
    # "Sales … year." is 29 characters long and stands at the start.
    expected = (0, 29)
    for start, end in ((0, 29), (None, None), (4, 33), (500, 529), (0, 28), (0, None), (-5, 24)):
        (found,) = anchor_gold([passage(start=start, end=end)], TEXT)
        assert (found.start, found.end) == expected


def test_a_given_place_decides_between_equal_ones() -> None:
    twice = "Costs of goods fell by 3% again."
    second = TEXT.rindex(twice)
    (found,) = anchor_gold([passage(text=twice, start=second, end=second + len(twice))], TEXT)
    assert found.start == second
    with pytest.raises(InputError, match="gold passage p1: does not stand in the section exactly once"):
        anchor_gold([passage(text=twice)], TEXT)


@pytest.mark.parametrize("text", ["Sales rose by 6% in the year.", "Nothing of the kind was ever written.", "Sales"])
def test_a_passage_that_does_not_stand_in_the_text_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="does not stand in the section exactly once"):
        anchor_gold([passage(text=text)], TEXT)
    with pytest.raises(InputError):
        anchor_gold([passage(text=text)], "")


def test_typography_does_not_matter_to_a_place() -> None:
    text = "Our customers’ demand – as ever –\nrose by 5 %."
    (found,) = anchor_gold([passage(text="Our customers' demand - as ever - rose by 5 %.")], text)
    assert (found.start, found.end) == (0, len(text))
