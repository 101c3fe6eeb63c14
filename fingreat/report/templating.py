"""One Jinja environment for the room: every value is escaped, an unknown name is an error."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined


@cache
def environment() -> Environment:
    """The environment of the package's templates."""
    return Environment(
        loader=PackageLoader("fingreat.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def asset(name: str) -> str:
    """The text of a file in `templates`."""
    return files("fingreat.report").joinpath("templates", name).read_text(encoding="utf-8")
