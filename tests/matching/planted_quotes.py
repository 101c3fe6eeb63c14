"""Quotes of one invented filing as models give them: whole, cut, joined, reordered, elided, altered, in other print."""

from __future__ import annotations

import random
from collections.abc import Sequence

from match_builders import ex

from fingreat.schema import Extraction

OPENINGS = [
    "Net sales of the {line} segment {moved} by {pct}% to ${amount} million in fiscal {year}",
    "Cost of goods sold as a share of net sales {moved} to {pct}%, from {pct}% in {year}",
    "The Company's revolving credit facility of ${amount} million matures in June {year}",
    "We believe that cash flow from operations will be sufficient to meet our needs for the next {months} months",
    "Selling, general and administrative expenses {moved} ${amount} million, or {pct}%",
    "Capital expenditures were ${amount} million in {year}, compared with ${amount} million in the year before",
    "Gross margin on {line} {moved} {count} basis points",
    "The provision for doubtful accounts of {line} was $({count},{count}) thousand (see Note No. {months})",
    "Inventories turned {pct} times in {year} vs. {pct} times in {year}",
    "Interest expense {moved} because average borrowings under the term loan did not change",
    "Acme Inc. and its U.S. subsidiaries may not pay dividends above ${amount} million",
    "Backlog at year-end was approx. {count} units, all of them in {line}",
]
ENDINGS = [
    ", mainly because of higher volumes in long-term contracts",
    ", primarily due to the price of resin and freight",
    ", offset in part by the strong dollar",
    ", reflecting the first-time inclusion of the plant that we bought in {year}",
    ' ("the change")',
    "; we do not expect this to continue",
    "",
]
LINES = ["marine pumps", "valves", "office furniture", "specialty fibers", "financial services"]
SHORT = [
    "Sales rose.",
    "See Note 5.",
    "5%",
    "Net loss",
    "None.",
    "(1,204)",
    "It did not.",
    "The same",
    "$3.5 million",
    "",
]
ODD = [
    "Выручка выросла на 5% в прошлом году.",
    "売上高は増加した。費用は減少した。",
    "Chiffre d'affaires élevé à Évry",
    "A_B * 3",
]
MARKS = [" ... ", "… ", " [...] ", " . . . ", " […] ", " [the Company] ", "..."]

PRINT = [
    (" ", "\n"), (" ", "\u00a0"), (" ", "  "), ("'", "’"), ('"', "“"), ("-", "\u2010"), ("-", "-\n"), ("fi", "ﬁ"),
    ("...", "…"), ("Net", "**Net**"), ("o", "o\u00ad"), (" - ", " — "), ("S", "s"), ("T", "t"), (",", " ,"),
    (". ", ".\n\n"), ("(", "["), ("$", "US$"), ("o", "\u200bo"), (". ", ".” "), (" the ", " | the "),
]  # fmt: skip


def passage(draw: random.Random) -> list[str]:
    """One to four sentences that stand side by side in the filing."""
    return [sentence(draw) for _ in range(draw.choice([1, 1, 1, 2, 2, 3]))]


def sentence(draw: random.Random) -> str:
    if draw.random() < 0.06:
        return draw.choice(SHORT + ODD)
    text = draw.choice(OPENINGS) + draw.choice(ENDINGS)
    while "{" in text:
        head, _, rest = text.partition("{")
        name, _, tail = rest.partition("}")
        text = f"{head}{filled(name, draw)}{tail}"
    return f"{text}{draw.choice('....?!')}" if draw.random() < 0.9 else text


def filled(name: str, draw: random.Random) -> str:
    values = {
        "line": draw.choice(LINES),
        "moved": draw.choice(["increased", "decreased", "rose", "fell"]),
        "pct": f"{draw.randint(1, 30) / 10}",
        "amount": f"{draw.randint(10, 900) / 10}",
        "year": str(draw.randint(1996, 1999)),
        "months": str(draw.choice([12, 18, 24])),
        "count": str(draw.randint(100, 120)),
    }
    return values[name]


def run_of(name: str, passages: Sequence[list[str]], most: int, draw: random.Random) -> list[Extraction]:
    """One run's extractions: each quotes a passage that stands at one to three places, and gives one, all or none."""
    found = []
    for number in range(draw.randint(0, most)):
        which = draw.randrange(len(passages))
        quote = quoted(passages[which], draw)
        places = [1000 * which + 300 * copy + draw.choice([0, 0, 0, 5, 20]) for copy in range(1 + which % 3)]
        places = draw.choice([places, [draw.choice(places)], [draw.choice(places)], []])
        length = draw.choice([50, 50, 100])
        made = ex(f"{draw.randrange(100)}{name}{number}", quote, draw.choice("EFG"))
        found.append(made.model_copy(update={"ranges": tuple((at, at + length) for at in places)}))
    return found


def quoted(sentences: list[str], draw: random.Random) -> str:
    """How one model might quote a passage: some changes of wording and extent, then some of print."""
    parts = list(sentences)
    for _ in range(draw.choice([0, 0, 1, 1, 2, 3])):
        parts = draw.choice([lost, joined, reordered, cut, elided, altered, refigured])(parts, draw)
    text = draw.choice([" ", " ", " ", "\n\n", "  "]).join(parts)
    for _ in range(draw.choice([0, 0, 1, 2])):
        text = printed(text, draw)
    return text


def lost(parts: list[str], draw: random.Random) -> list[str]:
    at = draw.randrange(len(parts))
    return parts[:at] + parts[at + 1 :] if len(parts) > 1 else parts


def joined(parts: list[str], draw: random.Random) -> list[str]:
    at = draw.randint(0, len(parts))
    return [*parts[:at], sentence(draw), *parts[at:]]


def reordered(parts: list[str], draw: random.Random) -> list[str]:
    return draw.sample(parts, len(parts))


def cut(parts: list[str], draw: random.Random) -> list[str]:
    """Some words less at either end."""
    words = " ".join(parts).split(" ")
    first, last = (draw.choice([0, 0, 1, 2, len(words) // 3, max(0, len(words) - 8)]) for _ in range(2))
    return [" ".join(words[first : max(first + draw.randint(1, 8), len(words) - last)])]


def elided(parts: list[str], draw: random.Random) -> list[str]:
    words = " ".join(parts).split(" ")
    for _ in range(draw.choice([1, 1, 2])):
        at = draw.randint(0, len(words))
        words[at : at + draw.randrange(5)] = [draw.choice(MARKS).strip() if draw.random() < 0.8 else "[S]uch"]
    return [" ".join(words)]


def altered(parts: list[str], draw: random.Random) -> list[str]:
    words = " ".join(parts).split(" ")
    at = draw.randrange(len(words))
    words[at : at + draw.randrange(2)] = draw.choice([["not"], ["and", "others"], [], ["may"]])
    return [" ".join(words)]


def refigured(parts: list[str], draw: random.Random) -> list[str]:
    old, new = (
        draw.choice(["12", "1996", "1997", "%", ".5", "($", "million"]),
        draw.choice(["24", "1998", "", "6", "$("]),
    )
    return [" ".join(parts).replace(old, new, 1)]


def printed(text: str, draw: random.Random) -> str:
    """The same in other print: most of it has the same normal form."""
    old, new = draw.choice(PRINT)
    return text.replace(old, new, draw.choice([1, 2, 99]))
