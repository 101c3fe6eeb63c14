"""Local files that may be filings: which of them to read, and the names of their copies in a corpus."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from fingreat.errors import InputError

SUFFIXES = (".htm", ".html", ".xhtml", ".txt")
"""Endings of files that a folder is searched for, also with `.gz` behind them."""
_NAME_BYTES = 200


def find_files(paths: Iterable[Path]) -> tuple[list[Path], int]:
    """The files to add, and how many files of folders have other endings; hidden ones are not counted."""
    files: list[Path] = []
    passed_over = 0
    for path in paths:
        if path.is_dir():
            for file in sorted(path.rglob("*")):
                hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
                if hidden or not file.is_file():
                    continue
                if file.name.lower().removesuffix(".gz").endswith(SUFFIXES):
                    files.append(file)
                else:
                    passed_over += 1
        elif path.exists():
            files.append(path)
        else:
            raise InputError("there is no such file or folder.", where=str(path))
    return files, passed_over


def printable(name: str) -> str:
    """A file's name as text: bytes that are no UTF-8, which no JSON file could hold, become U+FFFD."""
    return os.fsencode(name).decode("utf-8", "replace")


def safe_name(name: str) -> str:
    """The name of a stored copy: one path component that every file system can hold, its ending kept."""
    safe = "".join(c if c.isprintable() and c != "/" else "_" for c in printable(name).removesuffix(".gz"))
    while len(safe.encode()) > _NAME_BYTES:
        safe = safe[1:]
    return safe if safe.strip(". ") else "filing"
