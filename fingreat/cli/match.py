"""`fingreat match`: which extractions of two runs quote the same passage."""

from __future__ import annotations

import os
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from fingreat.analysis import Agreement, Ratio
from fingreat.cli import complete
from fingreat.cli.common import NO_VALUE, CommonOption, JsonFlag, print_json, say, show_table, stoppable, tell
from fingreat.cli.disagreements import as_data, show_disagreements
from fingreat.cli.watch import Watch
from fingreat.errors import InputError
from fingreat.pipeline.comparable import failed_requests
from fingreat.pipeline.disagreements import disagreements
from fingreat.pipeline.match import match_runs
from fingreat.pipeline.side_by_side import graph_of
from fingreat.report import Column, Table, count_of, percent
from fingreat.report.columns import share
from fingreat.runs import MatchCounts, MatchManifest, RunFolder
from fingreat.schema import Difference

_ADD_SHOW = "Add --show 10."
_LONGEST_NAME = 255
"""Bytes of a name on the usual file systems."""


class ByName(StrEnum):
    """What is compared."""

    TEXT = "text"
    SPAN = "span"


ShowOption = Annotated[
    int, typer.Option("--show", min=0, help="Print so many matches with different edges, the largest first.")
]
NearMissesOption = Annotated[
    bool,
    typer.Option(
        "--near-misses",
        metavar=NO_VALUE,
        help="With --show: matches whose quotes read alike but say something else, instead of those.",
    ),
]
EdgesOption = Annotated[
    tuple[str, str] | None,
    typer.Option(
        "--edges", metavar="EDGE_A EDGE_B", help="With --show: only those with these edges.", show_default=False
    ),
]


def command(
    run_a: Annotated[
        Path,
        typer.Argument(metavar="RUN_A", help="A run folder.", show_default=False, autocompletion=complete.runs),
    ],
    run_b: Annotated[
        Path,
        typer.Argument(metavar="RUN_B", help="Another one.", show_default=False, autocompletion=complete.runs),
    ],
    by: Annotated[ByName, typer.Option("--by", help="text: the quotes; span: the places they stand at.")] = ByName.TEXT,
    common: CommonOption = False,
    target: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="The folder for the matches; by default out/match-<a>-<b>, with -span and -common where these "
            "are asked for.",
            show_default=False,
        ),
    ] = None,
    show: ShowOption = 0,
    near_misses: NearMissesOption = False,
    edges: EdgesOption = None,
    json: JsonFlag = False,
) -> None:
    """Match the extractions of two runs one to one, by what they quote and never by their edges.

    Both must have read the same texts with the same graph; models, prompts and modes may differ.

    Example: fingreat match out/lexicon-quote out/embedded-quote --show 5
    """
    runs = RunFolder(run_a), RunFolder(run_b)
    if near_misses and not show:
        raise InputError("says which matches to show, but none are shown.", where="--near-misses", hint=_ADD_SHOW)
    if edges:
        _check_edges(edges, show, near_misses=near_misses, run=runs[0])
    folder = target or _default_folder(run_a, run_b, by, common=common)
    with stoppable(lambda: f"{folder} is incomplete: repeat the command."):
        with Watch("matching") as watch:
            manifest = match_runs(*runs, folder, by=by.value, common=common, watch=watch)
        found = None
        if show or json:
            found = disagreements(RunFolder(folder), runs, show, edges=edges, near_misses=near_misses)
    if json:
        more = as_data(found, near_misses=near_misses) if found else {}
        print_json(_as_data(folder, manifest) | more)
        return
    _show_counts(manifest)
    if found:
        show_disagreements(found, manifest, edges, near_misses=near_misses)
    say(f"match: {folder}")


def _default_folder(run_a: Path, run_b: Path, by: ByName, *, common: bool) -> Path:
    """A folder for each two names and each way to match them."""
    ways = ("-span" if by is ByName.SPAN else "") + ("-common" if common else "")
    name = f"match-{run_a.resolve().name}-{run_b.resolve().name}{ways}"
    if len(os.fsencode(name)) > _LONGEST_NAME:
        raise InputError("the names of the runs are too long for a folder named after both.", hint="Name one by --out.")
    return Path("out") / name


def _check_edges(edges: tuple[str, str], show: int, *, near_misses: bool, run: RunFolder) -> None:
    """Refuse edges that can be those of no match that is shown, before anything is matched."""
    where = "--edges"
    if not show:
        raise InputError("says which matches to show, but none are shown.", where=where, hint=_ADD_SHOW)
    graph = graph_of(run.manifest(), run)
    for edge in edges:
        if edge not in graph.edges:
            raise InputError(
                f"'{edge}' is no edge of graph '{graph.name}'.", where=where, hint=f"Edges: {', '.join(graph.edges)}."
            )
    if edges[0] == edges[1] and not near_misses:
        raise InputError("names one edge twice; what is shown differs in its edges.", where=where)


def _agreement(manifest: MatchManifest, reference: str) -> Agreement:
    counts = manifest.counts
    sizes = counts.extractions_a, counts.extractions_b
    n, n_reference = sizes if reference == "b" else sizes[::-1]
    return Agreement(n, n_reference, counts.matched, counts.same_edge, (), ())


def _show_counts(manifest: MatchManifest) -> None:
    counts = manifest.counts
    show_table(_table(manifest))
    agreement = _agreement(manifest, "b")
    unread = f" ({manifest.without_text:,} more had no item to read)" if manifest.without_text else ""
    matches = f"{_matches(counts)} by {manifest.by} (overlap of {manifest.threshold:.2f} or more)"
    tell(f"{count_of(len(manifest.filings), 'filing')}{unread}; {matches}, {counts.same_edge:,} with the same edge")
    tell(f"Jaccard {_share(agreement.jaccard)}; conditional precision {_share(agreement.conditional_precision)}")
    if counts.same_edge_least != counts.same_edge_most:
        ends = [_share(Ratio(same, counts.matched)) for same in (counts.same_edge_least, counts.same_edge_most)]
        tell(f"Over all equally good assignments, conditional precision is from {ends[0]} to {ends[1]}.")
    for line in _fidelity(counts):
        tell(line)
    for run in manifest.runs:
        if failed := failed_requests(run.name, run.failures, run.requests):
            tell(failed)
    if manifest.left_out_a or manifest.left_out_b:
        left_out = f"{manifest.left_out_a:,} and {manifest.left_out_b:,} extractions"
        tell(f"Left out, with filings that only one run read: {left_out}.")


def _matches(counts: MatchCounts) -> str:
    return f"{counts.matched:,} {'match' if counts.matched == 1 else 'matches'}"


def _fidelity(counts: MatchCounts) -> Iterator[str]:
    """How far what is matched also says the same."""
    if not counts.matched:
        return
    kinds = ((kind, getattr(counts, f"differs_{kind}")) for kind in get_args(Difference))
    in_words = ", ".join(f"{kind} {number:,}" for kind, number in sorted(kinds, key=lambda k: (-k[1], k[0])) if number)
    yield (
        f"Quotes are equal in {counts.equal:,} of {_matches(counts)}; in {counts.near_misses:,} they read alike but "
        f"say something else"
        f"{f': {in_words}' if in_words else ''}."
    )
    figures = _figures_agree(counts)
    yield f"Figures agree in {_share(figures)} of the matches with a figure; {counts.figures_none:,} have none."


def _figures_agree(counts: MatchCounts) -> Ratio:
    """Matches with the same figures, of all with a figure in either quote."""
    return Ratio(counts.figures_same, counts.figures_same + counts.figures_more + counts.figures_differ)


def _table(manifest: MatchManifest) -> Table:
    """A row for each of the two runs."""
    counts = manifest.counts
    sizes = (counts.extractions_a, counts.unmatched_a), (counts.extractions_b, counts.unmatched_b)
    return Table(
        id="match",
        title="Runs against each other",
        columns=(
            Column(label="run"),
            Column(label="model"),
            *(Column(label=label, kind="count") for label in ("extractions", "matched", "unmatched")),
            Column(label="recall", kind="share"),
        ),
        rows=tuple(
            (run.name, run.model.spec, size, counts.matched, unmatched, share(_agreement(manifest, reference).recall))
            for run, (size, unmatched), reference in zip(manifest.runs, sizes, "ba", strict=True)
        ),
        notes=("Recall: the matched part of the other run's extractions.",),
    )


def _share(ratio: Ratio) -> str:
    return f"{percent(ratio.value)} ({ratio.hits:,}/{ratio.total:,})"


def _as_data(folder: Path, manifest: MatchManifest) -> dict[str, Any]:
    counts = manifest.counts
    agreement = _agreement(manifest, "b")
    ends = (Ratio(same, counts.matched).value for same in (counts.same_edge_least, counts.same_edge_most))
    return {
        "match": str(folder),
        "status": manifest.status,
        "runs": [run.path for run in manifest.runs],
        "by": manifest.by,
        "threshold": manifest.threshold,
        "common": manifest.common,
        "filings": len(manifest.filings),
        **counts.model_dump(),
        "without_text": manifest.without_text,
        "failures_a": manifest.runs[0].failures,
        "failures_b": manifest.runs[1].failures,
        "left_out_a": manifest.left_out_a,
        "left_out_b": manifest.left_out_b,
        "recall_a": _agreement(manifest, "b").recall.value,
        "recall_b": _agreement(manifest, "a").recall.value,
        "jaccard": agreement.jaccard.value,
        "conditional_precision": agreement.conditional_precision.value,
        "conditional_precision_range": list(ends),
        "figures_agree": _figures_agree(counts).value,
    }
