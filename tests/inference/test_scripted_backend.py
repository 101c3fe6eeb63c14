"""Replies from a file: which rule answers, and what a faulty file is told."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from reply_builders import GRAPH, request

from fingreat.errors import FingreatError, InputError
from fingreat.inference import RawReply, create_backend
from fingreat.schema import ReplyState


def answers(tmp_path: Path, rules: list[dict[str, Any]], texts: list[str]) -> list[RawReply]:
    path = tmp_path / "script.jsonl"
    path.write_text("".join(json.dumps(rule) + "\n" for rule in rules), encoding="utf-8")
    backend = create_backend(f"scripted:{path}", GRAPH)
    asked = [request(text) for text in texts]
    pairs = list(backend.answer(asked))
    backend.close()
    assert [one for one, _ in pairs] == asked
    return [reply for _, reply in pairs]


def test_the_first_rule_that_fits_and_is_not_used_up_answers(tmp_path: Path) -> None:
    rules = [
        {"contains": "dividend", "times": 2, "text": "A"},
        {"contains": "dividend", "text": "B"},
        {"text": "C", "times": 1},
    ]
    replies = answers(tmp_path, rules, ["sales", "dividends", "a dividend", "dividend", "dividend", "tax"])
    assert [reply.text for reply in replies] == ["C", "A", "A", "B", "B", ""]
    assert replies[-1].state is ReplyState.ERROR
    assert "no reply" in (replies[-1].detail or "")


def test_only_the_last_message_decides(tmp_path: Path) -> None:
    # "Find the passages." is the system part of every request here.
    assert answers(tmp_path, [{"contains": "Find the passages"}], ["sales"])[0].state is ReplyState.ERROR


def test_a_rule_may_set_state_reason_and_wait(tmp_path: Path) -> None:
    rule = {"state": "error", "detail": "busy", "retryable": True, "finish_reason": None, "reasoning": "hm"}
    start = time.perf_counter()
    (reply,) = answers(tmp_path, [rule | {"wait": 0.05}], ["x"])
    assert time.perf_counter() - start >= 0.05
    assert reply.seconds is not None
    assert reply.seconds >= 0.05
    assert (reply.state, reply.detail, reply.retryable, reply.finish_reason, reply.reasoning) == (
        ReplyState.ERROR,
        "busy",
        True,
        None,
        "hm",
    )


def test_the_model_is_named_and_pinned_by_its_file(tmp_path: Path) -> None:
    # SHA-256 of the two bytes "{}" begins with 44136fa355b3678a (checked with sha256sum).
    path = tmp_path / "empty.jsonl"
    path.write_bytes(b"{}")
    backend = create_backend(f"scripted:{path}", GRAPH)
    assert (backend.model, backend.revision, backend.context) == ("empty", "44136fa355b3678a", None)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"times": 0}', "times"),
        ('{"wait": -1}', "wait"),
        ('{"txt": "a"}', "txt"),
        ('{"state": "fine"}', "state"),
        ("[]", "line 2"),
        ("{", "line 2"),
    ],
)
def test_a_bad_line_is_named_by_its_number(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text(f'{{"text": "A"}}\n{line}\n', encoding="utf-8")
    with pytest.raises(FingreatError, match=words) as caught:
        create_backend(f"scripted:{path}", GRAPH)
    assert "script.jsonl, line 2" in str(caught.value)


def test_a_folder_and_a_file_that_is_no_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        create_backend(f"scripted:{tmp_path}", GRAPH)
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FingreatError, match="UTF-8"):
        create_backend(f"scripted:{binary}", GRAPH)
