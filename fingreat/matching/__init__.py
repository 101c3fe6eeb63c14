"""Quotes against their text and against each other.

`normalise` gives the one normal form that all comparisons use, `tokens` its words and figures, `Grounder` (or
`ground` for a single quote) the verdict of a quote and its place in the text, `match_extractions` which
extractions of two runs quote the same passage, and `group_matches` which of several runs do.
"""

from fingreat.matching.assign import conditional_precision_range, match_extractions
from fingreat.matching.fidelity import Fidelity, fidelity
from fingreat.matching.filing import By, FilingCandidates, FilingMatcher
from fingreat.matching.ground import Grounder, Grounding, ground
from fingreat.matching.groups import Grouped, group_matches
from fingreat.matching.normalise import Normalised, normalise
from fingreat.matching.overlap import Components, Overlap, components, overlap, prepare
from fingreat.matching.pairs import MIN_OVERLAP
from fingreat.matching.tokens import Token, tokens
from fingreat.matching.weight import differences

__all__ = [
    "MIN_OVERLAP",
    "By",
    "Components",
    "Fidelity",
    "FilingCandidates",
    "FilingMatcher",
    "Grounder",
    "Grounding",
    "Grouped",
    "Normalised",
    "Overlap",
    "Token",
    "components",
    "conditional_precision_range",
    "differences",
    "fidelity",
    "ground",
    "group_matches",
    "match_extractions",
    "normalise",
    "overlap",
    "prepare",
    "tokens",
]
