"""The demo leaves a report whose figures are those of its runs, and says what could not run."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from lxml import html as lxml_html
from pipeline_builders import html

from fingreat.errors import InputError, MissingExtraError
from fingreat.pipeline import Corpus, run_demo
from fingreat.runs import RunFolder, read_records
from fingreat.schema import Extraction


def test_the_report_shows_three_filings_with_their_gold_and_the_score_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run_demo(tmp_path, models=("lexicon",))
    ((folder, manifest),) = first.runs
    assert first.missing == {}
    score = first.report.runs[0].score
    assert score is not None
    page = first.page.read_text(encoding="utf-8")
    root = lxml_html.fromstring(page.encode())
    assert len(root.xpath("//*[starts-with(@id, 'filing-')]")) >= 3
    # The gold files as they are shipped, counted by their lines.
    shipped = Path(import_module("fingreat.shipped").__path__[0])
    lines = [len(path.read_text("utf-8").splitlines()) for path in shipped.glob("*.gold.jsonl")]
    assert len(lines) == 3
    assert score.recall.n == sum(lines) == sum(len(view.gold) for view in first.report.filings)
    assert sum(lines) >= 90 + 2 * 40
    for share in (score.precision, score.recall):
        assert 0 < share.k <= share.n
        assert f"{share.k}/{share.n}" in page
    assert score.sentence.partition(" (p ")[0] in page.replace("&#39;", "'")
    # Precision counts every extraction on disk once, repeats apart.
    on_disk = list(read_records(folder.extractions, Extraction))
    distinct = {(x.filing_id, x.ranges, x.edge) for x in on_disk}
    assert score.precision.n == len(distinct)
    assert manifest.counts["extractions"] == len(on_disk)

    def no_model(*arguments: Any, **options: Any) -> None:
        raise AssertionError("asked again")

    monkeypatch.setattr("fingreat.inference.lexicon.LexiconBackend._findings", no_model)
    second = run_demo(tmp_path, models=("lexicon",))
    assert second.report.runs == first.report.runs
    assert RunFolder(tmp_path / "runs" / "lexicon").verify() == []


def test_a_model_that_is_not_installed_is_listed_and_the_others_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # By its name: `fingreat.pipeline.extract` is the function that the package shows.
    module = import_module("fingreat.pipeline.extract")
    create = module.create_backend

    def without_extra(spec: str, graph: Any, settings: Any) -> Any:
        if spec == "embedded":
            raise MissingExtraError("back end 'embedded'", 'pip install "fingreat[embedded]"')
        return create(spec, graph, settings)

    monkeypatch.setattr(module, "create_backend", without_extra)
    demo = run_demo(tmp_path, models=("embedded", "lexicon"))
    assert [manifest.name for _, manifest in demo.runs] == ["lexicon"]
    assert list(demo.missing) == ["embedded"]
    assert "embedded did not run" in demo.page.read_text(encoding="utf-8")
    assert not (tmp_path / "runs" / "embedded").exists()


def test_where_no_model_can_run_the_demo_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(spec: str, graph: Any, settings: Any) -> Any:
        raise MissingExtraError(f"back end '{spec}'", "pip install everything")

    monkeypatch.setattr(import_module("fingreat.pipeline.extract"), "create_backend", nothing)
    with pytest.raises(MissingExtraError, match="lexicon"):
        run_demo(tmp_path, models=("lexicon", "embed"))
    assert not (tmp_path / "report").exists()


def test_a_corpus_with_other_filings_is_refused_rather_than_scored_as_one(tmp_path: Path) -> None:
    (tmp_path / "other.htm").write_bytes(html())
    Corpus(tmp_path / "out" / "corpus").add([tmp_path / "other.htm"])
    with pytest.raises(InputError, match="holds other filings than the 3 of the demo"):
        run_demo(tmp_path / "out", models=("lexicon",))
    assert not (tmp_path / "out" / "report").exists()


def test_a_run_or_a_corpus_is_no_place_for_the_demo(tmp_path: Path) -> None:
    (tmp_path / "other.htm").write_bytes(html())
    Corpus(tmp_path / "corpus").add([tmp_path / "other.htm"])
    before = sorted(path.name for path in (tmp_path / "corpus").iterdir())
    with pytest.raises(InputError, match="is a run or a corpus"):
        run_demo(tmp_path / "corpus", models=("lexicon",))
    assert sorted(path.name for path in (tmp_path / "corpus").iterdir()) == before
