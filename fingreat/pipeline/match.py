"""Two runs over the same texts → which of their extractions quote the same passage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from fingreat.errors import FingreatError, InputError, RunError
from fingreat.matching import MIN_OVERLAP, By, FilingCandidates, FilingMatcher
from fingreat.pipeline.comparable import check_comparable
from fingreat.runs import (
    MatchCounts,
    MatchedRun,
    MatchManifest,
    RunFolder,
    part_paths,
    read_records,
    readers,
    sha256_of,
    sole_owner,
    sweep,
    write_atomic,
    write_records,
)
from fingreat.runs.environment import environment, our_code
from fingreat.schema import Extraction, Match
from fingreat.schema.records import Record

STAGE = "match"


class Unmatched(Record):
    """An extraction of a match's run A or B that has no partner."""

    side: Literal["a", "b"]
    id: str
    filing_id: str


@dataclass(frozen=True)
class Disagreement:
    """Two extractions that quote the same passage and give it different edges."""

    match: Match
    quote_a: str
    quote_b: str


def match_runs(
    run_a: RunFolder, run_b: RunFolder, out: Path, *, by: By = "text", common: bool = False
) -> MatchManifest:
    """Match the extractions of two runs one to one, and write the matches into a folder of their own.

    A folder that already holds the match of these two runs is written anew.

    Args:
        by: `text` compares quotes, `span` the places where they stand.
        common: compare the runs on the filings that both read, instead of refusing others.

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
        filings = check_comparable((run_a, run_b), common=common)
        manifest = _begun(out.resolve().name, (_as_read(run_a), _as_read(run_b)), by, common=common)
        stack.enter_context(sole_owner(out))
        folder = RunFolder(out)
        _check_same_match(folder, manifest)
        sweep(out / "manifest.json", folder.unmatched, out / "done" / STAGE)
        manifest = folder.write_manifest(manifest)
        try:
            found = _match(folder, filings, (run_a, run_b), by)
        except KeyboardInterrupt:
            folder.write_manifest(manifest, status="interrupted")
            raise
        except FingreatError:
            folder.write_manifest(manifest, status="failed")
            raise
        return folder.write_manifest(
            manifest,
            status="complete",
            counts=found.total(),
            filings=found.counts,
            left_out_a=found.left_out["a"],
            left_out_b=found.left_out["b"],
        )


def _begun(name: str, runs: tuple[MatchedRun, MatchedRun], by: By, *, common: bool) -> MatchManifest:
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
        code=our_code(),
        environment=environment(),
    )


def _as_read(run: RunFolder) -> MatchedRun:
    manifest = run.manifest()
    return MatchedRun(
        name=manifest.name,
        path=str(run.path),
        created=manifest.created,
        model=manifest.model,
        extractions={str(path.relative_to(run.path)): sha256_of(path) for path in part_paths(run.extractions)},
    )


def _check_same_match(folder: RunFolder, wanted: MatchManifest) -> None:
    """Refuse a folder that holds anything but an earlier match of the same runs."""
    if not folder.exists:
        return
    found = folder.match_manifest()
    differs = []
    for name, run, other in zip("AB", found.runs, wanted.runs, strict=True):
        if (run.name, run.model) != (other.name, other.model):
            differs.append(f"run {name} was {run.name} ({run.model.spec}), now {other.name} ({other.model.spec})")
    differs += [
        f"{field} was {getattr(found, field)!r}, now {getattr(wanted, field)!r}"
        for field in ("by", "common")
        if getattr(found, field) != getattr(wanted, field)
    ]
    if differs:
        raise RunError(
            f"holds another match: {'; '.join(differs)}.", where=str(folder.path), hint="Choose another --out."
        )


class _Found:
    """What became of each filing's extractions, counted on the way."""

    def __init__(self) -> None:
        self.counts: dict[str, MatchCounts] = {}
        self.unmatched: list[Unmatched] = []
        self.left_out = {"a": 0, "b": 0}

    def filing(self, candidates: FilingCandidates) -> list[Match]:
        """Match one filing's extractions."""
        matches = candidates.matches()
        least, most = candidates.same_edge_range()
        matched = {"a": {match.a for match in matches}, "b": {match.b for match in matches}}
        sides: tuple[tuple[Literal["a", "b"], Sequence[Extraction]], ...] = (("a", candidates.a), ("b", candidates.b))
        rest = [
            Unmatched(side=side, id=extraction.id, filing_id=candidates.filing_id)
            for side, extractions in sides
            for extraction in extractions
            if extraction.id not in matched[side]
        ]
        self.unmatched += rest
        self.counts[candidates.filing_id] = MatchCounts(
            extractions_a=len(candidates.a),
            extractions_b=len(candidates.b),
            matched=len(matches),
            unmatched_a=sum(row.side == "a" for row in rest),
            unmatched_b=sum(row.side == "b" for row in rest),
            same_edge=sum(match.same_edge for match in matches),
            same_edge_least=least,
            same_edge_most=most,
        )
        return matches

    def total(self) -> MatchCounts:
        """The sums over all filings."""
        return MatchCounts(
            **{name: sum(getattr(row, name) for row in self.counts.values()) for name in MatchCounts.model_fields}
        )


def _match(folder: RunFolder, filings: Sequence[str], runs: tuple[RunFolder, RunFolder], by: By) -> _Found:
    folder.clear_done(STAGE)
    found = _Found()
    parted = []
    for side, run in zip("ab", runs, strict=True):
        of_filing: dict[str, list[Extraction]] = {filing: [] for filing in filings}
        for extraction in read_records(run.extractions, Extraction):
            if extraction.filing_id in of_filing:
                of_filing[extraction.filing_id].append(extraction)
            else:
                found.left_out[side] += 1
        parted.append(of_filing)
    _, parts = write_records(folder.matches, _matches(found, filings, parted, by))
    write_atomic(folder.unmatched, "".join(row.model_dump_json() + "\n" for row in found.unmatched).encode())
    folder.mark_done(STAGE, [*parts, folder.unmatched])
    return found


def _matches(
    found: _Found, filings: Iterable[str], parted: Sequence[dict[str, list[Extraction]]], by: By
) -> Iterator[Match]:
    for filing in filings:
        a, b = (side[filing] for side in parted)
        yield from found.filing(FilingMatcher(filing, (*a, *b)).candidates(a, b, by=by))


def disagreements(folder: RunFolder, runs: Sequence[RunFolder], most: int) -> list[Disagreement]:
    """The matches of a match folder whose edges differ, the largest overlap first, at most so many.

    Args:
        runs: run A and run B.

    Raises:
        RunError: an extraction that was matched is no longer there.
    """
    differ = (match for match in read_records(folder.matches, Match) if not match.same_edge)
    shown = sorted(differ, key=lambda match: (-match.overlap, match.filing_id, match.a))[:most]
    quotes = []
    for run, wanted in zip(runs, ({match.a for match in shown}, {match.b for match in shown}), strict=True):
        found = {x.id: x.quote for x in read_records(run.extractions, Extraction) if x.id in wanted}
        if missing := wanted - found.keys():
            raise RunError(f"no longer has extraction {min(missing)}.", where=str(run.path), hint="Match it again.")
        quotes.append(found)
    return [Disagreement(match, quotes[0][match.a], quotes[1][match.b]) for match in shown]
