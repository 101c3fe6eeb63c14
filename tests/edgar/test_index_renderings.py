"""Indexes made up at random: every kind gives the same rows, and no line below a header does harm."""

from __future__ import annotations

import gzip
import re
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from fingreat.edgar.remote.index import Index, IndexRow, read_index

HEADERS = {
    "master": b"CIK|Company Name|Form Type|Date Filed|Filename\n",
    "form": b"%-12s%-62s%-12s%-12sFile Name\n" % (b"Form Type", b"Company Name", b"CIK", b"Date Filed"),
    "company": b"%-62s%-12s%-12s%-12sFile Name\n" % (b"Company Name", b"Form Type", b"CIK", b"Date Filed"),
}
ACME = IndexRow(
    "10-K", "7", "ACME CORP", date(2003, 3, 31), "0000000007-03-000001", "edgar/data/7/0000000007-03-000001.txt"
)
PIECES = (b"10-K", b"7", b"|", b"  ", b" ", b"2003-03-31", b"edgar/data/7/0000000007-03-000001.txt", b"..", b"/")
FORMS = ["4", "10-K", "10-K405/A", "NT 10-K", "SC 13E4F/A", "NT 10-KSB/A", "SCHEDULE 13G/A"]
NAMES = st.from_regex(
    re.compile(r"[A-Za-z0-9&'(\u00c0-\u00ff]([A-Za-z0-9&.,/'() \u00c0-\u00ff|-]{0,88}[A-Za-z0-9.)/\u00c0-\u00ff])?"),
    fullmatch=True,
)
ROWS = st.lists(
    st.tuples(
        st.sampled_from(FORMS),
        st.integers(1, 9_999_999_999),
        NAMES,
        st.dates(date(1993, 1, 1), date(2030, 12, 31)),
        st.from_regex(re.compile(r"[0-9]{10}-[0-9]{2}-[0-9]{6}"), fullmatch=True),
    ),
    max_size=12,
)


def rendered(kind: str, rows: list[IndexRow], day: str = "%Y-%m-%d", code: str = "latin-1") -> bytes:
    """An index as EDGAR writes it: columns, and two blanks where a text runs past its own."""
    lines = []
    for form, cik, company, filed, _, path in rows:
        tail = f"{cik:12}{filed.strftime(day):12}{path}"
        # A text of full width but one is parted by the one blank that is left.
        form_cell = f"{form:12}" if len(form) < 12 else f"{form}  "
        name_cell = f"{company:62}" if len(company) < 62 else f"{company}  "
        if kind == "master":
            lines.append(f"{cik}|{company}|{form}|{filed.strftime(day)}|{path}")
        else:
            lines.append((form_cell + name_cell if kind == "form" else name_cell + form_cell) + tail)
    return HEADERS[kind] + b"-" * 100 + b"\n" + "".join(line + "\n" for line in lines).encode(code)


@given(
    rows=ROWS,
    day=st.sampled_from(["%Y-%m-%d", "%Y%m%d"]),
    code=st.sampled_from(["utf-8", "latin-1"]),
    packed=st.booleans(),
)
def test_the_same_rows_as_form_company_and_master_index_are_read_alike(
    rows: list[tuple[str, int, str, date, str]], day: str, code: str, packed: bool
) -> None:
    made = [
        IndexRow(form, str(cik), company, filed, accession, f"edgar/data/{cik}/{accession}.txt")
        for form, cik, company, filed, accession in rows
    ]
    if code == "latin-1":
        # Such bytes may happen to be UTF-8 as well.
        made = [row for row in made if not_utf8(row.company)]
    for kind in HEADERS:
        data = rendered(kind, made, day, code)
        index = read_index(gzip.compress(data) if packed else data)
        assert index == Index(made, [], 0), kind


def not_utf8(name: str) -> bool:
    try:
        return name.encode("latin-1").decode("utf-8") == name
    except UnicodeDecodeError:
        return True


@given(
    kind=st.sampled_from(sorted(HEADERS)),
    lines=st.lists(
        st.one_of(
            st.binary(max_size=80),
            st.lists(
                st.sampled_from(PIECES),
                max_size=14,
            ).map(b"".join),
        ),
        max_size=8,
    ),
)
def test_every_line_below_a_header_ends_as_a_row_or_a_report(kind: str, lines: list[bytes]) -> None:
    lines = [line.replace(b"\n", b" ") for line in lines]
    index = read_index(rendered(kind, [ACME]) + b"\n".join(lines))
    assert index.rows[0] == ACME
    assert all(re.fullmatch(r"edgar/data/\d+/(\d{18}/)?\d{10}-\d\d-\d{6}\.txt", row.path) for row in index.rows)
    # Blank lines and dashes are no rows.
    rows = [number for number, line in enumerate(lines, 4) if line.strip(b"- \t\r\x0b\x0c")]
    assert len(index.rows) + len(index.unreadable) == 1 + len(rows)
    assert {bad.line for bad in index.unreadable} <= set(rows)
