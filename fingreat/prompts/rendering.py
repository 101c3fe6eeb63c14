"""Templates of prompts: package files, filled in as plain text."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Any

from jinja2 import BaseLoader, Environment, StrictUndefined, Template

from fingreat.prompts.data import one_line
from fingreat.schema import Filing


def render(name: str, **values: Any) -> str:
    """A template of `texts`, filled in, without white space around it."""
    return _template(name).render(**values).strip()


@lru_cache
def source(name: str) -> str:
    """A template of `texts` as it is."""
    return files("fingreat.prompts").joinpath("texts", name).read_text(encoding="utf-8")


def header(filing: Filing) -> str:
    """What a prompt says of the filing that a text is from, on one line."""
    parts = [
        filing.company or "company not stated",
        filing.form and f"form {filing.form}",
        filing.period and f"period ended {filing.period.isoformat()}",
        filing.filed and f"filed {filing.filed.isoformat()}",
    ]
    return ", ".join(one_line(part) for part in parts if part)


@lru_cache
def _template(name: str) -> Template:
    # Plain text, not HTML: nothing is escaped here, `as_data` does what a prompt needs.
    environment = Environment(
        loader=BaseLoader(), autoescape=False, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    return environment.from_string(source(name))
