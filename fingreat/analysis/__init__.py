"""Measures: pure functions over records."""

from fingreat.analysis.accuracy import Accuracy, CohortAccuracy, measure_accuracy
from fingreat.analysis.agreement import Agreement, CohortAgreement, agreement_by_filing, measure_agreement
from fingreat.analysis.fidelity import FidelityCounts, FidelityTally
from fingreat.analysis.filings import by_filing
from fingreat.analysis.gold import EdgeScore, GoldScore, binomial_tail, score_against_gold
from fingreat.analysis.ratio import Interval, Ratio
from fingreat.analysis.tags import TagRow, TagScore, measure_tags

__all__ = [
    "Accuracy",
    "Agreement",
    "CohortAccuracy",
    "CohortAgreement",
    "EdgeScore",
    "FidelityCounts",
    "FidelityTally",
    "GoldScore",
    "Interval",
    "Ratio",
    "TagRow",
    "TagScore",
    "agreement_by_filing",
    "binomial_tail",
    "by_filing",
    "measure_accuracy",
    "measure_agreement",
    "measure_tags",
    "score_against_gold",
]
