"""A run folder: manifest, replies, what was made of them, and markers of what is done.

manifest.json            what was asked for, what it was resolved to, on what it ran, counts
replies/part-*.jsonl     append-only, raw text kept
extractions/part-*.jsonl derived from the replies, written anew as a whole; classifications/ in a classification
failures.jsonl           every request that ended without output, and why
done/<stage>             written last; names its outputs and their SHA-256

A match of two runs has a folder of the same kind, with matches/part-*.jsonl and unmatched.jsonl.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from fingreat.errors import InputError, RunError
from fingreat.runs.files import read_json, to_json, write_atomic
from fingreat.runs.log import part_paths
from fingreat.runs.manifest import FORMAT, MATCH_FORMAT, Manifest, MatchManifest
from fingreat.schema.ids import sha256_hex
from fingreat.schema.records import Record

M = TypeVar("M", Manifest, MatchManifest)

_KINDS = ("extract", "classify", "match")
"""What the manifest of results says they are."""


class DoneMarker(Record):
    """What a finished stage left: path relative to the run → SHA-256."""

    outputs: dict[str, str]


class RunFolder:
    """One run, or one match of two runs, on disk. `path` need not exist yet."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def replies(self) -> Path:
        """Folder of the raw replies."""
        return self.path / "replies"

    @property
    def extractions(self) -> Path:
        """Folder of the extractions."""
        return self.path / "extractions"

    @property
    def classifications(self) -> Path:
        """Folder of the classifications, in the folder of a classification run."""
        return self.path / "classifications"

    @property
    def failures(self) -> Path:
        """File of the failures."""
        return self.path / "failures.jsonl"

    @property
    def matches(self) -> Path:
        """Folder of the matches, in the folder of a match."""
        return self.path / "matches"

    @property
    def unmatched(self) -> Path:
        """File of the extractions that have no match, in the folder of a match."""
        return self.path / "unmatched.jsonl"

    @property
    def exists(self) -> bool:
        """Whether there is a manifest."""
        return (self.path / "manifest.json").is_file()

    def check_place(self) -> None:
        """Refuse a place where results would mix with something else.

        Raises:
            InputError: its name cannot be shown, it is a file or a folder with other things in it, it lies in
                the folder of other results, or one of its own folders is a link to somewhere else.
        """
        where, hint = str(self.path), "Choose another --out."
        name = self.path.resolve().name
        if not name.isprintable():
            raise InputError(
                "its name has control characters, or bytes that are no text.",
                where=repr(where)[1:-1],
                hint=hint,
            )
        for folder in self.path.resolve().parents:
            if _kind(folder / "manifest.json") in _KINDS:
                raise InputError(f"lies in {folder}, which holds other results.", where=where, hint=hint)
        if not self.path.is_dir():
            if self.path.exists() or self.path.is_symlink():
                raise InputError("is a file; results need a folder.", where=where, hint=hint)
            return
        if not self.exists and any(not path.name.startswith(".") for path in self.path.iterdir()):
            raise InputError("is a folder with other things in it.", where=where, hint=hint)
        for path in (self.replies, self.extractions, self.classifications, self.matches, self.path / "done"):
            if path.is_symlink():
                raise InputError("is a link; results are only written where they belong.", where=str(path), hint=hint)

    def manifest(self) -> Manifest:
        """The manifest of a run.

        Raises:
            RunError: there is none, or it is damaged or of another format version; or this is a match of two runs.
        """
        manifest = self.any_manifest()
        if isinstance(manifest, MatchManifest):
            raise RunError(
                "is a match of two runs, no run.",
                where=str(self.path),
                hint=f"Its runs were {' and '.join(run.path for run in manifest.runs)}.",
            )
        return manifest

    def match_manifest(self, *, earlier: bool = False) -> MatchManifest:
        """The manifest of a match of two runs.

        Args:
            earlier: one of an earlier format will do, which says what was matched but has fewer counts.

        Raises:
            RunError: there is none, or it is damaged or of another format version; or this is a run.
        """
        manifest = self.any_manifest(earlier=earlier)
        if not isinstance(manifest, MatchManifest):
            raise RunError(
                "is a run, no match of two runs.", where=str(self.path), hint="Make one with `fingreat match`."
            )
        return manifest

    def any_manifest(self, *, earlier: bool = False) -> Manifest | MatchManifest:
        """The manifest, whichever of the two it is.

        Args:
            earlier: that of a match may be of an earlier format.

        Raises:
            RunError: there is none, or it is damaged or of another format version.
        """
        path = self.path / "manifest.json"
        if not path.is_file():
            raise RunError(
                "is no run folder (no manifest.json).", where=str(self.path), hint="See `fingreat runs list`."
            )
        if _is_corpus(path):
            raise RunError("is a corpus, no run folder.", where=str(self.path), hint="See `fingreat runs list`.")
        data = read_json(path)
        is_match = isinstance(data, dict) and data.get("kind") == "match"
        reads = MATCH_FORMAT if is_match else FORMAT
        found = data.get("format") if isinstance(data, dict) else reads
        if found != reads and not (earlier and is_match and found in range(1, reads)):
            raise RunError(
                f"has format version {found!r}; this version of fingreat reads {reads}.",
                where=str(path),
                hint="Repeat its `fingreat match` command: it is made anew from the two runs." if is_match else None,
            )
        try:
            return MatchManifest.model_validate(data) if is_match else Manifest.model_validate(data)
        except ValidationError as error:
            raise RunError("is damaged.", where=str(path), hint=str(error.errors()[0]["msg"])) from error

    def write_manifest(self, manifest: M, **changes: Any) -> M:
        """Write the manifest with some fields changed, and return it."""
        written = manifest.model_copy(update={**changes, "updated": datetime.now(UTC)})
        write_atomic(self.path / "manifest.json", to_json(written.model_dump(mode="json")))
        return written

    def mark_done(self, stage: str, outputs: Iterable[Path]) -> None:
        """Write the marker of a stage; call it after the stage's outputs are whole."""
        marker = DoneMarker(outputs={str(path.relative_to(self.path)): sha256_of(path) for path in outputs})
        write_atomic(self.path / "done" / stage, to_json(marker.model_dump()))

    def clear_done(self, stage: str) -> None:
        """Take a stage's marker away, before its outputs change."""
        (self.path / "done" / stage).unlink(missing_ok=True)

    def verify(self) -> list[str]:
        """What is wrong with the folder, in words; empty where every finished output is as it was written."""
        manifest = self.any_manifest()
        # A hidden file is what a killed writer left of a marker.
        markers = [path for path in sorted((self.path / "done").glob("*")) if not path.name.startswith(".")]
        if not markers:
            complete = manifest.status == "complete"
            return ["the manifest says complete, but no stage is marked done"] if complete else []
        faults = []
        written: set[str] = set()
        for marker in markers:
            try:
                outputs = DoneMarker.model_validate(read_json(marker)).outputs
            except (RunError, ValidationError):
                return [f"done/{marker.name} is damaged"]
            written |= outputs.keys()
            checked = ((name, _fault(self.path / name, digest, marker.name)) for name, digest in outputs.items())
            faults += [f"{name} {fault}" for name, fault in checked if fault]
        folders = (self.replies, self.extractions, self.classifications, self.matches)
        present = [path for folder in folders for path in part_paths(folder)]
        names = (str(path.relative_to(self.path)) for path in present)
        return faults + [f"{name} is there, but no finished stage wrote it" for name in names if name not in written]


def _fault(path: Path, digest: str, stage: str) -> str | None:
    """What is wrong with a file that a stage wrote, in words."""
    if not path.is_file():
        return f"is missing (stage {stage})"
    try:
        return f"is not what stage {stage} wrote" if sha256_of(path) != digest else None
    except OSError as error:
        return f"cannot be read ({error.strerror})"


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def find_runs(folder: Path) -> list[RunFolder]:
    """Every run folder directly below `folder`, by name, then those that a study keeps in it, by task."""
    if not folder.is_dir():
        return []
    paths = (*sorted(folder.glob("*/manifest.json")), *sorted(folder.glob("runs/*/*/manifest.json")))
    return [RunFolder(path.parent) for path in paths if not _is_corpus(path)]


def owner_of(path: Path) -> Path | None:
    """The folder of a run, a match or a corpus in which a path lies, however deep; the path need not exist."""
    kinds = (*_KINDS, "corpus")
    return next((folder for folder in path.resolve().parents if _kind(folder / "manifest.json") in kinds), None)


def _is_corpus(manifest: Path) -> bool:
    """Whether a manifest is a corpus's; a damaged one may be a run's."""
    return _kind(manifest) == "corpus"


def _kind(manifest: Path) -> object:
    """What a manifest says it is of; None where it is not there or damaged."""
    try:
        data = read_json(manifest)
    except RunError:
        return None
    return data.get("kind") if isinstance(data, dict) else None


def digest_of_text(text: str) -> str:
    """SHA-256 of a text's UTF-8 bytes."""
    return sha256_hex(text.encode("utf-8", "replace"))
