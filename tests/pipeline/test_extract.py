"""From a corpus to grounded extractions: counts add up, offsets hold, nothing is asked twice or mixed."""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import as_file, files
from pathlib import Path

import pytest
from pipeline_builders import (
    CONFIG,
    SENTENCES,
    Counting,
    Watching,
    assert_counts_add_up,
    corpus_of,
    extraction_bytes,
    extractions_of_run,
    failures_of_run,
    first_sentence,
    html,
    replies_of_run,
    reply,
    submission,
)

from fingreat.edgar import chunk_section
from fingreat.errors import CorpusError, InputError, RunError
from fingreat.inference import RawReply, ReplyJudge, reply_log
from fingreat.inference.backend import ModelSpec, Settings
from fingreat.inference.lexicon import LexiconBackend
from fingreat.matching.normalise import normalise
from fingreat.pipeline import Corpus, ExtractConfig, extract
from fingreat.pipeline.ground import Place
from fingreat.pipeline.pieces import Lead, Pieces
from fingreat.runs import RunFolder
from fingreat.schema import Mode, ReplyState, Request, Verdict, load_graph


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """A corpus of the shipped filing."""
    corpus = Corpus(tmp_path_factory.mktemp("shipped") / "corpus")
    with as_file(files("fingreat.shipped") / "quernholt-2024.htm") as path:
        corpus.add([path])
    corpus.make_sections("7")
    return corpus


@pytest.mark.parametrize("mode", ["quote", "span"])
def test_the_lexicon_reads_the_shipped_filing_end_to_end(mode: Mode, shipped: Corpus, tmp_path: Path) -> None:
    config = ExtractConfig(model="lexicon", mode=mode, tokens=1500)
    manifest = extract(shipped, config, tmp_path / "run")
    assert_counts_add_up(manifest, tmp_path / "run")
    section = next(shipped.sections("7"))
    chunks = {chunk.id: chunk for chunk in chunk_section(section, 1500)}
    assert manifest.counts["requests"] == len(chunks)
    extractions = extractions_of_run(tmp_path / "run")
    assert len(extractions) > 50
    for extraction in extractions:
        chunk = chunks[extraction.chunk_id]
        assert extraction.verdict.grounded
        assert extraction.filing_id == section.filing_id
        for start, end in extraction.ranges:
            assert normalise(section.text[start:end]).text == normalise(extraction.quote).text
            assert chunk.start <= start < end <= chunk.end
        if mode == "span":
            assert [section.text[start:end] for start, end in extraction.ranges] == [extraction.quote]
            assert extraction.verdict is Verdict.EXACT


def test_both_modes_find_the_same_edges_in_the_shipped_filing(shipped: Corpus, tmp_path: Path) -> None:
    edges = {}
    for mode in ("quote", "span"):
        extract(shipped, ExtractConfig(model="lexicon", mode=mode, tokens=1500), tmp_path / mode)
        edges[mode] = Counter(extraction.edge for extraction in extractions_of_run(tmp_path / mode))
    assert edges["quote"] == edges["span"]


def test_two_runs_give_the_same_ids_and_bytes(shipped: Corpus, tmp_path: Path) -> None:
    config = ExtractConfig(model="lexicon", tokens=1500)
    for folder in ("a", "b"):
        extract(shipped, config, tmp_path / folder / "run")
    assert extraction_bytes(tmp_path / "a" / "run") == extraction_bytes(tmp_path / "b" / "run")
    assert replies_of_run(tmp_path / "a" / "run") == replies_of_run(tmp_path / "b" / "run")


def test_a_real_filing_is_read_with_offsets_that_hold(shared: Path, tmp_path: Path) -> None:
    path = shared / "filings" / "dev" / "1045810_2024_nvda.htm.gz"
    if not path.is_file():
        pytest.skip("the shared filings lack 1045810_2024_nvda.htm.gz")
    corpus = Corpus(tmp_path / "corpus")
    corpus.add([path])
    corpus.make_sections("7")
    manifest = extract(corpus, ExtractConfig(model="lexicon"), tmp_path / "run")
    assert_counts_add_up(manifest, tmp_path / "run")
    text = next(corpus.sections("7")).text
    for extraction in extractions_of_run(tmp_path / "run"):
        assert extraction.verdict.grounded
        for start, end in extraction.ranges:
            assert normalise(text[start:end]).text == normalise(extraction.quote).text


def test_a_second_call_asks_nothing_and_changes_nothing(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html(), b=html(company="B"))
    out = tmp_path / "run"
    backend, progress = Counting(), Watching()
    first = extract(corpus, CONFIG, out, backend=backend, progress=progress)
    assert_counts_add_up(first, out)
    asked = backend.asked.copy()
    assert set(asked.values()) == {1}
    before = extraction_bytes(out), (out / "failures.jsonl").read_bytes(), (out / "done" / "extract").read_bytes()
    second = extract(corpus, CONFIG, out, backend=backend, progress=progress)
    assert backend.asked == asked
    assert before == (extraction_bytes(out), (out / "failures.jsonl").read_bytes(), (out / "done/extract").read_bytes())
    assert second.counts == first.counts
    assert second.created == first.created
    assert progress.begun == [(len(asked), 0), (len(asked), len(asked))]
    assert len(progress.replies) == len(asked)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"mode": "span"}, "resolved.mode was 'quote', now 'span'"),
        ({"tokens": 128}, "resolved.tokens was 64, now 128"),
        ({"guide": "none"}, "resolved.guide was 'rules', now 'none'"),
        ({"seed": 1}, "resolved.seed was 0, now 1"),
        ({"temperature": 0.5}, "resolved.temperature was 0.0, now 0.5"),
        ({"max_tokens": 101}, "resolved.max_tokens was 100, now 101"),
        ({"facets": True}, "resolved.facets was False, now True"),
        ({"model": "scripted:y"}, "model.spec was 'scripted:x', now 'scripted:y'"),
    ],
)
def test_other_settings_are_refused_by_name_and_the_run_stays(
    change: dict[str, object], named: str, tmp_path: Path
) -> None:
    corpus = corpus_of(tmp_path, a=html(SENTENCES[:3]))
    extract(corpus, CONFIG, tmp_path / "run", backend=Counting())
    before = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}
    backend = Counting()
    with pytest.raises(RunError) as caught:
        extract(corpus, CONFIG.model_copy(update=change), tmp_path / "run", backend=backend)
    assert named in caught.value.message
    assert not backend.asked
    assert before == {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}


def test_a_corpus_folder_is_no_place_for_a_run(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html())
    before = (corpus.path / "manifest.json").read_bytes()
    with pytest.raises(InputError, match="is the corpus"):
        extract(corpus, CONFIG, corpus.path, backend=Counting())
    assert (corpus.path / "manifest.json").read_bytes() == before


def test_a_run_into_the_current_folder_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = corpus_of(tmp_path, a=html(SENTENCES[:3]))
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path / "mine")
    assert extract(corpus, CONFIG, Path(), backend=Counting()).name == "mine"
    assert {extraction.run for extraction in extractions_of_run(Path())} == {"mine"}


def test_a_model_with_too_little_context_is_refused_before_anything_is_asked_or_made(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html())
    backend = Counting(context=600)
    with pytest.raises(InputError, match="the model holds 600") as caught:
        extract(corpus, CONFIG, tmp_path / "run", backend=backend)
    assert "Use a model that holds more" in str(caught.value)
    assert not backend.asked
    assert not (tmp_path / "run").exists()


def test_a_corpus_without_a_readable_item_is_one_clear_error(tmp_path: Path) -> None:
    nothing = html().replace(b"Item 7. Management's Discussion and Analysis", b"Item 2. Properties")
    corpus = corpus_of(tmp_path, a=nothing)
    with pytest.raises(CorpusError, match="no filing has a readable item 7"):
        extract(corpus, CONFIG, tmp_path / "run", backend=Counting())
    assert not (tmp_path / "run").exists()


def test_a_model_that_finds_nothing_gives_a_complete_and_empty_run(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html())
    backend = Counting(lambda request: RawReply(text='{"extractions": []}', finish_reason="stop"))
    manifest = extract(corpus, CONFIG, tmp_path / "run", backend=backend)
    assert_counts_add_up(manifest, tmp_path / "run")
    assert manifest.counts["extractions"] == 0
    assert manifest.counts["outputs"] == len(backend.asked)
    assert manifest.counts["grounded_share"] is None


WHOLE = '{"quote": "We make pumps", "edge": {"source": "REV", "target": "NNCA"}, "tags": [], "period": null}'
ENDS: dict[ReplyState, tuple[RawReply, int]] = {
    ReplyState.OK: (RawReply(text=f'{{"extractions": [{WHOLE}]}}', finish_reason="stop"), 1),
    ReplyState.TRUNCATED: (RawReply(text=f'{{"extractions": [{WHOLE}, {{"quote": "Net', finish_reason="length"), 1),
    ReplyState.DEGENERATE: (RawReply(text=f'{{"extractions": [{WHOLE},' + "\n" * 400, finish_reason="length"), 1),
    ReplyState.INVALID_JSON: (RawReply(text="Sales rose.", finish_reason="stop"), 0),
    ReplyState.SCHEMA_VIOLATION: (RawReply(text='{"extractions": [{"quote": 3}]}', finish_reason="stop"), 0),
    ReplyState.OFF_GRAPH: (
        RawReply(text=f'{{"extractions": [{WHOLE}, {WHOLE.replace("REV", "COGS")}]}}', finish_reason="stop"),
        1,
    ),
    ReplyState.BLOCKED: (RawReply(state=ReplyState.BLOCKED, detail="the provider refused"), 0),
    ReplyState.TOO_LONG: (RawReply(state=ReplyState.TOO_LONG, detail="too many tokens"), 0),
    ReplyState.ERROR: (RawReply(state=ReplyState.ERROR, detail="the line is down"), 0),
}


def test_every_state_ends_as_output_or_as_failure_with_reason_and_kept_count(tmp_path: Path) -> None:
    sentences = [f"{sentence} It was so in all {i} years that we report here." for i, sentence in enumerate(SENTENCES)]
    corpus = corpus_of(tmp_path, a=html(sentences))
    ends = iter(ENDS.values())
    given: dict[str, RawReply] = {}
    too_long: set[str] = set()

    def respond(request: Request) -> RawReply:
        # A piece of what is too long is too long here, down to a single segment.
        again = too_long.issuperset(request.segments) and ENDS[ReplyState.TOO_LONG][0]
        given[request.key] = again or (next(ends)[0] if len(given) < len(ENDS) else ENDS[ReplyState.OK][0])
        if given[request.key].state is ReplyState.TOO_LONG:
            too_long.update(request.segments)
        return given[request.key]

    config = CONFIG.model_copy(update={"tokens": 50, "resend": 0})
    manifest = extract(corpus, config, tmp_path / "run", backend=Counting(respond))
    assert_counts_add_up(manifest, tmp_path / "run")
    assert all(manifest.counts["requests_by_state"][state.value] >= 1 for state in ReplyState)
    keys = dict(zip(given, ENDS, strict=False))
    failures = failures_of_run(tmp_path / "run")
    assert {keys[f.id]: f.kept for f in failures} == {
        s: kept for s, (_, kept) in ENDS.items() if s is not ReplyState.OK
    }
    for failure in failures:
        assert failure.state == keys[failure.id]
        assert failure.stage == "ask"
        assert failure.reason
        assert failure.filing_id == corpus.filings()[0].id
    # Whole extractions of a damaged reply stay, and "We make pumps" stands in Item 1 only.
    extractions = extractions_of_run(tmp_path / "run")
    assert {extraction.verdict for extraction in extractions} == {Verdict.NOT_FOUND}
    assert len(extractions) == manifest.counts["outputs"] + 3


def test_what_failed_for_a_passing_reason_is_asked_again_and_then_counts_once(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html())
    down = True

    def respond(request: Request) -> RawReply:
        fails = down and SENTENCES[5] in "".join(request.segments)
        return RawReply(state=ReplyState.ERROR, detail="the line is down") if fails else first_sentence(request)

    backend, progress = Counting(respond), Watching()
    first = extract(corpus, CONFIG, tmp_path / "run", backend=backend, progress=progress)
    assert first.counts["requests_by_state"]["error"] == first.counts["failures"] == 1
    down = False
    second = extract(corpus, CONFIG, tmp_path / "run", backend=backend, progress=progress)
    assert (second.counts["failures"], second.counts["requests"]) == (0, first.counts["requests"])
    assert sorted(backend.asked.values())[-2:] == [1, 2]
    assert failures_of_run(tmp_path / "run") == []
    assert RunFolder(tmp_path / "run").verify() == []
    # The one to be asked again is not "done" beforehand.
    assert progress.begun[1] == (first.counts["requests"], first.counts["requests"] - 1)


def test_a_failure_whose_reason_holds_line_separators_can_be_read_back(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html(SENTENCES[:2]))
    refusal = RawReply(state=ReplyState.BLOCKED, detail="a\u2028b\x85c\x0bd")
    extract(corpus, CONFIG, tmp_path / "run", backend=Counting(lambda request: refusal))
    assert {failure.reason for failure in failures_of_run(tmp_path / "run")} == {"a\u2028b\x85c\x0bd"}


def test_filings_of_equal_words_share_requests_but_not_extractions_and_cost_once(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=submission("0000000001-24-000001"), b=submission("0000000002-24-000002"))
    backend, progress = Counting(), Watching()
    manifest = extract(corpus, CONFIG, tmp_path / "run", backend=backend, progress=progress)
    assert_counts_add_up(manifest, tmp_path / "run")
    distinct = len(backend.asked)
    assert set(backend.asked.values()) == {1}
    assert manifest.counts["requests"] == 2 * distinct
    assert manifest.counts["replies"] == distinct
    # first_sentence states 10 tokens in and 3 out per reply.
    assert (manifest.counts["prompt_tokens"], manifest.counts["output_tokens"]) == (10 * distinct, 3 * distinct)
    assert progress.begun == [(distinct, 0)]
    assert len(progress.replies) == distinct
    by_filing = Counter(extraction.filing_id for extraction in extractions_of_run(tmp_path / "run"))
    assert set(by_filing.values()) == {distinct}
    assert len(by_filing) == 2


def test_a_chunk_that_occurs_twice_in_one_filing_gives_two_places(tmp_path: Path) -> None:
    same = "Sales rose by 5% in the year because demand for our pumps grew in every region that we serve today."
    corpus = corpus_of(tmp_path, a=html([same] * 6))
    backend = Counting()
    manifest = extract(corpus, CONFIG.model_copy(update={"tokens": 24}), tmp_path / "run", backend=backend)
    assert_counts_add_up(manifest, tmp_path / "run")
    extractions = [x for x in extractions_of_run(tmp_path / "run") if x.quote == same]
    assert len(extractions) == 6 > len(backend.asked) - 1
    assert len({extraction.ranges for extraction in extractions}) == 6
    assert not any(extraction.ambiguous or extraction.outside_chunk for extraction in extractions)


def test_a_quote_that_stands_in_another_chunk_only_is_marked(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html())
    backend = Counting(lambda request: RawReply(text=reply((SENTENCES[0], "REV", "NNCA"))))
    extract(corpus, CONFIG, tmp_path / "run", backend=backend)
    text = next(corpus.sections("7")).text
    start = text.index(SENTENCES[0])
    extractions = extractions_of_run(tmp_path / "run")
    assert [extraction.outside_chunk for extraction in extractions] == [False] + [True] * (len(extractions) - 1)
    assert len(extractions) > 3
    assert {extraction.ranges for extraction in extractions} == {((start, start + len(SENTENCES[0])),)}
    assert {extraction.verdict for extraction in extractions} == {Verdict.EXACT}


def test_spans_are_the_numbered_segments_without_the_white_space_around_them(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html())

    def all_of_it(request: Request) -> RawReply:
        item = {"first": 1, "last": len(request.segments), "edge": "REV-NNCA", "tags": []}
        return RawReply(text=json.dumps({"extractions": [item]}))

    extract(corpus, CONFIG.model_copy(update={"mode": "span"}), tmp_path / "run", backend=Counting(all_of_it))
    section = next(corpus.sections("7"))
    extractions = extractions_of_run(tmp_path / "run")
    chunks = chunk_section(section, CONFIG.tokens)
    assert [x.quote for x in extractions] == [section.text[c.start : c.end].strip() for c in chunks]
    for extraction in extractions:
        ((start, end),) = extraction.ranges
        assert section.text[start:end] == extraction.quote


def test_a_second_run_into_the_same_folder_at_the_same_time_is_refused(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html())

    def respond(request: Request) -> RawReply:
        with pytest.raises(RunError, match="another process is working here"):
            extract(corpus, CONFIG, tmp_path / "run", backend=Counting())
        return first_sentence(request)

    assert_counts_add_up(extract(corpus, CONFIG, tmp_path / "run", backend=Counting(respond)), tmp_path / "run")


@pytest.mark.parametrize(
    ("reasoning", "state"),
    [
        ('{"extractions": []}', "ok"),
        (f'{{"extractions": [{WHOLE}, {{"quote": "Net', "invalid_json"),
        ("I think that sales rose.", "invalid_json"),
    ],
)
def test_a_reply_in_the_reasoning_field_has_one_state_everywhere(reasoning: str, state: str, tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html(SENTENCES[:3]))
    thought = RawReply(text="", reasoning=reasoning, finish_reason="stop")
    config = CONFIG.model_copy(update={"resend": 0})
    manifest = extract(corpus, config, tmp_path / "run", backend=Counting(lambda request: thought))
    # Compares, among others, the states in replies/ with the failures of the run.
    assert_counts_add_up(manifest, tmp_path / "run")
    assert manifest.counts["requests_by_state"][state] == manifest.counts["requests"]
    assert {reply_state.value for reply_state, _ in replies_of_run(tmp_path / "run").values()} == {state}


def test_a_request_without_a_reply_is_an_error_not_a_gap(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html(SENTENCES[:3]))
    section = next(corpus.sections("7"))
    chunk = chunk_section(section, 64)[0]
    asked: list[Request] = []
    extract(corpus, CONFIG, tmp_path / "run", backend=Counting(lambda r: asked.append(r) or first_sentence(r)))
    with reply_log(tmp_path / "empty") as log:
        pieces = Pieces("run", lambda section, piece, attempt: asked[0], log, ReplyJudge(load_graph(), "quote"), 2)
        with pytest.raises(RunError, match="has no reply"):
            pieces.ended(Place(section), chunk, [Lead(chunk, asked[0].key)])


def test_the_manifest_pins_what_was_read_and_asked(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html())
    manifest = extract(corpus, CONFIG, tmp_path / "run", backend=Counting())
    asked = {"model": "scripted:x", "tokens": 64, "max_tokens": 100, "corpus": str(tmp_path.resolve() / "corpus")}
    assert manifest.asked == asked
    assert manifest.resolved["guide"] == "rules"
    assert manifest.seeds == {"sampling": 0}
    assert manifest.hashes["graph"] == load_graph().digest
    assert manifest.model.backend == "scripted"
    assert set(manifest.hashes) == {"prompt", "graph", "reply_schema"}


def test_a_backend_that_is_handed_in_stays_open(shipped: Corpus, tmp_path: Path) -> None:
    class Open(LexiconBackend):
        def close(self) -> None:
            raise RuntimeError("closed by somebody else")

    backend = Open(ModelSpec("lexicon"), load_graph(), Settings())
    assert extract(shipped, ExtractConfig(model="lexicon"), tmp_path / "run", backend=backend).status == "complete"


def test_damaged_answers_are_never_sealed_again(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html(SENTENCES[:3]))
    out = tmp_path / "run"
    extract(corpus, CONFIG, out, backend=Counting())
    part = next((out / "replies").glob("part-*.jsonl"))
    good = part.read_bytes()
    part.write_bytes(good.replace(b"stop", b"stob", 1))
    with pytest.raises(RunError, match="answers of this run are damaged"):
        extract(corpus, CONFIG, out, backend=Counting())
    part.write_bytes(good)
    assert extract(corpus, CONFIG, out, backend=Counting()).status == "complete"


def test_sections_cannot_be_made_anew_while_a_run_reads_them(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html(SENTENCES[:3]))

    class Meddling(Counting):
        def answer(self, requests):  # type: ignore[no-untyped-def]
            with pytest.raises(RunError, match="another process is working here"):
                corpus.make_sections("7", again=True)
            yield from super().answer(requests)

    assert extract(corpus, CONFIG, tmp_path / "run", backend=Meddling()).status == "complete"
