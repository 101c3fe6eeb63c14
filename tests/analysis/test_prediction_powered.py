"""Shares corrected by labels: a small corpus worked out by hand, and the bootstrap of the same estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student

from fingreat.analysis import CorrectedShare, CorrectedShares, CorrectionTally, FilingBootstrap
from fingreat.analysis.prediction_powered import LEAST_LABELS, NO_EVIDENCE, corrected
from fingreat.errors import InputError
from fingreat.schema import Extraction, Verdict, load_graph

GRAPH = load_graph()
REV, COGS, CASH = "REV-NNCA", "NNCA-COGS", "NNCA-CASH"


def quotes(filing: str, *edges: str) -> list[Extraction]:
    return [
        Extraction(id=f"{filing}{n}", run="run", filing_id=filing, chunk_id="c", quote="q", edge=edge,
                   verdict=Verdict.EXACT)
        for n, edge in enumerate(edges)
    ]  # fmt: skip


def tally_of(
    filings: dict[str, tuple[Sequence[str], Sequence[tuple[int, frozenset[str]]]]],
) -> CorrectionTally:
    """Filing → the edges of its extractions, and of some of them (by number) what readers accept."""
    tally = CorrectionTally("run", GRAPH)
    for filing, (edges, labels) in filings.items():
        own = quotes(filing, *edges)
        tally.add(filing, own, [([own[number]], accepted) for number, accepted in labels])
    return tally


def of(found: CorrectedShares, name: str) -> CorrectedShare:
    return next(share for share in found.shares if share.name == name)


SMALL = {
    "F1": ((REV, REV, COGS), [(0, frozenset({REV})), (2, frozenset({REV, COGS}))]),
    "F2": ((REV, CASH), [(0, frozenset({CASH}))]),
    "F3": ((REV, COGS, CASH, CASH, CASH), []),
    "F4": ((), []),
}
"""10 extractions: 4 REV, 2 COGS, 4 CASH. Three labels in two filings."""


def repeated(filings: dict, times: int) -> dict:
    """Every extraction and label so many times."""
    return {
        name: (edges * times, [(n + len(edges) * again, of) for again in range(times) for n, of in labels])
        for name, (edges, labels) in filings.items()
    }


def test_shares_are_as_worked_out_by_hand() -> None:
    found = tally_of(SMALL).shares()
    assert (found.filings, found.extractions) == (4, 10)
    assert (found.gold_filings, found.gold_passages, found.labelled) == (2, 3, 3)
    # REV: readers less run are 1 - 1, 1/2 - 0 and 0 - 1, so -1/2 over three: 0.4 - 1/6.
    assert of(found, REV).value == pytest.approx(0.4 - 1 / 6)
    # COGS: 0, 1/2 - 1 and 0: 0.2 - 1/6. CASH: 0, 0 and 1: 0.4 + 1/3.
    assert of(found, COGS).value == pytest.approx(0.2 - 1 / 6)
    assert of(found, CASH).value == pytest.approx(0.4 + 1 / 3)
    assert [of(found, name).labelled for name in (REV, COGS, CASH)] == [3, 1, 1]
    # Net Income holds REV and COGS; Cash Flow holds CASH; all of them make 1.
    assert of(found, "Net Income").value == pytest.approx(0.6 - 1 / 3)
    assert of(found, "Cash Flow").value == pytest.approx(0.4 + 1 / 3)
    assert (of(found, REV).uncorrected.hits, of(found, REV).uncorrected.total) == (4, 10)


def test_every_extraction_of_a_labelled_passage_has_its_label() -> None:
    # The passage of F1's first two extractions accepts both of their edges, that of F2 one of two.
    tally = CorrectionTally("run", GRAPH)
    one, two = quotes("F1", REV, COGS, CASH), quotes("F2", REV, CASH)
    tally.add("F1", one, [(one[:2], frozenset({REV, COGS}))])
    tally.add("F2", two, [(two, frozenset({REV}))])
    found = tally.shares()
    assert (found.gold_passages, found.labelled, found.gold_filings) == (2, 4, 2)
    # REV: 1/2 - 1 and 1/2 for F1, 1 - 1 and 1 for F2, over four. Of F1 nothing moves: both edges are right.
    assert of(found, REV).value == pytest.approx(2 / 5 + 1 / 4)
    assert of(found, COGS).value == pytest.approx(1 / 5)
    assert of(found, CASH).value == pytest.approx(2 / 5 - 1 / 4)
    assert [of(found, name).labelled for name in (REV, COGS, CASH)] == [4, 2, 1]


def test_the_standard_error_is_as_worked_out_by_hand() -> None:
    # REV, filing by filing. Extractions less 0.4 of all, over 10: 0.8, 0.2, -1 and 0 of ten, times sqrt(4/3) for four
    # filings. Labels: 1/2 and -1 less -1/6 of 2 and 1, over 3: 5/6 and -5/6 of three, times sqrt(2/1) for the two
    # filings that have some. Passages that are there four times leave all ratios as they are, and are labels enough.
    shares = np.array([0.08, 0.02, -0.1, 0.0]) * (4 / 3) ** 0.5
    labels = np.array([5 / 18, -5 / 18, 0.0, 0.0]) * 2**0.5
    error = float(np.sqrt(np.square(shares + labels).sum()))
    share = of(tally_of(repeated(SMALL, 4)).shares(), REV)
    assert share.labelled == 12
    assert share.standard_error == pytest.approx(error)
    # Student's t of one degree of freedom: 12.706.
    width = student.ppf(0.975, 1) * error
    assert share.interval == (pytest.approx(0.4 - 1 / 6 - width), pytest.approx(0.4 - 1 / 6 + width))


def test_the_standard_error_is_that_of_drawing_filings() -> None:
    generator = np.random.default_rng(5)
    totals = generator.integers(1, 12, size=300)
    above = generator.binomial(totals, generator.beta(3, 5, size=300))[:, None]
    labels = np.where(generator.random(300) < 0.5, generator.binomial(totals, 0.4), 0)
    off = (generator.binomial(labels, 0.3) - generator.binomial(labels, 0.1))[:, None]
    found = corrected(above, totals, off, labels)
    assert found is not None
    drawn = generator.integers(300, size=(4000, 300))
    by_draw = above[drawn, 0].sum(1) / totals[drawn].sum(1) + off[drawn, 0].sum(1) / labels[drawn].sum(1)
    # 4,000 draws tell a standard error to within about 1 %.
    assert found.errors[0] == pytest.approx(by_draw.std(), rel=0.05)
    assert found.df == np.count_nonzero(labels) - 1


def test_passages_that_readers_see_no_edge_in_are_no_evidence() -> None:
    more = {**SMALL, "F5": ((COGS,), [(0, frozenset())])}
    found = tally_of(more).shares()
    nothing = of(found, NO_EVIDENCE)
    # One of four labels; the run itself extracts none such of its eleven.
    assert (nothing.kind, nothing.value, nothing.labelled) == ("none", pytest.approx(0.25), 1)
    assert (nothing.uncorrected.hits, nothing.uncorrected.total) == (0, 11)
    # The run's COGS is none: 3/11 + (-1/2 - 1) / 4.
    assert of(found, COGS).value == pytest.approx(3 / 11 - 1.5 / 4)


def test_an_edge_of_which_no_label_speaks_is_not_corrected() -> None:
    found = tally_of({**SMALL, "F5": (("NNCA-TAX",), [])}).shares()
    share = of(found, "NNCA-TAX")
    assert (share.uncorrected.hits, share.labelled) == (1, 0)
    assert (share.value, share.standard_error, share.interval) == (None, None, None)


def test_filings_that_are_all_alike_have_no_standard_error() -> None:
    same = {name: ((REV, REV), [(0, frozenset({REV}))]) for name in ("F1", "F2", "F3")}
    share = of(tally_of(repeated(same, 4)).shares(), REV)
    assert (share.value, share.standard_error, share.interval) == (1.0, None, None)


def test_with_fewer_than_ten_labels_that_speak_of_an_edge_it_has_a_value_and_no_interval() -> None:
    nine = {
        "F1": ((REV,) * 6 + (COGS,) * 9, [(n, frozenset({REV})) for n in range(5)] + [(6, frozenset({COGS}))]),
        "F2": ((REV,) * 4 + (CASH,) * 8, [(n, frozenset({CASH})) for n in range(4)]),
    }
    found = of(tally_of(nine).shares(), REV)
    assert (found.labelled, found.standard_error, found.interval) == (9, None, None)
    # 10 of 27 by the run; of ten labels four are not what readers say.
    assert found.value == pytest.approx(10 / 27 - 4 / 10)
    # A label to which only readers give it speaks of it, too.
    nine["F2"][1].append((4, frozenset({REV, CASH})))
    found = of(tally_of(nine).shares(), REV)
    assert found.labelled == LEAST_LABELS == 10
    assert None not in (found.standard_error, found.interval)


def test_intervals_of_rare_edges_hold_the_truth_as_often_as_they_say_where_ten_labels_speak() -> None:
    # 5 in 100 passages are of the edge, more in some filings than in others; the run misses 40 % of them and adds 0.5 %
    # of the others. Of 300 filings with 10 passages each, 60 have 3 labels.
    generator, held = np.random.default_rng(7), {True: [], False: []}
    labels = np.where(np.arange(300) < 60, 3, 0)
    read = np.arange(10) < labels[:, None]
    for _ in range(2000):
        is_edge = generator.random((300, 10)) < generator.beta(1, 19, size=300)[:, None]
        given = np.where(is_edge, generator.random((300, 10)) < 0.6, generator.random((300, 10)) < 0.005)
        off = ((is_edge * 1 - given) * read).sum(axis=1, keepdims=True)
        found = corrected(given.sum(axis=1, keepdims=True), np.full(300, 10), off, labels)
        inside = abs(found.values[0] - 0.05) <= student.ppf(0.975, found.df) * found.errors[0]
        held[bool(((is_edge | given) & read).sum() >= LEAST_LABELS)].append(inside)
    assert min(map(len, held.values())) > 900
    assert np.mean(held[False]) < 0.9
    # By chance alone 1,000 corpora give 93.6 to 96.4 % in 19 of 20 cases.
    assert 0.93 <= np.mean(held[True]) <= 0.98


@pytest.mark.parametrize("filings", [["F1", "F3"], ["F3", "F4"], ["F4"], []])
def test_labels_in_fewer_than_two_filings_correct_nothing(filings: list[str]) -> None:
    found = tally_of(SMALL).shares(filings, year=2020)
    assert found.year == 2020
    assert found.gold_filings < 2
    assert {share.value for share in found.shares} == {None}


def test_some_filings_are_measured_as_if_there_were_no_others() -> None:
    some = {name: SMALL[name] for name in ("F1", "F2")}
    draws = FilingBootstrap(2, replicates=100)
    assert tally_of(SMALL).shares(["F2", "F1"], bootstrap=draws) == tally_of(some).shares(bootstrap=draws)


def test_uncorrected_intervals_draw_filings() -> None:
    # Of two filings with 2 of 3 and 1 of 2, draws give 2/3, 3/5 and 1/2.
    share = of(tally_of(SMALL).shares(["F1", "F2"], bootstrap=FilingBootstrap(2, replicates=200)), REV)
    assert share.uncorrected.interval is not None
    assert (share.uncorrected.interval.low, share.uncorrected.interval.high) == (0.5, pytest.approx(2 / 3))
    assert of(tally_of(SMALL).shares(), REV).uncorrected.interval is None


def test_the_order_of_filings_plays_no_part() -> None:
    draws = FilingBootstrap(4, replicates=100)
    turned = dict(reversed(SMALL.items()))
    assert tally_of(turned).shares(bootstrap=draws) == tally_of(SMALL).shares(bootstrap=draws)


def test_what_does_not_belong_together_is_refused() -> None:
    tally = tally_of(SMALL)
    with pytest.raises(InputError, match="run run, filing F1: was counted before"):
        tally.add("F1", [])
    own = quotes("F9", REV)
    with pytest.raises(InputError, match="has edge NO-EDGE, no edge of graph"):
        tally.add("F9", own, [(own, frozenset({"NO-EDGE"}))])
    with pytest.raises(InputError, match="has edge REV-NNCA, no edge of graph"):
        CorrectionTally("run", replace(GRAPH, edges={COGS: GRAPH.edges[COGS]})).add("F9", own)
    with pytest.raises(InputError, match="has no grouping 'colour'"):
        CorrectionTally("run", GRAPH, grouping="colour")
    # What was refused was not counted.
    assert tally.shares().filings == 4
