"""What a study folder says of itself: study.json, with the configuration as it was read and what became of the runs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import fingreat
from fingreat.errors import InputError, RunError
from fingreat.pipeline.corpus_folder import CorpusFolder
from fingreat.pipeline.study.config import StudyConfig
from fingreat.pipeline.study.runs import Outcome
from fingreat.pipeline.study.sources import GOLD
from fingreat.runs import owner_of, read_json, sha256_of, to_json, write_atomic
from fingreat.runs.environment import environment, our_code

FORMAT = 1
_HINT = "Choose another --out."


class StudyFolder:
    """The folder of a study.

    study.json     what was run: configuration, hashes, versions
    corpus/        where the study file names files or a sample
    gold.jsonl     the passages of all gold files
    runs/extract/, runs/classify/
    tables/, figures/, panel/, report.html
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def record(self) -> Path:
        """Where it says what it is."""
        return self.path / "study.json"

    def check(self, config: StudyConfig) -> None:
        """Refuse a folder that holds something else.

        Raises:
            InputError: it is a file, lies in a run, a match or a corpus, holds other things, or is of another study.
        """
        where = str(self.path)
        if (self.path.exists() or self.path.is_symlink()) and not self.path.is_dir():
            raise InputError("is a file; a study needs a folder.", where=where, hint=_HINT)
        if owner := owner_of(self.path / "study.json"):
            raise InputError(f"lies in {owner}, which holds a run, a match or a corpus.", where=where, hint=_HINT)
        if not self.record.is_file():
            if self.path.is_dir() and any(not path.name.startswith(".") for path in self.path.iterdir()):
                raise InputError("is a folder with other things in it.", where=where, hint=_HINT)
            return
        found = self.read()
        name = found["config"]["study"].get("name")
        if name != config.study.name:
            raise InputError(f"holds study '{name}', not '{config.study.name}'.", where=where, hint=_HINT)

    def read(self) -> dict[str, Any]:
        """What it says.

        Raises:
            InputError: it is damaged, or of another version.
        """
        try:
            found = read_json(self.record)
        except RunError as error:
            raise InputError(error.message, where=error.where, hint=_HINT) from error
        if not isinstance(found, dict) or not _is_of_study(found.get("config")):
            raise InputError("is not the record of a study.", where=str(self.record), hint=_HINT)
        if found.get("format") != FORMAT:
            raise InputError(
                f"has format version {found.get('format')!r}; this version of fingreat reads {FORMAT}.",
                where=str(self.record),
            )
        return found

    def write(
        self, config: StudyConfig, file: Path, corpus: CorpusFolder, outcomes: Sequence[Outcome] | None = None
    ) -> dict[str, str]:
        """Say what is run; with outcomes, also what became of it.

        Returns:
            SHA-256 of what is read, by what it is.

        Raises:
            StorageError: the disk refused; the old record is still there.
        """
        before = self.read() if self.record.is_file() else {}
        now = datetime.now(UTC).isoformat()
        inputs = self._inputs(config, file, corpus)
        made = {
            "format": FORMAT,
            "kind": "study",
            "created": before.get("created", now),
            "updated": now,
            "version": fingreat.__version__,
            "code": our_code().model_dump(mode="json"),
            "environment": environment().model_dump(mode="json"),
            "config": config.model_dump(mode="json", by_alias=True),
            "inputs": inputs,
            "runs": before.get("runs", {}) if outcomes is None else {one.run.label: _as_data(one) for one in outcomes},
        }
        write_atomic(self.record, to_json(made))
        return inputs

    def _inputs(self, config: StudyConfig, file: Path, corpus: CorpusFolder) -> dict[str, str]:
        """SHA-256 of what is read: the study file, the corpus's list of filings, gold, reviews."""
        files = {"the study file": file, "filings": corpus.path / "filings.jsonl", "gold": self.path / GOLD}
        if config.reviews is not None:
            files["reviews"] = config.reviews.file
        return {name: sha256_of(path) for name, path in files.items() if path.is_file()}


def _is_of_study(config: object) -> bool:
    return isinstance(config, dict) and isinstance(config.get("study"), dict)


def _as_data(outcome: Outcome) -> dict[str, Any]:
    run, manifest = outcome.run, outcome.manifest
    said = {"role": run.role, "model": run.config.model, "state": outcome.state, "reason": outcome.reason}
    if manifest is None:
        return said
    counts = {name: manifest.counts.get(name) for name in ("filings", "requests", "failures", "extractions", "correct")}
    return said | {
        "created": manifest.created.isoformat(),
        "revision": manifest.model.revision,
        "hashes": manifest.hashes,
        "resolved": manifest.resolved,
        "counts": {name: count for name, count in counts.items() if count is not None},
    }
