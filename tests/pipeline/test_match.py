"""Matching two runs on disk: what is refused, what is written, and what a kill leaves."""

from __future__ import annotations

import json
import os
import random
import shutil
import tracemalloc
from pathlib import Path

import pytest
from extraction_builders import an_extraction, finished_run
from match_run_builders import FIRST, SECOND, change, copied_runs, make_runs
from pipeline_builders import CONFIG, SENTENCES, Counting, corpus_of, extractions_of_run, html

from fingreat.errors import FingreatError, InputError, RunError, StorageError
from fingreat.inference import RawReply
from fingreat.matching import By, conditional_precision_range, match_extractions
from fingreat.pipeline import ExportFormat, export_run, extract
from fingreat.pipeline.match import Unmatched, match_runs
from fingreat.runs import Manifest, MatchManifest, RunFolder, digest_of_text, find_runs, read_record_file, read_records
from fingreat.schema import Extraction, Match


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    make_runs(folder)
    return folder


@pytest.fixture
def runs(made: Path, tmp_path: Path) -> tuple[RunFolder, RunFolder]:
    return copied_runs(made, tmp_path)


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
    assert (counts.matched, counts.exact, counts.near_misses) == (5, 1, 3)
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


def test_a_match_that_is_stopped_says_so_and_leaves_the_old_one_marked_as_gone(
    runs: tuple[RunFolder, RunFolder], tmp_path: Path
) -> None:
    out = tmp_path / "match"
    match_runs(*runs, out)

    def stop(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        match_runs(*runs, out, watch=stop)
    assert RunFolder(out).match_manifest().status == "interrupted"
    assert not (out / "done" / "match").exists()
    assert not list(out.rglob("*.part")) + list(out.rglob("*.tmp"))
    assert match_runs(*runs, out).status == "complete"
    assert RunFolder(out).verify() == []


def test_a_match_of_an_earlier_format_is_one_message_and_is_made_anew(
    runs: tuple[RunFolder, RunFolder], tmp_path: Path
) -> None:
    out = tmp_path / "match"
    made = match_runs(*runs, out)
    # As the first format had it.
    old = json.loads((out / "manifest.json").read_text())
    for counts in (old["counts"], *old["filings"].values()):
        for name in [name for name in counts if name.startswith(("exact", "figures", "near", "differs"))]:
            del counts[name]
    (out / "manifest.json").write_text(json.dumps(old | {"format": 1}))
    for refused in (
        lambda: RunFolder(out).verify(),
        lambda: export_run(RunFolder(out), "matches", ExportFormat.CSV, tmp_path / "x.csv"),
    ):
        with pytest.raises(RunError, match="has format version 1; this version of fingreat reads 2") as caught:
            refused()
        assert caught.value.hint == "Repeat its `fingreat match` command: it is made anew from the two runs."
    with pytest.raises(RunError, match="holds another match: by was 'text', now 'span'"):
        match_runs(*runs, out, by="span")
    assert match_runs(*runs, out).counts == made.counts
    assert RunFolder(out).verify() == []
    for unknown in (3, 0, "1", None):
        (out / "manifest.json").write_text(json.dumps(old | {"format": unknown}))
        with pytest.raises(RunError, match="has format version"):
            match_runs(*runs, out)


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


def test_every_changed_byte_of_a_match_is_noticed(runs: tuple[RunFolder, RunFolder], tmp_path: Path) -> None:
    match_runs(*runs, tmp_path / "match")
    folder = RunFolder(tmp_path / "match")
    part = folder.matches / "part-00000.jsonl"
    for path, name in ((part, "matches/part-00000.jsonl"), (folder.unmatched, "unmatched.jsonl")):
        kept = path.read_bytes()
        path.write_bytes(kept[:-1])
        assert folder.verify() == [f"{name} is not what stage match wrote"]
        path.write_bytes(kept)
    (folder.matches / "part-00001.jsonl").write_bytes(b"{}\n")
    assert folder.verify() == ["matches/part-00001.jsonl is there, but no finished stage wrote it"]


def test_matching_by_place(runs: tuple[RunFolder, RunFolder], tmp_path: Path) -> None:
    manifest = match_runs(*runs, tmp_path / "match", by="span")
    matches = list(read_records(tmp_path / "match" / "matches", Match))
    assert {match.decided_by for match in matches} == {"span"}
    assert manifest.counts.matched == len(matches) > 3


def test_a_match_is_made_anew_in_its_folder_and_in_no_other(runs: tuple[RunFolder, RunFolder], tmp_path: Path) -> None:
    out = tmp_path / "match"
    match_runs(*runs, out)
    before = (out / "matches" / "part-00000.jsonl").read_bytes()
    (out / "unmatched.jsonl").unlink()
    match_runs(*runs, out)
    assert (out / "matches" / "part-00000.jsonl").read_bytes() == before
    assert RunFolder(out).verify() == []
    with pytest.raises(RunError, match="holds another match: by was 'text', now 'span'"):
        match_runs(*runs, out, by="span")
    with pytest.raises(
        RunError, match=r"holds another match: run A was some .*, now all .*; run B was all .*, now some"
    ):
        match_runs(*runs[::-1], out)
    for other in (runs[0].path, runs[1].path):
        with pytest.raises(InputError, match="is one of the runs"):
            match_runs(*runs, other)
    shutil.copytree(runs[0].path, tmp_path / "third")
    with pytest.raises(RunError, match="is a run, no match of two runs"):
        match_runs(*runs, tmp_path / "third")
    assert RunFolder(tmp_path / "third").verify() == []
    assert (out / "matches" / "part-00000.jsonl").read_bytes() == before


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


class Killed(BaseException):
    """Nothing catches it, like a kill."""


def test_a_match_killed_at_any_write_does_not_look_complete_and_is_made_anew(
    runs: tuple[RunFolder, RunFolder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "match"
    whole = match_runs(*runs, tmp_path / "whole")
    real, left = os.replace, 0

    def replace(*names: object, **more: object) -> None:
        nonlocal left
        if left == 0:
            raise Killed
        left -= 1
        real(*names, **more)

    for earlier in (False, True):
        for allowed in range(20):
            left = allowed
            with monkeypatch.context() as patch:
                patch.setattr(os, "replace", replace)
                try:
                    match_runs(*runs, out)
                except Killed:
                    pass
                else:
                    break
            folder = RunFolder(out)
            if allowed == 0 and earlier:
                assert folder.verify() == [], "the old match stays until the new one begins"
            elif folder.exists:
                assert folder.match_manifest().status == "started"
                with pytest.raises(RunError, match="started, not complete"):
                    export_run(folder, "matches", ExportFormat.CSV, tmp_path / "out.csv")
        assert allowed >= 5
        assert RunFolder(out).verify() == []
        assert RunFolder(out).match_manifest().counts == whole.counts
    assert not list(out.rglob("*.part")) + list(out.rglob("*.tmp"))


def test_a_refused_write_says_so_in_the_manifest(
    runs: tuple[RunFolder, RunFolder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.replace

    def full(source: Path, target: Path, **more: object) -> None:
        if "unmatched" in str(target):
            raise OSError(28, "No space left on device")
        real(source, target, **more)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(StorageError, match="the disk is full"):
        match_runs(*runs, tmp_path / "match")
    assert RunFolder(tmp_path / "match").match_manifest().status == "failed"


def test_a_folder_of_a_match_is_found_and_read_as_one(runs: tuple[RunFolder, RunFolder], tmp_path: Path) -> None:
    match_runs(*runs, tmp_path / "match")
    folder = RunFolder(tmp_path / "match")
    assert [found.path.name for found in find_runs(tmp_path)] == ["all", "match", "some"]
    assert isinstance(folder.any_manifest(), MatchManifest)
    assert isinstance(runs[0].any_manifest(), Manifest)
    with pytest.raises(RunError, match="is a run, no match"):
        runs[0].match_manifest()
    with pytest.raises(RunError, match="is a match of two runs, no run"):
        folder.manifest()


@pytest.mark.parametrize("form", [ExportFormat.CSV, ExportFormat.JSONL, ExportFormat.PARQUET])
@pytest.mark.parametrize("table", ["matches", "unmatched"])
def test_matches_are_exported(
    table: str, form: ExportFormat, runs: tuple[RunFolder, RunFolder], tmp_path: Path
) -> None:
    if form is ExportFormat.PARQUET:
        pytest.importorskip("polars")
    manifest = match_runs(*runs, tmp_path / "match")
    folder, path = RunFolder(tmp_path / "match"), tmp_path / "out"
    counts = manifest.counts
    expected = counts.matched if table == "matches" else counts.unmatched_a + counts.unmatched_b
    assert export_run(folder, table, form, path) == expected > 0
    if form is ExportFormat.JSONL:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        model = Match if table == "matches" else Unmatched
        assert all(model.model_validate(row) for row in rows)
    if form is ExportFormat.CSV and table == "matches":
        assert path.read_text().startswith("filing_id,a,b,edge_a,edge_b,overlap,decided_by,equal,")


@pytest.mark.parametrize(("of", "table"), [("match", "replies"), ("match", "extractions"), ("some", "matches")])
def test_a_table_that_a_folder_does_not_have_is_refused(
    of: str, table: str, runs: tuple[RunFolder, RunFolder], tmp_path: Path
) -> None:
    match_runs(*runs, tmp_path / "match")
    with pytest.raises(RunError, match=f"has no {table}; it has "):
        export_run(RunFolder(tmp_path / of), table, ExportFormat.CSV, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_every_refusal_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(FingreatError):
        match_runs(RunFolder(tmp_path / "file"), RunFolder(tmp_path), tmp_path / "match")
