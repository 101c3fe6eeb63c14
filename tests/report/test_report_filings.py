"""Several filings and runs on one page: each passage in its own text, what is matched, what is not shown."""

from __future__ import annotations

import json
import re
from typing import Any

from bs4 import BeautifulSoup, Tag
from report_builders import (
    BUYBACK,
    FARES,
    FILING,
    SALES,
    SECOND,
    SECOND_TEXT,
    TEXT,
    WAGES,
    example_report,
    example_tables,
    extraction,
    match,
    place,
    section_of,
    two_filings,
)

from fingreat.report import Column, FilingView, MatchView, RunView, Share, Table, bars, heat_map, render_report
from fingreat.schema import ReplyState


def soup(html: str) -> BeautifulSoup:
    return BeautifulSoup(html, "html5lib")


def data_of(page: BeautifulSoup) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(page.find(id="data").string)
    return data


def words(tag: Tag) -> str:
    return " ".join(tag.get_text(" ").split())


def layer_number(data: dict[str, Any], run: int, edge: str, quote: str) -> int:
    found = [i for i, x in enumerate(data["layers"]) if (x["r"], x["e"], x["q"]) == (run, [edge], quote)]
    assert len(found) == 1
    return found[0]


def test_every_mark_shows_its_range_of_its_own_filing() -> None:
    page = soup(render_report(two_filings()))
    data = data_of(page)
    texts = [TEXT, SECOND_TEXT]
    # 13 extractions and 9 gold passages of the first filing; 4 extractions and 1 gold passage of the second.
    assert data["first"] == [0, 22]
    assert len(data["layers"]) == 27
    compared = 0
    for i, layer in enumerate(data["layers"]):
        filing = 0 if i < 22 else 1
        marks = page.find_all("mark", attrs={"data-x": re.compile(rf"\b{i}\b")})
        assert {mark.find_parent(class_="part")["id"] for mark in marks} == {f"filing-{filing + 1}"}
        pieces = [texts[filing][start:end] for start, end in layer["at"]]
        # Between blocks and cells stands syntax, which the page doesn't show.
        if not any("\n" in piece or "|" in piece for piece in pieces):
            assert "".join(mark.get_text() for mark in marks) == "".join(pieces)
            compared += 1
    assert compared >= 24


def test_filings_are_listed_with_form_year_and_passages_per_run() -> None:
    page = soup(render_report(two_filings()))
    rows = [[words(cell) for cell in tr.find_all(["th", "td"])] for tr in page.select("#chooser tr")]
    assert rows[0] == [
        "Filing", "Form", "Filed", "Fiscal year", "Item", "Characters", "lexicon", "embedded", "◆ gold",
    ]  # fmt: skip
    assert rows[1:] == [
        [FILING.company, "10-K", "2024-09-12", "–", "7", f"{len(TEXT):,}", "9", "4", "9"],
        [SECOND.company, "20-F", "2023-03-30", "–", "7", str(len(SECOND_TEXT)), "2", "2", "1"],
    ]
    assert [a["href"] for a in page.select("#chooser a")] == ["#filing-1", "#filing-2"]
    options = [option.get_text() for option in page.select("#which option")]
    assert options == [f"{FILING.company}, 10-K, 2024", f"{SECOND.company}, 20-F, 2023"]


def test_extractions_of_filings_that_are_not_shown_count_and_have_no_text() -> None:
    page = soup(render_report(two_filings()))
    assert "showing 2 of 3" in words(page.header)
    assert "Showing 2 of 3 filings" in words(page.find(id="text"))
    grounded = page.select_one("#summary td[data-th='In the text']")
    # The first run has 9 of the first filing, 3 of the second (one not found) and 1 elsewhere.
    assert words(grounded) == "92.3% 12/13"
    counts = {c["data-edge"]: c.get_text() for c in page.select("#graph .fg-count")}
    # CASH-REP: one extraction of the first run, one of the second that is of the filing not shown.
    assert counts["CASH-REP"] == "2"
    assert "of a filing that is not shown" not in page.find(id="text").get_text()
    assert "lexicon: 1 of 12" in words(page.find(id="ungrounded"))


def test_lists_name_the_filing() -> None:
    page = soup(render_report(two_filings()))
    ungrounded = [[c.get_text() for c in tr.find_all("td")][:2] for tr in page.select("#ungrounded tbody tr")]
    second, first = f"{SECOND.company}, 20-F, 2023", f"{FILING.company}, 10-K, 2024"
    assert ungrounded == [[second, "not found"], [first, "altered"], [first, "not found"], [first, "too short"]]
    gold = [tr.td.get_text() for tr in page.select("#gold tbody tr") if tr.td]
    # Ten rows of the first filing's nine passages, one with two edges; the second filing's under the first edge.
    assert gold == [first, second] + [first] * 9
    failure = page.select_one("#failures tbody td")
    assert failure.get_text() == first


def test_a_passage_knows_what_is_matched_with_it() -> None:
    data = data_of(soup(render_report(two_filings())))
    first, second = data["layers"][:22], data["layers"]
    sales = layer_number(data, 0, "REV-NNCA", SALES)
    other = layer_number(data, 1, "NNCA-OPEX", SALES)
    assert first[sales]["m"] == [[1, "NNCA-OPEX", "100%", other]]
    assert first[other]["m"] == [[0, "REV-NNCA", "100%", sales]]
    wages, crews = layer_number(data, 0, "NNCA-OPEX", WAGES), layer_number(data, 1, "NNCA-COGS", WAGES)
    assert second[wages]["m"] == [[1, "NNCA-COGS", "95.0%", crews]]
    assert "m" not in second[layer_number(data, 0, "CASH-DIV", data["layers"][5]["q"])]
    assert data["pairs"] == [[0, 1]]


def test_a_match_with_a_quote_that_is_not_in_the_text_has_no_place() -> None:
    altered = extraction(0, "NNCA-OPEX", "Net sales rose 21%", "altered")
    runs = (
        RunView(name="a", model="m", mode="quote", extractions=(extraction(1, "REV-NNCA", SALES),)),
        RunView(name="b", model="m", mode="quote", extractions=(altered,)),
    )
    pair = two_filings().matches[0].matches[0].model_copy(update={"a": "x1", "b": "x0", "overlap": 0.8})
    report = example_report(gold=(), runs=runs, matches=(MatchView(a="a", b="b", matches=(pair,)),))
    page = soup(render_report(report))
    assert data_of(page)["layers"][0]["m"] == [[1, "NNCA-OPEX", "80.0%", None]]
    assert page.select_one("#differences a")["data-layer"] == "0"


def test_matched_pairs_with_different_edges_are_listed_largest_overlap_first() -> None:
    page = soup(render_report(two_filings()))
    section = page.find(id="differences")
    assert "lexicon and embedded: 5 matched pairs, 4 with different edges." in words(section)
    rows = [[words(td) for td in tr.find_all("td")] for tr in section.select("tbody tr")]
    assert [row[:3] for row in rows] == [
        ["100%", f"{FILING.company}, 10-K, 2024", "lexicon: REV-NNCA embedded: NNCA-OPEX"],
        ["100%", "elsewhere", "lexicon: CASH-DIV embedded: CASH-REP"],
        ["95.0%", f"{SECOND.company}, 20-F, 2023", "lexicon: NNCA-OPEX embedded: NNCA-COGS"],
        ["87.5%", f"{FILING.company}, 10-K, 2024", "lexicon: CASH-REP embedded: NNCA-CASH"],
    ]
    assert [row[3] for row in rows] == [
        f"{SALES} show", "of a filing that is not shown", f"{WAGES} show", f"{BUYBACK} show",
    ]  # fmt: skip
    numbers = [int(a["data-layer"]) for a in section.find_all("a")]
    layers = data_of(page)["layers"]
    assert [layers[n]["q"] for n in numbers] == [SALES, WAGES, BUYBACK]
    assert [a["href"] for a in section.find_all("a")] == ["#filing-1", "#filing-2", "#filing-1"]


def test_a_long_list_says_how_many_rows_it_leaves_out() -> None:
    quotes = tuple(extraction(n, "REV-NNCA", f"invented quote number {n}", "not_found") for n in range(207))
    run = RunView(name="r", model="m", mode="quote", extractions=quotes)
    section = soup(render_report(example_report(gold=(), runs=(run,)))).find(id="ungrounded")
    assert len(section.select("tbody tr")) == 200
    assert "r: 207 of 207" in words(section)
    assert "7 more are left out of this list." in words(section)


def test_tables_and_figures_are_shown_with_titles_notes_and_captions() -> None:
    figure = heat_map("same", "Same edge", ["a", "b"], [[1.0, None], [0.5, 1.0]], caption="Of matched pairs.")
    page = soup(render_report(two_filings(figures=(figure,))))
    table = page.find(id="table-agreement")
    assert table.h3.get_text() == "Agreement"
    rows = [[words(cell) for cell in tr.find_all(["th", "td"])] for tr in table.find_all("tr")]
    assert rows == [
        ["Runs", "Edge", "Matched", "Same edge", "H(E|T)"],
        ["lexicon, embedded", "REV-NNCA", "1,204", "33.3%", "1/3 5.0–70.0%", "1.500"],
        ["lexicon, embedded", "NNCA-TAX", "0", "–", "0/0", "–"],
    ]
    assert "ink0" in table.select_one("td .id")["class"]
    assert [p.get_text() for p in table.find_all("p")] == [
        "Matched at 0.80.",
        "0/0 has no value: it is neither 0 nor 1.",
    ]
    shown = page.find(id="figure-same")
    assert (shown.h3.get_text(), shown.figcaption.get_text()) == ("Same edge", "Of matched pairs.")
    assert shown.svg.title.get_text() == "Same edge"


def test_hostile_names_cells_and_captions_become_no_element() -> None:
    bad = '</script><img src=x onerror="alert(1)">{{ 7 * 7 }}'
    filing = SECOND.model_copy(update={"company": bad, "form": bad, "path": bad})
    view = FilingView(filing=filing, section=section_of(SECOND_TEXT, filing, heading=bad, warnings=(bad,)))
    table = Table(
        id="t", title=bad, columns=(Column(label=bad), Column(label="e", kind="edge")), rows=((bad, bad),), notes=(bad,)
    )
    figure = bars("f", bad, [bad], [(bad, [Share(k=1, n=2)]), ("b", [None])], caption=bad)
    run = RunView(name=bad, model=bad, mode="quote", extractions=(extraction(0, "REV-NNCA", bad, "not_found"),))
    report = example_report(
        gold=(), title=bad, filings=(view,), runs=(run,), tables=(table,), figures=(figure,), notes=(bad,)
    )
    html = render_report(report)
    page = soup(html)
    assert page.find("img") is None
    assert len(page.find_all("script")) == 2
    assert not [t.name for t in page.find_all(True) for a in t.attrs if a.startswith("on") or a == "style"]
    for place_of in ("h1", "#chooser a", "#table-t td .id", "#figure-f figcaption", "#filing-1 h3"):
        assert page.select_one(place_of).get_text() == bad, place_of


def test_without_a_script_and_on_paper_every_filing_is_shown() -> None:
    html = render_report(two_filings())
    page = soup(html)
    assert page.html["class"] == ["nojs"]
    style = page.style.string
    hiding = [rule for rule in re.findall(r"[^{}]*\{[^{}]*\}", style) if ".part" in rule and "display: none" in rule]
    assert [rule.split("{")[0].strip() for rule in hiding] == [".js .part:not(.current)"]
    screen = style.index("@media screen {")
    assert style.rindex("@media", 0, style.index(hiding[0].strip())) == screen
    paper = style[style.index("@media print {\n  @page") :]
    assert "break-before: page" in paper
    assert "nav, .jumps, .controls, .panel, .skip, .screen { display: none !important; }" in paper
    assert 'document.documentElement.classList.replace("nojs", "js")' in page.head.script.string


def test_a_report_without_filings_or_runs_says_so() -> None:
    text = words(soup(render_report(example_report(filings=(), runs=(), tables=example_tables()))))
    assert "The text of no filing is shown." in text
    assert "No run is shown in this report." in text


def links(page: BeautifulSoup) -> dict[str, str]:
    return {a["href"][1:]: a.get_text() for a in page.select("nav a")}


def test_a_link_is_called_what_the_heading_of_its_section_says() -> None:
    page = soup(render_report(two_filings()))
    found = links(page)
    assert {"summary", "tables", "graph", "text", "differences", "ungrounded", "gold", "failures"} == set(found)
    assert {name: page.select_one(f"#{name} > h2").get_text() for name in found} == found


def test_what_there_is_nothing_of_has_no_section_and_all_that_is_well_has_a_sentence() -> None:
    whole = RunView(
        name="a", model="m", mode="quote", replies={ReplyState.OK: 3}, extractions=(extraction(1, "REV-NNCA", SALES),)
    )
    other = whole.model_copy(update={"name": "b"})
    same = match(1, "REV-NNCA", 1, "REV-NNCA", 1.0)
    report = example_report(gold=(), runs=(whole, other), matches=(MatchView(a="a", b="b", matches=(same,)),))
    page = soup(render_report(report))
    assert set(links(page)) == {"summary", "graph", "text"}
    assert not [name for name in ("differences", "ungrounded", "gold", "failures", "differing") if page.find(id=name)]
    assert page.select("#summary > p")[-1].get_text() == (
        "Every quote stands in the text. Every reply could be read. No two runs give the same passage different edges."
    )


def test_nothing_is_said_to_be_well_that_was_not_looked_at() -> None:
    assert "Every" not in words(soup(render_report(example_report(gold=(), runs=()))).main)
    elsewhere = extraction(1, "REV-NNCA", "of another filing", "not_found", filing_id="elsewhere")
    shown = RunView(name="a", model="m", mode="quote", extractions=(extraction(0, "REV-NNCA", SALES), elsewhere))
    text = words(soup(render_report(example_report(gold=(), runs=(shown,)))).find(id="summary"))
    assert "Every quote of the filings shown stands in the text." in text
    assert "Every reply" not in text


def test_without_gold_the_graph_s_table_does_not_speak_of_it() -> None:
    run = RunView(name="a", model="m", mode="quote", extractions=(extraction(0, "REV-NNCA", SALES),))
    section = soup(render_report(example_report(gold=(), runs=(run,)))).find(id="graph")
    assert [words(th) for th in section.select("thead th")] == ["Edge", "Flow", "Category", "a", "Extractions"]
    assert {len(tr.find_all(["th", "td"])) for tr in section.select("tbody tr")} == {4}
    assert "gold" not in words(section)
    scored = soup(render_report(example_report())).find(id="graph")
    assert [words(th) for th in scored.select("thead tr th")][:4] == ["Edge", "Flow", "Category", "Gold"]
    assert "how they fare against gold" in words(scored)


def test_a_filing_without_a_company_is_named_by_its_file() -> None:
    filing = SECOND.model_copy(update={"company": None, "filed": None, "fiscal_year": 2022, "path": "raw/1/ostrow.txt"})
    view = FilingView(filing=filing, section=section_of(SECOND_TEXT, filing))
    page = soup(render_report(example_report(filings=(view, two_filings().filings[0]), runs=())))
    assert page.select_one("#which option").get_text() == "ostrow.txt, 20-F, fiscal 2022"


def test_equal_places_of_a_second_filing_keep_their_offsets() -> None:
    start, end = place(FARES, SECOND_TEXT)
    again = SECOND_TEXT.index(FARES, end)
    quote = extraction(
        0, "REV-NNCA", FARES, filing_id=SECOND.id, ranges=((start, end), (again, again + len(FARES))), ambiguous=True
    )
    run = RunView(name="r", model="m", mode="quote", extractions=(quote,))
    page = soup(render_report(two_filings(runs=(run,), matches=())))
    marks = page.select("#filing-2 mark.c0")
    assert [mark.get_text() for mark in marks] == [FARES, FARES]
