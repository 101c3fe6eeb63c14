"""The appendices of a study: runs and settings as tables, prompts and replies in full, versions and hashes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from fingreat.pipeline.extract import ExtractConfig
from fingreat.pipeline.study.material import Material
from fingreat.pipeline.study.methods import prompted
from fingreat.pipeline.study.runs import Outcome, Slot, like_slots, prompt_of
from fingreat.pipeline.study.samples import sample_blocks
from fingreat.prompts import ClassificationPrompt, ExtractionPrompt
from fingreat.report import Cell, Column, Share, Table
from fingreat.report.columns import counts, filings, numbers, shares, spares, texts
from fingreat.report.study import Appendix, Block
from fingreat.report.tables import count_of
from fingreat.runs.environment import environment, our_code

TABLE_IDS = ("study-runs", "study-settings", "study-filings", "study-versions")


def make_appendices(material: Material, slots: Sequence[Slot], inputs: dict[str, str]) -> Iterator[Appendix]:
    """All appendices.

    Args:
        inputs: SHA-256 of what was read, by what it is.

    Raises:
        RunError, CorpusError: what is shown is damaged.
    """
    yield Appendix(
        id="runs",
        title="Runs",
        text=("Every run of the study file, with what became of it.",),
        tables=(runs_table(material.outcomes, slots),),
    )
    yield Appendix(
        id="settings",
        title="Settings of models",
        text=("What does not stand here is the same for all runs of a task.",),
        tables=(_settings_table(material.found),),
    )
    prompts = tuple(_prompts(material))
    yield Appendix(id="prompts", title="Prompts", text=(_ON_PROMPTS if prompts else _NO_PROMPT,), blocks=prompts)
    yield Appendix(id="replies", title="Replies", text=(_ON_REPLIES,), blocks=tuple(sample_blocks(material)))
    yield Appendix(id="filings", title="Filings", tables=(_filings_table(material),))
    yield Appendix(id="versions", title="Versions and hashes", tables=(_versions_table(inputs, material),))


_ON_PROMPTS = (
    "In full, as they are sent: the part that is the same for every request of a task, then what is shown for the "
    "graph's worked example, then the schema that replies must follow."
)
_NO_PROMPT = "No run took a prompt."
_ON_REPLIES = "The first answer of each run that gave something, as the model wrote it."


def runs_table(outcomes: Sequence[Outcome], slots: Sequence[Slot]) -> Table:
    """What became of every run, and of every place for a model."""
    rows = [_run_row(outcome) for outcome in outcomes]
    rows += [
        (name, kind, *[None] * 6, f"{count_of(number, 'slot')}: {what}")
        for name, kind, what, number in like_slots(slots)
    ]
    return Table(
        id="study-runs",
        title="Runs of the study",
        columns=(
            *texts("run", "task"),
            Column(label="model", spare=True),
            Column(label="revision", spare=True),
            *counts("requests", "failed"),
            *spares("extractions"),
            *shares("right or grounded"),
            *texts("state"),
        ),
        rows=tuple(rows),
        notes=(
            "Right or grounded: of a classification, passages with an accepted edge; of an extraction, quotes that "
            "stand in the text.",
        ),
    )


def _run_row(outcome: Outcome) -> tuple[Cell, ...]:
    run, manifest = outcome.run, outcome.manifest
    if manifest is None:
        return run.name, run.kind, run.config.model, None, None, None, None, None, f"missing: {outcome.reason}"
    counted = manifest.counts
    hits, of = ("grounded", "extractions") if run.kind == "extract" else ("correct", "requests")
    return (
        run.name,
        run.kind,
        manifest.model.spec,
        manifest.model.revision,
        counted["requests"],
        counted["failures"],
        counted.get("extractions"),
        Share(k=counted[hits], n=counted[of]),
        "some failed" if counted["failures"] else "complete",
    )


def _settings_table(found: Sequence[Outcome]) -> Table:
    return Table(
        id="study-settings",
        title="Settings of models",
        columns=(
            *texts("run", "task", "asks", "guide"),
            *counts("chunk or context", "answer"),
            *numbers("temperature", digits=2),
            *texts("seed", "context", "family"),
            *numbers("parameters", digits=3),
            *texts("reasoning", "engine settings"),
        ),
        rows=tuple(map(_settings_row, found)),
        notes=(
            "Chunk or context and answer are budgets in tokens: those of chunks and contexts are counted in "
            "cl100k_base for every model alike. Parameters are in billions, where they are known. Context is the "
            "model's, in its own tokens.",
        ),
    )


def _settings_row(outcome: Outcome) -> tuple[Cell, ...]:
    manifest = outcome.manifest
    if manifest is None:
        return (outcome.run.name, *[None] * 12)
    resolved, model = manifest.resolved, manifest.model
    if not prompted(outcome.run):
        mode, budget = (resolved["mode"], resolved["tokens"]) if outcome.run.kind == "extract" else (None, None)
        return (outcome.run.name, outcome.run.kind, mode, None, budget, *[None] * 8)
    return (
        outcome.run.name,
        outcome.run.kind,
        resolved["mode"] if outcome.run.kind == "extract" else f"context {resolved['context']}",
        resolved["guide"],
        resolved["tokens"],
        resolved["max_tokens"],
        resolved["temperature"],
        str(resolved["seed"]),
        f"{model.context:,}" if model.context else None,
        model.family,
        model.total_parameters,
        model.reasoning,
        json.dumps(model.options, sort_keys=True, ensure_ascii=False) if model.options else None,
    )


def _filings_table(material: Material) -> Table:
    """What was read: all that somebody needs to get the same filings."""
    item = material.config.corpus.item
    found = {section.filing_id: section for section in material.corpus.sections(item)}
    return Table(
        id="study-filings",
        title="Filings of the study",
        detail=True,
        columns=(
            *filings(),
            *texts("CIK", "form", "filed", "period", "fiscal year", f"item {item}"),
            *counts("characters"),
            *texts("file"),
            Column(label="SHA-256", kind="filing"),
        ),
        rows=tuple(
            (
                one.id,
                one.company,
                one.cik,
                one.form,
                one.filed.isoformat() if one.filed else None,
                one.period.isoformat() if one.period else None,
                str(one.fiscal_year) if one.fiscal_year is not None else None,
                section.status.value.replace("_", " ") if (section := found.get(one.id)) else None,
                len(section.text) if section else None,
                PurePosixPath(one.path).name,
                one.sha256,
            )
            for one in material.corpus.filings()
        ),
        notes=(
            "A filing is named by its accession number, or by the SHA-256 of its bytes where none is known. Runs that "
            "read only some of them say which in their manifest.json.",
            "SHA-256: of the file's bytes. Of a hash only the beginning is shown to a reader; the CSV has all of it.",
        ),
    )


def _prompts(material: Material) -> Iterator[Block]:
    """The prompt of each run that has another than those before it."""
    met: set[str] = set()
    for outcome in material.outcomes:
        if not prompted(outcome.run):
            continue
        config = outcome.run.config
        prompt = prompt_of(config, material.graph)
        if prompt.digest in met:
            continue
        met.add(prompt.digest)
        name = f"{outcome.run.kind}, {_way(config)}"
        yield Block(title=f"{name}: what every request begins with", text=prompt.system)
        if shown := _example(prompt):
            yield Block(title=f"{name}: an example of what follows", text=shown)
        schema = json.dumps(prompt.reply_schema, indent=2, ensure_ascii=False)
        yield Block(title=f"{name}: the schema of a reply", text=schema)


def _way(config: Any) -> str:
    said = [f"guide {config.guide}"]
    if isinstance(config, ExtractConfig):
        return ", ".join((f"mode {config.mode}", *said, *(("with facets",) if config.facets else ())))
    return ", ".join((*said, *((f"edges shuffled by {config.shuffle}",) if config.shuffle is not None else ())))


def _example(prompt: ExtractionPrompt | ClassificationPrompt) -> str | None:
    example = prompt.graph.example
    if example is None:
        return None
    if isinstance(prompt, ExtractionPrompt):
        return prompt.example_messages(example)[-1].content
    passage = example.quote(example.extractions[0])
    return prompt.messages(passage, "".join(example.segments), example.header)[-1].content


def _versions_table(inputs: dict[str, str], material: Material) -> Table:
    """What the study was measured with; what made each run is in the run's own manifest."""
    code, around = our_code(), environment()
    commit = f"{code.commit}{' with changes' if code.dirty else ''}" if code.commit else None
    rows: list[tuple[Cell, ...]] = [
        ("fingreat", code.version),
        ("commit of fingreat", commit),
        ("Python", around.python),
        ("system", around.platform),
        ("GPUs", "; ".join(around.gpus) or None),
        *around.packages.items(),
        *((f"SHA-256 of {name}", digest) for name, digest in inputs.items()),
        (f"SHA-256 of graph {material.graph.name}", material.graph.digest),
    ]
    return Table(
        id="study-versions",
        title="Versions and hashes",
        columns=texts("what", "value"),
        rows=tuple(row for row in rows if row[1] is not None),
        notes=(
            "Of the machine on which the study was measured. Which code, packages and graphics cards answered is in "
            "each run's manifest.json.",
        ),
    )
