from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from fingreat.inference import Item, Judged, RawReply
from fingreat.inference.hosted.batch_files import Join
from fingreat.inference.hosted.openai_batch import read_line
from fingreat.inference.parse import TextJudge, schema_fault, whole_objects
from fingreat.schema import ReplyState


class QuotesJudge(TextJudge):
    """Judges replies of the form that the case asks for: `quotes`, each a `text` with a `driver`."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._whole = Draft202012Validator(schema)
        self._one = Draft202012Validator(schema["properties"]["quotes"]["items"])

    def _judge_value(self, value: Any, n_segments: int, repair: str | None) -> Judged:
        if fault := schema_fault(self._whole, value):
            return Judged(ReplyState.SCHEMA_VIOLATION, detail=fault)
        items = [Item(index, quote["driver"], quote["text"]) for index, quote in enumerate(value["quotes"])]
        return Judged(ReplyState.OK, tuple(items), repair)

    def _whole_items(self, text: str, n_segments: int) -> Iterator[Item]:
        for index, quote in enumerate(whole_objects(text, "quotes", 5)):
            if not schema_fault(self._one, quote):
                yield Item(index, quote["driver"], quote["text"])


class Case:
    """The thirteen requests of the case, and its messy result folder."""

    def __init__(self, folder: Path) -> None:
        lines = (folder / "input.requests.jsonl").read_text(encoding="utf-8").splitlines()
        requests = [json.loads(line) for line in lines]
        schema = requests[0]["body"]["response_format"]["json_schema"]["schema"]
        self.join = Join(frozenset(request["custom_id"] for request in requests))
        self.replies: dict[str, RawReply] = {}
        for name in ("input.output.jsonl", "input.errors.jsonl"):
            with (folder / name).open("rb") as file:
                self.replies.update(self.join.rows(file, lambda line: read_line(line, None)))
        judge = QuotesJudge(schema)
        self.judged = {key: judge.judge(reply, 1) for key, reply in self.replies.items()}


@pytest.fixture
def case(shared: Path) -> Case:
    return Case(shared / "cases" / "batch-join-and-resume")


def test_every_row_of_the_case_has_the_state_and_the_extractions_of_its_table(case: Case) -> None:
    # The column "extractions kept"; r13 is judged strictly.
    assert {key: (judged.state, len(judged.items)) for key, judged in case.judged.items()} == {
        "r01": (ReplyState.OK, 0),
        "r02": (ReplyState.TRUNCATED, 2),
        "r03": (ReplyState.OK, 1),
        "r04": (ReplyState.OK, 1),
        "r05": (ReplyState.DEGENERATE, 0),
        "r06": (ReplyState.INVALID_JSON, 0),
        "r07": (ReplyState.OK, 1),
        "r08": (ReplyState.OK, 1),
        "r10": (ReplyState.TOO_LONG, 0),
        "r13": (ReplyState.SCHEMA_VIOLATION, 0),
        "r14": (ReplyState.BLOCKED, 0),
    }


def test_the_case_says_which_rows_are_missing_strange_or_double(case: Case) -> None:
    assert case.join.missing == {"r09", "r12"}
    assert case.join.stray == ["r11"]
    assert case.join.duplicates == ["r07"]
    assert (case.join.torn, case.join.damaged) == (1, 0)


def test_the_first_of_two_answers_stays(case: Case) -> None:
    assert case.judged["r07"].items[0].quote == "Sales rose because the second line came into use in April."


def test_braces_inside_strings_do_not_fool_what_is_kept_of_a_cut_reply(case: Case) -> None:
    assert [item.quote for item in case.judged["r02"].items] == [
        "Sales rose because the second line came into use in April.",
        "Freight cost {net} rose [again].",
    ]


def test_a_reply_out_of_the_reasoning_field_or_a_fence_says_so(case: Case) -> None:
    assert "reasoning field" in (case.judged["r04"].detail or "")
    assert "fence" in (case.judged["r08"].detail or "")


def test_a_refusal_and_a_context_that_is_too_short_keep_the_providers_words(case: Case) -> None:
    assert "recitation" in (case.judged["r14"].detail or "")
    assert "9001" in (case.judged["r10"].detail or "")
    assert not case.replies["r10"].retryable


def test_the_summary_of_the_case_is_its_own(case: Case) -> None:
    assert case.join.summary(case.judged) == (
        "13 asked, 5 ok, 1 partial, 5 to resend, 2 need a change, 1 stray line, 1 duplicate, 1 torn tail"
    )


def read(line: Any) -> tuple[str, RawReply]:
    return line["id"], RawReply(text=line["text"])


def rows(join: Join, *lines: bytes) -> list[tuple[str, str]]:
    return [(key, reply.text) for key, reply in join.rows(lines, read)]


def test_lines_join_by_id_whatever_their_order() -> None:
    join = Join(frozenset({"a", "b"}))
    assert rows(join, b'{"id": "b", "text": "2"}\n', b'{"id": "a", "text": "1"}\n') == [("b", "2"), ("a", "1")]
    assert join.oddities() == []


def test_a_last_line_without_its_end_that_parses_is_a_line() -> None:
    join = Join(frozenset({"a"}))
    assert rows(join, b'{"id": "a", "text": "1"}') == [("a", "1")]
    assert join.torn == 0


def test_the_second_file_is_joined_like_the_first() -> None:
    join = Join(frozenset({"a", "b"}))
    assert rows(join, b'{"id": "a", "text": "1"}\n') == [("a", "1")]
    assert rows(join, b'{"id": "a", "text": "3"}\n', b'{"id": "b", "text": "2"}\n') == [("b", "2")]
    assert join.duplicates == ["a"]
    assert join.missing == frozenset()


@pytest.mark.parametrize("line", [b"[]\n", b"7\n", b'{"text": "no id"}\n', b"\xff\n", b"[" * 100_000 + b"\n"])
def test_a_whole_line_that_is_no_result_is_counted_and_the_rest_joined(line: bytes) -> None:
    join = Join(frozenset({"a"}))
    assert rows(join, line, b'{"id": "a", "text": "1"}\n') == [("a", "1")]
    assert join.oddities() == ["1 damaged line"]


def test_strange_ids_are_shown_without_control_characters() -> None:
    join = Join(frozenset())
    rows(join, b'{"id": "\\u001b[31m", "text": ""}\n')
    assert "\x1b" not in join.shown_strays()
