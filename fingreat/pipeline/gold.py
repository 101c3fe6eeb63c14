"""Gold files: JSON Lines of `GoldPassage`, anchored in a section's text."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from fingreat.errors import InputError
from fingreat.matching import Grounder
from fingreat.runs import read_json_lines
from fingreat.schema import GoldPassage


def read_gold(path: Path) -> list[GoldPassage]:
    """The passages of a gold file.

    Raises:
        InputError: the file cannot be read, a line is no gold passage, an id occurs twice, or there is no passage.
    """
    passages: dict[str, GoldPassage] = {}
    for number, value in read_json_lines(path):
        where = f"{path}, line {number}"
        try:
            passage = GoldPassage.model_validate(value)
        except ValidationError as error:
            detail = error.errors()[0]
            key = ".".join(str(part) for part in detail["loc"])
            raise InputError(f"is no gold passage: '{key}': {detail['msg']}", where=where) from error
        if passage.passage_id in passages:
            raise InputError(f"passage id '{passage.passage_id}' occurs twice.", where=where)
        passages[passage.passage_id] = passage
    if not passages:
        raise InputError("holds no passage.", where=str(path), hint="Write one gold passage per line, as JSON.")
    return list(passages.values())


def anchor_gold(passages: Iterable[GoldPassage], text: str) -> list[GoldPassage]:
    """The passages with their places in a section's text, found anew where the given ones do not fit.

    Raises:
        InputError: a passage does not stand in the text exactly once.
    """
    grounder = Grounder(text)
    anchored = []
    for passage in passages:
        if passage.start is None or text[passage.start : passage.end] != passage.text:
            grounding = grounder.ground(passage.text, 0, len(text))
            if not grounding.verdict.grounded or grounding.ambiguous or len(grounding.ranges) != 1:
                raise InputError(
                    f"does not stand in the section exactly once ({grounding.verdict.value}).",
                    where=f"gold passage {passage.passage_id}",
                )
            start, end = grounding.ranges[0]
            passage = passage.model_copy(update={"start": start, "end": end})
        anchored.append(passage)
    return anchored
