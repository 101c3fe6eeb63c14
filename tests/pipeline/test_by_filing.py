"""Reading several runs side by side: every order, what is left out, what is damaged, and how much is held."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import pytest
from extraction_builders import an_extraction, extractions_on_disk

from fingreat.errors import RunError
from fingreat.pipeline.by_filing import read_by_filing
from fingreat.runs import RunFolder
from fingreat.schema import Extraction


def test_the_filings_come_in_the_order_asked_for_each_with_its_extractions_in_every_run(tmp_path: Path) -> None:
    a1, a2, c1 = an_extraction("A", "1"), an_extraction("A", "2"), an_extraction("C", "3")
    b1, c2, a3 = an_extraction("B", "1"), an_extraction("C", "2"), an_extraction("A", "3")
    first = extractions_on_disk(tmp_path / "first", [a1, a2], [c1])
    second = extractions_on_disk(tmp_path / "second", [c2, b1, a3])
    read = read_by_filing((first, second), ("A", "B", "C", "D"))
    assert len(read) == 4
    expected = [("A", ([a1, a2], [a3])), ("B", ([], [b1])), ("C", ([c1], [c2])), ("D", ([], []))]
    assert list(read) == expected
    assert list(read) == expected, "it can be gone through again"
    assert read.left_out == (0, 0)


def test_extractions_of_other_filings_are_left_out_and_counted_for_each_run(tmp_path: Path) -> None:
    first = extractions_on_disk(tmp_path / "first", [an_extraction("A", "1"), an_extraction("X", "2")])
    second = extractions_on_disk(tmp_path / "second", [an_extraction(f, f) for f in ("X", "A", "Y", "X2")])
    read = read_by_filing((first, second), ("A",))
    assert read.left_out == (1, 3)
    assert [(filing, [len(of_run) for of_run in found]) for filing, found in read] == [("A", [1, 1])]


@pytest.mark.parametrize("seed", range(30))
def test_in_whatever_order_a_run_has_its_filings_all_is_found(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    filings = [f"F{number}" for number in range(draw.randint(0, 12))]
    runs, expected = [], []
    for number in range(draw.randint(1, 4)):
        records = [
            an_extraction(filing, f"{filing}/{n}", "Net sales \u2028 rose.\r\n" * draw.randint(1, 3))
            for filing in (*filings, "other")
            for n in range(draw.choice((0, 1, 5)))
        ]
        if draw.random() < 0.7:
            draw.shuffle(records)
        cuts = sorted(draw.randint(0, len(records)) for _ in range(draw.randint(0, 3)))
        parts = [records[start:end] for start, end in zip([0, *cuts], [*cuts, len(records)], strict=True)]
        runs.append(extractions_on_disk(tmp_path / str(number), *parts))
        expected.append(records)
    draw.shuffle(filings)
    read = read_by_filing(runs, filings)
    assert list(read) == [
        (filing, tuple([record for record in records if record.filing_id == filing] for records in expected))
        for filing in filings
    ]
    assert read.left_out == tuple(sum(record.filing_id == "other" for record in records) for records in expected)


def test_no_run_no_filing_and_no_extraction_are_nothing(tmp_path: Path) -> None:
    empty = extractions_on_disk(tmp_path / "empty")
    blank = extractions_on_disk(tmp_path / "blank", [])
    assert list(read_by_filing((empty, blank), ("A",))) == [("A", ([], []))]
    assert list(read_by_filing((), ("A",))) == [("A", ())]
    assert list(read_by_filing((empty,), ())) == []


def test_a_damaged_line_is_named_before_anything_is_given_and_a_torn_one_is_left_out(tmp_path: Path) -> None:
    run = extractions_on_disk(tmp_path / "run", [an_extraction("A", "1")], [an_extraction("B", "2")])
    part = run.extractions / "part-00001.jsonl"
    whole = part.read_bytes()
    part.write_bytes(whole + whole[:-9])
    assert [len(found) for _, (found,) in read_by_filing((run,), ("A", "B"))] == [1, 1]
    part.write_bytes(whole + b'{"id": "3"}\n')
    with pytest.raises(RunError, match="is no Extraction record") as caught:
        read_by_filing((run,), ("A", "B"))
    assert caught.value.where == f"{part}, line 2"


def test_an_id_that_is_there_twice_in_a_filing_is_refused(tmp_path: Path) -> None:
    first = extractions_on_disk(tmp_path / "first", [an_extraction("A", "1"), an_extraction("B", "1")])
    second = extractions_on_disk(tmp_path / "second", [an_extraction("B", "1"), an_extraction("B", "1")])
    read = iter(read_by_filing((first, second), ("A", "B")))
    next(read)
    with pytest.raises(RunError, match="has two extractions with the id 1 in filing B") as caught:
        next(read)
    assert caught.value.where == str(second.path)


def test_a_part_that_is_gone_is_an_error_of_ours(tmp_path: Path) -> None:
    run = extractions_on_disk(tmp_path / "run", [an_extraction("A", "1")])
    read = read_by_filing((run,), ("A",))
    (run.extractions / "part-00000.jsonl").unlink()
    with pytest.raises(RunError, match="cannot be read"):
        list(read)
    (run.extractions / "part-00000.jsonl").mkdir()
    with pytest.raises(RunError, match="cannot be read"):
        read_by_filing((run,), ("A",))


def _peak(runs: tuple[RunFolder, RunFolder], filings: list[str]) -> int:
    """Bytes that were allocated at once while the runs were gone through."""
    tracemalloc.start()
    try:
        assert sum(len(a) + len(b) for _, (a, b) in read_by_filing(runs, filings)) == 4 * len(filings)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_what_is_held_is_a_few_numbers_for_each_filing_whatever_the_quotes(tmp_path: Path) -> None:
    peaks = []
    quote = "Net sales of the pumps segment rose by 12% on higher volumes. " * 30
    for count in (300, 3000):
        filings = [f"{number:010d}-24-000001" for number in range(count)]

        def records(order: list[str]) -> list[Extraction]:
            return [an_extraction(filing, f"{filing}/{n}", quote) for filing in order for n in range(2)]

        folder = tmp_path / str(count)
        runs = extractions_on_disk(folder / "a", records(filings)), extractions_on_disk(folder / "b", records(filings))
        peaks.append(_peak(runs, filings))
    # A filing has four extractions of 2,000 characters each; to know where they stand takes a few hundred bytes.
    assert (peaks[1] - peaks[0]) / 2700 < 600
