"""Which stretches two sequences of tokens share, also where they stand in another order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from operator import itemgetter
from typing import TypeAlias

from rapidfuzz.distance import Indel

from fingreat.matching.overlap import MIN_FRAGMENT

Tokens: TypeAlias = tuple[str, ...]
Block: TypeAlias = tuple[int, int, int]
"""A stretch that both sequences share: where it begins in either, and its length in tokens."""

_MAX_ALIGNED = 4000
"""Longer stretches are not aligned token by token: it takes memory of the product of their lengths."""


def shared_blocks(short: Tokens, long: Tokens) -> list[Block]:
    """The stretches that two sequences share, in the order of the shorter one; they overlap nowhere.

    The longest common subsequence, unless it leaves out so much of both that there may be stretches of at least
    `MIN_FRAGMENT` tokens in another order. Then such stretches are looked for first, and the longest common
    subsequence between those that are neighbours in both. Takes time and memory that grow with the lengths; what lies
    between stretches and is longer than 4,000 tokens is not looked into.
    """
    if not short:
        return []
    if (inside := _inside(short, long)) is not None:
        return [(0, inside, len(short))]
    if len(long) <= _MAX_ALIGNED:
        blocks = _in_order(short, long)
        if len(short) - sum(map(itemgetter(2), blocks)) < MIN_FRAGMENT:
            return blocks
    blocks = anchors = _anchors(short, long)
    ends = (0, 0, 0), (len(short), len(long), 0)
    next_in_long = dict(pairwise(in_second(anchors, ends)))
    for left, right in pairwise([ends[0], *anchors, ends[1]]):
        i, j = left[0] + left[2], left[1] + left[2]
        if next_in_long[left] == right and max(right[0] - i, right[1] - j) <= _MAX_ALIGNED:
            between = _in_order(short[i : right[0]], long[j : right[1]])
            blocks = blocks + [(i + x, j + y, size) for x, y, size in between]
    return sorted(blocks)


def in_second(blocks: Sequence[Block], ends: tuple[Block, Block]) -> list[Block]:
    """Blocks between two ends, in the order in which they stand in the second sequence."""
    return [ends[0], *sorted(blocks, key=itemgetter(1)), ends[1]]


def _in_order(a: Tokens, b: Tokens) -> list[Block]:
    """The longest common subsequence."""
    if not (a and b):
        return []
    return [(m.a, m.b, m.size) for m in Indel.editops(a, b).as_matching_blocks() if m.size]


def _inside(short: Tokens, long: Tokens) -> int | None:
    """Where the shorter sequence stands in the longer one in one stretch."""
    whole = "\n".join(("", *long, ""))
    at = whole.find("\n".join(("", *short, "")))
    return None if at < 0 else whole.count("\n", 0, at)


def _anchors(a: Tokens, b: Tokens) -> list[Block]:
    """Stretches of at least `MIN_FRAGMENT` tokens that both share, in whatever order, in that of A.

    Each holds such a stretch that stands once in either, so that there is no doubt which belong together, and is as
    long as can be; where two would overlap the first keeps the tokens.
    """
    once_in_b = _once(b)
    found: list[Block] = []
    for shingle, i in _once(a).items():
        j = once_in_b.get(shingle)
        if j is None or (found and found[-1][1] - found[-1][0] == j - i and i < found[-1][0] + found[-1][2]):
            continue  # it does not stand in both, or is part of the last one found
        found.append(_extended(a, b, i, j))
    taken_a, taken_b = bytearray(len(a)), bytearray(len(b))
    kept = []
    for i, j, size in found:
        start, end = 0, size
        while start < end and (taken_a[i + start] or taken_b[j + start]):
            start += 1
        while start < end and (taken_a[i + end - 1] or taken_b[j + end - 1]):
            end -= 1
        if start < end:
            kept.append((i + start, j + start, end - start))
            taken_a[i + start : i + end] = taken_b[j + start : j + end] = b"\1" * (end - start)
    return sorted(kept)


def _once(texts: Tokens) -> dict[Tokens, int]:
    """The stretches of `MIN_FRAGMENT` tokens that stand once in a sequence, and where."""
    places: dict[Tokens, int] = {}
    again: set[Tokens] = set()
    for place, shingle in enumerate(zip(*(texts[start:] for start in range(MIN_FRAGMENT)), strict=False)):
        if places.setdefault(shingle, place) != place:
            again.add(shingle)
    for shingle in again:
        del places[shingle]
    return places


def _extended(a: Tokens, b: Tokens, i: int, j: int) -> Block:
    """The stretch of `MIN_FRAGMENT` tokens at these places, made as long as can be."""
    before, behind = 0, MIN_FRAGMENT
    while before < min(i, j) and a[i - before - 1] == b[j - before - 1]:
        before += 1
    while behind < min(len(a) - i, len(b) - j) and a[i + behind] == b[j + behind]:
        behind += 1
    return i - before, j - before, before + behind
