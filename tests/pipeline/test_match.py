"""Matching two runs on disk: what is refused, what is written, and what a kill leaves."""

from __future__ import annotations

import random
import shutil
import tracemalloc
from pathlib import Path

import pytest
from extraction_builders import an_extraction, finished_run
from match_run_builders import FIRST, SECOND, change
from pipeline_builders import CONFIG, SENTENCES, Counting, corpus_of, extractions_of_run, html

from fingreat.errors import FingreatError
from fingreat.inference import RawReply
from fingreat.matching import By, conditional_precision_range, match_extractions
from fingreat.pipeline import extract
from fingreat.pipeline.comparable import failed_requests
from fingreat.pipeline.match import Unmatched, match_runs
from fingreat.runs import RunFolder, digest_of_text, read_record_file, read_records
from fingreat.schema import Extraction, Match


def test_a_match_says_what_was_matched_and_its_counts_add_up(runs: tuple[RunFolder, RunFolder], tmp_path: Path) -> None:
    manifest = match_runs(*runs, tmp_path / "match")
    folder = RunFolder(tmp_path / "match")
    a, b = (extractions_of_run(run.path) for run in runs)
    matches = list(read_records(folder.matches, Match))
    assert matches == match_extractions(a, b)
    assert len(matches) > 3
    unmatched = [row for _, row in read_record_file(folder.unmatched, Unmatched)]
    for side, extractions in (("a", a), ("b", b)):
        matched = {getattr(match, side) for match in matches}
        rest = {row.id for row in unmatched if row.side == side}
        assert matched | rest == {x.id for x in extractions}
        assert not matched & rest
    counts = manifest.counts
    assert (counts.extractions_a, counts.extractions_b) == (len(a), len(b))
    assert counts.matched == len(matches)
    assert counts.matched + counts.unmatched_a == counts.extractions_a
    assert counts.matched + counts.unmatched_b == counts.extractions_b
    assert counts.unmatched_a + counts.unmatched_b == len(unmatched)
    assert counts.same_edge == sum(match.same_edge for match in matches)
    assert 0 < counts.same_edge < counts.matched
    assert counts.same_edge_least <= counts.same_edge <= counts.same_edge_most
    figures = counts.figures_none + counts.figures_same + counts.figures_more + counts.figures_differ
    assert figures == counts.matched
    for name, value in counts.model_dump().items():
        assert value == sum(getattr(row, name) for row in manifest.filings.values()), name
    assert set(manifest.filings) == {FIRST, SECOND}
    for filing_id, row in manifest.filings.items():
        assert row.matched == sum(match.filing_id == filing_id for match in matches)


A_SAYS = (
    "Net sales rose by 12% to $4.5 million in fiscal 2023 on higher volumes.",
    "We do not expect demand for pumps to recover before the second half.",
    "Cost of goods sold fell because copper became cheaper during spring.",
    "Interest expense increased as we drew on our revolving credit facility.",
    "Our effective tax rate was 21% after a settlement with the authorities in 2023.",
)
B_SAYS = (
    # Typographic marks and case only.
    "Net Sales rose by 12% to $4.5 million in fiscal 2023 \u2013 on higher volumes.".replace("\u2013 ", ""),
    # A negation less.
    "We do expect demand for pumps to recover before the second half.",
    # The other direction.
    "Cost of goods sold rose because copper became cheaper during spring.",
    # One that goes on.
    "Interest expense increased as we drew on our revolving credit facility. It was $3 million.",
    # Another figure and another year.
    "Our effective tax rate was 24% after a settlement with the authorities in 2024.",
)


def test_near_misses_and_figures_are_counted_apart(tmp_path: Path) -> None:
    a = [an_extraction(FIRST, str(number), quote) for number, quote in enumerate(A_SAYS)]
    b = [an_extraction(FIRST, str(number), quote) for number, quote in enumerate(B_SAYS)]
    runs = [finished_run(tmp_path / name, [FIRST, SECOND], said) for name, said in (("a", a), ("b", b))]
    counts = match_runs(runs[0], runs[1], tmp_path / "match").counts
    found = {match.a: match for match in read_records(tmp_path / "match" / "matches", Match)}
    assert {match.a: match.b for match in found.values()} == {name: name for name in "01234"}
    assert [found[name].figures for name in "01234"] == ["same", "none", "none", "more", "differ"]
    assert [found[name].differs for name in "01234"] == [(), ("negation",), ("direction",), (), ("figure",)]
    assert (counts.matched, counts.equal, counts.near_misses) == (5, 1, 3)
    figures = counts.figures_none, counts.figures_same, counts.figures_more, counts.figures_differ
    assert figures == (2, 1, 1, 1)
    kinds = counts.differs_direction, counts.differs_figure, counts.differs_modal, counts.differs_negation
    assert (*kinds, counts.differs_scale) == (1, 1, 0, 1, 0)


def _random_run(path: Path, filings: list[str], draw: random.Random) -> tuple[RunFolder, list[Extraction]]:
    """A run whose quotes are sentences, halves and doubles of them, its lines in any order and any parts."""
    records = []
    for filing_id in filings:
        for number in range(draw.choice((0, 0, 1, 3, 7))):
            at = draw.randrange(len(A_SAYS))
            words = draw.choice((A_SAYS, B_SAYS))[at].split()
            quote = " ".join(words[: draw.choice((len(words), len(words), 9))])
            start = draw.randrange(0, 900, 100)
            ranges = draw.choice(((), ((start, start + len(quote)),)))
            edge = draw.choice(("REV-NNCA", "NNCA-COGS"))
            records.append(an_extraction(filing_id, f"{filing_id}/{number}", quote, edge, ranges=ranges))
    draw.shuffle(records)
    cut = draw.randint(0, len(records))
    return finished_run(path, filings, records[:cut], records[cut:]), records


@pytest.mark.parametrize("seed", range(12))
def test_filing_by_filing_gives_what_all_at_once_gives(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    filings = [f"{number:010d}-24-000001" for number in range(draw.randint(1, 9))]
    (run_a, a), (run_b, b) = (_random_run(tmp_path / name, filings, draw) for name in "ab")
    by: By = draw.choice(("text", "span"))
    manifest = match_runs(run_a, run_b, tmp_path / "match", by=by)
    matches = list(read_records(tmp_path / "match" / "matches", Match))
    assert matches == match_extractions(a, b, by=by)
    rows = {(row.side, row.id) for _, row in read_record_file(tmp_path / "match" / "unmatched.jsonl", Unmatched)}
    everything = {("a", x.id) for x in a} | {("b", x.id) for x in b}
    assert rows == everything - {("a", match.a) for match in matches} - {("b", match.b) for match in matches}
    counts = manifest.counts
    assert (counts.same_edge_least, counts.same_edge_most) == conditional_precision_range(a, b, by=by)
    assert counts.near_misses == sum(match.near_miss for match in matches)
    assert list(manifest.filings) == filings
    for name, value in counts.model_dump().items():
        assert value == sum(getattr(row, name) for row in manifest.filings.values()), name


def test_what_is_done_is_told_filing_by_filing(tmp_path: Path) -> None:
    runs = [finished_run(tmp_path / name, [FIRST, SECOND], []) for name in "ab"]
    told: list[tuple[int, int]] = []
    match_runs(runs[0], runs[1], tmp_path / "match", watch=lambda done, total: told.append((done, total)))
    assert told == [(0, 2), (1, 2), (2, 2)]


def test_whole_runs_are_never_held(tmp_path: Path) -> None:
    # Tags, as matching reads none of them.
    long = ("x" * 25_000,)
    peaks = []
    for count in (20, 120):
        filings = [f"{number:010d}-24-000001" for number in range(count)]
        said = [an_extraction(f, f"{f}/{n}", A_SAYS[n], tags=long) for f in filings for n in range(2)]
        runs = [finished_run(tmp_path / f"{name}{count}", filings, said) for name in "ab"]
        tracemalloc.start()
        try:
            assert match_runs(runs[0], runs[1], tmp_path / f"match{count}").counts.matched == 2 * count
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    # A hundred filings more are 10 MB more to read; only the counts of a filing are kept.
    assert peaks[1] - peaks[0] < 1_000_000


def test_the_manifest_names_what_was_read(runs: tuple[RunFolder, RunFolder], tmp_path: Path) -> None:
    manifest = match_runs(*runs, tmp_path / "match")
    assert RunFolder(tmp_path / "match").match_manifest() == manifest
    assert (manifest.kind, manifest.status, manifest.name) == ("match", "complete", "match")
    assert (manifest.by, manifest.threshold, manifest.common) == ("text", 0.8, False)
    assert [run.name for run in manifest.runs] == ["some", "all"]
    assert [run.path for run in manifest.runs] == [str(run.path) for run in runs]
    for read, run in zip(manifest.runs, runs, strict=True):
        assert read.model == run.manifest().model
        assert read.extractions == {
            "extractions/part-00000.jsonl": digest_of_text((run.extractions / "part-00000.jsonl").read_text())
        }
    assert RunFolder(tmp_path / "match").verify() == []


def test_matching_by_place(runs: tuple[RunFolder, RunFolder], tmp_path: Path) -> None:
    manifest = match_runs(*runs, tmp_path / "match", by="span")
    matches = list(read_records(tmp_path / "match" / "matches", Match))
    assert {match.decided_by for match in matches} == {"span"}
    assert manifest.counts.matched == len(matches) > 3


def test_equal_quotes_are_counted_by_place_as_by_words(tmp_path: Path) -> None:
    places = [((100 * n, 100 * n + len(quote)),) for n, quote in enumerate(A_SAYS)]
    runs = [
        finished_run(
            tmp_path / name,
            [FIRST],
            [an_extraction(FIRST, str(n), said[n], ranges=places[n]) for n in range(len(A_SAYS))],
        )
        for name, said in (("a", A_SAYS), ("b", B_SAYS))
    ]
    counts = match_runs(runs[0], runs[1], tmp_path / "match", by="span").counts
    # The first of the five differs in the case of a letter alone.
    assert (counts.matched, counts.equal) == (5, 1)


def test_filings_without_an_item_are_counted_apart(tmp_path: Path) -> None:
    read, without = {FIRST: digest_of_text("a")}, {SECOND: digest_of_text(""), "x": digest_of_text("")}
    runs = [finished_run(tmp_path / name, [], []) for name in "ab"]
    for run in runs:
        change(run, lambda _: {"inputs": read | without})
    manifest = match_runs(runs[0], runs[1], tmp_path / "match")
    assert (set(manifest.filings), manifest.without_text) == ({FIRST}, 2)


def test_failed_requests_of_either_run_are_kept(tmp_path: Path) -> None:
    runs = [finished_run(tmp_path / name, [FIRST], []) for name in "ab"]
    change(runs[1], lambda _: {"counts": {"requests": 1200, "outputs": 1000, "failures": 200}})
    read = match_runs(runs[0], runs[1], tmp_path / "match").runs
    assert [(run.requests, run.failures) for run in read] == [(0, 0), (1200, 200)]
    assert failed_requests("a", 0, 0) is None
    words = "200 of 1,200 requests of b failed: what they should have quoted counts as not quoted."
    assert failed_requests("b", 200, 1200) == words


def test_runs_of_equal_names_are_told_apart(tmp_path: Path) -> None:
    runs = [finished_run(tmp_path / name / "run", [FIRST], []) for name in "ab"]
    manifest = match_runs(runs[0], runs[1], tmp_path / "match")
    assert [run.name for run in manifest.runs] == ["run", "run (2)"]


def test_runs_without_extractions_give_an_empty_match(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html(SENTENCES[:2]))
    for name in ("x", "y"):
        extract(corpus, CONFIG, tmp_path / name, backend=Counting(lambda request: RawReply(text='{"extractions": []}')))
    manifest = match_runs(RunFolder(tmp_path / "x"), RunFolder(tmp_path / "y"), tmp_path / "match")
    assert set(manifest.counts.model_dump().values()) == {0}
    assert len(manifest.filings) == 1
    assert RunFolder(tmp_path / "match").verify() == []


def test_a_run_without_extractions_leaves_the_other_unmatched(
    runs: tuple[RunFolder, RunFolder], tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    shutil.copytree(runs[0].path, empty)
    change(RunFolder(empty), lambda manifest: {"created": manifest.created.replace(year=2001)})
    (empty / "extractions" / "part-00000.jsonl").write_bytes(b"")
    RunFolder(empty).mark_done("extract", empty.rglob("*.jsonl"))
    total = len(extractions_of_run(runs[1].path))
    for pair, sizes in (((RunFolder(empty), runs[1]), (0, total)), ((runs[1], RunFolder(empty)), (total, 0))):
        counts = match_runs(*pair, tmp_path / f"match{sizes[0]}").counts
        assert (counts.extractions_a, counts.extractions_b) == (counts.unmatched_a, counts.unmatched_b) == sizes
        assert counts.matched == 0


def test_every_refusal_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(FingreatError):
        match_runs(RunFolder(tmp_path / "file"), RunFolder(tmp_path), tmp_path / "match")
