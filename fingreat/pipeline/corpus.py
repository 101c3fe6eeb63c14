"""A corpus folder: filings as fetched or added, and their items as Markdown.

filings.jsonl                one Filing per line
raw/<filing id>/<name>       bytes as they came, gzip taken off
sections/<item>/part-*.jsonl one Section per filing, whatever its status
sections/<item>/text/*.md    the text of those that were found
failures.jsonl               what ended without output, and why
manifest.json                counts that add up
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import fingreat
from fingreat.edgar import read_bytes
from fingreat.edgar.forms import load_forms
from fingreat.errors import CorpusError, InputError, RunError
from fingreat.pipeline.reading import Examined, examine, find_item, time_limit, unreadable
from fingreat.pipeline.workers import Lost, in_order
from fingreat.runs import RecordLog, read_json, read_record_file, read_records, sole_owner, sweep, to_json, write_atomic
from fingreat.schema import Failure, Filing, Section, SectionStatus, TableStyle, sha256_hex
from fingreat.schema.records import Record

SUFFIXES = (".htm", ".html", ".xhtml", ".txt")
"""Endings of files that a folder is searched for, also with `.gz` behind them."""
FORMAT = 1
_NAME_BYTES = 200
_UNREADABLE: tuple[str, Failure | None] = (SectionStatus.UNREADABLE.value, None)
R = TypeVar("R", bound=Record)


class Corpus:
    """A corpus on disk; the folder need not exist yet."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def _list(self) -> Path:
        return self.path / "filings.jsonl"

    def filings(self) -> list[Filing]:
        """All filings, in the order in which they were added.

        Raises:
            CorpusError: this is no corpus, or its list is damaged; the message names the line.
        """
        if not self._list.is_file():
            raise CorpusError(
                "is no corpus folder (no filings.jsonl).",
                where=str(self.path),
                hint="Make one with `fingreat corpus add`.",
            )
        filings: dict[str, Filing] = {}
        for number, filing in _records(self._list, Filing):
            if filing.id in filings:
                raise CorpusError(f"filing {filing.id} is listed twice.", where=f"{self._list}, line {number}")
            filings[filing.id] = filing
        return list(filings.values())

    def sections(self, item: str) -> Iterator[Section]:
        """The sections that `make_sections` wrote for an item.

        Raises:
            CorpusError: there are none.
            InputError: that is no item.
        """
        folder = self._section_folder(item)
        if not any(folder.glob("part-*.jsonl")):
            raise CorpusError(
                f"has no sections for item {item}.",
                where=str(self.path),
                hint=sections_command(self.path, item),
            )
        read = {one.filing_id for one in read_records(folder, Section) if one.status is not SectionStatus.UNREADABLE}
        records = read_records(folder, Section)
        # A filing that could not be read once and could later has two records.
        return (one for one in records if one.status is not SectionStatus.UNREADABLE or one.filing_id not in read)

    def add(
        self, paths: Iterable[Path], on_file: Callable[[Path], None] = lambda path: None, *, workers: int | None = 1
    ) -> dict[str, int]:
        """Take local filings in; a folder is searched for .htm, .html, .xhtml and .txt, also gzipped.

        A file whose bytes or accession are already here is skipped. One that is no filing is listed in
        failures.jsonl, and the others go on.

        Args:
            on_file: called for each file, in order, before it is taken in.
            workers: processes that read files at the same time, as in `make_sections`.

        Returns:
            counts: `added`, `already_there`, `failed`, and `passed_over`, the files of a folder with other endings.

        Raises:
            InputError: a path does not exist, there is no file to add, or no process could be started.
            StorageError: the disk refused; what was added stays, and the same call goes on from there.
        """
        paths = list(paths)
        files, passed_over = _files(paths)
        if not files:
            raise InputError(
                "there is no filing to add.",
                where=", ".join(map(str, paths)),
                hint=f"Looked for {', '.join(SUFFIXES)}, also .gz.",
            )
        with sole_owner(self.path):
            manifest = self._manifest()
            filings = {filing.id: filing for filing in self.filings()} if self._list.is_file() else {}
            digests = {filing.sha256 for filing in filings.values()}
            failures = []
            counts = Counter({"added": 0, "already_there": 0, "failed": 0, "passed_over": passed_over})
            results = in_order(partial(examine, digests), files, workers=workers, limit=time_limit)
            try:
                with closing(results):
                    for path, examined in zip(files, results, strict=True):
                        on_file(path)
                        try:
                            filing = self._take(path, examined, filings, digests)
                        except InputError as error:
                            failures.append(_failure("add", _printable(str(path)), "unreadable", error.message))
                            counts["failed"] += 1
                            continue
                        counts["added" if filing else "already_there"] += 1
                        if filing:
                            filings[filing.id] = filing
                            digests.add(filing.sha256)
            finally:
                # Ctrl-C and a full disk end the loop, and what it did until then is kept.
                self._write_list(filings.values())
            tried = {_printable(str(path)) for path in files}
            kept = [f for f in self._failures() if f.stage != "add" or f.id not in tried]
            self._finish(manifest, "add", {**counts, "filings": len(filings)}, kept + failures)
        return dict(counts)

    def _take(
        self, path: Path, examined: Examined | Lost, filings: dict[str, Filing], digests: set[str]
    ) -> Filing | None:
        """Store a file that was found to be a filing; None where its bytes are already here."""
        if isinstance(examined, Lost):
            raise InputError(examined.reason)
        if examined.sha256 in digests:
            return None
        filing = examined.filing
        if filing is not None and filing.id in filings:
            raise InputError(f"accession {filing.id} is already in the corpus with other bytes.")
        if examined.fault is not None or filing is None:
            raise InputError(examined.fault or "it cannot be read as a filing.")
        # Read again, so that the bytes of a filing never wait in memory or in a pipe for its turn.
        data = read_bytes(path)
        if sha256_hex(data) != examined.sha256:
            raise InputError("it changed while it was read.")
        # The name comes from the file system, the id from the filing: neither may leave the folder.
        target = Path("raw") / filing.id.replace("/", "_") / _safe_name(path.name)
        sweep(self.path / target)
        write_atomic(self.path / target, data)
        return filing.model_copy(update={"path": str(target)})

    def make_sections(
        self,
        item: str,
        *,
        tables: TableStyle = TableStyle.MARKDOWN,
        again: bool = False,
        workers: int | None = 1,
        on_section: Callable[[Section], None] = lambda section: None,
    ) -> dict[str, int]:
        """Find an item in every filing that has no section record yet, and anew where it was unreadable.

        What is written is the same, byte for byte, whatever the number of processes and of interruptions.

        Args:
            tables: how the sections' texts write tables; all sections of an item have one style.
            again: do all filings anew.
            workers: processes that read filings at the same time; None for as many as there are usable cores. A
                filing that brings its process down, or takes longer than two minutes plus ten seconds per megabyte, is
                `unreadable` then, after a second try. With 1 all is done in this process, without such protection.
            on_section: called after each section is written.

        Returns:
            counts by status, over all filings of the corpus.

        Raises:
            CorpusError: this is no corpus, it is damaged, or its sections have another style of tables.
            InputError: that is no item, or no process could be started.
            StorageError: the disk refused; what is done stays, and the same call goes on from there.
        """
        filings = self.filings()
        folder = self._section_folder(item)
        stage = f"sections/{folder.name}"
        with sole_owner(self.path):
            manifest = self._manifest()
            if again:
                for path in (*folder.glob("part-*.jsonl"), *folder.glob("text/*.md")):
                    path.unlink()
            _check_style(folder, tables)
            for half in folder.glob("text/.*.part"):
                half.unlink()
            counts = {status.value: 0 for status in SectionStatus}
            failures = [failure for failure in self._failures() if failure.stage != stage]
            with RecordLog(folder, Section, lambda section: section.filing_id, _is_better) as log:
                known = {filing.id: _outcome(stage, log.get(filing.id)) for filing in filings if filing.id in log}
                missing = [filing for filing in filings if known.get(filing.id, _UNREADABLE)[0] == _UNREADABLE[0]]
                with closing(self._found(missing, folder.name, tables, workers)) as found:
                    for filing in filings:
                        status, failure = known.get(filing.id, _UNREADABLE)
                        if status == _UNREADABLE[0]:
                            section = next(found)
                            if filing.id not in log or section.status is not SectionStatus.UNREADABLE:
                                _write_section(log, section)
                            on_section(section)
                            status, failure = _outcome(stage, section)
                        counts[status] += 1
                        failures += [failure] if failure else []
            self._finish(manifest, stage, {**counts, "tables": tables.value}, failures)
        return counts

    def _found(
        self, filings: list[Filing], item: str, tables: TableStyle, workers: int | None
    ) -> Generator[Section, None, None]:
        """The sections of filings, in their order."""
        results = in_order(
            partial(find_item, self.path, item, tables),
            filings,
            workers=workers,
            limit=lambda filing: time_limit(self.path / filing.path),
        )
        with closing(results):
            for filing, result in zip(filings, results, strict=True):
                yield unreadable(filing, item, tables, result.reason) if isinstance(result, Lost) else result

    def _section_folder(self, item: str) -> Path:
        name = item.strip().upper()
        if name not in load_forms()["10-K"].order:
            raise InputError(f"'{item}' is no item.", where="--item", hint="Write its number, such as 7 or 7A.")
        return self.path / "sections" / name

    def _write_list(self, filings: Iterable[Filing]) -> None:
        write_atomic(self._list, "".join(filing.model_dump_json() + "\n" for filing in filings).encode())

    def _failures(self) -> list[Failure]:
        path = self.path / "failures.jsonl"
        return [failure for _, failure in _records(path, Failure)] if path.is_file() else []

    def _manifest(self) -> dict[str, Any]:
        """The manifest, read by the folder's owner before anything is written."""
        path = self.path / "manifest.json"
        sweep(path, self._list, self.path / "failures.jsonl")
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

    def _finish(self, manifest: dict[str, Any], stage: str, counts: dict[str, Any], failures: list[Failure]) -> None:
        """Write all failures of the corpus, and the counts of a stage."""
        lines = "".join(failure.model_dump_json() + "\n" for failure in failures)
        write_atomic(self.path / "failures.jsonl", lines.encode())
        manifest |= {"format": FORMAT, "kind": "corpus", "version": fingreat.__version__}
        manifest["stages"] |= {stage: counts}
        write_atomic(self.path / "manifest.json", to_json(manifest))


def _files(paths: Iterable[Path]) -> tuple[list[Path], int]:
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


def _write_section(log: RecordLog[Section], section: Section) -> None:
    """Write a section: its text first, so that one with a record has its text."""
    if section.text:
        write_atomic(log.folder / "text" / f"{section.filing_id.replace('/', '_')}.md", section.text.encode())
    log.append(section)


def _check_style(folder: Path, tables: TableStyle) -> None:
    """Refuse to mix styles: all sections in a folder have that of the first."""
    first = next(read_records(folder, Section), None)
    if first is not None and first.tables is not tables:
        raise CorpusError(
            f"holds sections whose tables are {first.tables.value}, and {tables.value} is asked for.",
            where=str(folder),
            hint=f"Make all of them anew with --again, or ask for `--tables {first.tables.value}`.",
        )


def sections_command(corpus: Path, item: str) -> str:
    """What to do where sections are missing."""
    return f"Make them with `fingreat corpus sections --corpus {corpus} --item {item}`."


def _is_better(old: Section, new: Section) -> bool:
    """Whether a record replaces an earlier one: the filing could not be read then, and can now."""
    return old.status is SectionStatus.UNREADABLE and new.status is not SectionStatus.UNREADABLE


def _outcome(stage: str, section: Section | None) -> tuple[str, Failure | None]:
    """A section's status, and what failures.jsonl says about it."""
    if section is None:
        return _UNREADABLE
    if section.status is SectionStatus.FOUND:
        return section.status.value, None
    return section.status.value, _failure(stage, section.filing_id, section.status.value, _why(section))


def _records(path: Path, model: type[R]) -> list[tuple[int, R]]:
    try:
        return read_record_file(path, model)
    except RunError as error:
        raise CorpusError(error.message, where=error.where, hint=error.hint) from error


def _printable(name: str) -> str:
    """A file's name as text: bytes that are no UTF-8, which no JSON file could hold, become U+FFFD."""
    return os.fsencode(name).decode("utf-8", "replace")


def _safe_name(name: str) -> str:
    """The name of a stored copy: one path component that every file system can hold, its ending kept."""
    safe = "".join(c if c.isprintable() and c != "/" else "_" for c in _printable(name).removesuffix(".gz"))
    while len(safe.encode()) > _NAME_BYTES:
        safe = safe[1:]
    return safe if safe.strip(". ") else "filing"


def _failure(stage: str, filing_id: str, state: str, reason: str) -> Failure:
    return Failure(stage=stage, id=filing_id, filing_id=filing_id, state=state, reason=reason)


def _why(section: Section) -> str:
    return section.pointer or "; ".join(section.warnings) or f"item {section.item} is {section.status.value}"
