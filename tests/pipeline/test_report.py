"""Reports over finished runs: their numbers worked by hand, and what they refuse."""

from __future__ import annotations

import json
import shutil
from itertools import combinations
from pathlib import Path

import pytest
from measured_builders import FIRST, SECOND, SENTENCES, A, B, gold_of, ids, run_of, two_filings
from pipeline_builders import corpus_of, submission

import fingreat.pipeline.report.texts as report_texts
from fingreat.errors import CorpusError, InputError, RunError
from fingreat.matching import match_extractions
from fingreat.pipeline import Corpus
from fingreat.pipeline.report import build_report
from fingreat.report import Cell, Report, Share
from fingreat.runs import RunFolder
from fingreat.schema import GoldPassage


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return two_filings(tmp_path)


@pytest.fixture
def runs(tmp_path: Path, corpus: Corpus) -> tuple[RunFolder, RunFolder]:
    return run_of(corpus, tmp_path / "out" / "a", A), run_of(corpus, tmp_path / "out" / "b", B)


def rows(report: Report, id_: str) -> list[dict[str, Cell]]:
    (table,) = [table for table in report.tables if table.id == id_]
    return [dict(zip((column.label for column in table.columns), row, strict=True)) for row in table.rows]


def test_two_runs_against_each_other(corpus: Corpus, runs: tuple[RunFolder, RunFolder]) -> None:
    report = build_report(runs, corpus)
    # A quotes sentences 0, 1 and 2 in both filings: 6. B quotes 0, 1 and 5 in the first, 0 and 1 in the second: 5.
    # Matched are 0 and 1 in both: 4; under the same edge only 0: 2. Of two filings a quarter of the draws has the
    # first one twice, another quarter the second: recall 2/3 and 2/2, Jaccard 2/4 and 2/3, 1/2 under the same edge.
    against_b, against_a = rows(report, "agreement")
    assert against_b == {
        "run": "a",
        "reference": "b",
        "extractions": 6,
        "of the reference": 5,
        "matched": 4,
        "recall": Share(k=4, n=5, interval=(2 / 3, 1.0)),
        "Jaccard": Share(k=4, n=7, interval=(0.5, 2 / 3)),
        "conditional precision": Share(k=2, n=4, interval=(0.5, 0.5)),
    }
    assert against_a["run"] == "b"
    # 2/3 of A's in either filing.
    assert against_a["recall"] == Share(k=4, n=6, interval=(2 / 3, 2 / 3))
    assert against_a["Jaccard"] == against_b["Jaccard"]
    # B's extractions are 2 + 2 Net Income ones (0 as REV, 1 as OPEX), all matched, and one dividend, which A lacks.
    by_category = {row["category"]: row for row in rows(report, "agreement-by-category") if row["run"] == "a"}
    assert by_category["Net Income"]["recall"] == Share(k=4, n=4, interval=(1.0, 1.0))
    assert by_category["Net Income"]["conditional precision"] == Share(k=2, n=4, interval=(0.5, 0.5))
    # The reference has it in one filing alone, which has no interval.
    assert by_category["Cash Flow"]["recall"] == Share(k=0, n=1)
    by_edge = {(row["run"], row["edge"]): row["recall"] for row in rows(report, "agreement-by-edge")}
    assert by_edge["a", "NNCA-OPEX"] == Share(k=2, n=2, interval=(1.0, 1.0))
    assert by_edge["b", "NNCA-OPEX"] == Share(k=0, n=0)
    (pair,) = report.matches
    assert (pair.a, pair.b) == ("a", "b")
    assert list(pair.matches) == match_extractions(report.runs[0].extractions, report.runs[1].extractions)
    assert {"recall-map", "jaccard-map", "precision-map"} <= ids(report)[1]


def test_two_runs_are_compared_by_place_and_by_what_their_quotes_say(
    corpus: Corpus, runs: tuple[RunFolder, RunFolder]
) -> None:
    report = build_report(runs, corpus)
    by_place = rows(report, "agreement-by-place")[0]
    # Both quote whole sentences: places match as words do. In each filing both quote the first two, B in the first one
    # the last as well.
    assert (by_place["matched"], by_place["recall"]) == (4, Share(k=4, n=5, interval=(2 / 3, 1.0)))
    both, dividends = sum(map(len, SENTENCES[:2])), len(SENTENCES[5])
    character_recall = by_place["character recall"]
    assert isinstance(character_recall, Share)
    assert (character_recall.k, character_recall.n) == (2 * both, 2 * both + dividends)
    # Matched sentences are the same: with 12% in the first, without a figure in the second, in both filings.
    (fidelity,) = rows(report, "fidelity")
    assert fidelity["equal"] == Share(k=4, n=4)
    assert [fidelity[name] for name in ("no figures", "same figures", "more in one", "other figures")] == [2, 2, 0, 0]
    assert fidelity["figures agree"] == Share(k=2, n=2, interval=(1.0, 1.0))
    assert fidelity["near misses"] == Share(k=0, n=4, interval=(0.0, 0.0))
    (kinds,) = rows(report, "near-misses")
    assert (kinds["matched"], kinds["near misses"], kinds["figure"]) == (4, 0, 0)


def test_the_page_shows_agreement_first_and_folds_categories_and_edges_away(
    corpus: Corpus, runs: tuple[RunFolder, RunFolder]
) -> None:
    tables = build_report(runs, corpus).tables
    assert tables[0].notes[0] == "Over 2 filings."
    main = [table.id for table in tables if not table.detail]
    assert main[:4] == ["agreement", "volume", "agreement-by-place", "fidelity"]
    folded = [table.id for table in tables if table.detail]
    assert folded[:3] == ["near-misses", "agreement-by-category", "agreement-by-edge"]


def test_volume_edges_and_tags_of_each_run(corpus: Corpus, runs: tuple[RunFolder, RunFolder]) -> None:
    report = build_report(runs, corpus)
    volume = {row["run"]: row for row in rows(report, "volume")}
    assert (volume["a"]["extractions"], volume["a"]["in the text"]) == (6, Share(k=6, n=6))
    # 3 and 2 extractions in the two filings: a quarter of the way from one to the other is 2.25.
    of_b = volume["b"]
    assert (of_b["filings"], of_b["mean"], of_b["25%"], of_b["median"], of_b["75%"]) == (2, 2.5, 2.25, 2.5, 2.75)
    by_filing = {(row["run"], row["filing"]): row["extractions"] for row in rows(report, "extractions-by-filing")}
    assert by_filing == {("a", FIRST): 3, ("b", FIRST): 3, ("a", SECOND): 3, ("b", SECOND): 2}
    part = "share of extractions"
    by_edge = {(row["run"], row["edge"]): row[part] for row in rows(report, "extractions-by-edge")}
    assert by_edge["b", "CASH-DIV"] == Share(k=1, n=5)
    by_category = {(row["run"], row["category"]): row[part] for row in rows(report, "extractions-by-category")}
    assert by_category["b", "Net Income"] == Share(k=4, n=5)
    tags = {row["run"]: row for row in rows(report, "tags")}
    # A tags 4 of 6. volume is all REV; copper and cost, half a weight each time, are all COGS.
    assert (tags["a"]["tagged"], tags["a"]["tags"], tags["a"]["purity"]) == (Share(k=4, n=6), 3, 1.0)
    # B: volume weighs 2 for REV and 2 for OPEX, the last tag 1 for DIV: (2 + 1) / 5, and one tag of two stands once.
    assert (tags["b"]["purity"], tags["b"]["one-off tags"]) == (0.6, Share(k=1, n=2))
    top = [row for row in rows(report, "top-tags") if row["run"] == "b"]
    assert (top[0]["tag"], top[0]["weight"], top[0]["main edge"], top[0]["of the tag's weight"]) == (
        "volume",
        4.0,
        "NNCA-OPEX",
        0.5,
    )


def test_a_filing_s_year_of_filing_and_fiscal_year_stand_side_by_side(tmp_path: Path) -> None:
    dates = b"CONFORMED PERIOD OF REPORT:\t20231231\nFILED AS OF DATE:\t\t20240215\nPUBLIC DOCUMENT COUNT"
    dated = submission(FIRST, SENTENCES).replace(b"PUBLIC DOCUMENT COUNT", dates)
    corpus = corpus_of(tmp_path, a=dated, b=submission(SECOND, SENTENCES))
    table = rows(build_report([run_of(corpus, tmp_path / "out" / "a", A)], corpus), "extractions-by-filing")
    assert {row["filing"]: (row["filed in"], row["fiscal year"]) for row in table} == {
        FIRST: ("2024", "2023"),
        SECOND: (None, None),
    }


def test_one_run_alone_has_no_agreement(corpus: Corpus, runs: tuple[RunFolder, RunFolder]) -> None:
    report = build_report(runs[:1], corpus)
    tables, figures = ids(report)
    assert tables == {
        *("volume", "extractions-by-category", "extractions-by-edge", "extractions-by-filing", "tags", "top-tags")
    }
    assert figures == {"category-shares", "edge-shares"}
    assert report.matches == ()


def test_gold_scores_the_filings_that_have_some(corpus: Corpus, runs: tuple[RunFolder, RunFolder]) -> None:
    report = build_report(runs, corpus, gold=gold_of(FIRST, 0, 1, 5))
    a, b = rows(report, "gold")
    # In the first filing A is right on 0 and 1 of its three, B on 0 and 5 of its three; each finds two of three.
    assert (a["precision"], a["recall"]) == (Share(k=2, n=3), Share(k=2, n=3))
    assert (b["precision"], b["recall"], b["on evidence"]) == (Share(k=2, n=3), Share(k=2, n=3), Share(k=3, n=3))
    by_edge = {(row["run"], row["edge"]): row["recall"] for row in rows(report, "gold-by-edge")}
    assert (by_edge["a", "NNCA-COGS"], by_edge["b", "NNCA-COGS"]) == (Share(k=1, n=1), Share(k=0, n=1))
    assert [(row["run"], row["filing"]) for row in rows(report, "gold-by-filing")] == [("a", FIRST), ("b", FIRST)]
    assert report.runs[0].score is not None
    assert "Over 1 filing with gold; 1 filing without any, and 3 extractions there, play no part." in (
        report.runs[0].score.sentence
    )
    # The page's layer of gold has its places.
    first = report.filings[0]
    assert [first.section.text[p.start : p.end] for p in first.gold] == [SENTENCES[i] for i in (0, 1, 5)]
    assert report.filings[1].gold == ()


def test_gold_of_two_filings_is_summed(corpus: Corpus, runs: tuple[RunFolder, RunFolder]) -> None:
    report = build_report(runs[:1], corpus, gold=[*gold_of(FIRST, 0, 1, 5), *gold_of(SECOND, 0)])
    (row,) = rows(report, "gold")
    # 2 of 3 right in the first filing, 1 of 3 in the second; 2 of 3 found in the first, 1 of 1 in the second.
    assert (row["precision"], row["recall"]) == (Share(k=3, n=6), Share(k=3, n=4))
    assert {row["filing"]: row["recall"] for row in rows(report, "gold-by-filing")} == {
        FIRST: Share(k=2, n=3),
        SECOND: Share(k=1, n=1),
    }


@pytest.mark.parametrize(
    ("gold", "words"),
    [
        (gold_of("no", 0), f"gold passage no/0: filing no is none that these runs read. They read {FIRST}"),
        (gold_of(SECOND, 5), f"gold passage {SECOND}/5: does not stand in the section exactly once"),
        (gold_of(FIRST, 0, edges=("REV-CASH",)), "accepts REV-CASH, no edge of graph 'gaap11'"),
        (gold_of(FIRST, 0, 0), f"gold passage {FIRST}/0: is there twice"),
    ],
)  # fmt: skip
def test_gold_that_does_not_fit_is_refused(
    corpus: Corpus, runs: tuple[RunFolder, RunFolder], gold: list[GoldPassage], words: str
) -> None:
    with pytest.raises(InputError) as caught:
        build_report(runs, corpus, gold=gold)
    assert words in str(caught.value)


def test_which_filings_are_shown(
    corpus: Corpus, runs: tuple[RunFolder, RunFolder], monkeypatch: pytest.MonkeyPatch
) -> None:
    def shown(**choice: object) -> list[str]:
        report = build_report(runs[:1], corpus, **choice)  # type: ignore[arg-type]
        assert report.filings_in_all == 2
        # Measures are over both filings, whichever are shown.
        assert rows(report, "volume")[0]["extractions"] == 6
        left = 2 - len(report.filings)
        assert report.notes == (
            () if not left else ("The text of 1 filing is not shown; tables and figures are over all 2.",)
        )
        return [view.filing.id for view in report.filings]

    assert shown() == [FIRST, SECOND]
    assert shown(show=1) == [FIRST]
    assert shown(show=[SECOND]) == [SECOND]
    assert shown(show=[SECOND, FIRST]) == [FIRST, SECOND]
    # A budget of text: the first filing is shown whatever its length.
    monkeypatch.setattr(report_texts, "MOST_CHARACTERS", 10)
    assert shown() == [FIRST]
    assert shown(show=[FIRST, SECOND]) == [FIRST, SECOND]
    with pytest.raises(InputError, match="filing to show: filing 17 is none that these runs read"):
        build_report(runs, corpus, show=["17"])


def test_runs_on_other_filings_need_to_be_told(
    tmp_path: Path, corpus: Corpus, runs: tuple[RunFolder, RunFolder]
) -> None:
    (tmp_path / "source" / "c.htm").write_bytes(submission("0000000003-24-000003", SENTENCES, "LEVERS LTD"))
    corpus.add([tmp_path / "source"])
    corpus.make_sections("7")
    grown = run_of(corpus, tmp_path / "out" / "grown", B)
    with pytest.raises(InputError, match="has not read 1 of the 3 filings"):
        build_report([runs[0], grown], corpus)
    report = build_report([runs[0], grown], corpus, common=True)
    assert report.filings_in_all == 2
    assert {row["run"]: row["extractions"] for row in rows(report, "volume")} == {"a": 6, "grown": 5}
    assert report.runs[0].notes == ()
    assert "the whole run, which read 1 filing more" in report.runs[1].notes[0]
    # One gold serves both: what it says of the third filing plays no part here.
    text = next(s.text for s in corpus.sections("7") if s.filing_id.startswith("0000000003"))
    third = gold_of(FIRST, 0)[0].model_copy(
        update={"passage_id": "third", "filing_id": "0000000003-24-000003", "start": None, "end": None}
    )
    assert third.text in text
    both = build_report([runs[0], grown], corpus, common=True, gold=[*gold_of(FIRST, 0), third])
    assert rows(both, "gold") == rows(
        build_report([runs[0], grown], corpus, common=True, gold=gold_of(FIRST, 0)), "gold"
    )


def test_a_filing_without_the_item_plays_no_part_and_is_told(tmp_path: Path, corpus: Corpus) -> None:
    bare = "<html><body><p><b>Item 1. Business</b></p><p>We make valves and pumps.</p></body></html>"
    (tmp_path / "source" / "bare.htm").write_text(bare)
    corpus.add([tmp_path / "source"])
    corpus.make_sections("7")
    report = build_report([run_of(corpus, tmp_path / "out" / "a", A)], corpus)
    assert report.notes == ("1 filing without an item 7 to read plays no part.",)
    volume = rows(report, "volume")[0]
    assert (volume["filings"], volume["without any"]) == (2, 0)


def test_runs_of_the_same_folder_name_are_told_apart(tmp_path: Path, corpus: Corpus) -> None:
    found = [run_of(corpus, tmp_path / parent / "x", said) for parent, said in (("1", A), ("2", B))]
    assert [run.name for run in build_report(found, corpus).runs] == ["x", "x (2)"]


def test_the_corpus_is_the_one_that_the_first_run_names(
    tmp_path: Path, corpus: Corpus, runs: tuple[RunFolder, RunFolder]
) -> None:
    assert build_report(runs).filings == build_report(runs, corpus).filings
    (tmp_path / "moved").mkdir()
    shutil.move(corpus.path, tmp_path / "moved")
    with pytest.raises(InputError, match=rf"read the corpus {corpus.path}, which is not there\. Name it with --corpus"):
        build_report(runs)
    manifest = runs[0].path / "manifest.json"
    said = json.loads(manifest.read_text())
    del said["asked"]["corpus"]
    manifest.write_text(json.dumps(said))
    with pytest.raises(InputError, match=r"does not say which corpus it read\. Name it with --corpus"):
        build_report(runs)


def test_a_corpus_that_the_runs_did_not_read_is_refused(
    tmp_path: Path, corpus: Corpus, runs: tuple[RunFolder, RunFolder]
) -> None:
    with pytest.raises(CorpusError, match="is no corpus folder"):
        build_report(runs, Corpus(tmp_path / "out" / "a"))
    other = corpus_of(tmp_path / "other", a=submission(FIRST, SENTENCES))
    with pytest.raises(CorpusError, match=f"has no filing {SECOND}, which the runs read"):
        build_report(runs, other)
    bare = Corpus(tmp_path / "bare")
    bare.add([tmp_path / "source"])
    with pytest.raises(CorpusError, match="has no sections for item 7"):
        build_report(runs, bare)
    part = next((corpus.path / "sections" / "7").glob("part-*.jsonl"))
    part.write_text(part.read_text().replace("copper became cheaper", "copper became dearer"))
    with pytest.raises(CorpusError, match=r"of filing \S+ is not the text that run 'a' read"):
        build_report(runs, corpus)


def test_a_run_that_is_not_finished_or_damaged_is_refused(
    tmp_path: Path, corpus: Corpus, runs: tuple[RunFolder, RunFolder]
) -> None:
    manifest = runs[0].path / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"complete"', '"interrupted"'))
    with pytest.raises(RunError, match="the run is interrupted, not complete"):
        build_report(runs, corpus)
    part = next(runs[1].extractions.glob("part-*.jsonl"))
    part.write_text(part.read_text() + "\n")
    with pytest.raises(RunError, match="the run is damaged"):
        build_report(runs[1:], corpus)
    with pytest.raises(InputError, match="there is no run"):
        build_report([], corpus)


def test_a_graph_of_ones_own_is_read_again_and_must_be_the_same(
    tmp_path: Path, corpus: Corpus, runs: tuple[RunFolder, RunFolder]
) -> None:
    shipped = Path(report_texts.__file__).parents[2] / "schema" / "gaap11.toml"
    own = tmp_path / "own.toml"
    own.write_text(shipped.read_text().replace('name = "gaap11"', 'name = "own"', 1))
    other = run_of(corpus, tmp_path / "out" / "other", B, schema_file=own)
    with pytest.raises(InputError, match="its graph is own"):
        build_report([runs[0], other], corpus)
    assert build_report([other], corpus).graph.name == "own"
    own.write_text(shipped.read_text())
    with pytest.raises(InputError, match="graph 'gaap11' is not the one that this run was made with"):
        build_report([other], corpus)
    own.unlink()
    with pytest.raises(InputError, match=r"own\.toml, which is not there"):
        build_report([other], corpus)


def test_every_step_is_told_and_the_last_is_the_end(corpus: Corpus, runs: tuple[RunFolder, RunFolder]) -> None:
    told: list[tuple[int, int]] = []
    build_report(runs, corpus, watch=lambda done, total: told.append((done, total)))
    # One pair of runs in each of two filings, then both of its directions.
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    told.clear()
    build_report(runs[:1], corpus, watch=lambda done, total: told.append((done, total)))
    assert told == []


def test_three_runs_are_measured_as_each_two_of_them_are(
    tmp_path: Path, corpus: Corpus, runs: tuple[RunFolder, RunFolder]
) -> None:
    third = run_of(corpus, tmp_path / "out" / "c", {0: B[1], 2: A[2]})
    together = build_report((*runs, third), corpus)
    for id_ in ("agreement", "agreement-by-place", "fidelity"):
        found = {(row["run"], row["reference"]): row for row in rows(together, id_)}
        for two in combinations((*runs, third), 2):
            for row in rows(build_report(two, corpus), id_):
                assert found[row["run"], row["reference"]] == row
    pairs = {(pair.a, pair.b): pair.matches for pair in together.matches}
    assert set(pairs) == {("a", "b"), ("a", "c"), ("b", "c")}
    of = {run.name: run.extractions for run in together.runs}
    for (a, b), matches in pairs.items():
        assert list(matches) == match_extractions(of[a], of[b])


def test_equal_quotes_under_different_edges_give_a_range(tmp_path: Path, corpus: Corpus) -> None:
    both = {0: A[0], 1: A[1]}
    a = run_of(corpus, tmp_path / "out" / "a", both)
    b = run_of(corpus, tmp_path / "out" / "b", both)
    for run, edges in ((a, ("REV-NNCA", "NNCA-COGS")), (b, ("NNCA-COGS", "REV-NNCA"))):
        # Both extractions of each filing quote the same sentence; which of them are matched cannot go by the edge.
        part = next(run.extractions.glob("part-*.jsonl"))
        lines = [json.loads(line) for line in part.read_text().splitlines()]
        for line in lines:
            line["edge"] = edges[line["quote"] != SENTENCES[0]]
        for line in lines:
            line["quote"] = SENTENCES[0]
            line["ranges"] = lines[0]["ranges"]
        part.write_text("".join(json.dumps(line) + "\n" for line in lines))
        run.mark_done("extract", [*run.replies.glob("part-*.jsonl"), part, run.failures])
    first = rows(build_report([a, b], corpus), "agreement")[0]
    # Two extractions in each of two filings: all four matched, with none or with all under the same edge.
    assert (first["matched"], first["lowest"], first["highest"]) == (4, 0.0, 1.0)
