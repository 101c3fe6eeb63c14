"""Measures: pure functions over records."""

from fingreat.analysis.gold import EdgeScore, GoldScore, Ratio, binomial_tail, score_against_gold

__all__ = ["EdgeScore", "GoldScore", "Ratio", "binomial_tail", "score_against_gold"]
