"""Which forms a name stands for, in the spellings of EDGAR's indexes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingreat.edgar.remote.families import FormChoice, family
from fingreat.errors import InputError

# Loughran and McDonald's lists for their 10-X files (EDGAR_Forms, 2016): f_10K with f_10KT, f_10Q with f_10QT.
ANNUAL = ("10-K", "10-K405", "10KSB", "10-KSB", "10KSB40", "10-KT", "10KT405")
QUARTERLY = ("10-Q", "10QSB", "10-QSB", "10-QT")
# The other names beginning with 10 or NT 10 in EDGAR's quarterly indexes, 1993 to 2026.
NO_REPORTS = (
    *("10-D", "10-D/A", "10-12G", "10-12G/A", "10-12B", "10-12B/A", "10-C", "10-C/A", "10-M"),
    *("10SB12G", "10SB12G/A", "10SB12B", "10SB12B/A"),
    *("NT 10-K", "NT 10-K/A", "NT 10-Q", "NT 10-Q/A", "NT 10-D", "NT 10-D/A"),
)


@pytest.mark.parametrize(("name", "members"), [("10-K", ANNUAL), ("10-Q", QUARTERLY), ("20-F", ("20-F",))])
@pytest.mark.parametrize("amendments", [False, True])
def test_a_family_has_its_members_and_amendments_only_when_asked_for(
    name: str, members: tuple[str, ...], amendments: bool
) -> None:
    choice = FormChoice((name,), amendments)
    assert all(choice.accepts(member) for member in members)
    assert all(choice.accepts(f"{member}/A") is amendments for member in members)
    others = {*ANNUAL, *QUARTERLY, "20-F", "40-F"} - set(members)
    assert not any(choice.accepts(other) or choice.accepts(f"{other}/A") for other in others)


@pytest.mark.parametrize("amendments", [False, True])
def test_notices_of_late_filing_and_registrations_belong_to_no_family(amendments: bool) -> None:
    choice = FormChoice(("10-K", "10-Q", "20-F", "40-F"), amendments)
    assert not any(choice.accepts(form) for form in (*NO_REPORTS, "20FR12B", "40FR12B", "11-K", "8-K", ""))


@pytest.mark.parametrize(
    ("name", "exact"),
    [
        ("10-K405", ("10-K405",)),
        ("10-KSB", ("10KSB", "10-KSB")),
        ("10KSB", ("10KSB", "10-KSB")),
        ("10-KSB40", ("10KSB40", "10-KSB40")),
        ("10-KT", ("10-KT",)),
        ("10-QSB", ("10QSB", "10-QSB")),
        ("10-K405/A", ("10-K405/A",)),
        ("10-Q/A", ("10-Q/A", "10QSB/A", "10-QSB/A", "10-QT/A")),
        ("40-F", ("40-F",)),
        ("NT 10-K", ("NT 10-K",)),
        ("DEF 14A", ("DEF 14A",)),
        ("SCHEDULE 13G/A", ("SCHEDULE 13G/A",)),
        ("N-CSR", ("N-CSR",)),
    ],
)
def test_any_other_name_stands_for_that_form_alone(name: str, exact: tuple[str, ...]) -> None:
    assert family(name) == exact
    assert FormChoice((name,)).exact == exact


@pytest.mark.parametrize("name", ["10-k", " 10K ", "Form 10-K", "form  10k", "FORM 10-K"])
def test_a_family_is_known_however_it_is_written(name: str) -> None:
    assert family(name) == family("10-K")


def test_several_forms_are_accepted_each_once_with_amendments_last() -> None:
    choice = FormChoice(("20-F", "10-K405", "20F", "10-K405/A"), amendments=True)
    assert choice.exact == ("20-F", "10-K405", "10-K405/A", "20-F/A")


def test_an_amendment_has_no_amendment_of_its_own() -> None:
    assert FormChoice(("10-KT/A",), amendments=True).exact == ("10-KT/A",)


@pytest.mark.parametrize(
    "name", ["", "  ", "/A", "10-K;ls", "../10-K", "10-K\x00", "annual report, please", "1" * 21, "１０-K"]
)
def test_what_cannot_be_a_form_is_refused_at_once(name: str) -> None:
    with pytest.raises(InputError, match="no name of a form"):
        FormChoice((name,))


def test_no_form_at_all_is_refused() -> None:
    with pytest.raises(InputError, match="no form is named"):
        FormChoice(())


@given(st.text(max_size=30), st.booleans())
def test_any_text_is_a_form_or_refused(text: str, amendments: bool) -> None:
    try:
        choice = FormChoice((text,), amendments)
    except InputError:
        return
    assert choice.exact
    assert all(choice.accepts(name) and name.isascii() and name == name.strip().upper() for name in choice.exact)


def test_a_family_s_name_can_stand_for_its_form_alone() -> None:
    assert FormChoice(("10-K",), alone=True).exact == ("10-K",)
    assert FormChoice(("10-K", "10q"), amendments=True, alone=True).exact == ("10-K", "10-Q", "10-K/A", "10-Q/A")
    assert FormChoice(("10-KSB",), alone=True).exact == FormChoice(("10-KSB",)).exact == ("10KSB", "10-KSB")
    assert "10-K405" in FormChoice(("10-K",)).exact
