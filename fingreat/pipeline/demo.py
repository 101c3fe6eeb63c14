"""The main job on the shipped filing: sections, chunks, two models, one page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import as_file, files
from pathlib import Path

from fingreat.analysis import GoldScore, Ratio, score_against_gold
from fingreat.errors import InputError, MissingExtraError
from fingreat.pipeline.corpus import Corpus
from fingreat.pipeline.extract import ExtractConfig, Progress, Silent, extract
from fingreat.pipeline.gold import anchor_gold, read_gold
from fingreat.pipeline.report_scores import SIGNIFICANT as SIGNIFICANT
from fingreat.pipeline.report_scores import in_words as in_words
from fingreat.prompts import Guide
from fingreat.report import EdgeScore, Page, RunView, ScoreView, Share, render_page
from fingreat.runs import Manifest, RunFolder, read_record_file, read_records, write_atomic
from fingreat.schema import Extraction, Failure, Filing, GoldPassage, Graph, Section, load_graph

FILING = "quernholt-2024"
MODELS = ("lexicon", "embedded")
# The published prompt: with a worked example in it, a model of this size copies the example instead of the filing.
GUIDE: Guide = "none"
TOKENS = 1500
MAX_TOKENS = 384


@dataclass(frozen=True)
class DemoRun:
    """One model's run of the demo, and its score against the gold."""

    manifest: Manifest
    folder: RunFolder
    extractions: tuple[Extraction, ...]
    score: GoldScore


@dataclass(frozen=True)
class Demo:
    """What the demo left: the page, the runs, and the models that could not run, with the reason."""

    page: Path
    runs: tuple[DemoRun, ...]
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
        InputError: the folder holds a corpus of other filings.
        BackendError, RunError, StorageError: as `extract`.
    """
    corpus = Corpus(out / "corpus")
    with as_file(files("fingreat.shipped")) as shipped:
        corpus.add([shipped / f"{FILING}.htm"])
        gold = read_gold(shipped / f"{FILING}.gold.jsonl")
    corpus.make_sections("7")
    filings = corpus.filings()
    if len(filings) != 1:
        raise InputError(
            f"holds {len(filings)} filings; the demo scores the shipped one alone.",
            where=str(corpus.path),
            hint="Choose another --out, or remove that folder.",
        )
    filing, section = filings[0], next(corpus.sections("7"))
    gold = anchor_gold(gold, section.text)
    graph = load_graph()

    runs: list[DemoRun] = []
    missing: dict[str, MissingExtraError] = {}
    for model in models:
        folder = RunFolder(out / "runs" / model)
        config = ExtractConfig(model=model, guide=GUIDE, tokens=TOKENS, max_tokens=MAX_TOKENS)
        try:
            with progress(model) as shown:
                manifest = extract(corpus, config, folder.path, progress=shown)
        except MissingExtraError as error:
            missing[model] = error
            continue
        extractions = tuple(read_records(folder.extractions, Extraction))
        score = score_against_gold(extractions, gold, graph, {filing.id: len(section.text)})
        runs.append(DemoRun(manifest, folder, extractions, score))
    page = out / "report.html"
    write_atomic(page, _page(filing, section, graph, gold, runs, missing).encode())
    return Demo(page, tuple(runs), missing)


def _page(
    filing: Filing,
    section: Section,
    graph: Graph,
    gold: Sequence[GoldPassage],
    runs: Sequence[DemoRun],
    missing: dict[str, MissingExtraError],
) -> str:
    notes = [
        "The company and its filing are invented for this package; the models and everything they say here are real.",
        "The gold lists every sentence that is evidence, so precision and recall are true ones: an extraction is right "
        "if at least half of it lies on sentences that accept its edge, a sentence is found if at least half of it is "
        "covered by extractions under one of its edges.",
    ]
    notes += [f"{model} did not run: {error}" for model, error in missing.items()]
    return render_page(
        Page(
            title=f"{filing.company}: evidence in Item 7",
            created=datetime.now(UTC),
            filing=filing,
            section=section,
            graph=graph,
            runs=tuple(_run_view(run) for run in runs),
            gold=tuple(gold),
            notes=tuple(notes),
        )
    )


def _run_view(run: DemoRun) -> RunView:
    counts = run.manifest.counts
    has_tokens = bool(counts["output_tokens"])
    return RunView(
        name=run.manifest.name,
        model=f"{run.manifest.model.spec} ({run.manifest.model.model})",
        mode=run.manifest.resolved["mode"],
        extractions=run.extractions,
        replies=counts["requests_by_state"],
        prompt_tokens=counts["prompt_tokens"] if has_tokens else None,
        output_tokens=counts["output_tokens"] if has_tokens else None,
        seconds=counts["model_seconds"],
        score=_score_view(run.score),
        failures=tuple(failure for _, failure in read_record_file(run.folder.failures, Failure)),
    )


def _score_view(score: GoldScore) -> ScoreView:
    return ScoreView(
        precision=_share(score.precision),
        recall=_share(score.recall),
        edges=tuple(
            EdgeScore(edge=row.edge, precision=_share(row.precision), recall=_share(row.recall)) for row in score.edges
        ),
        chance=score.chance_precision,
        sentence=in_words(score),
        found=score.found,
        other_edge=score.other_edge,
    )


def _share(ratio: Ratio) -> Share:
    return Share(k=ratio.hits, n=ratio.total)
