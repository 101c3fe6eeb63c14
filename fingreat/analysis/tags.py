"""Whether a model's tags go with its edges: a vocabulary that is reused, and reused for the same flow.

The strings are the model's own, as it wrote them: `Revenue` and `revenue` are two tags here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, log2

from fingreat.analysis.filings import Filings, by_filing
from fingreat.analysis.ratio import Ratio
from fingreat.schema import Extraction

Weights = Mapping[str, Fraction]


@dataclass(frozen=True)
class TagRow:
    """One tag of a run.

    Attributes:
        n: extractions that carry it.
        filings: that hold one of these.
        weight: what they give it: each extraction shares a weight of one among its tags.
        share: of the weight of all tags.
        edge: the edge with most of its weight; of equal ones the first by name.
        edge_share: that edge's part of the tag's weight.
    """

    tag: str
    n: int
    filings: int
    weight: float
    share: float
    edge: str
    edge_share: float


@dataclass(frozen=True)
class TagScore:
    """The tags of a run. Only tagged extractions count; how many are not is told beside.

    Attributes:
        tagged, untagged: extractions with and without a tag.
        uses: how often a tag is carried: the sum of `n` over the tags.
        one_off: tags that a single extraction carries, of the vocabulary.
        reused: uses of tags that several extractions carry, of all uses.
        recurring: tags that stand in several filings, of the vocabulary.
        purity: sum over tags of the weight of their main edge, of all weight.
        reused_purity: the same over tags that several extractions carry; None where there are none.
        edge_entropy: H(E) of the edges of tagged extractions, in bits.
        conditional_entropy: H(E|T), in bits: what a tag leaves open about the edge.
        homogeneity: 1 - H(E|T) / H(E), and 1 where H(E) is 0.
        rows: every tag, heaviest first; of equal ones by name.

    Measures of weight are None where nothing is tagged.
    """

    tagged: int
    untagged: int
    uses: int
    one_off: Ratio
    reused: Ratio
    recurring: Ratio
    purity: float | None
    reused_purity: float | None
    edge_entropy: float | None
    conditional_entropy: float | None
    homogeneity: float | None
    rows: tuple[TagRow, ...]

    @property
    def vocabulary(self) -> int:
        """How many different tags there are."""
        return len(self.rows)

    @property
    def coverage(self) -> Ratio:
        """Extractions with a tag, of all."""
        return Ratio(self.tagged, self.tagged + self.untagged)

    @property
    def uses_per_tag(self) -> float | None:
        """How many extractions carry a tag, on average; None without tags."""
        return self.uses / self.vocabulary if self.vocabulary else None


class TagTally:
    """Counts the tags of a run, one filing after the other, so that only its vocabulary is in memory."""

    def __init__(self) -> None:
        self._seen = Filings()
        self._carried: Counter[str] = Counter()
        self._filings: Counter[str] = Counter()
        self._pairs: dict[str, Counter[tuple[str, int]]] = {}
        self._tagged = self._untagged = 0

    @property
    def vocabulary(self) -> Collection[str]:
        """The different tags."""
        return self._carried.keys()

    def add(self, filing_id: str, extractions: Sequence[Extraction]) -> None:
        """Count all extractions of one filing.

        Raises:
            InputError: the filing was counted before, or an extraction is of another filing.
        """
        self._seen.check(filing_id, extractions)
        self._seen.add(filing_id)
        here: set[str] = set()
        for extraction in extractions:
            tags = {tag for tag in extraction.tags if tag.strip()}
            self._tagged, self._untagged = self._tagged + bool(tags), self._untagged + (not tags)
            self._carried.update(tags)
            here |= tags
            for tag in tags:
                self._pairs.setdefault(tag, Counter())[extraction.edge, len(tags)] += 1
        self._filings.update(here)

    def score(self) -> TagScore:
        """The measures of what was counted."""
        carried, tagged = self._carried, self._tagged
        weights = {tag: _weights(counts) for tag, counts in self._pairs.items()}
        rows = sorted(
            (_row(tag, (carried[tag], self._filings[tag]), by_edge, tagged) for tag, by_edge in weights.items()),
            key=lambda row: (-row.weight, row.tag),
        )
        by_edge = _sum(weights.values())
        entropy = _entropy(by_edge) if tagged else None
        left = fsum(float(sum(w.values()) / tagged) * _entropy(w) for w in weights.values()) if tagged else None
        several = [tag for tag, n in carried.items() if n > 1]
        return TagScore(
            tagged=tagged,
            untagged=self._untagged,
            uses=carried.total(),
            one_off=Ratio(len(carried) - len(several), len(carried)),
            reused=Ratio(sum(carried[tag] for tag in several), carried.total()),
            recurring=Ratio(sum(n > 1 for n in self._filings.values()), len(carried)),
            purity=_purity(weights.values()),
            reused_purity=_purity([weights[tag] for tag in several]),
            edge_entropy=entropy,
            conditional_entropy=left,
            homogeneity=_homogeneity(entropy, left),
            rows=tuple(rows),
        )


def measure_tags(extractions: Iterable[Extraction]) -> TagScore:
    """Measure the tags of a run.

    An extraction with k different tags gives weight 1/k to each pair of a tag and its edge, so that every tagged
    extraction weighs one. A blank string is no tag. Weights are exact fractions, so that no measure depends on the
    order of the extractions. Homogeneity is that of Rosenberg and Hirschberg (2007), with edges as classes and tags as
    clusters.
    """
    tally = TagTally()
    for filing_id, of_filing in by_filing(extractions).items():
        tally.add(filing_id, of_filing)
    return tally.score()


def _weights(counts: Mapping[tuple[str, int], int]) -> dict[str, Fraction]:
    """Edge → weight, from how many extractions of an edge carry the tag as one of k."""
    weights: dict[str, Fraction] = {}
    for (edge, k), count in counts.items():
        weights[edge] = weights.get(edge, Fraction(0)) + Fraction(count, k)
    return weights


def _sum(parts: Iterable[Weights]) -> dict[str, Fraction]:
    total: dict[str, Fraction] = {}
    for part in parts:
        for edge, weight in part.items():
            total[edge] = total.get(edge, Fraction(0)) + weight
    return total


def _row(tag: str, counts: tuple[int, int], by_edge: Weights, tagged: int) -> TagRow:
    weight = sum(by_edge.values(), Fraction(0))
    edge = min(by_edge, key=lambda name: (-by_edge[name], name))
    return TagRow(tag, *counts, float(weight), float(weight / tagged), edge, float(by_edge[edge] / weight))


def _purity(weights: Collection[Weights]) -> float | None:
    """The weight of main edges, of all weight of these tags."""
    total = sum((sum(w.values(), Fraction(0)) for w in weights), Fraction(0))
    return float(sum((max(w.values()) for w in weights), Fraction(0)) / total) if total else None


def _entropy(weights: Weights) -> float:
    """Shannon entropy of weights, in bits."""
    total = sum(weights.values(), Fraction(0))
    return fsum(-p * log2(p) for p in sorted(float(weight / total) for weight in weights.values()) if p < 1.0)


def _homogeneity(entropy: float | None, left: float | None) -> float | None:
    if entropy is None or left is None:
        return None
    # H(E|T) never exceeds H(E); rounding may make it seem so.
    return max(0.0, 1.0 - left / entropy) if entropy else 1.0
