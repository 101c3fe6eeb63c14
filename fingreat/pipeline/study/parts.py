"""The parts of a study's results: each measures what there is, or says why it cannot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from fingreat.analysis import Agreement, Ratio
from fingreat.errors import CorpusError, InputError, MissingExtraError, RunError
from fingreat.inference.presets import load_presets
from fingreat.pipeline import (
    accuracy,
    agreement,
    behavior,
    corpus_stats,
    ensemble,
    errors,
    frontier,
    noise,
    panel,
    power,
)
from fingreat.pipeline import reviews as reviewed
from fingreat.pipeline import stability as stable
from fingreat.pipeline import tags as tagged
from fingreat.pipeline.benchmark import read_benchmark
from fingreat.pipeline.gold import read_gold
from fingreat.pipeline.power import PowerQuestion
from fingreat.pipeline.side_by_side import Watching
from fingreat.pipeline.study.config import StudyConfig
from fingreat.pipeline.study.material import Material, NotAskedError
from fingreat.report import Column, Figure, Table, heat_map
from fingreat.report.columns import MATCHED, share
from fingreat.report.heat_chart import Sides
from fingreat.report.study import Part
from fingreat.runs import RunFolder
from fingreat.schema import Filing, GoldPassage

_CANNOT = (InputError, RunError, CorpusError, MissingExtraError)
"""What a part says instead of its results."""
_MAPS: Mapping[str, tuple[str, Callable[[Agreement], Ratio]]] = {
    "recall-map": ("Recall of the reference's extractions", lambda found: found.recall),
    "jaccard-map": ("Jaccard: matched extractions of all that either has", lambda found: found.jaccard),
    "precision-map": (
        "Conditional precision: the same edge, of matched ones",
        lambda found: found.conditional_precision,
    ),
}
_ON_MAPS = "A row is a reference, another run and not the truth, and a column a run that is measured against it."
_MOST_PAIRS_BY_EDGE = 100
"""Pairs of runs up to which agreement is also shown for each edge."""
_OPEN = ("accuracy-differences",)
_MOST_OPEN = 30
"""Rows up to which these tables are not folded: what a benchmark was made to find."""
_NOTHING = {
    "matched-accuracy": "No two models are about as accurate as each other, so that none are compared in their errors.",
}
"""What a part says instead of a table without rows; of other tables it is what their notes say."""


@dataclass(frozen=True)
class Made:
    """What a part shows."""

    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    text: tuple[str, ...] = ()


Maker = Callable[[Material, Watching], Made]


def make_parts(
    material: Material, watch: Callable[[str], AbstractContextManager[Watching]]
) -> Iterator[tuple[Part, str | None]]:
    """Every part in its order, with the reason where the study asks for it and it could not be made.

    Raises:
        StorageError: the disk refused the panel.
    """
    for id_, (title, text, make) in PARTS.items():
        try:
            with watch(title.lower()) as shown:
                made = make(material, shown)
        except NotAskedError as error:
            yield Part(id=id_, title=title, text=(f"Not asked for: {error}",)), None
        except _CANNOT as error:
            yield Part(id=id_, title=title, text=(f"Not measured: {error}",)), str(error)
        else:
            told = (*((text,) if text else ()), *made.text, *_empty(made.tables))
            tables = tuple(_opened(table) for table in made.tables if table.rows)
            yield Part(id=id_, title=title, text=told, tables=tables, figures=made.figures), None


def _empty(tables: Sequence[Table]) -> Iterator[str]:
    """A sentence for each table without rows."""
    for table in tables:
        if not table.rows:
            shared = {note for other in tables if other is not table for note in other.notes}
            own = (note for note in table.notes if note not in shared)
            yield _NOTHING.get(table.id) or " ".join((f"There is nothing to show as “{table.title}”.", *own))


def _opened(table: Table) -> Table:
    """A table that is folded only where it is long."""
    short = table.id in _OPEN and len(table.rows) <= _MOST_OPEN
    return table.model_copy(update={"detail": False}) if short else table


def _corpus(material: Material, watch: Watching) -> Made:
    part = material.config.corpus
    found = corpus_stats.corpus_stats(material.corpus, part.item, size_years=part.assets_years)
    return Made(found.tables, text=tuple(line.replace("`", "'") for line in found.missing))


def _behavior(material: Material, watch: Watching) -> Made:
    runs = _readers_of_all(material)
    dating = behavior.Dating(corpus=material.corpus.path)
    found = behavior.measure_behavior(runs, dating=dating, choice=material.choice, watch=watch, **material.grouped)
    return Made(behavior.behavior_tables(found), behavior.behavior_figures(found), _aside(material))


def _agreement(material: Material, watch: Watching) -> Made:
    models, references = material.extractions("model"), material.extractions("reference")
    planned = len(material.config.extractors)
    material.some([*models, *references], "extraction run", planned=planned, least=2)
    # Without models the references are measured against one another, and without references the models are.
    sides = (models, references) if models and references else (models or references, [])
    found = agreement.measure_runs(*sides, choice=material.choice, watch=watch, **material.grouped)
    by_edge = len(found.pairs) <= _MOST_PAIRS_BY_EDGE
    return Made(agreement.agreement_tables(found, by_edge=by_edge), tuple(_maps(found)))


def _maps(found: agreement.MeasuredRuns) -> Iterator[Figure]:
    """How each run, a column, agrees with each reference, a row."""
    # Runs in the order in which the study names them, so that those of both sides meet on a diagonal.
    columns = [name for name in found.volumes if any(name == run for run, _ in found.pairs)]
    rows = [name for name in found.volumes if any(name == reference for _, reference in found.pairs)]
    for id_, (title, measure) in _MAPS.items():
        values = [
            [share(measure(pair.words)) if (pair := found.pairs.get((run, row))) else None for run in columns]
            for row in rows
        ]
        caption = f"{_ON_MAPS} {MATCHED}"
        sides = Sides(tuple(rows), tuple(columns))
        yield heat_map(id_, title, sides, values, axes=("reference", "run"), caption=caption)


def _noise(material: Material, watch: Watching) -> Made:
    if not any(one.run.role == "repeat" for one in material.outcomes):
        raise NotAskedError("the study repeats no run.")
    readers = _readers_of_all(material)
    originals = [one for one in material.found if one.run.folder in readers]
    repeats: dict[int, list[RunFolder]] = {}
    for one in material.found:
        if one.run.role == "repeat":
            places = [number for number, of in enumerate(originals) if of.run.entry is one.run.entry]
            repeats.setdefault(places[0], []).append(one.run.folder) if places else None
    if not repeats:
        raise InputError("There is no finished repeat of a run.")
    found = noise.measure_noise(
        [one.run.folder for one in originals], repeats, choice=material.choice, watch=watch, **material.grouped
    )
    return Made(noise.noise_tables(found), text=_aside(material))


def _ensemble(material: Material, watch: Watching) -> Made:
    wanted = material.config.ensemble.members
    members = [
        one.run.folder
        for one in material.found
        if one.run.kind == "extract" and one.run.role == "model" and (not wanted or one.run.entry.name in wanted)
    ]
    if wanted and len(members) < len(wanted):
        raise InputError(f"Only {len(members)} of the {len(wanted)} members of the ensemble are there.")
    planned = len(wanted) or len(material.config.extract.models)
    material.some(members, "voting run", planned=planned, least=2)
    judges = len(material.config.extract.references)
    references = material.some(material.extractions("reference"), "reference for a vote", planned=judges)
    found = ensemble.measure_ensemble(members, references, choice=material.choice, watch=watch, **material.grouped)
    return Made(ensemble.ensemble_tables(found))


def _tags(material: Material, watch: Watching) -> Made:
    runs = _readers_of_all(material)
    found = tagged.measure_run_tags(runs, choice=material.choice, watch=watch)
    return Made(tagged.tag_tables(found), tagged.tag_figures(found), _aside(material))


def _accuracy(material: Material, watch: Watching) -> Made:
    found = accuracy.accuracy_on(read_benchmark(_classified(material)), **material.grouped)
    return Made(accuracy.accuracy_tables(found), accuracy.accuracy_figures(found))


def _errors(material: Material, watch: Watching) -> Made:
    benchmark = read_benchmark(_classified(material))
    found = errors.errors_in(benchmark, **material.bootstrap)
    tables = tuple(_with_companies(table, material) for table in errors.errors_tables(found))
    return Made(tables, errors.errors_figures(found))


def _with_companies(table: Table, material: Material) -> Table:
    """A table with company and year of filing beside the ids of filings, where they are known of any."""
    place = next((n for n, column in enumerate(table.columns) if column.kind == "filing"), None)
    if place is None:
        return table
    known = {one.id: ", ".join(filter(None, (one.company, _year(one)))) for one in material.corpus.filings()}
    cells = [known.get(str(row[place])) or None for row in table.rows]
    if not any(cells):
        return table
    rows = ((*row[: place + 1], cell, *row[place + 1 :]) for row, cell in zip(table.rows, cells, strict=True))
    columns = (*table.columns[: place + 1], Column(label="company and year"), *table.columns[place + 1 :])
    return table.model_copy(update={"columns": columns, "rows": tuple(rows)})


def _year(filing: Filing) -> str | None:
    """Of filing, or else the fiscal one."""
    if filing.filed:
        return str(filing.filed.year)
    return f"fiscal {filing.fiscal_year}" if filing.fiscal_year is not None else None


def _stability(material: Material, watch: Watching) -> Made:
    _classified(material)
    config = material.config
    # A slot may turn out to be a model of the other task.
    quoting, typing = (
        {(one.model, one.base_url) for one in entries if one.model}
        for entries in (config.extractors, config.classifiers)
    )
    both = quoting & typing
    runs = [
        one.run.folder
        for one in material.found
        if one.run.role != "repeat" and (one.run.config.model, one.run.config.base_url) in both
    ]
    kinds = {one.run.kind for one in material.found if one.run.folder in runs}
    material.some(runs if len(kinds) > 1 else [], "model of both tasks", planned=len(both))
    found = stable.measure_stability(runs, watch=watch, **material.bootstrap)
    return Made(stable.stability_tables(found), stable.stability_figures(found))


def _costs(material: Material, watch: Watching) -> Made:
    config = material.config
    planned = len(config.extractors) + len(config.classifiers)
    runs = material.some([one.run.folder for one in material.found], "run", planned=planned)
    file = config.extract.models_file or (config.classify.models_file if config.classify else None)
    found = frontier.measure_costs(runs, load_presets(file), **material.bootstrap)
    return Made(frontier.cost_tables(found), frontier.cost_figures(found))


def _panel(material: Material, watch: Watching) -> Made:
    runs = _readers_of_all(material)
    gold = read_gold(material.gold) if material.gold else ()
    found = panel.measure_panel(
        runs,
        corpus=material.corpus.path,
        gold=gold,
        choice=material.choice,
        watch=watch,
        settings=panel.PanelSettings(**material.grouped),
    )
    files = panel.write_panel(found, material.out / "panel")
    names = " and ".join(f"panel/{file.name}" for file in files)
    text = f"The panel, a row for every run, filing and edge, is in {names} beside this page."
    if len(files) == 1:
        text += " It is in Parquet as well where polars is installed."
    return Made(panel.panel_tables(found), panel.panel_figures(found), (text, *_aside(material)))


def _reviews(material: Material, watch: Watching) -> Made:
    wanted = material.config.reviews
    if wanted is None:
        raise NotAskedError("the study has no reviews.")
    found = reviewed.measure_review_file(wanted.file, schema=material.config.study.schema_file)
    return Made(reviewed.review_tables(found), reviewed.review_figures(found))


def _power(material: Material, watch: Watching) -> Made:
    found = measured_power(material.config, read_gold(material.gold) if material.gold else ())
    return Made(power.power_tables(found))


def measured_power(config: StudyConfig, gold: Sequence[GoldPassage]) -> power.MeasuredPower:
    """What differences the benchmark of a study can show.

    Args:
        gold: its passages; none, while there are none.

    Raises:
        NotAskedError: the study asks no such question.
        InputError: there are neither passages nor numbers of them.
    """
    asked = config.power
    if asked is None:
        raise NotAskedError("the study has no [power].")
    sizes = tuple(Counter(passage.filing_id for passage in gold if passage.accepted).values())
    if not sizes and asked.passages is not None and asked.filings is not None:
        sizes = power.even_sizes(asked.passages, asked.filings)
    if not sizes:
        raise InputError("There are no gold passages, and [power] does not say how many there will be.")
    models = len(config.classifiers)
    said = asked.model_dump(exclude_none=True, exclude={"passages", "filings"})
    said.setdefault("comparisons", max(1, models * (models - 1) // 2))
    return power.measure_power(sizes, PowerQuestion(**said, seed=config.study.seed))


def _readers_of_all(material: Material) -> Sequence[RunFolder]:
    """Models, and references that read as much as they do; the others stand beside them on what all of them read."""
    whole = [one.run.folder for one in material.found if one.run.role == "reference" and not one.run.years]
    runs = [*material.extractions("model"), *whole] or material.extractions("reference")
    return material.some(runs, "extraction run", planned=len(material.config.extractors))


def _aside(material: Material) -> tuple[str, ...]:
    """Which references `_readers_of_all` leaves out, in a sentence."""
    read_less = [one.run.name for one in material.found if one.run.role == "reference" and one.run.years]
    if not read_less or not material.extractions("model"):
        return ()
    stand = "stands" if len(read_less) == 1 else "stand"
    return (f"{', '.join(read_less)} read fewer filings and {stand} aside here.",)


def _classified(material: Material) -> Sequence[RunFolder]:
    planned = len(material.config.classifiers)
    return material.some(material.classifications, "classification run", planned=planned)


PARTS: Mapping[str, tuple[str, str, Maker]] = {
    "corpus": ("Corpus", "", _corpus),
    "behavior": ("Behaviour", "What each model dwells on, and how much it extracts.", _behavior),
    "agreement": ("Agreement", "How far models extract the same passages, under the same edges.", _agreement),
    "noise": ("Noise floor", "How far a model agrees with itself.", _noise),
    "tags": ("Tags", "Whether tags go with relationships, and how far models share them.", _tags),
    "power": ("Power", "What differences of accuracy the benchmark can show.", _power),
    "accuracy": ("Accuracy", "How often models give a passage an accepted edge.", _accuracy),
    "errors": ("Errors", "What models get wrong together, and what they confuse.", _errors),
    "ensemble": ("Ensemble", "The vote of the models beside each of them.", _ensemble),
    "stability": ("Stability", "Whether a model gives a passage the same edge in both tasks.", _stability),
    "cost": ("Cost", "What runs took.", _costs),
    "panel": ("Panel", "Shares by filing for further use, and shares corrected by labelled passages.", _panel),
    "reviewers": ("Reviewers", "How far the people who labelled the passages agree.", _reviews),
}
"""Part id → its title, what it is about, and what makes it, in the order of the page."""
TABLE_IDS = (
    *corpus_stats.TABLES.ids,
    *behavior.TABLES.ids,
    *agreement.TABLES.ids,
    *noise.TABLES.ids,
    *tagged.TABLES.ids,
    "power",
    "smallest-difference",
    *accuracy.TABLES.ids,
    *errors.TABLES.ids,
    *ensemble.TABLES.ids,
    *stable.TABLES.ids,
    *frontier.TABLES.ids,
    *panel.TABLES.ids,
    *reviewed.TABLES.ids,
)
FIGURE_IDS = (
    *behavior.TABLES.figures,
    *_MAPS,
    *tagged.TABLES.figures,
    *accuracy.TABLES.figures,
    *errors.TABLES.figures,
    *stable.TABLES.figures,
    *frontier.TABLES.figures,
    *reviewed.TABLES.figures,
)
