"""The page in a real browser: choosing filings, switching layers, what is matched, paper, narrow windows, no script."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from report_builders import AWARDS, DIVIDEND, FARES, SECOND, example_tables, two_filings

from fingreat.report import Share, bars, heat_map, render_report
from fingreat.schema import load_graph

VISIBLE = "[...document.querySelectorAll('.part')].map(p => p.getClientRects().length > 0)"
NEXT = "document.getElementById('next').click()"
PLACE = "document.getElementById('place').textContent"
PANEL = "document.getElementById('cards').innerText"


def switch(kind: str, value: str) -> str:
    return f"document.querySelector('#controls input[data-kind={kind}][value=\"{value}\"]').click()"


class Page:
    """The two-filing report in a browser."""

    def __init__(self, browser: Any, path: Path) -> None:
        self._browser = browser
        self._path = path

    def open(self, fragment: str = "", width: int = 1400, script: bool = True) -> Page:
        call = self._browser.call
        call("Emulation.setEmulatedMedia", media="")
        call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        call("Emulation.setScriptExecutionDisabled", value=not script)
        call("Page.navigate", url="about:blank")
        call("Page.navigate", url=self._path.as_uri() + fragment)
        while self.value("document.readyState") != "complete":
            pass
        return self

    def value(self, script: str) -> Any:
        return self._browser.value(script)

    def print(self) -> None:
        self._browser.call("Emulation.setEmulatedMedia", media="print")

    def shown(self, text: str) -> bool:
        """Whether the mark that holds a text is drawn as a passage."""
        marks = "[...document.querySelectorAll('.part.current mark')]"
        return bool(self.value(f"{marks}.some(m => m.textContent.includes({text!r}) && m.className !== 'off')"))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no Chromium on PATH")
    spec = importlib.util.spec_from_file_location("perf_report", Path(__file__).parents[2] / "perf" / "report.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    folder = tmp_path_factory.mktemp("page")
    edges = list(load_graph().edges)
    figures = (
        heat_map("same", "Same edge", ["lexicon", "embedded"] * 4, [[Share(k=1, n=2)] * 8] * 8),
        bars("shares", "By edge", edges, [("lexicon", [0.3] * 11), ("embedded", [0.5] * 11)]),
        bars("whole", "By edge, of all", edges, [("lexicon", [Share(k=1234, n=1234)] * 11)]),
    )
    folded = example_tables()[0].model_copy(update={"id": "folded", "detail": True})
    path = folder / "report.html"
    path.write_text(render_report(two_filings(figures=figures, tables=(*example_tables(), folded))), encoding="utf-8")
    browser = module.Browser(program, str(folder / "profile"))
    yield Page(browser, path)
    browser.close()


def test_one_filing_is_open_and_another_can_be_chosen_from_the_list(page: Page) -> None:
    page.open()
    assert page.value("document.documentElement.className") == "js"
    assert page.value(VISIBLE) == [True, False]
    # Distinct starts: nine of the first run, the tax rate's two parts and the awards of the second, one of gold.
    assert page.value(PLACE) == "13 places"
    page.value("document.querySelector('#chooser a[data-filing=\"1\"]').click()")
    assert page.value(VISIBLE) == [False, True]
    assert page.value("document.querySelector('#chooser [aria-current]').textContent") == SECOND.company
    assert page.value("document.getElementById('which').value") == "1"
    # The numbers beside the switches are now the second filing's: two passages of each run, one of gold.
    counts = "[...document.querySelectorAll('#controls input[data-kind=run]')].map(i => i.closest('label').innerText)"
    assert [int(text.split()[-1]) for text in page.value(counts)] == [2, 2, 1]


def test_a_filing_can_be_chosen_from_the_menu_and_by_address(page: Page) -> None:
    page.open("#filing-2")
    assert page.value(VISIBLE) == [False, True]
    page.value("(w => { w.value = '0'; w.dispatchEvent(new Event('change')); })(document.getElementById('which'))")
    assert page.value(VISIBLE) == [True, False]


def test_going_on_chooses_each_place_in_turn_and_the_panel_says_what_is_matched(page: Page) -> None:
    page.open("#filing-2")
    page.value(NEXT)
    assert page.value(PLACE) == "1 of 2"
    text = page.value(PANEL)
    assert "Same passage in other runs" in text
    assert "embedded: same edge, overlap 100% show" in text
    page.value(NEXT)
    text = " ".join(page.value(PANEL).split())
    assert "embedded: other edge NNCA-COGS, overlap 95.0% show" in text
    assert "lexicon: other edge NNCA-OPEX, overlap 95.0% show" in text
    page.value(NEXT)
    assert page.value(PLACE) == "1 of 2"
    assert page.value("document.querySelectorAll('mark.sel').length") == 1
    page.value("document.getElementById('close').click()")
    assert page.value(PLACE) == "2 places"


def test_a_passage_that_has_no_match_in_a_compared_run_says_so(page: Page) -> None:
    page.open()
    page.value(f"[...document.querySelectorAll('mark')].find(m => m.textContent === {AWARDS!r}).click()")
    assert "lexicon: no match" in " ".join(page.value(PANEL).split())


def test_only_passages_with_matched_pairs_of_different_edges_can_be_shown(page: Page) -> None:
    page.open()
    assert page.shown(DIVIDEND)
    page.value("document.getElementById('differing').click()")
    # Net sales and the buy-back are matched under two edges; the gold on them stays, the dividend goes.
    assert page.value(PLACE) == "2 places"
    assert page.shown("Net sales rose 12%")
    assert page.shown("and raised list prices")
    assert page.shown("bought back 210,000 shares")
    assert not page.shown(DIVIDEND)
    page.value(switch("run", "1"))
    assert page.value(PLACE) == "none shown"
    page.value("document.getElementById('differing').click()")
    assert page.shown(DIVIDEND)
    page.value(switch("run", "1"))
    assert page.value(PLACE) == "13 places"


def test_switches_turn_layers_and_the_numbers_on_the_graph(page: Page) -> None:
    page.open()
    count = "document.querySelector('#graph .fg-count[data-edge=CASH-REP]').textContent"
    assert page.value(count) == "2"
    page.value(switch("run", "1"))
    assert page.value(count) == "1"
    assert not page.value("!!document.querySelector('.part.current mark.v-elided')")
    page.value(switch("run", "0"))
    page.value(switch("run", "-1"))
    assert page.value("[...document.querySelectorAll('.part.current mark')].every(m => m.className === 'off')")


def test_what_is_switched_off_is_off_in_a_filing_opened_later(page: Page) -> None:
    page.open()
    page.value(switch("edge", "REV-NNCA"))
    page.value("document.querySelector('#chooser a[data-filing=\"1\"]').click()")
    assert not page.shown(FARES)
    assert page.value(PLACE) == "1 place"


def test_a_link_from_a_list_opens_the_filing_and_chooses_the_passage(page: Page) -> None:
    page.open()
    page.value("document.querySelector('#differences a[href=\"#filing-2\"]').click()")
    assert page.value(VISIBLE) == [False, True]
    assert page.value("document.querySelector('mark.sel').textContent") == "Wages rose as crews grew"


def test_on_paper_all_filings_follow_each_other_without_controls(page: Page) -> None:
    page.open()
    page.print()
    assert page.value(VISIBLE) == [True, True]
    hidden = "['nav', '#controls', '#panel', 'a.screen'].every(s => !document.querySelector(s).getClientRects().length)"
    assert page.value(hidden)


def test_without_a_script_all_filings_are_shown_and_no_controls(page: Page) -> None:
    page.open(script=False)
    assert page.value("document.documentElement.className") == "nojs"
    assert page.value(VISIBLE) == [True, True]
    assert page.value("document.querySelector('#controls').getClientRects().length") == 0


@pytest.mark.parametrize("width", [1400, 480, 360])
def test_nothing_makes_the_page_scroll_sideways(page: Page, width: int) -> None:
    page.open(width=width)
    assert page.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_every_word_of_a_chart_is_inside_its_drawing(page: Page) -> None:
    page.open()
    outside = """[...document.querySelectorAll('.fg-chart text')].filter(t => {
      const b = t.getBBox(), v = t.ownerSVGElement.viewBox.baseVal;
      return b.x < 0 || b.y < 0 || b.x + b.width > v.width || b.y + b.height > v.height;
    }).length"""
    assert page.value("document.querySelectorAll('.fg-chart text').length") > 100
    assert page.value(outside) == 0


@pytest.mark.parametrize("width", [1400, 360])
def test_the_head_of_a_share_ends_where_its_numbers_end(page: Page, width: int) -> None:
    page.open(width=width)
    ends = """(() => {
      const table = document.querySelector('#table-agreement table');
      const end = e => { const r = document.createRange(); r.selectNodeContents(e);
                         return r.getBoundingClientRect().right; };
      const last = [...table.querySelectorAll('tbody tr:first-child td.of')].pop();
      return [end(table.querySelector('th.shares')), end(last)];
    })()"""
    head, numbers = page.value(ends)
    assert head == pytest.approx(numbers, abs=1.0)


def test_no_blank_band_stands_over_a_table_s_head(page: Page) -> None:
    page.open(width=360)
    # One line of 14 units at a line height of 1.5, and less than that again around it.
    heights = "[...document.querySelectorAll('.finding thead')].map(t => t.getBoundingClientRect().height)"
    assert all(height < 40 for height in page.value(heights))


def test_folded_tables_are_printed_only_if_they_are_open(page: Page) -> None:
    page.open()
    page.value("dispatchEvent(new Event('beforeprint'))")
    page.print()
    shown = "document.querySelector('#more-tables').getClientRects().length"
    assert page.value(shown) == 0
    assert page.value("document.querySelector('#table-agreement').getClientRects().length") == 1
    page.value("document.querySelector('#more-tables').open = true")
    assert page.value(shown) == 1


def test_everything_that_can_be_used_is_reached_by_the_keyboard(page: Page) -> None:
    page.open()
    unreachable = """[...document.querySelectorAll('button, input, select, a[href], .wide, summary')]
      .filter(e => e.getClientRects().length && e.tabIndex < 0).length"""
    assert page.value(unreachable) == 0
