"""Measures: pure functions over records."""

from fingreat.analysis.accepted import Cohorts, accepted_of, cohorts_of
from fingreat.analysis.accuracy import Accuracy, CohortAccuracy, measure_accuracies, measure_accuracy
from fingreat.analysis.agreement import (
    Agreement,
    CohortAgreement,
    PairTally,
    Side,
    measure_agreement,
)
from fingreat.analysis.answers import AnswerSheet, answer_sheet
from fingreat.analysis.behavior import Behavior, BehaviorTally, Emphasis, Portion
from fingreat.analysis.bootstrap import (
    MOST_REPLICATES,
    REPLICATES,
    SEED,
    FilingBootstrap,
    ratio_of_sums,
    ratios_of_sums,
)
from fingreat.analysis.differences import PairedDifference, clustered_t, holm, mcnemar, paired_differences
from fingreat.analysis.ensemble import CohortPrecision, EnsembleRow, EnsembleScore, EnsembleTally, majority
from fingreat.analysis.errors import (
    Confusion,
    ErrorOverlap,
    Errors,
    PassageAnswers,
    error_jaccard,
    errors_of,
    matched_accuracy,
)
from fingreat.analysis.families import FamilyAccuracy, Gap, ModelFacts, measure_families, measure_gaps
from fingreat.analysis.fidelity import FidelityCounts, FidelityTally
from fingreat.analysis.filings import by_filing
from fingreat.analysis.frontier import CostAccuracy, Standing, measure_frontier
from fingreat.analysis.gold import EdgeScore, GoldScore, binomial_tail, score_against_gold
from fingreat.analysis.groups import GroupCounts, GroupsOfSize, GroupTally
from fingreat.analysis.pair import PairAgreement
from fingreat.analysis.panel import PanelContents, PanelRow, panel_contents, panel_rows
from fingreat.analysis.power import PairedDesign, Power, paired_power, smallest_difference
from fingreat.analysis.prediction_powered import CorrectedShare, CorrectedShares, CorrectionTally
from fingreat.analysis.ratio import Interval, Ratio
from fingreat.analysis.reviews import Decision, Review, ReviewAgreement, decisions_of, masi_distance, measure_reviews
from fingreat.analysis.spans import CharacterAgreement, CharacterTally
from fingreat.analysis.stability import Stability, stability_of
from fingreat.analysis.tags import TagRow, TagScore, TagTally, measure_tags
from fingreat.analysis.vocabulary import Vocabulary, normalise_tag, vocabulary_of, vocabulary_overlap
from fingreat.analysis.volume import Volume, VolumeTally

__all__ = [
    "MOST_REPLICATES",
    "REPLICATES",
    "SEED",
    "Accuracy",
    "Agreement",
    "AnswerSheet",
    "Behavior",
    "BehaviorTally",
    "CharacterAgreement",
    "CharacterTally",
    "CohortAccuracy",
    "CohortAgreement",
    "CohortPrecision",
    "Cohorts",
    "Confusion",
    "CorrectedShare",
    "CorrectedShares",
    "CorrectionTally",
    "CostAccuracy",
    "Decision",
    "EdgeScore",
    "Emphasis",
    "EnsembleRow",
    "EnsembleScore",
    "EnsembleTally",
    "ErrorOverlap",
    "Errors",
    "FamilyAccuracy",
    "FidelityCounts",
    "FidelityTally",
    "FilingBootstrap",
    "Gap",
    "GoldScore",
    "GroupCounts",
    "GroupTally",
    "GroupsOfSize",
    "Interval",
    "ModelFacts",
    "PairAgreement",
    "PairTally",
    "PairedDesign",
    "PairedDifference",
    "PanelContents",
    "PanelRow",
    "PassageAnswers",
    "Portion",
    "Power",
    "Ratio",
    "Review",
    "ReviewAgreement",
    "Side",
    "Stability",
    "Standing",
    "TagRow",
    "TagScore",
    "TagTally",
    "Vocabulary",
    "Volume",
    "VolumeTally",
    "accepted_of",
    "answer_sheet",
    "binomial_tail",
    "by_filing",
    "clustered_t",
    "cohorts_of",
    "decisions_of",
    "error_jaccard",
    "errors_of",
    "holm",
    "majority",
    "masi_distance",
    "matched_accuracy",
    "mcnemar",
    "measure_accuracies",
    "measure_accuracy",
    "measure_agreement",
    "measure_families",
    "measure_frontier",
    "measure_gaps",
    "measure_reviews",
    "measure_tags",
    "normalise_tag",
    "paired_differences",
    "paired_power",
    "panel_contents",
    "panel_rows",
    "ratio_of_sums",
    "ratios_of_sums",
    "score_against_gold",
    "smallest_difference",
    "stability_of",
    "vocabulary_of",
    "vocabulary_overlap",
]
