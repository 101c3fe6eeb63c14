"""Whether runs can be held against each other: finished, over the same texts, with the same graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from fingreat.errors import InputError, RunError
from fingreat.report import count_of
from fingreat.runs import Manifest, RunFolder, digest_of_text

_NO_TEXT = digest_of_text("")
_LACKS = {"extract": "quotes nothing", "classify": "judges no gold passages"}
"""What runs of another kind do not do."""


class SharedFilings(NamedTuple):
    """The filings that all of some runs read, in the order in which the first run has them.

    Attributes:
        read: ids of those with an item to read; what is compared is compared on these.
        without_text: ids of those in which every run found none: it is absent, or only points elsewhere.
    """

    read: tuple[str, ...]
    without_text: tuple[str, ...]


def check_comparable(runs: Sequence[RunFolder], *, common: bool = False) -> SharedFilings:
    """Check that runs are finished and read the same texts with the same graph, so that their quotes can be compared.

    Models, prompts, modes and chunk budgets may differ.

    Args:
        common: allow filings that not all of them read.

    Returns:
        the filings that all of them read.

    Raises:
        RunError: a run is not complete or is damaged.
        InputError: two of them are the same run, or differ in what they are compared on; the message says in what.
    """
    manifests = [finished(run) for run in runs]
    check_different(runs, manifests)
    for run, manifest in zip(runs, manifests, strict=True):
        _check_against(runs[0], manifests[0], run, manifest)
    everything = dict.fromkeys(filing for manifest in manifests for filing in manifest.inputs)
    for run, manifest in zip(runs, manifests, strict=True):
        missing = [filing for filing in everything if filing not in manifest.inputs]
        if missing and not common:
            raise InputError(
                f"has not read {len(missing)} of the {len(everything)} filings that the runs read in all "
                f"(first: {missing[0]}).",
                where=str(run.path),
                hint="Repeat its `fingreat extract` command on the grown corpus, or add --common to compare the runs "
                "on the filings that all of them read.",
            )
    shared = tuple(filing for filing in everything if all(filing in manifest.inputs for manifest in manifests))
    # Their digests are the same in all runs.
    read = tuple(filing for filing in shared if manifests[0].inputs[filing] != _NO_TEXT)
    if not read and runs:
        lacking = "filing with an item to read" if shared else "filing"
        raise InputError(f"the runs have no {lacking} in common.", where=", ".join(str(run.path) for run in runs))
    return SharedFilings(read, tuple(filing for filing in shared if filing not in set(read)))


def failed_requests(name: str, failures: int, requests: int) -> str | None:
    """That a run's figures lack what some of its requests should have given, in words; None where none failed."""
    if not failures:
        return None
    asked = count_of(requests, "request")
    return f"{failures:,} of {asked} of {name} failed: what they should have quoted counts as not quoted."


def check_different(runs: Sequence[RunFolder], manifests: Sequence[Manifest]) -> None:
    """Check that no run is named twice, nor beside its own copy.

    Raises:
        InputError: one is.
    """
    paths = [run.path.resolve() for run in runs]
    for number, (run, manifest) in enumerate(zip(runs, manifests, strict=True)):
        if paths.index(paths[number]) < number:
            raise InputError("is named twice.", where=str(run.path), hint="Name different runs.")
        for earlier, other in zip(runs[:number], manifests[:number], strict=True):
            if (manifest.created, manifest.model, manifest.hashes) == (other.created, other.model, other.hashes):
                raise InputError(f"is a copy of {earlier.path}.", where=str(run.path), hint="Name different runs.")


def finished(run: RunFolder, kind: Literal["extract", "classify"] = "extract") -> Manifest:
    """The manifest of a run of a kind whose output is all there.

    Raises:
        RunError: it is not complete or is damaged.
        InputError: it is a run of another kind.
    """
    manifest = run.manifest()
    again = f"Repeat its `fingreat {manifest.kind}` command."
    if manifest.kind != kind:
        raise InputError(
            f"is a run of `fingreat {manifest.kind}`, which {_LACKS[kind]}.",
            where=str(run.path),
            hint=f"Name runs of `fingreat {kind}`.",
        )
    if manifest.status != "complete":
        raise RunError(f"the run is {manifest.status}, not complete.", where=str(run.path), hint=again)
    if not all(isinstance(manifest.counts.get(name, 0), int) for name in ("requests", "failures")):
        raise RunError(
            "the manifest is damaged: its counts of requests are no numbers.", where=str(run.path), hint=again
        )
    if faults := run.verify():
        raise RunError(f"the run is damaged: {'; '.join(faults)}.", where=str(run.path), hint=again)
    return manifest


def _check_against(first: RunFolder, reference: Manifest, run: RunFolder, manifest: Manifest) -> None:
    """Refuse a run with another graph, another item or other texts than the first."""
    differs = []
    graphs = [f"{m.resolved.get('graph')} ({m.hashes.get('graph')})" for m in (reference, manifest)]
    if graphs[0] != graphs[1]:
        differs.append(f"its graph is {graphs[1]}, not {graphs[0]}")
    items = [m.resolved.get("item") for m in (reference, manifest)]
    if items[0] != items[1]:
        differs.append(f"it read item {items[1]}, not {items[0]}")
    else:
        texts = [id for id, digest in manifest.inputs.items() if reference.inputs.get(id, digest) != digest]
        if texts:
            differs.append(f"the section text differs in {len(texts)} of its filings (first: {texts[0]})")
    if differs:
        raise InputError(
            f"cannot be compared with {first.path}: {'; '.join(differs)}.",
            where=str(run.path),
            hint="Name runs over one corpus with one graph.",
        )
