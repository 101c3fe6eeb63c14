"""What the shell may offer after Tab: models, items, run folders, corpora.

A completer gives values, each with a few words on it, and never raises: an error would land in the line being typed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from fingreat.edgar.forms import load_forms
from fingreat.errors import RunError
from fingreat.inference.requirements import NEEDS, Needs
from fingreat.runs import read_json
from fingreat.schema import load_graph

Offers = Iterator[tuple[str, str]]

_MOST = 200
# A name is put into the shell's line as it is, so one with other characters than these is not offered.
_SAFE = re.compile(r"[\w.@%+=,-]+")
_OUT = "out/"
_RUN, _MATCH = "a run", "a match"
_MODEL_FILES = ("config.json", "modules.json")
_FOLLOWS = {
    "file": "a file",
    "folder": "a folder",
    "hub": "a folder, or a name on the hub",
    "hosted": "its name",
}


def models(incomplete: str) -> Offers:
    """Back ends, and after the colon the files or folders that they take."""
    backend, colon, typed = incomplete.partition(":")
    if colon:
        needs = NEEDS.get(backend)
        if needs and needs.named and needs.model != "hosted":
            yield from ((f"{backend}:{text}", about) for text, about in _paths(typed, _weights(needs)))
        return
    for name, needs in NEEDS.items():
        if needs.bare:
            yield name, needs.about
        if needs.named:
            yield f"{name}:", f"{needs.about}; then {_FOLLOWS[needs.model]}"


def items() -> Offers:
    """The items of Form 10-K and how their titles begin."""
    form = load_forms()["10-K"]
    yield from ((item, form.starts[item][0]) for item in form.order)


def groupings() -> Offers:
    """The ways in which the shipped graph groups its edges into categories."""
    graph = load_graph()
    yield from ((name, ", ".join(graph.categories(name))) for name in graph.groupings)


def runs(incomplete: str) -> Offers:
    """Run folders below what is typed, those below out/, and the folders on the way there; no matches."""
    return (offer for offer in results(incomplete) if offer[1] != _MATCH)


def results(incomplete: str) -> Offers:
    """As `runs`, and the folders of matches."""
    above = _OUT.startswith(incomplete)
    if above:
        yield from _paths(_OUT, _result)
    yield from (offer for offer in _paths(incomplete, _result) if not above or not offer[0].startswith(_OUT))


def corpora(incomplete: str) -> Offers:
    """Corpus folders, and the folders on the way there."""
    return _paths(incomplete, lambda path: "a corpus" if _is_corpus(path) else None)


def _paths(typed: str, what: Callable[[Path], str | None]) -> Offers:
    """What is wanted in the folder that is typed, and its folders; where there is only one folder, what is in it.

    Args:
        what: a word on a path that is wanted, None for any other.
    """
    offers = []
    for text, path in islice(_entries(typed), _MOST):
        if word := what(path):
            offers.append((text, word))
        elif path.is_dir():
            offers.append((f"{text}/", "a folder"))
    if len(offers) == 1 and offers[0][0].endswith("/"):
        offers = list(_paths(offers[0][0], what)) or offers
    yield from offers


def _entries(typed: str) -> Iterator[tuple[str, Path]]:
    """What is in a folder and begins as typed: the text for the shell's line, and the path."""
    parent, slash, stem = typed.rpartition("/")
    try:
        found = sorted(Path(f"{parent}{slash}" or ".").expanduser().iterdir())
    except (OSError, RuntimeError, ValueError):
        # No such folder, not ours to read, no home to expand, or a text that no path can hold.
        return
    for path in found:
        hidden = path.name.startswith(".") and not stem.startswith(".")
        if path.name.startswith(stem) and not hidden and _SAFE.fullmatch(path.name):
            yield f"{parent}{slash}{path.name}", path


def _weights(needs: Needs) -> Callable[[Path], str | None]:
    """What a back end's model is on disk."""
    if needs.model == "file":
        return lambda path: "a file" if path.is_file() and path.name.endswith(needs.suffix) else None
    return lambda path: "a model" if any((path / name).is_file() for name in _MODEL_FILES) else None


def _result(path: Path) -> str | None:
    """What a folder of results is."""
    if _is_corpus(path) or not (path / "manifest.json").is_file():
        return None
    try:
        manifest = read_json(path / "manifest.json")
    except RunError:
        # It is offered all the same: `runs verify` says what is wrong with it.
        return _RUN
    return _MATCH if isinstance(manifest, dict) and manifest.get("kind") == "match" else _RUN


def _is_corpus(path: Path) -> bool:
    return (path / "filings.jsonl").is_file()
