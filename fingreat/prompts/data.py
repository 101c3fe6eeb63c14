"""Filing text as data inside a prompt: it can neither close its own mark nor speak as the chat template."""

from __future__ import annotations

import re

from fingreat.schema import sha256_hex

_ZERO_WIDTH = "\u200b"
_MARKUP = re.compile(
    r"<(?=[|/!?\uff5cA-Za-z_])"
    r"|\[(?=/?(?:[A-Z_]{3}[A-Z0-9_]*|gMASK|control_[0-9]+)\]|e~\[)"  # Mistral, BERT, InternLM; GLM; MiniMax
    r"|\](?=~)"
)


def as_data(text: str) -> str:
    """The text with a zero-width space inside whatever a tokenizer could read as a control token.

    Chat templates use `<|im_end|>`, `</s>`, `<start_of_turn>`, `<｜Assistant｜>`, `[INST]` and their like, and
    some engines turn these strings into control tokens wherever they stand. Words and figures stay as they
    are, and a quote that is copied with the zero-width space still matches: normalisation drops it.
    """
    return _MARKUP.sub(lambda match: match.group() + _ZERO_WIDTH, text)


def one_line(value: str, limit: int = 200) -> str:
    """A header value on one line, without marks and of bounded length."""
    return as_data(" ".join(value.split()))[:limit]


def fence_code(body: str) -> str:
    """A code for the marks around a text that the text cannot hold: eight digits of its own hash.

    Content-derived, so the same chunk always gives the same prompt.
    """
    code = sha256_hex(body.encode("utf-8", "replace"))[:8]
    while code in body:
        code = sha256_hex(code.encode())[:8]
    return code
