"""Two runs over the same texts → which of their extractions quote the same passage."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from fingreat.analysis import FidelityTally
from fingreat.errors import FingreatError, InputError, RunError
from fingreat.matching import MIN_OVERLAP, By, FilingCandidates, FilingMatcher
from fingreat.pipeline.by_filing import read_by_filing
from fingreat.pipeline.comparable import check_comparable
from fingreat.pipeline.side_by_side import Watching, names_of, unwatched
from fingreat.runs import (
    MatchCounts,
    MatchedRun,
    MatchManifest,
    RunFolder,
    part_paths,
    readers,
    sha256_of,
    sole_owner,
    sweep,
    write_records,
)
from fingreat.runs.environment import environment, our_code
from fingreat.runs.files import replacing
from fingreat.schema import Extraction, Match
from fingreat.schema.records import Record

STAGE = "match"


class Unmatched(Record):
    """An extraction of a match's run A or B that has no partner."""

    side: Literal["a", "b"]
    id: str
    filing_id: str


def match_runs(
    run_a: RunFolder,
    run_b: RunFolder,
    out: Path,
    *,
    by: By = "text",
    common: bool = False,
    watch: Watching = unwatched,
) -> MatchManifest:
    """Match the extractions of two runs one to one, and write the matches into a folder of their own.

    A folder that already holds the match of these two runs is written anew: of the runs at the same places with the
    same models, or that began when those did. One filing at a time is in memory.

    Args:
        by: `text` compares quotes, `span` the places where they stand.
        common: compare the runs on the filings that both read, instead of refusing others.
        watch: told how many filings are done.

    Returns:
        the manifest of the complete match; its counts add up, in all and for each filing.

    Raises:
        RunError: a run is not complete or is damaged, or another process changes it; `out` holds another match.
        InputError: the runs cannot be compared; `out` is one of them, or no place for a match.
        StorageError: the disk refused; the manifest then says that the match failed.
    """
    if out.resolve() in (run_a.path.resolve(), run_b.path.resolve()):
        raise InputError(
            "is one of the runs; a match needs a folder of its own.", where=str(out), hint="Choose another --out."
        )
    RunFolder(out).check_place()
    with ExitStack() as stack:
        for path in dict.fromkeys((run_a.path, run_b.path)):
            stack.enter_context(readers(path))
        shared = check_comparable((run_a, run_b), common=common)
        names = names_of((run_a.path, run_b.path))
        read = _as_read(run_a, names[0]), _as_read(run_b, names[1])
        without_text = len(shared.without_text)
        manifest = _begun(out.resolve().name, read, by, common=common, without_text=without_text)
        stack.enter_context(sole_owner(out))
        folder = RunFolder(out)
        _check_same_match(folder, manifest)
        sweep(out / "manifest.json", folder.unmatched, out / "done" / STAGE)
        manifest = folder.write_manifest(manifest)
        try:
            found = _match(folder, shared.read, (run_a, run_b), by, watch)
        except KeyboardInterrupt:
            folder.write_manifest(manifest, status="interrupted")
            raise
        except FingreatError:
            folder.write_manifest(manifest, status="failed")
            raise
        return folder.write_manifest(manifest, status="complete", **found)


def _begun(name: str, runs: tuple[MatchedRun, MatchedRun], by: By, *, common: bool, without_text: int) -> MatchManifest:
    now = datetime.now(UTC)
    return MatchManifest(
        name=name,
        status="started",
        created=now,
        updated=now,
        runs=runs,
        by=by,
        threshold=MIN_OVERLAP,
        common=common,
        without_text=without_text,
        code=our_code(),
        environment=environment(),
    )


def _as_read(run: RunFolder, name: str) -> MatchedRun:
    manifest = run.manifest()
    return MatchedRun(
        name=name,
        path=str(run.path),
        created=manifest.created,
        model=manifest.model,
        requests=manifest.counts.get("requests", 0),
        failures=manifest.counts.get("failures", 0),
        extractions={str(path.relative_to(run.path)): sha256_of(path) for path in part_paths(run.extractions)},
    )


def _check_same_match(folder: RunFolder, wanted: MatchManifest) -> None:
    """Refuse a folder that holds anything but an earlier match of the same runs."""
    if not folder.exists:
        return
    found = folder.match_manifest(earlier=True)
    differs = []
    for name, run, other in zip("AB", found.runs, wanted.runs, strict=True):
        if not _is_same(run, other):
            differs.append(f"run {name} was {_in_words(run)}, now {_in_words(other)}")
    differs += [
        f"{field} was {getattr(found, field)!r}, now {getattr(wanted, field)!r}"
        for field in ("by", "common")
        if getattr(found, field) != getattr(wanted, field)
    ]
    if differs:
        raise RunError(
            f"holds another match: {'; '.join(differs)}.", where=str(folder.path), hint="Choose another --out."
        )


def _is_same(run: MatchedRun, other: MatchedRun) -> bool:
    """Whether it is one run, moved or gone on since, or the same model's run at the same place, begun anew."""
    at_one_place = Path(run.path).resolve() == Path(other.path).resolve()
    return run.created == other.created or (at_one_place and run.model == other.model)


def _in_words(run: MatchedRun) -> str:
    return f"{run.path} ({run.model.spec}, begun {run.created:%Y-%m-%d %H:%M:%S} UTC)"


def _match(
    folder: RunFolder, filings: Sequence[str], runs: Sequence[RunFolder], by: By, watch: Watching
) -> dict[str, Any]:
    """Match filing by filing and write what is found; what the manifest says of it."""
    folder.clear_done(STAGE)
    extractions = read_by_filing(runs, filings)
    counts: dict[str, MatchCounts] = {}
    with replacing(folder.unmatched) as temporary, temporary.open("wb") as file:

        def matches() -> Iterator[Match]:
            for filing, (a, b) in extractions:
                watch(len(counts), len(filings))
                candidates = FilingMatcher(filing, (*a, *b)).candidates(a, b, by=by)
                found = candidates.matches()
                unmatched = _unmatched(candidates, found)
                file.writelines(row.model_dump_json().encode() + b"\n" for row in unmatched)
                counts[filing] = _counted(candidates, found, unmatched)
                yield from found
            watch(len(filings), len(filings))

        _, parts = write_records(folder.matches, matches())
        file.flush()
        os.fsync(file.fileno())
    folder.mark_done(STAGE, [*parts, folder.unmatched])
    left_out = dict(zip(("left_out_a", "left_out_b"), extractions.left_out, strict=True))
    return {"counts": _total(counts.values()), "filings": counts, **left_out}


def _unmatched(candidates: FilingCandidates, matches: Sequence[Match]) -> list[Unmatched]:
    """What has no partner, run A first, by place."""
    sides: tuple[tuple[Literal["a", "b"], Sequence[Extraction], set[str]], ...] = (
        ("a", candidates.a, {match.a for match in matches}),
        ("b", candidates.b, {match.b for match in matches}),
    )
    return [
        Unmatched(side=side, id=extraction.id, filing_id=candidates.filing_id)
        for side, extractions, matched in sides
        for extraction in extractions
        if extraction.id not in matched
    ]


def _counted(candidates: FilingCandidates, matches: Sequence[Match], unmatched: Sequence[Unmatched]) -> MatchCounts:
    least, most = candidates.same_edge_range()
    tally = FidelityTally()
    tally.add(candidates.filing_id, matches)
    fidelity = tally.counts()
    return MatchCounts(
        extractions_a=len(candidates.a),
        extractions_b=len(candidates.b),
        matched=len(matches),
        unmatched_a=sum(row.side == "a" for row in unmatched),
        unmatched_b=sum(row.side == "b" for row in unmatched),
        same_edge=sum(match.same_edge for match in matches),
        same_edge_least=least,
        same_edge_most=most,
        equal=fidelity.equal,
        near_misses=fidelity.near_misses.hits,
        **{f"figures_{name}": number for name, number in fidelity.figures.items()},
        **{f"differs_{name}": number for name, number in fidelity.kinds.items()},
    )


def _total(counts: Collection[MatchCounts]) -> MatchCounts:
    """The sums over all filings."""
    return MatchCounts(**{name: sum(getattr(row, name) for row in counts) for name in MatchCounts.model_fields})
