"""`fingreat match`: which extractions of two runs quote the same passage."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from fingreat.analysis import Agreement, Ratio
from fingreat.cli import complete
from fingreat.cli.common import NO_VALUE, JsonFlag, out, print_json, say, show_table, stoppable, tell
from fingreat.pipeline.match import Disagreement, disagreements, match_runs
from fingreat.pipeline.report.scores import share
from fingreat.report import Column, Table, count_of, percent
from fingreat.runs import MatchManifest, RunFolder


class ByName(StrEnum):
    """What is compared."""

    TEXT = "text"
    SPAN = "span"


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
    common: Annotated[
        bool,
        typer.Option(
            "--common", metavar=NO_VALUE, help="Compare on the filings that both runs read, where they differ."
        ),
    ] = False,
    target: Annotated[
        Path | None,
        typer.Option(
            "--out", help="The folder for the matches; by default out/match-<a>-<b>, with -span.", show_default=False
        ),
    ] = None,
    show: Annotated[
        int, typer.Option("--show", min=0, help="Print so many matches with different edges, the nearest first.")
    ] = 0,
    json: JsonFlag = False,
) -> None:
    """Match the extractions of two runs one to one, by what they quote and never by their edges.

    Both must have read the same texts with the same graph; models, prompts and modes may differ.

    Example: fingreat match out/lexicon-quote out/embedded-quote --show 5
    """
    runs = RunFolder(run_a), RunFolder(run_b)
    names = "-".join(path.resolve().name for path in (run_a, run_b))
    folder = target or Path("out") / f"match-{names}{'-span' if by is ByName.SPAN else ''}"
    with stoppable(lambda: f"{folder} is incomplete: repeat the command."):
        manifest = match_runs(*runs, folder, by=by.value, common=common)
    found = disagreements(RunFolder(folder), runs, show)
    if json:
        print_json(_as_data(folder, manifest, found))
        return
    _show_counts(manifest)
    for number, disagreement in enumerate(found, 1):
        _show_disagreement(number, disagreement)
    say(f"match: {folder}")


def _agreement(manifest: MatchManifest, reference: str) -> Agreement:
    counts = manifest.counts
    sizes = counts.extractions_a, counts.extractions_b
    n, n_reference = sizes if reference == "b" else sizes[::-1]
    return Agreement(n, n_reference, counts.matched, counts.same_edge, (), ())


def _show_counts(manifest: MatchManifest) -> None:
    counts = manifest.counts
    show_table(_table(manifest))
    agreement = _agreement(manifest, "b")
    noun = "match" if counts.matched == 1 else "matches"
    matches = f"{counts.matched:,} {noun} by {manifest.by}, {counts.same_edge:,} with the same edge"
    tell(f"{count_of(len(manifest.filings), 'filing')}; {matches}")
    tell(f"Jaccard {_share(agreement.jaccard)}; conditional precision {_share(agreement.conditional_precision)}")
    if counts.same_edge_least != counts.same_edge_most:
        ends = [_share(Ratio(same, counts.matched)) for same in (counts.same_edge_least, counts.same_edge_most)]
        tell(f"Over all equally good assignments, conditional precision is from {ends[0]} to {ends[1]}.")
    if manifest.left_out_a or manifest.left_out_b:
        left_out = f"{manifest.left_out_a:,} and {manifest.left_out_b:,} extractions"
        tell(f"Left out, with filings that only one run read: {left_out}.")


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
            Column(label="recall of the other", kind="share"),
        ),
        rows=tuple(
            (run.name, run.model.spec, size, counts.matched, unmatched, share(_agreement(manifest, reference).recall))
            for run, (size, unmatched), reference in zip(manifest.runs, sizes, "ba", strict=True)
        ),
    )


def _show_disagreement(number: int, disagreement: Disagreement) -> None:
    match = disagreement.match
    out.print()
    tell(f"{number}. {match.filing_id}, overlap {match.overlap:.3f} ({match.decided_by})")
    tell(f"{match.edge_a}: {_one_line(disagreement.quote_a)}", indent="   ")
    tell(f"{match.edge_b}: {_one_line(disagreement.quote_b)}", indent="   ")


def _one_line(quote: str) -> str:
    return " ".join(quote.split())


def _share(ratio: Ratio) -> str:
    return f"{percent(ratio.value)} ({ratio.hits:,}/{ratio.total:,})"


def _as_data(folder: Path, manifest: MatchManifest, found: list[Disagreement]) -> dict[str, Any]:
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
        "left_out_a": manifest.left_out_a,
        "left_out_b": manifest.left_out_b,
        "recall_a": _agreement(manifest, "b").recall.value,
        "recall_b": _agreement(manifest, "a").recall.value,
        "jaccard": agreement.jaccard.value,
        "conditional_precision": agreement.conditional_precision.value,
        "conditional_precision_range": list(ends),
        "different_edges": [
            {**item.match.model_dump(), "quote_a": item.quote_a, "quote_b": item.quote_b} for item in found
        ],
    }
