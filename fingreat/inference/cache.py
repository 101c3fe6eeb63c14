"""Replies kept across runs, by request key: what a model answered once is not asked or paid for again.

The key is the hash of the request's final form, so whatever could change the answer makes another key. Every reply
that stands is kept, damaged answers included, and failures that would come again: `blocked`, and `too_long` where it
is known what the model holds. An `error` is not, since it may pass. One SQLite file in write-ahead mode, which several
processes may use at the same time.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import ValidationError

from fingreat.errors import FingreatError, InputError, StorageError
from fingreat.schema import Reply, ReplyState, sha256_hex

_LOG = logging.getLogger(__name__)
_APPLICATION = 0x46475243
"""Marks the file as ours ("FGRC" in ASCII), https://www.sqlite.org/pragma.html#pragma_application_id."""
_FORMAT = 1
_TABLE = """
CREATE TABLE replies (
    key TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    context INTEGER,       -- tokens that the model held: what was too long for it may fit another time
    sha256 TEXT NOT NULL,  -- of `reply`; SQLite keeps no checksums of its own
    reply TEXT NOT NULL
)
"""
_PUT = """
INSERT INTO replies (key, state, context, sha256, reply) VALUES (:key, :state, :context, :sha256, :reply)
ON CONFLICT (key) DO UPDATE SET
    state = excluded.state, context = excluded.context, sha256 = excluded.sha256, reply = excluded.reply
WHERE replies.state = 'too_long' OR :damaged
"""
# Read as bytes, for a damaged letter need not be one of UTF-8.
_GET = """
SELECT state = 'too_long', context, CAST(sha256 AS BLOB), CAST(reply AS BLOB) FROM replies WHERE key = ?
"""
_BUSY_SECONDS = 30.0
_REMOVE = "Go on without it by --no-cache, or remove the file: what it holds is then asked again."
_ELSEWHERE = "Go on without it by --no-cache, or name another file by FINGREAT_CACHE."


def default_cache_path() -> Path:
    """The user's cache: `$FINGREAT_CACHE`, else `fingreat/replies.sqlite` in the folder for caches.

    That folder is `$XDG_CACHE_HOME`, else `~/.cache`, as the XDG Base Directory Specification has it: a path that
    is not absolute counts as not set.
    """
    if own := os.environ.get("FINGREAT_CACHE"):
        return Path(own).expanduser()
    folder = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (folder if folder.is_absolute() else Path.home() / ".cache") / "fingreat" / "replies.sqlite"


class ReplyCache:
    """Replies by request key, in one file.

    Args:
        path: made if missing, with its folders.
        busy_seconds: how long another process is waited for that is writing.

    Raises:
        InputError: the file is no reply cache, is damaged, or was written by a later version.
        StorageError: it cannot be opened or written, or another process holds it.
    """

    def __init__(self, path: Path, *, busy_seconds: float = _BUSY_SECONDS) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unusable(error.strerror or str(error), _ELSEWHERE) from error
        with self._errors():
            self._database = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
        self._damaged_keys: set[str] = set()
        self._warned = False
        try:
            with self._errors():
                self._open(busy_seconds)
        except FingreatError:
            self._database.close()
            raise

    def get(self, key: str, *, context: int | None = None) -> Reply | None:
        """The reply of a key as it was first given; None where there is none, or a damaged one, which is logged once.

        Args:
            context: tokens that the model holds now; a request that was too long for another number is open again.

        Raises:
            InputError: the file is damaged.
            StorageError: another process holds it.
        """
        with self._errors():
            row = self._database.execute(_GET, (key,)).fetchone()
        if row is None:
            return None
        too_long, held, digest, text = row
        if too_long and (context is None or held != context):
            return None
        reply = _whole(digest, text)
        if reply is None:
            self._skip(key)
        return reply

    def put(self, reply: Reply, *, context: int | None = None) -> None:
        """Keep a reply; the first one of a key stays, unless `get` found it damaged. No `error` is kept, nor what was
        too long for an unknown size.

        Args:
            context: tokens that the model holds, None where that is unknown.

        Raises:
            InputError: the file is damaged.
            StorageError: the disk refused, or another process holds the file.
        """
        if reply.state is ReplyState.ERROR or (reply.state is ReplyState.TOO_LONG and context is None):
            return
        text = reply.model_dump_json()
        with self._errors():
            self._database.execute(
                _PUT,
                {
                    "key": reply.key,
                    "state": reply.state.value,
                    "context": context,
                    "sha256": sha256_hex(text.encode()),
                    "reply": text,
                    "damaged": reply.key in self._damaged_keys,
                },
            )
        self._damaged_keys.discard(reply.key)

    def close(self) -> None:
        """Close the file."""
        with self._errors():
            self._database.close()

    def __len__(self) -> int:
        with self._errors():
            return int(self._database.execute("SELECT count(*) FROM replies").fetchone()[0])

    def __enter__(self) -> ReplyCache:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _open(self, busy_seconds: float) -> None:
        """Make the table in a new file, and look whether an old one is ours."""
        deadline = time.monotonic() + busy_seconds
        while True:
            try:
                self._prepare()
                return
            except sqlite3.OperationalError as error:
                # Of two processes that change the journal of a new file, SQLite refuses one without waiting.
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
            time.sleep(0.05)

    def _prepare(self) -> None:
        database = self._database
        if not self._number("application_id") and not self._number("schema_version"):
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("BEGIN IMMEDIATE")
            try:
                if not self._number("application_id"):
                    database.execute(f"PRAGMA application_id = {_APPLICATION}")
                    database.execute(f"PRAGMA user_version = {_FORMAT}")
                    database.execute(_TABLE)
                database.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    database.execute("ROLLBACK")
                raise
        if self._number("application_id") != _APPLICATION:
            raise InputError("is a database of something else.", where=str(self.path), hint=_ELSEWHERE)
        if (found := self._number("user_version")) != _FORMAT:
            raise InputError(
                f"is a reply cache of format {found}, and this version of fingreat reads format {_FORMAT}.",
                where=str(self.path),
                hint=_ELSEWHERE,
            )
        # A crash of the machine may take the last replies, which are in the run's folder, but damages nothing.
        database.execute("PRAGMA synchronous = NORMAL")

    def _skip(self, key: str) -> None:
        """A reply that is not what was written counts as not there; the others of the file may well be whole."""
        if not self._warned:
            self._warned = True
            _LOG.warning("The reply cache %s holds damaged replies (first: %s); they are asked again.", self.path, key)
        self._damaged_keys.add(key)

    def _number(self, pragma: str) -> int:
        return int(self._database.execute(f"PRAGMA {pragma}").fetchone()[0])

    def _damaged(self, what: str) -> InputError:
        return InputError(f"is damaged: {what}.", where=str(self.path), hint=_REMOVE)

    def _unusable(self, reason: str, hint: str, *, retryable: bool = False) -> StorageError:
        message = f"the reply cache cannot be used: {reason}."
        return StorageError(message, where=str(self.path), hint=hint, retryable=retryable)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn what SQLite says into a message for a person."""
        try:
            yield
        except sqlite3.OperationalError as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            busy = code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if busy:
                hint = "Try again later, or go on without it by --no-cache."
                raise self._unusable("another process holds it", hint, retryable=True) from error
            raise self._unusable(str(error), _ELSEWHERE) from error
        except sqlite3.DatabaseError as error:
            raise self._damaged(str(error)) from error


def _whole(digest: bytes | None, text: bytes | None) -> Reply | None:
    """The reply that a row holds; None where it is damaged."""
    if text is None or digest is None or sha256_hex(text).encode() != digest:
        return None
    try:
        return Reply.model_validate_json(text)
    except ValidationError:
        return None
