"""What is known of models by name: families, switches, prices, the user's file on top, and files with faults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fingreat.errors import InputError
from fingreat.inference import parse_spec
from fingreat.inference.presets import Preset, load_presets

NO_THINKING = {"enable_thinking": False}


def found(spec: str, file: Path | None = None, **settings: Any) -> Preset:
    return load_presets(file).find(parse_spec(spec), **settings)


@pytest.fixture
def own(tmp_path: Path) -> Any:
    def write(text: str) -> Path:
        path = tmp_path / "models.toml"
        path.write_text(f"format = 1\n{text}")
        return path

    return write


@pytest.mark.parametrize(
    ("spec", "family", "template"),
    [
        # Qwen's own quick start and vLLM's page on reasoning name the switch.
        ("vllm:Qwen/Qwen3.6-27B", "qwen", NO_THINKING),
        ("hf:models/qwen3-0.6b/", "qwen", NO_THINKING),
        ("openai:Gemma4-12B", "gemma", NO_THINKING),
        ("vllm:nvidia/Llama-3.1-Nemotron-Nano-8B-v1", "nemotron", NO_THINKING),
        ("vllm:deepseek-ai/DeepSeek-V3.1", "deepseek", {"thinking": False}),
        ("vllm:deepseek-ai/DeepSeek-R1-Distill-Llama-8B", "deepseek", {"thinking": False}),
        # Its own tokenizer refuses arguments that it does not know.
        ("vllm:mistralai/Ministral-8B-Instruct-2410", "ministral", {}),
        ("vllm:mistralai/Mistral-Nemo-Instruct-2407", "mistral", {}),
        ("vllm:microsoft/phi-4", "phi", {}),
        ("vllm:meta-llama/Meta-Llama-3.1-8B-Instruct", "llama", {}),
        ("vllm:nobody/knows-this", None, {}),
    ],
)
def test_thinking_is_switched_off_as_the_family_does_it(spec: str, family: str | None, template: Any) -> None:
    preset = found(spec)
    assert (preset.family, preset.chat_template) == (family, template)


@pytest.mark.parametrize(
    ("spec", "request_", "level"),
    [
        # Models that do not think.
        ("openai:gpt-4o", {}, "off"),
        ("openai:gpt-5", {"reasoning_effort": "minimal"}, "minimal"),
        ("openai:gpt-5-mini-2025-08-07", {"reasoning_effort": "minimal"}, "minimal"),
        ("openai:gpt-5.1", {"reasoning_effort": "none"}, "off"),
        # Has "high" only, so there is nothing to choose.
        ("openai:gpt-5-pro", {}, "high"),
        ("openai:GPT-6-Astra", {"reasoning_effort": "low"}, "low"),
        # OpenAI's list of levels gives low, medium and high for the o series.
        ("openai:o3-mini", {"reasoning_effort": "low"}, "low"),
        ("anthropic:claude-fable-5-1", {"output_config": {"effort": "low"}}, "low"),
        ("anthropic:claude-opus-5-5", {"output_config": {"effort": "low"}}, "low"),
        ("anthropic:claude-opus-5", {"thinking": {"type": "disabled"}}, "off"),
        ("anthropic:claude-sonnet-5-5", {"thinking": {"type": "between_tools"}}, "off"),
        # Thinks only if it is told to.
        ("anthropic:claude-sonnet-4-6", {}, "off"),
        ("gemini:gemini-2.5-flash", {"thinking_config": {"thinking_budget": 0}}, "off"),
        ("gemini:gemini-2.5-pro", {"thinking_config": {"thinking_budget": 128}}, "128 tokens"),
        ("gemini:gemini-3-pro-preview", {"thinking_config": {"thinking_level": "low"}}, "low"),
        # Nobody states their lowest level.
        ("openai:gpt-5.1-codex", {}, None),
        ("anthropic:claude-sonnet-5", {}, None),
        ("gemini:gemini-9-pro", {}, None),
    ],
)
def test_models_of_providers_reason_at_their_lowest_level_where_it_is_known(
    spec: str, request_: Any, level: str | None
) -> None:
    assert (found(spec).request, found(spec).reasoning) == (request_, level)


def test_a_level_that_the_users_file_asks_for_is_not_called_the_shipped_one(own: Any) -> None:
    told = own('[model."gpt-5"]\nrequest = { reasoning_effort = "high" }\n')
    assert found("openai:gpt-5", told).reasoning == "as the models file says"
    said = own('[model."gpt-5"]\nrequest = { reasoning_effort = "high" }\nreasoning = "high"\n')
    assert found("openai:gpt-5", said).reasoning == "high"


@pytest.mark.parametrize(
    ("spec", "billions"),
    [
        ("vllm:Qwen/Qwen3.6-35B-A3B", 35),
        ("vllm:mistralai/Mistral-Nemo-Instruct-2407", 12),
        ("vllm:microsoft/Phi-4", 14),
        ("vllm:Qwen/Qwen3-0.6B", 0.6),
        ("vllm:google/gemma-3n-E4B-it", None),
        ("vllm:mistralai/Mixtral-8x7B-Instruct-v0.1", None),
        ("openai:gpt-4o", None),
        # The size of the shipped model, which its back end's name does not tell: 135 million.
        ("embedded", 0.135),
        ("embedded:models/SmolLM2-360M-Instruct.Q8_0.gguf", 0.36),
        # 17 billion are active; how many there are in all the name does not say.
        ("vllm:meta-llama/Llama-4-Scout-17B-16E-Instruct", None),
        ("vllm:Qwen/Qwen3-30B-A3B", 30),
        # A million is a context.
        ("vllm:Qwen/Qwen2.5-7B-Instruct-1M", 7),
        ("openai:long-1m", None),
    ],
)
def test_total_parameters_are_those_of_the_entry_or_of_the_name(spec: str, billions: float | None) -> None:
    assert found(spec).total_parameters == billions


def test_a_price_is_the_providers_and_carries_its_day_and_source() -> None:
    prices = found("openai:gpt-4o").prices
    assert prices is not None
    assert prices.source
    # A million tokens in, half of them cached, and 100,000 out: 0.5·2.50 + 0.5·1.25 + 0.1·10.00.
    assert prices.cost(1_000_000, 500_000, 100_000) == pytest.approx(2.875)
    assert prices.cost(1_000_000, 500_000, 100_000, batch=True) == pytest.approx(1.4375)
    assert found("openai:gpt-4o", base_url="http://127.0.0.1:8000/v1").prices is None
    assert found("vllm:gpt-4o").prices is None


def test_a_dated_name_has_no_price_by_that_of_its_family() -> None:
    # gpt-4o-2024-05-13 cost $5 and $15 where gpt-4o costs $2.50 and $10.
    assert found("openai:gpt-4o-2024-08-06").prices is None


@pytest.mark.parametrize("spec", ["openai:gpt-4o", "openai:gpt-4o-mini", "openai:gpt-6-astra"])
def test_a_price_that_was_not_read_on_the_providers_page_says_so(spec: str) -> None:
    prices = found(spec).prices
    assert prices is not None
    assert prices.source.startswith("second-hand: ")
    assert "quoting" in prices.source


def test_a_table_may_be_named_as_the_console_shows_the_model(own: Any) -> None:
    shown = own('[model."SmolLM2-135M-Instruct.Q4_1".engine]\nusd_per_hour = 0.4\n')
    assert found("embedded", shown).engine.usd_per_hour == 0.4
    file = own('[model."mine.Q8_0".engine]\nusd_per_hour = 0.5\n')
    assert found("embedded:models/mine.Q8_0.gguf", file).engine.usd_per_hour == 0.5


@pytest.mark.parametrize(
    ("spec", "tables", "unused"),
    [
        ("openai:gpt-4o-2024-08-06", ["gpt-4o"], ("gpt-4o",)),
        ("embedded", ["SmolLM2-135M"], ("SmolLM2-135M",)),
        ("vllm:Qwen/Qwen3.6-27B", ["Qwen3.6-27b-FP8", "gpt-4o"], ("Qwen3.6-27b-FP8",)),
        # One of them is the model's own, so none was meant for it in vain.
        ("openai:gpt-4o-mini", ["gpt-4o", "gpt-4o-mini"], ()),
        ("vllm:Qwen/Qwen3.6-27B", ["gpt-4o", "Llama-3.3-70B-Instruct"], ()),
        ("embed", ["embedded"], ()),
    ],
)
def test_a_table_that_looks_meant_for_a_model_and_is_not_is_told(
    spec: str, tables: list[str], unused: tuple[str, ...], own: Any
) -> None:
    file = own("".join(f'[model."{name}"]\ntotal_parameters = 3\n' for name in tables))
    assert found(spec, file).unused == unused


def test_a_table_of_another_back_end_is_told(own: Any) -> None:
    file = own('[model."small"]\nbackend = "vllm"\ntotal_parameters = 3\n')
    assert (found("openai:small", file).unused, found("vllm:small", file).unused) == (("small",), ())


def test_the_users_file_lies_on_top_key_by_key(own: Any) -> None:
    file = own(
        '[[family]]\nnames = ["*"]\nengine = { gpu_memory = 0.8, max_requests = 32 }\n'
        '[model."qwen3.6-27b"]\nchat_template = { tools = false }\n'
        '[model."qwen3.6-27b".engine]\ntensor_parallel = 2\nmax_context = 32768\ngpu_memory = 0.9\n'
        '[model."gpt-4o".prices]\ninput = 2\noutput = 8\non = 2026-11-01\nsource = "a contract"\n'
    )
    qwen = found("vllm:Qwen/Qwen3.6-27B", file)
    assert (qwen.family, qwen.total_parameters) == ("qwen", 27)
    assert qwen.chat_template == {"enable_thinking": False, "tools": False}
    assert qwen.engine.model_dump(exclude_none=True) == {
        "tensor_parallel": 2,
        "max_context": 32768,
        "gpu_memory": 0.9,
        "max_requests": 32,
    }
    assert found("vllm:nobody/other", file).engine.max_requests == 32
    prices = found("openai:gpt-4o", file, base_url="http://127.0.0.1:8000/v1").prices
    assert prices is not None
    # Of a price list nothing is mixed: the user's has no cached price, so cached input costs as much as other input.
    assert (prices.input, prices.cached_input, prices.source) == (2, None, "a contract")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("models = 1", r"models is no key of this file\."),
        ('[model."x"]\nfamly = "q"', r'\[model\."x"\]: famly is no key of this file'),
        ('[model."x".engine]\ngpu_memory = 1.5', r'\[model\."x"\]: engine: gpu_memory must be at most 1, and is 1\.5'),
        ('[model."x".engine]\ngpu_memory = 0', r"gpu_memory must be more than 0, and is 0\."),
        ('[model."x".engine]\nmax_requests = 0', r"max_requests must be at least 1, and is 0\."),
        ('[model."x".engine]\nmax_requests = "many"', r"max_requests must be a whole number, and is 'many'"),
        ('[model."x"]\ntotal_parameters = "8B"', r"total_parameters must be a number, and is '8B'"),
        ('[model."x"]\nfamily = 3', r"family must be a text in quotes, and is 3"),
        ('[model."x"]\nengine = 3', r"engine must be a table, and is 3"),
        ('[model."x"]\nrequest = 3', r"request must be a table, and is 3"),
        ('[[family]]\nname = "q"', r"\[\[family\]\] q: names is missing"),
        ('[[family]]\nnames = "q"', r"\[\[family\]\] number 1: names must be a list, and is 'q'"),
        ('[[family]]\nnames = ["a"]\n[[family]]\nnames = []', r"\[\[family\]\] number 2: names is empty\."),
        ('[model."x".prices]\ninput = 1', r'\[model\."x"\]: prices: output is missing \(2 more\)'),
        (
            '[model."x".prices]\ninput = 1\noutput = 1\non = "May"\nsource = "s"',
            r"prices: on must be a day, such as 2026-11-01, and is 'May'",
        ),
        ('[model."x"]\n[model."Org/X"]', r'\[model\."Org/X"\] and \[model\."x"\] are one model'),
        (
            '[model."x".engine]\nusd_per_hour = inf',
            r'\[model\."x"\]: engine: usd_per_hour must be a finite number, and is inf',
        ),
        ("model = ]", r"is no TOML: .*line 2"),
        ("family = 3", r"family must be a list, and is 3"),
    ],
)
def test_a_fault_of_the_users_file_is_one_message_with_its_place(text: str, words: str, own: Any) -> None:
    file = own(text)
    with pytest.raises(InputError, match=words) as caught:
        load_presets(file)
    assert str(caught.value).startswith(str(file))


def test_one_name_may_have_a_table_for_all_back_ends_and_one_for_each(own: Any) -> None:
    file = own('[model."x"]\nfamily = "f"\n[model."X"]\nbackend = "hf"\ntotal_parameters = 3\n')
    assert (found("hf:x", file).family, found("hf:x", file).total_parameters) == ("f", 3)
    assert (found("vllm:x", file).family, found("vllm:x", file).total_parameters) == ("f", None)


def test_a_file_that_is_missing_or_of_another_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read the models file .*Check --models"):
        load_presets(tmp_path / "none.toml")
    other = tmp_path / "other.toml"
    other.write_text("format = 2")
    with pytest.raises(InputError, match=r"format must be 1, and is 2"):
        load_presets(other)
    other.write_bytes(b"\xff")
    with pytest.raises(InputError, match="is no TOML"):
        load_presets(other)


def test_the_file_that_the_documents_show_is_one(tmp_path: Path) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "models.md"
    (tmp_path / "shown.toml").write_text(page.read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0])
    preset = found("vllm:Qwen/Qwen3.6-27B", tmp_path / "shown.toml")
    assert (preset.engine.tensor_parallel, preset.engine.gpu_memory, preset.engine.usd_per_hour) == (2, 0.85, 3.2)
    assert preset.chat_template == NO_THINKING
