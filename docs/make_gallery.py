"""Make the pictures of the gallery: `make gallery`.

Most are taken from the folder of the demo study. It has no dates of filing, prices, models of several sizes or reviews:
what takes these is drawn from invented numbers, which are the same every time.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from fingreat.analysis import BehaviorTally, FilingBootstrap, Review, measure_frontier
from fingreat.analysis.answers import AnswerSheet
from fingreat.pipeline.reviews import measure_review_file, review_figures
from fingreat.report import Figure, ScatterPoint, draw_svg, scatter
from fingreat.report.behavior_figures import behavior_figures
from fingreat.report.columns import share
from fingreat.report.frontier_table import cost_accuracy_figures
from fingreat.schema import Extraction, GoldPassage, Graph, Verdict, load_graph
from fingreat.schema.graph import DEFAULT_GROUPING

HERE = Path(__file__).parent
YEARS = range(2000, 2026)
RUNS = ("Model A", "Model B", "Model C")
FAMILIES = ("Family K", "Family L", "Family M")


def main(study: Path) -> None:
    """Write every picture that the page names.

    Args:
        study: folder of the demo study.
    """
    graph, chance = load_graph(), random.Random(1)
    figures = {path.stem: path.read_text(encoding="utf-8") for path in (study / "figures").glob("*.svg")}
    figures |= {figure.id: figure.svg for figure in invented(graph, chance)} | {"graph": draw_svg(graph)}
    page = (HERE / "gallery.md").read_text(encoding="utf-8")
    for name in re.findall(r"\(gallery/([a-z-]+)\.svg\)", page):
        (HERE / "gallery" / f"{name}.svg").write_text(figures[name], encoding="utf-8")


def invented(graph: Graph, chance: random.Random) -> Iterator[Figure]:
    """What the demo study has no numbers for."""
    yield from over_years(graph, chance)
    yield from of_models(graph, chance)
    yield from of_reviewers(graph, chance)


def over_years(graph: Graph, chance: random.Random) -> tuple[Figure, ...]:
    """Three runs over four filings a year, each with a liking of its own for every edge, that shifts over the years."""
    filings = {f"{year}-{number}": year for year in YEARS for number in range(4)}
    edges = list(graph.edges)
    found = []
    for run in RUNS:
        tally = BehaviorTally(run, graph, filings, grouping=DEFAULT_GROUPING)
        liking = [chance.uniform(1, 6) for _ in edges]
        for filing, year in filings.items():
            weights = [one + 0.15 * number * (year - YEARS[0]) / 5 for number, one in enumerate(liking)]
            chosen = chance.choices(edges, weights, k=chance.randint(20, 60))
            tally.add(filing, [extraction(filing, number, edge) for number, edge in enumerate(chosen)])
        found.append(tally.behavior())
    return behavior_figures(found, graph, DEFAULT_GROUPING, year="year of filing")


def extraction(filing: str, number: int, edge: str) -> Extraction:
    """One that says nothing but its edge."""
    return Extraction(
        id=f"{filing}-{number}",
        run="run",
        filing_id=filing,
        chunk_id="chunk",
        quote="Sales rose.",
        edge=edge,
        verdict=Verdict.EXACT,
    )


def of_models(graph: Graph, chance: random.Random) -> tuple[Figure, ...]:
    """Eighteen models on 300 passages of 100 filings: the larger, the dearer and the more often right."""
    right, wrong = list(graph.edges)[:2]
    passages = tuple(
        GoldPassage(
            passage_id=f"p{i}",
            filing_id=f"f{i % 100}",
            text="Sales rose.",
            accepted=frozenset({right}),
            source="primary",
        )
        for i in range(300)
    )
    sizes = {f"{FAMILIES[i % 3][-1]}-{i // 3 + 1}": 1.7 ** (i // 2) * chance.uniform(0.5, 1.2) for i in range(18)}
    skill = {name: min(0.95, 0.6 + 0.07 * i / 3 + chance.uniform(-0.06, 0.06)) for i, name in enumerate(sizes)}
    answers = tuple(tuple(right if chance.random() < one else wrong for _ in passages) for one in skill.values())
    sheet = AnswerSheet(graph, passages, tuple(sizes), answers)
    dollars = [0.05 * size * chance.uniform(0.5, 2) for size in sizes.values()]
    seconds = [2 * size**0.6 * chance.uniform(0.6, 1.6) for size in sizes.values()]
    rows = measure_frontier(sheet, dollars, seconds, FilingBootstrap(100))
    families = {name: f"Family {name[0]}" for name in sizes}
    by_size = scatter(
        "sizes",
        "Accuracy by number of parameters",
        [ScatterPoint(row.name, sizes[row.name], share(row.accuracy), families[row.name]) for row in rows],
        x_label="parameters in billions",
        y_label="accuracy",
        log_x=True,
    )
    return by_size, *cost_accuracy_figures(rows, families)


def of_reviewers(graph: Graph, chance: random.Random) -> tuple[Figure, ...]:
    """Three reviewers of 200 passages, who see the same edge mostly."""
    edges = list(graph.edges)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "reviews.jsonl"
        with file.open("w", encoding="utf-8") as lines:
            for number in range(200):
                seen = chance.choice(edges)
                for reviewer, doubt in (("R1", 0.1), ("R2", 0.2), ("R3", 0.3)):
                    edge = chance.choice(edges) if chance.random() < doubt else seen
                    review = Review(passage_id=f"p{number}", reviewer=reviewer, edges=frozenset({edge}))
                    lines.write(review.model_dump_json() + "\n")
        return review_figures(measure_review_file(file))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
