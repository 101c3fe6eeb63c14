"""The corpus that a run read, and what it says of the filings."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fingreat.errors import CorpusError, InputError
from fingreat.pipeline.corpus_folder import CorpusFolder
from fingreat.runs import RunFolder, readers
from fingreat.schema import Filing


def asked_corpus(run: RunFolder) -> CorpusFolder:
    """The corpus that a run says it read.

    Raises:
        RunError: it is no run.
        InputError: it does not say, or the folder is not there.
    """
    hint = "Name it with --corpus."
    named = run.manifest().asked.get("corpus")
    if not named:
        raise InputError("does not say which corpus it read.", where=str(run.path), hint=hint)
    if not Path(named).is_dir():
        raise InputError(f"read the corpus {named}, which is not there.", where=str(run.path), hint=hint)
    return CorpusFolder(Path(named))


def listed_filings(corpus: CorpusFolder, wanted: Iterable[str]) -> dict[str, Filing]:
    """Id → what the corpus says of each filing that is wanted, in their order.

    Raises:
        CorpusError: the corpus cannot be read, or lacks one of them.
    """
    with readers(corpus.path):
        filings = {filing.id: filing for filing in corpus.filings()}
    wanted = list(wanted)
    if lacking := [one for one in wanted if one not in filings]:
        raise CorpusError(
            f"lacks {len(lacking):,} of {len(wanted):,} filings that were read (first: {lacking[0]}).",
            where=str(corpus.path),
            hint="Name the corpus that was read with --corpus.",
        )
    return {one: filings[one] for one in wanted}
