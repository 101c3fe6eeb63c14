"""Tags written in one way: each rule by examples that were written down before, and the rules' file itself."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingreat import analysis
from fingreat.analysis import Ratio, normalise_tag, vocabulary_of, vocabulary_overlap
from fingreat.analysis.vocabulary import KINDS, fault_of

RULES: dict[str, Any] = tomllib.loads(
    (Path(str(analysis.__file__)).parent / "tag_rules.toml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(
    ("written", "term"),
    [
        # Unicode: full-width letters, a soft hyphen, a no-break space, a ligature, a zero-width space.
        ("ＮＥＴ　income", "net income"),
        ("cash\N{SOFT HYPHEN}flow", "cash flow"),
        ("net\N{NO-BREAK SPACE}sales", "net sales"),
        ("bene\N{LATIN SMALL LIGATURE FI}t cost", "benefit cost"),
        ("net\N{ZERO WIDTH SPACE} sales", "net sales"),
        # Signs on letters, which are no separators: vowels of Devanagari, a stroke above; a form that is selected.
        ("हिंदी", "हिंदी"),
        ("mean x\N{COMBINING OVERLINE}", "mean x\N{COMBINING OVERLINE}"),
        ("net\N{VARIATION SELECTOR-16} sales", "net sales"),
        # CamelCase, also with capitals in a row, a digit, and a plural of capitals.
        ("netIncome", "net income"),
        ("NetIncomePerShare", "net income per share"),
        ("SECFiling", "sec filing"),
        ("Tier1Capital", "tier1 capital"),
        ("LLCs formed", "llcs formed"),
        ("NET INCOME", "net income"),
        # Separators and signs.
        ("net_income", "net income"),
        ("net-income", "net income"),
        ("net.income / loss", "net income loss"),
        ("  net   income ", "net income"),
        ("5% increase", "5 percent increase"),
        ("property & equipment", "property and equipment"),
        ("Company\N{RIGHT SINGLE QUOTATION MARK}s plan", "companys plan"),
        # Abbreviations, in the ways in which they are written.
        ("CapEx", "capital expenditure"),
        ("SG&A", "selling general and administrative"),
        ("SGAExpense", "selling general and administrative expense"),
        ("R&D", "research and development"),
        ("r-and-d cost", "research and development cost"),
        ("EPS growth", "earnings per share growth"),
        ("YoY growth", "year over year growth"),
        ("YoYGrowth", "year over year growth"),
        ("RnDExpense", "research and development expense"),
        ("PnL", "profit and loss"),
        ("P&L", "profit and loss"),
        ("IPOs", "initial public offering"),
        ("DTAs", "deferred tax asset"),
        ("U.S. GAAP", "us generally accepted accounting principles"),
        ("US GAAP", "us generally accepted accounting principles"),
        ("U.K. tax", "uk tax"),
        ("REITs", "real estate investment trust"),
        ("Q1 revenue", "first quarter revenue"),
        # Spelling and plurals.
        ("Labour costs", "labor cost"),
        ("write-offs", "writeoff"),
        ("Cashflows", "cash flow"),
        ("recievables", "receivable"),
        ("stockholders' equity", "stockholder equity"),
        ("non-cash charges", "non cash charge"),
        # No stemming, no synonyms, and no plural that is not listed.
        ("financing", "financing"),
        ("sales", "sales"),
        ("earnings", "earnings"),
        ("turnover", "turnover"),
        ("glass", "glass"),
    ],
)
def test_a_tag_is_written_in_one_way(written: str, term: str) -> None:
    assert normalise_tag(written) == term
    assert fault_of(written) is None


@pytest.mark.parametrize(
    ("tag", "fault"),
    [
        ("2023", "malformed"),
        ("--", "malformed"),
        ("x", "malformed"),
        ('{"tag": "revenue', "malformed"),
        ("revenue]", "malformed"),
        ("reve\ufffdnue", "malformed"),
        ("net sales\ncost of sales", "malformed"),
        ("https://example.com/a", "malformed"),
        ("the company paid its dividends in every quarter of the year", "malformed"),
        ("a" * 81, "malformed"),
        ("increase in the,", "malformed"),
        ("increase in the…", "malformed"),
        ("sales sales sales", "malformed"),
        ("Revenue_Revenue_Revenue", "malformed"),
        ("revenue-Revenue, REVENUE", "malformed"),
        ("None", "placeholder"),
        ("N/A", "placeholder"),
        ("n.a.", "placeholder"),
        ("Tag1", "placeholder"),
        ("tag_2", "placeholder"),
        ("Label A", "placeholder"),
        ("Misc.", "placeholder"),
        ("OTHER", "placeholder"),
        ("Others", "placeholder"),
        ("NaN", "placeholder"),
        ("no tags", "placeholder"),
        ("unknown tag", "placeholder"),
        ("Labels", "placeholder"),
        ("uncategorised", "placeholder"),
        # Such words with others beside them are labels.
        ("other income", None),
        ("general and administrative", None),
        ("price tag", None),
        ("eight words of a label are still fine", None),
        ("a" * 80, None),
        ("sales of sales staff", None),
        ("presales_sales_salestax sales", None),
    ],
)
def test_what_is_no_label_is_told_apart(tag: str, fault: str | None) -> None:
    assert fault_of(tag) == fault


def test_a_vocabulary_holds_each_term_once_and_keeps_what_it_leaves_out() -> None:
    found = vocabulary_of(["Net Income", "net_income", "NetIncome", "capex", "none", "", " ", "2023", "capex"])
    assert found.terms == {"net income", "capital expenditure"}
    assert (found.written, found.malformed, found.placeholders) == (6, ("2023",), ("none",))


def test_overlap_is_what_both_have_of_what_either_has() -> None:
    one, other = vocabulary_of(["capex", "net income", "margin"]), vocabulary_of(["Capital Expenditures", "tax rate"])
    # Shared: capital expenditure; in all: that, net income, margin, tax rate.
    assert vocabulary_overlap(one, other) == vocabulary_overlap(other, one) == Ratio(1, 4)
    assert vocabulary_overlap(vocabulary_of([]), vocabulary_of(["none"])).value is None


def replacements() -> Iterator[tuple[str, str, str]]:
    for group in RULES["replace"]:
        for old, new in group["words"].items():
            yield group["kind"], old, new


def test_every_rule_has_its_reason_and_a_kind_that_there_is() -> None:
    groups = [group for name in ("malformed", "whole", "placeholder", "replace") for group in RULES[name]]
    assert set(RULES) == {"malformed", "whole", "placeholder", "replace"}
    assert all(re.fullmatch(r"[A-Z].{10,}\.", group["reason"]) for group in groups)
    assert {group["kind"] for group in RULES["replace"]} == set(KINDS)


def test_every_replacement_takes_place_once_and_ends_in_a_term_that_stays() -> None:
    olds = [old for _, old, _ in replacements()]
    assert len(olds) == len(set(olds)) > 300
    for kind, old, new in replacements():
        assert old != new
        assert normalise_tag(new) == new, (kind, old)
        assert normalise_tag(old) == new, (kind, old)


def test_placeholders_are_written_as_the_rules_leave_them() -> None:
    for group in RULES["placeholder"]:
        for term in group["terms"]:
            assert normalise_tag(term) == term
            assert fault_of(term) == "placeholder"


def test_no_plural_rule_makes_a_term_of_what_has_another_meaning() -> None:
    plurals = {old for kind, old, _ in replacements() if kind == "plural"}
    assert not plurals & {"sales", "earnings", "proceeds", "savings", "securities", "operations", "goods"}


words = st.sampled_from([word for _, old, new in replacements() for text in (old, new) for word in text.split()])
tags = st.lists(words | st.text(max_size=6), min_size=1, max_size=5).flatmap(
    lambda parts: st.sampled_from([" ".join(parts), "_".join(parts), "".join(part.title() for part in parts)])
)


@given(tags)
def test_a_term_has_words_of_letters_and_digits_alone_and_case_plays_no_part(tag: str) -> None:
    term = normalise_tag(tag)
    # Signs on letters (Mn, Mc) are part of them.
    assert {unicodedata.category(char)[0] for word in term.split() for char in word} <= set("LNM")
    assert term == " ".join(term.split())
    spaced = " ".join(re.findall("[a-z]+", tag))
    assert normalise_tag(spaced) == normalise_tag(spaced.upper())
