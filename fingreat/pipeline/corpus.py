"""The stages of a corpus that need no network: local filings in, their items as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path

from fingreat.edgar import read_bytes
from fingreat.errors import CorpusError, InputError
from fingreat.pipeline.calls import listed
from fingreat.pipeline.corpus_folder import CorpusFolder, failure_of, replaces
from fingreat.pipeline.local_files import SUFFIXES, Found, find_files, printable, safe_name
from fingreat.pipeline.reading import Examined, examine_local, find_item, time_limit, unreadable, why
from fingreat.pipeline.workers import Lost, in_order
from fingreat.runs import RecordLog, read_records, sweep, write_atomic
from fingreat.schema import Failure, Filing, Section, SectionStatus, TableStyle, sha256_hex


class Corpus(CorpusFolder):
    """A corpus on disk, filled from local files; the folder need not exist yet."""

    def add(
        self, paths: Iterable[Path], on_file: Callable[[Path], None] = lambda path: None, *, workers: int | None = 1
    ) -> dict[str, int]:
        """Take local filings in; a folder is searched for .htm, .html, .xhtml and .txt, also gzipped.

        The trees of sec-edgar-downloader and edgar-crawler are known: what a filing does not say of itself comes from
        its folders, its name and the crawler's list, and a half file of theirs is not taken. A file whose bytes are
        already here is skipped; one whose stored copy is gone is stored again. One that is no filing, or another one
        of an accession number that is here, is listed in failures.jsonl, and so is a folder that cannot be read or a
        damaged list; the others go on.

        Args:
            on_file: called for each file, in order, before it is taken in.
            workers: processes that read files at the same time, as in `make_sections`.

        Returns:
            counts: `added` (also those stored again), `already_there`, `doubles` (main documents beside their full
            submission), `failed`, and `passed_over`, the files of a folder with other endings.

        Raises:
            InputError: a path does not exist, there is no file to add, or no process could be started.
            CorpusError: the corpus is a sample.
            StorageError: the disk refused; what was added stays, and the same call goes on from there.
        """
        paths = list(paths)
        found = _some_files(paths)
        with self.held() as held:
            held.check_no_sample("a local filing is none of it.", "Add it to a folder of its own.")
            gone = {one.sha256: one for one in held.filings.values() if not (self.path / one.path).exists()}
            digests = {filing.sha256 for filing in held.filings.values()} - gone.keys()
            failures = [_not_added(path, reason) for path, reason in found.faults.items()]
            counts = Counter({"added": 0, "already_there": 0, "doubles": len(found.doubles), "failed": len(failures)})
            counts["passed_over"] = found.passed_over
            tried = {printable(str(path)) for path in (*found.doubles, *found.searched)}
            look = partial(examine_local, digests)
            results = in_order(look, found.files, workers=workers, limit=lambda file: time_limit(file.path))
            try:
                with closing(results):
                    for (path, *_), examined in zip(found.files, results, strict=True):
                        on_file(path)
                        tried.add(printable(str(path)))
                        try:
                            filing = self._take(path, examined, held.filings, digests, gone)
                        except InputError as error:
                            failures.append(_not_added(path, error.message))
                            counts["failed"] += 1
                            continue
                        counts["added" if filing else "already_there"] += 1
                        if filing:
                            held.filings[filing.id] = filing
                            digests.add(filing.sha256)
            finally:
                # Ctrl-C and a full disk end the loop, and what it did until then is kept.
                held.write_list()
                selection = listed("paths", [*dict.fromkeys(printable(str(path)) for path in paths)])
                held.finish_call("add", selection, dict(counts), "added", failures, tried)
        return dict(counts)

    def _take(
        self,
        path: Path,
        examined: Examined | Lost,
        filings: dict[str, Filing],
        digests: set[str],
        gone: dict[str, Filing],
    ) -> Filing | None:
        """Store a file that was found to be a filing; None where its bytes are already here."""
        if isinstance(examined, Lost):
            raise InputError(examined.reason)
        if examined.sha256 in digests:
            return None
        filing = examined.filing
        if examined.fault is not None or filing is None:
            raise InputError(examined.fault or "it cannot be read as a filing.")
        # What was learnt of a filing stays, whatever its file is called now.
        filing = gone.get(examined.sha256, filing)
        if filing.id in filings and examined.sha256 not in gone:
            raise InputError(f"accession {filing.id} is already in the corpus with other bytes.")
        # Read again, so that the bytes of a filing never wait in memory or in a pipe for its turn.
        data = read_bytes(path)
        if sha256_hex(data) != examined.sha256:
            raise InputError("it changed while it was read.")
        # The name comes from the file system, the id from the filing: neither may leave the folder.
        target = Path("raw") / filing.id.replace("/", "_") / safe_name(path.name)
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
        folder = self.section_folder(item)
        stage = f"sections/{folder.name}"
        with self.held() as held:
            if again:
                for path in (*folder.glob("part-*.jsonl"), *folder.glob("text/*.md")):
                    path.unlink()
            _check_style(folder, tables)
            for half in folder.glob("text/.*.part"):
                half.unlink()
            counts = {status.value: 0 for status in SectionStatus}
            failures: list[Failure] = []
            with RecordLog(folder, Section, lambda section: section.filing_id, replaces) as log:
                known = {filing.id: _outcome(stage, log.get(filing.id), filing) for filing in filings}
                missing = [filing for filing in filings if known[filing.id] is None]
                with closing(self._found(missing, folder.name, tables, workers)) as found:
                    for filing in filings:
                        outcome = known[filing.id]
                        if outcome is None:
                            section = next(found)
                            old = log.get(filing.id)
                            if old is None or replaces(old, section):
                                _write_section(log, section)
                            on_section(section)
                            outcome = section.status.value, _failure(stage, section)
                        status, failure = outcome
                        counts[status] += 1
                        failures += [failure] if failure else []
            held.finish(stage, {**counts, "tables": tables.value}, failures)
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


def _not_added(path: Path, reason: str) -> Failure:
    return failure_of("add", printable(str(path)), "unreadable", reason)


def _some_files(paths: list[Path]) -> Found:
    found = find_files(paths)
    if not found.files:
        raise InputError(
            next(iter(found.faults.values()), "there is no filing to add."),
            where=", ".join(map(str, found.faults or paths)),
            hint=f"Looked for {', '.join(SUFFIXES)}, also .gz.",
        )
    return found


def _write_section(log: RecordLog[Section], section: Section) -> None:
    """Write a section: its text first, so that one with a record has its text."""
    path = log.folder / "text" / f"{section.filing_id.replace('/', '_')}.md"
    if section.text:
        write_atomic(path, section.text.encode())
    else:
        path.unlink(missing_ok=True)
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


def _outcome(stage: str, section: Section | None, filing: Filing) -> tuple[str, Failure | None] | None:
    """A section's status, and what failures.jsonl says about it; None where the item is to be looked for (again)."""
    if section is None or section.status is SectionStatus.UNREADABLE or section.filing_sha256 != filing.sha256:
        return None
    return section.status.value, _failure(stage, section)


def _failure(stage: str, section: Section) -> Failure | None:
    if section.status is SectionStatus.FOUND:
        return None
    return failure_of(stage, section.filing_id, section.status.value, why(section))
