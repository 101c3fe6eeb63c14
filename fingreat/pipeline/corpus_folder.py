"""A corpus folder: filings as fetched or added, and their items as Markdown.

filings.jsonl                one Filing per line
raw/<filing id>/<name>       bytes as they came, gzip taken off
sections/<item>/part-*.jsonl one Section per filing, whatever its status
sections/<item>/text/*.md    the text of those that have one, be it only the sentence that points elsewhere
sample/part-*.jsonl          where it is a sample: what was drawn, in which order, and what was replaced why
edgar/                       what EDGAR answered besides filings: indexes, facts of companies
failures.jsonl               what ended without output, and why
manifest.json                counts that add up
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import fingreat
from fingreat.edgar.forms import load_forms
from fingreat.errors import CorpusError, InputError, RunError
from fingreat.pipeline.calls import with_call
from fingreat.runs import read_json, read_record_file, read_records, sole_owner, sweep, to_json, write_atomic
from fingreat.schema import Failure, Filing, Section, SectionStatus
from fingreat.schema.records import Record

FORMAT = 1
_LIST, _FAILURES, _MANIFEST = "filings.jsonl", "failures.jsonl", "manifest.json"
R = TypeVar("R", bound=Record)


class CorpusFolder:
    """A corpus on disk; the folder need not exist yet."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def filings(self) -> list[Filing]:
        """All filings, in the order in which they were added.

        Raises:
            CorpusError: this is no corpus, or its list is damaged; the message names the line.
        """
        self._check_no_file()
        if not (self.path / _LIST).is_file():
            raise CorpusError(
                "is no corpus folder (no filings.jsonl).",
                where=str(self.path),
                hint="Make one with `fingreat corpus fetch`, `sample` or `add`.",
            )
        filings: dict[str, Filing] = {}
        for number, filing in _records(self.path / _LIST, Filing):
            if filing.id in filings:
                raise CorpusError(f"filing {filing.id} is listed twice.", where=f"{self.path / _LIST}, line {number}")
            filings[filing.id] = filing
        return list(filings.values())

    def sections(self, item: str) -> Iterator[Section]:
        """The sections that `make_sections` wrote for an item.

        Raises:
            CorpusError: there are none.
            InputError: that is no item.
        """
        folder = self.section_folder(item)
        if not any(folder.glob("part-*.jsonl")):
            raise CorpusError(
                f"has no sections for item {item}.",
                where=str(self.path),
                hint=sections_command(self.path, item),
            )
        latest: dict[str, tuple[int, Section]] = {}
        replaced: set[int] = set()
        for number, section in enumerate(read_records(folder, Section)):
            before = latest.get(section.filing_id)
            if before is not None and replaces(before[1], section):
                replaced.add(before[0])
            latest[section.filing_id] = number, section.model_copy(update={"text": ""})
        return (section for number, section in enumerate(read_records(folder, Section)) if number not in replaced)

    def section_folder(self, item: str) -> Path:
        """Where the sections of an item are, which need not exist yet.

        Raises:
            InputError: that is no item.
        """
        name = item.strip().upper()
        if name not in load_forms()["10-K"].order:
            raise InputError(f"'{item}' is no item.", where="--item", hint="Write its number, such as 7 or 7A.")
        return self.path / "sections" / name

    def manifest(self) -> dict[str, Any]:
        """What the stages noted, by stage under "stages"; no stages where nothing was done yet.

        Raises:
            CorpusError: it is damaged, or of another version.
        """
        path = self.path / _MANIFEST
        if not path.is_file():
            return {"stages": {}}
        try:
            manifest = read_json(path)
        except RunError as error:
            raise CorpusError(error.message, where=error.where, hint=error.hint) from error
        if not isinstance(manifest, dict) or not isinstance(manifest.get("stages"), dict):
            raise CorpusError("is not the manifest of a corpus.", where=str(path), hint="Use another folder.")
        if manifest.get("format") != FORMAT:
            raise CorpusError(
                f"has format version {manifest.get('format')!r}; this version of fingreat reads {FORMAT}.",
                where=str(path),
            )
        return manifest

    def failures(self) -> list[Failure]:
        """What ended without output, of all stages.

        Raises:
            CorpusError: the list is damaged; the message names the line.
        """
        path = self.path / _FAILURES
        return [failure for _, failure in _records(path, Failure)] if path.is_file() else []

    @contextmanager
    def held(self) -> Iterator[Holding]:
        """Hold the corpus for this process, to change it.

        Raises:
            CorpusError: it is a file, or its list, its failures or its manifest is damaged.
            RunError: another process is working there.
            StorageError: the disk refused.
        """
        self._check_no_file()
        with sole_owner(self.path):
            sweep(*(self.path / name for name in (_LIST, _FAILURES, _MANIFEST)))
            manifest = self.manifest()
            listed = self.filings() if (self.path / _LIST).is_file() else []
            yield Holding(self.path, {filing.id: filing for filing in listed}, self.failures(), manifest)

    def _check_no_file(self) -> None:
        if self.path.is_file():
            raise CorpusError("is a file; a corpus is a folder.", where=str(self.path))


@dataclass
class Holding:
    """A corpus while this process holds it.

    Attributes:
        filings: by id, in the order in which they were added; written by `write_list`.
        before: ids of those that it had when it was taken hold of.
    """

    path: Path
    filings: dict[str, Filing]
    failures: list[Failure]
    manifest: dict[str, Any]
    before: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.before = frozenset(self.filings)

    def check_no_sample(self, reason: str, hint: str) -> None:
        """Refuse what would put filings into a sample that it did not draw.

        Raises:
            CorpusError: the corpus is a sample.
        """
        drawn = any(part.stat().st_size for part in (self.path / "sample").glob("part-*.jsonl"))
        if drawn or "sample" in self.manifest["stages"]:
            raise CorpusError(f"holds a sample; {reason}", where=str(self.path), hint=hint)

    def write_list(self) -> None:
        """Write the list of filings."""
        write_atomic(self.path / _LIST, _lines(list(self.filings.values())))

    def finish(
        self, stage: str, counts: dict[str, Any], failures: list[Failure], tried: Set[str] | None = None
    ) -> None:
        """Write a stage's failures in place of its earlier ones, and what it notes.

        Earlier failures to fetch filings that have come in now, however they came, are out of date, too.

        Args:
            counts: goes into the manifest.
            tried: ids whose earlier failures are out of date; None for all of the stage.
        """
        self._replace_failures(stage, failures, tried)
        self._note(stage, counts)

    def finish_call(
        self,
        stage: str,
        selection: dict[str, Any],
        counts: dict[str, int],
        done: str,
        failures: list[Failure],
        tried: Set[str],
    ) -> None:
        """As `finish`, for a stage whose calls select one thing or another: every selection is noted, and the totals.

        Args:
            selection, counts, done: as in `with_call`.
        """
        self._replace_failures(stage, failures, tried)
        calls = with_call(self.manifest["stages"].get(stage, {}).get("calls", []), selection, counts, done)
        totals = {
            "filings": len(self.filings),
            done: sum(call["counts"][done] for call in calls),
            "failed": sum(one.stage == stage for one in self.failures),
        }
        self._note(stage, {**totals, "calls": calls})

    def _replace_failures(self, stage: str, failures: list[Failure], tried: Set[str] | None) -> None:
        old = [one for one in self.failures if one.stage != stage or (tried is not None and one.id not in tried)]
        come = self.filings.keys() - self.before
        self.failures = [one for one in old if one.stage != "fetch" or one.id not in come] + failures
        write_atomic(self.path / _FAILURES, _lines(self.failures))

    def _note(self, stage: str, noted: dict[str, Any]) -> None:
        self.manifest |= {"format": FORMAT, "kind": "corpus", "version": fingreat.__version__}
        self.manifest["stages"] |= {stage: noted}
        write_atomic(self.path / _MANIFEST, to_json(self.manifest))


def _lines(records: list[R]) -> bytes:
    return "".join(record.model_dump_json() + "\n" for record in records).encode()


def _records(path: Path, model: type[R]) -> list[tuple[int, R]]:
    try:
        return read_record_file(path, model)
    except RunError as error:
        raise CorpusError(error.message, where=error.where, hint=error.hint) from error


def replaces(old: Section, new: Section) -> bool:
    """Whether a record replaces an earlier one: the filing could not be read then, and can now, or has other bytes."""
    readable = old.status is SectionStatus.UNREADABLE and new.status is not SectionStatus.UNREADABLE
    return readable or old.filing_sha256 != new.filing_sha256


def failure_of(stage: str, filing_id: str, state: str, reason: str) -> Failure:
    """A failure of a whole filing."""
    return Failure(stage=stage, id=filing_id, filing_id=filing_id, state=state, reason=reason)


def sections_command(corpus: Path, item: str) -> str:
    """What to do where sections are missing."""
    return f"Make them with `fingreat corpus sections --corpus {corpus} --item {item}`."
