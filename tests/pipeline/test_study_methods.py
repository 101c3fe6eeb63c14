"""What a study says of how it was done is true of its runs, and no more than that."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fingreat.pipeline.extract import ExtractConfig
from fingreat.pipeline.questions import ClassifyConfig
from fingreat.pipeline.study import methods
from fingreat.pipeline.study.config import Classifier, ClassifySettings, Extractor, ExtractSettings
from fingreat.pipeline.study.material import Material
from fingreat.pipeline.study.runs import Outcome, StudyRun
from fingreat.runs import RunFolder
from fingreat.runs.environment import Code

OURS = Code(version="1.0", commit="a" * 40, dirty=False)
EARLIER = Code(version="0.9", commit="b" * 40, dirty=True)


def classified(name: str, model: str, **asked: Any) -> StudyRun:
    config = ClassifyConfig(model=model, **asked)
    return StudyRun(Classifier(name=name, model=model), ClassifySettings(), config, RunFolder(Path(name)))


def extracted(name: str, model: str, **asked: Any) -> StudyRun:
    config = ExtractConfig(model=model, **asked)
    return StudyRun(Extractor(name=name, model=model), ExtractSettings(), config, RunFolder(Path(name)))


def outcome(run: StudyRun, code: Code = OURS, *earlier: Code, model: str = "") -> Outcome:
    sessions = [SimpleNamespace(code=one) for one in earlier]
    manifest = SimpleNamespace(code=code, earlier=sessions, model=SimpleNamespace(model=model), counts={})
    return Outcome(run, "there", cast(Any, manifest))


def of(*outcomes: Outcome) -> Material:
    return cast(Material, SimpleNamespace(found=outcomes))


@pytest.fixture(autouse=True)
def _ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods, "our_code", lambda: OURS)


def test_a_study_of_one_state_of_the_code_names_it_once() -> None:
    run = outcome(classified("a", "lexicon"))
    assert " ".join(methods._software(of(run))).count("commit") == 1


def test_states_of_the_code_are_told_with_their_runs_those_with_changes_too() -> None:
    """The second run began with the earlier code and was finished with ours: both made it."""
    runs = [outcome(classified("a", "lexicon")), outcome(classified("b", "embed"), OURS, EARLIER)]
    assert list(methods._software(of(*runs)))[1] == (
        "Its runs were made with 2 states of the code: fingreat 1.0, commit aaaaaaaaaaaaaaaa (2 runs), "
        "fingreat 0.9, commit bbbbbbbbbbbbbbbb with uncommitted changes (1 run)."
    )
    alone = outcome(classified("b", "embed"), EARLIER)
    assert list(methods._software(of(alone)))[1] == (
        "Its runs were made with fingreat 0.9, commit bbbbbbbbbbbbbbbb with uncommitted changes."
    )


def test_a_model_in_two_modes_is_one_model() -> None:
    runs = [extracted("words", "lexicon"), extracted("spans", "lexicon", mode="span"), extracted("near", "embed")]
    assert methods._models(runs) == "3 runs of 2 models (words, spans, near)"
    assert methods._models(runs[1:]) == "2 models (spans, near)"


def test_what_is_no_language_model_is_described_once_and_is_asked_nothing() -> None:
    quoting, typing = outcome(extracted("words", "lexicon")), outcome(classified("words", "lexicon"))
    near = [outcome(classified(name, "embed"), model="e5") for name in ("near", "bare")]
    assert list(methods._unprompted(of(quoting, typing, *near, outcome(classified("qwen", "hf:qwen"))))) == [
        "words is no language model: it finds weighted cue phrases of the graph file, reads chunks and a passage "
        "without what is around it, and uses neither prompt nor sampling.",
        "near, bare are no language models: each takes the relationship whose definition and statements lie nearest "
        "to a sentence's embedding (e5), reads a passage without what is around it, and uses neither prompt nor "
        "sampling.",
    ]
    assert list(methods._asked([typing.run, near[0].run])) == []


def test_whom_a_passage_was_shown_alone_and_without_figures_is_said() -> None:
    runs = [classified("full", "scripted:a"), classified("bare", "scripted:b", context="none", mask=("figures",))]
    shown = " ".join(methods._shown(of(), runs))
    assert "its section, its paragraph or a window around it" in shown
    assert shown.endswith("of answer; to bare it was shown alone.")
    assert list(methods._masked(runs)) == ["Figures were taken out of what was shown for bare."]
    assert list(methods._shown(of(), runs[1:])) == ["A passage was shown alone, without a word on its filing."]


def test_the_members_of_a_vote_are_named_where_there_is_a_vote() -> None:
    ensemble = SimpleNamespace(ensemble=SimpleNamespace(members=("a", "b")))
    judged = SimpleNamespace(config=ensemble, found=(), extractions=lambda *_: ["judge"])
    alone = SimpleNamespace(config=ensemble, found=(), extractions=lambda *_: [])
    assert list(methods._ensemble(cast(Material, judged))) == ["Ensemble: the vote is that of a, b."]
    assert list(methods._ensemble(cast(Material, alone))) == []
