"""From a filing's bytes to one item as Markdown: the front door of this room."""

from __future__ import annotations

import hashlib
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

from fingreat.edgar.ascii_blocks import ascii_blocks
from fingreat.edgar.ascii_pages import PAGE_NUMBER
from fingreat.edgar.blocks import Block, Kind
from fingreat.edgar.container import Document, Submission, read_submission
from fingreat.edgar.decode import read_bytes, why_unreadable
from fingreat.edgar.describe import describe_filing
from fingreat.edgar.finder import Span, best_chain, span_of
from fingreat.edgar.form_index import read_index
from fingreat.edgar.forms import Form, end_titles, form_of, letters, spoken
from fingreat.edgar.furniture import clean
from fingreat.edgar.headings import NUMBERED, Candidate
from fingreat.edgar.html_blocks import html_blocks
from fingreat.edgar.html_tree import parse_html
from fingreat.edgar.markdown import is_heading, render
from fingreat.edgar.parts import find_caption, find_pages, find_part, find_statements, statements_within
from fingreat.edgar.reference import Pointer, find_pointer
from fingreat.edgar.titles import Region, find_region, find_title_pointer, further_regions
from fingreat.edgar.weighing import weighed_candidates
from fingreat.schema.records import Section, SectionStatus, TableStyle

_NUMBERED_HEADINGS = 4
"""Fewer headings by number alone are taken for a list."""
_THIN = 400
"""An item with less text than this may be a line of an index."""


def read_section(
    source: Path | bytes,
    item: str = "7",
    *,
    name: str = "",
    filing_id: str | None = None,
    tables: TableStyle = TableStyle.MARKDOWN,
) -> Section:
    """One item of a filing as Markdown.

    Args:
        source: a file (full submission, main document, either gzipped) or its bytes.
        item: the item's number on Form 10-K; `7` is management's discussion whatever number the form gives it.
            An item that shares its heading ("Items 7 and 7A") is the text of both, and a warning says so.
        name: what to call the bytes in messages.
        filing_id: taken from the file (accession number, else SHA-256) where not given.
        tables: how the tables of an HTML filing are written.

    Returns:
        The section; its status says whether it was found, and `warnings` which rule decided and what is doubtful.
        Bytes that are no filing give status `unreadable`, not an error.

    Raises:
        InputError: `source` is a path that cannot be read.
    """
    path = source if isinstance(source, Path) else Path(name or "filing")
    data = read_bytes(source) if isinstance(source, Path) else source
    sha256 = hashlib.sha256(data).hexdigest()
    item = item.strip().upper()
    reason = why_unreadable(data)
    if reason:
        return Section(
            filing_id=filing_id or sha256,
            item=item,
            status=SectionStatus.UNREADABLE,
            warnings=(reason,),
            tables=tables,
        )
    submission = read_submission(data, path.name)
    filing = describe_filing(submission, sha256, path)
    return find_section(submission, item, filing_id or filing.id, filing.form, tables)


def find_section(
    submission: Submission,
    item: str,
    filing_id: str,
    form: str | None,
    tables: TableStyle = TableStyle.MARKDOWN,
) -> Section:
    """One item of a submission already read; see `read_section`."""
    search = _Search(submission, item, filing_id, form, tables, list(submission.warnings))
    return search.run()


def read_blocks(document: Document) -> tuple[list[Block], list[str]]:
    """A document's blocks without page furniture, and what was doubtful."""
    if not document.is_html:
        return clean(ascii_blocks(document.text)), []
    root, warnings = parse_html(document.text)
    return (clean(html_blocks(root)) if root is not None else []), warnings


@dataclass
class _Search:
    """One search for one item: the main document first, then what it points to."""

    submission: Submission
    item: str
    filing_id: str
    form: str | None
    tables: TableStyle
    warnings: list[str] = field(default_factory=list)

    def run(self) -> Section:
        mains = self._mains()
        if not mains:
            self.warnings.append("The submission holds no document with text.")
            return self._section(SectionStatus.UNREADABLE)
        for main in mains[:-1]:
            # A report may be filed in several documents of its form's type.
            known = list(self.warnings)
            section = self._search(main)
            if section.status in (SectionStatus.FOUND, SectionStatus.BY_REFERENCE):
                return section
            self.warnings = known
        return self._search(mains[-1])

    def _search(self, main: Document) -> Section:
        """The item in one document, and in what it points to."""
        blocks, warnings = read_blocks(main)
        self.warnings += warnings
        if not any(block.text for block in blocks):
            self.warnings.append("The main document holds no text.")
            return self._section(SectionStatus.UNREADABLE)
        form = form_of(self.form or main.type)
        own = form.own_key(self.item)
        chain = best_chain(blocks, weighed_candidates(blocks, form), form)
        span = self._by_headings(blocks, chain, form, own) if own else None
        if span is not None and own and span.heading.item != own:
            self.warnings.append(
                f"{spoken(own)} shares a heading with {spoken(span.heading.item)}; the text is that of both."
            )
        if span is not None:
            body = _body(blocks, span)
            if pointer := find_pointer(body):
                return self._follow(main, blocks, span, pointer, chain)
            if len(body) >= _THIN:
                return self._found(main, blocks, span)
        found = self._by_titles(main, blocks, form, own, headed=span is not None) if own else None
        if found is None and span is None and own and self.item == "8":
            found = self._unheaded_statements(main, blocks, chain, form.order.index(own), form)
        if found is not None:
            return found
        if span is not None and _body(blocks, span):
            self.warnings.append("The item holds very little text.")
            return self._found(main, blocks, span)
        if span is not None:
            self.warnings.append(f"Nothing stands under the heading {_short(span.heading.title)!r}.")
            return self._section(SectionStatus.ABSENT, heading=span.heading.title)
        self.warnings.append(_why_absent(self.item, own, form, chain))
        return self._section(SectionStatus.ABSENT)

    def _by_headings(self, blocks: list[Block], chain: list[Candidate], form: Form, own: str) -> Span | None:
        """The item by the chain of item headings; by numbers alone where the filer leaves the word out."""
        span = span_of(blocks, chain, own, form)
        if span is None or span.heading.contents:
            chain = best_chain(blocks, weighed_candidates(blocks, form, NUMBERED), form)
            if sum(1 for candidate in chain if not candidate.contents) < _NUMBERED_HEADINGS:
                return None
            span = span_of(blocks, chain, own, form)
            if span is None or span.heading.contents:
                return None
            self.warnings.append("The headings lack the word Item; they were told by number and title.")
        if self.item == "7" and form.own_key("8") is not None:
            return self._break_off(blocks, span, form)
        return span

    def _by_titles(self, main: Document, blocks: list[Block], form: Form, own: str, *, headed: bool) -> Section | None:
        """The item by its title or, where it has no heading, by the pages of the form's index."""
        entry = read_index(blocks, form).get(own)
        if self.item == "7":
            region = find_region(blocks, None, entry=entry)
        else:
            others = tuple(start for key in form.order[form.order.index(own) + 1 :] for start in form.starts[key])
            region = find_part(blocks, form.starts[own], entry, others)
        pointing = find_title_pointer(blocks) if self.item == "7" else None
        if pointing is not None and region is not None and region.start != pointing[0]:
            pointing = None
        if pointing is not None:
            region = None
        if region is None and pointing is None and entry is not None and not headed:
            region = find_pages(blocks, entry)
        if region is not None:
            return self._region(main, blocks, region, None)
        if pointing is None:
            return None
        start, end, pointer = pointing
        following = Candidate("", end, end + 1, blocks[end].text, 0.0, contents=False) if end < len(blocks) else None
        heading = Candidate(self.item, start, start + 1, blocks[start].text, 0.0, contents=False)
        return self._follow(main, blocks, Span(heading, end, following), pointer, [])

    def _unheaded_statements(
        self, main: Document, blocks: list[Block], chain: list[Candidate], rank: int, form: Form
    ) -> Section | None:
        """The financial statements where their item has no heading: what opens them between its neighbours."""
        before = [candidate for candidate in chain if form.order.index(candidate.item) < rank]
        after = [candidate for candidate in chain if form.order.index(candidate.item) > rank]
        if not before or not after:
            return None
        for index in range(before[-1].end, after[0].start):
            if _breaks(blocks[index]):
                heading = blocks[index].text if blocks[index].kind is Kind.TEXT else ""
                region = Region(index, after[0].start, heading, after[0].title, "heading of the next item")
                return self._region(main, blocks, region, None)
        return None

    def _break_off(self, blocks: list[Block], span: Span, form: Form) -> Span:
        """End the discussion at the financial statements where no item heading stands before them."""
        expected = {form.own_key("7A"), form.own_key("8")}
        if span.following is not None and span.following.item in expected:
            start = statements_within(blocks, span.heading.end, span.end)
            if start is None:
                return span
            self.warnings.append(f"Financial statements follow the discussion, from {_short(blocks[start].text)!r} on.")
            return Span(span.heading, start, Candidate("", start, start + 1, blocks[start].text, 0.0, contents=False))
        for index in range(span.heading.end + 1, span.end):
            block = blocks[index]
            if _breaks(block):
                self.warnings.append(f"No Item 8 heading follows; the section ends at {_short(block.text)!r}.")
                return Span(span.heading, index, Candidate("", index, index + 1, block.text, 0.0, contents=False))
        return span

    def _mains(self) -> list[Document]:
        """The documents of the form's own type; the first one with text where none says its type."""
        texts = [document for document in self.submission.documents if document.text.strip()]
        forms = [document for document in texts if document.type.upper().startswith(("10-K", "10-Q", "10K", "10Q"))]
        return forms or texts[:1]

    def _found(self, main: Document, blocks: list[Block], span: Span) -> Section:
        heading = span.heading
        self.warnings.append(f"Rule: item headings in order ({_short(heading.title)!r}).")
        if span.following is None:
            self.warnings.append("No heading follows; the section runs to the end of the document.")
        return self._section(
            SectionStatus.FOUND,
            heading=heading.title,
            next_heading=span.following.title if span.following else None,
            text=self._render(blocks[heading.start : span.end], heading.title, heading.end - heading.start),
            source_document=main.type or None,
        )

    def _follow(
        self, main: Document, blocks: list[Block], span: Span, pointer: Pointer, chain: list[Candidate]
    ) -> Section:
        """The text that a pointer points to, where the submission has it; else the pointer itself."""
        for document in self._exhibits(pointer):
            inside, warnings = read_blocks(document)
            region = self._pointed(inside, pointer, None, [])
            if region is not None:
                self.warnings += warnings
                return self._region(document, inside, region, pointer)
        items = [candidate.start for candidate in chain if not candidate.contents]
        region = self._pointed(blocks, pointer, (span.heading.start, span.end), items)
        if region is not None:
            return self._region(main, blocks, region, pointer)
        self.warnings.append("The item points elsewhere, and the text it points to was not found in this file.")
        heading = span.heading
        return self._section(
            SectionStatus.BY_REFERENCE,
            heading=heading.title,
            next_heading=span.following.title if span.following else None,
            text=self._render(blocks[heading.start : span.end], heading.title, heading.end - heading.start),
            source_document=main.type or None,
            pointer=pointer.sentence,
        )

    def _pointed(
        self, blocks: list[Block], pointer: Pointer, avoid: tuple[int, int] | None, items: list[int]
    ) -> Region | None:
        """What a pointer points to in one document."""
        if self.item == "7":
            return find_region(blocks, pointer, avoid)
        if self.item != "8":
            return find_caption(blocks, pointer, avoid or (0, 0))
        if avoid and not (pointer.first_page or pointer.here):
            return None
        return find_statements(blocks, pointer, avoid or (0, 0), items)

    def _exhibits(self, pointer: Pointer) -> list[Document]:
        """Exhibits that may hold the text: those that the pointer names, then annual reports."""
        named = tuple(f"EX-{number}" for number in pointer.exhibits)
        texts = [document for document in self.submission.documents if document.text.strip()]
        return [
            *(document for document in texts if named and document.type.upper().startswith(named)),
            *(document for document in texts if document.type.upper().startswith("EX-13") and "EX-13" not in named),
        ]

    def _region(self, document: Document, blocks: list[Block], region: Region, pointer: Pointer | None) -> Section:
        self.warnings.append(f"Rule: title {_short(region.heading)!r}, ended by: {region.rule}.")
        further = further_regions(blocks, region, pointer) if pointer and self.item == "7" else ()
        parts = [region, *further]
        if len(parts) > 1:
            self.warnings.append(f"The discussion stands in {len(parts)} parts under titles of their own.")
        return self._section(
            SectionStatus.FOUND,
            heading=region.heading or None,
            next_heading=parts[-1].next_heading,
            text="\n\n".join(self._render(blocks[part.start : part.end], part.heading or None, 1) for part in parts),
            source_document=document.type or None,
            pointer=pointer.sentence if pointer else None,
        )

    def _render(self, blocks: list[Block], heading: str | None, heading_blocks: int) -> str:
        end = len(blocks)
        while end > heading_blocks and blocks[end - 1].kind is Kind.TEXT and PAGE_NUMBER.match(blocks[end - 1].text):
            # The page of what follows ends here; borders of pages tell furniture from text elsewhere.
            end -= 1
        return render(blocks[:end], heading, heading_blocks, self.tables)

    def _section(
        self,
        status: SectionStatus,
        *,
        heading: str | None = None,
        next_heading: str | None = None,
        text: str = "",
        source_document: str | None = None,
        pointer: str | None = None,
    ) -> Section:
        return Section(
            filing_id=self.filing_id,
            item=self.item,
            status=status,
            form=self.form,
            heading=heading,
            next_heading=next_heading,
            text=text,
            source_document=source_document,
            pointer=pointer,
            warnings=tuple(self.warnings),
            tables=self.tables,
        )


def _short(text: str) -> str:
    """A title's first words, for a warning."""
    return textwrap.shorten(text, 60, placeholder=" …")


def _why_absent(item: str, own: str | None, form: Form, chain: list[Candidate]) -> str:
    if own is None:
        return _how_named(item, form)
    if any(candidate.item == own for candidate in chain):
        return f"{spoken(own)} stands only in a list of items, with no text of its own."
    return f"No heading of {spoken(own)} was found."


def _how_named(item: str, form: Form) -> str:
    """Why an item is not looked for: how the form's items are named here."""
    if not form.same:
        return f"Form 10-K has no Item {item}."
    names = ", ".join(f"{annual} for this form's {spoken(own)}" for own, annual in form.same.items())
    return f"Items are named as on Form 10-K, whose Item {item} this form lacks; ask for {names}."


def _breaks(block: Block) -> bool:
    """Whether a block opens the financial statements: a title, or a short list of statements under one."""
    if not letters(block.text[:150]).startswith(end_titles("breaks")):
        return False
    if block.kind is Kind.TEXT:
        return len(block.text) < 150 and is_heading(block)
    return len(block.text) < 1500 and "balance sheet" in letters(block.text)


def _body(blocks: list[Block], span: Span) -> str:
    """An item's words without its heading."""
    first = blocks[span.heading.start].text
    left = first[len(span.heading.title) :] if span.heading.end == span.heading.start + 1 else ""
    return " ".join([left, *(block.text for block in blocks[span.heading.end : span.end])]).strip()
