"""What a run that is only counted knows of its model, against what the real back end says."""

from __future__ import annotations

import pytest
from servers.providers.local import LocalProvider
from servers.providers.openai import OpenAIWire

from fingreat.errors import BackendError, InputError
from fingreat.inference import Settings, create_backend
from fingreat.inference.dry import DryBackend, dry_backend
from fingreat.inference.lexicon import LexiconBackend
from fingreat.inference.presets import Preset
from fingreat.inference.requirements import has_module
from fingreat.schema import load_graph

GRAPH = load_graph()
PRESET = Preset(chat_template={"enable_thinking": False}, request={"reasoning_effort": "none"})


@pytest.mark.skipif(not has_module("openai"), reason="needs the openai package")
def test_a_server_of_ones_own_gets_the_same_options_as_in_a_real_run() -> None:
    with LocalProvider(OpenAIWire()) as provider:
        settings = Settings(preset=PRESET, base_url=f"{provider.base}/v1")
        real = create_backend("openai:small", GRAPH, settings)
        asked = len(provider.log.requests)
        dry = dry_backend("openai:small", GRAPH, settings)
        assert len(provider.log.requests) == asked
    assert (dry.model, dry.revision, dry.options) == (real.model, real.revision, real.options)
    assert dry.options["chat_template_kwargs"] == {"enable_thinking": False}


@pytest.mark.parametrize(
    ("backend", "key", "module"),
    [
        ("openai", "OPENAI_API_KEY", "openai"),
        ("anthropic", "ANTHROPIC_API_KEY", "anthropic"),
        ("gemini", "GEMINI_API_KEY", "google.genai"),
    ],
)
def test_hosted_models_are_counted_without_a_key_or_a_line(
    backend: str, key: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(key, raising=False)
    dry = dry_backend(f"{backend}:some-model", GRAPH, Settings(preset=PRESET))
    assert isinstance(dry, DryBackend)
    assert dry.certain
    assert dry.is_language_model
    assert (dry.model, dry.options) == ("some-model", {"reasoning_effort": "none"})
    if has_module(module):
        with pytest.raises(InputError):
            create_backend(f"{backend}:some-model", GRAPH, Settings(preset=PRESET))


@pytest.mark.skipif(has_module("transformers"), reason="transformers would look for the model")
@pytest.mark.parametrize("backend", ["vllm", "hf"])
def test_a_model_whose_library_is_not_here_is_known_by_name_and_said_to_be_uncertain(backend: str) -> None:
    dry = dry_backend(f"{backend}:some/model", GRAPH, Settings())
    assert isinstance(dry, DryBackend)
    assert not dry.certain
    assert dry.model == "some/model"


@pytest.mark.parametrize("spec", ["vllm:/nowhere", "vllm:~/nowhere", "hf:./nowhere", "vllm:a/b/c"])
def test_a_folder_that_is_not_there_is_refused_with_or_without_the_library(spec: str) -> None:
    with pytest.raises(InputError, match=r"there is no such model folder"):
        dry_backend(spec, GRAPH, Settings())


@pytest.mark.parametrize(("spec", "words"), [("openai", "names no model"), ("gemini:m@1", "takes no revision")])
def test_a_hosted_model_without_a_name_or_with_a_revision_is_refused_as_in_a_real_run(spec: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        dry_backend(spec, GRAPH, Settings())


def test_what_has_no_engine_is_itself() -> None:
    assert isinstance(dry_backend("lexicon", GRAPH, Settings()), LexiconBackend)


def test_it_answers_nothing() -> None:
    with pytest.raises(BackendError, match="asks nothing"):
        DryBackend("m").answer([])


def test_an_unknown_back_end_is_refused() -> None:
    with pytest.raises(InputError, match="there is no back end 'nowhere'"):
        dry_backend("nowhere:m", GRAPH, Settings())
