"""Local files that may be filings: which of them to read, what stands around them, and the names of their copies."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from fingreat.edgar.filing_list import NAME, FilingList, read_list
from fingreat.edgar.places import FULL_SUBMISSION, Told, is_main_document, plain_name, read_place
from fingreat.errors import InputError

SUFFIXES = (".htm", ".html", ".xhtml", ".txt")
"""Endings of files that a folder is searched for, also with `.gz` behind them."""
_ODD_SUFFIX = ".htmll"
"""sec-edgar-downloader's ending for the copy of a document that ends in .html."""
_NAME_BYTES = 200
_LIST_ABOVE = 4
"""How many folders from a file's own upwards may hold its list: RAW_FILINGS/10-K/A/<file> has it beside RAW_FILINGS."""


class LocalFile(NamedTuple):
    """A file to add, what is said around it, and whether it was named itself, not only a folder above it."""

    path: Path
    told: Told
    named: bool = True


@dataclass
class Found:
    """What a search came to.

    Attributes:
        doubles: main documents whose full submission is among the files; they are parts of it.
        passed_over: how many files of folders have other endings.
        faults: folders that cannot be read and lists that are damaged, with the reason.
        searched: the folders and lists that were read.
    """

    files: list[LocalFile] = field(default_factory=list)
    doubles: list[Path] = field(default_factory=list)
    passed_over: int = 0
    faults: dict[Path, str] = field(default_factory=dict)
    searched: list[Path] = field(default_factory=list)


def find_files(paths: Iterable[Path]) -> Found:
    """The files to add, each once, those of a folder in the order of their names; hidden ones are not counted.

    Links are followed, a folder is searched once. A file in a folder that is no regular file is found, too, by its
    ending, so that reading it tells why it can't be added.

    Raises:
        InputError: a path does not exist or can't be looked at.
    """
    found = Found()
    met: set[tuple[int, int]] = set()
    files: dict[Path, None] = {}
    named: set[Path] = set()
    for path in paths:
        try:
            path.stat()
        except OSError as error:
            gone = isinstance(error, FileNotFoundError | NotADirectoryError)
            reason = "there is no such file or folder." if gone else f"it cannot be read: {error.strerror or error}."
            raise InputError(reason, where=str(path)) from None
        if path.is_dir():
            files |= dict.fromkeys(_search(path, found, met))
        else:
            files[path] = None
            named.add(path)
    whole = {path.parent for path in files if plain_name(path) == FULL_SUBMISSION}
    lists = _Lists(found)
    for path in files:
        if is_main_document(path) and path.parent in whole:
            found.doubles.append(path)
        else:
            found.files.append(LocalFile(path, lists.told(path), path in named))
    return found


def _search(top: Path, found: Found, met: set[tuple[int, int]]) -> Sequence[Path]:
    """The files below a folder that may be filings, in the order of their names."""
    files = []
    folders = [top]
    while folders:
        folder = folders.pop()
        try:
            status = folder.stat()
            if (status.st_dev, status.st_ino) in met:
                continue
            met.add((status.st_dev, status.st_ino))
            found.searched.append(folder)
            with os.scandir(folder) as entries:
                for entry in entries:
                    path = folder / entry.name
                    if entry.name.startswith("."):
                        continue
                    if _is_folder(entry):
                        folders.append(path)
                    elif plain_name(path).lower().endswith((*SUFFIXES, _ODD_SUFFIX)):
                        files.append(path)
                    elif entry.name != NAME:
                        found.passed_over += 1
        except OSError as error:
            found.faults[folder] = f"The folder cannot be read: {error.strerror or error}."
    return sorted(files)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        # A link that leads nowhere one may look; reading it says so.
        return False


class _Lists:
    """The lists in the folders of files and above them, each read once."""

    def __init__(self, found: Found) -> None:
        self._found = found
        self._lists: dict[Path, FilingList] = {}

    def told(self, path: Path) -> Told:
        """What is said around a file: in the nearest list that names it, then in its own name and folders."""
        # The names of links count, not those of the files that they lead to.
        place = Path(os.path.abspath(path))  # noqa: PTH100
        for folder in place.parents[:_LIST_ABOVE]:
            listed = self._list(folder).rows.get(plain_name(path))
            if listed is not None:
                return listed.or_else(read_place(place))
        return read_place(place)

    def _list(self, folder: Path) -> FilingList:
        if folder not in self._lists:
            path = folder / NAME
            there = os.path.lexists(path)
            self._lists[folder] = found = read_list(path) if there else FilingList()
            self._found.searched += [path] if there else []
            self._found.faults |= {path: found.fault} if found.fault else {}
        return self._lists[folder]


def printable(name: str) -> str:
    """A file's name as text: bytes that are no UTF-8, which no JSON file could hold, become U+FFFD."""
    return os.fsencode(name).decode("utf-8", "replace")


def safe_name(name: str) -> str:
    """The name of a stored copy: one path component that every file system can hold, its ending kept."""
    safe = "".join(c if c.isprintable() and c != "/" else "_" for c in printable(name).removesuffix(".gz"))
    while len(safe.encode()) > _NAME_BYTES:
        safe = safe[1:]
    return safe if safe.strip(". ") else "filing"
