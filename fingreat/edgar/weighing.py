"""What the candidates of a document say about one another: lists, the look that headings share, lost numbers."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from itertools import groupby

from fingreat.edgar.blocks import Block, Kind
from fingreat.edgar.forms import Form, compact
from fingreat.edgar.headings import ITEM, NUMBERED, TRAILING_PAGE, Candidate, find_candidates, look_weight, part_line
from fingreat.edgar.markdown import is_heading

_LISTED = 6
"""Items that follow one another without a word between are a list from this number on."""
_CONTENTS_SHARE = 0.3
_SHARED_LOOK = 0.3
_NUMBERED_HEADINGS = 3
"""Only where this many headings have their numbers may one have lost it."""
_LONG = 200
_MISPRINT = re.compile(r"^[item]{3,5}(?=m)")
_MEMBER_END = re.compile(r";(?:\s*(?:and|or))?$")
_LETTER = re.compile(r"[^\W\d_]")


def weighed_candidates(blocks: list[Block], form: Form, pattern: re.Pattern[str] = ITEM) -> list[Candidate]:
    """All candidates of a document in order, weighed by one another; see `find_candidates` for the arguments.

    Lines of a list of items weigh little, headings that look like the others weigh more, and where most headings
    have numbers, titles that have lost theirs are candidates as well.
    """
    found = _without_lists(blocks, find_candidates(blocks, form, pattern), form)
    if pattern is ITEM and len({one.item for one in found if not one.contents}) >= _NUMBERED_HEADINGS:
        headed = {one.item for one in found if not (one.contents or one.odd)}
        lost = [one for one in _unnumbered(blocks, form) if one.item not in headed]
        found = sorted([*found, *lost], key=lambda candidate: candidate.start)
    looks: defaultdict[tuple[bool, ...], set[str]] = defaultdict(set)
    for candidate in found:
        if not candidate.contents:
            looks[_look(blocks[candidate.start])].add(candidate.item)
    most = max(map(len, looks.values()), default=1)
    return [
        candidate
        if candidate.contents
        else replace(
            candidate,
            weight=candidate.weight + _SHARED_LOOK * len(looks[_look(blocks[candidate.start])]) / most,
        )
        for candidate in found
    ]


def _look(block: Block) -> tuple[bool, ...]:
    look = block.look
    return look.bold or bool(look.lead), look.underlined, look.centred, block.text[:6].isupper()


def _without_lists(blocks: list[Block], candidates: list[Candidate], form: Form) -> list[Candidate]:
    """The candidates, those in a list of items marked as lines of contents."""
    groups = [list(group) for _, group in groupby(candidates, key=lambda candidate: candidate.start)]
    listed: set[int] = set()
    run: list[list[Candidate]] = []
    for group in groups:
        first = group[0]
        rises = bool(run) and form.order.index(run[-1][0].item) < form.order.index(group[-1].item)
        if not rises or not _touch(blocks, run[-1][0], first):
            run = []
        run.append(group)
        if len(run) == _LISTED:
            listed.update(one[0].start for one in run)
        elif len(run) > _LISTED:
            listed.add(first.start)
    if run and len(run) >= _LISTED:
        listed.discard(run[-1][0].start)
    return [
        replace(one, contents=True, weight=one.weight * _CONTENTS_SHARE)
        if not one.contents and (one.start in listed or _is_member(blocks, one.start))
        else one
        for one in candidates
    ]


def _touch(blocks: list[Block], before: Candidate, after: Candidate) -> bool:
    """Whether nothing but page numbers and parts of the form stand between two candidates."""
    return all(
        part_line(block) or not _LETTER.search(block.text)
        for block in blocks[min(before.end, after.start) : after.start]
    )


def _is_member(blocks: list[Block], index: int) -> bool:
    """Whether a block is a member of a list within a sentence: "Item 1. Business; Item 7. ...; and"."""
    above = blocks[index - 1].text if index else ""
    return any(_MEMBER_END.search(text[-12:]) for text in (blocks[index].text, above))


def _unnumbered(blocks: list[Block], form: Form) -> list[Candidate]:
    """Headings that are the title of an item and nothing else."""
    found = []
    for index, block in enumerate(blocks):
        if (
            block.kind is not Kind.TEXT
            or len(block.text) > _LONG
            or ITEM.match(block.text)
            or NUMBERED.match(block.text)
        ):
            continue
        words = compact(block.text)
        misprint = _MISPRINT.match(words)
        words = words[misprint.end() :] if misprint else words
        keys = form.titles_alone(words)
        if keys and is_heading(block) and not TRAILING_PAGE.search(block.text) and not block.look.linked:
            weight = 0.5 + look_weight(block)
            found += [
                Candidate(key, index, index + 1, block.text, weight, contents=False, unnumbered=True) for key in keys
            ]
    return found
