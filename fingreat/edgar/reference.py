"""Pointers: an item that says where its text stands instead of giving it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SENTENCE = re.compile(r"[^.]*(?:\.(?=\d|\w\.|[a-z])[^.]*)*(?:\.[\"”’')\]]*|$)", re.DOTALL)
_POINTS = re.compile(
    r"incorporated\s+(?:\w+\s+){0,6}?by\s+(?:this\s+)?reference|incorporated\s+in(?:to)?\s+this|by\s+reference"
    r"|(?:appears?|appearing|contained|included|set\s+forth|found|presented|reported|located|given|described|provided)\s+"
    r"(?:\w+\s+){0,4}?(?:on\s+pages?|in\s+(?:the|our|its|registrant|exhibit|an?|part|item)|under|in|at\s+pages?|beginning\s+on|elsewhere)"
    r"|(?:refer|reference\s+is\s+(?:hereby\s+)?made)\s+to\b|(?:refer|reference\s+is\s+made|see)\s+(?:to\s+)?(?:the\s+|our\s+)?"
    r"(?:accompanying\s+)?(?:pages?|exhibit|annual\s+report|[\"“']|management|appendix|section|item|part|index|consolidated|financial|note)"
    r"|(?:begins?|starts?|commences?|are|is)\s+(?:on|at)\s+pages?|(?:follows?|attached|filed\s+herewith)\b"
    r"|information\s+(?:required|called\s+for|in\s+response)",
    re.IGNORECASE,
)
_NEAR = re.compile(r"\bitems?\s+\d{1,2}[A-C]?\b|\bnotes?\s+\d|under\s+the\s+(?:heading|caption)|[\"“]", re.IGNORECASE)
"""Places in the same document; only a very short text that names one is a pointer."""
_NO_POINTER = re.compile(
    r"not\s+required\s+to|in\s+conjunction\s+with|read\s+together|forward[- ]looking", re.IGNORECASE
)
_FAR = re.compile(
    r"annual\s+report|exhibit\s+\(?13|shareholders|stockholders|shareowners|share\s+owners|appendix|proxy|by\s+reference"
    r"|pages?\s+[A-Z]{0,2}-?\d|elsewhere|\bF-\d",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“‘]([^\"”“]{3,160}?),?[\"”’](?!\w)")
_PAGES = re.compile(
    r"pages?\s+(?P<first>[A-Z]{0,2}-?\d{1,3})\s*(?:-|–|—|through|to|and)\s*(?P<last>[A-Z]{0,2}-?\d{1,3})|page\s+(?P<only>[A-Z]{0,2}-?\d{1,3})",
    re.IGNORECASE,
)
_FIRM = re.compile(r"incorporated\s+(?:\w+\s+){0,4}?by\s+(?:this\s+)?reference", re.IGNORECASE)
"""Beyond doubt in the first sentence of an item, whatever follows it."""
_SEVERAL = re.compile(r"\bitems\s+\d", re.IGNORECASE)
_HERE = re.compile(
    r"(?:of|in|to|with|follow(?:s|ing)?)\s+this\s+(?:annual\s+)?(?:report|form|document|filing)|\bherein\b(?!\s+by\s+ref)|\bherewith\b"
    r"|page\s+F",
    re.IGNORECASE,
)
_LONGEST = 2500
_LONGEST_FIRM = 6000
_FIRST_SENTENCES = 3
_VERY_SHORT = 600
_EXHIBIT = re.compile(r"exhibit\s+\(?(\d{1,3})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pointer:
    """A sentence that points elsewhere.

    Attributes:
        sentence: as printed.
        captions: what it quotes.
        first_page, last_page: printed labels of the pages that it names.
        exhibits: numbers of the exhibits that it names.
        here: it names this very document.
    """

    sentence: str
    captions: tuple[str, ...]
    first_page: str | None
    last_page: str | None
    exhibits: tuple[str, ...] = ()
    here: bool = False


def find_pointer(body: str, own_number: str = "") -> Pointer | None:
    """The pointer that an item's text (without its heading) consists of; None where it is real text.

    Real text may mention other places: a pointer is a short text that a pointing sentence opens.
    """
    sentences = _sentences(body)
    firm = bool(sentences) and bool(_FIRM.search(_said(sentences[0]))) and bool(_FAR.search(sentences[0]))
    if len(body) > (_LONGEST_FIRM if firm else _LONGEST):
        return None
    for number, sentence in enumerate(sentences[:_FIRST_SENTENCES]):
        said = _said(sentence)
        far = _FAR.search(said) or (len(body) < _VERY_SHORT and _NEAR.search(said))
        if far and _POINTS.search(said) and not _NO_POINTER.search(said):
            if len(sentence) < 0.25 * len(body) and len(body) > 900 and not (firm and number == 0):
                return None
            first, last = _pages(sentence, own_number)
            captions = tuple(match[1].strip() for match in _QUOTED.finditer(sentence))
            exhibits = tuple(_EXHIBIT.findall(body))
            return Pointer(sentence, captions, first, last, exhibits, bool(_HERE.search(body)))
    return None


def _pages(sentence: str, item: str) -> tuple[str | None, str | None]:
    """The first and the last page that a sentence names for an item.

    A sentence about several items may name pages for each; where it names one range for all, the last is not known.
    """
    own = re.search(rf"\bitem\s+{re.escape(item)}\b[^;]*", sentence, re.IGNORECASE) if item else None
    part = own[0] if own and _PAGES.search(own[0]) else sentence
    found = list(_PAGES.finditer(part))
    if not found:
        return None, None
    first = found[0]["first"] or found[0]["only"]
    if part is sentence and _SEVERAL.search(sentence):
        return first, None
    if all(match["only"] for match in found):
        return first, found[-1]["only"]
    return first, found[0]["last"] or found[0]["only"]


def _said(sentence: str) -> str:
    """A sentence without the list of captions and pages that it ends in."""
    head = sentence.partition(":")[0]
    return head if _POINTS.search(head) and _FAR.search(head) else sentence


def _sentences(text: str) -> list[str]:
    return [match[0].strip() for match in _SENTENCE.finditer(text[:_LONGEST]) if match[0].strip()]
