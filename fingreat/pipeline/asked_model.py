"""The model of a run: how its back end is set up, what the manifest and the requests say of it, how it draws."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from fingreat.inference import Backend, Settings, parse_spec
from fingreat.inference.hosted.address import check_address
from fingreat.inference.presets import PROVIDERS_DEFAULT, Preset, load_presets
from fingreat.inference.requirements import NEEDS
from fingreat.runs import ModelInfo
from fingreat.schema import Sampling

MOST_RESENDS = 9
"""Rounds in which damaged replies may be asked again."""
MOST_TOKENS = 1_000_000
"""Of one answer; no model writes more."""
HOTTEST = 2.0
"""The highest temperature that a provider takes."""
LAST_SEED = 2**31 - 1 - MOST_RESENDS
"""Engines and providers take seeds of 31 bits, and each time a text is asked again the seed is one higher."""


def settings_for(model: str, base_url: str | None, models_file: Path | None, given: Settings) -> Settings:
    """How the back end of a run is set up: the settings as given, with what is known of the model where they lack it.

    Raises:
        InputError: the server's address is none or holds a password, or the models file cannot be used.
    """
    if base_url is not None:
        check_address(base_url)
    preset = given.preset
    if preset == Preset():
        preset = load_presets(models_file).find(parse_spec(model), base_url)
    return replace(given, preset=preset, base_url=base_url)


def model_info(model: str, backend: Backend, settings: Settings) -> ModelInfo:
    """What the manifest says of the model that answers."""
    return ModelInfo(
        spec=model,
        backend=parse_spec(model).backend,
        model=backend.model,
        revision=backend.revision,
        context=backend.context,
        base_url=settings.base_url,
        options=dict(backend.options),
        family=settings.preset.family,
        total_parameters=settings.preset.total_parameters,
        reasoning=_level(parse_spec(model).backend, settings),
    )


def _level(backend: str, settings: Settings) -> str | None:
    """The level of reasoning that a provider's model is asked at; None for one on the user's own machine or server."""
    needs = NEEDS.get(backend)
    if needs is None or needs.model != "hosted" or settings.base_url is not None:
        return None
    return settings.preset.reasoning or PROVIDERS_DEFAULT


def unused_tables(model: str, settings: Settings) -> Iterator[str]:
    """In a sentence each, tables of the user's models file that look meant for a model and are not taken for it."""
    for name in settings.preset.unused:
        yield (
            f'[model."{name}"] of the models file is not taken for {model}: the names must be equal, and its `backend` '
            "too where it has one."
        )


def name_in_requests(model: str, base_url: str | None) -> str:
    """`Request.model`: as the user names it, with the server's address where he names one."""
    return f"{model} at {base_url}" if base_url else model


def resampled(sampling: Sampling, attempt: int) -> Sampling:
    """How a text is asked for the nth time, from 0, after a damaged reply: the same settings would damage it again.

    The nth time has the seed n higher, and a temperature of at least 0.3 n, up to 1.
    """
    if not attempt:
        return sampling
    temperature = max(sampling.temperature, min(0.3 * attempt, 1.0))
    return sampling.model_copy(update={"seed": sampling.seed + attempt, "temperature": round(temperature, 3)})
