"""Extractions of runs that share passages and part in all the ways that matching knows."""

from __future__ import annotations

import random
from collections.abc import Sequence

from extraction_builders import an_extraction

from fingreat.schema import Extraction, load_graph

WORDS = ("alpha", "beta", "gamma", "delta", "eta", "iota", "kappa", "lambda", "mu", "nu", "xi", "pi", "rho", "sigma")
EDGES = tuple(load_graph().edges)[:4]


def planted(name: str, seed: int, filings: Sequence[str]) -> list[Extraction]:
    """Extractions of sentences that all seeds share, some of them cut, altered, repeated or out of place."""
    draw = random.Random(f"{seed}")
    found = []
    for number, filing in enumerate(filings):
        text = random.Random(filing)
        at = 0
        for place in range(8):
            sentence = " ".join(text.choice(WORDS) for _ in range(text.randint(6, 14))) + f" {text.randint(1, 60)}%"
            start, at = at, at + len(sentence) + 1
            for _ in range(draw.choice((0, 1, 1, 1, 1, 2))):
                quote = draw.choice((sentence, sentence, sentence[: -draw.randint(4, 9)], f"{sentence} not"))
                ranges = draw.choice((((start, start + len(quote)),),) * 5 + ((),))
                edge = draw.choice((EDGES[place % 4],) * 3 + EDGES)
                found.append(an_extraction(filing, f"{name}-{number}-{place}-{len(found)}", quote, edge, ranges=ranges))
    return found
