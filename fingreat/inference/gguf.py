"""What is read from a GGUF file before llama.cpp loads it: that it is one, how many tokens the model was trained on."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

_MAGIC = b"GGUF"
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Bytes of a value by its type: the integers, floats and truth values of the format."""
_STRING, _ARRAY = 8, 9
_WHOLE = {4: "<I", 5: "<i", 10: "<Q", 11: "<q"}
_CONTEXT = ".context_length"
_LONGEST = 1 << 24
"""Bytes that a damaged length may make this read at once."""


def is_gguf(path: Path) -> bool:
    """Whether a file begins as one of the format does."""
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def context_length(path: Path) -> int | None:
    """`<architecture>.context_length` of a GGUF file; None where it has none, or is no such file.

    Source: the format's specification (ggml, docs/gguf.md), version 2 and 3: magic, version, numbers of tensors and
    of entries; then the entries, each a name, a type and a value; little-endian.
    """
    try:
        with path.open("rb") as file:
            if file.read(4) != _MAGIC or _number(file, "<I") not in (2, 3):
                return None
            _number(file, "<Q")
            for _ in range(_number(file, "<Q")):
                name = _take(file, _number(file, "<Q"))
                kind = _number(file, "<I")
                if name.endswith(_CONTEXT.encode()) and kind in _WHOLE:
                    return _number(file, _WHOLE[kind])
                _skip(file, kind)
    except (OSError, EOFError, KeyError, OverflowError):
        return None
    return None


def _skip(file: BinaryIO, kind: int) -> None:
    if kind == _STRING:
        _take(file, _number(file, "<Q"))
    elif kind == _ARRAY:
        item, length = _number(file, "<I"), _number(file, "<Q")
        if item in _SIZES:
            _take(file, _SIZES[item] * length)
        else:
            for _ in range(length):
                _skip(file, item)
    else:
        _take(file, _SIZES[kind])


def _number(file: BinaryIO, form: str) -> int:
    (value,) = struct.unpack(form, _take(file, struct.calcsize(form)))
    return int(value)


def _take(file: BinaryIO, length: int) -> bytes:
    data = file.read(length) if length <= _LONGEST else b""
    if len(data) < length:
        raise EOFError
    return data
