"""One Jinja environment for the room: every value is escaped, an unknown name is an error; what all pages share."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from fingreat.report.palette import palette
from fingreat.report.tables import cell_fields, cell_text, fraction, interval_text, number_text, percent

# Code points that HTML or XML forbids or that no encoding can write.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


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


@cache
def page_style() -> Markup:
    """The style of every page."""
    return Markup(environment().get_template("page.css.j2").render(palette=palette()))


def csp_hash(content: str) -> str:
    """The source expression of an inline element (CSP Level 3, section 2.3.1)."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def printable(markup: str) -> str:
    """A page or drawing as every encoding can write it: what HTML or XML forbids is replaced one for one, so that
    offsets stay right.
    """
    return _UNPRINTABLE.sub("\ufffd", markup)
