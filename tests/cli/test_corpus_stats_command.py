"""`fingreat corpus stats` from a user's side: what it prints and writes, and what it says of a corpus half made."""

from __future__ import annotations

import csv
import json
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

import fingreat
from fingreat.errors import InputError
from fingreat.pipeline import Corpus
from fingreat.pipeline.corpus_stats import TABLES, corpus_stats
from fingreat.runs import sole_owner
from fingreat.schema import Filing, Section, SectionStatus

SHIPPED = Path(fingreat.__file__).parent / "shipped"
FILINGS = [SHIPPED / name for name in ("quernholt-2024.htm", "pellwether-2008.htm", "larkmoor-2001.txt")]


@pytest.fixture
def corpus(tmp_path: Path, run: Callable) -> Path:
    """A corpus of the three shipped filings, with sections."""
    path = tmp_path / "corpus"
    run("corpus", "add", *FILINGS, "--corpus", path, "--workers", "1")
    run("corpus", "sections", "--corpus", path, "--workers", "1")
    return path


def test_tables_come_to_the_terminal_and_what_is_missing_with_its_command(corpus: Path, run: Callable) -> None:
    outcome = run("corpus", "stats", "--corpus", corpus)
    assert outcome.code == 0
    titles = [line for line in outcome.out.split("\n") if line and not line.startswith(" ")]
    assert titles == [
        "Filings and firms by industry",
        "Filings and firms by year of filing",
        "Filings and firms by form",
        "Length of Item 7",
        "What became of the search for Item 7",
        "How the corpus was made",
    ]
    assert f"Total assets are known for no filing. Get them with `fingreat corpus enrich --corpus {corpus}`." in (
        outcome.err
    )


def test_lengths_are_those_of_the_texts(corpus: Path, run: Callable) -> None:
    lengths = sorted(len(section.text) for section in Corpus(corpus).sections("7"))
    data = json.loads(run("corpus", "stats", "--corpus", corpus, "--json").out)
    found = {one["share"]: one["value"] for one in data["chars"]}
    assert (found[0.0], found[0.5], found[1.0]) == tuple(lengths)
    assert data["all"]["found"] == {"k": 3, "n": 3, "value": 1.0}
    assert data["item"] == "7"
    assert data["stages"]["add"]["added"] == 3


def test_a_corpus_without_sections_is_measured_and_the_command_that_makes_them_is_named(
    tmp_path: Path, run: Callable
) -> None:
    path = tmp_path / "corpus"
    run("corpus", "add", *FILINGS, "--corpus", path, "--workers", "1")
    outcome = run("corpus", "stats", "--corpus", path, "--item", "7a", "--json")
    data = json.loads(outcome.out)
    assert outcome.code == 0
    assert data["statuses"] == {"found": 0, "by_reference": 0, "absent": 0, "unreadable": 0, "unsearched": 3}
    assert data["all"]["found"] == {"k": 0, "n": 0, "value": None}
    assert data["missing"][0] == (
        "Item 7A was not looked for in 3 of 3 filings. "
        f"Make them with `fingreat corpus sections --corpus {path} --item 7A`."
    )
    assert data["missing"][0] in outcome.err


def test_each_table_is_written_as_csv_and_as_latex(corpus: Path, tmp_path: Path, run: Callable) -> None:
    out = tmp_path / "tables"
    outcome = run("corpus", "stats", "--corpus", corpus, "--out", out)
    assert outcome.code == 0
    assert outcome.err.endswith(f"6 tables: {out}\n")
    names = ["divisions", "forms", "lengths", "stages", "statuses", "years"]
    assert sorted(path.name for path in out.iterdir()) == [
        f"corpus-{name}.{ending}" for name in names for ending in ("csv", "md", "tex")
    ]
    with (out / "corpus-statuses.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert (rows[0]["outcome"], rows[0]["filings"], rows[0]["share of filings k"]) == ("found", "3", "3")
    source = (out / "corpus-years.tex").read_text(encoding="utf-8")
    assert r"\label{tab:corpus-years}" in source
    day = datetime.fromtimestamp((corpus / "manifest.json").stat().st_mtime, UTC).strftime("%Y-%m-%d")
    command = f"fingreat corpus stats --corpus {corpus} --item 7"
    assert source.splitlines()[0] == f"% Made by fingreat {fingreat.__version__}: {command}"
    assert source.splitlines()[1].startswith(f"% Item 7 of the corpus whose manifest was written at {day} ")


def test_a_folder_of_tables_is_written_over_and_holds_no_table_of_another_corpus(
    corpus: Path, tmp_path: Path, run: Callable
) -> None:
    out = tmp_path / "tables"
    run("corpus", "stats", "--corpus", corpus, "--out", out)
    (out / "corpus-assets.csv").write_text("of another corpus")
    (out / ".corpus-years.csv.abcdefgh.part").write_text("of a killed writer")
    (out / "corpus-years.csv").write_text("old")
    assert run("corpus", "stats", "--corpus", corpus, "--out", out).code == 0
    assert len(list(out.iterdir())) == 18
    assert (out / "corpus-years.csv").read_text(encoding="utf-8").startswith("year,filings,firms,")


@pytest.mark.parametrize("name", ["notes.txt", "manifest.json", "corpus-years.pdf", "corpus-years.csv/", "link"])
def test_a_folder_with_anything_else_is_refused_before_anything_is_written(
    name: str, corpus: Path, tmp_path: Path, run: Callable
) -> None:
    out = tmp_path / "tables"
    out.mkdir()
    if name == "link":
        (tmp_path / "mine.csv").write_text("mine")
        (out / "corpus-years.csv").symlink_to(tmp_path / "mine.csv")
    elif name.endswith("/"):
        (out / name).mkdir()
    else:
        (out / name).write_text("mine")
    before = sorted(out.iterdir())
    outcome = run("corpus", "stats", "--corpus", corpus, "--out", out)
    assert (outcome.code, outcome.out) == (2, "")
    assert "is no table of a corpus. Choose another --out." in outcome.err.replace("\n", " ")
    assert sorted(out.iterdir()) == before
    assert run("corpus", "stats", "--corpus", corpus, "--out", corpus).code == 2


def test_a_file_is_no_folder_for_tables(tmp_path: Path) -> None:
    path = tmp_path / "tables"
    path.write_text("x")
    with pytest.raises(InputError, match="is a file; the tables need a folder"):
        TABLES.check(path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--assets-years", "2012-"), "--assets-years: '2012-' ends nowhere."),
        (("--assets-years", ""), "--assets-years: '' is no year."),
        (("--assets-years", "2020-2012"), "--assets-years: '2020-2012' runs backwards."),
        (("--item", "99"), "--item: '99' is no item."),
        (("--corpus", "nowhere"), "nowhere: is no corpus folder (no filings.jsonl)."),
    ],
)
def test_what_cannot_be_used_gets_one_message(
    arguments: tuple[str, str], message: str, corpus: Path, run: Callable
) -> None:
    outcome = run("corpus", "stats", "--corpus", corpus, *arguments)
    assert outcome.code == 2
    assert message in outcome.err
    assert "Traceback" not in outcome.err
    assert not Path("nowhere").exists()


def test_nothing_is_written_but_the_tables(corpus: Path, tmp_path: Path, run: Callable) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert run("corpus", "stats", "--corpus", other).code == 2
    assert list(other.iterdir()) == []
    (corpus / ".lock").unlink()
    before = {path: path.read_bytes() for path in corpus.rglob("*") if path.is_file()}
    assert run("corpus", "stats", "--corpus", corpus, "--out", tmp_path / "tables").code == 0
    assert {path: path.read_bytes() for path in corpus.rglob("*") if path.is_file()} == before


def test_a_corpus_can_be_measured_while_another_process_works_on_it(corpus: Path, run: Callable) -> None:
    with sole_owner(corpus):
        outcome = run("corpus", "stats", "--corpus", corpus, "--json")
    assert outcome.code == 0
    assert json.loads(outcome.out)["all"]["filings"] == 3


def test_years_of_sizes_are_named_in_the_tables(tmp_path: Path, run: Callable) -> None:
    path = write_corpus(tmp_path / "corpus", [0, 568_712_345, None])
    outcome = run("corpus", "stats", "--corpus", path, "--assets-years", "2000-2001,2002", "--out", tmp_path / "out")
    assert "Filings of 2000–2002 by total assets" in outcome.out
    assert " maximum    2   $568.7 million " in outcome.out
    with (tmp_path / "out" / "corpus-assets.csv").open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file))[-1] == ["maximum", "2", "568712345"]
    assert r"maximum & 2 & \$568.7 million \\" in (tmp_path / "out" / "corpus-assets.tex").read_text(encoding="utf-8")


def write_corpus(path: Path, assets: list[int | None], chars: int = 0) -> Path:
    """A corpus on disk: a filing of 2000 and a later one for each amount, and texts of so many characters if any."""
    (path / "sections" / "7").mkdir(parents=True)
    filings = [
        Filing(id=f"f{n}", cik=str(n), filed=f"{2000 + n % 26}-03-01", total_assets=amount, path="x", sha256="0" * 64)  # type: ignore[arg-type]
        for n, amount in enumerate(assets)
    ]
    (path / "filings.jsonl").write_text("".join(one.model_dump_json() + "\n" for one in filings))
    if chars:
        with (path / "sections" / "7" / "part-00000.jsonl").open("w") as file:
            for one in filings:
                section = Section(filing_id=one.id, item="7", status=SectionStatus.FOUND, text="x" * chars)
                file.write(section.model_dump_json() + "\n")
    return path


def test_texts_are_not_held_all_at_once(tmp_path: Path) -> None:
    # 1,300 texts of 20,000 characters are 26 MB.
    path = write_corpus(tmp_path / "corpus", [None] * 1300, chars=20_000)
    corpus_stats(Corpus(path))
    tracemalloc.start()
    found = corpus_stats(Corpus(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.figures.statuses["found"] == 1300
    assert peak < 8_000_000
