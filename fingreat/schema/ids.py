"""Content-hash ids: the same input always gets the same id, on every machine.

The hash is SHA-256 over canonical JSON: UTF-8, keys sorted, no blanks, no NaN. The first
24 hexadecimal digits (96 bits) are kept, behind a prefix that says what the id names.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

_DIGITS = 24


def canonical_json(value: Any) -> str:
    """`value` as the one JSON text that its hash is taken over.

    Raises:
        ValueError: for NaN and infinities.
        TypeError: for anything JSON cannot hold.
    """
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def content_id(prefix: str, value: Any) -> str:
    """An id such as `chunk-0f3a…` for any JSON value."""
    digest = hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{prefix}-{digest[:_DIGITS]}"


def sha256_hex(data: bytes) -> str:
    """The full SHA-256 of some bytes, 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()
