"""Properties of normalisation and grounding over generated texts."""

from __future__ import annotations

import unicodedata

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fingreat.matching import Token, ground, normalise, tokens
from fingreat.schema.records import Verdict

MARKS = [*"ab5 .,-*_#|`'\"\\+=:()%$\n\r\t", "—", "…", "½", "ﬁ", "\u00ad", "\u0301", "\u200b", "²", "•", "’", "é", "ß"]
MARKS += ["İ", "𝐀", "¨", "‑", "क", "ि", "ŉ", "№", "①"]
PIECES = [
    "the",
    "net",
    "5%",
    "(1,204)",
    "-$5",
    "$(7)",
    "not",
    "a-\nb",
    "2½",
    "x(1)",
    "--",
    "*b*",
    "_",
    "\n",
    "\n- ",
    "| ",
]
PIECES += [" ", " ", " ", "£5", ".5", "1,23,4", "—5", "\n22\n", "ab", "[x]", " ... ", "\n\n", "’s", "ﬁxed"]
PIECES += ["<td>", "</td><td>", "</td></tr>\n<tr><td>", '<th colspan="2">', "<td", 'colspan="2">', "<", ">"]
PIECES += ["&amp;", "&", "amp;", "&lt;", "gt;"]
rough_texts = st.one_of(
    st.text(alphabet=st.sampled_from(MARKS), max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    st.text(max_size=40),
)
WORDS = ["sales", "rose", "costs", "fell", "margin", "year", "the", "our", "first", "fixed", "offset", "not", "may"]
WORDS += ["increase", "decrease", "million", "billion", "$41.25", "5.9%", "2021", "(1,204)", "long-term", "Company's"]
prose = st.lists(st.sampled_from(WORDS), min_size=12, max_size=40)
thorough = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


@thorough
@given(rough_texts)
def test_normal_form_is_stable_and_every_offset_lies_inside_the_text(text: str) -> None:
    normal = normalise(text)
    assert normalise(normal.text).text == normal.text
    assert len(normal.starts) == len(normal.ends) == len(normal.text)
    assert list(normal.starts) == sorted(normal.starts)
    assert all(0 <= a < b <= len(text) for a, b in zip(normal.starts, normal.ends, strict=True))


@thorough
@given(rough_texts)
def test_tokens_are_in_order_and_inside_the_text(text: str) -> None:
    normal = normalise(text)
    end = 0
    for token in tokens(normal):
        assert end <= token.start < token.end <= len(normal.text)
        end = token.end


@thorough
@given(rough_texts, st.data())
def test_a_piece_cut_on_token_borders_is_found_at_its_place(text: str, data: st.DataObject) -> None:
    normal = normalise(text)
    found = tokens(normal)
    assume(len(found) >= 3)
    first = data.draw(st.integers(0, len(found) - 3))
    last = data.draw(st.integers(first + 2, len(found) - 1))
    start, _ = normal.source_range(found[first].start, found[first].end)
    _, end = normal.source_range(found[last].start, found[last].end)
    # A fraction such as ½ is one character and two figures: no border lies inside it.
    assume(first == 0 or normal.ends[found[first - 1].end - 1] <= start)
    assume(last == len(found) - 1 or normal.starts[found[last + 1].start] >= end)
    quote = normalise(text[start:end]).text
    assume(len(quote) >= 12)
    result = ground(text[start:end], None, text)
    assert result.verdict in (Verdict.EXACT, Verdict.NORMALISED)
    assert all(normalise(text[a:b]).text == quote for a, b in result.ranges)
    assert all(0 <= a < b <= len(text) for a, b in result.ranges)
    assert (start, end) in result.ranges


NOISE = {
    "curly quotes": lambda text: text.replace("'", "’"),
    "non-breaking hyphens": lambda text: text.replace("-", "\u2011"),
    "no-break blanks": lambda text: text.replace(" ", "\u00a0"),
    "line breaks": lambda text: text.replace(" ", "\n"),
    "ligatures": lambda text: text.replace("fi", "ﬁ").replace("ff", "ﬀ"),
    "zero-width blanks": lambda text: text.replace("a", "a\u200b"),
    "soft hyphens": lambda text: text.replace("sales", "sa\u00adles"),
    "full width": lambda text: text.replace("5", "５"),
    "bold": lambda text: f"**{text}**",
    "decomposed and upper case": lambda text: unicodedata.normalize("NFD", text.upper()),
}


@thorough
@given(prose, st.sampled_from(sorted(NOISE)), st.booleans(), st.data())
def test_typographic_noise_keeps_verdict_and_range(
    words: list[str], noise: str, in_source: bool, data: st.DataObject
) -> None:
    first = data.draw(st.integers(0, len(words) - 6))
    last = data.draw(st.integers(first + 5, len(words)))
    # "zebra" and "quartz" stand nowhere else, so the place is unique.
    plain = " ".join(["zebra", *words[first:last], "quartz"])
    noisy = NOISE[noise](plain)
    before, after = " ".join([*words[:first], ""]), " ".join(["", *words[last:]])
    source, quote = (noisy, plain) if in_source else (plain, noisy)
    result = ground(quote, None, before + source + after)
    inner = source.removeprefix("**").removesuffix("**")
    start = len(before) + source.index(inner)
    assert result.ranges == ((start, start + len(inner)),)
    assert result.verdict is (Verdict.EXACT if quote == inner else Verdict.NORMALISED)


SWAPS = {"increase": "decrease", "decrease": "increase", "million": "billion", "billion": "million", "may": "will"}
SWAPS |= {
    "rose": "fell",
    "fell": "rose",
    "not": "",
    "5.9%": "5.9",
    "(1,204)": "1,204",
    "2021": "2012",
    "$41.25": "$41.52",
}


@thorough
@given(prose, st.data())
def test_a_changed_token_of_weight_is_never_accepted_unless_it_truly_stands_there(
    words: list[str], data: st.DataObject
) -> None:
    first = data.draw(st.integers(0, len(words) - 6))
    last = data.draw(st.integers(first + 5, len(words)))
    heavy = [at for at in range(first, last) if words[at] in SWAPS]
    assume(heavy)
    changed = list(words)
    place = data.draw(st.sampled_from(heavy))
    changed[place] = SWAPS[words[place]]
    quote = " ".join(word for word in changed[first:last] if word)
    text = " ".join(words)
    # Plain substring search between blanks is the oracle: no typography is involved here.
    truly = f" {quote} " in f" {text} "
    assert ground(quote, None, text).verdict.grounded is truly or len(quote) < 12


def test_one_source_character_may_stand_for_several() -> None:
    normal = normalise("A ﬁne 2½% rate")
    assert normal.text == "a fine 2 1/2% rate"
    assert normal.source_range(2, 4) == (2, 3)  # "fi" is the ligature
    assert normal.source_range(8, 12) == (7, 8)  # " 1/2" is the fraction


def test_astral_characters_count_as_one_code_point() -> None:
    text = "𝐍et 😀 sales rose 5% again"
    ((start, end),) = ground("sales rose 5% again", None, text).ranges
    assert (start, end) == (6, 25)  # N, e, t, blank, smiley, blank: six code points before


def test_tokens_are_words_and_figures_with_sign_point_and_per_cent() -> None:
    text = normalise("U.S. sales: $(1,204) vs. (5.9%), -$3.50, +7 %, $.05; Q4 10-K 2019–2020 can’t 1,23").text
    assert [token.text for token in tokens(text)] == [
        *["u", "s", "sales", "-1204", "vs", "-5.9%", "-3.50", "+7%", "0.05", "q", "4", "10", "k", "2019", "2020"],
        *["can", "t", "1", "23"],
    ]
    money = tokens(normalise("-$5"), symbols=True)
    assert money == [Token("$", 0, 2, "symbol"), Token("-5", 0, 3, "number")]


def test_marks_go_and_text_that_looks_like_marks_stays() -> None:
    text = (
        "# Head\n\n- **Bold** and _soft_ `code`\n* 3 \\* 4 in A\\_B and A_B, 3*4\n```\n| a | b |\n|---|---|\n| 1 | — |"
    )
    assert normalise(text).text.replace("'", "").replace('"', "") == (
        "head bold and soft code 3 * 4 in a_b and a_b, 3*4  a b 1 -"
    )


def test_an_empty_cell_never_hands_its_per_cent_mark_to_the_figure_before_it() -> None:
    for text in ("274\n—%\n273", "274 —% 273", "274\n—\n%\n273", "| 274 | — | % | 273 |"):
        assert [token.text for token in tokens(normalise(text))] == ["274", "273"]


def test_a_hyphen_at_a_line_end_goes_inside_a_word_and_stays_in_names_and_figures() -> None:
    assert normalise("two ship-\nyards, TWO SHIP-\r\nYARDS").text == "two shipyards, two shipyards"
    assert normalise("ship\u00ad\nyards").text == "shipyards"
    assert normalise("an Anglo-\n  Saxon firm, a 10-\nyear note, COVID-\n19").text == (
        "an anglo-saxon firm, a 10-year note, covid-19"
    )


def test_ranges_of_figures_have_no_signs_and_odd_commas_make_no_thousands() -> None:
    assert [token.text for token in tokens(normalise("5%-6% 1,2345 12,345 (5)-(6)"))] == [
        *["5%", "6%", "1", "2345", "12345", "-5", "-6"]
    ]
