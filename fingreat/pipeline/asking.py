"""Asking the requests of a run, whatever they ask for: its folder, its replies, what it costs, how it ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Literal

from fingreat.errors import CostError, FingreatError, InputError, RunError
from fingreat.inference import Backend, Settings, ask, is_finished, reply_log
from fingreat.inference.ask import Judge
from fingreat.inference.cache import ReplyCache
from fingreat.inference.hosted.batch_notes import open_batches
from fingreat.inference.hosted.batch_spool import Spool
from fingreat.inference.spending import Spending
from fingreat.inference.trial import try_out
from fingreat.pipeline.asked_model import unused_tables
from fingreat.pipeline.meter import Spent, figures_so_far, plus, spent_by
from fingreat.pipeline.progress import Progress, Silent
from fingreat.pipeline.told import told
from fingreat.runs import Beside, Manifest, RecordLog, RunFolder, read_records, sole_owner, sweep
from fingreat.schema import Reply, ReplyState, Request

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

    cache: ReplyCache | None = None
    max_cost: float | None = None
    trial: bool = True
    settings: Settings = field(default_factory=Settings)


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
            _note_stop(run, "interrupted")
            raise
        except FingreatError:
            _note_stop(run, "failed")
            raise
        return run.write_manifest(run.manifest(), status="complete", counts=counts, inputs=inputs)


def _note_stop(run: RunFolder, status: Literal["interrupted", "failed"]) -> None:
    """Write how a run was stopped, then what it took so far."""
    manifest = run.write_manifest(run.manifest(), status=status)
    # Replies that are damaged may be what stopped it.
    with suppress(RunError):
        run.write_manifest(manifest, so_far=figures_so_far(run, manifest))


def _open_run(run: RunFolder, wanted: Manifest) -> Manifest:
    """The manifest to go on with: that of the folder if it asks the same, else the wanted one in a new folder."""
    if not run.exists:
        return run.write_manifest(wanted)
    found = run.manifest()
    if differences := as_asked_now(found, wanted).differences(wanted):
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


def as_asked_now(found: Manifest, wanted: Manifest) -> Manifest:
    """An earlier manifest with what may change between two calls as it is now.

    How often damaged replies are asked again changes no request, only how many there are; nor does what is known of
    the model beside it.
    """
    known = {name: getattr(wanted.model, name) for name in ("family", "total_parameters", "reasoning")}
    resolved = {**found.resolved, **{name: wanted.resolved[name] for name in ("resend",) if name in wanted.resolved}}
    return found.model_copy(update={"resolved": resolved, "model": found.model.model_copy(update=known)})


def batches_folder(run: Path) -> Path:
    """Where the batches of a run are noted."""
    return run / "batches"


class Asker:
    """Asks a run's requests, as often as there are rounds of them; a context manager over the log of its replies.

    Args:
        trial: the small request that tries a language model out before the first request of the run; None for none.
        largest: the largest request of the run, for the trial.

    Attributes:
        log: the run's replies by request key.
        damaged: keys of the replies that stand and are not `ok`, of those that `begin` named and all that came since.
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
        largest: Request | None = None,
    ) -> None:
        self._run = run
        self._backend = backend
        self._judge = judge
        self._options = options
        self._progress = progress
        self._trial = trial
        self._largest = largest
        self._manifest = run.manifest()
        self._seconds_before = self._manifest.asking_seconds
        self._spending: Spending | None = None
        self._since: float | None = None
        self._answered = 0
        self._failed: set[str] = set()
        self._open = ExitStack()
        self.damaged: set[str] = set()

    def __enter__(self) -> Asker:
        # Where nobody watches, what is logged goes where all that is logged goes.
        if not isinstance(self._progress, Silent):
            self._open.enter_context(told(self._progress.note))
        self.log = self._open.enter_context(reply_log(self._run.replies))
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self._open.__exit__(kind, value, at)

    @property
    def seconds(self) -> float:
        """Wall time of all calls of the run together while the model was asked."""
        return self._manifest.asking_seconds + (time.perf_counter() - self._since if self._since is not None else 0.0)

    def spent(self) -> Spent:
        """What the run asked in all its calls, whether it belongs to the result or not.

        Raises:
            RunError: a reply is damaged.
        """
        return spent_by(self._run, self._manifest)

    def is_open(self, key: str) -> bool:
        """Whether a request has no reply that stands, and was not asked in vain by this very call."""
        reply = self.log.get(key)
        return (reply is None or not is_finished(reply)) and key not in self._failed

    def begin(self, keys: Collection[str]) -> None:
        """Say how many requests there are, and try a language model out where one of them must be asked of it.

        Raises:
            InputError: `max_cost` is given and no price is known, the cache is damaged, or a batch of an earlier call
                holds some of the requests and this one is not to collect it.
            BackendError: the trial shows that the run would fail.
            CostError: not even the trial may be paid for.
        """
        still_open = []
        for key in keys:
            reply = self.log.get(key)
            if reply is None or not is_finished(reply):
                still_open.append(key)
            elif reply.state is not ReplyState.OK:
                self.damaged.add(key)
        self._check_batches(still_open)
        self._progress.begin(len(keys), len(keys) - len(still_open))
        for note in unused_tables(self._manifest.model.spec, self._options.settings):
            self._progress.note(note)
        self._progress.timed(lambda: self.seconds - self._seconds_before)
        if self._options.max_cost is not None:
            self._spending = self._limited(self._options.max_cost)
        if self._needs_trial() and any(self._must_be_asked(key) for key in still_open):
            self._try_out(len(still_open))

    def ask(self, requests: Iterable[Request], *, more: bool = False) -> int:
        """Ask one round: every request that has no reply that stands, each key once.

        Args:
            more: whether the requests are beyond those that `begin` was told of.

        Returns:
            how many replies came.

        Raises:
            BackendError, StorageError, CostError: what is answered stays.
        """
        requests = self._paid_first(self._counted(requests) if more else iter(requests))
        first = next(requests, None)
        if first is None:
            return 0
        self._since = time.perf_counter()
        before = self._answered
        try:
            ask(
                chain([first], requests),
                self._backend,
                self._judge,
                self.log,
                self._on_reply,
                cache=self._options.cache,
                spending=self._spending,
            )
        finally:
            # A call that asks nothing leaves the figure as it was.
            if self._answered > before:
                self._note_seconds()
            self._since = None
        return self._answered - before

    def _paid_first(self, requests: Iterator[Request]) -> Iterator[Request]:
        """Where money is limited, what open batches hold comes first: it is paid for, and says what the rest costs."""
        promised = self._spending.promised if self._spending is not None else ()
        if not promised:
            yield from requests
            return
        with Spool(self._run.path) as rest:
            for request in requests:
                if request.key in promised:
                    yield request
                else:
                    rest.add(request)
            yield from rest

    def _counted(self, requests: Iterable[Request]) -> Iterator[Request]:
        met: set[str] = set()
        for request in requests:
            if request.key not in met and self.is_open(request.key):
                met.add(request.key)
                self._progress.more(1)
                yield request

    def _on_reply(self, _: Request, reply: Reply) -> None:
        self._answered += 1
        if not is_finished(reply):
            self._failed.add(reply.key)
        elif reply.state is not ReplyState.OK:
            self.damaged.add(reply.key)
        self._progress.advance(reply)
        if self._since is not None and time.perf_counter() - self._since > _NOTED_EVERY:
            self._note_seconds()

    def _note_seconds(self) -> None:
        self._manifest = self._run.write_manifest(self._manifest, asking_seconds=round(self.seconds, 3))
        self._since = time.perf_counter()

    def _check_batches(self, still_open: Collection[str]) -> None:
        """Refuse to ask, and pay, once more for what a provider has and answers at its own pace."""
        if self._options.settings.batch is not None:
            return
        folder, wanted = batches_folder(self._run.path), frozenset(still_open)
        held = [part for part in open_batches(folder) if not wanted.isdisjoint(part.keys)]
        if held:
            number = sum(len(part.keys) for part in held)
            batches = "1 batch" if len(held) == 1 else f"{len(held)} batches"
            raise InputError(
                f"{batches} of {number:,} request{'s' if number != 1 else ''} of this run went to the provider and "
                f"{'is' if len(held) == 1 else 'are'} not collected.",
                where=str(folder),
                hint="Add --batch to collect what is paid for; to ask anew all the same, remove this folder.",
            )

    def _needs_trial(self) -> bool:
        """Not where one was passed before, nor through a batch interface, where it might take a day."""
        if self._trial is None or not self._options.trial or self._options.settings.batch is not None:
            return False
        before = self._manifest.trial
        return self._backend.is_language_model and (before is None or before.get("fault") is not None)

    def _must_be_asked(self, key: str) -> bool:
        cache = self._options.cache
        return cache is None or cache.get(key, context=self._backend.context) is None

    def _try_out(self, left: int) -> None:
        if self._trial is None:
            return
        if self._spending is not None and not self._spending.allows(self._trial, 0):
            raise self._spending.over(left)
        model = self._manifest.model
        trial = try_out(self._backend, self._trial, largest=self._largest, level=model.reasoning)
        trials = plus(self._manifest.trials or Beside(), trial)
        self._manifest = self._run.write_manifest(self._manifest, trial=trial.model_dump(mode="json"), trials=trials)
        if self._spending is not None:
            # It is no request of the run: it says nothing of what one costs.
            self._spending.spent += trial.cost_usd or 0.0
        self._progress.tried(trial)
        trial.require(model.spec)

    def _limited(self, limit_usd: float) -> Spending:
        """What the run may spend, with all that it cost and what open batches will cost.

        Raises:
            InputError: the limit cannot be kept.
        """
        settings = self._options.settings
        Spending.check(limit_usd, settings.preset.prices, self._manifest.model.spec)
        held = {key for part in open_batches(settings.batch) for key in part.keys} if settings.batch else set()
        trials = self._manifest.trials or Beside()
        spending = Spending(
            limit_usd,
            trials.cost_usd or 0.0,
            prices=settings.preset.prices,
            batch=settings.batch is not None,
            promised=(key for key in held if self.is_open(key)),
        )
        for reply in read_records(self._run.replies, Reply):
            if reply.cost_usd is not None and not reply.from_cache:
                spending.count(reply.cost_usd, failed=reply.state is ReplyState.ERROR)
        return spending
