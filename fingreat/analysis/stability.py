"""Whether a model gives the same edge to the same passage when it extracts it and when it is asked to classify it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from fingreat.analysis.answers import AnswerSheet
from fingreat.analysis.bootstrap import ratio_of_sums, ratios_of_sums
from fingreat.analysis.ratio import Interval, Ratio
from fingreat.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from fingreat.analysis.bootstrap import FilingBootstrap

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Stability:
    """One model's extraction run beside its classification run, on the gold passages that the former quotes.

    Attributes:
        model: what both asked.
        extraction, classification: names of the runs.
        quoted: gold passages that the extraction run quotes, of those in filings that it read; all other shares are of
            these quoted ones.
        unread: gold passages of filings that it did not read.
        not_quoted: ids of the gold passages that it read and does not quote.
        extracted, classified: passages whose edge is an accepted one, by either run; a failed reply is wrong.
        difference: interval of `classified` less `extracted`.
        same_edge: passages to which both give the same edge, right or wrong; a failed reply gives none.
        several: quoted passages that the extraction run quotes under several edges in equal quotes, so that any of them
            could count.
        extracted_range, same_edge_range: the fewest and the most passages of `extracted` and `same_edge` there are,
            whichever of the equal quotes counts for each of these passages.
        both, only_extracted, only_classified, neither: passages by which of the two gave an accepted edge.
        overall: accuracy of the classification run on all of its gold passages, quoted or not.
    """

    model: str
    extraction: str
    classification: str
    quoted: Ratio
    unread: int
    not_quoted: tuple[str, ...]
    extracted: Ratio
    classified: Ratio
    difference: Interval | None
    same_edge: Ratio
    several: int
    extracted_range: tuple[int, int]
    same_edge_range: tuple[int, int]
    both: Ratio
    only_extracted: Ratio
    only_classified: Ratio
    neither: Ratio
    overall: Ratio


def stability_of(
    sheet: AnswerSheet,
    names: tuple[str, str, str],
    extracted: Mapping[str, Sequence[str]],
    read: Collection[str],
    bootstrap: FilingBootstrap | None = None,
) -> Stability:
    """Compare the edges that a model gave to the same gold passages in two tasks.

    Args:
        sheet: with the answers of the classification run.
        names: of the model, of its extraction run, and of its classification run as the sheet has it.
        extracted: passage id → edges of the extractions that quote it: first of the one that counts, then of those that
            could as well.
        read: ids of the filings that the extraction run read.
        bootstrap: of the sheet's filings, for the intervals.

    Raises:
        InputError: the sheet has no such run; the extraction run read no filing of a gold passage.
    """
    import numpy as np

    model, extraction, classification = names
    if classification not in sheet.names:
        raise InputError("has no answers on the sheet.", where=classification)
    number = sheet.names.index(classification)
    was_read = _was_read(sheet, extraction, read)
    edges = [extracted.get(passage.passage_id, ()) for passage in sheet.passages]
    quoted = was_read & np.array([bool(of_passage) for of_passage in edges], dtype=bool)
    right = [[edge in one.accepted for edge in given] for one, given in zip(sheet.passages, edges, strict=True)]
    like = [[edge == answer for edge in given] for answer, given in zip(sheet.edges[number], edges, strict=True)]
    hits = sheet.by_filing(_parts(quoted, right, like, sheet.right[number]))
    total = sheet.by_filing(quoted)
    shares = ratios_of_sums(hits, np.broadcast_to(total, hits.shape), bootstrap)
    every = sheet.by_filing(np.ones(len(sheet.passages)))
    return Stability(
        model=model,
        extraction=extraction,
        classification=classification,
        quoted=ratio_of_sums(total[:, 0], sheet.by_filing(was_read)[:, 0], bootstrap),
        unread=int((~was_read).sum()),
        not_quoted=tuple(p.passage_id for p, yes in zip(sheet.passages, was_read & ~quoted, strict=True) if yes),
        extracted=shares[0],
        classified=shares[1],
        difference=bootstrap.difference(hits[:, 1], total[:, 0], hits[:, 0], total[:, 0]) if bootstrap else None,
        same_edge=shares[2],
        several=sum(len(set(given)) > 1 for given, yes in zip(edges, quoted, strict=True) if yes),
        extracted_range=_fewest_and_most(right, quoted),
        same_edge_range=_fewest_and_most(like, quoted),
        both=shares[3],
        only_extracted=shares[4],
        only_classified=shares[5],
        neither=shares[6],
        overall=ratio_of_sums(sheet.by_filing(sheet.right[number])[:, 0], every[:, 0], bootstrap),
    )


def _was_read(sheet: AnswerSheet, extraction: str, read: Collection[str]) -> Array:
    """Which passages are of filings that the extraction run read, of shape [passages].

    Raises:
        InputError: there is none.
    """
    import numpy as np

    found: Array = np.array([passage.filing_id in read for passage in sheet.passages], dtype=bool)
    if not found.any():
        raise InputError(
            "read no filing that has a gold passage.",
            where=extraction,
            hint="Name an extraction run over the filings of the gold file.",
        )
    return found


def _parts(quoted: Array, right: Sequence[Sequence[bool]], like: Sequence[Sequence[bool]], now: Array) -> Array:
    """Which quoted passages are right when extracted, right when classified, under the same edge; then right both
    times, only when extracted, only when classified, and never; of shape [7, passages].
    """
    import numpy as np

    before, same = (quoted & np.array([one[:1] == [True] for one in of_all], dtype=bool) for of_all in (right, like))
    after = quoted & now
    parts = (before, after, same, before & after, before & ~after, ~before & after, quoted & ~before & ~after)
    found: Array = np.array(parts)
    return found


def _fewest_and_most(hits: Sequence[Sequence[bool]], quoted: Iterable[bool]) -> tuple[int, int]:
    """In how many of the quoted passages all quotes hit, and in how many any does."""
    of_quoted = [one for one, yes in zip(hits, quoted, strict=True) if yes]
    return sum(map(all, of_quoted)), sum(map(any, of_quoted))
