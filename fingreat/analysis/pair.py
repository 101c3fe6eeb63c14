"""All that is known of one run against one reference."""

from __future__ import annotations

from dataclasses import dataclass

from fingreat.analysis.agreement import Agreement
from fingreat.analysis.fidelity import FidelityCounts
from fingreat.analysis.spans import CharacterAgreement


@dataclass(frozen=True)
class PairAgreement:
    """A run against a reference run, over the filings that both read.

    Attributes:
        run, reference: their names.
        words: agreement of quotes that were matched by their words.
        spans: of quotes that were matched by their places.
        characters: of the characters quoted, without matching.
        fidelity: whether quotes that were matched by their words say the same.
    """

    run: str
    reference: str
    words: Agreement
    spans: Agreement
    characters: CharacterAgreement
    fidelity: FidelityCounts
