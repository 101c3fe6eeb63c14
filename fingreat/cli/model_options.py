"""Options of every command that asks a model: how it is reached and what it may cost, never what is asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from fingreat.cli.common import NO_VALUE, SOME_FAILED, show_error
from fingreat.errors import CostError, InputError
from fingreat.inference import ModelSpec, Settings
from fingreat.inference.cache import ReplyCache, default_cache_path
from fingreat.inference.presets import load_presets
from fingreat.inference.registry import writes_text
from fingreat.inference.requirements import NEEDS, known_spec
from fingreat.inference.spending import Spending
from fingreat.pipeline.asked_model import MOST_RESENDS
from fingreat.pipeline.asking import AskOptions, batches_folder

DEFAULT_RESEND = 2
_REACHED = "How the model is reached"
_SPENT = "What is asked and spent"

BaseUrlOption = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        help="A server that speaks the provider's language, such as http://localhost:8000/v1.",
        show_default=False,
        rich_help_panel=_REACHED,
    ),
]
ModelsOption = Annotated[
    Path | None,
    typer.Option(
        "--models",
        help="A file of your own on top of models.toml: thinking, prices, engine settings.",
        show_default=False,
        rich_help_panel=_REACHED,
    ),
]
InFlightOption = Annotated[
    int | None,
    typer.Option(
        "--in-flight",
        min=1,
        help="Requests to a hosted model that are under way at once.",
        show_default=False,
        rich_help_panel=_REACHED,
    ),
]
RpmOption = Annotated[
    int | None,
    typer.Option(
        "--rpm", min=1, help="Most requests a minute to a hosted model.", show_default=False, rich_help_panel=_REACHED
    ),
]
TpmOption = Annotated[
    int | None,
    typer.Option(
        "--tpm", min=1, help="Most tokens a minute, in and out.", show_default=False, rich_help_panel=_REACHED
    ),
]
BatchFlag = Annotated[
    bool,
    typer.Option(
        "--batch",
        metavar=NO_VALUE,
        help="Through the provider's batch interface: half the price, an answer within a day.",
        rich_help_panel=_REACHED,
    ),
]
NoCacheFlag = Annotated[
    bool,
    typer.Option(
        "--no-cache",
        metavar=NO_VALUE,
        help="Ask anew what an earlier run asked in the same words, and keep no reply for later ones.",
        rich_help_panel=_SPENT,
    ),
]
MaxCostOption = Annotated[
    float | None,
    typer.Option(
        "--max-cost",
        min=0.0,
        metavar="USD",
        help="Stop before more is spent on this run; what is answered stays.",
        show_default=False,
        rich_help_panel=_SPENT,
    ),
]
NoTrialFlag = Annotated[
    bool,
    typer.Option(
        "--no-trial",
        metavar=NO_VALUE,
        help="Leave out the small request that tries a language model out first.",
        rich_help_panel=_SPENT,
    ),
]
DryRunFlag = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        metavar=NO_VALUE,
        help="Only say what would be asked and what it would cost; nothing is asked or written.",
        rich_help_panel=_SPENT,
    ),
]
ResendOption = Annotated[
    int,
    typer.Option(
        "--resend",
        min=0,
        max=MOST_RESENDS,
        help="Rounds in which damaged replies are asked for again.",
        rich_help_panel=_SPENT,
    ),
]


@contextmanager
def ask_options(
    model: str,
    target: Path,
    *,
    base_url: str | None,
    models: Path | None,
    in_flight: int | None,
    rpm: int | None,
    tpm: int | None,
    batch: bool,
    no_cache: bool,
    max_cost: float | None,
    no_trial: bool,
    dry_run: bool,
) -> Iterator[AskOptions]:
    """How a run asks, from the options above; the reply cache is open for as long as the block lasts.

    Args:
        target: the run folder; its batches are noted there.
        dry_run: a reply cache that is not there yet is not made.

    Raises:
        InputError: an option that does not go with the model, or a models file or cache that cannot be used.
        StorageError: the cache cannot be opened.
    """
    spec = known_spec(model)
    preset = load_presets(models).find(spec, base_url)
    if max_cost is not None:
        Spending.check(max_cost, preset.prices, model)
    given = {"--base-url": base_url, "--in-flight": in_flight, "--rpm": rpm, "--tpm": tpm, "--batch": batch or None}
    _only_hosted(spec, [option for option, value in given.items() if value is not None])
    settings = Settings(
        preset=preset,
        base_url=base_url,
        in_flight=in_flight,
        requests_per_minute=rpm,
        tokens_per_minute=tpm,
        batch=batches_folder(target) if batch else None,
    )
    options = AskOptions(max_cost=max_cost, trial=not no_trial, settings=settings)
    path = default_cache_path()
    if no_cache or not writes_text(spec) or (dry_run and not path.is_file()):
        yield options
        return
    with ReplyCache(path) as cache:
        yield AskOptions(cache=cache, max_cost=max_cost, trial=not no_trial, settings=settings)


@contextmanager
def money_ends() -> Iterator[None]:
    """End with the message and status 1 where the money is spent that `--max-cost` allows."""
    try:
        yield
    except CostError as error:
        show_error(error)
        raise typer.Exit(SOME_FAILED) from error


def _only_hosted(spec: ModelSpec, options: list[str]) -> None:
    hosted = [name for name, needs in NEEDS.items() if needs.model == "hosted"]
    if options and spec.backend not in hosted:
        raise InputError(
            f"is for models that are asked over a line, and '{spec.backend}' is none.",
            where=options[0],
            hint=f"Leave it out, or use one of {', '.join(hosted)}.",
        )
