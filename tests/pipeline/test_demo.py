"""The demo leaves a page whose figures are those of its runs, and says what could not run."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from pipeline_builders import html

import fingreat.pipeline.demo as demo_module
from fingreat.analysis import EdgeScore, GoldScore, Ratio
from fingreat.errors import InputError, MissingExtraError
from fingreat.pipeline import Corpus, run_demo
from fingreat.pipeline.demo import in_words
from fingreat.runs import RunFolder


def test_the_page_holds_the_score_and_a_second_call_reuses_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run_demo(tmp_path, models=("lexicon",))
    (run,) = first.runs
    assert first.missing == {}
    page = first.page.read_text(encoding="utf-8")
    for ratio in (run.score.precision, run.score.recall):
        assert 0 < ratio.hits <= ratio.total
        assert f"{ratio.hits} of {ratio.total}" in page or f"{ratio.hits}/{ratio.total}" in page
    assert in_words(run.score).partition(" (p = ")[0] in page.replace("&#39;", "'")
    # A reader's count: every extraction is right, or located, or neither.
    assert run.score.precision.total + run.score.duplicates == len(run.extractions)
    assert run.score.typed.total == run.score.located.hits <= run.score.located.total

    def no_model(*arguments: Any, **options: Any) -> None:
        raise AssertionError("asked again")

    monkeypatch.setattr("fingreat.inference.lexicon.LexiconBackend._extractions", no_model)
    second = run_demo(tmp_path, models=("lexicon",))
    assert second.runs[0].extractions == run.extractions
    assert second.runs[0].score == run.score
    assert RunFolder(tmp_path / "runs" / "lexicon").verify() == []


def test_a_model_that_is_not_installed_is_listed_and_the_others_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # By its name: `fingreat.pipeline.extract` is the function that the package shows.
    module = import_module("fingreat.pipeline.extract")
    create = module.create_backend

    def without_extra(spec: str, graph: Any) -> Any:
        if spec == "embedded":
            raise MissingExtraError("back end 'embedded'", 'pip install "fingreat[embedded]"')
        return create(spec, graph)

    monkeypatch.setattr(module, "create_backend", without_extra)
    demo = run_demo(tmp_path, models=("embedded", "lexicon"))
    assert [run.manifest.name for run in demo.runs] == ["lexicon"]
    assert list(demo.missing) == ["embedded"]
    assert "embedded did not run" in demo.page.read_text(encoding="utf-8")
    assert not (tmp_path / "runs" / "embedded").exists()


def test_no_model_at_all_still_gives_the_page(tmp_path: Path) -> None:
    demo = run_demo(tmp_path, models=())
    assert demo.runs == ()
    assert demo.page.is_file()


def test_a_corpus_with_other_filings_is_refused_rather_than_scored_as_one(tmp_path: Path) -> None:
    (tmp_path / "other.htm").write_bytes(html())
    Corpus(tmp_path / "out" / "corpus").add([tmp_path / "other.htm"])
    with pytest.raises(InputError, match="holds 2 filings"):
        run_demo(tmp_path / "out", models=("lexicon",))
    assert not (tmp_path / "out" / "report.html").exists()


def score(**changes: Any) -> GoldScore:
    values: dict[str, Any] = {
        "precision": Ratio(1, 10),
        "recall": Ratio(1, 20),
        "located": Ratio(6, 10),
        "typed": Ratio(1, 6),
        "duplicates": 0,
        "chance_precision": 0.05,
        "chance_typed": 0.1,
        "typed_p_value": 0.47,
        "edges": (EdgeScore("REV-NNCA", Ratio(0, 0), Ratio(0, 1)),),
        "found": frozenset(),
        "other_edge": frozenset(),
    }
    return GoldScore(**{**values, **changes})


def test_a_score_at_chance_is_called_that() -> None:
    words = in_words(score())
    assert "6 of 10 extractions lie on evidence, 1 of them with an accepted edge." in words
    assert "At chance: an edge drawn at random would be right for 10% of them" in words
    assert "probability 0.47. Read its edges as guesses." in words


def test_a_score_above_chance_says_how_far_and_repeats_are_told() -> None:
    words = in_words(score(typed_p_value=0.0004, duplicates=3))
    assert "Above chance" in words
    assert "(p = 0.0004)" in words
    assert "3 repeated extractions" in words
    assert "Read its edges as guesses" not in words


def test_no_extractions_are_no_zero_per_cent() -> None:
    assert in_words(score(precision=Ratio(0, 0))) == "No extractions, so there is no precision."
    nothing = score(located=Ratio(0, 4), typed=Ratio(0, 0), chance_typed=None, typed_p_value=None)
    chance = f"{nothing.chance_precision:.1%}"
    assert in_words(nothing) == (
        "0 of 4 extractions lie on evidence, 0 of them with an accepted edge. No better than chance: a place and "
        f"an edge drawn at random are right with probability {chance}."
    )


def test_the_level_of_chance_is_five_per_cent() -> None:
    assert "Above chance" in in_words(score(typed_p_value=demo_module.SIGNIFICANT))
    assert "At chance" in in_words(score(typed_p_value=0.0501))
