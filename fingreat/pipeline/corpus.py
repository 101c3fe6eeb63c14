"""A corpus folder: filings as fetched or added, and their items as Markdown.

filings.jsonl                one Filing per line
raw/<filing id>/<name>       bytes as they came
sections/<item>/part-*.jsonl one Section per filing, whatever its status
sections/<item>/text/*.md    the text of those that were found
failures.jsonl               what ended without output, and why
manifest.json                counts that add up
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

import fingreat
from fingreat.edgar import describe_filing, read_bytes, read_section, read_submission
from fingreat.errors import CorpusError, FingreatError, InputError
from fingreat.runs import RecordLog, read_json, read_records, sole_owner, to_json, write_atomic
from fingreat.schema import Failure, Filing, Section, SectionStatus, sha256_hex

SUFFIXES = (".htm", ".html", ".xhtml", ".txt")
"""Endings of files that a folder is searched for, also with `.gz` behind them."""
FORMAT = 1


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
            CorpusError: this is no corpus, or its list is damaged.
        """
        if not self._list.is_file():
            raise CorpusError(
                "is no corpus folder (no filings.jsonl).",
                where=str(self.path),
                hint="Make one with `fingreat corpus add`.",
            )
        filings = []
        for number, line in enumerate(self._list.read_text(encoding="utf-8").splitlines(), 1):
            try:
                filings.append(Filing.model_validate_json(line))
            except ValidationError as error:
                raise CorpusError("is no filing record.", where=f"{self._list}, line {number}") from error
        return filings

    def sections(self, item: str) -> Iterator[Section]:
        """The sections that `make_sections` wrote for an item.

        Raises:
            CorpusError: there are none.
        """
        folder = self._section_folder(item)
        if not any(folder.glob("part-*.jsonl")):
            raise CorpusError(
                f"has no sections for item {item}.",
                where=str(self.path),
                hint=f"Make them with `fingreat corpus sections --corpus {self.path} --item {item}`.",
            )
        return read_records(folder, Section)

    def add(self, paths: Iterable[Path], on_file: Callable[[Path], None] = lambda path: None) -> dict[str, int]:
        """Take local filings in; a folder is searched for .htm, .html, .xhtml and .txt, also gzipped.

        A file whose bytes or accession are already here is skipped. One that is no filing is listed in
        failures.jsonl, and the others go on.

        Returns:
            counts: `added`, `already_there`, `failed`.

        Raises:
            InputError: a path does not exist, or there is no file to add.
        """
        files = list(_files(paths))
        if not files:
            raise InputError(
                "there is no filing to add.",
                where=", ".join(map(str, paths)),
                hint=f"Looked for {', '.join(SUFFIXES)}, also .gz.",
            )
        with sole_owner(self.path):
            filings = self.filings() if self._list.is_file() else []
            known = {filing.sha256: filing for filing in filings} | {filing.id: filing for filing in filings}
            failures = []
            counts = Counter({"added": 0, "already_there": 0, "failed": 0})
            for path in files:
                on_file(path)
                try:
                    outcome, filing = self._add_one(path, known)
                except FingreatError as error:
                    failures.append(_failure("add", str(path), "unreadable", error.message))
                    counts["failed"] += 1
                    continue
                counts[outcome] += 1
                if outcome == "added":
                    filings.append(filing)
                    known |= {filing.sha256: filing, filing.id: filing}
            self._write_list(filings)
            self._finish("add", dict(counts), failures)
        return dict(counts)

    def _add_one(self, path: Path, known: dict[str, Filing]) -> tuple[str, Filing]:
        data = read_bytes(path)
        digest = sha256_hex(data)
        if digest in known:
            return "already_there", known[digest]
        filing = describe_filing(read_submission(data, path.name), digest, path)
        if filing.id in known:
            raise InputError(f"accession {filing.id} is already in the corpus with other bytes.")
        status = read_section(data, name=path.name, filing_id=filing.id)
        if status.status is SectionStatus.UNREADABLE:
            raise InputError("; ".join(status.warnings) or "it cannot be read as a filing.")
        # The name comes from the file system, the id from the filing: neither may leave the folder.
        target = Path("raw") / filing.id.replace("/", "_") / path.name.removesuffix(".gz")
        write_atomic(self.path / target, data)
        return "added", filing.model_copy(update={"path": str(target)})

    def make_sections(
        self, item: str, *, again: bool = False, on_section: Callable[[Section], None] = lambda section: None
    ) -> dict[str, int]:
        """Find an item in every filing that has no section record yet.

        Args:
            again: do all filings anew.
            on_section: called after each section is written.

        Returns:
            counts by status, over all filings of the corpus.
        """
        filings = self.filings()
        folder = self._section_folder(item)
        with sole_owner(self.path):
            if again:
                for path in folder.glob("part-*.jsonl"):
                    path.unlink()
            with RecordLog(folder, Section, key=lambda section: section.filing_id) as log:
                for filing in filings:
                    if filing.id not in log:
                        section = self._section(filing, item)
                        if section.text:
                            name = filing.id.replace("/", "_")
                            write_atomic(folder / "text" / f"{name}.md", section.text.encode())
                        log.append(section)
                        on_section(section)
                found = [log.get(filing.id) for filing in filings]
            sections = [section for section in found if section is not None]
            counts = {status.value: 0 for status in SectionStatus}
            counts |= Counter(section.status.value for section in sections)
            failures = [
                _failure("sections", section.filing_id, section.status.value, _why(section))
                for section in sections
                if section.status is not SectionStatus.FOUND
            ]
            self._finish(f"sections/{item}", counts, failures)
        return counts

    def _section(self, filing: Filing, item: str) -> Section:
        try:
            return read_section(self.path / filing.path, item, filing_id=filing.id)
        except FingreatError as error:
            return Section(
                filing_id=filing.id,
                item=item,
                status=SectionStatus.UNREADABLE,
                form=filing.form,
                warnings=(error.message,),
            )

    def _section_folder(self, item: str) -> Path:
        return self.path / "sections" / item

    def _write_list(self, filings: list[Filing]) -> None:
        write_atomic(self._list, "".join(filing.model_dump_json() + "\n" for filing in filings).encode())

    def _finish(self, stage: str, counts: dict[str, int], failures: list[Failure]) -> None:
        """Write a stage's failures (those of other stages stay) and its counts."""
        path = self.path / "failures.jsonl"
        kept = []
        if path.is_file():
            lines = path.read_text(encoding="utf-8").splitlines()
            kept = [
                failure for failure in map(Failure.model_validate_json, lines) if failure.stage != stage.split("/")[0]
            ]
        write_atomic(path, "".join(failure.model_dump_json() + "\n" for failure in [*kept, *failures]).encode())
        manifest_path = self.path / "manifest.json"
        manifest: dict[str, Any] = read_json(manifest_path) if manifest_path.is_file() else {"stages": {}}
        manifest |= {"format": FORMAT, "version": fingreat.__version__}
        manifest["stages"][stage] = counts
        write_atomic(manifest_path, to_json(manifest))


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            for file in sorted(path.rglob("*")):
                hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
                if file.is_file() and not hidden and file.name.lower().removesuffix(".gz").endswith(SUFFIXES):
                    yield file
        elif path.exists():
            yield path
        else:
            raise InputError("there is no such file or folder.", where=str(path))


def _failure(stage: str, filing_id: str, state: str, reason: str) -> Failure:
    return Failure(stage=stage, id=filing_id, filing_id=filing_id, state=state, reason=reason)


def _why(section: Section) -> str:
    return section.pointer or "; ".join(section.warnings) or f"item {section.item} is {section.status.value}"
