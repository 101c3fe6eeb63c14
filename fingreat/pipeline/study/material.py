"""What the parts of a study are measured on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fingreat.errors import InputError
from fingreat.pipeline.corpus_folder import CorpusFolder
from fingreat.pipeline.side_by_side import Choice
from fingreat.pipeline.study.config import StudyConfig
from fingreat.pipeline.study.runs import Outcome, Role
from fingreat.runs import RunFolder
from fingreat.schema import Graph


class NotAskedError(InputError):
    """The study file does not ask for a part; nothing is missing."""


@dataclass(frozen=True)
class Material:
    """What there is of a study.

    Attributes:
        gold: the file of all gold passages; None where there is none.
        outcomes: of all runs; those that are missing play no part.
    """

    config: StudyConfig
    out: Path
    corpus: CorpusFolder
    graph: Graph
    gold: Path | None
    outcomes: Sequence[Outcome]

    @property
    def found(self) -> tuple[Outcome, ...]:
        """The runs that are there, in the order of the study file."""
        return tuple(one for one in self.outcomes if one.manifest is not None)

    def extractions(self, *roles: Role) -> list[RunFolder]:
        """Extraction runs of some roles."""
        return [one.run.folder for one in self.found if one.run.kind == "extract" and one.run.role in roles]

    @property
    def classifications(self) -> list[RunFolder]:
        """All classification runs."""
        return [one.run.folder for one in self.found if one.run.kind == "classify"]

    def some(self, runs: Sequence[RunFolder], what: str, *, planned: int, least: int = 1) -> Sequence[RunFolder]:
        """Runs that a part needs.

        Args:
            what: they are, one of them.
            planned: how many of them there will be, by the study file.

        Raises:
            NotAskedError: the study file does not have enough of them.
            InputError: not enough of them are finished.
        """
        number = "no" if least == 1 else "fewer than two"
        plural = "" if least == 1 else "s"
        if planned < least:
            raise NotAskedError(f"the study has {number} {what}{plural}.")
        if len(runs) < least:
            raise InputError(f"There {'are' if plural else 'is'} {number} finished {what}{plural}.")
        return runs

    @property
    def choice(self) -> Choice:
        """What runs are compared on: the filings that all of them read, and what the study takes of these."""
        return Choice(common=True, grounded=self.config.study.grounded)

    @property
    def bootstrap(self) -> dict[str, Any]:
        """How intervals are made, as the measures take it."""
        return {"replicates": self.config.study.replicates, "seed": self.config.study.seed}

    @property
    def grouped(self) -> dict[str, Any]:
        """The same, with the grouping of edges into categories."""
        return {**self.bootstrap, "grouping": self.config.study.grouping}
