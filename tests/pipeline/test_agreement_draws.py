"""Intervals of runs on disk: the same for the same runs, filings and seed, in whatever order these come."""

from __future__ import annotations

from pathlib import Path
from random import Random

from extraction_builders import finished_run
from planted_builders import planted

from fingreat.pipeline.agreement import measure_runs


def test_the_same_seed_draws_the_same_and_another_one_does_not(tmp_path: Path) -> None:
    filings = [f"F{number}" for number in range(8)]
    runs = [finished_run(tmp_path / name, filings, planted(name, seed, filings)) for seed, name in enumerate("ab")]
    first, again, other, few = (
        measure_runs(runs, seed=seed, replicates=replicates) for seed, replicates in ((1, 99), (1, 99), (2, 99), (1, 7))
    )
    assert first == again
    intervals = [found.pairs["a", "b"].words.recall.interval for found in (first, other, few)]
    assert intervals[0] != intervals[1]
    assert [interval.used for interval in intervals if interval] == [99, 99, 7]
    recalls = [found.pairs["a", "b"].words.recall for found in (first, other, few)]
    assert len({(recall.hits, recall.total) for recall in recalls}) == 1


def test_intervals_do_not_depend_on_the_order_of_runs_filings_or_lines(tmp_path: Path) -> None:
    filings = [f"F{number}" for number in range(12)]
    said = {name: planted(name, seed, filings) for seed, name in enumerate("abc")}
    first = measure_runs([finished_run(tmp_path / "1" / name, filings, said[name]) for name in "abc"])
    for number, names in enumerate(("abc", "cab"), 2):
        random = Random(number)
        runs = []
        for name in names:
            random.shuffle(filings)
            random.shuffle(said[name])
            runs.append(finished_run(tmp_path / str(number) / name, filings, said[name][:9], said[name][9:]))
        other = measure_runs(runs)
        assert other.scope.filings != first.scope.filings
        assert dict(other.pairs) == dict(first.pairs)
        assert dict(other.volumes) == dict(first.volumes)
