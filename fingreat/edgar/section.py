"""From a filing's bytes to one item as Markdown: the front door of this room."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

from fingreat.edgar.ascii_pages import PAGE_NUMBER
from fingreat.edgar.blocks import Block, Kind, length_of
from fingreat.edgar.container import Document, Submission, read_submission
from fingreat.edgar.decode import read_bytes, why_unreadable
from fingreat.edgar.describe import describe_filing
from fingreat.edgar.finder import Span, best_chain, span_of
from fingreat.edgar.form_index import read_index
from fingreat.edgar.forms import Form, form_of, letters, number_of, plain_form, spoken
from fingreat.edgar.headings import NUMBERED, Candidate, bare_title, item_number
from fingreat.edgar.main_document import MainDocument, doubts_about, doubts_about_pointed, read_blocks, short
from fingreat.edgar.markdown import render
from fingreat.edgar.parts import (
    breaks_off,
    find_caption,
    find_pages,
    find_part,
    find_statements,
    find_unheaded_statements,
    statements_within,
)
from fingreat.edgar.reference import Pointer, find_pointer
from fingreat.edgar.titles import Region, find_region, find_title_pointer, first_words, further_regions
from fingreat.edgar.weighing import weighed_candidates
from fingreat.schema.records import Section, SectionStatus, TableStyle

_NUMBERED_HEADINGS = 4
"""Fewer headings by number alone are taken for a list."""
_NOTHING = re.compile(
    r"^\W*(?:not\s+applicable|none|n/a|\W*reserved|omitted|not\s+required|no\s+response)\b"
    r"|smaller\s+reporting\s+compan|general\s+instruction",
    re.IGNORECASE,
)
"""An item that says that it has nothing to say."""
_ITEMS = 6
"""A filing with so many headings of items has one for each that it holds."""
_CAPTION = 30
_ENOUGH = 2000
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
        if len(mains) > 1:
            self.warnings.append(f"The submission holds {len(mains)} documents of type {mains[0].type}.")
        known = list(self.warnings)
        sections = []
        for main in mains:
            # A report may be filed in several documents of its form's type.
            self.warnings = list(known)
            sections.append(self._search(main))
            if sections[-1].status is SectionStatus.FOUND:
                return sections[-1]
        return next((one for one in sections if one.status is SectionStatus.BY_REFERENCE), sections[-1])

    def _mains(self) -> list[Document]:
        """The documents of the form's own type; the first one that is no exhibit where none says its type."""
        texts = [document for document in self.submission.documents if document.text.strip()]
        forms = [document for document in texts if _is_periodic(document)]
        return forms or [document for document in texts if not document.type.upper().startswith("EX")][:1] or texts[:1]

    def _search(self, document: Document) -> Section:
        """The item in one document, and in what it points to."""
        blocks, warnings = read_blocks(document)
        self.warnings += warnings
        if not any(block.text for block in blocks):
            self.warnings.append("The main document holds no text.")
            return self._section(SectionStatus.UNREADABLE)
        form = form_of(document.type if _is_periodic(document) else self.form)
        if form is None:
            self.warnings.append(f"Form {self.form or document.type} has no items of an annual or quarterly report.")
            return self._section(SectionStatus.ABSENT)
        own = form.own_key(self.item)
        if own is None:
            self.warnings.append(_how_named(self.item, form))
            return self._section(SectionStatus.ABSENT)
        main = MainDocument.read(document, blocks, form, own)
        span = self._by_headings(main)
        body = _body(blocks, span) if span else ""
        if span and (pointer := find_pointer(body, number_of(main.own))):
            return self._follow(main, span, pointer)
        if span and len(body) >= _THIN:
            return self._found(main, span)
        # What stands under an item's own heading is the item, however short; only the discussion may be elsewhere.
        maybe = self.item == "7" and not _NOTHING.search(body)
        elsewhere = self._by_titles(main, span) if span is None or not body or maybe else None
        return elsewhere or self._little(main, span, body)

    def _little(self, main: MainDocument, span: Span | None, body: str) -> Section:
        """What is said of an item without a text of its own."""
        if span is None:
            listed = any(one.item == main.own for one in main.chain)
            only = "stands only in a list of items, with no text of its own"
            self.warnings.append(
                f"{spoken(main.own)} {only}." if listed else f"No heading of {spoken(main.own)} was found."
            )
            return self._section(SectionStatus.ABSENT)
        if not body:
            self.warnings.append(f"Nothing stands under the heading {short(span.heading.title)!r}.")
            return self._section(SectionStatus.ABSENT, heading=span.heading.title)
        self.warnings.append("The item holds very little text.")
        return self._found(main, span)

    def _by_headings(self, main: MainDocument) -> Span | None:
        """The item by the chain of item headings; by numbers alone where the filer leaves the word out."""
        blocks, form = main.blocks, main.form
        span = span_of(blocks, main.chain, main.own, form)
        if span is None or span.heading.contents:
            chain = best_chain(blocks, weighed_candidates(blocks, form, NUMBERED), form)
            if sum(1 for candidate in chain if not candidate.contents) < _NUMBERED_HEADINGS:
                return None
            span = span_of(blocks, chain, main.own, form)
            if span is None or span.heading.contents:
                return None
            self.warnings.append("The headings lack the word Item; they were told by number and title.")
        if span.heading.item != main.own:
            both = f"{spoken(main.own)} shares a heading with {spoken(span.heading.item)}"
            self.warnings.append(f"{both}; the text is that of both.")
        return self._break_off(main, span) if self.item == "7" else span

    def _break_off(self, main: MainDocument, span: Span) -> Span:
        """End the discussion at the financial statements where no item heading stands before them."""
        blocks = main.blocks
        starts = [statements_within(blocks, span.heading.end, span.end)]
        note = "Financial statements follow the discussion"
        expected = {main.form.own_key("7A"), main.form.own_key("8")}
        if span.following is None or span.following.item not in expected:
            starts.append(next((n for n in range(span.heading.end + 1, span.end) if breaks_off(blocks[n])), None))
            note = "No Item 8 heading follows"
        start = min((start for start in starts if start is not None), default=None)
        if start is None:
            return span
        self.warnings.append(f"{note}; the section ends at {short(blocks[start].text)!r}.")
        return Span(span.heading, start, Candidate("", start, start + 1, blocks[start].text, 0.0, contents=False))

    def _by_titles(self, main: MainDocument, span: Span | None) -> Section | None:
        """The item by its title or, where it has no heading at all, by the pages of the form's index."""
        blocks, form, own = main.blocks, main.form, main.own
        index = read_index(blocks, form)
        entry = index.get(own)
        nowhere = entry is not None and not entry.pages and any(last for one in index.values() for _, last in one.pages)
        avoid = main.listed() | (set(range(span.heading.start, span.end)) if span else set())
        if self.item == "7":
            region = find_region(blocks, None, avoid, entry, heads=main.heads())
            pointing = find_title_pointer(blocks, avoid)
            if pointing is not None and (region is None or region.start == pointing[0]):
                start, end, pointer = pointing
                follows = (
                    Candidate("", end, end + 1, blocks[end].text, 0.0, contents=False) if end < len(blocks) else None
                )
                heading = Candidate(self.item, start, start + 1, blocks[start].text, 0.0, contents=False)
                return self._follow(main, Span(heading, end, follows), pointer)
        else:
            others = tuple(start for key in form.order[form.order.index(own) + 1 :] for start in form.starts[key])
            nowhere = nowhere or (entry is None and len(main.heads()) >= _ITEMS)
            region = None if nowhere else find_part(blocks, form.starts[own], entry, others, main.room())
        if region is None and span is None:
            region = (find_pages(blocks, entry) if entry else None) or (
                find_unheaded_statements(blocks, main.chain, form, own) if self.item == "8" else None
            )
        return self._region(main.document, blocks, region, None) if region else None

    def _found(self, main: MainDocument, span: Span) -> Section:
        heading = span.heading
        self.warnings.append(f"Rule: item headings in order ({short(heading.title)!r}).")
        self.warnings += doubts_about(main, span, discussion=self.item == "7")
        return self._section(
            SectionStatus.FOUND,
            heading=heading.title,
            next_heading=span.following.title if span.following else None,
            text=self._render(main.blocks[heading.start : span.end], heading.title, heading.end - heading.start),
            source_document=main.document.type or None,
        )

    def _follow(self, main: MainDocument, span: Span, pointer: Pointer) -> Section:
        """The text that a pointer points to, where the submission has it; else the pointer itself."""
        for document in self._exhibits(pointer, main.document):
            inside, warnings = read_blocks(document)
            region = self._pointed(inside, pointer, set(), set())
            if region is not None and self._may_be(document, inside, region, pointer):
                self.warnings += warnings + doubts_about_pointed(document, inside, region, pointer)
                return self._region(document, inside, region, pointer)
        avoid = main.listed() | set(range(span.heading.start, span.end))
        region = self._pointed(main.blocks, pointer, avoid, main.heads(), outside=span.heading.start)
        if region is not None:
            return self._region(main.document, main.blocks, region, pointer)
        missing = "is not in this file" if self.item == "7" else "was not told apart in this file"
        self.warnings.append(f"The item points elsewhere, and the text it points to {missing}.")
        heading = span.heading
        return self._section(
            SectionStatus.BY_REFERENCE,
            heading=heading.title,
            next_heading=span.following.title if span.following else None,
            text=self._render(main.blocks[heading.start : span.end], heading.title, heading.end - heading.start),
            source_document=main.document.type or None,
            pointer=pointer.sentence,
        )

    def _pointed(
        self, blocks: list[Block], pointer: Pointer, avoid: set[int], heads: set[int], outside: int | None = None
    ) -> Region | None:
        """What a pointer points to in one document."""
        if self.item == "7":
            return find_region(blocks, pointer, avoid, outside=outside)
        if self.item != "8":
            return find_caption(blocks, pointer, avoid)
        if avoid and not (pointer.first_page or pointer.here):
            return None
        return find_statements(blocks, pointer, avoid, heads)

    def _exhibits(self, pointer: Pointer, main: Document) -> list[Document]:
        """Documents that may hold the text: named exhibits, annual reports, the form's other documents, any others."""
        texts = [document for document in self.submission.documents if document.text.strip() and document is not main]
        likely = [*(f"EX-{number}" for number in pointer.exhibits), "EX-13", "10-K", "EX-99"]
        found = [document for kind in likely for document in texts if document.type.upper().startswith(kind)]
        return list({id(document): document for document in found}.values())

    def _may_be(self, document: Document, blocks: list[Block], region: Region, pointer: Pointer) -> bool:
        """Whether a text is what a pointer means; one in another exhibit must bear a caption that it quotes."""
        kind = document.type.upper()
        if not kind.startswith("EX-99") or kind.startswith(tuple(f"EX-{number}" for number in pointer.exhibits)):
            return True
        title = bare_title(region.heading)
        quoted = any(title.startswith(letters(caption)[:_CAPTION]) for caption in pointer.captions)
        return quoted and length_of(blocks[region.start : region.end]) >= _ENOUGH

    def _region(self, document: Document, blocks: list[Block], region: Region, pointer: Pointer | None) -> Section:
        if self.item == "7" and (start := statements_within(blocks, region.start + 1, region.end)) is not None:
            region = Region(region.start, start, region.heading, first_words(blocks[start]), "financial statements")
        titled = f"title {short(region.heading)!r}" if region.heading else "a text without a title"
        self.warnings.append(f"Rule: {titled}, ended by: {region.rule}.")
        if pointer is None and region.heading and item_number(region.heading)[0]:
            self.warnings.append("The heading stands out of the form's order.")
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


def _is_periodic(document: Document) -> bool:
    """Whether a document is an annual or quarterly report by its type."""
    return plain_form(document.type).startswith(("10-K", "10-Q"))


def _how_named(item: str, form: Form) -> str:
    """Why an item is not looked for: how the form's items are named here."""
    if not form.same:
        return f"Form 10-K has no Item {item}."
    names = ", ".join(f"{annual} for this form's {spoken(own)}" for own, annual in form.same.items())
    return f"Items are named as on Form 10-K, whose Item {item} this form lacks; ask for {names}."


def _body(blocks: list[Block], span: Span) -> str:
    """An item's words without its heading."""
    first = blocks[span.heading.start].text
    left = first[len(span.heading.title) :] if span.heading.end == span.heading.start + 1 else ""
    return " ".join([left, *(block.text for block in blocks[span.heading.end : span.end])]).strip()
