"""Quotes against their text and against each other.

`normalise` gives the one normal form that all comparisons use, `tokens` its words and figures, and
`Grounder` (or `ground` for a single quote) the verdict of a quote and its place in the text.
"""

from fingreat.matching.ground import Grounder, Grounding, ground
from fingreat.matching.normalise import Normalised, normalise
from fingreat.matching.tokens import Token, tokens
from fingreat.matching.weight import differences

__all__ = ["Grounder", "Grounding", "Normalised", "Token", "differences", "ground", "normalise", "tokens"]
