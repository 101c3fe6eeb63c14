"""Do the parts of a report belong together?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from lxml import etree

from fingreat.errors import InputError
from fingreat.report.model import Figure, FilingView, MatchView, Report
from fingreat.schema import Extraction, Match

_SVG = "{http://www.w3.org/2000/svg}"
_DRAWN = {"svg", "g", "title", "desc", "rect", "path", "line", "polygon", "text", "tspan"}


def check_report(report: Report) -> None:
    """Refuse a report whose parts do not belong together.

    Raises:
        InputError: two runs, filings, gold passages, tables or figures of one name, or matches of one pair; a
            section or gold passage of another filing; an unknown edge; a range that is empty or leaves the text of
            its section; a match of a run or an extraction that the report does not have, or of other edges than the
            extractions'; a figure that is no plain drawing; fewer filings in all than are shown.
    """
    views = {view.filing.id: view for view in report.filings}
    _check_names("filings", [view.filing.id for view in report.filings])
    _check_names("runs", [run.name for run in report.runs])
    _check_names("tables or figures", [t.id for t in report.tables] + [f.id for f in report.figures])
    _check_names("gold passages", [p.passage_id for view in report.filings for p in view.gold])
    if report.filings_in_all is not None and report.filings_in_all < len(views):
        raise InputError(f"{len(views)} filings are shown, of {report.filings_in_all} in all.", where="filings_in_all")
    for view in report.filings:
        _check_filing(report, view)
    for run in report.runs:
        for extraction in run.extractions:
            where = f"run '{run.name}', {extraction.id}"
            _check_edges(report, where, (extraction.edge,))
            if view_of := views.get(extraction.filing_id):
                _check_ranges(where, extraction.ranges, view_of)
        if run.score:
            _check_edges(report, f"run '{run.name}', score", [row.edge for row in run.score.edges])
    _check_names("matches", [" and ".join(sorted((pair.a, pair.b))) for pair in report.matches])
    for pair in report.matches:
        _check_matches(report, pair)
    for figure in report.figures:
        _check_figure(figure)


def _check_names(what: str, names: list[str]) -> None:
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise InputError(f"two {what} of one report have the same name.", where=", ".join(twice[:5]))


def _check_filing(report: Report, view: FilingView) -> None:
    own = view.filing.id
    if view.section.filing_id != own:
        raise InputError(f"it belongs to filing '{view.section.filing_id}', not to '{own}'.", where="section")
    for passage in view.gold:
        where = f"gold passage {passage.passage_id}"
        if passage.filing_id != own:
            raise InputError(f"it belongs to filing '{passage.filing_id}', not to '{own}'.", where=where)
        if passage.start is not None and passage.end is not None:
            _check_ranges(where, [(passage.start, passage.end)], view)
        _check_edges(report, where, passage.accepted)


def _check_ranges(where: str, ranges: Iterable[tuple[int, int]], view: FilingView) -> None:
    length = len(view.section.text)
    for start, end in ranges:
        if not 0 <= start < end <= length:
            raise InputError(f"range {start}–{end} is no part of a text of {length} characters.", where=where)


def _check_edges(report: Report, where: str, edges: Collection[str]) -> None:
    unknown = sorted(edge for edge in edges if edge not in report.graph.edges)
    if unknown:
        raise InputError(f"'{unknown[0]}' is no edge of graph '{report.graph.name}'.", where=where)


def _check_matches(report: Report, pair: MatchView) -> None:
    where = f"matches of '{pair.a}' and '{pair.b}'"
    runs = {run.name: run for run in report.runs}
    unknown = [name for name in (pair.a, pair.b) if name not in runs]
    if unknown:
        raise InputError(f"the report has no run '{unknown[0]}'.", where=where)
    if pair.a == pair.b:
        raise InputError("a run is matched with itself.", where=where)
    for name, side in ((pair.a, "a"), (pair.b, "b")):
        extractions = {(x.filing_id, x.id): x for x in runs[name].extractions}
        for match in pair.matches:
            _check_match(where, name, match, side, extractions)
        taken = [(match.filing_id, getattr(match, side)) for match in pair.matches]
        if len(set(taken)) < len(taken):
            raise InputError(f"an extraction of run '{name}' is matched twice.", where=where)


def _check_match(
    where: str, run: str, match: Match, side: str, extractions: Mapping[tuple[str, str], Extraction]
) -> None:
    own, edge = getattr(match, side), getattr(match, f"edge_{side}")
    extraction = extractions.get((match.filing_id, own))
    if extraction is None:
        raise InputError(f"run '{run}' has no extraction '{own}' of filing '{match.filing_id}'.", where=where)
    if extraction.edge != edge:
        raise InputError(f"'{own}' has edge '{extraction.edge}', its match says '{edge}'.", where=where)


def _check_figure(figure: Figure) -> None:
    """A drawing goes into the page as markup: it may draw and name, and nothing else."""
    where = f"figure '{figure.id}'"
    if "<!" in figure.svg:
        raise InputError("a drawing may not hold declarations or comments.", where=where)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        root = etree.fromstring(figure.svg.encode("utf-8"), parser)
    except (etree.XMLSyntaxError, UnicodeEncodeError) as error:
        raise InputError(f"it is no SVG: {error}", where=where) from error
    if root.tag != f"{_SVG}svg":
        raise InputError("it is no SVG.", where=where)
    for element in root.iter():
        name = str(element.tag).removeprefix(_SVG)
        if name not in _DRAWN:
            raise InputError(f"a drawing may not hold '{name}'.", where=where)
        for attribute in map(str, element.attrib):
            if attribute.startswith("on") or attribute in ("id", "style") or "href" in attribute:
                raise InputError(f"a drawing may not have the attribute '{attribute}'.", where=where)
