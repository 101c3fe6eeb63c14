"""Which candidates are the filing's headings: all of them decided together, by the best chain.

Items must come in the form's order, and a real heading is followed by its text. A chain of
candidates with rising items scores each member's look and the text up to the next member; the
chain with the highest score wins. Contents pages, running headers and cross-reference indexes
lose because little text follows their lines. Dynamic programming over the candidates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import accumulate, groupby

from fingreat.edgar.blocks import Block, Kind
from fingreat.edgar.forms import Form, letters, number_of
from fingreat.edgar.headings import Candidate, item_number, joint_items, part_line

_FULL_TEXT = 3000
"""Characters after which more text says nothing more about a heading."""
_MAX_CANDIDATES = 500
_PARTS = {"": 0, "I": 1, "II": 2, "III": 3, "IV": 4}


@dataclass(frozen=True, slots=True)
class Span:
    """Where an item stands: its heading's blocks, its end, and the heading that ends it."""

    heading: Candidate
    end: int
    following: Candidate | None


def best_chain(blocks: list[Block], candidates: list[Candidate], form: Form) -> list[Candidate]:
    """The chain of headings, in order; empty where there is no candidate."""
    places = _thin(candidates)
    if not places:
        return []
    rank = {item: number for number, item in enumerate(form.order)}
    size = [0, *accumulate(len(block.text) for block in blocks)]
    score = [0.0] * len(places)
    before = [-1] * len(places)
    for later, candidate in enumerate(places):
        best, link = 0.0, -1
        for earlier in range(later):
            other = places[earlier]
            if rank[other.item] >= rank[candidate.item] or other.start == candidate.start:
                continue
            value = score[earlier] + _text_value(size[candidate.start] - size[min(other.end, candidate.start)])
            if value > best:
                best, link = value, earlier
        score[later] = best + candidate.weight
        before[later] = link
    ends = [total + _text_value(size[-1] - size[place.end]) * 0.5 for total, place in zip(score, places, strict=True)]
    position = max(range(len(places)), key=ends.__getitem__)
    chain = []
    while position >= 0:
        chain.append(places[position])
        position = before[position]
    chain.reverse()
    return [one for number, one in enumerate(chain) if not number or not _belongs(chain[number - 1], one, form)]


def _belongs(before: Candidate, candidate: Candidate, form: Form) -> bool:
    """Whether a title without a number stands under a joint heading that names its item."""
    return candidate.unnumbered and candidate.item in joint_items(before.title, form)


def _text_value(length: int) -> float:
    """0 for no text, 1 for `_FULL_TEXT` characters and more."""
    return min(1.0, math.log1p(max(length, 0) / 100) / math.log1p(_FULL_TEXT / 100))


def _thin(candidates: list[Candidate]) -> list[Candidate]:
    """Without repeats of a heading that no other one parts (running headers); the first one stays."""
    thin: list[list[Candidate]] = []
    for _, places in groupby(candidates, key=lambda candidate: candidate.start):
        group = list({place.item: place for place in places}.values())
        first = max(group, key=lambda candidate: candidate.weight)
        previous = max(thin[-1], key=lambda candidate: candidate.weight) if thin else None
        if previous is not None and previous.item == first.item:
            if previous.weight + 0.3 < first.weight and first.start - previous.start < 4:
                thin[-1] = group
            elif previous.contents and not first.contents:
                thin.append(group)
            continue
        thin.append(group)
    if len(thin) > _MAX_CANDIDATES:
        heavy = sorted(thin, key=lambda group: -max(candidate.weight for candidate in group))[:_MAX_CANDIDATES]
        thin = sorted(heavy, key=lambda group: group[0].start)
    return [candidate for group in thin for candidate in group]


def span_of(blocks: list[Block], chain: list[Candidate], item: str, form: Form) -> Span | None:
    """The blocks of an item by a chain, up to the next heading or part; None where the chain lacks the item.

    An item without a heading of its own may stand under a joint one: the span is that of both.
    """
    own = next((number for number, candidate in enumerate(chain) if candidate.item == item), None)
    if own is None:
        joint = (number for number, candidate in enumerate(chain) if item in joint_items(candidate.title, form))
        own = next(joint, None)
    if own is None:
        return None
    candidate = chain[own]
    following = chain[own + 1] if own + 1 < len(chain) else None
    end = _before_part(blocks, candidate, following.start if following else len(blocks))
    while following and end > candidate.end and _is_bare(blocks[end - 1], following.item):
        end = _before_part(blocks, candidate, end - 1)
    return Span(candidate, end, following)


def _is_bare(block: Block, item: str) -> bool:
    """Whether a block is an item's number and nothing else: the head of the page that its heading stands on."""
    number, title = item_number(block.text)
    return block.kind is Kind.TEXT and number == number_of(item) and not title


def _before_part(blocks: list[Block], heading: Candidate, end: int) -> int:
    """Where an item ends that a later part of the form, or a "PART III" line at its end, cuts short."""
    current = next((part for block in reversed(blocks[: heading.start]) if (part := part_line(block))), None)
    if current is not None:
        for index in range(heading.end, end):
            if _PARTS[part_line(blocks[index])] > _PARTS[current]:
                end = index
                break
    while end > heading.end and (
        part_line(blocks[end - 1]) or letters(blocks[end - 1].text[:40]) == "other information"
    ):
        end -= 1
    return end
