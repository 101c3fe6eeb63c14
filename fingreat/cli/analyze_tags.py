"""`fingreat analyze tags`: the labels that runs give beside edges."""

from __future__ import annotations

from typing import Any

from fingreat.analysis import TagScore, Vocabulary
from fingreat.cli.analyze_options import (
    GroundedOption,
    RunsArgument,
    TablesFolderOption,
    as_data,
    as_typed,
    scope_data,
)
from fingreat.cli.analyze_out import Results, give_out
from fingreat.cli.common import CommonOption, JsonFlag
from fingreat.cli.watch import Watch
from fingreat.pipeline.side_by_side import Choice, provenance
from fingreat.pipeline.tags import TABLES, MeasuredTags, measure_run_tags, tag_figures, tag_tables
from fingreat.report.tags_tables import TOP_TAGS
from fingreat.runs import RunFolder


def tags(
    runs: RunsArgument,
    common: CommonOption = False,
    grounded: GroundedOption = False,
    target: TablesFolderOption = None,
    json: JsonFlag = False,
) -> None:
    """Measure the tags of runs: whether they go with edges, how often they come back, which of them runs share.

    Purity, entropy and homogeneity go by the strings as the model wrote them. Vocabularies are compared as terms: under
    mechanical rules for case, separators, abbreviations, spelling and plurals.

    Several runs must have read the same texts with the same graph.

    Example: fingreat analyze tags out/embed-quote out/embedded-quote
    """
    folders = [RunFolder(path) for path in runs]
    words = as_typed("tags", runs, common=common, grounded=grounded)

    def measure() -> MeasuredTags:
        with Watch("reading tags") as watch:
            return measure_run_tags(folders, choice=Choice(common, grounded), watch=watch)

    give_out(
        Results(TABLES, tag_tables, _as_data, tag_figures),
        measure,
        target,
        json=json,
        made_by=lambda: provenance(words, folders),
    )


def _as_data(measured: MeasuredTags) -> dict[str, Any]:
    pairs = {name: _of_run(measured.scores[name], measured.vocabularies[name]) for name in measured.scores}
    return {**scope_data(measured.scope), "of_the_graph": list(measured.of_the_graph), "runs": pairs}


def _of_run(score: TagScore, vocabulary: Vocabulary) -> dict[str, Any]:
    """The measures of a run, and its heaviest tags."""
    measures = {name: value for name, value in as_data(score).items() if name != "rows"}
    return {
        **measures,
        "vocabulary": score.vocabulary,
        "terms": len(vocabulary.terms),
        "malformed": list(vocabulary.malformed),
        "placeholders": list(vocabulary.placeholders),
        "top": as_data(score.rows[:TOP_TAGS]),
    }
