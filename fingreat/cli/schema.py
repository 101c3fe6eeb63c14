"""`fingreat schema`: the accounting graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fingreat.cli import complete
from fingreat.cli.common import NOTHING_DONE, JsonFlag, SchemaOption, print_json, say, show_table, tell
from fingreat.errors import InputError, SchemaError
from fingreat.report import Column, Table, draw_svg, svg_to_png
from fingreat.runs import write_atomic
from fingreat.schema import Graph, load_graph
from fingreat.schema.graph import DEFAULT_GROUPING

app = typer.Typer(no_args_is_help=True, help="The accounting graph: show it, check a file of your own, draw it.")

GroupingOption = Annotated[
    str,
    typer.Option(
        "--categories", help="Which grouping of the edges into categories.", autocompletion=complete.groupings
    ),
]


@app.command()
def show(schema: SchemaOption = None, categories: GroupingOption = DEFAULT_GROUPING, json: JsonFlag = False) -> None:
    """Show accounts, edges and categories.

    Example: fingreat schema show --categories capital
    """
    graph = load_graph(schema)
    if json:
        print_json(_as_data(graph, categories))
        return
    show_table(_nodes(graph))
    show_table(_edges(graph, categories))
    tell(f"{len(graph.rules)} border rules; groupings: {', '.join(graph.groupings)}")


def _nodes(graph: Graph) -> Table:
    return Table(
        id="accounts",
        title=f"{graph.title} ({graph.source})",
        columns=tuple(Column(label=label) for label in ("account", "name", "kind", "holds")),
        rows=tuple((node.id, node.name, node.kind, node.holds) for node in graph.nodes.values()),
    )


def _edges(graph: Graph, grouping: str) -> Table:
    return Table(
        id="edges",
        title="Edges",
        columns=tuple(Column(label=label) for label in ("edge", "category", "is evidence", "is not")),
        rows=tuple(
            (edge.id, graph.category(edge.id, grouping), edge.is_, edge.is_not) for edge in graph.edges.values()
        ),
    )


@app.command()
def check(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="The graph file.", show_default=False)] = None,
    schema: SchemaOption = None,
    json: JsonFlag = False,
) -> None:
    """Check a graph file and list every fault, each with its table and line.

    Example: fingreat schema check my-graph.toml
    """
    try:
        graph = load_graph(file or schema)
    except SchemaError as error:
        if not json:
            raise
        print_json({"source": error.where, "faults": list(error.faults)})
        raise typer.Exit(NOTHING_DONE) from None
    categories = list(graph.categories())
    if json:
        counts = {"nodes": len(graph.nodes), "edges": len(graph.edges), "categories": categories}
        print_json({"source": graph.source, "faults": [], **counts})
        return
    tell(
        f"{graph.source}: {len(graph.nodes)} nodes, {len(graph.edges)} edges, connected, "
        f"categories {', '.join(categories)}. No faults."
    )


@app.command()
def draw(
    target: Annotated[Path, typer.Option("--out", help="The picture, .svg or .png.")] = Path("graph.svg"),
    schema: SchemaOption = None,
    categories: GroupingOption = DEFAULT_GROUPING,
) -> None:
    """Draw the graph, its categories told apart by colour and line.

    Example: fingreat schema draw --out graph.png
    """
    if target.suffix not in (".svg", ".png"):
        raise InputError(
            "is neither .svg nor .png.", where=str(target), hint="Name the picture with one of these endings."
        )
    svg = draw_svg(load_graph(schema), grouping=categories)
    write_atomic(target, svg.encode() if target.suffix == ".svg" else svg_to_png(svg, scale=2))
    say(f"drawn: {target}")


def _as_data(graph: Graph, grouping: str) -> dict[str, object]:
    return {
        "name": graph.name,
        "title": graph.title,
        "sha256": graph.digest,
        "nodes": [node.model_dump() for node in graph.nodes.values()],
        "edges": [
            edge.model_dump(by_alias=True) | {"category": graph.category(edge.id, grouping)}
            for edge in graph.edges.values()
        ],
        "rules": list(graph.rules),
        "groupings": list(graph.groupings),
    }
