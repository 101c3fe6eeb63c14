"""The same passages in two tasks: every share is counted by hand."""

from __future__ import annotations

import pytest
from analysis.written_sheets import gold, sheet_of

from fingreat.analysis import FilingBootstrap, Ratio, stability_of
from fingreat.errors import InputError

NAMES = ("model", "quotes", "answers")
PASSAGES = [
    gold("both", "REV-NNCA"),
    gold("lost", "NNCA-CASH"),
    gold("won", "CASH-DIV", "CASH-REP"),
    gold("neither", "NNCA-TAX", filing="F2"),
    gold("failed", "NNCA-TAX", filing="F2"),
    gold("other", "ISS-NNCA", "ISS-CASH", filing="F2"),
    gold("unquoted", "OCI-NNCA", filing="F2"),
    gold("unread", "OCI-NNCA", filing="F3"),
]
ANSWERS = ["REV-NNCA", "CASH-DIV", "CASH-REP", "REV-NNCA", None, "ISS-CASH", "OCI-NNCA", "OCI-NNCA"]
EXTRACTED = {
    "both": ["REV-NNCA"],
    "lost": ["NNCA-CASH"],
    "won": ["NNCA-CASH"],
    "neither": ["REV-NNCA"],  # the same wrong edge
    "failed": ["NNCA-TAX"],
    "other": ["ISS-NNCA"],  # right by another edge
}


def ratios(found: object, *names: str) -> list[tuple[int, int]]:
    return [(one.hits, one.total) for one in (getattr(found, name) for name in names)]


def test_both_accuracies_same_edges_and_transitions_are_over_the_quoted_passages() -> None:
    found = stability_of(sheet_of(PASSAGES, {"answers": ANSWERS}), NAMES, EXTRACTED, {"F1", "F2"})
    assert (found.model, found.extraction, found.classification) == NAMES
    # Of the 7 passages of filings that were read, 6 are quoted.
    assert found.quoted == Ratio(6, 7)
    assert (found.not_quoted, found.unread) == (("unquoted",), 1)
    # Extracted right: both, lost, failed, other. Classified right: both, won, other. Same edge: both, neither.
    assert ratios(found, "extracted", "classified", "same_edge") == [(4, 6), (3, 6), (2, 6)]
    assert ratios(found, "both", "only_extracted", "only_classified", "neither") == [(2, 6), (2, 6), (1, 6), (1, 6)]
    # On all passages: both, won, other, unquoted, unread.
    assert found.overall == Ratio(5, 8)
    assert found.difference is None
    # No passage is quoted twice, so that nothing is open.
    assert (found.several, found.extracted_range, found.same_edge_range) == (0, (4, 4), (2, 2))


def test_passages_quoted_under_several_edges_give_the_fewest_and_the_most() -> None:
    twice = {
        **EXTRACTED,
        # Extracted right either way, the same edge by the second alone.
        "other": ["ISS-NNCA", "ISS-CASH"],
        # Right and the same by the second alone.
        "won": ["NNCA-CASH", "CASH-REP"],
        # Right by the first alone, the same by none: the reply failed.
        "failed": ["NNCA-TAX", "REV-NNCA"],
        # Twice the same edge is no other.
        "lost": ["NNCA-CASH", "NNCA-CASH"],
        # Not read.
        "unread": ["OCI-NNCA", "REV-NNCA"],
    }
    found = stability_of(sheet_of(PASSAGES, {"answers": ANSWERS}), NAMES, twice, {"F1", "F2"})
    # The first of each counts: as without the others.
    assert ratios(found, "extracted", "classified", "same_edge") == [(4, 6), (3, 6), (2, 6)]
    assert found.several == 3
    # Right by all edges: both, lost, other; by any also won and failed. The same by all: both, neither; by any also won
    # and other.
    assert (found.extracted_range, found.same_edge_range) == ((3, 5), (2, 4))


def test_intervals_and_that_of_the_difference_are_on_the_same_draws_of_filings() -> None:
    # F1: extracted 1 of 2, classified 2 of 2; F2: extracted 0 of 1, classified 1 of 1. Draws of F1 twice give a
    # difference of 1/2, of F2 twice 1, of both 2/3; the first two are a quarter of all draws each.
    passages = [gold("a", "REV-NNCA"), gold("b", "REV-NNCA"), gold("c", "REV-NNCA", filing="F2")]
    sheet = sheet_of(passages, {"answers": ["REV-NNCA"] * 3})
    extracted = {"a": ["REV-NNCA"], "b": ["CASH-DIV"], "c": ["CASH-DIV"]}
    found = stability_of(sheet, NAMES, extracted, {"F1", "F2"}, FilingBootstrap(2, replicates=400))
    assert (found.difference.low, found.difference.high) == (0.5, 1.0)
    assert (found.extracted.interval.low, found.extracted.interval.high) == (0.0, 0.5)
    assert (found.classified.interval.low, found.classified.interval.high) == (1.0, 1.0)


def test_of_a_run_that_quotes_no_gold_passage_shares_have_no_value() -> None:
    sheet = sheet_of(PASSAGES, {"answers": ANSWERS})
    found = stability_of(sheet, NAMES, {}, {"F1"}, FilingBootstrap(3, replicates=10))
    assert found.quoted == Ratio(0, 3)
    assert (found.extracted.value, found.same_edge.value, found.difference) == (None, None, None)


def test_an_extraction_of_a_filing_that_was_not_read_is_no_part_of_it() -> None:
    found = stability_of(sheet_of(PASSAGES, {"answers": ANSWERS}), NAMES, EXTRACTED, {"F1"})
    assert found.quoted == Ratio(3, 3)
    assert found.unread == 5


def test_a_run_over_other_filings_and_one_that_is_not_there_are_refused() -> None:
    sheet = sheet_of(PASSAGES, {"answers": ANSWERS})
    with pytest.raises(InputError, match="quotes: read no filing that has a gold passage"):
        stability_of(sheet, NAMES, {}, {"F9"})
    with pytest.raises(InputError, match="nobody: has no answers"):
        stability_of(sheet, ("model", "quotes", "nobody"), {}, {"F1"})
