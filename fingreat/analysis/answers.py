"""What several models answered on the same gold passages, as one sheet that every measure of correctness reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from fingreat.errors import InputError
from fingreat.schema import Classification, GoldPassage, Graph

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class AnswerSheet:
    """The answers of m models on p passages of f filings.

    Attributes:
        passages: those that accept an edge and that every model was asked about, in the order of the gold file.
        names: of the models, each once.
        edges: per model the edge that it gave to each passage, None where its reply failed.
        without_edges: gold passages that accept no edge; they play no part.
        left_out: ids of passages with accepted edges that not every model was asked about; they play no part.
    """

    graph: Graph
    passages: tuple[GoldPassage, ...]
    names: tuple[str, ...]
    edges: tuple[tuple[str | None, ...], ...]
    without_edges: int = 0
    left_out: tuple[str, ...] = ()

    @cached_property
    def right(self) -> Array:
        """Whether each answer is an accepted edge, shape [m, p]; one without an edge is wrong."""
        import numpy as np

        accepted = [passage.accepted for passage in self.passages]
        table = [[edge in of for edge, of in zip(answers, accepted, strict=True)] for answers in self.edges]
        return np.array(table, dtype=bool).reshape(len(self.names), len(accepted))

    @cached_property
    def filings(self) -> tuple[str, ...]:
        """Ids of the filings of the passages, sorted: the order in which filings are drawn."""
        return tuple(sorted({passage.filing_id for passage in self.passages}))

    @cached_property
    def filing_of(self) -> Array:
        """The number of each passage's filing among `filings`, shape [p]."""
        import numpy as np

        number = {filing: i for i, filing in enumerate(self.filings)}
        return np.array([number[passage.filing_id] for passage in self.passages], dtype=np.int64)

    def by_filing(self, columns: ArrayLike) -> Array:
        """Sums over the passages of each filing.

        Args:
            columns: numbers of the passages, shape [k, p] or [p].

        Returns:
            shape [f, k], as `FilingBootstrap` takes it.
        """
        import numpy as np

        table = np.atleast_2d(np.asarray(columns, dtype=np.float64))
        sums = np.zeros((len(self.filings), len(table)))
        np.add.at(sums, self.filing_of, table.T)
        return sums


def answer_sheet(
    answers: Mapping[str, Iterable[Classification]],
    gold: Sequence[GoldPassage],
    graph: Graph,
    *,
    common: bool = False,
) -> AnswerSheet:
    """Put the answers of models side by side, joined by passage id and never by position.

    Args:
        answers: name of a model → its classifications, in any order.
        common: keep to the passages that every model was asked about, instead of refusing others.

    Raises:
        InputError: there is no model, or one without any classification (it was not run; that is not 0 %); no passage
            accepts an edge, or none is left that all were asked about; a passage accepts an edge that the graph lacks;
            a passage has no classification or two; a classification is of another benchmark.
    """
    if not answers:
        raise InputError("there are no answers to measure.", hint="Name at least one classification run.")
    passages = [passage for passage in gold if passage.accepted]
    if not passages:
        raise InputError("no gold passage accepts an edge, so that nothing can be right.")
    _check_edges(passages, graph)
    known = {passage.passage_id for passage in gold}
    given = {name: _by_passage(name, of_model, known) for name, of_model in answers.items()}
    left_out = []
    for name, of_model in given.items():
        missing = [passage.passage_id for passage in passages if passage.passage_id not in of_model]
        if missing and not common:
            raise InputError(
                f"{len(missing)} of {len(passages)} gold passages have no classification (first: {missing[0]}).",
                where=name,
                hint="Repeat its `fingreat classify` command, or add --common to compare on what all were asked.",
            )
        left_out += missing
    lacking = set(left_out)
    kept = tuple(passage for passage in passages if passage.passage_id not in lacking)
    if not kept:
        raise InputError("no gold passage was asked of all of them.", where=", ".join(answers))
    return AnswerSheet(
        graph=graph,
        passages=kept,
        names=tuple(given),
        edges=tuple(tuple(of_model[passage.passage_id] for passage in kept) for of_model in given.values()),
        without_edges=len(gold) - len(passages),
        left_out=tuple(passage.passage_id for passage in passages if passage.passage_id in lacking),
    )


def _check_edges(passages: Iterable[GoldPassage], graph: Graph) -> None:
    for passage in passages:
        if unknown := passage.accepted - set(graph.edges):
            raise InputError(
                f"accepts {', '.join(sorted(unknown))}, no edge of graph '{graph.name}'.",
                where=f"gold passage {passage.passage_id}",
            )


def _by_passage(name: str, classifications: Iterable[Classification], known: set[str]) -> dict[str, str | None]:
    """Passage id → the edge that it was given."""
    answers: dict[str, str | None] = {}
    for one in classifications:
        where = f"{name}, classification {one.id}"
        if one.passage_id not in known:
            raise InputError(f"is of passage {one.passage_id}, which is none of the gold passages.", where=where)
        if one.passage_id in answers:
            raise InputError(f"is a second one of passage {one.passage_id}.", where=where)
        answers[one.passage_id] = one.edge
    if not answers:
        raise InputError("has no classification: it was not run, which is not the same as 0%.", where=name)
    return answers
