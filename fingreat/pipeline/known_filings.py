"""What corpora say of filings, where runs name several of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fingreat.errors import CorpusError
from fingreat.pipeline.corpus_folder import CorpusFolder
from fingreat.schema import Filing


def known_filings(corpora: Iterable[Path]) -> tuple[dict[str, Filing], tuple[CorpusError, ...]]:
    """Filing id → what is known of it now.

    Where several corpora have a filing, one that says when it was filed goes before others, one that knows its fiscal
    period before those without any date, and of equal ones the first.

    Args:
        corpora: their folders.

    Returns:
        the filings, and why corpora cannot be read, for those that cannot.
    """
    filings: dict[str, Filing] = {}
    unread = []
    for place in dict.fromkeys(corpora):
        try:
            found = CorpusFolder(place).filings()
        except CorpusError as error:
            unread.append(error)
            continue
        for filing in found:
            known = filings.get(filing.id)
            if known is None or _rank(filing) > _rank(known):
                filings[filing.id] = filing
    return filings, tuple(unread)


def _rank(filing: Filing) -> int:
    """The higher the more it says of when the filing is of."""
    if filing.filed is not None:
        return 2
    return int(filing.period is not None or filing.fiscal_year is not None)
