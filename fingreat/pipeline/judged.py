"""Classifications with what they are judged by: the accepted edges of the gold file, and the year of the filing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from fingreat.errors import CorpusError
from fingreat.pipeline.corpus_folder import CorpusFolder
from fingreat.pipeline.gold import read_gold
from fingreat.runs import RunFolder, read_records, sha256_of
from fingreat.schema import Classification, Filing


class JudgedClassification(Classification):
    """A classification beside its gold passage, so that accuracy can be worked out from the rows alone.

    Attributes:
        accepted: every edge that counts as right, sorted; None where the gold file of the run is not at hand.
        right: whether the edge is one of them; a failed reply is wrong.
        filing_year: None where the day of filing is not known.
        period_year: the year in which the fiscal period ended, None where that is not known.
    """

    accepted: tuple[str, ...] | None = None
    right: bool | None = None
    filing_year: int | None = None
    period_year: int | None = None


def judged(run: RunFolder, say: Callable[[str], None]) -> Iterator[JudgedClassification]:
    """The classifications of a run, joined with its gold file and its corpus as far as these are what they were.

    Args:
        say: told what is left empty, and why.

    Raises:
        RunError: the run is damaged.
    """
    accepted = _accepted(run, say)
    filings = _filings(run, say)
    for one in read_records(run.classifications, Classification):
        edges = accepted.get(one.passage_id)
        filing = filings.get(one.filing_id)
        yield JudgedClassification(
            **one.model_dump(),
            accepted=tuple(sorted(edges)) if edges is not None else None,
            right=one.edge in edges if edges is not None else None,
            filing_year=filing.filed.year if filing and filing.filed else None,
            period_year=filing.period.year if filing and filing.period else None,
        )


def _accepted(run: RunFolder, say: Callable[[str], None]) -> dict[str, frozenset[str]]:
    """Passage id → accepted edges, of the gold file that the run read and of no other."""
    manifest = run.manifest()
    path = Path(str(manifest.asked.get("gold", "")))
    if not path.is_file():
        say(f"The gold file {path} is not there: accepted and right are left empty.")
        return {}
    if sha256_of(path) != manifest.inputs.get("gold"):
        say(f"The gold file {path} is another than the run read: accepted and right are left empty.")
        return {}
    return {passage.passage_id: passage.accepted for passage in read_gold(path)}


def _filings(run: RunFolder, say: Callable[[str], None]) -> dict[str, Filing]:
    """Filing id → what the run's corpus now says of it."""
    asked = run.manifest().asked
    if "corpus" not in asked:
        return {}
    try:
        return {filing.id: filing for filing in CorpusFolder(Path(str(asked["corpus"]))).filings()}
    except CorpusError as error:
        say(f"The corpus cannot be read, so years are left empty: {error}")
        return {}
