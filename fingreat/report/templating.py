"""One Jinja environment for the room: every value is escaped, an unknown name is an error."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined

from fingreat.report.tables import cell_fields, cell_text, fraction, interval_text, number_text, percent


@cache
def environment() -> Environment:
    """The environment of the package's templates."""
    made = Environment(
        loader=PackageLoader("fingreat.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "cell_fields": cell_fields,
        "cell_text": cell_text,
        "fraction": fraction,
        "interval": interval_text,
        "number": number_text,
        "percent": percent,
    }
    return made


def asset(name: str) -> str:
    """The text of a file in `templates`."""
    return files("fingreat.report").joinpath("templates", name).read_text(encoding="utf-8")
