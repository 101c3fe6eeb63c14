"""One self-contained HTML page: figures, the graph, the section with its passages, and what was not found."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from fingreat.report.draw import draw_svg
from fingreat.report.layers import GOLD, Layer, page_layers
from fingreat.report.model import Page, RunView, ScoreView, check_page
from fingreat.report.palette import category_index, palette
from fingreat.report.section_html import section_html
from fingreat.report.tables import percent
from fingreat.report.templating import asset, environment
from fingreat.schema import GoldPassage, Verdict

# Code points that HTML forbids or that no encoding can write: one for one, so that offsets stay right.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_UNSAFE_IN_SCRIPT = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def render_page(page: Page) -> str:
    """The page as HTML text, to be written as UTF-8.

    It loads nothing: style and script are inside, and a content security policy lets only those two run, by
    their hashes. Text of filings and models is escaped everywhere. Without JavaScript every layer is shown.

    Raises:
        InputError: the page's parts do not belong together (`check_page`), or the grouping is unknown.
    """
    check_page(page)
    layers = page_layers(page)
    style = Markup(environment().get_template("page.css.j2").render(palette=palette()))
    script = Markup(asset("page.js"))
    html = (
        environment()
        .get_template("page.html.j2")
        .render(
            page=page,
            style=style,
            script=script,
            style_hash=_csp_hash(style),
            script_hash=_csp_hash(script),
            data=Markup(_script_json(_data(page, layers))),
            svg=Markup(draw_svg(page.graph, grouping=page.grouping, counts=_counts(page.runs))),
            text=section_html(page.section.text, layers),
            styles=category_index(page.graph, page.grouping),
            style_of={
                e: category_index(page.graph, page.grouping)[page.graph.category(e, page.grouping)]
                for e in page.graph.edges
            },
            edges_of=_edges_of(page),
            on_layers=_on_layers(page, layers),
            verdict_counts={run.name: Counter(x.verdict.value for x in run.extractions) for run in page.runs},
            edge_counts={run.name: Counter(x.edge for x in run.extractions) for run in page.runs},
            edge_scores={run.name: {row.edge: row for row in run.score.edges} for run in page.runs if run.score},
            gold_layer={layer.gold.passage_id: i for i, layer in enumerate(layers) if layer.gold},
            gold_of=_gold_of(page),
            scored=[run for run in page.runs if run.score],
            outcome=outcome,
            percent=percent,
            ungrounded=[v for v in Verdict if not v.grounded],
        )
    )
    return _UNPRINTABLE.sub("\ufffd", html)


def outcome(score: ScoreView, passage: GoldPassage, edge: str) -> str:
    """`found`, `other edge` or `missed`: what a run made of a gold passage under one edge."""
    if (passage.passage_id, edge) in score.found:
        return "found"
    return "other edge" if passage.passage_id in score.other_edge else "missed"


def _csp_hash(content: str) -> str:
    """The source expression of an inline element (CSP Level 3, section 2.3.1)."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def _script_json(data: object) -> str:
    """JSON that no HTML parser can leave: nothing in it opens or closes an element or a comment."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029]", lambda match: _UNSAFE_IN_SCRIPT[match.group()], text)


def _data(page: Page, layers: Sequence[Layer]) -> dict[str, Any]:
    """What the script needs: keys are short because there may be thousands of layers."""
    graph = page.graph
    return {
        "runs": [run.name for run in page.runs],
        "edges": {e.id: f"{graph.nodes[e.source].name} → {graph.nodes[e.target].name}" for e in graph.edges.values()},
        "counts": [dict(Counter(x.edge for x in run.extractions)) for run in page.runs],
        "layers": [_layer_data(layer) for layer in layers],
    }


def _layer_data(layer: Layer) -> dict[str, Any]:
    data: dict[str, Any] = {"r": layer.run, "e": layer.edges, "s": layer.style, "at": layer.ranges}
    if layer.extraction:
        x = layer.extraction
        data |= {"v": x.verdict.value, "q": x.quote, "c": x.chunk_id}
        optional: Mapping[str, Any] = {
            "t": x.tags,
            "p": x.period,
            "f": dict(x.facets),
            "a": x.ambiguous,
            "o": x.outside_chunk,
        }
        data |= {key: value for key, value in optional.items() if value}
    if layer.gold:
        data |= {"q": layer.gold.text, "c": layer.gold.passage_id, "v": layer.gold.source}
    return data


def _counts(runs: Sequence[RunView]) -> dict[str, int]:
    return dict(Counter(x.edge for run in runs for x in run.extractions))


def _edges_of(page: Page) -> dict[str, list[str]]:
    """Category → its edges, both in graph order."""
    grouped: dict[str, list[str]] = {category: [] for category in page.graph.categories(page.grouping)}
    for edge in page.graph.edges:
        grouped[page.graph.category(edge, page.grouping)].append(edge)
    return grouped


def _on_layers(page: Page, layers: Sequence[Layer]) -> dict[str, Counter[str]]:
    """How many layers each switch turns: per run name, edge and verdict; gold under "gold"."""
    return {
        "runs": Counter(page.runs[layer.run].name for layer in layers if layer.run != GOLD),
        "edges": Counter(edge for layer in layers for edge in layer.edges),
        "verdicts": Counter(layer.verdict.value for layer in layers if layer.verdict),
        "gold": Counter("gold" for layer in layers if layer.run == GOLD),
    }


def _gold_of(page: Page) -> dict[str, list[GoldPassage]]:
    """Edge → the gold passages that accept it, in text order."""
    ordered = sorted(page.gold, key=lambda p: (p.start is None, p.start or 0))
    return {edge: [p for p in ordered if edge in p.accepted] for edge in page.graph.edges}
