"""What the shell may offer after Tab: models, items, run folders, corpora.

A completer gives values, each with a few words on it, and never raises: an error would land in the line being typed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from fingreat.edgar.headings import form_of
from fingreat.inference.requirements import NEEDS, Needs
from fingreat.schema import load_graph

Offers = Iterator[tuple[str, str]]

_MOST = 200
# A name is put into the shell's line as it is, so one with other characters than these is not offered.
_SAFE = re.compile(r"[\w.@%+=,-]+")
_OUT = "out/"
_FOLLOWS = {"file": "a file", "folder": "a folder", "hub": "a folder, or a name on the hub"}


def models(incomplete: str) -> Offers:
    """Back ends, and after the colon the files or folders that they take."""
    backend, colon, typed = incomplete.partition(":")
    if colon:
        needs = NEEDS.get(backend)
        if needs and needs.named:
            yield from ((f"{backend}:{text}", about) for text, about in _paths(typed, *_weights(needs)))
        return
    for name, needs in NEEDS.items():
        if needs.bare:
            yield name, needs.about
        if needs.named:
            yield f"{name}:", f"{needs.about}; then {_FOLLOWS[needs.model]}"


def items() -> Offers:
    """The items of Form 10-K and how their titles begin."""
    form = form_of("10-K")
    yield from ((item, form.starts[item][0]) for item in form.order)


def groupings() -> Offers:
    """The ways in which the shipped graph groups its edges into categories."""
    graph = load_graph()
    yield from ((name, ", ".join(graph.categories(name))) for name in graph.groupings)


def runs(incomplete: str) -> Offers:
    """Run folders below what is typed, those below out/, and the folders on the way there."""
    above = _OUT.startswith(incomplete)
    if above:
        yield from _paths(_OUT, _is_run, "a run")
    yield from (offer for offer in _paths(incomplete, _is_run, "a run") if not above or not offer[0].startswith(_OUT))


def corpora(incomplete: str) -> Offers:
    """Corpus folders, and the folders on the way there."""
    return _paths(incomplete, _is_corpus, "a corpus")


def _paths(typed: str, fits: Callable[[Path], bool], what: str) -> Offers:
    """What fits in the folder that is typed, and its folders; where there is only one folder, what is in it."""
    offers = []
    for text, path in islice(_entries(typed), _MOST):
        if fits(path):
            offers.append((text, what))
        elif path.is_dir():
            offers.append((f"{text}/", "a folder"))
    if len(offers) == 1 and offers[0][0].endswith("/"):
        offers = list(_paths(offers[0][0], fits, what)) or offers
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


def _weights(needs: Needs) -> tuple[Callable[[Path], bool], str]:
    """What a back end's model is on disk: a test for it, and a word."""
    if needs.model == "file":
        return (lambda path: path.is_file() and path.name.endswith(needs.suffix)), "a file"
    return (lambda path: any((path / name).is_file() for name in ("config.json", "modules.json"))), "a model"


def _is_run(path: Path) -> bool:
    return (path / "manifest.json").is_file() and not _is_corpus(path)


def _is_corpus(path: Path) -> bool:
    return (path / "filings.jsonl").is_file()
