"""The page of a study: complete, harmless, its parts in order, no part missing without a word."""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import UTC, datetime

import pytest
from bs4 import BeautifulSoup
from pydantic import ValidationError

from fingreat.errors import InputError
from fingreat.report import (
    Appendix,
    Block,
    Column,
    DotRow,
    Figure,
    Part,
    Share,
    StudyReport,
    Table,
    dots,
    heat_map,
    render_study,
)
from fingreat.report.study_page import LONGEST_TABLE
from fingreat.schema import load_graph

BAD = '</pre></script><script>alert("1")</script><!-- <img src=x onerror=alert(2)> {{ 7 * 7 }} &amp; \x00'
PROMPT = "\nRead:\n\n  two blanks, then <b>no</b> markup & \"quotes'\n</pre>\n"


def accuracy(id_: str = "accuracy") -> Figure:
    return dots(id_, "Accuracy of models", [DotRow("a", Share(k=3, n=4, interval=(0.2, 0.9))), DotRow("b", None)])


def table(id_: str, title: str = "T", rows: int = 2, **more: object) -> Table:
    columns = (Column(label="model"), Column(label="edge", kind="edge"), Column(label="right", kind="share"))
    lines = tuple((f"m{number}", "REV-NNCA", Share(k=1, n=2)) for number in range(rows))
    return Table.model_validate({"id": id_, "title": title, "columns": columns, "rows": lines, **more})


def study(**changes: object) -> StudyReport:
    fields: dict[str, object] = {
        "title": "A study", "created": datetime(2026, 1, 2, 3, 4, tzinfo=UTC), "graph": load_graph(),
        "lead": ("Two models.", "Ten filings."), "missing": ("Run 'b' is not complete.",),
        "methods": ("Filings were drawn.", "Quotes were checked."),
        "parts": (
            Part(id="accuracy", title="Accuracy", text=("Of 4 passages.",), figures=(accuracy(),),
                 tables=(table("pairs", "All pairs", detail=True), table("by-model", "By model"))),
            Part(id="reviewers", title="Reviewers", text=("Not measured: no file of reviews is named.",)),
        ),
        "appendices": (
            Appendix(id="settings", title="Settings", text=("As the engines said.",), tables=(table("models"),)),
            Appendix(id="prompts", title="Prompts", blocks=(Block(title="System prompt", text=PROMPT),)),
        ),
    }  # fmt: skip
    return StudyReport.model_validate({**fields, **changes})


def page_of(report: StudyReport, **more: object) -> BeautifulSoup:
    return BeautifulSoup(render_study(report, **more), "html5lib")


def hostile() -> StudyReport:
    rows = ((BAD, BAD, Share(k=1, n=2)),)
    return study(
        title=BAD, lead=(BAD,), missing=(BAD,), methods=(BAD,),
        parts=(Part(id="p", title=BAD, text=(BAD,),
                    tables=(table("t", BAD, notes=(BAD,)), table("u", BAD, detail=True)),
                    figures=(heat_map("f", BAD, [BAD, "b"], [[0.1, None], [None, 0.2]], caption=BAD),)),),
        appendices=(Appendix(id="x", title=BAD, text=(BAD,), tables=(table("v").model_copy(update={"rows": rows}),),
                             blocks=(Block(title=BAD, text=BAD),)),),
    )  # fmt: skip


def test_parts_come_first_then_methods_then_appendices_and_the_contents_name_all() -> None:
    page = page_of(study())
    heads = [head.get_text() for head in page.select("main > section > h2")]
    assert heads == ["Accuracy", "Reviewers", "Methods", "Settings", "Prompts"]
    links = page.select("nav a")
    assert [link.get_text() for link in links] == heads
    assert [page.find(id=link["href"][1:]).h2.get_text() for link in links] == heads
    assert page.h1.get_text() == page.title.get_text() == "A study"
    assert [p.get_text() for p in page.select("body > header > p")] == ["Two models.", "Ten filings."]
    assert [p.get_text() for p in page.select("#methods > p")] == ["Filings were drawn.", "Quotes were checked."]
    assert page.select_one("#methods svg.fg-graph") is not None


def test_what_a_study_lacks_is_said_in_its_head_and_in_its_part() -> None:
    page = page_of(study())
    assert page.select_one("header .warning").get_text().strip() == "Run 'b' is not complete."
    assert "Not measured: no file of reviews is named." in page.find(id="part-reviewers").get_text()
    assert page_of(study(missing=())).select_one(".warning") is None


def test_figures_stand_before_tables_and_details_are_folded_after_both() -> None:
    part = page_of(study()).find(id="part-accuracy")
    shown = [tag["id"] for tag in part.find_all(id=re.compile("^(figure|table)-"))]
    assert shown == ["figure-accuracy", "table-by-model", "table-pairs"]
    folded = part.find(id="table-pairs")
    assert folded.name == "details"
    assert not folded.has_attr("open")
    assert folded.summary.get_text() == "Table 2. All pairs2 rows"
    first = part.select("#table-by-model tbody tr")[0].find_all(["th", "td"])
    assert [cell.get_text(strip=True) for cell in first] == ["m0", "REV-NNCA", "50.0%", "1/2"]


def test_tables_and_figures_are_numbered_as_they_stand_on_the_page() -> None:
    """Folded tables stand after the others of their part; appendices go on counting."""
    other = Part(id="errors", title="Errors", figures=(accuracy("overlap"),), tables=(table("missed", "Missed"),))
    page = page_of(study(parts=(*study().parts, other)))
    heads = [tag.get_text() for tag in page.find_all(id=re.compile("^h-(figure|table)-"))]
    assert heads == [
        "Figure 1. Accuracy of models", "Table 1. By model", "Table 2. All pairs",
        "Figure 2. Accuracy of models", "Table 3. Missed", "Table 4. T",
    ]  # fmt: skip


def test_a_prompt_is_shown_character_by_character() -> None:
    blocks = page_of(study()).select("#part-prompts details pre")
    assert [block.get_text() for block in blocks] == [PROMPT]


def test_every_table_and_figure_links_its_files_and_only_those_that_are_there() -> None:
    def linked(**more: object) -> list[str]:
        return [a["href"] for a in page_of(study(), **more).select(".files a")]

    forms = ("csv", "tex", "md")
    assert linked() == [
        "figures/accuracy.svg", "figures/accuracy.pdf",
        *(f"tables/{id_}.{form}" for id_ in ("by-model", "pairs", "models") for form in forms),
    ]  # fmt: skip
    assert linked(files=["figures/accuracy.svg", "tables/pairs.csv"]) == ["figures/accuracy.svg", "tables/pairs.csv"]
    assert linked(files=[]) == []


def test_a_long_table_shows_its_first_rows_and_its_sums_and_says_so() -> None:
    long = table("long", rows=LONGEST_TABLE + 700, totals=1)
    page = page_of(study(parts=(Part(id="p", title="P", tables=(long,)),)))
    names = [row.th.get_text() for row in page.select("#table-long tbody tr")]
    assert len(names) == LONGEST_TABLE
    assert names[-2:] == [f"m{LONGEST_TABLE - 2}", f"m{LONGEST_TABLE + 699}"]
    assert "500 of 1,200 rows are shown; the files have all of them." in page.find(id="table-long").get_text()
    whole = page_of(study(parts=(Part(id="p", title="P", tables=(table("long", rows=LONGEST_TABLE),)),)))
    assert "rows are shown" not in whole.find(id="table-long").get_text()


def test_a_note_that_tables_of_a_part_share_stands_under_the_first_of_them() -> None:
    def notes(page: BeautifulSoup, id_: str) -> list[str]:
        return [p.get_text() for p in page.select(f"#table-{id_} p.note:not(.files)")]

    folded = table("folded", notes=("One.", "Two."), detail=True)
    tables = (folded, table("first", notes=("One.",)), table("next", notes=("One.", "Own.")))
    other = Part(id="q", title="Q", tables=(table("other", notes=("One.",)),))
    page = page_of(study(parts=(Part(id="p", title="P", tables=tables), other)))
    assert [notes(page, id_) for id_ in ("first", "next", "folded", "other")] == [
        ["One."],
        ["Own."],
        ["Two."],
        ["One."],
    ]


def test_hostile_text_becomes_no_element_and_no_attribute() -> None:
    page = page_of(hostile())
    for name in ("script", "img", "iframe", "link", "object", "base", "form"):
        assert page.find(name) is None, name
    assert not [t.name for t in page.find_all(True) for a in t.attrs if a.startswith("on") or a == "style"]
    shown = BAD.replace("\x00", "\ufffd")
    assert page.h1.get_text() == page.select_one("#methods > p").get_text() == shown
    assert page.select_one("#part-x pre").get_text() == shown
    assert page.select_one("#table-v tbody th").get_text() == shown


def test_the_page_loads_nothing_and_its_policy_lets_only_its_own_style() -> None:
    html = render_study(study())
    page = BeautifulSoup(html, "html5lib")
    policy = page.find("meta", attrs={"http-equiv": "Content-Security-Policy"})["content"]
    digest = base64.b64encode(hashlib.sha256(page.style.string.encode()).digest()).decode()
    assert policy.split("; ") == [
        "default-src 'none'", f"style-src 'sha256-{digest}'", "base-uri 'none'", "form-action 'none'",
    ]  # fmt: skip
    assert len(page.find_all("style")) == 1
    assert not [t for t in page.find_all(True) if t.has_attr("src")]
    assert all(re.match(r"#|tables/|figures/", a["href"]) for a in page.find_all("a"))
    assert set(re.findall(r"https?://[^\s\"'<]+", html)) <= {"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize("report", [study(), hostile(), study(parts=(), appendices=(), methods=(), lead=())])
def test_every_link_inside_the_page_has_its_target(report: StudyReport) -> None:
    page = page_of(report)
    ids = [t["id"] for t in page.find_all(id=True)]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for a in page.find_all("a") if a["href"].startswith("#")} <= set(ids)
    for tag in page.find_all(attrs={"aria-labelledby": True}):
        assert tag["aria-labelledby"] in ids


def test_rendering_twice_gives_the_same_bytes() -> None:
    assert render_study(study()) == render_study(study())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parts": (Part(id="settings", title="P"),)}, "two parts are called 'settings'"),
        ({"parts": (Part(id="p", title="P", tables=(table("models"),)),)}, "two tables are called 'models'"),
        ({"parts": tuple(Part(id=id_, title="P", figures=(accuracy(),)) for id_ in "ab")},
         "two figures are called 'accuracy'"),
    ],
)  # fmt: skip
def test_names_that_would_be_one_file_or_one_place_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        study(**changes)


def test_an_unknown_grouping_is_refused() -> None:
    with pytest.raises(InputError, match="grouping 'colour'"):
        render_study(study(grouping="colour"))
