"""Agreement of a model with its repeats: what equal quotes leave open is not taken for noise of the model."""

from __future__ import annotations

from fingreat.analysis import Agreement
from fingreat.report.noise_table import NoisePair, noise_table


def found(same_edge: int, same_edge_range: tuple[int, int]) -> Agreement:
    """Ten extractions of either run, all matched."""
    return Agreement(
        n=10, n_reference=10, matched=10, same_edge=same_edge, categories=(), edges=(), same_edge_range=same_edge_range
    )


def test_lowest_and_highest_stand_beside_the_assignment_that_was_taken_and_notes_say_what_is_noise() -> None:
    """A sentence that is quoted under two edges can be matched with itself crosswise: 8, 10 or 6 of 10 agree."""
    table = noise_table([NoisePair("lexicon", "lexicon-repeat-1", True, found(8, (6, 10)))], 3)
    labels = [column.label for column in table.columns]
    (row,) = table.rows
    cells = dict(zip(labels, row, strict=True))
    assert (cells["conditional precision"].k, cells["lowest"], cells["highest"]) == (8, 0.6, 1.0)
    assert any("place, order and id decide" in note for note in table.notes)
    assert any("only what the highest lacks is noise of the model" in note for note in table.notes)


def test_without_equal_quotes_nothing_is_said_of_them() -> None:
    table = noise_table([NoisePair("embed", "embed-repeat-1", True, found(8, (8, 8)))], 3)
    assert not any("place, order and id" in note for note in table.notes)
