"""What is said of a run's model: the level of reasoning that it is asked at, tables of the models file beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pipeline_builders import SENTENCES, Counting, corpus_of, html

from fingreat.pipeline import Corpus, ExtractConfig, extract
from fingreat.pipeline.asked_model import HOTTEST, MOST_RESENDS, resampled
from fingreat.pipeline.asking import AskOptions
from fingreat.pipeline.extract import plan_extract
from fingreat.pipeline.progress import Silent
from fingreat.schema import Sampling

DEFAULT = "the provider's default level of reasoning"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return corpus_of(tmp_path_factory.mktemp("model"), a=html(SENTENCES))


class Told(Silent):
    """Keeps what whoever watches is told."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, line: str) -> None:
        self.notes.append(line)


@pytest.mark.parametrize(
    ("model", "base_url", "level"),
    [
        ("openai:gpt-5", None, "minimal"),
        ("anthropic:claude-sonnet-5", None, DEFAULT),
        # A model on the user's own server, or in this process, is told not to think at all.
        ("openai:gpt-5", "http://localhost:8000/v1", None),
        ("scripted:x", None, None),
    ],
)
def test_the_manifest_says_at_which_level_of_reasoning_a_provider_is_asked(
    model: str, base_url: str | None, level: str | None, corpus: Corpus, tmp_path: Path
) -> None:
    config = ExtractConfig(model=model, base_url=base_url)
    assert extract(corpus, config, tmp_path / "run", backend=Counting()).model.reasoning == level


def test_a_dry_run_says_where_the_providers_default_level_holds(corpus: Corpus, tmp_path: Path) -> None:
    def notes(model: str) -> str:
        return " ".join(plan_extract(corpus, ExtractConfig(model=model), tmp_path / "run").notes)

    assert f"The model is asked at {DEFAULT}" in notes("anthropic:claude-sonnet-5")
    assert DEFAULT not in notes("anthropic:claude-fable-5-1")


def test_a_table_that_looks_meant_for_the_model_is_told_by_run_and_dry_run(corpus: Corpus, tmp_path: Path) -> None:
    file = tmp_path / "models.toml"
    file.write_text('format = 1\n[model."gpt-4o"]\nfamily = "mine"\n')
    said = '[model."gpt-4o"] of the models file is not taken for openai:gpt-4o-2024-08-06'
    config = ExtractConfig(model="openai:gpt-4o-2024-08-06", models_file=file)
    told = Told()
    extract(corpus, config, tmp_path / "run", backend=Counting(), progress=told, options=AskOptions(trial=False))
    assert [note for note in told.notes if said in note]
    assert said in plan_extract(corpus, config, tmp_path / "dry").notes[0]
    its_own = config.model_copy(update={"model": "openai:gpt-4o"})
    assert "not taken" not in " ".join(plan_extract(corpus, its_own, tmp_path / "dry").notes)


def test_the_last_seed_asked_again_as_often_as_may_be_is_still_one_of_31_bits() -> None:
    seed, heat = (ExtractConfig.model_fields[name].metadata for name in ("seed", "temperature"))
    last, hottest = (next(limit.le for limit in limits if hasattr(limit, "le")) for limits in (seed, heat))
    sampling = Sampling(max_tokens=1, temperature=hottest, seed=last)
    for attempt in range(MOST_RESENDS + 1):
        drawn = resampled(sampling, attempt)
        assert 0 <= drawn.seed < 2**31
        assert drawn.temperature <= 2
    assert (drawn.seed, hottest) == (2**31 - 1, HOTTEST)
