"""The texts that a report is over: read from the corpus, held against what the runs read, with the gold in place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fingreat.analysis import by_filing
from fingreat.errors import CorpusError, InputError
from fingreat.pipeline.corpus_folder import CorpusFolder
from fingreat.pipeline.gold import anchor_gold
from fingreat.report import FilingView
from fingreat.runs import Manifest, digest_of_text
from fingreat.schema import Filing, GoldPassage, Section, SectionStatus

MOST_FILINGS = 20
"""How many filings' texts a page shows where none are named."""
MOST_CHARACTERS = 3_000_000
"""How much text it shows then; the first filing is shown whatever its length."""


@dataclass(frozen=True)
class Texts:
    """What a report is over.

    Attributes:
        ids: of the filings that every run looked into.
        filings: those of them with a section to read, in corpus order.
        lengths: filing id → characters of its section.
        gold: passages in these filings, each with its place.
        shown: the filings whose text the page shows.
    """

    ids: frozenset[str]
    filings: tuple[Filing, ...]
    lengths: Mapping[str, int]
    gold: tuple[GoldPassage, ...]
    shown: tuple[FilingView, ...]


def read_texts(
    corpus: CorpusFolder,
    manifests: Sequence[Manifest],
    ids: Collection[str],
    gold: Iterable[GoldPassage],
    choice: tuple[Sequence[str] | None, int],
) -> Texts:
    """Read the sections that runs have in common; only those that are shown are kept in memory.

    Args:
        ids: of the filings that every run looked into.
        choice: ids of those to show, or None for the first ones; and how many at most are the first ones.

    Raises:
        CorpusError: the corpus lacks a section, or has another text than a run read.
        InputError: `show` names a filing that is not among them, or `gold` one that no run read; a gold passage does
            not stand in its section.
    """
    item = str(manifests[0].resolved["item"])
    in_corpus = corpus.filings()
    _check_complete(corpus, ids, [filing.id for filing in in_corpus], "filing")
    passages = by_filing(gold)
    lengths: dict[str, int] = {}
    anchored: list[GoldPassage] = []
    for section in _sections(corpus, item, set(ids)):
        _check_text(corpus, section, manifests)
        if section.status is SectionStatus.FOUND:
            lengths[section.filing_id] = len(section.text)
            anchored += anchor_gold(passages.get(section.filing_id, ()), section.text)
    filings = tuple(filing for filing in in_corpus if filing.id in lengths)
    # A gold may cover more than the filings that all runs read, but not one that none of them did.
    read = {filing_id for manifest in manifests for filing_id in manifest.inputs} - set(ids) | lengths.keys()
    for filing_id, own in passages.items():
        _check_known(filing_id, read, f"gold passage {own[0].passage_id}")
    chosen = _choose(filings, lengths, *choice)
    sections = {section.filing_id: section for section in _sections(corpus, item, chosen)}
    of_filing = by_filing(anchored)
    return Texts(
        frozenset(ids),
        filings,
        lengths,
        tuple(anchored),
        tuple(
            FilingView(filing=filing, section=sections[filing.id], gold=tuple(of_filing.get(filing.id, ())))
            for filing in filings
            if filing.id in sections
        ),
    )


def _sections(corpus: CorpusFolder, item: str, wanted: Collection[str]) -> Iterator[Section]:
    """One section of each wanted filing."""
    seen: set[str] = set()
    for section in corpus.sections(item):
        if section.filing_id in wanted:
            if section.filing_id in seen:
                raise CorpusError(f"has two section records of filing {section.filing_id}.", where=str(corpus.path))
            seen.add(section.filing_id)
            yield section
    _check_complete(corpus, wanted, seen, f"item {item} of filing")


def _check_complete(corpus: CorpusFolder, wanted: Iterable[str], found: Iterable[str], what: str) -> None:
    if missing := set(wanted).difference(found):
        raise CorpusError(
            f"has no {what} {min(missing)}, which the runs read.",
            where=str(corpus.path),
            hint="Name the corpus of these runs.",
        )


def _check_text(corpus: CorpusFolder, section: Section, manifests: Iterable[Manifest]) -> None:
    digest = digest_of_text(section.text)
    for manifest in manifests:
        if manifest.inputs[section.filing_id] != digest:
            raise CorpusError(
                f"item {section.item} of filing {section.filing_id} is not the text that run '{manifest.name}' read.",
                where=str(corpus.path),
                hint="Name the corpus of these runs; if its sections were made anew, the runs must be as well.",
            )


def _check_known(filing_id: str, read: Collection[str], where: str) -> None:
    if filing_id not in read:
        raise InputError(
            f"filing {filing_id} is none that these runs read.",
            where=where,
            hint=f"They read {', '.join(sorted(read)[:3])}{', ...' if len(read) > 3 else ''}.",
        )


def _choose(
    filings: Sequence[Filing], lengths: Mapping[str, int], show: Sequence[str] | None, most: int
) -> Collection[str]:
    """The filings to show: those named, else the first ones within the budgets."""
    if show is not None:
        for filing_id in show:
            _check_known(filing_id, lengths, "filing to show")
        return set(show)
    chosen: list[str] = []
    characters = 0
    for filing in filings[:most]:
        characters += lengths[filing.id]
        if chosen and characters > MOST_CHARACTERS:
            break
        chosen.append(filing.id)
    return chosen
