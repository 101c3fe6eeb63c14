"""What runs took, read from their manifests; of those that were stopped, from the replies on disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fingreat.analysis.cost import CostBasis, RunFigures, machine_cost
from fingreat.errors import InputError, RunError
from fingreat.inference import parse_spec
from fingreat.inference.presets import Presets
from fingreat.pipeline.meter import figures_so_far
from fingreat.runs import Manifest, RunFolder
from fingreat.schema import ReplyState, SectionStatus


def run_costs(runs: Iterable[RunFolder], presets: Presets) -> list[RunFigures]:
    """The figures of runs, in their order.

    Dollars are what the replies cost when they were given; where no price was known then, the time at the price that
    the models file gives for an hour of the machine.

    Raises:
        InputError: a run is named twice.
        RunError: one is no run, or is damaged.
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
    if fault := manifest.fault_in_counts():
        again = f"Repeat its `fingreat {manifest.kind}` command."
        raise RunError(f"the manifest is damaged: {fault}.", where=str(run.path), hint=again)
    complete = manifest.status == "complete"
    counts = manifest.counts if complete else figures_so_far(run, manifest)
    requests, from_cache = counts.get("replies", 0), counts.get("from_cache", 0)
    asked = requests > from_cache
    # Nothing was asked where no time passed: a run of before it was noted, or one that the cache answered.
    seconds = manifest.asking_seconds or (0.0 if from_cache and not asked else None)
    paid = counts.get("spent_usd", counts.get("cost_usd"))
    unused: Mapping[str, Any] = counts.get("unused", {})
    # How long each request took beside the others is not known.
    share = unused["requests"] / (requests - from_cache + unused["requests"]) if unused.get("requests") else 0.0
    engine = presets.find(parse_spec(manifest.model.spec), manifest.model.base_url).engine
    hours = machine_cost(seconds, engine.usd_per_hour)
    if paid is None and from_cache and not asked:
        paid = 0.0
    basis: CostBasis | None = "prices" if paid is not None else "machine" if hours is not None else None
    return RunFigures(
        runs=(manifest.name,),
        model=_name(manifest),
        kind=manifest.kind,
        mode=manifest.resolved["mode"],
        filings=_filings(manifest) if complete else None,
        requests=requests,
        from_cache=from_cache,
        prompt_tokens=counts.get("prompt_tokens", 0),
        cached_tokens=counts.get("cached_tokens", 0),
        output_tokens=counts.get("output_tokens", 0),
        reasoning_tokens=counts.get("reasoning_tokens", 0),
        seconds=seconds,
        usd=hours if paid is None else paid,
        basis=basis if asked or not from_cache else None,
        unpriced=counts.get("unpriced", 0) if paid is not None else 0,
        beside_usd=counts.get("beside", {}).get("cost_usd") or 0.0,
        failed=counts.get("replies_by_state", {}).get(ReplyState.ERROR.value, 0),
        unused=unused.get("requests", 0),
        unused_seconds=(seconds or 0.0) * share,
        unused_usd=(hours or 0.0) * share if paid is None else unused.get("cost_usd") or 0.0,
        status=manifest.status,
    )


def _name(manifest: Manifest) -> str:
    at = f" at {manifest.model.base_url}" if manifest.model.base_url else ""
    return f"{manifest.model.spec}{at}"


def _filings(manifest: Manifest) -> int:
    """How many filings the model was shown a text of."""
    by_status = manifest.counts.get("filings_by_status")
    shown = by_status.get(SectionStatus.FOUND.value, 0) if isinstance(by_status, dict) else manifest.counts["filings"]
    return int(shown)
