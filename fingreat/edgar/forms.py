"""The annual and quarterly forms: their items in order, how titles begin, and what numbers mean; from items.toml."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

_NOT_LETTERS = re.compile(r"[^a-z ]+")


@dataclass(frozen=True, slots=True)
class Form:
    """The items of one form.

    Attributes:
        order: the items' keys, in the order in which they must come. A key is the item's number; where a later
            part of the form counts anew, the part stands before it, such as `II-1A`.
        starts: how each item's title may begin, in the form of `letters`.
        names: titles that tell the item whatever number is printed before them, in that of `compact`.
        alone: those that tell it where there is no number either.
        same: the number on Form 10-K of items that this form numbers in its own way, by key.
    """

    order: tuple[str, ...]
    starts: dict[str, tuple[str, ...]]
    names: dict[str, tuple[str, ...]]
    alone: dict[str, tuple[str, ...]]
    same: dict[str, str]

    def own_key(self, item: str) -> str | None:
        """The form's key for an item named by its Form 10-K number; None where the form has no such item."""
        for own, annual in self.same.items():
            if annual == item:
                return own
        return item if item in self.order and item not in self.same else None

    def keys(self, number: str) -> tuple[str, ...]:
        """The items that a printed number may mean."""
        return tuple(key for key in self.order if number_of(key) == number)

    def titled(self, key: str, title: str) -> bool:
        """Whether a title (see `compact`) begins as the item's may."""
        return title.startswith(_compact(self.starts.get(key, ())))

    def named(self, title: str) -> tuple[str, ...]:
        """The items that a title (see `compact`) tells by itself."""
        return tuple(key for key, names in self.names.items() if title.startswith(names))

    def titles_alone(self, title: str) -> tuple[str, ...]:
        """The items that a title (see `compact`) without a number tells."""
        return tuple(key for key, names in self.alone.items() if title.startswith(names))


def part_of(key: str) -> str:
    """The part that a key names; empty for the part that comes first or a form that counts its items once."""
    return key.rpartition("-")[0]


def number_of(key: str) -> str:
    """The number that is printed for a key, such as "1A"."""
    return key.rpartition("-")[2]


def spoken(key: str) -> str:
    """A key in words: "Item 7A", "Item 1A of Part II"."""
    part, _, number = key.rpartition("-")
    return f"Item {number} of Part {part}" if part else f"Item {number}"


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files("fingreat.edgar").joinpath("items.toml").read_text(encoding="utf-8"))


@cache
def end_titles(kind: str) -> tuple[str, ...]:
    """How titles begin that end management's discussion: `ends`, or `breaks` for those beyond doubt."""
    return tuple(_table()[kind]["titles"])


@cache
def load_forms() -> dict[str, Form]:
    """The forms and their items, from items.toml."""
    return {name: _form(form) for name, form in _table()["forms"].items()}


def _form(form: dict[str, Any]) -> Form:
    return Form(
        order=tuple(form["order"]),
        starts={item: tuple(starts) for item, starts in form["starts"].items()},
        names=_own_titles("names", form),
        alone=_own_titles("alone", form),
        same=dict(form.get("same", {})),
    )


def _own_titles(kind: str, form: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """Titles that are listed by numbers of Form 10-K, by the form's own keys."""
    same = form.get("same", {})
    own = {annual: key for key, annual in same.items()}
    titles: dict[str, tuple[str, ...]] = {}
    for annual, names in _table()[kind].items():
        key = own.get(annual, annual)
        if key in form["order"] and (annual in own or annual not in same):
            titles[key] = _compact(tuple(names))
    return titles


@cache
def _compact(titles: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(compact, titles))


def plain_form(name: str | None) -> str:
    """A form's name as EDGAR writes it: "FORM 10K" is "10-K"."""
    return (name or "").upper().removeprefix("FORM ").strip().replace("10K", "10-K").replace("10Q", "10-Q")


def form_of(name: str | None) -> Form | None:
    """The form's items; those of Form 10-K for a form unknown, None for one that has other items."""
    forms = load_forms()
    plain = plain_form(name)
    for start in ("10-KSB", "10-QSB", "10-Q", "10-K"):
        if plain.startswith(start):
            return forms[start]
    return forms["10-K"] if not plain or plain.startswith(("ARS", "EX")) else None


def letters(text: str) -> str:
    """Lower-case letters and single blanks only, apostrophes closed up; for comparing titles."""
    plain = text.casefold().replace("\u2019", "").replace("'", "").replace("`", "").replace("-", "")
    return " ".join(_NOT_LETTERS.sub(" ", plain).split())


def compact(text: str) -> str:
    """Lower-case letters only: for titles whose words a converter parted ("M ANAGEMENT")."""
    return letters(text).replace(" ", "")
