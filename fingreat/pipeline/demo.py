"""The main job on the shipped filings: sections, chunks, three models, matches, one report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from fingreat.errors import InputError, MissingExtraError
from fingreat.pipeline.asking import AskOptions
from fingreat.pipeline.corpus import Corpus
from fingreat.pipeline.extract import ExtractConfig, extract
from fingreat.pipeline.gold import read_gold
from fingreat.pipeline.progress import Progress, Silent
from fingreat.pipeline.report import build_report, check_folder, write_report
from fingreat.prompts import Guide
from fingreat.report import Report
from fingreat.runs import Manifest, RunFolder
from fingreat.schema import sha256_hex

FILINGS = ("quernholt-2024.htm", "pellwether-2008.htm", "larkmoor-2001.txt")
MODELS = ("lexicon", "embed", "embedded")
# The published prompt: with a worked example in it, a model of this size copies the example instead of the filing.
GUIDE: Guide = "none"
TOKENS = 1500
MAX_TOKENS = 160


@dataclass(frozen=True)
class Demo:
    """What the demo left.

    Attributes:
        page: the report to open.
        runs: one per model that could run, in the order of `report.runs`.
        missing: the models that could not run, with the reason.
    """

    page: Path
    report: Report
    runs: tuple[tuple[RunFolder, Manifest], ...]
    missing: dict[str, MissingExtraError]


def run_demo(
    out: Path,
    models: Sequence[str] = MODELS,
    progress: Callable[[str], AbstractContextManager[Progress]] = lambda model: nullcontext(Silent()),
) -> Demo:
    """Run the demo into a folder; a second call goes on with what is there.

    Args:
        progress: makes what is told while a model runs.

    Raises:
        MissingExtraError: not one of the models could run.
        InputError: `out` is a file, a run or a corpus, or holds a corpus of other filings.
        BackendError, RunError, StorageError: as `extract`.
    """
    check_folder(out)
    corpus = Corpus(out / "corpus")
    with as_file(files("fingreat.shipped")) as shipped:
        _add(corpus, [shipped / name for name in FILINGS])
        gold = [p for name in FILINGS for p in read_gold((shipped / name).with_suffix(".gold.jsonl"))]
    corpus.make_sections("7")

    runs: list[tuple[RunFolder, Manifest]] = []
    missing: dict[str, MissingExtraError] = {}
    for model in models:
        folder = RunFolder(out / "runs" / model)
        # Neither tried out first nor asked again: the smallest of models, shown as it is and in a minute.
        config = ExtractConfig(model=model, guide=GUIDE, tokens=TOKENS, max_tokens=MAX_TOKENS, resend=0)
        try:
            with progress(model) as shown:
                runs.append(
                    (folder, extract(corpus, config, folder.path, progress=shown, options=AskOptions(trial=False)))
                )
        except MissingExtraError as error:
            missing[model] = error
    if missing and not runs:
        raise next(iter(missing.values()))
    notes = (
        "The three companies and their filings are invented for this package; the models and everything they say here "
        "are real.",
        *(f"{model} did not run: {error}" for model, error in missing.items()),
    )
    report = build_report(
        [folder for folder, _ in runs], corpus, gold=gold, title="Three annual reports, and what models find in them"
    )
    report = report.model_copy(update={"notes": (*notes, *report.notes)})
    return Demo(write_report(report, out / "report"), report, tuple(runs), missing)


def _add(corpus: Corpus, paths: Sequence[Path]) -> None:
    """Take the shipped filings in, and nothing else: the scores are those of exactly these."""
    corpus.add(paths)
    wanted = {sha256_hex(path.read_bytes()) for path in paths}
    others = [filing for filing in corpus.filings() if filing.sha256 not in wanted]
    if others:
        raise InputError(
            f"holds other filings than the {len(paths)} of the demo ({others[0].path} is one).",
            where=str(corpus.path),
            hint="Choose another --out, or remove that folder.",
        )
