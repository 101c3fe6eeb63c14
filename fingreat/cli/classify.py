"""`fingreat classify`: one edge for every gold passage."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from fingreat.analysis import CohortAccuracy
from fingreat.cli import complete
from fingreat.cli.common import ItemOption, JsonFlag, SchemaOption, print_json, say, show_table, stoppable
from fingreat.cli.dry_run import show_estimate
from fingreat.cli.extract import (
    ASKING,
    GuideName,
    MaxTokensOption,
    ModelOption,
    SeedOption,
    TemperatureOption,
    config_of,
    exit_status,
    slug,
    what_stays,
)
from fingreat.cli.live import LiveView, outcome_lines, spent_line
from fingreat.cli.model_options import (
    DEFAULT_RESEND,
    BaseUrlOption,
    BatchFlag,
    DryRunFlag,
    InFlightOption,
    MaxCostOption,
    ModelsOption,
    NoCacheFlag,
    NoTrialFlag,
    ResendOption,
    RpmOption,
    TpmOption,
    ask_options,
    money_ends,
)
from fingreat.errors import InputError
from fingreat.pipeline import Corpus
from fingreat.pipeline.classify import Classified, classify, plan_classify
from fingreat.pipeline.questions import ANSWER_TOKENS, BUDGET, ClassifyConfig
from fingreat.prompts import MaskKind
from fingreat.report import count_of
from fingreat.report.accuracy_table import accuracy_by_year, accuracy_table


class ContextName(StrEnum):
    """What is shown with a passage."""

    AUTO = "auto"
    NONE = "none"


def command(
    gold: Annotated[Path, typer.Option("--gold", help="JSON Lines of labelled passages.", show_default=False)],
    model: ModelOption,
    corpus: Annotated[
        Path | None,
        typer.Option(
            "--corpus",
            help="The corpus of the passages' filings; without it a passage is its own context.",
            show_default=False,
            autocompletion=complete.corpora,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The run folder; by default out/<model>-classify.", show_default=False)
    ] = None,
    guide: Annotated[
        GuideName,
        typer.Option(
            "--guide",
            help="rules: definitions and border rules; none: definitions only, as published.",
            rich_help_panel=ASKING,
        ),
    ] = GuideName["rules"],
    context: Annotated[
        ContextName,
        typer.Option(
            "--context",
            help="auto: its section, paragraph or a window; none: the passage alone.",
            rich_help_panel=ASKING,
        ),
    ] = ContextName.AUTO,
    tokens: Annotated[
        int,
        typer.Option(
            "--tokens", help="Budget of prompt, context, passage and answer, in cl100k_base.", rich_help_panel=ASKING
        ),
    ] = BUDGET,
    mask: Annotated[
        str | None,
        typer.Option(
            "--mask", help="Take out names, figures or both: names,figures.", show_default=False, rich_help_panel=ASKING
        ),
    ] = None,
    shuffle: Annotated[
        int | None,
        typer.Option(
            "--shuffle-edges",
            metavar="SEED",
            help="List the relationships in another order.",
            show_default=False,
            rich_help_panel=ASKING,
        ),
    ] = None,
    item: ItemOption = "7",
    schema: SchemaOption = None,
    max_tokens: MaxTokensOption = ANSWER_TOKENS,
    temperature: TemperatureOption = 0.0,
    seed: SeedOption = 0,
    base_url: BaseUrlOption = None,
    models: ModelsOption = None,
    in_flight: InFlightOption = None,
    rpm: RpmOption = None,
    tpm: TpmOption = None,
    batch: BatchFlag = False,
    resend: ResendOption = DEFAULT_RESEND,
    no_cache: NoCacheFlag = False,
    no_trial: NoTrialFlag = False,
    max_cost: MaxCostOption = None,
    dry_run: DryRunFlag = False,
    json: JsonFlag = False,
) -> None:
    """Have a model name the one relationship of every labelled passage, and say how often it is right.

    Stop it with Ctrl-C and repeat the command: it goes on where it was.

    Exit status 0: every passage got an edge; 1: some failed, and failures.jsonl says why; 2: none did.

    Example: fingreat classify --gold gold.jsonl --corpus corpus --model embedded
    """
    config = config_of(
        ClassifyConfig,
        {
            "model": model, "item": item, "guide": guide.value, "context": context.value, "mask": _masks(mask),
            "shuffle": shuffle, "tokens": tokens, "max_tokens": max_tokens, "temperature": temperature, "seed": seed,
            "schema_file": schema, "base_url": base_url, "models_file": models, "resend": resend,
        },
    )  # fmt: skip
    target = out or Path("out") / f"{slug(model)}-classify"
    over = Corpus(corpus) if corpus is not None else None
    asking = ask_options(
        model, target, base_url=base_url, models=models, in_flight=in_flight, rpm=rpm, tpm=tpm, batch=batch,
        no_cache=no_cache, max_cost=max_cost, no_trial=no_trial, dry_run=dry_run,
    )  # fmt: skip
    with stoppable(lambda: what_stays(target)), asking as options:
        if dry_run:
            show_estimate(plan_classify(gold, config, target, corpus=over, options=options), json=json)
            return
        with money_ends(), LiveView() as progress:
            found = classify(gold, config, target, corpus=over, progress=progress, options=options)
    _show(found, target, json=json)
    raise typer.Exit(exit_status(found.manifest.counts))


def _masks(text: str | None) -> tuple[MaskKind, ...]:
    known: dict[str, MaskKind] = {kind: kind for kind in get_args(MaskKind)}
    wanted = [part.strip() for part in text.split(",")] if text is not None else []
    if unknown := [part for part in wanted if part not in known]:
        raise InputError(f"'{unknown[0]}' is nothing to mask.", where="--mask", hint=f"There are: {', '.join(known)}.")
    return tuple(kind for kind in known.values() if kind in wanted)


def _show(found: Classified, target: Path, *, json: bool) -> None:
    counts, measured = found.manifest.counts, found.accuracy
    if json:
        print_json(
            {
                "run": str(target),
                "status": found.manifest.status,
                **counts,
                "accuracy": {
                    "overall": _as_data(measured.overall),
                    "categories": {cohort.name: _as_data(cohort) for cohort in measured.categories},
                    "edges": {cohort.name: _as_data(cohort) for cohort in measured.edges},
                    "years": {cohort.name: _as_data(cohort) for cohort in measured.years},
                    "period_years": {cohort.name: _as_data(cohort) for cohort in measured.period_years},
                    "majority_edge": measured.majority_edge,
                },
            }
        )
        return
    show_table(accuracy_table(measured, found.manifest.model.spec))
    if measured.years or measured.period_years:
        show_table(accuracy_by_year(measured, found.manifest.model.spec))
    for line in (*_context_lines(counts), *outcome_lines(found.manifest)):
        say(line)
    if spent := spent_line(counts):
        say(spent)
    say(f"run: {target}")


def _context_lines(counts: dict[str, Any]) -> list[str]:
    """How passages were shown, and what is unusual in that."""
    shown = [f"{number:,} with {_SHOWN[kind]}" for kind, number in counts["contexts"].items() if number]
    lines = [f"{count_of(counts['requests'], 'passage')}: {', '.join(shown)}"]
    for name, why in _UNUSUAL.items():
        if counts[name]:
            lines.append(f"  {counts[name]:,} {why}")
    return lines


_SHOWN = {"section": "their section", "paragraph": "their paragraph", "window": "a window", "none": "nothing around"}
_UNUSUAL = {
    "smaller_contexts": "with less than other models are shown: this one holds no more",
    "halved_contexts": "with half of that context or less: their requests were too long after all",
    "without_filing": "of filings without such a section in the corpus",
    "unplaced": "stand nowhere in their section, or in several places",
}


def _as_data(cohort: CohortAccuracy) -> dict[str, Any]:
    return {
        "passages": cohort.accuracy.total,
        "correct": cohort.accuracy.hits,
        "accuracy": cohort.accuracy.value,
        "majority": cohort.majority.value,
        "random": None if cohort.random is None else float(cohort.random),
        "failed": cohort.failed,
    }
