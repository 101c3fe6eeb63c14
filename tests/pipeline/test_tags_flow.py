"""The tags of runs on disk: figures worked out by hand, tables that hold many runs, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from extraction_builders import an_extraction, finished_run

from fingreat.analysis import Ratio, TagTally, vocabulary_of
from fingreat.errors import InputError
from fingreat.pipeline.side_by_side import Choice, Scope
from fingreat.pipeline.tags import MeasuredTags, measure_run_tags, tag_figures, tag_tables
from fingreat.report.tables import Share, Table, table_csv
from fingreat.runs import RunFolder
from fingreat.schema import load_graph

REV, COGS = "REV-NNCA", "NNCA-COGS"
Said = Mapping[str, Sequence[tuple[str, tuple[str, ...]]]]
"""Filing → edge and tags of its extractions."""
SAID: Mapping[str, Said] = {
    "a": {"F1": [(REV, ("Net Sales", "price")), (COGS, ("price",))], "F2": [(REV, ("Net Sales",)), (COGS, ())]},
    "b": {"F1": [(REV, ("net_sales",)), (COGS, ("none", "CapEx"))], "F2": [(REV, ("{volume",))]},
    "empty": {},
}


def run_of(path: Path, said: Said, filings: Sequence[str] = ("F1", "F2")) -> RunFolder:
    extractions = [
        an_extraction(filing, f"{filing}-{number}", edge=edge, tags=tags)
        for filing, of_filing in said.items()
        for number, (edge, tags) in enumerate(of_filing)
    ]
    return finished_run(path, filings, extractions)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunFolder]:
    folder = tmp_path_factory.mktemp("runs")
    return {name: run_of(folder / name, said) for name, said in SAID.items()}


def row(table: Table, *first: str) -> dict[str, object]:
    (found,) = [one for one in table.rows if one[: len(first)] == first]
    return {column.label: cell for column, cell in zip(table.columns, found, strict=True)}


def test_every_figure_of_two_small_runs_is_as_worked_out_by_hand(runs: dict[str, RunFolder]) -> None:
    measured = measure_run_tags(list(runs.values()))
    tables = {table.id: table for table in tag_tables(measured)}
    assert list(tables) == [
        "tags", "tag-recurrence", "vocabulary", "vocabulary-overlap", "top-tags", "tags-left-out",
    ]  # fmt: skip
    # a: three of four extractions are tagged. Net Sales has 1/2 + 1 of REV; price 1/2 of REV and 1 of COGS.
    tags = row(tables["tags"], "a")
    assert (tags["tagged"], tags["tags"], tags["one-off tags"]) == (Share(k=3, n=4), 2, Share(k=0, n=2))
    assert tags["purity"] == tags["purity of reused tags"] == pytest.approx((1.5 + 1) / 3)
    # H(E) of 2/3 and 1/3 is 0.918 bits; price, half of the weight, leaves the same open.
    assert (tags["H(E)"], tags["H(E|T)"]) == (pytest.approx(0.9183, abs=1e-4), pytest.approx(0.4591, abs=1e-4))
    assert tags["homogeneity"] == pytest.approx(0.5)
    recurrence = row(tables["tag-recurrence"], "a")
    assert (recurrence["uses"], recurrence["uses per tag"]) == (4, 2.0)
    assert recurrence["uses of reused tags"] == Share(k=4, n=4)
    # Net Sales stands in both filings, price in the first alone.
    assert recurrence["tags in several filings"] == Share(k=1, n=2)
    # b: four strings, of which one is damaged and one a placeholder.
    vocabulary = row(tables["vocabulary"], "b")
    assert (vocabulary["strings"], vocabulary["terms"]) == (4, 2)
    assert (vocabulary["malformed"], vocabulary["placeholders"]) == (Share(k=1, n=4), Share(k=1, n=4))
    # {net sales, price} and {net sales, capital expenditure}.
    overlap = row(tables["vocabulary-overlap"], "a", "b")
    assert (overlap["Jaccard"], overlap["of the smaller"]) == (Share(k=1, n=3), Share(k=1, n=2))
    assert row(tables["vocabulary-overlap"], "b", "empty")["of the smaller"] == Share(k=0, n=0)
    assert tables["tags-left-out"].rows == (("b", "{volume", "malformed"), ("b", "none", "placeholder"))
    nothing = row(tables["tags"], "empty")
    assert (nothing["tagged"], nothing["purity"], nothing["homogeneity"]) == (Share(k=0, n=0), None, None)
    assert all("Over 2 filings." in table.notes for table in tables.values())


def test_the_map_has_the_overlap_either_way_round_and_a_scale_that_ends_above_the_largest(
    runs: dict[str, RunFolder],
) -> None:
    (figure,) = tag_figures(measure_run_tags([runs["a"], runs["b"]]))
    assert figure.id == "vocabulary-overlap"
    assert figure.svg.count("1/3") >= 2
    assert "The darkest colour stands for 40%." in figure.caption


def test_one_run_alone_has_no_overlap_and_one_without_tags_no_top_ones(runs: dict[str, RunFolder]) -> None:
    measured = measure_run_tags([runs["empty"]])
    assert [table.id for table in tag_tables(measured)] == ["tags", "tag-recurrence", "vocabulary"]
    assert tag_figures(measured) == ()


def test_runs_over_other_filings_are_compared_on_the_common_ones_alone(
    runs: dict[str, RunFolder], tmp_path: Path
) -> None:
    more = run_of(tmp_path / "more", {"F1": [(REV, ("price",))], "F3": [(COGS, ("mix",))]}, ("F1", "F2", "F3"))
    with pytest.raises(InputError):
        measure_run_tags([runs["a"], more])
    measured = measure_run_tags([runs["a"], more], choice=Choice(common=True))
    assert measured.scores["more"].coverage == Ratio(1, 1)
    assert measured.scope.left_out_extractions == 1


def test_what_cannot_be_measured_is_refused_by_name(runs: dict[str, RunFolder]) -> None:
    with pytest.raises(InputError, match="there is no run to measure"):
        measure_run_tags([])
    with pytest.raises(InputError, match="a: is named twice"):
        measure_run_tags([runs["a"], runs["b"], RunFolder(runs["a"].path)])


def test_tags_of_a_filing_are_text_wherever_they_are_shown() -> None:
    tally = TagTally()
    tally.add("F", [an_extraction("F", "x", tags=("<b>paid</b>", "[red]net", "\\input{x}", "a|b"))])
    measured = measured_of({"r": tally})
    rows = {cell for table in tag_tables(measured) for one in table.rows for cell in one}
    assert {"<b>paid</b>", "[red]net", "\\input{x}", "a|b"} <= rows


def measured_of(tallies: Mapping[str, TagTally]) -> MeasuredTags:
    return MeasuredTags(
        scope=Scope(("F",)),
        graph=load_graph(),
        scores={name: tally.score() for name, tally in tallies.items()},
        vocabularies={name: vocabulary_of(tally.vocabulary) for name, tally in tallies.items()},
    )


def test_forty_four_runs_have_a_row_for_each_two_of_them_and_one_map() -> None:
    tallies = {}
    for number in range(44):
        tally = tallies[f"model-{number:02}"] = TagTally()
        tags = [(f"word {chr(97 + (number + i) % 26)}{chr(97 + i)}",) for i in range(6)]
        tally.add("F", [an_extraction("F", f"x{i}", tags=one) for i, one in enumerate(tags)])
    measured = measured_of(tallies)
    tables = {table.id: table for table in tag_tables(measured)}
    # C(44, 2) = 946.
    assert len(tables["vocabulary-overlap"].rows) == 946
    assert len(table_csv(tables["vocabulary-overlap"]).splitlines()) == 947
    (figure,) = tag_figures(measured)
    assert all(name in figure.svg for name in tallies)
