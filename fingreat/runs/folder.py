"""A run folder: manifest, replies, what was made of them, and markers of what is done.

manifest.json            what was asked for, what it was resolved to, on what it ran, counts
replies/part-*.jsonl     append-only, raw text kept
extractions/part-*.jsonl derived from the replies, written anew as a whole
failures.jsonl           every request that ended without output, and why
done/<stage>             written last; names its outputs and their SHA-256
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from fingreat.errors import RunError
from fingreat.runs.environment import Code, Environment, environment, our_code
from fingreat.runs.files import read_json, to_json, write_atomic
from fingreat.runs.log import part_paths
from fingreat.schema.ids import sha256_hex
from fingreat.schema.records import Record

FORMAT = 1
Status = Literal["started", "interrupted", "failed", "complete"]


class ModelInfo(Record):
    """The model that answered.

    Attributes:
        spec: as the user names it, `backend:model[@revision]`.
        revision: what pins the weights: a hash or a commit.
        context: tokens of context, None where there is no limit.
    """

    spec: str
    backend: str
    model: str
    revision: str | None
    context: int | None


class Session(Record):
    """An earlier stretch of a run, on other code or another machine."""

    ended: datetime
    code: Code
    environment: Environment


class Manifest(Record):
    """Everything that says what a run is.

    Attributes:
        asked: the configuration as passed.
        resolved: the same after defaults; two runs with equal `resolved`, `model` and `hashes` ask the same.
        seeds: every seed, by what it seeds.
        code, environment: of the latest call.
        earlier: what the run went on from where code or environment was another; replies may come from each.
        hashes: of prompt, graph and reply schema.
        inputs: filing id → SHA-256 of the section text that was read.
        counts: rows by state, extractions by verdict, tokens, seconds.
    """

    format: int = FORMAT
    kind: str
    name: str
    status: Status
    created: datetime
    updated: datetime
    asked: dict[str, Any]
    resolved: dict[str, Any]
    seeds: dict[str, int]
    code: Code
    environment: Environment
    earlier: tuple[Session, ...] = ()
    model: ModelInfo
    hashes: dict[str, str]
    inputs: dict[str, str]
    counts: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def new(
        cls, name: str, *, asked: dict[str, Any], resolved: dict[str, Any], model: ModelInfo, hashes: dict[str, str]
    ) -> Manifest:
        """The manifest of an extraction run that begins now."""
        now = datetime.now(UTC)
        return cls(
            kind="extract",
            name=name,
            status="started",
            created=now,
            updated=now,
            asked=asked,
            resolved=resolved,
            seeds={"sampling": int(resolved["seed"])},
            code=our_code(),
            environment=environment(),
            model=model,
            hashes=hashes,
            inputs={},
        )

    def going_on_from(self, found: Manifest) -> Manifest:
        """This manifest as the continuation of `found`: its beginning and its sessions are kept."""
        earlier = found.earlier
        if (found.code, found.environment) != (self.code, self.environment):
            earlier = (*earlier, Session(ended=found.updated, code=found.code, environment=found.environment))
        return self.model_copy(update={"created": found.created, "earlier": earlier})

    def differences(self, other: Manifest) -> list[str]:
        """In words, what would make the two runs ask different questions."""
        found = []
        for field in ("kind", "resolved", "model", "hashes"):
            ours, theirs = (_flat(field, getattr(m, field)) for m in (self, other))
            found += [
                f"{key} was {ours.get(key)!r}, now {theirs.get(key)!r}"
                for key in sorted(ours.keys() | theirs.keys())
                if ours.get(key) != theirs.get(key)
            ]
        return found


def _flat(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, Record):
        value = value.model_dump()
    return {f"{name}.{key}": item for key, item in value.items()} if isinstance(value, dict) else {name: value}


class DoneMarker(Record):
    """What a finished stage left: path relative to the run → SHA-256."""

    outputs: dict[str, str]


class RunFolder:
    """One run on disk. `path` need not exist yet."""

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
    def failures(self) -> Path:
        """File of the failures."""
        return self.path / "failures.jsonl"

    @property
    def exists(self) -> bool:
        """Whether there is a manifest."""
        return (self.path / "manifest.json").is_file()

    def manifest(self) -> Manifest:
        """The manifest.

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
        if isinstance(data, dict) and data.get("format") != FORMAT:
            raise RunError(
                f"has format version {data.get('format')!r}; this version of fingreat reads {FORMAT}.", where=str(path)
            )
        try:
            return Manifest.model_validate(data)
        except ValidationError as error:
            raise RunError("is damaged.", where=str(path), hint=str(error.errors()[0]["msg"])) from error

    def write_manifest(self, manifest: Manifest, **changes: Any) -> Manifest:
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
        manifest = self.manifest()
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
            for name, digest in outputs.items():
                path = self.path / name
                if not path.is_file():
                    faults.append(f"{name} is missing (stage {marker.name})")
                elif sha256_of(path) != digest:
                    faults.append(f"{name} is not what stage {marker.name} wrote")
        present = [path for folder in (self.replies, self.extractions) for path in part_paths(folder)]
        names = (str(path.relative_to(self.path)) for path in present)
        return faults + [f"{name} is there, but no finished stage wrote it" for name in names if name not in written]


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def find_runs(folder: Path) -> list[RunFolder]:
    """Every run folder directly below `folder`, by name."""
    if not folder.is_dir():
        return []
    return [RunFolder(path.parent) for path in sorted(folder.glob("*/manifest.json")) if not _is_corpus(path)]


def _is_corpus(manifest: Path) -> bool:
    """Whether a manifest is a corpus's; a damaged one may be a run's."""
    try:
        data = read_json(manifest)
    except RunError:
        return False
    return isinstance(data, dict) and data.get("kind") == "corpus"


def digest_of_text(text: str) -> str:
    """SHA-256 of a text's UTF-8 bytes."""
    return sha256_hex(text.encode("utf-8", "replace"))
