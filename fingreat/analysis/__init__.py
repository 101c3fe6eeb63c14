"""Measures: pure functions over records."""

from fingreat.analysis.agreement import Agreement, CohortAgreement, agreement_by_filing, measure_agreement
from fingreat.analysis.gold import EdgeScore, GoldScore, binomial_tail, score_against_gold
from fingreat.analysis.ratio import Ratio

__all__ = [
    "Agreement",
    "CohortAgreement",
    "EdgeScore",
    "GoldScore",
    "Ratio",
    "agreement_by_filing",
    "binomial_tail",
    "measure_agreement",
    "score_against_gold",
]
