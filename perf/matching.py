"""How fast are the extractions of eight runs matched, beside the design's own score worked out pair by pair?

Invented filings: in each, 8 runs give 40 extractions of one to three sentences with figures; they quote the same
passages for the most part, a fifth of them cut, altered, elided or in other print, and a few are boilerplate that
stands at several places. All 28 pairings of the runs are matched, to full records; the seconds are those of one core
(`time.process_time`, all threads). The other side is plain Python on some of these filings: every quote made ready
once, every pair scored by all components, the dense problem given to scipy; it writes no records.

What is found is compared: the scores of all matches, the matches themselves, by the rules for equal totals too, and for
a few pairings the number of pairs that overlap enough. Where anything differs the script fails.

Beside it: what ten times the filings take, and one filing with 2,000 extractions on each side, a realistic one and
three that make matching hard, each in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from _matching_made import SHAPES, great_filing, made_filing
from _matching_naive import NaiveFiling, differs

from fingreat.matching import FilingMatcher
from fingreat.schema import Extraction, Match

FILINGS, SAMPLE, GREAT, WARM = 300, 6, 2_000, 30
AIMS = {
    "seconds": ("at most", 20),
    "ratio_naive": ("at least", 50),
    "growth_10x": ("at most", 11),
    "big_seconds": ("at most", 5),
    "big_mb": ("at most", 500),
}
Sides = tuple[Sequence[Extraction], Sequence[Extraction]]


class Spent:
    """CPU seconds of this process."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __enter__(self) -> None:
        self._start = time.process_time()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.process_time() - self._start


def match_all(numbers: Iterable[int]) -> tuple[dict[int, float], float, int]:
    """Match every two runs of some filings.

    Returns:
        seconds for each filing, those for the ranges of same edges over all, and how many matches there are.
    """
    seconds, ranges, matches = {}, Spent(), 0
    for number in numbers:
        runs = made_filing(number)
        spent = Spent()
        with spent:
            matcher = FilingMatcher(f"filing{number}", [x for run in runs.values() for x in run])
        for a, b in combinations(runs.values(), 2):
            with spent:
                candidates = matcher.candidates(a, b)
                matches += len(candidates.matches())
            with ranges:
                candidates.same_edge_range()
        seconds[number] = spent.seconds
    return seconds, ranges.seconds, matches


def naively(numbers: Sequence[int]) -> tuple[float, int, list[str]]:
    """Match some filings in plain Python and compare.

    Returns:
        seconds, the number of matches, and where ours differ.
    """
    spent, matches, faults = Spent(), 0, []
    for number in numbers:
        runs = made_filing(number)
        everything = [x for run in runs.values() for x in run]
        matcher = FilingMatcher(f"filing{number}", everything)
        with spent:
            filing = NaiveFiling(everything)
        for at, (a, b) in enumerate(combinations(runs.values(), 2)):
            with spent:
                near, chosen = filing.match(a, b)
            matches += len(chosen)
            ours = matcher.candidates(a, b).matches()
            faults += [f"filing {number}, pairing {at}: {fault}" for fault in differs(a, b, near, chosen, ours)]
            if not at and (found := near_pairs(matcher, a, b)) != len(near):
                faults.append(f"filing {number}: {found} pairs overlap enough, {len(near)} by the plain score")
    return spent.seconds, matches, faults


def near_pairs(matcher: FilingMatcher, a: Sequence[Extraction], b: Sequence[Extraction]) -> int:
    """How many pairs of two runs overlap enough: each is matched by itself."""
    return sum(len(matcher.candidates([x], [y]).matches()) for x in a for y in b)


def great(shape: str, size: int) -> dict[str, float]:
    """Match one great filing in this process."""
    match_all([0])  # what is loaded at the first use is no part of it
    a, b = great_filing(shape, size)
    before, spent = memory("VmRSS"), Spent()
    with spent:
        matches: list[Match] = FilingMatcher("filing", (*a, *b)).candidates(a, b).matches()
    return {
        "seconds": spent.seconds,
        "mb": memory("VmHWM") - before,
        "before_mb": before,
        "matches": len(matches),
        "overlap": sum(match.overlap for match in matches),
    }


def memory(name: str) -> float:
    """What the system says of this process, in MB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(name)) * 1024 / 1e6


def greats(size: int) -> dict[str, dict[str, float]]:
    """Every shape of a great filing, each in a process of its own."""
    found = {}
    for shape in SHAPES:
        command = (sys.executable, str(Path(__file__).resolve()), "--great", shape, "--size", str(size))
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{shape}: {done.stderr.strip().splitlines()[-1]}")
        found[shape] = json.loads(done.stdout.splitlines()[-1])
        result = found[shape]
        print(
            f"{size:,} x {size:,}, {shape:12} {result['seconds']:8.2f} s {result['mb']:8.0f} MB on top of "
            f"{result['before_mb']:.0f}; {result['matches']:,} matches"
        )
    return found


def measure(options: argparse.Namespace) -> int:
    few = options.filings // 10
    match_all(range(few or 1))
    figures: dict[str, Any] = {}
    least = sum(match_all(range(few))[0].values()) if few else None
    seconds, ranges, matches = match_all(range(options.filings))
    figures["seconds"] = sum(seconds.values())
    figures["seconds_with_range"] = figures["seconds"] + ranges
    sample = sorted({number * options.filings // options.sample for number in range(options.sample)})
    naive, in_sample, faults = naively(sample)
    ours = sum(seconds[number] for number in sample)
    figures["ratio_naive"] = naive / ours
    pairings = options.filings * 28
    print(f"{options.filings:,} filings, 8 runs, 40 extractions each, {pairings:,} pairings, {matches:,} matches")
    print(f"{'':38} {'seconds':>9} {'ms a pairing':>13}")
    rows = [
        ("fingreat, all filings", figures["seconds"], pairings),
        ("fingreat, with the range of same edges", figures["seconds_with_range"], pairings),
        (f"fingreat, {len(sample)} filings of these", ours, 28 * len(sample)),
        ("plain Python, the same filings", naive, 28 * len(sample)),
    ]
    if least is not None:
        rows.append((f"fingreat, the first {few} filings", least, 28 * few))
        figures["growth_10x"] = figures["seconds"] / least
    for name, spent, count in rows:
        print(f"{name:38} {spent:9.2f} {1000 * spent / count:13.3f}")
    print(f"compared: {in_sample:,} matches of {28 * len(sample)} pairings, {len(faults)} differences")
    if not options.without_great:
        found = greats(options.size)
        for name in ("seconds", "mb"):
            figures[f"big_{name}"] = max(result[name] for result in found.values())
            figures |= {f"big_{name}_{shape.replace(' ', '_')}": result[name] for shape, result in found.items()}
    for name, (words, aim) in AIMS.items():
        if name in figures and not (figures[name] >= aim if words == "at least" else figures[name] <= aim):
            print(f"aim missed: {name} {figures[name]:.4g}, {words} {aim}")
    print(json.dumps({name: round(value, 3) for name, value in figures.items()}))
    for fault in faults[:20]:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filings", type=int, default=FILINGS)
    parser.add_argument("--sample", type=int, default=SAMPLE, help="filings that are matched in plain Python too")
    parser.add_argument("--size", type=int, default=GREAT, help="extractions on each side of a great filing")
    parser.add_argument("--without-great", action="store_true", help="no great filings")
    parser.add_argument("--great", choices=SHAPES, help="match one great filing in this process, and nothing else")
    options = parser.parse_args()
    if options.great:
        print(json.dumps(great(options.great, options.size)))
        return 0
    return measure(options)


if __name__ == "__main__":
    sys.exit(main())
