"""Pairs made by hand: the same passage in other print, cut or put together, and near misses that say something else."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from match_builders import ex

from fingreat.analysis import FidelityTally
from fingreat.matching import match_extractions
from fingreat.schema import Match

SALES = "Net sales rose 5.9% to $41.25 million in fiscal 2021 compared with fiscal 2020"
"""14 words and figures."""
COSTS = "Selling expenses were lower because two plants closed"
"""8 words."""
MARGIN = "We do not expect the decline in margins to continue"
"""10 words."""


def matched(a: str, b: str) -> Match:
    """The match of two quotes; the same whichever run is named first."""
    (found,) = match_extractions([ex("a", a)], [ex("b", b)])
    (back,) = match_extractions([ex("b", b)], [ex("a", a)])
    assert (back.overlap, back.decided_by, back.figures, back.differs) == (
        found.overlap, found.decided_by, found.figures, found.differs
    )  # fmt: skip
    return found


NOISE = [
    ('The Company\'s "core" lines grew', "The Company’s “core” lines grew"),
    ("The Company's 'core' lines grew", "The Company‘s ‚core‘ lines grew"),
    ("our long-term debt of 2020-2021", "our long‑term debt of 2020–2021"),
    ("a loss of -5% in all", "a loss of −5% in all"),
    ("debt was high - all of it fixed", "debt was high—all of it fixed"),
    ("debt was high -- all of it fixed", "debt was high — all of it fixed"),
    ("a charge of $ 5 million", "a charge of\u00a0$\u202f5\u2009million"),
    ("revenue was deferred", "reve\u00adnue was de\u200bferred"),
    ("our management believes", "our manage-\nment believes"),
    ("our management believes", "our manage\u00ad\nment be-  \n  lieves"),
    ("net sales rose in all regions", "net sales\nrose  in\r\nall\tregions"),
    ("net sales rose in all regions", "**Net sales** rose in _all_ *regions*"),
    ("net sales rose in all regions", "### Net sales rose in all regions"),
    ("net sales rose", "- net sales rose"),
    ("net sales rose", "• net sales rose"),
    ("Lease payments were $5", "Lease payments were \\$5"),
    ("first fixed office flow", "ﬁrst ﬁxed oﬃce ﬂow"),
    ("sales rose 5.9% in 2021", "ｓａｌｅｓ rose ５.９％ in ２０２１"),
    ("Marine pumps $5,210 $4,655", "| Marine pumps | $5,210 | $4,655 |"),
    ("Marine pumps 5,210", "<tr><td>Marine pumps</td><td>5,210</td></tr>"),
    ("R&D expenses rose", "R&amp;D expenses rose"),
    ("café sales rose", "cafe\u0301 sales rose"),
]


@pytest.mark.parametrize(("a", "b"), NOISE)
def test_other_print_is_equal(a: str, b: str) -> None:
    found = matched(a, b)
    assert (found.overlap, found.equal, found.decided_by, found.differs) == (1, 1, "equal", ())
    assert found.figures in ("none", "same")


# Score, what decided, figures.
SAME = [
    # All words in one stretch, other punctuation: 0.90 + 0.10·14/14; 7 of 7 words.
    (SALES, f"“{SALES}.”", 1, "containment", "same"),
    ("Sales rose in all, to $5 million.", "Sales rose (in all) to 5 million", 1, "containment", "same"),
    ("Marine pumps, thousands: 5,210; 4,655", "| Marine pumps, thousands | $5210 | $4655 |", 1, "containment", "same"),
    ("and so on ... in all", "and so on… in all", 1, "containment", "none"),
    # A sentence lost at the end, at the start: 0.90 + 0.10·14/22, 8/22.
    (f"{SALES}. {COSTS}.", f"{SALES}.", 0.90 + 0.10 * 14 / 22, "containment", "same"),
    (f"{SALES}. {COSTS}.", f"{COSTS}.", 0.90 + 0.10 * 8 / 22, "containment", "more"),
    # In the middle: both sentences are shared fragments, 24/24 and 18/18, at most 0.90 + 0.05·24/32, 18/32.
    (f"{SALES}. {COSTS}. {MARGIN}.", f"{SALES}. {MARGIN}.", 0.90 + 0.05 * 24 / 32, "fragments", "same"),
    (f"{COSTS}. {SALES}. {MARGIN}.", f"{COSTS}. {MARGIN}.", 0.90 + 0.05 * 18 / 32, "fragments", "more"),
    # Joined: the same 22 words in one stretch; with an "and" between them 22 of 23 in order, more than the
    # 0.90 + 0.05·22/23 that two shared sentences give.
    (f"{SALES}. {COSTS}.", f"{SALES}; {COSTS.lower()}.", 1, "containment", "same"),
    (f"{SALES}.\n\n{COSTS}.", f"{SALES} {COSTS}", 1, "containment", "same"),
    (f"{SALES}. {COSTS}.", f"{SALES}, and {COSTS.lower()}.", 22 / 23, "order", "same"),
    # Another order: 0.90 + 0.05·32/32.
    (f"{SALES}. {COSTS}. {MARGIN}.", f"{MARGIN}. {COSTS}. {SALES}.", 0.95, "fragments", "same"),
    # A heading before it, what is said behind it, both: 0.90 + 0.10·14/17, 14/18, 14/16.
    (f"Cost of Sales\n\n{SALES}", SALES, 0.90 + 0.10 * 14 / 17, "containment", "same"),
    (SALES, f"{SALES}, due to higher volume", 0.90 + 0.10 * 14 / 18, "containment", "same"),
    (SALES, f"In 1999, {SALES}", 0.90 + 0.10 * 14 / 16, "containment", "more"),
    # One starts earlier, the other ends later: 14 of 16 in order.
    (f"This year, {SALES}", f"{SALES} and 2019", 14 / 16, "order", "more"),
]


@pytest.mark.parametrize(("a", "b", "score", "decided_by", "figures"), SAME)
def test_the_same_passage_cut_or_put_together_matches(
    a: str, b: str, score: float, decided_by: str, figures: str
) -> None:
    found = matched(a, b)
    assert (found.overlap, found.decided_by) == (pytest.approx(score, abs=1e-12), decided_by)
    assert (found.figures, found.differs) == (figures, ())


ELIDED = [
    # Pieces of 7 and 6 tokens, all of the elided quote's 13: 0.90 + 0.05·13/14.
    (SALES, SALES.replace("in fiscal 2021", "... fiscal 2021"), 0.90 + 0.05 * 13 / 14, "fragments", "same"),
    # Pieces of 4 and 15 tokens, of which the first is too short: 15/19. In order 19/22.
    (f"{SALES}. {COSTS}.", f"{SALES}. {COSTS}.".replace("to $41.25 million", "..."), 19 / 22, "order", "more"),
    # An ellipsis that hides a whole sentence: 24/24 in pieces, 0.90 + 0.05·24/32.
    (f"{SALES}. {COSTS}. {MARGIN}.", f"{SALES} [...] {MARGIN}.", 0.90 + 0.05 * 24 / 32, "fragments", "same"),
    # An insert is no part of the quote, and its figures are none of it: 0.90 + 0.10·14/16.
    (SALES, f"[In 2019] {SALES}", 0.90 + 0.10 * 14 / 16, "containment", "same"),
    # Pieces of 7 and 7, all 14 of the other: 0.90 + 0.05·14/15.
    (SALES, SALES.replace("million in", "million [dollars] in"), 0.90 + 0.05 * 14 / 15, "fragments", "same"),
]


@pytest.mark.parametrize(("a", "b", "score", "decided_by", "figures"), ELIDED)
def test_what_a_quote_says_it_leaves_out_is_no_difference(
    a: str, b: str, score: float, decided_by: str, figures: str
) -> None:
    found = matched(a, b)
    assert (found.overlap, found.decided_by) == (pytest.approx(score, abs=1e-12), decided_by)
    assert (found.figures, found.differs) == (figures, ())


def test_an_ellipsis_may_not_hide_a_negation() -> None:
    # Pieces of 1 and 21 tokens, of which the second is shared: 21/22, at most 0.90 + 0.05·22/24.
    found = matched(f"{MARGIN}. {SALES}.", f"{MARGIN}. {SALES}.".replace("do not", "..."))
    assert (found.overlap, found.decided_by) == (pytest.approx(0.90 + 0.05 * 22 / 24, abs=1e-12), "fragments")
    assert (found.figures, found.differs) == ("same", ("negation",))


PLANTS = "Selling expenses were lower because of 2 closures"
"""8 words and figures."""
TAX = "The rate of tax was 21% in all three years since the new law came up"
"""16 words and figures."""
EXPECTED = "We expect sales in all regions of the world to grow in the next year"
"""15 words."""
# Score, kinds, figures. One of 14 words and figures changed: 13/14.
NEAR = [
    (SALES, SALES.replace("41.25", "41.52"), 13 / 14, "figure", "differ"),
    (SALES, SALES.replace("41.25", "412.5"), 13 / 14, "figure", "differ"),
    (SALES, SALES.replace("5.9%", "5.9"), 13 / 14, "figure", "differ"),
    (SALES, SALES.replace("5.9%", "(5.9%)"), 13 / 14, "figure", "differ"),
    (SALES, SALES.replace("5.9%", "-5.9%"), 13 / 14, "figure", "differ"),
    (SALES, SALES.replace("2021", "2022"), 13 / 14, "figure", "differ"),
    (SALES, SALES.replace("2020", "2019"), 13 / 14, "figure", "differ"),
    (SALES, SALES.replace("rose", "fell"), 13 / 14, "direction", "same"),
    (SALES, SALES.replace("million", "billion"), 13 / 14, "scale", "same"),
    (SALES, SALES.replace("million", ""), 13 / 14, "scale", "same"),
    # Written out: 13 of 15 words and figures in order.
    (SALES, SALES.replace("5.9%", "5.9 percent"), 13 / 15, "figure scale", "differ"),
    # Currency is no part of a token, so that all 14 are there, in another text.
    (SALES, SALES.replace("$", "€"), 1, "figure", "same"),
    # One lost.
    (SALES, SALES.replace(" 2021", ""), 13 / 14, "figure", "more"),
    # Two changed.
    (SALES, SALES.replace("rose 5.9%", "fell 5.8%"), 12 / 14, "direction figure", "differ"),
    # Years that changed places.
    (SALES, SALES.replace("2021", "x").replace("2020", "2021").replace("x", "2020"), 12 / 14, "figure", "same"),
    # Words more of 15: 15/17, 15/16; one changed: 14/15.
    (EXPECTED, EXPECTED.replace("expect", "do not expect"), 15 / 17, "negation", "none"),
    (EXPECTED, EXPECTED.replace("expect", "never expect"), 15 / 16, "negation", "none"),
    (EXPECTED, EXPECTED.replace("expect", "may expect"), 15 / 16, "modal", "none"),
    (EXPECTED, EXPECTED.replace("all", "some"), 14 / 15, "modal", "none"),
    (EXPECTED, EXPECTED.replace("all", "no"), 14 / 15, "modal negation", "none"),
    (EXPECTED, EXPECTED.replace("grow", "decline"), 14 / 15, "direction", "none"),
    (EXPECTED, EXPECTED.replace("grow", "not grow"), 15 / 16, "negation", "none"),
    (EXPECTED, EXPECTED.replace("in the", "within the"), 14 / 15, "", "none"),
    # A negation cut off or put before: all in one stretch, 0.90 + 0.10·9/10, 15/16.
    ("No dividends were paid on our common stock in 2021", "dividends were paid on our common stock in 2021", 0.99,
     "negation", "same"),
    (EXPECTED, f"Unless {EXPECTED}", 0.90 + 0.10 * 15 / 16, "negation", "none"),
    (EXPECTED, f"{EXPECTED}, or not", 0.90 + 0.10 * 15 / 17, "negation", "none"),
    # A scale word cut off: 0.90 + 0.10·10/11.
    ("In all of 2021 our net sales rose to 41.25 million", "In all of 2021 our net sales rose to 41.25",
     0.90 + 0.10 * 10 / 11, "scale", "same"),
    # A loss in parentheses: 9 of 10.
    ("The change in other assets was $1,204 in this year", "The change in other assets was $(1,204) in this year",
     9 / 10, "figure", "differ"),
    # In one sentence of two; in order 21 of 22, more than the 14/22 that the other sentence gives.
    (f"{SALES}. {COSTS}.", f"{SALES}. {COSTS.replace('two', 'no')}.", 21 / 22, "negation", "same"),
    # One of four sentences in another order: the others have 40 of all 48 words and figures.
    (f"{SALES}. {PLANTS}. {MARGIN}. {TAX}.", f"{TAX}. {MARGIN}. {PLANTS.replace('2', '3')}. {SALES}.",
     40 / 48, "figure", "differ"),
    # Within an elided quote.
    (SALES, SALES.replace("in fiscal 2021", "... fiscal 2019"), 12 / 14, "figure", "differ"),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "score", "kinds", "figures"), NEAR)
def test_a_near_miss_is_never_equal_and_says_what_it_differs_in(
    a: str, b: str, score: float, kinds: str, figures: str
) -> None:
    found = matched(a, b)
    assert found.overlap == pytest.approx(score, abs=1e-12)
    assert (found.equal, found.decided_by != "equal") == (0, True)
    assert (found.figures, found.differs) == (figures, tuple(kinds.split()))
    assert found.near_miss is bool(kinds)


def test_near_misses_are_counted_apart() -> None:
    tally = FidelityTally()
    pairs = [(a, b) for a, b, *_ in SAME] + [(a, b) for a, b, *_ in NEAR] + NOISE
    for number, (a, b) in enumerate(pairs):
        filing = f"f{number}"
        tally.add(filing, match_extractions([ex("a", a, filing=filing)], [ex("b", b, filing=filing)]))
    counts = tally.counts()
    assert counts.matched == counts.filings == len(pairs)
    assert counts.equal == len(NOISE)
    said = [kinds.split() for *_, kinds, _ in NEAR]
    assert counts.near_misses.hits == sum(map(bool, said))
    assert counts.kinds == {kind: sum(kind in row for row in said) for kind in counts.kinds}
    assert counts.kinds["figure"] > 10


# Each altered quote of the labelled cases, what the source says there, and the kinds in which they differ.
ALTERED = {
    "r02": ("We do not expect the decline in margins to continue.", "negation"),
    "r03": ("will be sufficient to meet our working capital needs for at least the next 12 months.", "figure"),
    "r04": ("Net sales rose 5.9% to $41.25 million in fiscal 2021", "figure"),
    "r06": ("Net sales rose 5.9% to $41.25 million in fiscal 2021", "direction"),
    "r07": ("Backlog was $310.5 million compared with $287.9 million a year ago.", "figure"),
    "r08": ("Backlog was $310.5 million compared with $287.9 million a year ago.", "scale"),
    "r09": ("Operating income fell to a loss of $(1,204) thousand", "figure"),
    "r10": ("Freight rates may decline, but we cannot predict when.", "modal"),
}


def test_the_altered_quotes_of_the_labelled_cases_are_near_misses(shared: Path) -> None:
    lines = (shared / "cases" / "quote-verdicts" / "input.quotes.jsonl").read_text(encoding="utf-8").splitlines()
    quotes = {row["id"]: row["quote"] for row in map(json.loads, lines)}
    source = (shared / "cases" / "quote-verdicts" / "input.source.md").read_text(encoding="utf-8")
    for name, (said, kind) in ALTERED.items():
        assert said[:40] in re.sub(r"\s+", " ", source)
        found = matched(quotes[name], said)
        assert (name, found.differs, found.equal) == (name, (kind,), 0)


def test_the_honest_quotes_of_the_labelled_cases_say_the_same(shared: Path) -> None:
    folder = shared / "cases" / "quote-verdicts"
    lines = (folder / "input.quotes.jsonl").read_text(encoding="utf-8").splitlines()
    quotes = {row["id"]: row["quote"] for row in map(json.loads, lines)}
    source = (folder / "input.source.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (q\d+) \| \w+ \| \[(\d+), (\d+)\] \|", (folder / "expected.md").read_text("utf-8"), re.M)
    assert len(rows) == 10
    for name, start, end in rows:
        if name == "q08":
            continue  # it runs over a page break, and the page's number stands in the source
        found = matched(quotes[name], source[int(start) : int(end)])
        assert (name, found.figures in ("none", "same"), found.differs) == (name, True, ())
        assert (name, found.overlap) == (name, 1)


def other_print(text: str, draw: random.Random) -> str:
    """The same text as another program might print it."""
    text = re.sub(r"(?<=[a-z]) (?=[a-z])", lambda _: draw.choice([" ", "\u00a0", "\n", "  ", "\t"]), text)
    text = re.sub(r"(?<=[a-z])-(?=[a-z])", lambda _: draw.choice(["-", "\u2010", "\u2011"]), text)
    text = text.replace("'", "’").replace("fi", "ﬁ").replace("ff", "ﬀ")
    return re.sub(r"\b[A-Z][a-z]+\b", lambda match: draw.choice([match[0], f"**{match[0]}**", f"_{match[0]}_"]), text)


def test_changes_planted_in_labelled_passages_are_found_and_other_print_is_not(shared: Path) -> None:
    draw = random.Random(7)
    lines = (shared / "passages" / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    planted = 0
    for text in (json.loads(line)["text"] for line in lines):
        printed = other_print(text, draw)
        found = matched(text, printed)
        assert (found.decided_by, found.differs) == ("equal", ())
        if digits := list(re.finditer(r"\d", printed)):
            at = draw.choice(digits).start()
            found = matched(text, f"{printed[:at]}{(int(printed[at]) + draw.randint(1, 9)) % 10}{printed[at + 1 :]}")
            assert (found.equal, found.figures, found.differs) == (0, "differ", ("figure",))
            planted += 1
        at = draw.choice(list(re.finditer(r"(?<=[a-z]{3})\s(?=[a-z]{3})", printed))).start()
        found = matched(text, f"{printed[:at]} not {printed[at:]}")
        assert (found.equal, found.differs) == (0, ("negation",))
    assert planted > 100
