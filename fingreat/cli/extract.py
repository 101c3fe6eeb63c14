"""`fingreat extract`: a model over a corpus."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

import typer
from pydantic import ValidationError

from fingreat.cli import complete
from fingreat.cli.common import (
    ALL_WELL,
    NO_VALUE,
    NOTHING_DONE,
    SOME_FAILED,
    CorpusOption,
    ItemOption,
    JsonFlag,
    SchemaOption,
    TokensOption,
    print_json,
    say,
    stoppable,
)
from fingreat.cli.dry_run import show_estimate
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
from fingreat.edgar.chunks import DEFAULT_BUDGET
from fingreat.errors import InputError
from fingreat.pipeline import Corpus, ExtractConfig, extract
from fingreat.pipeline.extract import plan_extract
from fingreat.prompts import Guide
from fingreat.report import count_of, percent
from fingreat.runs import Manifest
from fingreat.schema import Mode
from fingreat.schema.records import Record

ASKING = "What to ask"
_MODEL = "The model's answer"

ModeName = StrEnum("ModeName", {name: name for name in get_args(Mode)})  # type: ignore[misc]
GuideName = StrEnum("GuideName", {name: name for name in get_args(Guide)})  # type: ignore[misc]
C = TypeVar("C", bound=Record)

ModelOption = Annotated[
    str,
    typer.Option(
        "--model",
        help="BACKEND:MODEL@REVISION; `lexicon`, `embed` and `embedded` need no more. See `fingreat doctor`.",
        autocompletion=complete.models,
    ),
]
TemperatureOption = Annotated[float, typer.Option("--temperature", rich_help_panel=_MODEL)]
SeedOption = Annotated[int, typer.Option("--seed", rich_help_panel=_MODEL)]
MaxTokensOption = Annotated[
    int, typer.Option("--max-tokens", help="Budget of one answer, in tokens.", rich_help_panel=_MODEL)
]


def command(
    corpus: CorpusOption,
    model: ModelOption,
    out: Annotated[
        Path | None, typer.Option("--out", help="The run folder; by default out/<model>-<mode>.", show_default=False)
    ] = None,
    mode: Annotated[
        ModeName,
        typer.Option("--mode", help="quote: it copies passages; span: it names segments.", rich_help_panel=ASKING),
    ] = ModeName["quote"],
    guide: Annotated[
        GuideName,
        typer.Option(
            "--guide",
            help="rules: definitions, border rules, an example; none: definitions only, as published.",
            rich_help_panel=ASKING,
        ),
    ] = GuideName["rules"],
    item: ItemOption = "7",
    tokens: TokensOption = DEFAULT_BUDGET,
    facets: Annotated[
        bool,
        typer.Option("--facets", metavar=NO_VALUE, help="Also ask for the graph's facets.", rich_help_panel=ASKING),
    ] = False,
    schema: SchemaOption = None,
    max_tokens: MaxTokensOption = 4096,
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
    """Have a model extract evidence from every section of a corpus, and check every quote.

    Stop it with Ctrl-C and repeat the command: it goes on where it was. A chunk that does not fit the model is asked in
    pieces.

    Exit status 0: every request gave an output; 1: some failed, and failures.jsonl says why; 2: none did.

    Example: fingreat extract --corpus corpus --model embedded --tokens 1500 --max-tokens 1024
    """
    config = config_of(
        ExtractConfig,
        {
            "model": model, "mode": mode.value, "guide": guide.value, "item": item, "tokens": tokens, "facets": facets,
            "schema_file": schema, "max_tokens": max_tokens, "temperature": temperature, "seed": seed,
            "base_url": base_url, "models_file": models, "resend": resend,
        },
    )  # fmt: skip
    target = out or Path("out") / f"{slug(model)}-{mode.value}"
    asking = ask_options(
        model, target, base_url=base_url, models=models, in_flight=in_flight, rpm=rpm, tpm=tpm, batch=batch,
        no_cache=no_cache, max_cost=max_cost, no_trial=no_trial, dry_run=dry_run,
    )  # fmt: skip
    with stoppable(lambda: what_stays(target)), asking as options:
        if dry_run:
            show_estimate(plan_extract(Corpus(corpus), config, target, options), json=json)
            return
        with money_ends(), LiveView() as progress:
            manifest = extract(Corpus(corpus), config, target, progress=progress, options=options)
    _show(manifest, target, json=json)
    raise typer.Exit(exit_status(manifest.counts))


def exit_status(counts: dict[str, Any]) -> int:
    """Of a run that came to its end."""
    return ALL_WELL if not counts["failures"] else SOME_FAILED if counts["outputs"] else NOTHING_DONE


def config_of(kind: type[C], values: dict[str, Any]) -> C:
    """The configuration of a run from its options; those that are as by default are left out.

    Raises:
        InputError: a value is out of its range; the message names the option.
    """
    defaults = {name: field.default for name, field in kind.model_fields.items()}
    try:
        return kind(**{name: value for name, value in values.items() if value != defaults[name]})
    except ValidationError as error:
        detail = error.errors()[0]
        option = "--" + str(detail["loc"][0]).replace("_file", "").replace("_", "-")
        raise InputError(f"{detail['msg']}, found {detail['input']!r}.", where=option) from error


def _show(manifest: Manifest, target: Path, *, json: bool) -> None:
    counts = manifest.counts
    if json:
        print_json({"run": str(target), "status": manifest.status, **counts})
        return
    share = counts["grounded_share"]
    filings = f"{counts['filings_by_status']['found']:,} of {count_of(counts['filings'], 'filing')}"
    say(f"{manifest.model.model}: {filings}")
    for line in outcome_lines(manifest):
        say(line)
    stands = f", {counts['grounded']:,} of them stand in the text ({percent(share)})" if share is not None else ""
    say(f"{count_of(counts['extractions'], 'extraction')}{stands}")
    if spent := spent_line(counts):
        say(spent)
    say(f"run: {target}")


def slug(model: str) -> str:
    """A model's specification as a part of a folder's name."""
    return "".join(c if c.isalnum() or c in ".-" else "-" for c in model.replace("/", "-")).strip("-.").lower()


def what_stays(target: Path) -> str:
    """What a run that was stopped leaves, in words."""
    if not target.exists():
        return "Nothing was asked yet."
    return f"Every answer so far is in {target}; repeat the command to go on."
