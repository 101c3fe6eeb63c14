"""One self-contained HTML page: figures, tables, the graph, the filings with their passages, what was not found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from fingreat.report.check import check_report
from fingreat.report.draw import draw_svg
from fingreat.report.layers import GOLD
from fingreat.report.model import Report, ScoreView
from fingreat.report.palette import category_index, edge_styles
from fingreat.report.script_data import script_data
from fingreat.report.section_html import section_html
from fingreat.report.shown import LONGEST_LIST, Shown, differences, partners, shown_filings
from fingreat.report.templating import asset, csp_hash, environment, page_style, printable
from fingreat.schema import GoldPassage, Verdict


def render_report(report: Report) -> str:
    """The report as HTML text, to be written as UTF-8.

    It loads nothing: style and script are inside, and a content security policy lets only those two run, by
    their hashes. Text of filings and models is escaped everywhere. With JavaScript one filing is read at a time;
    without it and in print the filings follow each other, with every layer shown.

    Raises:
        InputError: the report's parts do not belong together (`check_report`), or the grouping is unknown.
    """
    check_report(report)
    filings = shown_filings(report)
    style = page_style()
    script = Markup(asset("page.js"))
    html = (
        environment()
        .get_template("page.html.j2")
        .render(
            report=report,
            filings=filings,
            style=style,
            script=script,
            style_hash=csp_hash(style),
            script_hash=csp_hash(script),
            data=Markup(script_data(report, filings, partners(report, filings))),
            texts=[_text(filing) for filing in filings],
            styles=category_index(report.graph, report.grouping),
            style_of=edge_styles(report.graph, report.grouping),
            ungrounded=[v for v in Verdict if not v.grounded],
            longest=LONGEST_LIST,
            outcome=outcome,
            **_figures(report),
            **_lists(report, filings),
        )
    )
    return printable(html)


def outcome(score: ScoreView, passage: GoldPassage, edge: str) -> str:
    """`found`, `other edge` or `missed`: what a run made of a gold passage under one edge."""
    if (passage.passage_id, edge) in score.found:
        return "found"
    return "other edge" if passage.passage_id in score.other_edge else "missed"


def _figures(report: Report) -> dict[str, Any]:
    """The numbers of the overview, over every filing of the runs, and the drawings."""
    counts = Counter(x.edge for run in report.runs for x in run.extractions)
    shown = {view.filing.id for view in report.filings}
    with_extractions = {x.filing_id for run in report.runs for x in run.extractions}
    return {
        "svg": Markup(draw_svg(report.graph, grouping=report.grouping, counts=counts)),
        "drawings": [(figure, Markup(figure.svg)) for figure in report.figures],
        "verdict_counts": {run.name: Counter(x.verdict.value for x in run.extractions) for run in report.runs},
        "edge_counts": {run.name: Counter(x.edge for x in run.extractions) for run in report.runs},
        "edge_scores": {run.name: {row.edge: row for row in run.score.edges} for run in report.runs if run.score},
        "extraction_count": sum(counts.values()),
        "edges_of": _edges_of(report),
        "scored": [run for run in report.runs if run.score],
        "in_all": report.filings_in_all or len(shown | with_extractions),
    }


def _lists(report: Report, filings: Sequence[Shown]) -> dict[str, Any]:
    """The rows of the lists, each with its filing."""
    differing = differences(report, filings)
    layer_counts = {f.number: f.counts([run.name for run in report.runs]) for f in filings}
    any_ungrounded = any(not x.verdict.grounded for f in filings for of_run in f.extractions for x in of_run)
    any_failed = any(run.failures or run.failed_replies for run in report.runs)
    return {
        "any_ungrounded": any_ungrounded,
        "any_failed": any_failed,
        "passages_in_all": sum(len(f.view.gold) for f in filings),
        "all_well": list(_all_well(report, any_ungrounded, any_failed, bool(differing))),
        "ungrounded_of": {
            run.name: [(f, x) for f in filings for x in f.extractions[i] if not x.verdict.grounded]
            for i, run in enumerate(report.runs)
        },
        "shown_count": {run.name: sum(len(f.extractions[i]) for f in filings) for i, run in enumerate(report.runs)},
        "gold_of": _gold_of(report, filings),
        "gold_layer": {
            layer.gold.passage_id: f.first + i for f in filings for i, layer in enumerate(f.layers) if layer.gold
        },
        "differing": differing[:LONGEST_LIST],
        "differing_count": len(differing),
        "filing_of": {f.view.filing.id: f for f in filings},
        "layer_counts": layer_counts,
        "switch_counts": layer_counts.get(1),
        "has_gold": any(layer.run == GOLD for f in filings for layer in f.layers),
    }


def _all_well(report: Report, any_ungrounded: bool, any_failed: bool, any_differing: bool) -> Iterator[str]:
    """A sentence for each list that has no rows because nothing went wrong."""
    grounded = [x.verdict.grounded for run in report.runs for x in run.extractions]
    if grounded and not any_ungrounded:
        yield f"Every quote{'' if all(grounded) else ' of the filings shown'} stands in the text."
    if not any_failed and any(sum(run.replies.values()) for run in report.runs):
        yield "Every reply could be read."
    if not any_differing and any(pair.matches for pair in report.matches):
        yield "No two runs give the same passage different edges."


def _text(filing: Shown) -> Markup:
    return section_html(filing.view.section.text, filing.layers, name=f"f{filing.number}", first=filing.first)


def _edges_of(report: Report) -> dict[str, list[str]]:
    """Category → its edges, both in graph order."""
    grouped: dict[str, list[str]] = {category: [] for category in report.graph.categories(report.grouping)}
    for edge in report.graph.edges:
        grouped[report.graph.category(edge, report.grouping)].append(edge)
    return grouped


def _gold_of(report: Report, filings: Sequence[Shown]) -> Mapping[str, list[tuple[Shown, GoldPassage]]]:
    """Edge → the gold passages that accept it with their filing, in page and text order."""
    ordered = [
        (filing, passage)
        for filing in filings
        for passage in sorted(filing.view.gold, key=lambda p: (p.start is None, p.start or 0))
    ]
    return {edge: [(f, p) for f, p in ordered if edge in p.accepted] for edge in report.graph.edges}
