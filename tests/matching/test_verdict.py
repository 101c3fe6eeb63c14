"""Verdicts of quotes: the labelled cases, and what no change of a quote may do."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fingreat.errors import InputError
from fingreat.matching import Grounder, ground, normalise
from fingreat.matching.index import SectionIndex
from fingreat.schema.records import Verdict

TEXT = (
    "Net sales rose 5.9% to $41.25 million in fiscal 2021, and lines grew in every region.\n\n"
    "We do not expect the decline in margins to continue. Inventory turned 4.1 times.\n\n"
    "| Line | 2021 | 2020 |\n| --- | --- | --- |\n| Marine pumps | $5,210 | $(4,655) |\n\n"
    "Cash may increase by $3 million without further loans. Inventory turned 4.1 times."
)


def expected_verdicts(shared: Path) -> dict[str, tuple[str, tuple[tuple[int, int], ...]]]:
    table = (shared / "cases/quote-verdicts/expected.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([qr]\d\d) \| (\w+) \| (.*?) \|", table, re.MULTILINE)
    return {
        name: (verdict, tuple((int(a), int(b)) for a, b in re.findall(r"\[(\d+), (\d+)\]", ranges)))
        for name, verdict, ranges in rows
    }


def test_all_29_labelled_quotes_get_their_verdict_and_ranges(shared: Path) -> None:
    folder = shared / "cases/quote-verdicts"
    expected = expected_verdicts(shared)
    grounder = Grounder((folder / "input.source.md").read_text(encoding="utf-8"))
    found = {}
    for line in (folder / "input.quotes.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        result = grounder.ground(row["quote"])
        found[row["id"]] = (result.verdict.value, result.ranges)
        assert result.ambiguous == (row["id"] == "q13")
    assert len(found) == 29
    assert found == expected


def verdict(quote: str, text: str = TEXT) -> Verdict:
    return ground(quote, None, text).verdict


@pytest.mark.parametrize(
    ("quote", "differs"),
    [
        ("Net sales rose 5.9% to $41.26 million in fiscal 2021", ("figure",)),
        ("Net sales rose 5.9 to $41.25 million in fiscal 2021", ("figure",)),
        ("Net sales rose 5.9% to 41.25 million in fiscal 2021", ("figure",)),
        ("Net sales rose 5.9% to $41.25 billion in fiscal 2021", ("scale",)),
        ("Net sales fell 5.9% to $41.25 million in fiscal 2021", ("direction",)),
        ("We do expect the decline in margins to continue.", ("negation",)),
        ("Cash will increase by $3 million without further loans", ("modal",)),
        ("Cash may increase by $3 million with further loans", ("negation", "wording")),
        ("Marine pumps $5,210 $4,655", ("figure",)),
        ("Net sales rose 5.9% to $41.2", ("figure",)),
        ("Net sales rose 5.9% to $41.25 million in fiscal 2020", ("figure",)),
    ],
)
def test_one_changed_token_of_weight_makes_a_quote_altered(quote: str, differs: tuple[str, ...]) -> None:
    result = ground(quote, None, TEXT)
    assert (result.verdict, result.ranges, result.differs) == (Verdict.ALTERED, (), differs)


def test_a_table_row_is_found_without_its_pipes_and_losses_keep_their_sign() -> None:
    result = ground("Marine pumps $5,210 $(4,655)", None, TEXT)
    ((start, end),) = result.ranges
    assert (result.verdict, TEXT[start:end]) == (Verdict.NORMALISED, "Marine pumps | $5,210 | $(4,655)")
    assert verdict("Marine pumps $5,210 ($4,655)") is Verdict.NORMALISED
    assert verdict("Marine pumps $5210 $-4655") is Verdict.NORMALISED


def test_equal_places_are_all_given() -> None:
    result = ground("Inventory turned 4.1 times.", None, TEXT)
    assert result.ambiguous
    assert [TEXT[a:b] for a, b in result.ranges] == ["Inventory turned 4.1 times."] * 2


def test_the_chunk_is_searched_before_the_rest_of_the_section() -> None:
    start = TEXT.index("Cash may")
    inside = ground("Inventory turned 4.1 times.", TEXT[start:], TEXT, start)
    assert (inside.ranges, inside.ambiguous, inside.outside_chunk) == (((len(TEXT) - 27, len(TEXT)),), False, False)
    outside = ground("Net sales rose 5.9%", TEXT[start:], TEXT, start)
    assert (outside.verdict, outside.ranges, outside.outside_chunk) == (Verdict.EXACT, ((0, 19),), True)


def test_a_chunk_that_is_elsewhere_is_refused() -> None:
    with pytest.raises(InputError, match="character 5"):
        ground("Net sales rose 5.9%", TEXT[:20], TEXT, 5)


@pytest.mark.parametrize("quote", ["", "   ", "We", "---", "rose 5.9%", "a b c", "*" * 500, "... ... ..."])
def test_a_quote_below_12_characters_or_3_words_is_too_short(quote: str) -> None:
    assert verdict(quote) is Verdict.TOO_SHORT


def test_the_bounds_of_length_are_12_characters_and_3_words() -> None:
    text = "the abcd efgh of abcdef ghijkl was here"
    assert len("abcd efgh of") == 12
    assert verdict("abcd efgh of", text) is Verdict.EXACT
    assert verdict("the abcd ef", text) is Verdict.TOO_SHORT  # 11 characters
    assert verdict("abcdef ghijkl", text) is Verdict.TOO_SHORT  # two words


def test_the_blank_before_an_insert_belongs_to_its_fragment_whatever_its_typography() -> None:
    text = "We believe\u00a0that\nour cash will be sufficient."
    result = ground("We believe that [the Company's] cash will be sufficient", None, text)
    assert result.verdict is Verdict.ELIDED
    assert [text[a:b] for a, b in result.ranges] == ["We believe\u00a0that\n", "cash will be sufficient"]


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("Net sales rose 5.9% … and lines grew in every region.", Verdict.ELIDED),
        ("Net sales rose 5.9% [...] and lines grew in every region.", Verdict.ELIDED),
        ("Net sales rose 5.9% . . . and lines grew in every region.", Verdict.ELIDED),
        ("... and lines grew in every region ...", Verdict.NORMALISED),
        ("[N]et sales rose 5.9% to $41.25 million", Verdict.ELIDED),
        ("We ... expect the decline in margins to continue.", Verdict.ALTERED),
        ("lines grew in every region ... Net sales rose 5.9%", Verdict.NOT_FOUND),
        ("Net sales rose 6.9% ... and lines grew in every region.", Verdict.ALTERED),
        ("Net sales [fell] 5.9% to $41.25 million in fiscal 2021", Verdict.ALTERED),
        ("Net sales [never] rose 5.9% to $41.25 million", Verdict.ALTERED),
        ("Net sales rose 5.9% ... Cash may increase by $3 million", Verdict.NOT_FOUND),
    ],
)
def test_an_elided_quote_keeps_order_nearness_and_negations(quote: str, expected: Verdict) -> None:
    assert verdict(quote) is expected


def test_a_gap_of_200_characters_is_allowed_and_one_of_201_is_not() -> None:
    for gap, expected in ((200, Verdict.ELIDED), (201, Verdict.NOT_FOUND)):
        text = "The plant was sold" + " x" * 50 + " " * (gap - 101) + " at a profit last year"
        assert text.index("at a profit") - len("The plant was sold") == gap
        assert verdict("The plant was sold ... at a profit last year", text) is expected


@pytest.mark.parametrize("word", ["not", "No", "never", "without", "unless", "cannot", "don't", "isn’t"])
def test_an_ellipsis_may_not_hide_a_negation(word: str) -> None:
    text = f"The lenders of the group {word} agree to waive the covenant."
    assert verdict("The lenders of the group ... agree to waive the covenant.", text) is Verdict.ALTERED


@pytest.mark.parametrize(
    ("between", "bridged"),
    [
        ("\n\n22\n\nTARN VALLEY INSTRUMENTS INC\n\n", True),
        ("\n\n- 22 -\n\n", True),
        ("\n\nPage 22 of 90\n\nTable of Contents\n\n", True),
        ("\n\nF-12\n\n---\n\n", True),
        ("\n\nxiv\n\n", True),
        ("\n\n| Pumps | 22 |\n\n", False),
        ("\n\n### Outlook\n\n", False),
        (" 22 ", False),
    ],
)
def test_a_quote_goes_on_over_page_chrome_and_over_nothing_else(between: str, bridged: bool) -> None:
    text = f"Costs rose because the new line started late{between}in the fourth quarter of the year."
    result = ground("the new line started late in the fourth quarter", None, text)
    assert result.verdict.grounded is bridged
    if bridged:
        ((start, end),) = result.ranges
        assert text[start:end] == f"the new line started late{between}in the fourth quarter"


def test_two_sentences_go_on_over_a_page_number_but_not_over_a_heading() -> None:
    quote = "the new line started late. In the fourth quarter sales fell"
    for between, bridged in (
        ("\n\n22\n\n", True),
        ("\n\nSALES AND COSTS\n\n", False),
        ("\n\n22\n\n# Sales\n\n", False),
    ):
        text = f"Costs rose because the new line started late.{between}In the fourth quarter sales fell."
        assert verdict(quote, text).grounded is bridged
    heading = "# Results of the year\n\n22\n\nin the fourth quarter sales fell"
    assert not verdict("Results of the year in the fourth quarter sales fell", heading).grounded


def test_a_quote_with_the_page_number_in_it_must_have_the_right_one() -> None:
    text = "Costs rose because the line started late\n\n22\n\nin the fourth quarter."
    assert verdict("the line started late 22 in the fourth quarter", text) is Verdict.NORMALISED
    assert verdict("the line started late 23 in the fourth quarter", text) is Verdict.ALTERED


def test_footnote_marks_may_be_left_out_but_not_changed() -> None:
    text = "Resin cost more(1) in fiscal 2021² than in the year before."
    for quote in ("Resin cost more in fiscal 2021 than", "Resin cost more(1) in fiscal 2021² than"):
        assert verdict(quote, text).grounded
    assert not verdict("Resin cost more(2) in fiscal 2021 than", text).grounded


@pytest.mark.parametrize("quote", ["the long-term debt fell", "the longterm debt fell", "the long- term debt fell"])
def test_a_word_cut_by_a_line_end_is_found_with_and_without_its_hyphen(quote: str) -> None:
    text = "In 2020 the long-\nterm debt fell by half. Its longterm aims stay."
    result = ground(quote, None, text)
    assert result.verdict is Verdict.NORMALISED
    assert [text[a:b] for a, b in result.ranges] == ["the long-\nterm debt fell"]


def test_a_place_never_begins_inside_a_word_that_elsewhere_a_line_end_cuts() -> None:
    text = "Two ship-\nyards closed. The shipyards closed in March of last year."
    assert verdict("yards closed in March of last year", text) is Verdict.ALTERED


@pytest.mark.parametrize(
    "quote",
    [
        "word " * 20_000,
        "-*_|\\`. " * 12_000,
        "the ... " * 12_000,
        "収益は増加した。" * 12_000,
        "Выручка выросла на 5% " * 4_000,
        "[x " * 30_000,
        "<td" * 60_000,
        "<" * 200_000,
        "<td><td " * 30_000,
        "&" + "amp;" * 60_000,
        "(5" * 50_000,
        "e" + "\u0301\u0323" * 50_000,
        "\ud800 lone surrogate here",
        "\0 nul and \x1b escape",
    ],
    ids=lambda quote: repr(quote[:8]),
)
def test_odd_and_huge_quotes_are_rejected_without_a_crash(quote: str) -> None:
    assert not verdict(quote).grounded


def test_other_scripts_are_compared_mark_by_mark() -> None:
    text = "Выручка компании выросла на 5% в 2021 году. कंपनी की आय में वृद्धि हुई थी"
    assert verdict("выручка компании выросла на 5%", text) is Verdict.NORMALISED
    assert verdict("कंपनी की आय में वृद्धि", text) is Verdict.EXACT
    assert not verdict("कंपनी का आय में वृद्धि", text).grounded


def test_work_per_missing_quote_does_not_grow_with_the_repetition_of_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Votes for places are bounded, so a quote of common words costs no more in a longer section."""
    compared: list[int] = []
    import fingreat.matching.index as index

    real = index.LCSseq.similarity
    monkeypatch.setattr(index.LCSseq, "similarity", lambda a, b: compared.append(len(b)) or real(a, b))
    for times in (1_000, 20_000):
        compared.clear()
        SectionIndex("the cost of the sales of the goods " * times).nearest("\1\2\0\3\1\4\0\1")
        assert 1 <= len(compared) <= 4
        assert max(compared) < 100


def test_an_empty_section_grounds_nothing() -> None:
    assert verdict("Net sales rose 5.9%", "") is Verdict.NOT_FOUND
    assert normalise("").text == ""
