"""`fingreat corpus fetch`, `sample` and `enrich`: what a corpus has from EDGAR."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
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
    WorkersOption,
    print_json,
    progress_bar,
    say,
    stoppable,
)
from fingreat.cli.sample_lines import SampleLines
from fingreat.edgar.remote.addresses import Named, read_name
from fingreat.edgar.remote.client import EdgarClient
from fingreat.edgar.remote.families import FormChoice
from fingreat.errors import BlockedError, InputError
from fingreat.pipeline import Corpus
from fingreat.pipeline.enrich import KNOWN
from fingreat.pipeline.enrich import STAGE as ENRICH
from fingreat.pipeline.enrich import enrich as run_enrich
from fingreat.pipeline.fetch import FetchProgress, Selection
from fingreat.pipeline.fetch import fetch as run_fetch
from fingreat.pipeline.name_list import read_names
from fingreat.pipeline.sample import STAGE as SAMPLE
from fingreat.pipeline.sample import SampleProgress, SampleSettings, draw_sample
from fingreat.pipeline.sample_year import Drawn
from fingreat.pipeline.years import years_of
from fingreat.report import count_of
from fingreat.schema import Failure

_EDGAR = "EDGAR"
_WHICH = "Which filings"
_TOLD = 3
_KINDS = {
    "ticker": ("ticker", "Write it as AAPL"),
    "cik": ("CIK", "Write its digits, such as 320193"),
    "accession": ("accession number", "Write it as 0000320193-24-000123, or the address of a filing"),
}
_NAME_SHOWN = 80
"""Characters of a name in a message."""

IdentityOption = Annotated[
    str | None,
    typer.Option(
        "--identity",
        help='Who asks, as EDGAR wants to know: "Jane Roe jane.roe@university.example". By default EDGAR_IDENTITY of '
        "the environment.",
        show_default=False,
        rich_help_panel=_EDGAR,
    ),
]
BaseOption = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        help="A server that stands in for EDGAR's, such as a mirror. By default EDGAR_BASE_URL of the environment.",
        show_default=False,
        rich_help_panel=_EDGAR,
    ),
]
RateOption = Annotated[
    int,
    typer.Option(
        "--rate",
        min=1,
        max=10,
        help="Requests in any one second. EDGAR allows 10 for all your machines together: give each its part.",
        rich_help_panel=_EDGAR,
    ),
]
FormOption = Annotated[
    list[str] | None,
    typer.Option(
        "--form",
        help="A form, also several times. 10-K stands for its family (10-K405, 10-KSB, 10-KT and their spellings), "
        "so does 10-Q; any other name for that form alone.",
        show_default="10-K",
        rich_help_panel=_WHICH,
    ),
]
AloneOption = Annotated[
    bool,
    typer.Option("--alone", metavar=NO_VALUE, help="10-K alone, without its family.", rich_help_panel=_WHICH),
]
AmendmentsOption = Annotated[
    bool,
    typer.Option("--amendments", metavar=NO_VALUE, help="Amendments (/A) as well.", rich_help_panel=_WHICH),
]

TickerOption = Annotated[
    list[str] | None,
    typer.Option(
        "--ticker",
        help="A company by its present ticker, also several times.",
        rich_help_panel=_WHICH,
        show_default=False,
    ),
]
CikOption = Annotated[
    list[str] | None,
    typer.Option("--cik", help="A company by its CIK, also several times.", rich_help_panel=_WHICH, show_default=False),
]
AccessionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--accession",
        help="A filing by its accession number or its address on EDGAR, also several times.",
        rich_help_panel=_WHICH,
        show_default=False,
    ),
]
FromFileOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--from-file",
        help="A list of any of these: lines, CSV with a head, or JSON Lines such as a corpus's filings.jsonl.",
        rich_help_panel=_WHICH,
        show_default=False,
    ),
]
YearsOption = Annotated[
    str | None,
    typer.Option(
        "--years",
        help="Years of filing of a company's filings, such as 2015-2024; all if left out.",
        show_default=False,
        rich_help_panel=_WHICH,
    ),
]
ExhibitsOption = Annotated[
    bool,
    typer.Option(
        "--exhibits",
        metavar=NO_VALUE,
        help="Full submissions, with their exhibits, for the filings of the corpus that are a main document "
        "whose item points elsewhere; `corpus sections` finds the item in them then.",
        rich_help_panel=_WHICH,
    ),
]

IndexOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--index",
        help="An index file at hand (form, master or company, also gzipped) instead of EDGAR's; several times.",
        rich_help_panel=_WHICH,
        show_default=False,
    ),
]


@contextmanager
def _client(corpus: Path, identity: str | None, base: str | None, rate: int) -> Iterator[EdgarClient]:
    with EdgarClient(identity, base=base, rate=rate, on_wait=say, marker=corpus / "edgar" / "blocked.json") as client:
        yield client


@contextmanager
def _going_on(stays: str) -> Iterator[None]:
    """Say what stays where Ctrl-C or a block of EDGAR's ends the command."""
    with stoppable(lambda: stays):
        try:
            yield
        except BlockedError:
            say(stays)
            raise


def fetch(
    corpus: CorpusOption,
    ticker: TickerOption = None,
    cik: CikOption = None,
    accession: AccessionOption = None,
    from_file: FromFileOption = None,
    form: FormOption = None,
    years: YearsOption = None,
    alone: AloneOption = False,
    amendments: AmendmentsOption = False,
    exhibits: ExhibitsOption = False,
    identity: IdentityOption = None,
    base_url: BaseOption = None,
    rate: RateOption = 10,
    workers: WorkersOption = None,
    json: JsonFlag = False,
) -> None:
    """Fetch filings from EDGAR: full submissions, with all their exhibits.

    Stop it with Ctrl-C and repeat the command: it goes on where it was, and fetches nothing twice.

    Exit status 1 where some could not be fetched; failures.jsonl says why.

    Example: fingreat corpus fetch --corpus corpus --ticker AAPL --years 2020-2024 --identity "Jane Roe jane@roe.org"
    """
    named = {"ticker": ticker or (), "cik": cik or (), "accession": accession or ()}
    names = _names(named, from_file or (), base_url)
    chosen = None if years is None else years_of(years)
    forms = FormChoice(tuple(form or ("10-K",)), amendments, alone)
    choosing = {"--form": form, "--years": years, "--alone": alone, "--amendments": amendments}
    if names and all(name.accession for name in names) and any(choosing.values()):
        idle = ", ".join(option for option, value in choosing.items() if value)
        say(f"{idle}: without effect, since every filing is named by its accession number.")
    stays = "What was fetched stays; repeat the command to go on."
    with _client(corpus, identity, base_url, rate) as client, _going_on(stays), progress_bar() as bar:
        task = bar.add_task("companies", total=None)
        progress = FetchProgress(
            companies=lambda count: bar.update(task, total=count),
            company=lambda name: bar.update(task, description=f"company {name}", advance=1),
            total=lambda count: bar.update(task, description="filings", total=count, completed=0),
            filing=lambda accession: bar.advance(task),
            failure=_teller(),
        )
        selection = Selection(names, forms, chosen, exhibits)
        counts = run_fetch(Corpus(corpus), client, selection, workers=workers, progress=progress)
        requests = client.requests
    if json:
        print_json({**counts, "requests": requests})
    raise typer.Exit(_tell_fetched(corpus, counts, requests))


def sample(
    corpus: CorpusOption,
    years: Annotated[str, typer.Option("--years", help="Years of filing, such as 2000-2025.", rich_help_panel=_WHICH)],
    per_year: Annotated[int, typer.Option("--per-year", min=1, help="Filings a year.", rich_help_panel=_WHICH)],
    seed: Annotated[int, typer.Option("--seed", help="Decides the order in which they are drawn.")] = 0,
    form: FormOption = None,
    alone: AloneOption = False,
    amendments: AmendmentsOption = False,
    item: ItemOption = "7",
    index: IndexOption = None,
    identity: IdentityOption = None,
    base_url: BaseOption = None,
    rate: RateOption = 10,
    workers: WorkersOption = None,
    json: JsonFlag = False,
) -> None:
    """Draw a sample from EDGAR's quarterly indexes: a firm once a year, the same filings for the same seed and indexes.

    A filing without the item, or that cannot be read, is replaced by the next of the same order; sample/ says why.
    One that cannot be fetched for the moment keeps its place.

    Stop it with Ctrl-C and repeat the command: it goes on where it was.
    More years, or more filings a year, extend a sample. The indexes stay in edgar/.

    Exit status 1 where a year is incomplete.

    Example: fingreat corpus sample --corpus corpus --years 2000-2025 --per-year 50 --seed 1
    """
    settings = SampleSettings(
        years_of(years), per_year, seed, FormChoice(tuple(form or ("10-K",)), amendments, alone), item
    )
    stays, lines = "What came is kept; repeat the command to go on.", SampleLines(corpus)
    with _client(corpus, identity, base_url, rate) as client, stoppable(lambda: stays), progress_bar() as bar:
        task = bar.add_task("years of indexes", total=len(settings.years))

        def drawn(one: Drawn) -> None:
            if one.filing is None:
                lines.replaced(one)
            else:
                bar.advance(task)

        progress = SampleProgress(
            framed=lambda year: bar.advance(task),
            kept=lambda count: bar.reset(
                task, description="filings", total=len(settings.years) * per_year, completed=count
            ),
            draw=drawn,
            open=lines.open,
            note=say,
        )
        counts = draw_sample(Corpus(corpus), client, settings, indexes=index or (), workers=workers, progress=progress)
        requests = client.requests
    noted = Corpus(corpus).manifest()["stages"][SAMPLE]
    if json:
        print_json({**counts, "reasons": noted["reasons"], "by_year": noted["by_year"], "requests": requests})
    lines.end(counts, noted["reasons"], requests)
    raise typer.Exit(ALL_WELL if counts["kept"] == counts["asked"] else SOME_FAILED if counts["kept"] else NOTHING_DONE)


def enrich(
    corpus: CorpusOption,
    again: Annotated[
        bool, typer.Option("--again", metavar=NO_VALUE, help="Ask anew for what the corpus keeps already.")
    ] = False,
    identity: IdentityOption = None,
    base_url: BaseOption = None,
    rate: RateOption = 10,
    json: JsonFlag = False,
) -> None:
    """Complete the records of all filings: industry, fiscal year's end, total assets as tagged in the filing itself.

    EDGAR's answers stay in edgar/. What is not known stays empty.
    Run it before `extract`: prompts show company, form and dates, and where it completes these, models are asked anew.

    Stop it with Ctrl-C and repeat the command: it goes on where it was, and asks for nothing twice.

    Exit status 1 where some companies could not be asked; failures.jsonl says why.

    Example: fingreat corpus enrich --corpus corpus
    """
    stays = "What was asked stays; repeat the command to go on."
    with _client(corpus, identity, base_url, rate) as client, stoppable(lambda: stays), progress_bar() as bar:
        task = bar.add_task("companies", total=None)
        counts = run_enrich(
            Corpus(corpus),
            client,
            again=again,
            on_company=lambda cik: bar.advance(task),
            on_total=lambda count: bar.update(task, total=count),
        )
        requests = client.requests
    assets = Corpus(corpus).manifest()["stages"][ENRICH]["assets"]
    if json:
        print_json({**counts, "assets": assets, "requests": requests})
    say(
        f"{count_of(counts['filings'], 'filing')} of {count_of(counts['companies'], 'company')}: complete "
        f"{counts['completed']:,}, failed {counts['failed']:,}, without CIK {counts['without_cik']:,} · "
        f"{count_of(requests, 'request')}"
    )
    say(
        f"industry code {counts['with_sic']:,}, division {counts['with_division']:,}, "
        f"total assets {counts['with_assets']:,}"
    )
    unknown = [f"{why} {count:,}" for why, count in assets.items() if why != KNOWN]
    if unknown:
        say(f"total assets unknown: {', '.join(unknown)}")
    if counts["failed"]:
        say(f"why: {corpus / 'failures.jsonl'}; what EDGAR answered is asked for anew with --again only")
    raise typer.Exit(ALL_WELL if not counts["failed"] else SOME_FAILED if counts["completed"] else NOTHING_DONE)


def _teller() -> Callable[[Failure], None]:
    """Tells the first failures as they come: where nothing answers, the rest takes its time."""
    numbers = count(1)

    def tell(failure: Failure) -> None:
        number = next(numbers)
        if number <= _TOLD:
            # Some reasons begin with what failed.
            say(failure.reason if failure.reason.startswith(f"{failure.id} ") else f"{failure.id}: {failure.reason}")
        elif number == _TOLD + 1:
            say("More have failed; failures.jsonl will say why.")

    return tell


def _tell_fetched(corpus: Path, counts: Mapping[str, int], requests: int) -> int:
    """Say what a fetch came to; returned is the exit status."""
    say(
        f"asked {counts['asked']:,}: fetched {counts['fetched']:,} ({counts['bytes'] / 1e6:,.1f} MB), "
        f"already there {counts['already_there']:,}, failed {counts['failed']:,} · {count_of(requests, 'request')}"
    )
    if counts["companies_failed"]:
        say(f"{counts['companies_failed']:,} of {count_of(counts['companies'], 'company')} gave no filing")
    failed = counts["failed"] + counts["companies_failed"]
    if failed:
        say(f"why: {corpus / 'failures.jsonl'}")
    done = counts["fetched"] + counts["already_there"]
    return ALL_WELL if not failed else SOME_FAILED if done else NOTHING_DONE


def _names(named: Mapping[str, Sequence[str]], files: Sequence[Path], base: str | None) -> tuple[Named, ...]:
    """What the options name: by kind of name, and in files."""
    names = [_name(kind, text, base) for kind, texts in named.items() for text in texts]
    for path in files:
        names += read_names(path, base, say)
    return tuple(names)


def _name(kind: str, text: str, base: str | None) -> Named:
    what, hint = _KINDS[kind]
    several = f"; several with --{kind} each" if re.search(r"[\s,;|]", text.strip()) else ""
    reason = f"is no {what}."
    try:
        name = read_name(text, base)
    except InputError as error:
        name = None
        # What is wrong with an address only reading it can tell.
        reason = error.message if "://" in text else reason
    if name is None or name.kind != kind:
        raise InputError(f"{text[:_NAME_SHOWN]!r} {reason}", where=f"--{kind}", hint=f"{hint}{several}.")
    return name
