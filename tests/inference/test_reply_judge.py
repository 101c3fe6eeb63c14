"""States of replies. The thirteen rows of the shared batch case are transferred to the reply form; the rest by hand."""

from __future__ import annotations

import gzip
import json
import re
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from reply_builders import judge, quoted, raw, reply_of, spanned

from fingreat.inference import Judged, RawReply
from fingreat.schema import Reply, ReplyState

WHOLE = quoted("Sales rose because the second line came into use in April.")
SECOND = quoted("Freight cost {net} rose [again].", "NNCA", "COGS")


def verdict(text: str, finish_reason: str | None = "stop", **more: Any) -> tuple[str, int]:
    judged = judge(**more).judge(raw(text, finish_reason), 10)
    return judged.state.value, len(judged.items)


# The batch case: id -> reply in our form, state, extractions kept (r13 is strict: none).

BATCH: dict[str, tuple[RawReply, str, int]] = {
    "r01": (raw('{"extractions": []}'), "ok", 0),
    "r02": (raw(reply_of(WHOLE, SECOND)[:-2] + ',{"quote":"Prices in the Gulf fe', "length"), "truncated", 2),
    "r03": (raw(reply_of(WHOLE)), "ok", 1),
    "r04": (RawReply(text="", reasoning=reply_of(WHOLE), finish_reason="stop"), "ok", 1),
    "r05": (raw('{"extractions":[' + "\n" * 400, "length"), "degenerate", 0),
    "r06": (
        raw(
            '{"extractions":[{"quote":"the Company\'s "core" lines grew\nin May",'
            '"edge":{"source":"REV","target":"NNCA"},"tags":[],"period":null}]}'
        ),
        "invalid_json",
        0,
    ),
    "r08": (
        raw(f"Here is the JSON you asked for:\n```json\n{reply_of(WHOLE)}\n```\nTell me if you need more."),
        "ok",
        1,
    ),
    "r10": (RawReply(state=ReplyState.TOO_LONG, detail="prompt has 9001 tokens, limit is 8192"), "too_long", 0),
    "r13": (raw(reply_of(quoted(source="VOLUME", why="x"))), "schema_violation", 0),
    "r14": (RawReply(finish_reason="content_filter"), "blocked", 0),
}


@pytest.mark.parametrize("row", BATCH)
def test_rows_of_the_batch_case_get_their_state(row: str) -> None:
    reply, state, kept = BATCH[row]
    judged = judge().judge(reply, 10)
    assert (judged.state.value, len(judged.items)) == (state, kept)


def test_the_batch_case_is_transferred_as_its_sheet_says(shared: Path) -> None:
    sheet = (shared / "cases" / "batch-join-and-resume" / "expected.md").read_text(encoding="utf-8")
    rows = {cells[1].strip(): cells for line in sheet.splitlines() if len(cells := line.split("|")) > 4}
    for row, (_, state, kept) in BATCH.items():
        assert rows[row][2].split()[0] == state
        assert rows[row][3].split()[0] == str(kept)


def test_the_reasoning_field_is_used_only_where_it_holds_a_valid_reply() -> None:
    for reasoning, state in ((reply_of(WHOLE), "ok"), (reply_of(WHOLE)[:-2], "invalid_json"), ("hm", "invalid_json")):
        judged = judge().judge(RawReply(text="\n\n", reasoning=reasoning, finish_reason="stop"), 10)
        assert judged.state.value == state
        assert bool(judged.items) is (state == "ok")
    assert "reasoning" in (judge().judge(BATCH["r04"][0], 10).detail or "")
    both = RawReply(text=reply_of(), reasoning=reply_of(WHOLE), finish_reason="stop")
    assert judge().judge(both, 10).items == ()


@pytest.mark.parametrize("finish_reason", ["stop", "length"])
@pytest.mark.parametrize(
    "reasoning", [reply_of(WHOLE), reply_of(WHOLE)[:-2], reply_of(quoted(source="DIV")), "let me think", "so " * 900]
)
def test_a_reply_means_the_same_when_it_is_read_from_disk(reasoning: str, finish_reason: str) -> None:
    for text in ("", " \n", reply_of(SECOND), "\ud800", reply_of(SECOND)[:-4]):
        first = judge().judge(RawReply(text=text, reasoning=reasoning, finish_reason=finish_reason), 10)
        again = judge().judge(RawReply(text=first.text, finish_reason=finish_reason), 10)
        assert (again.state, again.items) == (first.state, first.items)


def test_raw_thoughts_are_kept_where_there_is_no_answer() -> None:
    judged = judge().judge(RawReply(text="", reasoning="Sales rose, so", finish_reason="length"), 10)
    assert judged.state is ReplyState.TRUNCATED
    assert "Sales rose, so" in judged.text


# Where the JSON may stand.


@pytest.mark.parametrize(
    "text",
    [
        reply_of(WHOLE),
        f"\ufeff\n {reply_of(WHOLE)} \n",
        f"```json\n{reply_of(WHOLE)}\n```",
        f"```JSON  \n{reply_of(WHOLE)}\n  ```  ",
        f"```\n{reply_of(WHOLE)}\n```",
        f"```json\n{reply_of(WHOLE)}",
        f"```json {reply_of(WHOLE)}```",
        f"Here it is: {reply_of(WHOLE)} I hope this helps.",
        f"<think>A draft: {reply_of()} or {{</think>\n{reply_of(WHOLE)}",
        f"<thinking>\nhm\n</thinking>{reply_of(WHOLE)}",
        f"A draft: {reply_of()}, no.\n</think>\n\n{reply_of(WHOLE)}",
        f"<think>hm</think>```json\n{reply_of(WHOLE)}\n```",
        reply_of(quoted("a </think> b")),
        reply_of(quoted("a\n```\nb ```json c")),
    ],
)
def test_json_is_found_bare_fenced_in_prose_and_behind_thoughts(text: str) -> None:
    assert verdict(text) == ("ok", 1)


@pytest.mark.parametrize(
    ("text", "finish_reason", "state", "kept"),
    [
        # A draft inside thoughts is no answer, whether they end or not.
        (f"<think>Maybe {reply_of(WHOLE)} but", "length", "truncated", 0),
        (f"<think>Maybe {reply_of(WHOLE)} but", "stop", "invalid_json", 0),
        (f"<think>Maybe {reply_of(WHOLE, WHOLE)}</think>{reply_of(SECOND)[:-2]}", "length", "truncated", 1),
        (f"<think>Maybe {reply_of(WHOLE)}</think>", "stop", "invalid_json", 0),
        # A second object that was cut: the first one is not the whole reply.
        (f'[{reply_of()}, {{"extr', "length", "truncated", 0),
        (f'{reply_of()} and {{"extractions": [{{"quo', "length", "truncated", 0),
        # A list that is not the reply's own.
        ('{"extractions": [{"quote": "say \\"extractions\\": [{', "length", "truncated", 0),
    ],
)
def test_what_only_looks_like_an_answer_is_none(text: str, finish_reason: str, state: str, kept: int) -> None:
    assert verdict(text, finish_reason) == (state, kept)


@pytest.mark.parametrize("finish_reason", ["stop", "length"])
@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{reply_of()}\n```\nOn reflection:\n```json\n{reply_of(WHOLE)}\n```",
        f"```json\n{reply_of(WHOLE)}\n```\n```json\n{reply_of(WHOLE, SECOND)}\n```",
        f"```json\n{reply_of()}\n```\nNo: {reply_of(WHOLE)}",
        f"First {reply_of(WHOLE)}, then {reply_of(SECOND)}.",
        f"{reply_of()}\n{reply_of(WHOLE)}",
    ],
)
def test_of_two_replies_that_differ_neither_is_taken(text: str, finish_reason: str) -> None:
    assert verdict(text, finish_reason) == ("invalid_json", 0)
    assert "differ" in (judge().judge(raw(text, finish_reason), 10).detail or "")


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{reply_of(WHOLE)}\n```\nAgain:\n```json\n{reply_of(WHOLE)}\n```",
        f"```text\nSales rose.\n```\n```json\n{reply_of(WHOLE)}\n```",
        f"I write {{x}} for a gap. {reply_of(WHOLE)}",
    ],
)
def test_one_reply_is_taken_however_often_it_stands_there(text: str) -> None:
    assert verdict(text) == ("ok", 1)


@pytest.mark.parametrize("text", ["", "  ", "I found no passages.", "null", "{]", "[", '"', "{", "}", "``` ```"])
def test_a_reply_that_is_no_json_keeps_nothing(text: str) -> None:
    assert verdict(text) == ("truncated" if text == "{" else "invalid_json", 0)


@pytest.mark.parametrize("text", ["[]", "5", '"text"', "true", "{}", '{"extractions": {}}', '{"extractions": null}'])
def test_json_of_another_form_is_a_schema_violation(text: str) -> None:
    assert verdict(text) == ("schema_violation", 0)


# Cuts.


@pytest.mark.parametrize(
    ("cut", "kept"),
    [
        ("", 2),
        (",", 2),
        (', {"quote": "He said \\"Net', 2),
        (', {"quote": "a } ] b", "edge": {"source": "REV", "target": "NNCA"}', 2),
        (', {"quote": "caf\\u00', 2),
        (', {"quote": "x\\', 2),
        (', {"quote": "x", "edge": {"source": "REV", "target": "NNCA"}, "tags": [], "period": nul', 2),
    ],
)
@pytest.mark.parametrize("finish_reason", ["stop", "length", None])
def test_a_cut_reply_keeps_its_whole_extractions(cut: str, kept: int, finish_reason: str | None) -> None:
    text = reply_of(SECOND, quoted('She said "{[" and \\ left'))[:-2] + cut
    assert verdict(text, finish_reason) == ("truncated", kept)
    assert verdict("```json\n" + text, finish_reason) == ("truncated", kept)


@pytest.mark.parametrize(
    "text",
    [
        reply_of(WHOLE).replace("April.", 'April 12" pipe.'),
        reply_of(WHOLE)[:-2] + "]]}",
        reply_of(WHOLE)[:-1] + "]",
        reply_of(WHOLE).replace('"tags"', "'tags'"),
        reply_of(WHOLE).replace("[]", "[,]"),
        reply_of(WHOLE).replace("null", "None"),
    ],
)
def test_broken_json_that_reaches_its_end_is_no_cut(text: str) -> None:
    assert verdict(text) == ("invalid_json", 0)


def test_nothing_between_extractions_is_repaired() -> None:
    whole, second = json.dumps(WHOLE), json.dumps(SECOND)
    for between in (" ", ",,", ", ,", ";"):
        assert verdict(f'{{"extractions": [{whole}{between}{second}, {{"quo', "length") == ("truncated", 1)


def test_a_cut_reply_drops_extractions_that_are_not_valid_or_off_the_graph() -> None:
    items = [WHOLE, quoted(source="DIV", target="REV"), quoted(source="VOLUME"), {"quote": "x"}, SECOND]
    judged = judge().judge(raw(reply_of(*items)[:-2], "length"), 10)
    assert judged.state is ReplyState.TRUNCATED
    assert [item.index for item in judged.items] == [0, 4]


def test_a_cut_reply_keeps_no_more_than_a_whole_one_may_hold() -> None:
    items = [quoted(f"Sales rose {number}%.") for number in range(80)]
    judged = judge().judge(raw(reply_of(*items)[:-2], "length"), 10)
    assert [item.index for item in judged.items] == list(range(64))
    assert verdict(reply_of(*items[:65])) == ("schema_violation", 0)


SPANS = [spanned(number % 5 + 1, None, edge) for edge in ("REV-NNCA", "NNCA-COGS", "CASH-DIV") for number in range(30)]


@pytest.mark.parametrize(
    ("mode", "items"), [("quote", [quoted(f"Sales rose {number}%.") for number in range(64)]), ("span", SPANS[:64])]
)
def test_a_full_list_was_cut_by_the_schema(mode: Any, items: list[dict[str, Any]]) -> None:
    for finish_reason in ("stop", "length"):
        assert verdict(reply_of(*items), finish_reason, mode=mode) == ("truncated", 64)
        assert verdict(reply_of(*items[:63]), finish_reason, mode=mode) == ("ok", 63)


@pytest.mark.parametrize(("mode", "make"), [("quote", quoted), ("span", spanned)])
def test_a_full_list_that_ends_in_a_run_of_the_same_is_degenerate(mode: Any, make: Any) -> None:
    one, two = make(), make(edge={"source": "NNCA", "target": "COGS"} if mode == "quote" else "NNCA-COGS")
    first = [make(**({"quote": f"Rose {n}%."} if mode == "quote" else {"first": 1, "last": n + 1})) for n in range(10)]
    tagged = [one | {"tags": [str(number)]} for number in range(64)]
    for items in ([one] * 64, [one, two] * 32, [*first, *[two] * 54], tagged):
        assert verdict(reply_of(*items), mode=mode) == ("degenerate", 64)
    assert verdict(reply_of(*[one] * 63), mode=mode) == ("ok", 63)
    assert verdict(reply_of(*[one] * 55, *first[1:]), mode=mode) == ("truncated", 64)


@pytest.mark.parametrize(
    ("end", "kept"),
    [
        (" " * 200, 1),
        ("\n" * 100, 1),
        (',\n{"quote": "' + "the " * 11, 1),
        (',\n{"quote": "' + "." * 200, 1),
        (',\n{"quote": "' + "-  " * 80, 1),
        (',\n{"quote": "' + "\\u2014 " * 110, 1),
        (', {"quote": "' + "\\n" * 100, 1),
        (("," + json.dumps(quoted("A quote of some length. " * 9))) * 12, 13),
    ],
)
@pytest.mark.parametrize("finish_reason", ["stop", "length"])
def test_an_endless_run_is_degenerate(end: str, kept: int, finish_reason: str) -> None:
    assert verdict(reply_of(WHOLE)[:-2] + end, finish_reason) == ("degenerate", kept)


@pytest.mark.parametrize(
    "end",
    [
        " " * 199,
        "\n" * 99,
        ', {"quote": "' + "the " * 9,
        ', {"quote": "Cash ' + "." * 199,
        ', {"quote": "Cash ' + " ." * 55,
        ', {"quote": "' + "-" * 132,
        ', {"quote": "' + "-------  " * 14,
        ', {"quote": "' + "\\u2014 " * 60,
    ],
)
def test_a_run_that_may_be_a_tables_is_not_degenerate(end: str) -> None:
    assert verdict(reply_of(WHOLE)[:-2] + end, "length") == ("truncated", 1)


def test_no_cut_inside_a_table_of_a_real_filing_is_degenerate(shared: Path) -> None:
    # Fixed-width tables with dot leaders, rules of dashes and wide columns, quoted as a whole; the budget ends in each
    # of their runs.
    states: Counter[tuple[str, int]] = Counter()
    for name in ("1003124_2001_ppd-10k405.txt.gz", "moviestar_1999_10k.txt.gz", "40545_1994_ge.txt.gz"):
        text = gzip.decompress((shared / "filings" / "dev" / name).read_bytes()).decode("latin-1").replace("\r", "")
        for run in list(re.finditer(r"[^A-Za-z0-9]{40,}", text))[::8]:
            quote = json.dumps({"quote": text[max(0, run.start() - 2000) : run.end()]}).removesuffix('"}')
            states[verdict(f"{reply_of(WHOLE)[:-2]}, {quote}", "length")] += 1
    assert set(states) == {("truncated", 1)}
    assert states.total() > 200


def test_a_whole_reply_before_a_run_of_blanks_stands() -> None:
    assert verdict(reply_of(WHOLE) + "\n" * 4000, "length") == ("ok", 1)


def test_endless_thoughts_are_degenerate() -> None:
    assert verdict("<think>" + "Wait, let me check. " * 40, "length") == ("degenerate", 0)


# The graph.


def test_an_unknown_node_is_a_schema_violation_and_an_unknown_pair_is_off_the_graph() -> None:
    assert verdict(reply_of(WHOLE, quoted(source="SALES"))) == ("schema_violation", 0)
    assert verdict(reply_of(WHOLE, quoted(source="rev"))) == ("schema_violation", 0)
    for source, target in (("NNCA", "REV"), ("REV", "DIV"), ("CASH", "CASH")):
        judged = judge().judge(raw(reply_of(WHOLE, quoted(source=source, target=target), SECOND)), 10)
        assert judged.state is ReplyState.OFF_GRAPH
        assert [(item.index, item.edge) for item in judged.items] == [(0, "REV-NNCA"), (2, "NNCA-COGS")]
        assert f"{source} to {target}" in (judged.detail or "")


def test_the_same_holds_for_edges_named_by_id_in_span_mode() -> None:
    for edge in ("SALES-NNCA", "REV", "", "REV-NNCA-CASH", "rev-nnca", "REV -NNCA", "-", "\ud800"):
        assert verdict(reply_of(spanned(), spanned(edge=edge)), mode="span") == ("schema_violation", 0)
    for edge in ("NNCA-REV", "REV-DIV", "CASH-CASH"):
        assert verdict(reply_of(spanned(), spanned(edge=edge)), mode="span") == ("off_graph", 1)


@pytest.mark.parametrize(
    "item",
    [
        quoted(quote=None),
        quoted(quote=["a"]),
        quoted(tags="sales"),
        quoted(tags=[1]),
        quoted(tags=list("abcdef")),
        quoted(tags=None),
        quoted(period=2019),
        quoted(note="extra"),
        quoted(edge="REV-NNCA"),
        quoted(edge=["REV", "NNCA"]),
        quoted(edge={"source": "REV"}),
        quoted(edge={"source": "REV", "target": "NNCA", "amount": 1}),
        {"quote": "a", "edge": {"source": "REV", "target": "NNCA"}, "tags": []},
        [],
        None,
        "quote",
    ],
)
def test_wrong_types_missing_and_extra_keys_are_schema_violations(item: Any) -> None:
    assert verdict(reply_of(WHOLE, item)) == ("schema_violation", 0)
    assert verdict(json.dumps({"extractions": [WHOLE], "note": "extra"})) == ("schema_violation", 0)


@pytest.mark.parametrize(
    ("first", "last", "state"),
    [
        (1, 1, "ok"),
        (10, 10, "ok"),
        (1, 10, "ok"),
        (3.0, 4.0, "ok"),
        (1, 11, "schema_violation"),
        (11, 11, "schema_violation"),
        (5, 4, "schema_violation"),
        (0, 1, "schema_violation"),
        (-1, 1, "schema_violation"),
        (1.5, 2, "schema_violation"),
        ("1", "2", "schema_violation"),
        (True, True, "schema_violation"),
        (None, 1, "schema_violation"),
        (1, 0, "schema_violation"),
        (1, 1e308, "schema_violation"),
        (1, 10**4000, "schema_violation"),
    ],
)
def test_segments_must_be_numbers_of_the_chunk_in_order(first: Any, last: Any, state: str) -> None:
    judged = judge("span").judge(raw(reply_of(spanned(first, last))), 10)
    assert judged.state.value == state
    assert len(judged.detail or "") < 300
    for item in judged.items:
        assert (type(item.first), type(item.last)) == (int, int)
        assert (item.first, item.last) == (first, last)


def test_a_range_of_one_segment_needs_no_last() -> None:
    bare = {key: value for key, value in spanned(4).items() if key != "last"}
    judged = judge("span").judge(raw(reply_of(bare, spanned(5, None))), 10)
    assert [(item.first, item.last) for item in judged.items] == [(4, 4), (5, 5)]
    assert judge("span").judge(raw(reply_of(bare)), 3).state.value == "schema_violation"


def test_tags_period_and_quote_are_given_as_generated() -> None:
    judged = judge().judge(raw(reply_of(quoted(" Two\n lines ", tags=["Net  Sales"], period="fiscal 2019"))), 10)
    item = judged.items[0]
    assert (item.quote, item.tags, item.period) == (" Two\n lines ", ("Net  Sales",), "fiscal 2019")
    assert judge().judge(raw(reply_of(WHOLE)), 10).items[0].period is None


def test_facets_are_read_where_they_are_asked_for() -> None:
    cash = quoted("We paid $3 million for a plant.", "NNCA", "CASH")
    asked = judge(facets=True).judge(raw(reply_of(cash | {"activity": "investing"}, WHOLE | {"activity": None})), 10)
    assert asked.state is ReplyState.OK
    assert [item.facets for item in asked.items] == [{"activity": "investing"}, {}]
    assert verdict(reply_of(cash | {"activity": "sailing"}), facets=True) == ("schema_violation", 0)
    assert verdict(reply_of(cash), facets=True) == ("schema_violation", 0)
    assert verdict(reply_of(cash | {"activity": "investing"})) == ("schema_violation", 0)


# What the engine says.


@pytest.mark.parametrize("reason", ["content_filter", "refusal", "safety", "recitation"])
def test_a_refusal_is_blocked_whatever_the_text_says(reason: str) -> None:
    assert verdict(reply_of(WHOLE), reason) == ("blocked", 0)


@pytest.mark.parametrize("state", [ReplyState.ERROR, ReplyState.TOO_LONG, ReplyState.BLOCKED])
def test_the_engines_own_state_stands(state: ReplyState) -> None:
    judged = judge().judge(RawReply(text=reply_of(WHOLE), state=state, detail="why"), 10)
    assert (judged.state, judged.items, judged.detail) == (state, (), "why")


# Hostile JSON.


def record(judged: Judged) -> bytes:
    """The reply as its line on disk."""
    return Reply(key="k", state=judged.state, text=judged.text, detail=judged.detail).model_dump_json().encode()


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_does_not_have_are_no_json(value: str) -> None:
    text = reply_of(spanned(last=2)).replace("2", value)
    assert verdict(text, mode="span") == ("invalid_json", 0)
    assert verdict(text[:-2], "length", mode="span") == ("truncated", 0)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 100_000 + "]" * 100_000])
def test_deep_nesting_is_no_crash(text: str) -> None:
    assert verdict(text)[0] in ("degenerate", "invalid_json")
    assert verdict('{"extractions": [' + text) == ("degenerate", 0)


def test_every_depth_that_can_just_be_read_is_judged() -> None:
    # Between "can be parsed" and "can be shown in a message" lie a few depths; all of them must get a state.
    limit = sys.getrecursionlimit()
    for depth in range(limit // 2, limit + 50):
        nested = "[" * depth + "]" * depth
        for text in (f'{{"extractions":{nested}}}', f'{{"extractions":[{{"tags":{nested}}}]}}'):
            assert verdict(text)[0] in ("schema_violation", "invalid_json")
        assert verdict(f'{{"extractions":[{{"tags":{nested}}}', "length") == ("truncated", 0)


def test_integers_of_five_thousand_digits_are_no_crash() -> None:
    text = reply_of(spanned(last=77777)).replace("77777", "7" * 5000)
    assert verdict(text, mode="span") in (("invalid_json", 0), ("schema_violation", 0))
    assert verdict(text[:-2], "length", mode="span") == ("truncated", 0)


@pytest.mark.parametrize(
    "text",
    [
        reply_of(quoted("first")).replace('"quote"', '"quote": "zeroth", "quote"'),
        reply_of(WHOLE)[:-1] + ', "extractions": []}',
        '{"extractions": [], ' + reply_of(WHOLE)[1:],
        reply_of(WHOLE).replace('"source"', '"source": "NNCA", "source"'),
    ],
)
def test_of_two_values_under_one_key_neither_counts(text: str) -> None:
    for finish_reason in ("stop", "length"):
        assert verdict(text, finish_reason) == ("invalid_json", 0)
        assert "one key" in (judge().judge(raw(text, finish_reason), 10).detail or "")
    assert verdict(f"```json\n{text}\n```") == ("invalid_json", 0)


def test_half_a_surrogate_pair_can_be_written_as_utf_8() -> None:
    item = quoted("Sales \ud800 rose", tags=["\udc00"], period="\ud800\ud800")
    judged = judge().judge(raw(reply_of(item, quoted("\U0001f600"))), 10)
    assert [i.quote for i in judged.items] == ["Sales \ufffd rose", "\U0001f600"]
    assert (judged.items[0].tags, judged.items[0].period) == (("\ufffd",), "\ufffd\ufffd")
    for text in (
        reply_of(item),
        "\ud800",
        '{"extractions": [{"\ud800": 1}]}',
        '{"extractions": ["\\ud800"]}',
        '{"\\udfff": 1}',
    ):
        record(judge().judge(raw(text), 10)).decode()
        record(judge("span").judge(raw(reply_of(spanned(edge="\ud800"))), 10)).decode()
    record(judge().judge(RawReply(state=ReplyState.ERROR, detail="\ud800", text="\udfff"), 10)).decode()


MEGABYTE = 1_000_000
HOSTILE = {
    "blanks then text": "\n" * MEGABYTE + "x",
    "fence over blank lines": "```json\nx" + "\n" * MEGABYTE + "y",
    "fences": "```\n" * (MEGABYTE // 4) + "x",
    "fence marks with blanks": ("```json" + " " * 93) * (MEGABYTE // 100) + "x",
    "no end of thoughts": "<think>" + "</thinkin" * (MEGABYTE // 9) + "x",
    "nearly a phrase": "ab" * (MEGABYTE // 2) + "c",
    "nearly a long phrase": ("x" * 499 + "y") * (MEGABYTE // 500) + "z",
    "wrong tags": '{"extractions":[{"tags":[' + "1," * (MEGABYTE // 2) + "1]}]}",
    "wrong items": '{"extractions":[' + '{"a":1},' * (MEGABYTE // 8) + "1",
    "long integer": '{"extractions":[{"first":' + "9" * MEGABYTE + "}]}",
    "long number in a cut": '{"extractions":[{"first":' + "91" * (MEGABYTE // 2) + "x",
    "braces": "x{" * (MEGABYTE // 2) + "x" + "}" * (MEGABYTE // 2),
    "list names": '{"extractions" ' * (MEGABYTE // 15) + "x",
    "half surrogates": '{"extractions":["' + "\\ud800" * (MEGABYTE // 6) + '"]}',
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("mode", ["quote", "span"])
def test_a_megabyte_of_anything_is_judged_at_once(name: str, mode: Any) -> None:
    # 2 s leave room for a busy machine; what these texts once took was 2 s to hours.
    start = time.process_time()
    for finish_reason in ("stop", "length"):
        record(judge(mode).judge(raw(HOSTILE[name], finish_reason), 10))
    assert time.process_time() - start < 2
