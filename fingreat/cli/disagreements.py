"""Matches whose edges differ, for a person to read."""

from __future__ import annotations

from typing import Any

from fingreat.cli.common import out, show_table, tell
from fingreat.pipeline.disagreements import Disagreement, Disagreements, Edges
from fingreat.report import Column, Table
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


def show_disagreements(found: Disagreements, manifest: MatchManifest, edges: Edges | None) -> None:
    """The commonest pairs of edges as a table, then each match that is shown, with its quotes."""
    names = manifest.runs[0].name, manifest.runs[1].name
    out.print()
    if not found.pairs:
        tell("No match has different edges.")
        return
    show_table(_pairs(found, names), most=_MOST_PAIRS)
    if edges and not found.shown:
        tell(f"No match has edge {edges[0]} in {names[0]} and {edges[1]} in {names[1]}.")
    for number, item in enumerate(found.shown, 1):
        if number > 1:
            out.print()
        _show(number, item, names)


def as_data(found: Disagreements) -> dict[str, Any]:
    """The same for a program, nothing cut."""
    return {
        "edge_pairs": [{"edge_a": a, "edge_b": b, "matches": count} for (a, b), count in found.pairs],
        "different_edges": [
            {
                **item.match.model_dump(),
                "company": item.filing.company if item.filing else None,
                "year": _year(item),
                **{
                    f"{field}_{side}": getattr(extraction, field)
                    for field in ("quote", "ranges", "verdict")
                    for side, extraction in (("a", item.a), ("b", item.b))
                },
            }
            for item in found.shown
        ],
    }


def _pairs(found: Disagreements, names: tuple[str, str]) -> Table:
    return Table(
        id="edge-pairs",
        title="Matches with different edges",
        columns=(
            *(Column(label=f"edge in {name}", kind="edge") for name in names),
            Column(label="matches", kind="count"),
        ),
        rows=tuple((*edges, count) for edges, count in found.pairs),
        notes=(f"Matches with different edges in all: {sum(count for _, count in found.pairs):,}.",),
    )


def _show(number: int, item: Disagreement, names: tuple[str, str]) -> None:
    match = item.match
    year = _year(item)
    company = item.filing.company if item.filing else None
    known = ", ".join(str(value) for value in (company, year) if value)
    tell(f"{number}. {f'{known}: ' if known else ''}{match.filing_id}")
    tell(f"{_overlap(match)}; {_fidelity(match)}", indent="   ")
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


def _year(item: Disagreement) -> int | None:
    """Year of filing."""
    return item.filing.filed.year if item.filing and item.filing.filed else None


def _one_line(quote: str) -> str:
    return " ".join(quote.split())


def _cut(quote: str) -> str:
    """A quote in one line, without its middle where it is long."""
    line = _one_line(quote)
    if len(line) <= _MOST_CHARACTERS:
        return line
    half = _MOST_CHARACTERS // 2
    return f"{line[:half].rstrip()} … {line[-half:].lstrip()}"
