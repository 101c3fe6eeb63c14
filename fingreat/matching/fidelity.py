"""Whether two quotes that overlap also say the same: their figures, and the words that turn a meaning.

Two questions are kept apart. `figures` compares all figures of both quotes, wherever they stand. `differs` says in
what the quotes differ where they run side by side: a near miss reads alike and says something else, while a quote that
merely starts earlier, goes on longer or leaves out a sentence says the same.

Quotes are laid side by side by the stretches of words and figures that they share (see the alignment file). What lies
between two of these that are neighbours in both quotes counts by these rules:

- Where both quotes have something, one replaced the other, and figures and words of weight of both count. If one has
  at least `MIN_FRAGMENT` tokens more, it has text of its own there, and only the other's count.
- Where one quote has something and the other nothing, fewer than `MIN_FRAGMENT` tokens count in full: a `not`, a
  figure, a short sentence. A longer stretch is text that only one of them quotes, and does not count.
- At the ends, at an ellipsis, and where sentences stand in another order, one quote may just say more. Of fewer than
  `MIN_FRAGMENT` tokens that only one has, negations count ("No | dividends were paid"), a direction or modal word right
  before what both share ("approximately | 5% of sales"), and a scale word right behind it ("41.2 | million"); figures
  and other words do not.
- A negation right before what both share counts however long its stretch is.

A sentence that was changed and stands in another order is known again by what is left of it in one stretch, which must
have `MIN_FRAGMENT` tokens.

Tokens are compared as they are written: `5%` and `5 percent`, `1.5` and `1.50`, `didn't` and `did not` differ. Currency
and comparison signs are no tokens here: `$5` against `€5` is another figure, `$5` against `5`, as in a table's cell,
the same one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import compress, pairwise
from typing import NamedTuple, get_args

from fingreat.matching.alignment import Block, Tokens, in_second, shared_blocks
from fingreat.matching.elision import ELISION
from fingreat.matching.overlap import MIN_FRAGMENT
from fingreat.matching.tokens import is_word
from fingreat.matching.weight import WORDING, words_of_weight
from fingreat.schema.matched import Difference, Figures

_KINDS = (WORDING, *get_args(Difference), "symbol", "elision")
_DIRECTION, _FIGURE, _MODAL, _NEGATION, _SCALE, _SYMBOL, _ELISION = (
    _KINDS.index(name) for name in ("direction", "figure", "modal", "negation", "scale", "symbol", "elision")
)
_ONLY_FIGURES = bytes(number == _FIGURE for number in range(256))
_SIGNS = bytes(number in (_SYMBOL, _ELISION) for number in range(256))
_NO_SIGNS = bytes(number not in (_SYMBOL, _ELISION) for number in range(256))
_A_FIGURE = bytes((_FIGURE,))
_COMPARISONS = "<>≤≥"
_MAX_KEPT = 2000
"""A quote of more tokens is made ready anew for each comparison, lest what is kept take much memory."""


class Fidelity(NamedTuple):
    """How far two quotes say the same.

    Attributes:
        figures: whether their figures agree, each counted as often as it is there.
        differs: kinds of figures and words of weight in which they differ where they run side by side, sorted.
    """

    figures: Figures
    differs: tuple[Difference, ...]


def fidelity(a: Sequence[str], b: Sequence[str]) -> Fidelity:
    """Compare two quotes by the texts of their tokens, symbols included; it is symmetric.

    Args:
        a, b: with `ELISION` where a quote says that it leaves something out, and without what an editor put in.
    """
    if tuple(a) == tuple(b):
        return Fidelity("same" if _FIGURE in map(_kind, a) else "none", ())
    first, second = ((_kept_side if len(texts) <= _MAX_KEPT else _side)(tuple(texts)) for texts in (a, b))
    return Fidelity(_agreement(first.figures, second.figures), _differing(first, second))


class _Side(NamedTuple):
    """A quote to be laid beside another one.

    Attributes:
        texts: of its words and figures.
        figures: the figures among them, with sign, point and per-cent mark, sorted.
        signs: the signs of each figure, by its number and whether they compare (`<`) or name a currency.
        breaks: numbers of the tokens before which the quote leaves something out.
    """

    texts: Tokens
    figures: list[str]
    signs: dict[tuple[int, bool], str]
    breaks: set[int]


def _side(texts: Tokens) -> _Side:
    kinds = bytes(map(_kind, texts))
    figures = sorted(compress(texts, kinds.translate(_ONLY_FIGURES)))
    if _SYMBOL not in kinds and _ELISION not in kinds:
        return _Side(texts, figures, {}, set())
    kept = kinds.translate(_NO_SIGNS)
    kept_kinds = bytes(compress(kinds, kept))
    signs: dict[tuple[int, bool], str] = {}
    breaks: set[int] = set()
    for dropped, number in enumerate(compress(range(len(texts)), kinds.translate(_SIGNS))):
        place = number - dropped
        if kinds[number] == _ELISION:
            breaks.add(place)
            continue
        # "$5", or "5 €" where no figure follows; a sign without a figure says nothing.
        for figure in (place, place - 1):
            if kept_kinds[figure : figure + 1] == _A_FIGURE:
                key = figure, texts[number] in _COMPARISONS
                signs[key] = signs.get(key, "") + texts[number]
                break
    return _Side(tuple(compress(texts, kept)), figures, signs, breaks)


_kept_side = lru_cache(maxsize=512)(_side)


@lru_cache(maxsize=1 << 16)
def _kind(text: str) -> int:
    """What the text of a token is, as a place in `_KINDS`."""
    if text == ELISION:
        return _ELISION
    if is_word(text):
        return _KINDS.index(words_of_weight().get(text, WORDING))
    # A figure ends in a digit of any script or in its per-cent mark; what is neither word nor figure is one symbol.
    return _FIGURE if text[-1] == "%" or text[-1].isdecimal() else _SYMBOL


def _agreement(a: list[str], b: list[str]) -> Figures:
    """Whether the figures agree, each counted as often as it is there."""
    if a == b:
        return "same" if a else "none"
    in_a, in_b = Counter(a), Counter(b)
    return "more" if in_a <= in_b or in_b <= in_a else "differ"


def _differing(a: _Side, b: _Side) -> tuple[Difference, ...]:
    # In one order whichever is given first: of several longest common subsequences the same one is taken.
    short, long = sorted((a, b), key=lambda side: (len(side.texts), side.texts))
    blocks = shared_blocks(short.texts, long.texts)
    odd = set[int]()
    for gap in _gaps(short, long, blocks):
        odd.update(gap.kinds())
    if _other_sign(short, long, blocks):
        odd.add(_FIGURE)
    return tuple(kind for kind in get_args(Difference) if _KINDS.index(kind) in odd) if odd else ()


class _Gap(NamedTuple):
    """What stands in either quote beside a stretch that both share, or between two of them.

    Attributes:
        a, b: the tokens there; those of one quote at least.
        behind, before: whether both stand right behind, or right before, the same shared stretch.
        loose: one quote may say more here without another meaning.
    """

    a: Tokens
    b: Tokens
    behind: bool
    before: bool
    loose: bool

    def kinds(self) -> Iterator[int]:
        """The kinds of what counts as a difference, those of plain words among them."""
        short, long = (self.a, self.b) if len(self.a) <= len(self.b) else (self.b, self.a)
        if short:
            # What stands in both was too long to be aligned.
            yield from map(_kind, set(short).difference(long))
            if len(long) - len(short) < MIN_FRAGMENT:
                yield from map(_kind, set(long).difference(short))
        elif len(long) < MIN_FRAGMENT:
            yield from self._kinds_of_addition(long)
        if self.before and _kind(long[-1]) == _NEGATION:
            yield _NEGATION

    def _kinds_of_addition(self, texts: Tokens) -> Iterator[int]:
        kinds = list(map(_kind, texts))
        if not self.loose:
            yield from kinds
            return
        if _NEGATION in kinds:
            yield _NEGATION
        if self.before and kinds[-1] in (_DIRECTION, _MODAL):
            yield kinds[-1]
        if self.behind and kinds[0] == _SCALE:
            yield _SCALE


def _gaps(a: _Side, b: _Side, blocks: Sequence[Block]) -> Iterator[_Gap]:
    """What stands beside the shared stretches, which are given in the order of quote A."""
    ends = (0, 0, 0), (len(a.texts), len(b.texts), 0)
    in_a, in_b = [ends[0], *blocks, ends[1]], in_second(blocks, ends)
    next_in_b = dict(pairwise(in_b))
    for left, right in pairwise(in_a):
        if next_in_b[left] != right:
            continue
        x, y = a.texts[left[0] + left[2] : right[0]], b.texts[left[1] + left[2] : right[1]]
        if x or y:
            left_out = (not x and right[0] in a.breaks) or (not y and right[1] in b.breaks)
            loose = left_out or left == ends[0] or right == ends[1]
            yield _Gap(x, y, behind=left != ends[0], before=right != ends[1], loose=loose)
    if in_a != in_b:
        yield from _gaps_apart(a, b, in_a, in_b)


def _gaps_apart(a: _Side, b: _Side, in_a: Sequence[Block], in_b: Sequence[Block]) -> Iterator[_Gap]:
    """What stands beside a shared stretch that has other neighbours in the one quote than in the other.

    What is right behind it in both is laid side by side, and so is what is right before it, unless both are long and
    have no more than half of the shorter in common: then they are other sentences.
    """
    between = [
        {(left, right): side.texts[left[at] + left[2] : right[at]] for left, right in pairwise(row)}
        for at, (side, row) in enumerate(((a, in_a), (b, in_b)))
    ]
    apart = [
        {pair: texts for pair, texts in row.items() if pair not in between[1 - at]} for at, row in enumerate(between)
    ]
    # An end of the quotes is a stretch without a token, and nothing stands beside it.
    for end, behind in ((0, True), (1, False)):
        x_of, y_of = ({pair[end]: texts for pair, texts in row.items()} for row in apart)
        for block, x in x_of.items():
            y = y_of[block]
            unlike = min(len(x), len(y)) >= max(MIN_FRAGMENT, 2 * len(set(x).intersection(y)))
            for one, other in ((x, ()), ((), y)) if unlike else ((x, y),):
                if block[2] and (one or other):
                    yield _Gap(one, other, behind=behind, before=not behind, loose=True)


def _other_sign(a: _Side, b: _Side, blocks: Sequence[Block]) -> bool:
    """Whether a figure that both share has a currency or comparison sign in both, and not the same one."""
    if not (a.signs and b.signs):
        return False
    in_b = {i + at: j + at for i, j, size in blocks for at in range(size)}
    pairs = ((sign, b.signs.get((in_b.get(at, -1), compares))) for (at, compares), sign in a.signs.items())
    return any(other and other != sign for sign, other in pairs)
