"""How fast are the intervals of a whole benchmark, beside SciPy's own bootstrap called for each of them?

Invented answers: 44 models on 483 passages of 259 filings, 2,000 draws of filings. Ours: the accuracy of every model,
overall and in all categories and edges, and the differences of all 946 pairs with intervals, clustered tests and Holm's
method. The other side is `scipy.stats.bootstrap` for each model and for each pair, on the same sums over filings
(percentile method, vectorised, paired); `--sample` times some of each and scales the seconds to all. The ratio is of
equal work: the intervals of all models and of all pairs. Both sides must find the same intervals within what the draws
differ by; otherwise the script fails. Seconds are those of one core.

Beside it: Krippendorff's alpha with MASI distance, of 500 passages by 3 reviewers, with NLTK's in the same run, which
must be equal, and of 100,000 passages by 5.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"

import numpy as np  # noqa: E402 - only now, on one thread
from nltk.metrics.agreement import AnnotationTask  # noqa: E402
from scipy.stats import bootstrap as scipy_bootstrap  # noqa: E402

from fingreat.analysis import FilingBootstrap, Interval, measure_accuracies, paired_differences  # noqa: E402
from fingreat.analysis.answers import AnswerSheet  # noqa: E402
from fingreat.analysis.reviews import measure_reviews  # noqa: E402
from fingreat.schema import GoldPassage, load_graph  # noqa: E402

MODELS, PASSAGES, FILINGS = 44, 483, 259
SAMPLE = 946
SIGMAS = 5
END_ERROR = 0.0598
"""Standard error of a 2.5 percentile of 2,000 normal draws, in their standard deviations: sqrt(0.025 * 0.975 / 2000)
over the normal density there."""
AIMS = {"seconds": ("at most", 1.0), "ratio_scipy": ("at least", 100.0), "alpha_100k_s": ("at most", 2.0)}
GRAPH = load_graph()
EDGES = tuple(GRAPH.edges)


@dataclass
class Spent:
    """CPU seconds of this process, all its threads together."""

    seconds: float = 0.0

    def __enter__(self) -> None:
        self._start = time.process_time()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.process_time() - self._start


def made_sheet() -> AnswerSheet:
    """Answers whose rightness hangs on the model, on the passage and on its filing."""
    generator = np.random.default_rng(1)
    filings = np.sort(np.concatenate((np.arange(FILINGS), generator.integers(FILINGS, size=PASSAGES - FILINGS))))
    accepted = [
        generator.choice(len(EDGES), size, replace=False)
        for size in generator.choice([1, 2, 3, 4], PASSAGES, p=[0.824, 0.133, 0.039, 0.004])
    ]
    ease = generator.normal(0, 0.8, FILINGS)[filings] + generator.normal(0, 1, PASSAGES)
    answers = []
    for skill in np.linspace(-0.5, 2.5, MODELS):
        right = generator.random(PASSAGES) < 1 / (1 + np.exp(-skill - ease))
        wrong = generator.integers(len(EDGES), size=PASSAGES)
        answers.append(
            tuple(EDGES[of[0] if hit else other] for hit, of, other in zip(right, accepted, wrong, strict=True))
        )
    passages = tuple(
        GoldPassage(
            passage_id=f"p{number}",
            filing_id=f"f{filing:03}",
            text="",
            accepted=frozenset(EDGES[edge] for edge in of),
            source="primary",
        )
        for number, (filing, of) in enumerate(zip(filings.tolist(), accepted, strict=True))
    )
    return AnswerSheet(GRAPH, passages, tuple(f"model{number:02}" for number in range(MODELS)), tuple(answers))


def ratio(hits: Any, sizes: Any, axis: int = -1) -> Any:
    return hits.sum(axis=axis) / sizes.sum(axis=axis)


def difference(first: Any, second: Any, sizes: Any, axis: int = -1) -> Any:
    return (first.sum(axis=axis) - second.sum(axis=axis)) / sizes.sum(axis=axis)


def by_scipy(columns: Sequence[Any], statistic: Callable[..., Any], seed: int) -> tuple[float, float]:
    """The ends of an interval by SciPy."""
    found = scipy_bootstrap(
        tuple(columns),
        statistic,
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=2000,
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return float(found.low), float(found.high)


def differs(ours: Interval | None, theirs: tuple[float, float]) -> bool:
    """Whether two intervals of 2,000 draws each differ by more than draws do."""
    if ours is None:
        return True
    deviation = (ours.high - ours.low) / 3.92
    reach = SIGMAS * 2**0.5 * END_ERROR * deviation + 1 / PASSAGES
    return abs(ours.low - theirs[0]) > reach or abs(ours.high - theirs[1]) > reach


def measure_intervals(sample: int) -> tuple[dict[str, float], list[str]]:
    """Ours and SciPy's on the same sums, and where they differ."""
    sheet, whole, equal = made_sheet(), Spent(), Spent()
    paired_differences(sheet, FilingBootstrap(FILINGS, replicates=10))  # what is loaded at the first use
    with whole:
        bootstrap = FilingBootstrap(FILINGS)
        accuracies = measure_accuracies(sheet, bootstrap=bootstrap)
        differences = paired_differences(sheet, bootstrap)
    sums, sizes = sheet.by_filing(sheet.right), sheet.by_filing(np.ones(PASSAGES))[:, 0]
    with equal:
        again = FilingBootstrap(FILINGS)
        again.ratios(sums, sizes)
        paired_differences(sheet, again)
    pairs = list(combinations(range(MODELS), 2))
    models = sorted({number * MODELS // min(sample, MODELS) for number in range(min(sample, MODELS))})
    some = sorted({number * len(pairs) // sample for number in range(sample)})
    faults, of_models, of_pairs = [], Spent(), Spent()
    for model in models:
        with of_models:
            theirs = by_scipy((sums[:, model], sizes), ratio, model)
        if differs(accuracies[model].overall.accuracy.interval, theirs):
            faults.append(f"model {model}: {accuracies[model].overall.accuracy.interval} and {theirs}")
    for number in some:
        a, b = pairs[number]
        with of_pairs:
            theirs = by_scipy((sums[:, a], sums[:, b], sizes), difference, number)
        if differs(differences[number].interval, theirs):
            faults.append(f"models {a} and {b}: {differences[number].interval} and {theirs}")
    scaled = of_models.seconds * MODELS / len(models) + of_pairs.seconds * len(pairs) / len(some)
    print(f"{MODELS} models, {PASSAGES} passages, {FILINGS} filings, 2,000 draws, {len(pairs)} pairs")
    print(f"{'':58} {'seconds':>9}")
    print(f"{'fingreat, all cohorts of all models, all pairs, all tests':58} {whole.seconds:9.3f}")
    print(f"{'fingreat, intervals of all models and all pairs':58} {equal.seconds:9.3f}")
    print(f"{'SciPy, the same':58} {scaled:9.3f}   timed on {len(models)} models and {len(some)} pairs")
    print(f"compared: {len(models) + len(some)} intervals, {len(faults)} beyond what draws differ by")
    figures = {"seconds": whole.seconds, "equal_seconds": equal.seconds, "scipy_seconds": scaled}
    return figures | {"ratio_scipy": scaled / equal.seconds}, faults


def made_reviews(passages: int, reviewers: int) -> dict[str, list[frozenset[str]]]:
    """Decisions that mostly agree: each reviewer strays now and then from what the passage says."""
    generator = np.random.default_rng(2)
    found = {}
    for number in range(passages):
        said = {EDGES[edge] for edge in generator.integers(len(EDGES), size=generator.integers(0, 3))}
        strays = generator.random(reviewers) < 0.3
        others = generator.integers(len(EDGES), size=reviewers)
        found[f"p{number}"] = [frozenset(said ^ {EDGES[o]} if s else said) for s, o in zip(strays, others, strict=True)]
    return found


def measure_alpha() -> tuple[dict[str, float], list[str]]:
    """Alpha on a small and on a great table of decisions; on the small one NLTK's too."""
    figures, faults = {}, []
    for name, shape in (("alpha_500_s", (500, 3)), ("alpha_100k_s", (100_000, 5))):
        decisions, spent = made_reviews(*shape), Spent()
        with spent:
            found = measure_reviews(decisions)
        figures[name] = spent.seconds
        print(
            f"{f'alpha of {shape[0]:,} passages by {shape[1]} reviewers':58} {spent.seconds:9.3f}   {found.alpha:.6f}"
        )
        if shape[0] == 500:
            theirs = Spent()
            rows = [(str(k), id_, one) for id_, of in decisions.items() for k, one in enumerate(of)]
            with theirs:
                alpha = AnnotationTask(rows, distance=distance).alpha()
            figures["ratio_nltk"] = theirs.seconds / spent.seconds
            print(f"{'NLTK, the same':58} {theirs.seconds:9.3f}   {alpha:.6f}")
            if abs(alpha - found.alpha) > 1e-9:
                faults.append(f"alpha {found.alpha}, by NLTK {alpha}")
    return figures, faults


def distance(a: frozenset[str], b: frozenset[str]) -> float:
    """MASI's by the operators of sets: NLTK's own has thirds for its weights, and none for two empty sets."""
    if a == b:
        return 0.0
    return 1 - (0.67 if a < b or b < a else 0.33) * len(a & b) / len(a | b)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=SAMPLE, help="models and pairs that SciPy is timed on")
    options = parser.parse_args()
    figures, faults = measure_intervals(options.sample)
    of_alpha, more = measure_alpha()
    figures |= of_alpha
    for name, (words, aim) in AIMS.items():
        if not (figures[name] >= aim if words == "at least" else figures[name] <= aim):
            print(f"aim missed: {name} {figures[name]:.4g}, {words} {aim}")
    print(json.dumps({name: round(value, 4) for name, value in figures.items()}))
    for fault in [*faults, *more][:20]:
        print(fault, file=sys.stderr)
    return 1 if faults or more else 0


if __name__ == "__main__":
    sys.exit(main())
