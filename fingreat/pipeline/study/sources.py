"""What the runs of a study read: its corpus, and its gold passages in one file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from fingreat.edgar import read_bytes
from fingreat.edgar.remote.client import EdgarClient
from fingreat.edgar.remote.families import FormChoice
from fingreat.errors import CorpusError, InputError
from fingreat.pipeline.corpus import Corpus
from fingreat.pipeline.corpus_folder import CorpusFolder
from fingreat.pipeline.enrich import STAGE as ENRICH
from fingreat.pipeline.enrich import enrich
from fingreat.pipeline.gold import read_gold
from fingreat.pipeline.local_files import find_files, printable
from fingreat.pipeline.sample import STAGE as SAMPLE
from fingreat.pipeline.sample import SampleSettings, draw_sample
from fingreat.pipeline.study.config import CorpusPart, SamplePart, StudyConfig
from fingreat.pipeline.years import spoken_years
from fingreat.report.tables import count_of
from fingreat.runs import write_atomic
from fingreat.runs.files import storage_errors
from fingreat.schema import Filing, GoldPassage, sha256_hex

CORPUS, GOLD = "corpus", "gold.jsonl"
"""Where a study folder has its own corpus, and the passages of all its gold files."""
_FEW = 20
"""Up to so many filings are read by this process alone."""


class PartOfCorpus(CorpusFolder):
    """A corpus of which only the filings of some years are seen.

    Args:
        years: of filing.
    """

    def __init__(self, path: Path, years: tuple[int, ...]) -> None:
        super().__init__(path)
        self.years = frozenset(years)

    def filings(self) -> list[Filing]:
        """Those of the years, in the order in which they were added.

        Raises:
            CorpusError: this is no corpus, its list is damaged, or it has none of these years.
        """
        found = [one for one in super().filings() if one.filed and one.filed.year in self.years]
        if not found:
            raise CorpusError(f"has no filing that was filed in {spoken_years(self.years)}.", where=str(self.path))
        return found


def part_of(corpus: CorpusFolder, years: tuple[int, ...]) -> CorpusFolder:
    """The filings of some years of a corpus; all of it, where no year is named."""
    return PartOfCorpus(corpus.path, years) if years else corpus


def corpus_folder(part: CorpusPart, out: Path) -> CorpusFolder:
    """The corpus of a study, which need not be there yet."""
    return CorpusFolder(part.folder or out / CORPUS)


def make_corpus(part: CorpusPart, out: Path, note: Callable[[str], None]) -> CorpusFolder:
    """The corpus of a study, with its sections; what is there is not made again, and not even locked.

    Args:
        note: told what takes its time.

    Raises:
        InputError, CorpusError: files that are not there, a corpus with other filings, none of the filings can be read.
        RemoteError: EDGAR does not give what a sample needs; what came stays.
        RunError: another process is working there.
        StorageError: the disk refused; the same call goes on.
    """
    corpus = corpus_folder(part, out)
    if part.folder is not None:
        if lacks := lacking(part, corpus):
            raise CorpusError(lacks, where=str(part.folder), hint="Make it complete, or name its files by `files`.")
        return corpus
    if lacking(part, corpus):
        _check_no_others(part, corpus)
        whole = Corpus(corpus.path)
        if part.sample is not None:
            _draw(part.sample, part.item, whole, note)
        else:
            note(f"reading {count_of(len(find_files(part.files).files), 'file')} into the corpus")
            whole.add(part.files, workers=1 if len(part.files) <= _FEW else None)
        number = len(whole.filings())
        if not number:
            raise CorpusError(_no_filing(corpus), hint="Name other files by `files`, or mend these.")
        note(f"looking for item {part.item} in {count_of(number, 'filing')}")
        whole.make_sections(part.item, workers=1 if number <= _FEW else None)
    _check_no_others(part, corpus)
    return corpus


def lacking(part: CorpusPart, corpus: CorpusFolder) -> str | None:
    """What is not there of a study's corpus, in a sentence; None where it is complete.

    Raises:
        InputError: a file that it is made of is not there.
        CorpusError: it is damaged.
    """
    if not (corpus.path / "filings.jsonl").is_file():
        return "is not made yet."
    filings = corpus.filings()
    if part.sample is not None and (fault := _undrawn(part.sample, corpus)):
        return fault
    known = {one.sha256 for one in filings}
    refused = {failure.id for failure in corpus.failures() if failure.stage == "add"}
    for file in find_files(part.files).files if part.files else ():
        if printable(str(file.path)) not in refused and _digest(file.path) not in known:
            return f"lacks {file.path.name}."
    if not any(corpus.section_folder(part.item).glob("part-*.jsonl")):
        return f"has no sections for item {part.item}."
    searched = {section.filing_id for section in corpus.sections(part.item)}
    if missing := [one.id for one in filings if one.id not in searched]:
        return f"has no section for item {part.item} of {count_of(len(missing), 'filing')}."
    return None


def missing_files(part: CorpusPart) -> list[Path]:
    """What the corpus is to be made of, and is not there."""
    return [file for file in part.files if not file.exists()]


@contextmanager
def corpus_to_look_at(
    part: CorpusPart, out: Path, note: Callable[[str], None] = lambda line: None
) -> Iterator[CorpusFolder | None]:
    """The corpus of a study for who only counts: of local files it is made elsewhere, and is gone afterwards.

    Nothing is given where the corpus is not complete, and cannot be made without asking EDGAR or without files that
    are not there.

    Args:
        note: told what takes its time.

    Raises:
        InputError, CorpusError: as in `make_corpus`.
    """
    corpus = corpus_folder(part, out)
    if missing_files(part):
        yield None
    elif lacking(part, corpus) is None:
        yield corpus
    elif part.files:
        _check_no_others(part, corpus)
        with TemporaryDirectory(prefix="fingreat-") as folder:
            yield make_corpus(part, Path(folder), note)
    else:
        yield None


def gold_passages(config: StudyConfig) -> list[GoldPassage]:
    """The passages of all gold files of a study, in their order.

    Raises:
        InputError: a file cannot be read or holds no gold passages, or two files have one passage.
    """
    passages: dict[str, GoldPassage] = {}
    files: dict[str, Path] = {}
    for file in config.classify.gold if config.classify else ():
        for passage in read_gold(file):
            if (before := files.setdefault(passage.passage_id, file)) != file:
                raise InputError(
                    f"has passage '{passage.passage_id}', which {before.name} has too.",
                    where=str(file),
                    hint="Give each passage to one gold file.",
                )
            passages[passage.passage_id] = passage
    return list(passages.values())


def missing_gold(config: StudyConfig) -> str | None:
    """Why nothing can be classified, in a sentence; None where all gold files are there."""
    if config.classify is None:
        return "The study has no classification."
    gone = [file.name for file in config.classify.gold if not file.is_file()]
    return f"There is no gold file {gone[0]}." if gone else None


def write_gold(config: StudyConfig, out: Path) -> Path | None:
    """Write all gold passages into the study folder, where they are not as they were.

    Where some file is missing there is no gold: None, and those of an earlier call go.

    Raises:
        InputError: as in `gold_passages`.
        StorageError: the disk refused.
    """
    file = out / GOLD
    if missing_gold(config):
        with storage_errors(out):
            file.unlink(missing_ok=True)
        return None
    data = "".join(f"{_line(passage)}\n" for passage in gold_passages(config)).encode()
    if not file.is_file() or file.read_bytes() != data:
        write_atomic(file, data)
    return file


def _digest(file: Path) -> str | None:
    """SHA-256 of a filing's bytes; None where they cannot be read, which whoever adds them notes."""
    try:
        return sha256_hex(read_bytes(file))
    except InputError:
        return None


def _line(passage: GoldPassage) -> str:
    """A passage as the same line in every process: a set has no order of its own."""
    return json.dumps(passage.model_dump(mode="json") | {"accepted": sorted(passage.accepted)}, ensure_ascii=False)


def _no_filing(corpus: CorpusFolder) -> str:
    """Why the corpus is empty, in a sentence that names a file: the folder may be gone when it is read."""
    failed = [failure for failure in corpus.failures() if failure.stage == "add"]
    if not failed:
        return "there is no filing among the files of the corpus."
    more = f" ({len(failed) - 1:,} more are none either)" if len(failed) > 1 else ""
    return f"{Path(failed[0].id).name} is no filing{more}: {failed[0].reason.removesuffix('.')}."


def _draw(part: SamplePart, item: str, corpus: Corpus, note: Callable[[str], None]) -> None:
    """Draw a sample from EDGAR, and complete its records."""
    settings = SampleSettings(
        part.years, part.per_year, part.seed, FormChoice(part.forms, part.amendments, part.alone), item
    )
    note(f"drawing {part.per_year:,} filings a year from EDGAR, filed in {spoken_years(part.years)}")
    with EdgarClient(None, on_wait=note, marker=corpus.path / "edgar" / "blocked.json") as client:
        draw_sample(corpus, client, settings, workers=None)
        if part.enrich:
            enrich(corpus, client)
    if fault := _undrawn(part, corpus):
        raise CorpusError(
            fault, where=str(corpus.path), hint="Repeat the command; failures.jsonl there says what did not come."
        )


def _undrawn(part: SamplePart, corpus: CorpusFolder) -> str | None:
    """What a sample lacks of what a study asks for."""
    stages = corpus.manifest()["stages"]
    noted = stages.get(SAMPLE, {})
    if any(noted.get(key) != value for key, value in (("years", list(part.years)), ("per_year", part.per_year))):
        return "is no sample of these years, or with another number of filings a year."
    if noted.get("seed") != part.seed:
        return f"is a sample with seed {noted.get('seed')}."
    if not noted.get("complete"):
        return f"has {noted.get('kept', 0):,} of the {noted.get('asked', 0):,} filings of its sample."
    if part.enrich and ENRICH not in stages:
        return "has no industries and total assets yet."
    return None


def _check_no_others(part: CorpusPart, corpus: CorpusFolder) -> None:
    """Refuse filings that the study file does not name: every measure would be over them, too.

    Before anything is added: of a file that was edited both forms would be there.
    """
    if not part.files or not (corpus.path / "filings.jsonl").is_file():
        return
    wanted = {_digest(file.path) for file in find_files(part.files).files}
    others = [one for one in corpus.filings() if one.sha256 not in wanted]
    if others:
        raise InputError(
            f"holds other filings than the study file names ({Path(others[0].path).name} is one).",
            where=str(corpus.path),
            hint="Put back what is not as it was, choose another --out, or remove that folder.",
        )
