"""`fingreat corpus`: filings and their items, in one folder."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from fingreat.cli.common import (
    ALL_WELL,
    NO_VALUE,
    NOTHING_DONE,
    SOME_FAILED,
    CorpusOption,
    ItemOption,
    JsonFlag,
    TablesOption,
    WorkersOption,
    print_json,
    progress_bar,
    say,
    stoppable,
)
from fingreat.cli.corpus_remote import enrich, fetch, sample
from fingreat.cli.corpus_stats import stats
from fingreat.pipeline import Corpus
from fingreat.report import count_of
from fingreat.schema import Section, SectionStatus, TableStyle

app = typer.Typer(no_args_is_help=True, help="Build a corpus folder: filings, and their items as Markdown.")
app.command("fetch")(fetch)
app.command("sample")(sample)


@app.command()
def add(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH", help="Filings, or folders with filings.", show_default=False)
    ],
    corpus: CorpusOption,
    workers: WorkersOption = None,
    json: JsonFlag = False,
) -> None:
    """Take local filings into the corpus; bytes already there are skipped.

    Example: fingreat corpus add downloads/ --corpus corpus
    """
    with stoppable(lambda: "What was added stays; repeat the command to go on."), progress_bar() as bar:
        task = bar.add_task("adding", total=None)
        counts = Corpus(corpus).add(paths, lambda path: bar.advance(task), workers=workers)
    if json:
        print_json(counts)
    say(f"added {counts['added']:,}, already there {counts['already_there']:,}, failed {counts['failed']:,}")
    if counts["doubles"]:
        say(f"{count_of(counts['doubles'], 'main document')} beside the full submission, which holds it")
    if counts["passed_over"]:
        say(f"{count_of(counts['passed_over'], 'file')} of another kind passed over")
    if counts["failed"]:
        say(f"why: {corpus / 'failures.jsonl'}")
        raise typer.Exit(SOME_FAILED if counts["added"] + counts["already_there"] + counts["doubles"] else NOTHING_DONE)


@app.command()
def sections(
    corpus: CorpusOption,
    item: ItemOption = "7",
    tables: TablesOption = TableStyle.MARKDOWN,
    workers: WorkersOption = None,
    again: Annotated[
        bool, typer.Option("--again", metavar=NO_VALUE, help="Also do filings that were done before.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Find an item in every filing of the corpus.

    Exit status 1 where some filings have no such text; failures.jsonl says why.

    Example: fingreat corpus sections --corpus corpus --item 7
    """
    folder = Corpus(corpus)
    started, done, size = time.monotonic(), 0, 0
    with stoppable(lambda: "What was found stays; repeat the command to go on."), progress_bar() as bar:
        paths = {filing.id: corpus / filing.path for filing in folder.filings()}
        task = bar.add_task(f"item {item}", total=len(paths))

        def advance(section: Section) -> None:
            nonlocal done, size
            done += 1
            path = paths[section.filing_id]
            size += path.stat().st_size if path.is_file() else 0
            bar.advance(task)

        counts = folder.make_sections(item, tables=tables, again=again, workers=workers, on_section=advance)
    if json:
        print_json(counts)
    took = f"{count_of(done, 'filing')} read, {size / 1e6:,.1f} MB in {time.monotonic() - started:,.1f} s"
    say(", ".join(f"{status.replace('_', ' ')} {count:,}" for status, count in counts.items()) + f" · {took}")
    found, total = counts[SectionStatus.FOUND.value], sum(counts.values())
    if found < total:
        say(f"why: {corpus / 'failures.jsonl'}")
    raise typer.Exit(ALL_WELL if found == total else SOME_FAILED if found else NOTHING_DONE)


app.command("enrich")(enrich)
app.command("stats")(stats)
