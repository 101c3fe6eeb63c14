"""The gallery shows every figure of a study, and holds no other file."""

from __future__ import annotations

import importlib.util
import random
import re
from pathlib import Path

import pytest
from lxml import etree

from fingreat.pipeline.reviews import TABLES as REVIEWS
from fingreat.pipeline.study.parts import FIGURE_IDS
from fingreat.schema import load_graph

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = (DOCS / "gallery.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"!\[[^\]]+\]\(gallery/([a-z-]+)\.svg\)", PAGE)


def test_every_figure_that_there_can_be_is_shown() -> None:
    assert {*FIGURE_IDS, *REVIEWS.figures} <= set(SHOWN)


def test_the_pictures_are_those_that_the_page_shows() -> None:
    assert sorted(path.name for path in (DOCS / "gallery").iterdir()) == sorted(f"{id_}.svg" for id_ in SHOWN)


@pytest.mark.parametrize("id_", SHOWN)
def test_a_picture_is_whole_small_and_says_its_values_in_words(id_: str) -> None:
    path = DOCS / "gallery" / f"{id_}.svg"
    assert path.stat().st_size < 100_000
    root = etree.parse(str(path)).getroot()
    assert root.findtext("{*}title")
    assert root.findtext("{*}desc") or root.findtext("{*}g//{*}title")
    # Nothing is loaded from elsewhere.
    assert not [e for e in root.iter() if any(name.endswith("href") for name in e.attrib)]


def test_what_is_said_to_be_invented_is_drawn_without_a_study() -> None:
    spec = importlib.util.spec_from_file_location("make_gallery", DOCS / "make_gallery.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    drawn = [figure.id for figure in made.invented(load_graph(), random.Random(1))]
    assert sorted(drawn) == sorted(re.findall(r"\*\*([a-z-]+)\*\* \(invented numbers\)", PAGE))
