"""Invented filings with the extractions of several runs, for `matching.py`: what models quote of one MD&A."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from fingreat.schema import Extraction, Verdict, load_graph

RUNS, EACH = 8, 40
POOL = 60
"""Passages of a filing that models take for evidence: each run quotes more than half of them."""
BOILERPLATE = 5
"""Extractions of a run that quote sentences which stand at three places each."""
KINDS = 5
"""Of boilerplate in a great filing, each with 40 different figures."""
SUBJECTS = (
    "Net sales of the {line} segment", "Gross profit of our {line} business as a percentage of its net sales",
    "Selling, general and administrative expenses", "Cost of products sold in the {line} segment",
    "Income from operations before restructuring and impairment charges", "Cash provided by operating activities",
    "Research and development expenses for {line}", "Average borrowings under the revolving credit facility",
    "Days sales outstanding of trade receivables in {line}", "Capital expenditures of the Company's {line} plants",
    "Interest expense, net of interest income on short-term investments", "The effective tax rate of the Company",
    "Inventories of finished {line} at the end of the year", "Revenue from service contracts with {line} customers",
)  # fmt: skip
LINES = ("marine pump", "valve", "office furniture", "specialty fiber", "packaging", "test instrument", "software",
         "dental supply", "wire rope", "home care")  # fmt: skip
MOVES = ("increased", "decreased", "rose", "fell", "grew", "declined")
FIGURES = (
    "{move} by {percent}% to ${amount} million in fiscal {year} from ${amount} million in fiscal {before}",
    "{move} ${amount} million, or {percent}%, to ${amount} million in {year}",
    "{move} to {percent}% in {year} from {percent}% in {before} and {percent}% in the year before that",
    "were ${amount} million in {year}, compared with ${amount} million in {before}",
    "{move} {percent}% in the fourth quarter and {percent}% for the year as a whole",
)
CAUSES = (
    "primarily due to higher unit volume in Europe and the first full year of the {line} business bought in {before}",
    "mainly because of lower selling prices, which were only partly offset by savings in purchased materials",
    "reflecting the cost of closing the plant in Ohio and the related severance of about {count} employees",
    "as customers of the {line} business reduced their stocks in response to the uncertain economic outlook",
    "as a result of the stronger dollar, which lowered reported amounts by approximately ${amount} million",
    "driven by price increases that took effect in the second quarter and a better mix of {line} products",
    "offset in part by a gain of ${amount} million on the sale of land that was no longer used in the business",
    "despite a decline of {percent}% in the number of {line} units shipped to original equipment manufacturers",
    "because the term loan of ${amount} million was repaid in {before} out of the proceeds of the offering",
    "which management attributes to new {line} products and to longer credit terms for large distributors",
)
STOCK = (
    "See Note {count} of the Notes to Consolidated Financial Statements for further information about these matters.",
    "The Company believes that its existing cash, cash flow from operations and available borrowings will be "
    "sufficient to meet its working capital needs for at least the next 12 months.",
    "There can be no assurance that the Company will be able to obtain such financing on terms acceptable to it.",
    "These forward-looking statements are subject to risks and uncertainties that could cause results to differ.",
)


class Placed(NamedTuple):
    """A sentence and where it stands."""

    text: str
    starts: tuple[int, ...]


def made_filing(number: int, *, each: int = EACH, pool: int = POOL) -> dict[str, list[Extraction]]:
    """The extractions of every run from one filing; the same number gives the same filing."""
    draw = random.Random(number)
    evidence, at = [], 0
    for _ in range(pool):
        passage = [evidence_sentence(draw) for _ in range(draw.choice((1, 1, 2, 2, 3)))]
        placed = []
        for text in passage:
            placed.append(Placed(text, (at,)))
            at += len(text) + 1
        evidence.append(placed)
        at += draw.randint(100, 2000)
    for stock in STOCK:
        evidence.append([Placed(filled(stock, draw), tuple(draw.randrange(at) for _ in range(3)))])
    edges = list(load_graph().edges)
    true_edges = [draw.choice(edges) for _ in evidence]
    runs: dict[str, list[Extraction]] = {}
    for run in (f"run{n}" for n in range(RUNS)):
        chosen = draw.sample(range(pool), min(pool, each - BOILERPLATE))
        chosen += draw.choices(range(pool, len(evidence)), k=BOILERPLATE)
        chosen += draw.choices(range(len(evidence)), k=each - len(chosen))
        runs[run] = [
            extraction(
                run, number, n, evidence[which], true_edges[which] if draw.random() < 0.8 else draw.choice(edges), draw
            )
            for n, which in enumerate(chosen)
        ]
    return runs


def evidence_sentence(draw: random.Random) -> str:
    """One sentence of 15 to 35 words and figures."""
    cause = f", {draw.choice(CAUSES)}" if draw.random() < 0.6 else ""
    text = filled(f"{draw.choice(SUBJECTS)} {draw.choice(FIGURES)}{cause}", draw)
    return f"{text[0].upper()}{text[1:]}."


def filled(text: str, draw: random.Random) -> str:
    year = draw.randint(1994, 2019)
    values: dict[str, Callable[[], object]] = {
        "line": lambda: draw.choice(LINES),
        "move": lambda: draw.choice(MOVES),
        "percent": lambda: draw.randint(11, 390) / 10,
        "amount": lambda: draw.choice(
            (f"{draw.randint(10, 999) / 10}", f"{draw.randint(1, 9)},{draw.randint(100, 999)}")
        ),
        "count": lambda: draw.randint(2, 400),
        "year": lambda: year,
        "before": lambda: year - 1,
    }
    while "{" in text:
        head, _, rest = text.partition("{")
        name, _, tail = rest.partition("}")
        text = f"{head}{values[name]()}{tail}"
    return text


def extraction(run: str, filing: int, number: int, passage: list[Placed], edge: str, draw: random.Random) -> Extraction:
    """What one run quotes of a passage: most often whole, a fifth of them cut, altered or in other print."""
    sentences = passage
    if len(passage) > 1 and draw.random() < 0.25:
        lost = draw.randrange(len(passage))
        sentences = passage[:lost] + passage[lost + 1 :]
    quote = " ".join(sentence.text for sentence in sentences)
    if draw.random() < 0.2:
        quote = draw.choice((cut, altered, printed, elided))(quote, draw)
    places: list[tuple[int, int]] = []
    if len(sentences[0].starts) > 1:
        starts = sentences[0].starts if draw.random() < 0.4 else (draw.choice(sentences[0].starts),)
        places = [(start, start + len(quote)) for start in starts]
    elif draw.random() < 0.95:
        places = [(sentences[0].starts[0], sentences[-1].starts[0] + len(sentences[-1].text))]
    return Extraction(
        id=f"{run}-{filing}-{draw.randrange(16**8):08x}{number}", run=run, filing_id=f"filing{filing}", chunk_id="c",
        quote=quote, edge=edge, verdict=Verdict.EXACT if places else Verdict.ALTERED, ranges=tuple(sorted(places)),
        ambiguous=len(places) > 1,
    )  # fmt: skip


def cut(quote: str, draw: random.Random) -> str:
    words = quote.split(" ")
    first, last = draw.randint(0, len(words) // 4), draw.randint(0, len(words) // 3)
    return " ".join(words[first : len(words) - last])


def altered(quote: str, draw: random.Random) -> str:
    words = quote.split(" ")
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(words))
        words[at : at + 1] = draw.choice(([], ["approximately", words[at]], ["not"], [str(draw.randint(1, 99))]))
    return " ".join(words)


def printed(quote: str, draw: random.Random) -> str:
    return quote.replace("-", "\u2010").replace("'", "’").replace(" ", "\n", draw.randint(0, 3))


def elided(quote: str, draw: random.Random) -> str:
    words = quote.split(" ")
    at = draw.randrange(len(words))
    words[at : at + draw.randint(2, 6)] = [draw.choice(("...", "[...]", "…"))]
    return " ".join(words)


def great_filing(shape: str, size: int) -> tuple[list[Extraction], list[Extraction]]:
    """Two runs of `size` extractions each from one filing: a long one, or one of three that make matching hard."""
    draw = random.Random(size)
    if shape == "realistic":
        runs = made_filing(-1, each=size, pool=size * 3 // 4)
        return runs["run0"], runs["run1"]
    words = ["".join("abcdefghij"[int(digit)] for digit in str(n)) for n in range(2 * size + 40)]
    stock = [" ".join(words[40 * n : 40 * n + 30]) for n in range(KINDS)]

    def quote(number: int, side: int) -> str:
        if shape == "all equal":
            return stock[0]
        if shape == "boilerplate":
            return f"{draw.choice(stock)} {draw.randint(1, 40)}."
        first = 2 * number + side  # a chain: each quote is near to some of the other side before it and behind it
        return " ".join(words[first : first + 30])

    sides = []
    for side, run in enumerate(("run0", "run1")):
        order = draw.sample(range(size), size)
        sides.append(
            [
                Extraction(
                    id=f"{run}-{n}", run=run, filing_id="filing", chunk_id="c", quote=quote(number, side), edge="E",
                    verdict=Verdict.EXACT, ranges=((at := draw.randrange(400 * size), at + 200),),
                )
                for n, number in enumerate(order)
            ]
        )  # fmt: skip
    return sides[0], sides[1]


SHAPES = ("realistic", "all equal", "boilerplate", "chain")
