"""Two invented filings with planted passages, for the tests of the report room."""

from __future__ import annotations

from datetime import UTC, date, datetime

from fingreat.report import (
    Cell,
    Column,
    EdgeScore,
    FilingView,
    MatchView,
    Report,
    RunView,
    ScoreView,
    Share,
    Table,
)
from fingreat.schema import (
    Extraction,
    Failure,
    Filing,
    GoldPassage,
    Match,
    ReplyState,
    Section,
    SectionStatus,
    Verdict,
    load_graph,
)

FILING = Filing(
    id="0000000000-24-000001", company="Tarn & Holme Instruments, Inc.", form="10-K", filed=date(2024, 9, 12),
    period=date(2024, 6, 30), path="tarn.htm", sha256="0" * 64,
)  # fmt: skip

TEXT = """\
## Item 7. Management’s Discussion and Analysis

Tarn & Holme Instruments makes laboratory balances and field probes. This discussion should be read with the \
financial statements.

### Results of operations

Net sales rose 12% to $184.2 million in fiscal 2024, because we shipped 9% more balances and raised list prices in \
January. Sales of probes were flat. Cost of goods sold was $97.4 million; gross margin widened to 47.1% from 45.0% as \
freight fell.

| (in thousands) | 2024 | 2023 |
| --- | --- | --- |
| Net sales | $184,210 | $164,473 |
| Cost of goods sold | (97,447) | (90,460) |
| Selling, general and administrative | (41,006) | (38,218) |
| Impairment | — | (2,150) |

Selling, general and administrative expenses increased by $2.8 million, mainly for 31 new field engineers. The \
expense includes $3.1 million of share-based compensation for awards granted in September.

- Interest expense fell to $1.9 million after we repaid the term loan.
- The effective tax rate was 22.4%, against 24.0%, owing to research credits.
- Translation of our Norwegian subsidiary added $0.7 million to other comprehensive income.

### Liquidity and capital resources

Cash provided by operating activities was $38.6 million, up $6.0 million, as inventories came down. Capital \
expenditures were $11.2 million.

We paid dividends of $0.48 per share, or $9.1 million,

and bought back 210,000 shares for $7.7 million under the programme that the board authorised in 2022. Option \
exercises brought in $1.4 million.

```
                          1998      1997
Marine pumps            $5,210    $4,655
Spare parts              1,300     1,187
                        ------    ------
```

1. We expect capital expenditures of about $13 million in fiscal 2025.
2. Funds on hand are **sufficient** for twelve months.
"""


def place(part: str, text: str = TEXT) -> tuple[int, int]:
    start = text.index(part)
    return start, start + len(part)


def extraction(number: int, edge: str, quote: str, verdict: str = "exact", **more: object) -> Extraction:
    ranges = more.pop("ranges", None)
    if ranges is None:
        ranges = (place(quote),) if verdict == "exact" else ()
    return Extraction.model_validate(
        {"id": f"x{number}", "run": "r", "filing_id": FILING.id, "chunk_id": f"chk-{number // 4}", "quote": quote,
         "edge": edge, "verdict": Verdict(verdict), "ranges": ranges, **more}
    )  # fmt: skip


def gold(number: int, quote: str, *edges: str) -> GoldPassage:
    start, end = place(quote)
    return GoldPassage(
        passage_id=f"g{number}", filing_id=FILING.id, text=quote, start=start, end=end, accepted=frozenset(edges),
        source="primary",
    )  # fmt: skip


SALES = "Net sales rose 12% to $184.2 million in fiscal 2024, because we shipped 9% more balances"
MARGIN = "gross margin widened to 47.1% from 45.0% as freight fell"
SGA = "Selling, general and administrative expenses increased by $2.8 million, mainly for 31 new field engineers."
AWARDS = "$3.1 million of share-based compensation for awards granted in September"
DIVIDEND = "We paid dividends of $0.48 per share, or $9.1 million,"
BUYBACK = "bought back 210,000 shares for $7.7 million"
TAX = "The effective tax rate was 22.4%, against 24.0%, owing to research credits."
OPERATING = "Cash provided by operating activities was $38.6 million, up $6.0 million, as inventories came down."


def example_gold() -> tuple[GoldPassage, ...]:
    return (
        gold(1, SALES + " and raised list prices in January.", "REV-NNCA"),
        gold(2, MARGIN, "NNCA-COGS"),
        gold(3, SGA, "NNCA-OPEX"),
        gold(4, AWARDS, "NNCA-OPEX", "ISS-NNCA"),
        gold(5, TAX, "NNCA-TAX"),
        gold(6, OPERATING, "NNCA-CASH"),
        gold(7, DIVIDEND, "CASH-DIV"),
        gold(8, BUYBACK, "CASH-REP"),
        gold(9, "Option exercises brought in $1.4 million.", "ISS-CASH"),
    )


def lexicon_run() -> RunView:
    rows = "| Net sales | $184,210 | $164,473 |\n| Cost of goods sold | (97,447) | (90,460) |"
    return RunView(
        name="lexicon", model="lexicon", mode="quote", replies={ReplyState.OK: 3}, seconds=0.04,
        extractions=(
            extraction(0, "REV-NNCA", SALES, tags=("NetSales", "Volume"), period="fiscal 2024"),
            extraction(1, "NNCA-COGS", MARGIN),
            extraction(2, "NNCA-OPEX", SGA),
            extraction(3, "NNCA-COGS", "Cost of goods sold was $97.4 million; gross margin widened to 47.1%"),
            extraction(4, "REV-NNCA", rows),
            extraction(5, "CASH-DIV", DIVIDEND + "\n\nand " + BUYBACK),
            extraction(6, "CASH-REP", BUYBACK),
            extraction(7, "NNCA-CASH", OPERATING, facets={"activity": "operating"}),
            extraction(8, "REV-NNCA", "Marine pumps            $5,210    $4,655"),
        ),
        score=ScoreView(
            precision=Share(k=6, n=9), recall=Share(k=6, n=10, interval=(0.3, 0.85)), chance=0.112,
            sentence="Above chance: 6 of 9 extractions match gold, where guesses would match 1.0 of 9.",
            found=frozenset({("g1", "REV-NNCA"), ("g2", "NNCA-COGS"), ("g3", "NNCA-OPEX"), ("g6", "NNCA-CASH"),
                             ("g7", "CASH-DIV"), ("g8", "CASH-REP")}),
            edges=(EdgeScore(edge="REV-NNCA", precision=Share(k=1, n=3), recall=Share(k=1, n=1)),
                   EdgeScore(edge="NNCA-TAX", precision=Share(k=0, n=0), recall=Share(k=0, n=1))),
        ),
    )  # fmt: skip


def embedded_run() -> RunView:
    tax = (place("The effective tax rate was 22.4%"), place("owing to research credits."))
    return RunView(
        name="embedded", model="embedded:SmolLM2-135M-Instruct", mode="span", seconds=71.3,
        prompt_tokens=14210, output_tokens=1902,
        replies={ReplyState.OK: 2, ReplyState.TRUNCATED: 1},
        extractions=(
            extraction(20, "NNCA-OPEX", SALES),
            extraction(21, "NNCA-TAX", "The effective tax rate was 22.4% ... owing to research credits.", "elided",
                       ranges=tax),
            extraction(22, "ISS-NNCA", "$3.1 million of share–based compensation for awards granted in September",
                       "normalised", ranges=(place(AWARDS),)),
            extraction(23, "REV-NNCA", "Net sales rose 21% to $184.2 million in fiscal 2024", "altered"),
            extraction(24, "CASH-DIV", "The company paid a special dividend to all of its holders in March.",
                       "not_found"),
            extraction(25, "OCI-NNCA", "rose", "too_short"),
            extraction(26, "NNCA-CASH", BUYBACK),
        ),
        failures=(Failure(stage="ask", id="req-77aa", filing_id=FILING.id, state="truncated",
                          reason="the answer ended in the middle of the third row", kept=2),),
        score=ScoreView(
            precision=Share(k=2, n=7), recall=Share(k=2, n=10), chance=0.21,
            sentence="Not distinguishable from chance (p = 0.43): do not read this as a finding about the model.",
            found=frozenset({("g5", "NNCA-TAX"), ("g4", "ISS-NNCA")}), other_edge=frozenset({"g1", "g8"}),
        ),
        notes=("One reply was cut off; its two whole extractions were kept.",),
    )  # fmt: skip


def section_of(text: str = TEXT, filing: Filing = FILING, **changes: object) -> Section:
    fields: dict[str, object] = {
        "filing_id": filing.id, "item": "7", "status": SectionStatus.FOUND, "form": "10-K", "text": text,
        "source_document": "10-K", "heading": "Item 7. Management’s Discussion and Analysis",
    }  # fmt: skip
    return Section.model_validate({**fields, **changes})


def example_report(text: str = TEXT, gold: tuple[GoldPassage, ...] | None = None, **changes: object) -> Report:
    """The example filing alone, unless `filings` says otherwise."""
    view = FilingView(filing=FILING, section=section_of(text), gold=example_gold() if gold is None else gold)
    fields: dict[str, object] = {
        "title": "Evidence in the MD&A of Tarn & Holme Instruments", "created": datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
        "graph": load_graph(), "filings": (view,), "runs": (lexicon_run(), embedded_run()),
        "notes": ("The company is invented; its filing was written for this project.",),
    }  # fmt: skip
    return Report.model_validate({**fields, **changes})


SECOND = Filing(
    id="0000000000-23-000007", company="Ostrow Ferries plc", form="20-F", filed=date(2023, 3, 30),
    path="ostrow.txt", sha256="1" * 64,
)  # fmt: skip

SECOND_TEXT = """\
# Operating and financial review

Fares rose 4% because more cars crossed. Wages rose as crews grew; fuel cost less.

| | 2022 | 2021 |
| --- | --- | --- |
| Fares | 412 | 396 |

The board proposed no dividend. Fares rose 4% because more cars crossed.
"""
FARES = "Fares rose 4% because more cars crossed."
WAGES = "Wages rose as crews grew"


def second_view() -> FilingView:
    start, end = place(FARES, SECOND_TEXT)
    passage = GoldPassage(
        passage_id="h1", filing_id=SECOND.id, text=FARES, start=start, end=end, accepted=frozenset({"REV-NNCA"}),
        source="primary",
    )  # fmt: skip
    return FilingView(filing=SECOND, section=section_of(SECOND_TEXT, SECOND, form="20-F"), gold=(passage,))


def second_extraction(number: int, edge: str, quote: str, verdict: str = "exact", **more: object) -> Extraction:
    ranges = (place(quote, SECOND_TEXT),) if verdict == "exact" else ()
    return extraction(number, edge, quote, verdict, **{"filing_id": SECOND.id, "ranges": ranges, **more})


def match(a: int, edge_a: str, b: int, edge_b: str, overlap: float, filing: Filing = FILING) -> Match:
    return Match(
        filing_id=filing.id,
        a=f"x{a}",
        b=f"x{b}",
        edge_a=edge_a,
        edge_b=edge_b,
        overlap=overlap,
        decided_by="containment",
        equal=0,
        containment=overlap,
        fragments=0,
        order=overlap,
        span=None,
        figures="none",
        differs=(),
    )


def example_tables() -> tuple[Table, ...]:
    columns = (
        Column(label="Runs"), Column(label="Edge", kind="edge"), Column(label="Matched", kind="count"),
        Column(label="Same edge", kind="share"), Column(label="H(E|T)", kind="number"),
    )  # fmt: skip
    rows: tuple[tuple[Cell, ...], ...] = (
        ("lexicon, embedded", "REV-NNCA", 1204, Share(k=1, n=3, interval=(0.05, 0.7)), 1.5),
        ("lexicon, embedded", "NNCA-TAX", 0, Share(k=0, n=0), None),
    )
    return (Table(id="agreement", title="Agreement", columns=columns, rows=rows, notes=("Matched at 0.80.",)),)


def two_filings(**changes: object) -> Report:
    """Two filings shown of three, two runs that are matched, a table and two figures."""
    first, second = lexicon_run(), embedded_run()
    more = (
        second_extraction(40, "REV-NNCA", FARES, ranges=(place(FARES, SECOND_TEXT),)),
        second_extraction(41, "NNCA-OPEX", WAGES),
        second_extraction(42, "CASH-DIV", "paid a dividend of nine pence", "not_found"),
        extraction(43, "CASH-DIV", "of a filing that is not shown", filing_id="elsewhere", ranges=((0, 9),)),
    )
    other = (
        second_extraction(50, "NNCA-COGS", WAGES),
        second_extraction(51, "REV-NNCA", FARES),
        extraction(53, "CASH-REP", "of a filing that is not shown", filing_id="elsewhere", ranges=((0, 9),)),
    )
    views = (
        FilingView(filing=FILING, section=section_of(), gold=example_gold()),
        second_view(),
    )
    matches = (
        match(0, "REV-NNCA", 20, "NNCA-OPEX", 1.0),
        match(6, "CASH-REP", 26, "NNCA-CASH", 0.875),
        match(41, "NNCA-OPEX", 50, "NNCA-COGS", 0.95, SECOND),
        match(40, "REV-NNCA", 51, "REV-NNCA", 1.0, SECOND),
        match(43, "CASH-DIV", 53, "CASH-REP", 1.0).model_copy(update={"filing_id": "elsewhere"}),
    )  # fmt: skip
    fields: dict[str, object] = {
        "title": "Two filings, two runs", "filings": views, "filings_in_all": 3, "tables": example_tables(),
        "runs": (
            first.model_copy(update={"extractions": first.extractions + more}),
            second.model_copy(update={"extractions": second.extractions + other}),
        ),
        "matches": (MatchView(a="lexicon", b="embedded", matches=matches),),
    }  # fmt: skip
    return example_report(**{**fields, **changes})


def large_report(characters: int = 500_000, passages: int = 2_000) -> Report:
    """A long section: prose with a table and a fixed-width block now and then, passages over all of it."""
    prose = "Net sales of unit {i} rose {p}% to ${m}.{p} million as it shipped more balances and raised its prices. "
    parts: list[str] = []
    size = 0
    i = 0
    while size < characters:
        paragraph = "".join(prose.format(i=i + k, p=(i + k) % 90, m=(i * 7 + k) % 900) for k in range(5)) + "\n\n"
        if i % 10 == 0:
            rows = "".join(f"| Line {i + k} | ${k},{i % 900 + 100} | ({i % 90}.4) |\n" for k in range(8))
            paragraph += f"### Unit {i}\n\n| In thousands | 2024 | 2023 |\n| --- | --- | --- |\n{rows}\n"
        if i % 40 == 0:
            paragraph += "```\n" + "".join(f"Spare parts {k:>12}   {i:>9}\n" for k in range(6)) + "```\n\n"
        parts.append(paragraph)
        size += len(paragraph)
        i += 1
    text = "".join(parts)[:characters]
    edges = list(load_graph().edges)
    step = characters // passages
    spans = [(n * step, min(n * step + 120 + 37 * (n % 9), characters)) for n in range(passages)]
    runs = tuple(
        RunView(
            name=f"run {r}", model="scripted", mode="quote",
            extractions=tuple(
                extraction(n, edges[(n + r) % 11], text[a:b], ("exact", "normalised", "elided")[n % 3],
                           ranges=((a, b),), tags=("Sales", "Price"), period="fiscal 2024")
                for n, (a, b) in enumerate(spans) if n % 3 == r
            ),
        )
        for r in range(3)
    )  # fmt: skip
    return example_report(text, gold=(), runs=runs)


def contrast(one: str, other: str) -> float:
    """WCAG 2.2, definitions of relative luminance and contrast ratio."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
