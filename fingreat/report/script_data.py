"""What the page's script needs to know, as JSON that no HTML parser can leave."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fingreat.report.layers import Layer
from fingreat.report.model import Report
from fingreat.report.palette import edge_styles
from fingreat.report.shown import Partner, Shown
from fingreat.report.tables import percent

_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def script_data(report: Report, filings: Sequence[Shown], matched: Mapping[int, Sequence[Partner]]) -> str:
    """JSON with keys `runs`, `edges` (edge → its flow and style), `counts` (per run: edge → extractions), `first`
    (per filing: its first layer), `pairs` (runs that were matched) and `layers`.
    """
    graph, styles = report.graph, edge_styles(report.graph, report.grouping)
    names = {run.name: i for i, run in enumerate(report.runs)}
    return script_json(
        {
            "runs": list(names),
            "edges": {
                e.id: [f"{graph.nodes[e.source].name} → {graph.nodes[e.target].name}", styles[e.id]]
                for e in graph.edges.values()
            },
            "counts": [dict(Counter(x.edge for x in run.extractions)) for run in report.runs],
            "first": [filing.first for filing in filings],
            "pairs": [[names[pair.a], names[pair.b]] for pair in report.matches],
            "layers": [
                _layer(layer, matched.get(filing.first + i, ()))
                for filing in filings
                for i, layer in enumerate(filing.layers)
            ],
        }
    )


def script_json(data: object) -> str:
    """JSON in which nothing opens or closes an element or a comment."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029]", lambda match: _UNSAFE[match.group()], text)


def _layer(layer: Layer, matched: Sequence[Partner]) -> dict[str, Any]:
    """Keys are short because there may be thousands of layers."""
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
            "m": [[p.run, p.edge, percent(p.overlap), p.layer] for p in matched],
        }
        data |= {key: value for key, value in optional.items() if value}
    if layer.gold:
        data |= {"q": layer.gold.text, "c": layer.gold.passage_id, "v": layer.gold.source}
    return data
