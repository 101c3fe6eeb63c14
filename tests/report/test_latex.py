"""Tables as LaTeX: read back by a strict reader of its own, which knows no more of LaTeX than the tables may use."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_builders import example_tables

from fingreat.report import Cell, Column, Share, Table, cell_text
from fingreat.report.latex import table_latex
from fingreat.report.latex_text import breakable_text, latex_text, width

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}&]|[^\\{}&]", re.DOTALL)
RAW = set('%$#_^~"<>|`')
"""What LaTeX, or a language of babel, reads as a command if it stands by itself."""
AS_TEXT = {
    "textbackslash": "\\",
    "textasciicircum": "^",
    "textasciitilde": "~",
    "textless": "<",
    "textgreater": ">",
    "textbar": "|",
    "textasciigrave": "`",
}


def plain(source: str) -> str:
    """The characters that LaTeX sets for an argument; refuses all that could be a command of any other kind."""
    shown, tokens, depth = [], TOKEN.findall(source), 0
    assert "".join(tokens) == source
    while tokens:
        token = tokens.pop(0)
        if token in "{}":
            depth += 1 if token == "{" else -1
            assert depth >= 0
        elif token == "$" and tokens[:2] == ["-", "$"]:
            del tokens[:2]
            shown.append("-")
        elif token == "\\quad":
            assert not shown
            assert tokens.pop(0) == " "
        elif token == "\\allowbreak":
            assert shown
            assert tokens[:2] == ["{", "}"]
        elif token == "\\symbol":
            assert "".join(tokens[:4]) == "{34}"
            del tokens[:4]
            shown.append('"')
        elif token[0] == "\\" and token[1:] in AS_TEXT:
            assert tokens[:2] == ["{", "}"]
            shown.append(AS_TEXT[token[1:]])
        elif token[0] == "\\":
            assert token[1:] in tuple("&%$#_{}")
            shown.append(token[1:])
        else:
            assert token != "&"
            assert token not in RAW
            shown.append(token)
    assert depth == 0
    for one in re.findall(r"[-',]{2}", source):
        assert one[0] != one[1], "a font makes one character of two"
    return "".join(shown)


@dataclass
class Parsed:
    caption: str
    label: str
    layout: str
    compact: bool
    head: list[tuple[int, str]]
    rows: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    rule_at: int | None = None


def parts(row: str) -> list[str]:
    """The cells of a row, at the `&` that are no text."""
    assert row.endswith(r" \\")
    return [cell.strip() for cell in re.split(r"(?<!\\)&", row.removesuffix(r" \\"))]


def head_cell(source: str) -> tuple[int, str]:
    """How many columns a head spans, and its text."""
    match = re.fullmatch(r"\\multicolumn\{([23])\}\{c\}\{(.*)\}", source)
    span, text = (int(match[1]), match[2]) if match else (1, source)
    stack = re.fullmatch(r"\\shortstack\[[lrc]\]\{(.*) \\\\ (.*)\}", text)
    return span, " ".join(map(plain, stack.groups() if stack else (text,)))


def read_latex(source: str) -> Parsed:
    """Read a table, line by line; anything that a table must not hold is an assertion error."""
    lines = iter(source.split("\n"))
    assert next(lines).startswith("% Needs \\usepackage{booktabs,array}")
    assert [next(lines), next(lines)] == [r"\begin{table}", r"\centering"]
    line = next(lines)
    compact = line == r"\footnotesize\setlength{\tabcolsep}{2.5pt}"
    caption = re.fullmatch(r"\\caption\{(.*)\}", next(lines) if compact else line)
    label = re.fullmatch(r"\\label\{tab:([a-z0-9-]+)\}", next(lines))
    assert next(lines) == r"\par\smallskip"
    layout = re.fullmatch(r"\\begin\{tabular\}\{(.*)\}", next(lines))
    assert caption is not None
    assert label is not None
    assert layout is not None
    assert next(lines) == r"\toprule"
    letters = re.sub(re.escape(r">{\raggedright\arraybackslash\hspace{0pt}}p{") + r"[1-9]\d*pt\}", "p", layout[1])
    assert set(letters) <= {"l", "r", "p"}
    parsed = Parsed(plain(caption[1]), label[1], letters, compact, [head_cell(cell) for cell in parts(next(lines))])
    assert next(lines) == r"\midrule"
    for line in iter(lambda: next(lines), r"\bottomrule"):
        if line == r"\midrule":
            parsed.rule_at = len(parsed.rows)
            continue
        assert line[:1] not in ("[", "*")
        parsed.rows.append([plain(cell) for cell in parts(line)])
    assert next(lines) == r"\end{tabular}"
    rest = list(lines)
    assert rest[-2:] == [r"\end{table}", ""]
    if rest[:-2]:
        assert rest[:3] == [r"\par\smallskip\noindent", r"\begin{minipage}{\linewidth}", r"\footnotesize\raggedright"]
        assert rest[-3] == r"\end{minipage}"
        parsed.notes = [plain(note) for note in "\n".join(rest[3:-3]).split("\n\n")]
    width = len(parsed.layout)
    assert sum(span for span, _ in parsed.head) == width
    assert {len(row) for row in parsed.rows} <= {width}
    return parsed


def table(*rows: tuple[Cell, ...], columns: tuple[Column, ...], title: str = "T", notes: tuple[str, ...] = ()) -> Table:
    return Table(id="t", title=title, columns=columns, rows=rows, notes=notes)


def test_a_table_is_written_as_a_paper_needs_it() -> None:
    made = Table(
        id="corpus-years",
        title="Filings & firms",
        columns=(
            Column(label="year"),
            Column(label="filings", kind="count"),
            Column(label="found", kind="share"),
            Column(label="median assets", kind="money"),
        ),
        rows=(("2024", 1234, Share(k=4, n=7), 568_700_000), ("no date", 0, None, None)),
        notes=("In US dollars.", "50% of all."),
    )
    assert table_latex(made) == (
        r"""% Needs \usepackage{booktabs,array}. In UTF-8, for pdfLaTeX of 2020 and later.
\begin{table}
\centering
\caption{Filings \& firms}
\label{tab:corpus-years}
\par\smallskip
\begin{tabular}{lrrrr}
\toprule
Year & Filings & \multicolumn{2}{c}{Found} & Median assets \\
\midrule
2024 & 1,234 & 57.1\% & 4/7 & \$568.7 million \\
no date & 0 & – &  & – \\
\bottomrule
\end{tabular}
\par\smallskip\noindent
\begin{minipage}{\linewidth}
\footnotesize\raggedright
In US dollars.

50\% of all.
\end{minipage}
\end{table}
"""
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Smith & Sons", r"Smith \& Sons"),
        ("a\\b^c~d", r"a\textbackslash{}b\textasciicircum{}c\textasciitilde{}d"),
        ("5% of $1 #2 by_name {x}", r"5\% of \$1 \#2 by\_name \{x\}"),
        ("a<b>c|d", r"a\textless{}b\textgreater{}c\textbar{}d"),
        ('so "called" `it\'s', r"so \symbol{34}called\symbol{34} \textasciigrave{}it's"),
        ("2012–2025, Société Générale, 日本", "2012–2025, Société Générale, 日本"),
        ("a---b''c,,", "a-{}-{}-b'{}'c,{},"),
        ("[sic] *", "{[}sic{]} {*}"),
        ("two\n\nparagraphs\tand\x00\x07bells", "two paragraphs and bells"),
        ("half \udc80 pair", "half ? pair"),
        (r"\input{x}\end{table}", r"\textbackslash{}input\{x\}\textbackslash{}end\{table\}"),
        ("", ""),
    ],
)
def test_every_special_character_is_text(text: str, written: str) -> None:
    assert latex_text(text) == written


def test_shares_take_a_column_each_for_what_they_say() -> None:
    parsed = read_latex(table_latex(example_tables()[0]))
    assert parsed.layout == "llrrrrr"
    assert parsed.head[3] == (3, "Same edge")
    assert parsed.rows[0] == ["lexicon, embedded", "REV-NNCA", "1,204", "33.3%", "1/3", "[5.0–70.0%]", "1.500"]
    assert parsed.rows[1][3:6] == ["–", "0/0", ""]
    assert "0/0 has no value: it is neither 0 nor 1." in parsed.notes


def test_a_column_of_prose_is_wrapped_and_one_of_names_is_not() -> None:
    columns = (Column(label="name"), Column(label="prose"), Column(label="n", kind="count"))
    assert read_latex(table_latex(table(("a" * 40, "b " * 21, 1), columns=columns))).layout == "lpr"
    assert read_latex(table_latex(table(("name", "b " * 21, 1), columns=columns))).layout == "llr"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("3983fe326eac", r"3983\allowbreak{}fe32\allowbreak{}6eac"),
        ("lexicon-repeat-1", r"lexicon-\allowbreak{}repeat-\allowbreak{}1"),
        ("DeepSeek-V4-14.3B-Instruct", r"DeepSeek-\allowbreak{}V4-\allowbreak{}14.3B-\allowbreak{}Instruct"),
        ("a_longer_name", r"a\_\allowbreak{}longer\_\allowbreak{}name"),
        # Too short to need it, or a word, which has syllables.
        ("NNCA-NONOP at 57.1% (responsibilities),", r"NNCA-NONOP at 57.1\% (responsibilities),"),
        ("", ""),
    ],
)
def test_names_and_hashes_may_break_where_words_may_not(text: str, written: str) -> None:
    assert breakable_text(text) == written


@pytest.mark.parametrize(
    ("text", "points"),
    [
        # What pdfLaTeX says of them in \footnotesize at 11 pt.
        ("NNCA-COGS", 56.8),
        ("lexicon-quote_1", 61.4),
        ("97.7%", 24.2),
        ("[25.0–75.0%]", 50.4),
        ("DeepSeek-V4-0.9B-Instruct", 110.1),
        ("f05d6319a291…", 66.5),
        ("Of the million tokens", 85.6),
    ],
)
def test_texts_are_about_as_wide_as_latex_sets_them(text: str, points: float) -> None:
    assert 0.98 * points <= 9.25 * width(text) <= 1.1 * points


def test_sums_stand_below_a_rule_and_parts_of_a_row_are_indented() -> None:
    columns = (Column(label="outcome"), Column(label="n", kind="count"))
    rows = (("found", 3), ("of which in an exhibit", 1), ("absent", 2), ("All", 5))
    source = table_latex(table(*rows, columns=columns).model_copy(update={"totals": 1}))
    parsed = read_latex(source)
    assert parsed.rule_at == 3
    assert [row[0] for row in parsed.rows] == [row[0] for row in rows]
    assert "\n\\quad of which in an exhibit & 1 " in source
    assert source.count(r"\quad") == 1
    # A table of nothing but sums has no rule above them.
    assert read_latex(table_latex(table(("All", 5), columns=columns).model_copy(update={"totals": 1}))).rule_at is None


def test_a_comment_says_what_the_table_is_made_from_and_nothing_leaves_it() -> None:
    columns = (Column(label="n", kind="count"),)
    source = table_latex(table((1,), columns=columns), ["Made by x", "a\nb\r\\input{y}\x00\u2028\x85c\u202ed"])
    assert source.split("\n")[:3] == [
        "% Made by x",
        "% a b \\input{y} c?d",
        r"% Needs \usepackage{booktabs,array}. In UTF-8, for pdfLaTeX of 2020 and later.",
    ]


def test_a_table_that_is_wider_than_a_page_is_set_smaller() -> None:
    def wide(count: int) -> Table:
        columns = tuple(Column(label=f"column {n:03}", kind="count") for n in range(count))
        return table(tuple(range(count)), columns=columns)

    # Ten letters of some 5.6 pt and 12 pt of space are 68 pt of the 360 that a page has.
    assert not read_latex(table_latex(wide(5))).compact
    assert read_latex(table_latex(wide(6))).compact
    # Its heads take two lines.
    assert r"\shortstack[r]{Column \\ 005} \\" in table_latex(wide(6))
    assert read_latex(table_latex(wide(6))).head[5] == (1, "Column 005")


COMMANDS = st.sampled_from("\\^~&%$#_{}<>|\"`[]*-',")
TEXTS = st.text(COMMANDS | st.characters())


@given(
    st.lists(st.tuples(TEXTS, st.integers(0, 10**7), TEXTS), max_size=4),
    TEXTS.filter(bool),
    st.lists(st.text(COMMANDS | st.characters(exclude_categories=["Cc", "Z"]), min_size=1), max_size=3),
)
def test_any_text_comes_back_as_it_was_and_as_nothing_else(
    rows: list[tuple[str, int, str]], title: str, notes: list[str]
) -> None:
    columns = (Column(label="a"), Column(label="n", kind="count"), Column(label="b"))
    parsed = read_latex(table_latex(table(*rows, columns=columns, title=title, notes=tuple(notes))))

    def line(text: str) -> str:
        return " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", text.encode("utf-8", "replace").decode()).split())

    assert parsed.caption == line(title)
    assert parsed.rows == [[line(a), f"{n:,}", line(b)] for a, n, b in rows]
    assert parsed.notes == [line(note) for note in notes]


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(10**15), 10**15))
def test_numbers_are_those_of_the_console(number: float, amount: int) -> None:
    columns = (Column(label="x", kind="number"), Column(label="y", kind="money"))
    parsed = read_latex(table_latex(table((number, amount), columns=columns)))
    assert parsed.rows == [[cell_text(columns[0], number), cell_text(columns[1], amount)]]
