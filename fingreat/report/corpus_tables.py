"""The tables that say what a corpus is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fingreat.analysis.corpus import Band, CorpusFigures, Group, Quantile
from fingreat.analysis.ratio import Ratio
from fingreat.report.sample_table import replaced_table, sample_table
from fingreat.report.stage_table import stage_table
from fingreat.report.tables import ALL, Cell, Column, ColumnKind, Share, Table, count_of

IDS = tuple(
    f"corpus-{name}"
    for name in (
        "divisions",
        "years",
        "forms",
        "assets-bands",
        "assets",
        "lengths",
        "statuses",
        "sample",
        "replaced",
        "stages",
    )
)
"""The ids of all tables there can be."""
_OF_FOUND = ("corpus-years", "corpus-forms", "corpus-statuses")
"""Tables with shares of the filings in which the item was found."""
QUANTILE_NOTE = (
    "Quantiles by linear interpolation between neighbours (definition 7 of Hyndman and Fan, The American Statistician "
    "50, 1996, 361–365)."
)
_AMOUNTS = ((10**9, "billion"), (10**6, "million"))
_STATUSES = (
    ("found", "found"),
    ("by_reference", "by reference"),
    ("absent", "absent"),
    ("unreadable", "unreadable"),
    ("unsearched", "not looked for yet"),
)


_SOURCES = (
    ("submissions", "the registrant's present one"),
    ("header", "the filing's header"),
    ("unstated", "not said"),
    ("none", "no code"),
)


def corpus_tables(
    figures: CorpusFigures, item: str, stages: Mapping[str, Any], *, size_years: str | None = None
) -> tuple[Table, ...]:
    """All tables there is something to say in.

    Args:
        item: whose texts were measured.
        stages: what the stages that filled the corpus noted, as it stands in its manifest.
        size_years: in words, the years to which the description of size is restricted.
    """
    made = (
        _divisions(figures),
        _by_year(figures, item, size_years),
        _by_form(figures, item, size_years),
        _bands(figures, size_years),
        _assets(figures, size_years),
        _lengths(figures, item),
        _statuses(figures, item),
        sample_table(stages.get("sample")),
        replaced_table(stages.get("sample")),
        stage_table(stages),
    )
    tables = (table for table in made if table is not None)
    sample = stages.get("sample")
    if not isinstance(sample, Mapping) or sample.get("item") != item:
        return tuple(tables)
    note = f"A sample: a filing in which Item {item} was not found was replaced, so it is found in all by construction."
    return tuple(
        table.model_copy(update={"notes": (*table.notes, note)}) if table.id in _OF_FOUND else table for table in tables
    )


def _columns(*columns: tuple[str, ColumnKind]) -> tuple[Column, ...]:
    return tuple(Column(label=label, kind=kind, digits=0) for label, kind in columns)


def _share(ratio: Ratio) -> Share:
    return Share(k=ratio.hits, n=ratio.total)


def _divisions(figures: CorpusFigures) -> Table:
    rows = [(group.name or "Unknown", group) for group in figures.divisions]
    several, sources = figures.firms_of_several, figures.sic_sources
    twice = (
        f"{count_of(several, 'firm')} with filings of several rows {_are(several)} counted in each, and once in all."
    )
    codes = "; ".join(f"{words}, {sources[source]:,}" for source, words in _SOURCES if sources[source])
    return Table(
        id="corpus-divisions",
        title="Filings and firms by industry",
        columns=_columns(("division", "text"), ("filings", "count"), ("share of filings", "share"), ("firms", "count")),
        rows=tuple(
            (name, group.filings, Share(k=group.filings, n=figures.all.filings), group.firms)
            for name, group in (*rows, (ALL, figures.all))
        ),
        totals=1,
        notes=(
            *_firm_notes(figures.all),
            *((twice,) if several else ()),
            *((f"Source of the industry code: {codes}.",) if codes else ()),
            "Divisions of the Standard Industrial Classification. Unclassified: a code of major group 99. Unknown: no "
            "code, or one of no division.",
        ),
    )


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _firm_notes(group: Group) -> tuple[str, ...]:
    """What a firm is, and how many filings are of none."""
    without = group.without_cik
    left = f" {count_of(without, 'filing')} without one {_are(without)} of no firm here."
    return (f"Firms are distinct CIKs.{left if without else ''}",)


def _by_year(figures: CorpusFigures, item: str, size_years: str | None) -> Table:
    rows = [(group.name or "no date", group) for group in figures.years]
    return Table(
        id="corpus-years",
        title="Filings and firms by year of filing",
        columns=_group_columns("year", item),
        rows=tuple(_group_row(name, group) for name, group in (*rows, (ALL, figures.all))),
        totals=1,
        notes=_group_notes(figures, item, size_years),
    )


def _by_form(figures: CorpusFigures, item: str, size_years: str | None) -> Table:
    rows = [(group.name or "unknown", group) for group in figures.forms]
    return Table(
        id="corpus-forms",
        title="Filings and firms by form",
        columns=_group_columns("form", item),
        rows=tuple(_group_row(name, group) for name, group in (*rows, (ALL, figures.all))),
        totals=1,
        notes=_group_notes(figures, item, size_years),
    )


def _group_columns(first: str, item: str) -> tuple[Column, ...]:
    return _columns(
        (first, "text"),
        ("filings", "count"),
        ("firms", "count"),
        (f"Item {item} found", "share"),
        ("with total assets", "share"),
        ("median assets", "money"),
        ("median length", "number"),
    )


def _group_row(name: str, group: Group) -> tuple[Cell, ...]:
    found = _share(group.found) if group.found.total else None
    return (
        name,
        group.filings,
        group.firms,
        found,
        _share(group.with_assets),
        group.median_assets,
        group.median_chars,
    )


def _group_notes(figures: CorpusFigures, item: str, size_years: str | None) -> tuple[str, ...]:
    years = (f"Median assets: of filings of {size_years} only.",) if size_years else ()
    return (
        *_firm_notes(figures.all),
        f"Item {item} found: of the filings in which it was looked for. Length: characters of the texts found.",
        *_asset_notes(),
        *years,
    )


def _asset_notes() -> tuple[str, ...]:
    return ("Total assets in nominal US dollars, as tagged in the filing itself for its balance-sheet date.",)


def _bands(figures: CorpusFigures, size_years: str | None) -> Table | None:
    sized = figures.sized
    known = sized.with_assets.hits
    if not known:
        return None
    rows: list[tuple[Cell, ...]] = [
        (_band_name(band), band.filings, Share(k=band.filings, n=known)) for band in figures.bands
    ]
    undated = sum(group.filings for group in figures.years if group.name is None) if size_years else 0
    rows += [
        ("known", known, Share(k=known, n=known)),
        ("unknown", sized.filings - known, None),
        (ALL, sized.filings, None),
    ]
    return Table(
        id="corpus-assets-bands",
        title=f"Filings{_of_years(size_years)} by total assets",
        columns=_columns(("total assets", "text"), ("filings", "count"), ("share of known", "share")),
        rows=tuple(rows),
        totals=3,
        notes=(
            *_asset_notes(),
            "A band begins with its lower amount and ends below its upper one.",
            f"Known for {sized.with_assets.hits:,} of {count_of(sized.filings, 'filing')}; "
            f"{_of_firms(sized.firms_with_assets, sized.firms)} at least one.",
            *(
                (f"{count_of(undated, 'filing')} without a date of filing {_are(undated)} left out.",)
                if undated
                else ()
            ),
        ),
    )


def _of_firms(some: int, firms: int) -> str:
    """How many of the firms have, in words."""
    if some == firms > 1:
        return f"all {firms:,} firms have"
    return f"{some:,} of {count_of(firms, 'firm')} {'has' if some == 1 else 'have'}"


def _band_name(band: Band) -> str:
    if band.least is None:
        return "below zero"
    if band.least == 0:
        return "zero"
    if band.below is None:
        return f"{_amount(band.least)} and more"
    return f"under {_amount(band.below)}" if band.least == 1 else f"{_amount(band.least)} to {_amount(band.below)}"


def _amount(dollars: int) -> str:
    unit, name = next(one for one in _AMOUNTS if dollars >= one[0])
    return f"${dollars // unit:,} {name}"


def _of_years(size_years: str | None) -> str:
    return f" of {size_years}" if size_years else ""


def _assets(figures: CorpusFigures, size_years: str | None) -> Table | None:
    return _quantiles(
        "corpus-assets",
        f"Total assets of filings{_of_years(size_years)}",
        ("total assets", "money"),
        (figures.assets, figures.sized.with_assets.hits),
        (*_asset_notes(), "Zero is a value like any other."),
    )


def _lengths(figures: CorpusFigures, item: str) -> Table | None:
    return _quantiles(
        "corpus-lengths",
        f"Length of Item {item}",
        ("characters", "number"),
        (figures.chars, figures.statuses["found"]),
        ("Code points of the texts that were found, as Markdown.",),
    )


def _quantiles(
    id_: str,
    title: str,
    column: tuple[str, ColumnKind],
    measured: tuple[tuple[Quantile, ...], int],
    notes: tuple[str, ...],
) -> Table | None:
    found, n = measured
    if not found:
        return None
    names = {0.0: "minimum", 0.5: "median", 1.0: "maximum"}
    return Table(
        id=id_,
        title=title,
        columns=_columns(("quantile", "text"), ("n", "count"), column),
        rows=tuple((names.get(one.share, f"{one.share:.0%}"), n, one.value) for one in found),
        notes=(*notes, QUANTILE_NOTE),
    )


def _statuses(figures: CorpusFigures, item: str) -> Table:
    total = figures.all.filings
    counts = [(name, figures.statuses[status]) for status, name in _STATUSES]
    counts[1:1] = [
        ("of which elsewhere in the document", figures.found_elsewhere),
        ("of which in an exhibit", figures.found_in_exhibit),
    ]
    return Table(
        id="corpus-statuses",
        title=f"What became of the search for Item {item}",
        columns=_columns(("outcome", "text"), ("filings", "count"), ("share of filings", "share")),
        rows=tuple((name, count, Share(k=count, n=total)) for name, count in (*counts, (ALL, total))),
        totals=1,
        notes=(
            "Of which: the item itself only points there. By reference: it points to a text that is not in the filing.",
        ),
    )
