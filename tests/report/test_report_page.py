"""The page as a whole: complete, harmless, honest about missing values."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import pytest
from bs4 import BeautifulSoup
from report_builders import (
    AWARDS,
    BUYBACK,
    DIVIDEND,
    FILING,
    SECOND,
    TAX,
    TEXT,
    example_report,
    example_tables,
    extraction,
    gold,
    large_report,
    lexicon_run,
    match,
    place,
    second_view,
    section_of,
)

from fingreat.errors import FingreatError, InputError
from fingreat.report import Figure, FilingView, MatchView, RunView, ScoreView, Share, render_report
from fingreat.schema import Extraction, Match, SectionStatus

HOSTILE = """\
<script>alert(1)</script> and </mark></p></article> and <img src=x onerror=alert(2)> and {{ 7 * 7 }} {% raw %}

| <b onclick="x()">a</b> | "quoted' & <!-- |
| --- | --- |
| [link](javascript:alert(3)) | ]]> &lt;i&gt; |

```
</pre><style>*{display:none}</style>
```

- </li></ul><iframe src="https://example.org/"></iframe>

## </h3><svg onload=alert(4)> \u2028 \x00 \x0b"""


def soup(html: str) -> BeautifulSoup:
    return BeautifulSoup(html, "html5lib")


def hostile_page() -> str:
    bad = '</script><script>alert("5")</script><!--<script>'
    runs = (
        RunView(
            name='<i>"run"</i>', model="<m>", mode="quote", notes=("<u>note</u>",),
            extractions=(
                extraction(0, "REV-NNCA", bad, ranges=((0, 60),), tags=(bad,), period=bad, facets={"activity": bad}),
                extraction(1, "CASH-DIV", bad + "\ud800", "not_found", tags=(bad,)),
            ),
            score=ScoreView(precision=Share(k=0, n=2), recall=Share(k=0, n=1), sentence=bad),
        ),
    )  # fmt: skip
    return render_report(example_report(HOSTILE, runs=runs, gold=(), title=bad, notes=(bad,)))


def test_hostile_text_becomes_no_element_and_no_attribute() -> None:
    html = hostile_page()
    page = soup(html)
    assert [s.get("type") for s in page.find_all("script")] == [None, "application/json"]
    for name in ("iframe", "img", "i", "u", "m", "link", "object", "base", "form"):
        assert page.find(name) is None, name
    assert len(page.find_all("style")) == 1
    assert len(page.find_all("svg")) == 1
    assert not [t.name for t in page.find_all(True) for a in t.attrs if a.startswith("on") or a == "style"]
    assert not [a for a in page.find_all("a") if not a["href"].startswith("#")]


def test_hostile_text_is_shown_as_it_stands() -> None:
    page = soup(hostile_page())
    filing = page.select_one("#filing-1 .filing").get_text()
    assert "<script>alert(1)</script> and </mark></p></article>" in filing
    assert "{{ 7 * 7 }} {% raw %}" in filing
    assert "[link](javascript:alert(3))" in filing
    assert "</pre><style>*{display:none}</style>" in filing
    assert page.select_one("#filing-1 .filing").mark.get_text() == HOSTILE[:60]
    data = json.loads(page.find(id="data").string)
    assert data["layers"][0]["q"].startswith("</script><script>")


def test_code_points_that_html_forbids_are_replaced_one_for_one() -> None:
    html = hostile_page()
    html.encode("utf-8")
    assert not re.search("[\x00\x0b\ud800]", html)
    assert "\u2028 \ufffd \ufffd" in soup(html).select_one("#filing-1 .filing").get_text()


def test_the_page_loads_nothing() -> None:
    html = render_report(example_report())
    page = soup(html)
    loading = [t for t in page.find_all(True) if t.has_attr("src") or t.name in ("link", "iframe", "object", "embed")]
    assert loading == []
    assert all(a["href"].startswith("#") for a in page.find_all("a"))
    assert not re.search(r"url\(|@import", page.style.string)
    addresses = set(re.findall(r"https?://[^\s\"'<]+", html))
    assert addresses <= {"http://www.w3.org/2000/svg"}


def test_the_policy_lets_only_the_page_s_own_style_and_script_run() -> None:
    page = soup(render_report(example_report()))
    policy = page.find("meta", attrs={"http-equiv": "Content-Security-Policy"})["content"]

    def source(text: str) -> str:
        return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"

    script = next(s for s in page.find_all("script") if not s.get("type"))
    assert policy.split("; ") == [
        "default-src 'none'", f"style-src {source(page.style.string)}", f"script-src {source(script.string)}",
        "base-uri 'none'", "form-action 'none'",
    ]  # fmt: skip


def test_every_link_inside_the_page_has_its_target() -> None:
    page = soup(render_report(example_report()))
    ids = [t["id"] for t in page.find_all(id=True)]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for a in page.find_all("a")} <= set(ids)
    for tag in page.find_all(attrs={"aria-labelledby": True}):
        assert tag["aria-labelledby"] in ids


def test_planted_quotes_are_marked_to_the_character() -> None:
    page = soup(render_report(example_report()))
    layers = json.loads(page.find(id="data").string)["layers"]
    marks = page.select_one("#filing-1 .filing").find_all("mark")

    def text_of(number: int) -> list[str]:
        return [m.get_text() for m in marks if str(number) in m["data-x"].split()]

    by_quote = {(x["r"], x["e"][0], x["q"]): i for i, x in enumerate(layers)}
    across = by_quote[(0, "CASH-DIV", DIVIDEND + "\n\nand " + BUYBACK)]
    assert "".join(text_of(across)) == DIVIDEND + "and " + BUYBACK
    elided = by_quote[(1, "NNCA-TAX", "The effective tax rate was 22.4% ... owing to research credits.")]
    assert text_of(elided) == ["The effective tax rate was 22.4%", "owing to research credits."]
    both = next(i for (run, _, quote), i in by_quote.items() if run == -1 and quote == AWARDS)
    assert sorted(layers[both]["e"]) == ["ISS-NNCA", "NNCA-OPEX"]
    assert text_of(both) == [AWARDS]


def test_ungrounded_quotes_are_listed_and_not_marked() -> None:
    page = soup(render_report(example_report()))
    rows = [[cell.get_text() for cell in tr.find_all("td")][1:4] for tr in page.select("#ungrounded tbody tr")]
    assert rows == [
        ["altered", "REV-NNCA", "Net sales rose 21% to $184.2 million in fiscal 2024"],
        ["not found", "CASH-DIV", "The company paid a special dividend to all of its holders in March."],
        ["too short", "OCI-NNCA", "rose"],
    ]
    # 9 of the first run and 4 of the second are grounded; 9 gold passages.
    assert len(json.loads(page.find(id="data").string)["layers"]) == 22


def test_the_summary_gives_each_share_with_its_numbers_and_the_honest_sentence() -> None:
    text = " ".join(soup(render_report(example_report())).find(id="summary").get_text(" ").split())
    assert "57.1% 4/7" in text
    assert "28.6% 2/7" in text
    assert "60.0% 6/10 30.0–85.0%" in text
    assert "Not distinguishable from chance (p = 0.43)" in text
    assert "14,210 1,902" in text


def test_nothing_of_nothing_is_a_dash_with_a_note() -> None:
    run = RunView(name="r", model="m", mode="quote", score=ScoreView(precision=Share(k=0, n=0), recall=Share(k=0, n=9)))
    page = soup(render_report(example_report(runs=(run,))))
    precision = page.select_one("#summary td[data-th=Precision]")
    assert precision.get_text(" ", strip=True) == "– a 0/0"
    assert page.find(id=precision.a["href"][1:]).get_text().startswith("a 0/0 has no value")
    assert page.select_one("#summary td[data-th=Recall]").get_text(" ", strip=True) == "0% 0/9"


def test_gold_passages_say_what_each_run_made_of_them() -> None:
    page = soup(render_report(example_report()))
    rows = {}
    edge = ""
    for tr in page.select("#gold tbody tr"):
        if tr.th:
            edge = tr.th.span.get_text()
        else:
            _, passage, *results = (td.get_text() for td in tr.find_all("td"))
            rows[(edge, passage.removesuffix(" show"))] = [r[2:] for r in results]
    assert rows[("ISS-NNCA", AWARDS)] == ["missed", "found"]
    assert rows[("NNCA-OPEX", AWARDS)] == ["missed", "missed"]
    assert rows[("CASH-REP", BUYBACK)] == ["found", "other edge"]
    assert len(rows) == 10


def test_failures_and_reply_states_are_shown() -> None:
    text = " ".join(soup(render_report(example_report())).find(id="failures").get_text(" ").split())
    assert "embedded : 1 truncated of 3 replies." in text
    assert "the answer ended in the middle of the third row" in text


def test_switches_are_labelled_inputs_and_tables_have_scoped_heads() -> None:
    page = soup(render_report(example_report()))
    assert page.html["lang"] == "en"
    assert page.title.string.startswith("Evidence in")
    inputs = page.select("#controls input")
    # Two runs and gold, 11 edges, 3 verdicts.
    assert len(inputs) == 3 + 11 + 3
    assert all(i.find_parent("label") for i in inputs)
    assert all(th.get("scope") for th in page.find_all("th"))


def test_a_section_without_text_says_where_it_points() -> None:
    section = section_of("", status=SectionStatus.BY_REFERENCE, pointer="See Exhibit 13.", warnings=("two candidates",))
    view = FilingView(filing=FILING, section=section)
    text = soup(render_report(example_report(filings=(view,), runs=()))).get_text(" ")
    assert "See Exhibit 13." in text
    assert "two candidates" in text
    assert "No run is shown" in text


def test_two_thousand_passages_over_half_a_million_characters_make_a_page_of_linear_size() -> None:
    half, whole = large_report(250_000, 1_000), large_report(500_000, 2_000)
    counts = [render_report(p).count('<mark class="c') for p in (half, whole)]
    assert len(whole.filings[0].section.text) == 500_000
    assert 2_000 <= counts[1] <= 2_000 * 4
    assert counts[1] == pytest.approx(2 * counts[0], rel=0.05)
    assert len(render_report(whole)) < 4 * 500_000


def test_rendering_twice_gives_the_same_bytes() -> None:
    assert render_report(example_report()) == render_report(example_report())


def matched(*pairs: Match, b: str = "embedded") -> dict[str, object]:
    return {"matches": (MatchView(a="lexicon", b=b, matches=pairs),)}


def figure(svg: str) -> dict[str, object]:
    return {"figures": (Figure(id="f", title="F", svg=svg),)}


def run_with(one: Extraction) -> dict[str, object]:
    return {"runs": (RunView(name="r", model="m", mode="quote", extractions=(one,)),)}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"runs": (lexicon_run(), lexicon_run())}, "same name"),
        (run_with(extraction(0, "REV-NNCA", "x", ranges=((5, 5),))), "5–5 is no part"),
        (run_with(extraction(0, "REV-NNCA", "x", ranges=((0, len(TEXT) + 1),))), "is no part"),
        (run_with(extraction(0, "NO-EDGE", "x", "not_found")), "'NO-EDGE' is no edge"),
        ({"gold": (gold(1, BUYBACK, "CASH-REP").model_copy(update={"filing_id": "other"}),)}, "filing 'other'"),
        ({"gold": (gold(1, BUYBACK, "CASH-REP"), gold(1, TAX, "NNCA-TAX"))}, "gold passages of one report"),
        ({"filings": (second_view(), second_view())}, "two filings"),
        ({"filings": (FilingView(filing=FILING, section=section_of(filing=SECOND)),)}, f"'{SECOND.id}', not to"),
        ({"filings_in_all": 0}, "1 filings are shown, of 0 in all"),
        ({"tables": example_tables() * 2}, "two tables"),
        (matched(match(0, "REV-NNCA", 20, "NNCA-OPEX", 1.0), b="third"), "no run 'third'"),
        (matched(match(0, "REV-NNCA", 20, "NNCA-OPEX", 1.0), b="lexicon"), "matched with itself"),
        (matched(match(0, "REV-NNCA", 99, "NNCA-OPEX", 1.0)), "no extraction 'x99'"),
        (matched(match(0, "CASH-DIV", 20, "NNCA-OPEX", 1.0)), "its match says 'CASH-DIV'"),
        (
            matched(match(0, "REV-NNCA", 20, "NNCA-OPEX", 1.0), match(0, "REV-NNCA", 21, "NNCA-TAX", 0.9)),
            "matched twice",
        ),
        ({"matches": (MatchView(a="lexicon", b="embedded"), MatchView(a="embedded", b="lexicon"))}, "two matches"),
        (figure("no drawing"), "it is no SVG"),
        (figure("<html/>"), "it is no SVG"),
        (figure('<svg xmlns="http://www.w3.org/2000/svg"><script>x()</script></svg>'), "may not hold 'script'"),
        (figure('<svg xmlns="http://www.w3.org/2000/svg"><rect onclick="x()"/></svg>'), "attribute 'onclick'"),
        (figure('<svg xmlns="http://www.w3.org/2000/svg"><rect style="fill:url(http://x)"/></svg>'), "'style'"),
        (figure('<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg"/>'), "declarations"),
        ({"grouping": "colour"}, "no grouping 'colour'"),
    ],
)
def test_parts_that_do_not_belong_together_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        render_report(example_report(**changes))
    assert isinstance(caught.value, FingreatError)
    assert message in str(caught.value)


def test_a_share_of_more_than_the_whole_is_refused() -> None:
    with pytest.raises(ValueError, match="more than the whole"):
        Share(k=3, n=2)


def test_the_planted_places_are_what_they_seem() -> None:
    start, end = place(BUYBACK)
    assert TEXT[start:end] == BUYBACK
