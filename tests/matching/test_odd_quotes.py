"""Quotes that no honest model gives: very long ones, ones without a word, other scripts, broken characters.

Each has the right result by the rules of the overlap and of fidelity; none may fail or take long.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence

import pytest
from match_builders import ex

from fingreat.matching import FilingMatcher, match_extractions
from fingreat.schema import Extraction, Match

LENGTH = 100_000
WORDS = ["".join(chr(ord("a") + number // 26**place % 26) for place in range(6)) for number in range(14_285)]
"""Different words of six letters: with blanks between them 99,994 characters."""
LONG = " ".join(WORDS)


def side(name: str, quotes: Sequence[str]) -> list[Extraction]:
    return [ex(f"{name}{number:03d}", quote, place=100 * number) for number, quote in enumerate(quotes)]


def matches(a: Sequence[str], b: Sequence[str]) -> list[Match]:
    """The matches of two runs in one filing, the same whichever run is named first and whoever else is there."""
    runs = side("a", a), side("b", b)
    found = match_extractions(*runs)
    if max(map(len, [*a, *b])) < 1000:
        matcher = FilingMatcher("f", [*runs[0], *runs[1], *side("c", ["Net sales rose.", ""])])
        assert matcher.candidates(*runs).matches() == found
        back = match_extractions(*reversed(runs))
        assert {(m.b, m.a, m.overlap, m.figures, m.differs) for m in back} == {
            (m.a, m.b, m.overlap, m.figures, m.differs) for m in found
        }
    return found


def said(found: Sequence[Match]) -> set[tuple[float, str, str, tuple[str, ...]]]:
    """What the matches say beside their ids, each once; scores to nine places."""
    return {(round(match.overlap, 9), match.decided_by, match.figures, match.differs) for match in found}


def partners(found: Sequence[Match]) -> list[tuple[int, int]]:
    return [(int(match.a[1:]), int(match.b[1:])) for match in found]


def changed(word: str) -> str:
    """The long quote with another word in its middle."""
    return " ".join([*WORDS[:7_000], word, *WORDS[7_001:]])


@pytest.mark.parametrize("count", [2, 10])
def test_long_quotes_that_are_equal_match_by_place(count: int) -> None:
    found = matches([LONG] * count, [LONG] * count)
    assert partners(found) == [(number, number) for number in range(count)]
    assert said(found) == {(1, "equal", "none", ())}


def test_long_quotes_that_differ_in_one_word_match_the_equal_ones() -> None:
    quotes = [changed(f"word{letter}") for letter in "klmn"]
    found = matches(quotes, quotes[::-1])
    assert partners(found) == [(0, 3), (1, 2), (2, 1), (3, 0)]
    assert said(found) == {(1, "equal", "none", ())}


@pytest.mark.parametrize(
    ("word", "figures", "kinds"),
    [("elsewhere", "none", ()), ("5.9%", "more", ("figure",)), ("not", "none", ("negation",))],
)
def test_long_quotes_that_differ_in_one_word_are_nearly_equal(word: str, figures: str, kinds: tuple[str, ...]) -> None:
    found = matches([LONG], [changed(word)])
    assert said(found) == {(round(14_284 / 14_285, 9), "order", figures, kinds)}


@pytest.mark.prove
def test_ten_long_quotes_each_inside_the_next_match_the_equal_ones() -> None:
    quotes = [" ".join(WORDS[: 14_000 - 500 * number]) for number in range(10)]
    assert partners(matches(quotes, quotes[::-1])) == [(number, 9 - number) for number in range(10)]


def test_a_long_quote_inside_another() -> None:
    found = matches([" ".join(WORDS[:14_000])], [" ".join(WORDS[2_000:9_000])])
    # 0.90 + 0.10 · 7,000 / 14,000.
    assert said(found) == {(0.95, "containment", "none", ())}


def test_long_quotes_with_sentences_in_another_order() -> None:
    sentences = [f"The {' '.join(WORDS[at : at + 9])}." for at in range(0, 13_500, 9)]
    found = matches([" ".join(sentences)], [" ".join(reversed(sentences))])
    # All of it is shared: 0.90 + 0.05.
    assert said(found) == {(0.95, "fragments", "none", ())}


SIX = "One two three four five six. "


@pytest.mark.parametrize(
    ("a", "b", "score", "decided_by"),
    [
        # One word repeated: 0.90 + 0.10 · 49,000 / 50,000.
        ("a " * 50_000, "a " * 49_000, 0.998, "containment"),
        ("a " * 50_000, "b " * 50_000, None, ""),
        # Two words in turn, one later: all but one are in order.
        ("a b " * 25_000, "b a " * 25_000, 49_999 / 50_000, "order"),
        # One sentence repeated: 0.90 + 0.10 · 3,300 / 3,400; with another word 19,800 of 20,400.
        (SIX * 3_400, SIX * 3_300, 0.90 + 0.10 * 33 / 34, "containment"),
        (SIX * 3_400, f"{SIX * 3_300}Seven", 198 / 204, "order"),
        # No word ends.
        ("a" * LENGTH, "a" * LENGTH, 1, "equal"),
        ("a" * LENGTH, "a" * (LENGTH - 1), None, ""),
        # No word at all. A row of points is an ellipsis, however many.
        ("!" * LENGTH, "!" * LENGTH, 1, "equal"),
        ("!" * LENGTH, "? " * 50_000, None, ""),
        ("[" * LENGTH, "(" * LENGTH, None, ""),
        ("." * LENGTH, ". " * 49_000, 1, "equal"),
        ("| " * 50_000, "", 1, "equal"),
        (" \n" * 50_000, "\t" * LENGTH, 1, "equal"),
    ],
)
def test_long_quotes_of_little(a: str, b: str, score: float | None, decided_by: str) -> None:
    found = matches([a] * 2, [b] * 2)
    if score is None:
        assert found == []
        return
    assert partners(found) == [(0, 0), (1, 1)]
    assert said(found) == {(round(score, 9), decided_by, "none", ())}


def test_more_words_than_one_plane_of_characters_has() -> None:
    """72,000 different words in one filing: code points of surrogates stand for some of them."""
    quotes = [" ".join(f"{word}{letter}" for word in WORDS[:12_000]) for letter in "abcdef"]
    found = matches(quotes, [f"{quote} more" for quote in quotes[::-1]])
    assert partners(found) == [(number, 5 - number) for number in range(6)]
    assert said(found) == {(round(0.90 + 0.10 * 12_000 / 12_001, 9), "containment", "none", ())}


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("!!!", "! ! !"), ("!!!", "???"), ("...", "?"), ("---", "+++"), ("$", "€"), ("%", "‰"), ("$", "5"),
        ("📈", "📉"), ("👍🏽", "👎"), ("\ud800", "\ud801"), ("\ud83d", "😀"), ("\x00", "\x01"), ("\ufffd", "?"),
    ],
)  # fmt: skip
def test_quotes_without_a_word_match_only_what_reads_the_same(a: str, b: str) -> None:
    assert matches([a], [b]) == []
    found = matches([a, b], [b, a])
    assert partners(found) == [(0, 1), (1, 0)]
    assert [(m.overlap, m.decided_by, m.differs) for m in found] == [(1, "equal", ())] * 2


EMPTY = [
    "",
    " ",
    "\n\t \r\n",
    "\u00a0\u3000",
    "\u200b\ufeff",
    "\u00ad",
    "\u0301\u0302",
    "|",
    "**",
    "| --- |",
    "\u200f\u202e",
]


def test_quotes_of_nothing_read_the_same_and_match_by_place() -> None:
    found = matches(EMPTY, EMPTY[::-1])
    assert partners(found) == [(number, number) for number in range(len(EMPTY))]
    assert said(found) == {(1, "equal", "none", ())}
    assert matches(EMPTY, ["Net sales rose", "!", "0"]) == []


@pytest.mark.parametrize(
    ("a", "b"),
    [
        # A sign of direction before, within and behind; joiners; a variation selector.
        ("ارتفعت المبيعات بنسبة ٥ في عام ٢٠٢١", "\u200fارتفعت المبيعات\u200f بنسبة ٥ \u202bفي عام\u202c ٢٠٢١\u200e"),
        ("می‌شود", "میشود"),
        ("❤ 📈", "❤\ufe0f 📈"),
        # Full width, half width, a compatibility sign; digits of the full width are the plain ones.
        ("2021年の売上高は5%増加した", "２０２１年の売上高は５％増加した"),
        ("ドル建て", "ﾄﾞﾙ建て"),
        ("株式会社の売上", "㍿の売上"),
        # Composed and decomposed.
        (unicodedata.normalize("NFC", "매출액이 증가했다"), unicodedata.normalize("NFD", "매출액이 증가했다")),
        (unicodedata.normalize("NFC", "Ἀθῆναι"), unicodedata.normalize("NFD", "Ἀθῆναι")),
        # Case, a final sigma among it.
        ("ΟΙ ΠΩΛΉΣΕΙΣ ΑΥΞΉΘΗΚΑΝ", "οι πωλήσεις αυξήθηκαν"),
        ("ВЫРУЧКА ВЫРОСЛА", "выручка выросла"),
        ("Straße", "STRASSE"),
        # What controls the page is white space.
        ("net sales\x0crose\x0b5\x85%\x1c", "net sales rose 5 %"),
        ("net sales\r\nrose", "net sales\u2028rose"),
    ],
)  # fmt: skip
def test_other_scripts_are_equal_where_they_read_the_same(a: str, b: str) -> None:
    (found,) = matches([a], [b])
    assert (found.overlap, found.decided_by, found.differs) == (1, "equal", ())


@pytest.mark.parametrize(
    ("a", "old", "new", "score", "figures", "kinds"),
    [
        # Six words and figures of seven, eight of nine, five of six, four of five.
        ("ارتفعت المبيعات بنسبة ٥ في عام ٢٠٢١", "٢٠٢١", "٢٠٢٢", 6 / 7, "differ", ("figure",)),
        ("ارتفعت المبيعات بنسبة ٥ في عام ٢٠٢١", "ارتفعت", "انخفضت", 6 / 7, "same", ()),
        ("शुद्ध बिक्री २०२१ में ५% बढ़ी और लागत घटी", "५%", "६%", 8 / 9, "differ", ("figure",)),
        ("शुद्ध बिक्री २०२१ में ५% बढ़ी और लागत घटी", "बढ़ी", "गिरी", 8 / 9, "same", ()),
        ("Οι πωλήσεις αυξήθηκαν 5% το 2021", "2021", "2020", 5 / 6, "differ", ("figure",)),
        ("2021年の売上高は5%増加し、費用は3億円", "3", "4", 6 / 7, "differ", ("figure",)),
        ("净销售额：2021年增长5%，成本下降", "2021", "2022", 4 / 5, "differ", ("figure",)),
        ("ยอดขาย ในปี ๒๕๖๔ เพิ่มขึ้น ๕%", "๕%", "๖%", 4 / 5, "differ", ("figure",)),
        # A figure in digits of another script is another one.
        ("Net sales rose in 2021", "2021", "٢٠٢١", 4 / 5, "differ", ("figure",)),
        # One word of a script without blanks is one token: too much of the quote.
        ("净销售额增长", "增长", "下降", None, "", ()),
        ("2021年的净销售额增长", "增长", "下降", None, "", ()),
    ],
)  # fmt: skip
def test_other_scripts_are_compared_by_words_and_figures(
    a: str, old: str, new: str, score: float | None, figures: str, kinds: tuple[str, ...]
) -> None:
    b = a.replace(old, new)
    assert b != a
    found = matches([a], [b])
    if score is None:
        assert found == []
        return
    assert [(m.overlap, m.decided_by, m.figures, m.differs) for m in found] == [
        (pytest.approx(score, abs=1e-12), "order", figures, kinds)
    ]
    # The equal one is nearer.
    assert partners(matches([a], [b, a])) == [(0, 1)]


@pytest.mark.parametrize(
    "odd", [json.loads('"\\ud800"'), json.loads('"\\udfff"'), "\x00", "\x07", "\x7f", "\ufffe", "\U0010ffff"]
)
def test_a_broken_character_is_no_part_of_a_word(odd: str) -> None:
    quote = "Net sales rose 5% in fiscal 2021"
    # At the ends, between words, and within one, which it cuts in two: 6 of 8.
    for broken in (f"{odd}{quote}", f"{quote}{odd}", quote.replace(" ", odd)):
        assert [(m.overlap, m.figures, m.differs) for m in matches([quote], [broken])] == [(1, "same", ())]
        assert [m.decided_by for m in matches([broken], [broken])] == ["equal"]
    assert matches([quote], [quote.replace("fiscal", f"fis{odd}cal")]) == []


def test_all_odd_quotes_in_one_filing() -> None:
    quotes = [
        "",
        "!!!",
        "📈",
        "\ud800",
        "\x00 x",
        "5",
        "净销售额增长",
        "\u0301y",
        "a" * LENGTH,
        "7 " * 50_000,
        "[[[",
        "...",
    ]
    assert partners(matches(quotes, quotes[::-1])) == [(number, 11 - number) for number in range(12)]
