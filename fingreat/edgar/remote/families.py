"""Which forms are meant by a form's name: families, their members and amendments; from families.toml."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from fingreat.errors import InputError

AMENDED = "/A"
"""What the name of an amendment ends with."""
_LONGEST = 20
_NAME = re.compile(r"[A-Z0-9]+(?:[ /&-][A-Z0-9]+)*")


@dataclass(frozen=True)
class FormChoice:
    """The forms that a user asks for.

    Attributes:
        forms: as users write them. `10-K` and `10-Q` name a family, any other name that form alone: `10-K405`, `20-F`.
            A name that ends with `/A` stands for the amendments of what is named before it.
        amendments: whether the amendments of all of them are asked for as well.
        alone: whether `10-K` and `10-Q` name that form alone, too.

    Raises:
        InputError: no form is named, or a text can't be the name of one.
    """

    forms: tuple[str, ...] = ("10-K",)
    amendments: bool = False
    alone: bool = False

    def __post_init__(self) -> None:
        if not self.forms:
            raise InputError("no form is named.", where="--form", hint="Write for example --form 10-K.")
        # What cannot be a form is said here, not at the first row of an index.
        self.accepts("")

    @cached_property
    def exact(self) -> tuple[str, ...]:
        """Every name that is accepted, as EDGAR writes it, each once; amendments come last."""
        plain = [name for form in self.forms for name in family(form, alone=self.alone)]
        amended = [name + AMENDED for name in plain if not name.endswith(AMENDED)] if self.amendments else []
        return tuple(dict.fromkeys(plain + amended))

    @cached_property
    def _accepted(self) -> frozenset[str]:
        return frozenset(self.exact)

    def accepts(self, form: str) -> bool:
        """Whether a form is asked for, by its name in an index or a company's list of filings."""
        return form in self._accepted


def family(name: str, *, alone: bool = False) -> tuple[str, ...]:
    """The names by which EDGAR knows a form or a family of forms.

    Case, hyphens and a leading "Form" do not matter for the forms of families.toml; any other name stands for itself.

    Args:
        alone: take the name of a family for the form of that name alone.

    Raises:
        InputError: the text can't be the name of a form.
    """
    text = " ".join(name.upper().split()).removeprefix("FORM ")
    if len(text) > _LONGEST or not _NAME.fullmatch(text):
        raise InputError(
            f"{name[:60]!r} is no name of a form.", where="--form", hint="Write it as EDGAR does, such as 10-K or 20-F."
        )
    plain = text.removesuffix(AMENDED)
    names = _known(alone).get(_compact(plain), (plain,))
    return tuple(one + AMENDED for one in names) if plain != text else names


@cache
def _known(alone: bool) -> dict[str, tuple[str, ...]]:
    """The spellings of each member and, unless it is to stand alone, each family, which has its first member's name."""
    table = tomllib.loads(files("fingreat.edgar.remote").joinpath("families.toml").read_text(encoding="utf-8"))
    known: dict[str, tuple[str, ...]] = {}
    for name, members in table.items():
        known |= {_compact(member): tuple(spellings) for member, spellings in members.items()}
        if not alone:
            known[_compact(name)] = tuple(one for spellings in members.values() for one in spellings)
    return known


def _compact(name: str) -> str:
    return name.replace("-", "").replace(" ", "")
