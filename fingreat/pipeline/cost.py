"""What finished runs took, read from their manifests."""

from __future__ import annotations

from collections.abc import Iterable

from fingreat.analysis.cost import RunFigures, machine_cost
from fingreat.errors import InputError, RunError
from fingreat.inference import parse_spec
from fingreat.inference.presets import Presets
from fingreat.runs import Manifest, RunFolder
from fingreat.schema import SectionStatus


def run_costs(runs: Iterable[RunFolder], presets: Presets) -> list[RunFigures]:
    """The figures of runs, in their order.

    Dollars are what the replies cost when they were given; where no price was known then, the time at the price that
    the models file gives for an hour of the machine.

    Raises:
        InputError: a run is named twice.
        RunError: one is no run, is damaged or is not complete.
    """
    found: dict[str, RunFigures] = {}
    for run in runs:
        place = str(run.path.resolve())
        if place in found:
            raise InputError("is named twice.", where=str(run.path), hint="Name different runs.")
        found[place] = _figures(run, presets)
    return list(found.values())


def _figures(run: RunFolder, presets: Presets) -> RunFigures:
    manifest = run.manifest()
    if manifest.status != "complete":
        raise RunError(
            f"the run is {manifest.status}, not complete: not every filing was shown to the model.",
            where=str(run.path),
            hint=f"Repeat its `fingreat {manifest.kind}` command.",
        )
    counts = manifest.counts
    # Nothing was asked where no time passed: a run of before it was noted.
    seconds = manifest.asking_seconds or None
    paid = counts.get("cost_usd")
    engine = presets.find(parse_spec(manifest.model.spec), manifest.model.base_url).engine
    hours = machine_cost(seconds, engine.usd_per_hour)
    return RunFigures(
        runs=(manifest.name,),
        model=_name(manifest),
        kind=manifest.kind,
        mode=manifest.resolved["mode"],
        filings=_filings(manifest),
        requests=counts.get("replies", 0),
        from_cache=counts.get("from_cache", 0),
        prompt_tokens=counts.get("prompt_tokens", 0),
        cached_tokens=counts.get("cached_tokens", 0),
        output_tokens=counts.get("output_tokens", 0),
        reasoning_tokens=counts.get("reasoning_tokens", 0),
        seconds=seconds,
        usd=hours if paid is None else paid,
        basis="prices" if paid is not None else "machine" if hours is not None else None,
        unpriced=counts.get("unpriced", 0) if paid is not None else 0,
    )


def _name(manifest: Manifest) -> str:
    at = f" at {manifest.model.base_url}" if manifest.model.base_url else ""
    return f"{manifest.model.spec}{at}"


def _filings(manifest: Manifest) -> int:
    """How many filings the model was shown a text of."""
    by_status = manifest.counts.get("filings_by_status")
    shown = by_status.get(SectionStatus.FOUND.value, 0) if isinstance(by_status, dict) else manifest.counts["filings"]
    return int(shown)
