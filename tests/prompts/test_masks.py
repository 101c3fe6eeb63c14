"""What a mask takes out of a text, by hand on invented sentences."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingreat.prompts import Mask
from fingreat.schema import load_graph

GRAPH = load_graph()


def masked(text: str, *kinds: str, company: str | None = None, section: str | None = None) -> str:
    return Mask(kinds, GRAPH, section or text, company)(text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Net sales rose 6% to $1,284.2 million.", "Net sales rose #% to $# million."),
        ("(2.5)% in fiscal 2003, 12 months", "(#)% in fiscal #, # months"),
        ("| Sales | $84.2 | 10-K |", "| Sales | $# | #-K |"),
        ("two of three plants", "two of three plants"),
    ],
)
def test_figures_become_one_sign_and_their_units_stay(text: str, expected: str) -> None:
    assert masked(text, "figures") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Revenue rose because Splunk joined us.", "Revenue rose because [name] joined us."),
        # Known inside a sentence, it is taken out at the beginning of another and with its possessive.
        ("Costs of Splunk rose. Splunk's loss grew.", "Costs of [name] rose. [name]'s loss grew."),
        ("We sold it to Salomon Brothers in June.", "We sold it to [name] in [name]."),
        ("We sold it to Brown, Jones & Smith.", "We sold it to [name]."),
        # Terms of accounting, of the graph file and single letters stay, and so does a first word that may be one.
        ("The rise of R&D, SG&A and Class A stock hit EBITDA.", "The rise of R&D, SG&A and [name] A stock hit EBITDA."),
        ("Refinancing costs rose.", "Refinancing costs rose."),
        ("The rise of Net Sales and Dividends was small.", "The rise of Net Sales and Dividends was small."),
    ],
)
def test_names_are_capitals_inside_sentences_that_are_no_ordinary_words(text: str, expected: str) -> None:
    assert masked(text, "names") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See www.yum.com, or (macys.com).", "See [name], or ([name])."),
        ("at https://investor.nvidia.com/home/default.aspx?a=1.", "at [name]."),
        ("at investor.unionpacific.com/sec-filings; ask ir@intc.com.", "at [name]; ask [name]."),
        ("Shop.Example.co.uk | 3", "[name] | 3"),
        # No addresses: a sentence's end without a blank, figures, an abbreviation.
        (
            "It rose.comments follow, see 1.5.2 and e.g. the notes",
            "It rose.comments follow, see 1.5.2 and e.g. the notes",
        ),
    ],
)
def test_addresses_go_for_they_spell_the_firm(text: str, expected: str) -> None:
    assert masked(text, "names") == expected


def test_months_before_a_figure_go_in_tables_too_where_they_are_short() -> None:
    assert masked("| Dec 30, 2023 | Sept. 1 | MAY 3 |", "names") == "| [name] 30, 2023 | [name] 1 | [name] 3 |"
    assert masked("sales may 3 times rise in the marina", "names") == "sales may 3 times rise in the marina"
    assert masked("| Dec 30, 2023 |", "figures") == "| Dec #, # |"


def test_a_word_that_the_section_writes_small_is_no_name() -> None:
    section = "We call it the Pump group. Every pump sold well."
    assert masked("Sales of the Pump group rose.", "names", section=section) == "Sales of the Pump group rose."


def test_a_name_of_the_section_is_masked_in_headings_and_tables() -> None:
    section = "Sales at Northmere rose."
    assert masked("### Northmere\n\n| Northmere | 3 |", "names", section=section) == "### [name]\n\n| [name] | 3 |"


@pytest.mark.parametrize("shown", ["Target Corp", "TARGET CORPORATION", "Target", "Target, Inc."])
def test_the_registrant_goes_in_every_form_of_its_name_but_not_the_word(shown: str) -> None:
    text = f"The target of {shown} is a higher margin."
    assert masked(text, "names", company="TARGET CORP") == "The target of [name] is a higher margin."


def test_without_kinds_nothing_changes() -> None:
    assert masked("Splunk paid $3 to Cisco.") == "Splunk paid $3 to Cisco."


@given(st.text())
def test_no_digit_is_left(text: str) -> None:
    assert not re.search(r"\d", masked(text, "figures"))


@given(st.text())
def test_masking_twice_is_masking_once(text: str) -> None:
    mask = Mask(("names", "figures"), GRAPH, text, "PUMPS INC")
    assert mask(mask(text)) == mask(text)
