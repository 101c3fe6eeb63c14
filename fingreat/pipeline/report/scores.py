"""A run and its score as the page shows them, and the score in words."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from fingreat.analysis import GoldScore
from fingreat.pipeline.report.measured import MeasuredRun
from fingreat.report import EdgeScore, RunView, ScoreView, count_of, number_text, percent
from fingreat.report.columns import share

SIGNIFICANT = 0.05
P_DIGITS = 4
"""Decimal places of a probability by chance."""


def run_view(run: MeasuredRun) -> RunView:
    """The run as the page shows it."""
    counts = run.manifest.counts
    has_tokens = bool(counts["output_tokens"])
    return RunView(
        name=run.name,
        model=f"{run.manifest.model.spec} ({run.manifest.model.model})",
        mode=run.manifest.resolved["mode"],
        extractions=run.extractions,
        replies=counts["requests_by_state"],
        prompt_tokens=counts["prompt_tokens"] if has_tokens else None,
        output_tokens=counts["output_tokens"] if has_tokens else None,
        seconds=counts["model_seconds"],
        score=score_view(run.score) if run.score else None,
        failures=run.failures,
        notes=run.notes,
    )


def score_view(score: GoldScore) -> ScoreView:
    """The score as the page shows it."""
    return ScoreView(
        precision=share(score.precision),
        recall=share(score.recall),
        edges=tuple(
            EdgeScore(edge=row.edge, precision=share(row.precision), recall=share(row.recall)) for row in score.edges
        ),
        chance=score.chance_precision,
        sentence=in_words(score),
        found=score.found,
        other_edge=score.other_edge,
    )


def in_words(score: GoldScore) -> str:
    """The honest reading of a score: what was found, and whether its edges are better than chance."""
    return " ".join(_sentences(score))


def _sentences(score: GoldScore) -> Sequence[str]:
    sentences = []
    if not score.precision.total:
        sentences.append("No extractions, so there is no precision.")
    else:
        sentences.append(
            f"{score.located.hits} of {score.located.total} extractions lie on evidence, "
            f"{score.typed.hits} of them with an accepted edge."
        )
        sentences.append(_against_chance(score))
    if score.duplicates:
        sentences.append(f"{count_of(score.duplicates, 'repeated extraction')} (same place, same edge) count once.")
    if score.unscored_filings:
        sentences.append(
            f"Over {count_of(score.filings, 'filing')} with gold; {count_of(score.unscored_filings, 'filing')} without "
            f"any, and {count_of(score.unscored, 'extraction')} there, play no part."
        )
    return sentences


def _against_chance(score: GoldScore) -> str:
    p = p_value(score)
    if score.chance_typed is None or p is None:
        return (
            f"No better than chance: a place and an edge drawn at random are right with probability "
            f"{percent(score.chance_precision)}."
        )
    level = f"an edge drawn at random would be right for {percent(score.chance_typed)} of them"
    shown = number_text(p, P_DIGITS)
    luck = f"(p < {shown[1:]})" if shown.startswith("<") else f"(p = {shown})"
    if p > SIGNIFICANT:
        return f"At chance: {level}, and as many or more would come out by luck {luck}. Read its edges as guesses."
    return f"Above chance: {level} {luck}."


def p_value(score: GoldScore) -> float | None:
    """So many right edges or more by chance; one too small for a float is the smallest, not 0."""
    return None if score.typed_p_value is None else max(score.typed_p_value, sys.float_info.min)
