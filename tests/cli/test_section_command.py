"""`fingreat section --tables`: how the tables of an HTML filing are written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import fingreat

FILING = Path(fingreat.__file__).parent / "shipped" / "quernholt-2024.htm"


def test_tables_are_markdown_unless_html_is_asked_for(run: Callable) -> None:
    plain, markdown = run("section", FILING), run("section", FILING, "--tables", "markdown")
    assert plain.code == markdown.code == 0
    assert plain.out == markdown.out
    assert "\n| --- |" in plain.out
    assert "<tr>" not in plain.out


def test_tables_as_html(run: Callable) -> None:
    outcome = run("section", FILING, "--tables", "html")
    assert outcome.code == 0
    assert "\n<table>\n<tr><th>" in outcome.out
    assert not any(line.startswith("|") for line in outcome.out.split("\n"))


@pytest.mark.parametrize("style", ["markdown", "html"])
def test_the_object_says_how_its_tables_are_written(style: str, run: Callable) -> None:
    found = json.loads(run("section", FILING, "--tables", style, "--json").out)
    assert found["tables"] == style
    assert ("<table>" in found["text"]) is (style == "html")
    assert found["chars"] == len(found["text"])


def test_another_style_is_refused(run: Callable) -> None:
    outcome = run("section", FILING, "--tables", "latex")
    assert outcome.code == 2
    assert "html" in outcome.err
