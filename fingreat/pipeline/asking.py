"""Asking the requests of a run, whatever they ask for: its folder, its replies, what it costs, how it ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Protocol

from fingreat.errors import CostError, FingreatError, RunError
from fingreat.inference import Backend, Judge, Settings, ask, is_finished, reply_log
from fingreat.runs import Manifest, RecordLog, RunFolder, sole_owner, sweep
from fingreat.schema import Reply, Request

_NOTED_EVERY = 30.0
"""Seconds after which the manifest says again how long the model was asked: what a kill loses of that figure."""


@dataclass(frozen=True)
class AskOptions:
    """How a run asks. Of all this only `settings.preset` and `settings.base_url` can change an answer.

    Attributes:
        cache: replies of earlier runs, None to ask without them.
        max_cost: US dollars that the run may spend, all its calls together; None for no limit.
        trial: whether a small request tries a language model out before the first one of a run.
    """

    cache: Any | None = None
    max_cost: float | None = None
    trial: bool = True
    settings: Settings = field(default_factory=Settings)


class Progress(Protocol):
    """What is told while a run goes on; `fingreat.cli` shows it."""

    def begin(self, total: int, done: int) -> None:
        """So many requests in all, so many of them answered by an earlier call."""
        ...

    def more(self, number: int) -> None:
        """So many requests came to the total: damaged replies are asked for once more."""
        ...

    def advance(self, reply: Reply) -> None:
        """One more reply is on disk."""
        ...


class Silent:
    """Progress that nobody watches."""

    def begin(self, total: int, done: int) -> None:
        """Say nothing."""

    def more(self, number: int) -> None:
        """Say nothing."""

    def advance(self, reply: Reply) -> None:
        """Say nothing."""


def run_in_folder(
    run: RunFolder, wanted: Manifest, work: Callable[[Manifest], tuple[dict[str, object], dict[str, str]]]
) -> Manifest:
    """Do the work of a run in its folder; whatever ends it, the manifest says how it ended.

    Args:
        wanted: what the run is, before it begins.
        work: takes the manifest to go on with, returns the run's `counts` and `inputs`. What it writes into the
            manifest meanwhile stays.

    Returns:
        the manifest of the complete run.

    Raises:
        RunError: the folder holds a run with other settings, or damaged answers, or another process works there.
        FingreatError: what `work` raises. After a `CostError`, as after Ctrl-C, the run is `interrupted`.
    """
    with sole_owner(run.path):
        sweep(run.path / "manifest.json", run.failures, run.path / "done" / wanted.kind)
        manifest = _open_run(run, wanted)
        try:
            counts, inputs = work(manifest)
        except (KeyboardInterrupt, CostError):
            run.write_manifest(run.manifest(), status="interrupted")
            raise
        except FingreatError:
            run.write_manifest(run.manifest(), status="failed")
            raise
        return run.write_manifest(run.manifest(), status="complete", counts=counts, inputs=inputs)


def _open_run(run: RunFolder, wanted: Manifest) -> Manifest:
    """The manifest to go on with: that of the folder if it asks the same, else the wanted one in a new folder."""
    if not run.exists:
        return run.write_manifest(wanted)
    found = run.manifest()
    differences = found.differences(wanted)
    if differences:
        raise RunError(
            f"holds a run with other settings: {'; '.join(differences)}.",
            where=str(run.path),
            hint="Choose another --out, or repeat the settings of this run.",
        )
    if damaged := [fault for fault in run.verify() if fault.startswith("replies/")]:
        raise RunError(
            f"the answers of this run are damaged: {'; '.join(damaged)}.",
            where=str(run.path),
            hint="Restore them from a copy, or choose another --out.",
        )
    return run.write_manifest(wanted.going_on_from(found))


class Asker:
    """Asks a run's requests, as often as there are rounds of them; a context manager over the log of its replies.

    Args:
        trial: the small request that tries the model out before the first request of the run; None for none.

    Attributes:
        log: the run's replies by request key.
    """

    log: RecordLog[Reply]

    def __init__(
        self,
        run: RunFolder,
        backend: Backend,
        judge: Judge,
        options: AskOptions,
        progress: Progress,
        trial: Request | None = None,
    ) -> None:
        self._run = run
        self._backend = backend
        self._judge = judge
        self._options = options
        self._progress = progress
        self._trial = trial
        self._manifest = run.manifest()
        self._since: float | None = None
        self._open = ExitStack()

    def __enter__(self) -> Asker:
        self.log = self._open.enter_context(reply_log(self._run.replies))
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self._open.__exit__(kind, value, at)

    @property
    def seconds(self) -> float:
        """Wall time of all calls of the run together while the model was asked."""
        return self._manifest.asking_seconds + (time.perf_counter() - self._since if self._since is not None else 0.0)

    def is_open(self, key: str) -> bool:
        """Whether a request has no reply that stands."""
        reply = self.log.get(key)
        return reply is None or not is_finished(reply)

    def begin(self, keys: Collection[str]) -> None:
        """Say how many requests there are, and try the model out where one of them must be asked."""
        still_open = sum(self.is_open(key) for key in keys)
        self._progress.begin(len(keys), len(keys) - still_open)

    def ask(self, requests: Iterable[Request], more: int = 0) -> None:
        """Ask one round: every request that has no reply that stands, each key once.

        Args:
            more: how many open requests the round adds to the total that `begin` told.

        Raises:
            BackendError, StorageError, CostError: what is answered stays.
        """
        if more:
            self._progress.more(more)
        self._since = time.perf_counter()
        answered = False

        def on_reply(_: Request, reply: Reply) -> None:
            nonlocal answered
            answered = True
            self._progress.advance(reply)
            if self._since is not None and time.perf_counter() - self._since > _NOTED_EVERY:
                self._note_seconds()

        try:
            ask(requests, self._backend, self._judge, self.log, on_reply)
        finally:
            # A call that asks nothing leaves the figure as it was.
            if answered:
                self._note_seconds()
            self._since = None

    def _note_seconds(self) -> None:
        self._manifest = self._run.write_manifest(self._manifest, asking_seconds=round(self.seconds, 3))
        self._since = time.perf_counter()
