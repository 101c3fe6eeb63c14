"""Every error that fingreat raises on purpose, in one tree.

    FingreatError
    ├── InputError          a file, option or value that the user gave cannot be used
    │   ├── SchemaError     a graph file with faults; all of them are listed
    │   └── CorpusError     a corpus folder is missing, incomplete or damaged
    ├── MissingExtraError   an optional dependency is not installed
    ├── RunError            a run folder cannot be continued or read
    ├── StorageError        the disk refused a write (full, read-only, ...)
    ├── BackendError        a model back end cannot start or cannot answer
    ├── CostError           the money that the user allowed is spent
    └── RemoteError         a server did not give what it was asked for
        └── BlockedError    it refuses everything for a while

The branches answer the question "who must act": the author of an input, the person who installed
the package, the owner of the run folder, the owner of the disk, the owner of the model, the owner
of the money, nobody but the server.
Standard library only, so that every room can import it.
"""

from __future__ import annotations

from collections.abc import Sequence


class FingreatError(Exception):
    """A failure with a message for a person: what went wrong, where, and what to do.

    Args:
        message: what is wrong, in one sentence.
        where: the file, table, option or row it concerns, if there is one.
        hint: what the reader can do about it.
        retryable: whether the same call may succeed later with nothing changed.
    """

    def __init__(
        self, message: str, *, where: str | None = None, hint: str | None = None, retryable: bool = False
    ) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint
        self.retryable = retryable

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f" {self.hint}" if self.hint else ""
        return f"{place}{self.message}{advice}"

    def __reduce__(self) -> tuple[object, tuple[type[FingreatError], dict[str, object], tuple[object, ...]]]:
        return _rebuild, (type(self), self.__dict__.copy(), self.args)


def _rebuild(kind: type[FingreatError], state: dict[str, object], args: tuple[object, ...]) -> FingreatError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error


class InputError(FingreatError):
    """A file, option or value that the user gave cannot be used."""


class SchemaError(InputError):
    """A graph file with faults.

    Attributes:
        faults: one line per fault, each naming the table it stands in.
    """

    def __init__(self, faults: Sequence[str], *, where: str | None = None) -> None:
        self.faults = tuple(faults)
        count = len(self.faults)
        lines = "\n".join(f"  - {fault}" for fault in self.faults)
        super().__init__(f"{count} fault{'s' if count != 1 else ''} in the graph:\n{lines}", where=where)


class CorpusError(InputError):
    """A corpus folder is missing, incomplete or damaged."""


class MissingExtraError(FingreatError):
    """An optional dependency is not installed.

    Args:
        feature: what needs it, as the user would name it.
        install: the complete command line that installs it.
    """

    def __init__(self, feature: str, install: str) -> None:
        super().__init__(f"{feature} is not installed.", hint=f"Install it with: {install}")
        self.feature = feature
        self.install = install


class RunError(FingreatError):
    """A run folder cannot be continued or read."""


class StorageError(FingreatError):
    """The disk refused a write (full, read-only, ...)."""


class BackendError(FingreatError):
    """A model back end cannot start or cannot answer."""


class CostError(FingreatError):
    """The money that the user allowed is spent; what was answered stays."""


class RemoteError(FingreatError):
    """A server did not give what it was asked for.

    Attributes:
        status: the HTTP status, None where no answer came.
    """

    def __init__(
        self,
        message: str,
        *,
        where: str | None = None,
        hint: str | None = None,
        retryable: bool = False,
        status: int | None = None,
    ) -> None:
        super().__init__(message, where=where, hint=hint, retryable=retryable)
        self.status = status


class BlockedError(RemoteError):
    """The server refuses everything for a while: more requests would make it longer."""
