"""Matches whose edges differ, and near misses, for a person to read."""

from __future__ import annotations

from typing import Any

from fingreat.cli.common import out, show_table, tell
from fingreat.pipeline.disagreements import Disagreements, Edges, ShownMatch
from fingreat.report import Column, Table, cell_text
from fingreat.runs import MatchManifest
from fingreat.schema import Extraction, Match

_MOST_PAIRS = 10
_MOST_CHARACTERS = 600
"""Of a quote; the middle of a longer one is left out."""
_FIGURES = {
    "none": "no figures",
    "same": "the same figures",
    "more": "one has more figures",
    "differ": "the figures differ",
}


def show_disagreements(
    found: Disagreements, manifest: MatchManifest, edges: Edges | None, *, near_misses: bool
) -> None:
    """Each match that is shown, with its quotes; a table of different edges before it, if it is no near miss."""
    names = manifest.runs[0].name, manifest.runs[1].name
    out.print()
    if not near_misses:
        if not found.pairs:
            tell("No match has different edges.")
            return
        show_table(_pairs(found, names), most=_MOST_PAIRS)
    if edges and not found.shown:
        what = "match that reads alike but says something else" if near_misses else "match"
        tell(f"No {what} has edge {edges[0]} in {names[0]} and {edges[1]} in {names[1]}.")
    elif not found.shown:
        tell("No match reads alike but says something else.")
    for number, item in enumerate(found.shown, 1):
        if number > 1:
            out.print()
        _show(number, item, names)


def as_data(found: Disagreements, *, near_misses: bool) -> dict[str, Any]:
    """The same for a program, nothing cut."""
    shown = [_item_data(item) for item in found.shown]
    return {
        "edge_pairs": [{"edge_a": a, "edge_b": b, "matches": count} for (a, b), count in found.pairs],
        "both_edges": dict(zip(("no_run", "one_run", "both_runs"), found.both, strict=True)),
        "different_edges": [] if near_misses else shown,
        "near_misses_shown": shown if near_misses else [],
    }


def _item_data(item: ShownMatch) -> dict[str, Any]:
    filing = item.filing
    return {
        **item.match.model_dump(),
        "both_edges": list(item.both),
        "company": filing.company if filing else None,
        "year": filing.filed.year if filing and filing.filed else None,
        "fiscal_year": filing.fiscal_year if filing else None,
        **{
            f"{field}_{side}": getattr(extraction, field)
            for field in ("quote", "ranges", "verdict")
            for side, extraction in (("a", item.a), ("b", item.b))
        },
    }


def _pairs(found: Disagreements, names: tuple[str, str]) -> Table:
    """How often which two edges stand against each other."""
    _, one, two = found.both
    both = [
        f"in {n:,} of them {who} the passage both edges"
        for n, who in ((two, "both runs give"), (one, "one run gives"))
        if n
    ]
    note = "; ".join([f"Matches with different edges in all: {sum(found.both):,}", *both])
    return Table(
        id="edge-pairs",
        title="Matches with different edges",
        columns=(
            *(Column(label=f"edge in {name}", kind="edge") for name in names),
            Column(label="matches", kind="count"),
        ),
        rows=tuple((*edges, count) for edges, count in found.pairs),
        notes=(f"{note}.",),
    )


def _show(number: int, item: ShownMatch, names: tuple[str, str]) -> None:
    match = item.match
    tell(f"{number}. {_filing(item)}")
    tell(f"{_overlap(match)}; {_fidelity(match)}", indent="   ")
    if item.both:
        who = "Both runs give" if len(item.both) == 2 else f"{names['ab'.index(item.both[0])]} gives"
        tell(f"{who} this passage both edges.", indent="   ")
    sides = (match.edge_a, names[0], item.a), (match.edge_b, names[1], item.b)
    if _one_line(item.a.quote) == _one_line(item.b.quote):
        edges = ", ".join(f"{edge} in {name}" for edge, name, _ in sides)
        places = [_places(extraction) for _, _, extraction in sides]
        where = f"both {places[0]}" if places[0] == places[1] else f"{places[0]} and {places[1]}"
        tell(f"{edges}, {where}:", indent="   ")
        tell(_cut(item.a.quote), indent="     ")
        return
    for edge, name, extraction in sides:
        tell(f"{edge} in {name}, {_places(extraction)}:", indent="   ")
        tell(_cut(extraction.quote), indent="     ")


def _overlap(match: Match) -> str:
    values = {name: getattr(match, name) for name in ("equal", "containment", "fragments", "order", "span")}
    others = (f"{name} {value:.3f}" for name, value in values.items() if name != match.decided_by and value is not None)
    return f"overlap {match.overlap:.3f} ({match.decided_by}); {', '.join(others)}"


def _fidelity(match: Match) -> str:
    figures = _FIGURES[match.figures]
    return f"{figures}; they say something else: {', '.join(match.differs)}" if match.differs else figures


def _places(extraction: Extraction) -> str:
    """Where a quote stands in the section's text, in code points."""
    if not extraction.ranges:
        return "not in the text"
    return "at " + ", ".join(f"{start}-{end}" for start, end in extraction.ranges)


def _filing(item: ShownMatch) -> str:
    """Company and year as far as they are known, and the id, as tables show it."""
    shown = cell_text(Column(label="filing", kind="filing"), item.match.filing_id)
    filing = item.filing
    if filing is None:
        return shown
    fiscal = f"fiscal {filing.fiscal_year}" if filing.fiscal_year else None
    known = ", ".join(part for part in (filing.company, str(filing.filed.year) if filing.filed else fiscal) if part)
    return f"{known}: {shown}" if known else shown


def _one_line(quote: str) -> str:
    return " ".join(quote.split())


def _cut(quote: str) -> str:
    """A quote in one line, without its middle where it is long."""
    line = _one_line(quote)
    if len(line) <= _MOST_CHARACTERS:
        return line
    half = _MOST_CHARACTERS // 2
    return f"{line[:half].rstrip()} … {line[-half:].lstrip()}"
