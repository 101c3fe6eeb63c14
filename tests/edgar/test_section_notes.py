"""What the section finder says about how it decided."""

from __future__ import annotations

from fingreat.edgar import read_section

PROSE = "<p>" + "We sold pumps and parts to the trade in the year. " * 20 + "</p>"


def notes(heading: str) -> tuple[str, ...]:
    parts = "".join(f"<p><b>{one}</b></p>{PROSE}" for one in ("Item 1. Business", heading, "Item 8. Statements"))
    return read_section(f"<html><body>{parts}</body></html>".encode(), name="filing.htm").warnings


def test_a_long_heading_is_cut_at_the_end_of_a_word() -> None:
    said = notes("Item 7. Management's Discussion and Analysis of Financial Condition and Results of Operations")
    # 60 characters end within "Condition".
    assert said == ('Rule: item headings in order ("Item 7. Management\'s Discussion and Analysis of Financial …").',)


def test_a_short_heading_is_given_whole() -> None:
    assert notes("Item 7. Discussion and Analysis") == (
        "Rule: item headings in order ('Item 7. Discussion and Analysis').",
    )
