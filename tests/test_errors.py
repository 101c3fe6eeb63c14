"""One tree of errors: who must act, what went wrong, where, and what to do."""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys

import pytest

from fingreat import errors
from fingreat.errors import (
    BackendError,
    BlockedError,
    CorpusError,
    CostError,
    FingreatError,
    InputError,
    MissingExtraError,
    RemoteError,
    RunError,
    SchemaError,
    StorageError,
)

PLAIN = (FingreatError, InputError, CorpusError, RunError, StorageError, BackendError, CostError)
EXAMPLES: tuple[FingreatError, ...] = (
    *(kind("it is wrong.", where="file.txt", hint="Mend it.", retryable=True) for kind in PLAIN),
    *(kind("it is not there.", where="/path", retryable=False, status=404) for kind in (RemoteError, BlockedError)),
    SchemaError(["[nodes] is empty", "[edges.X] names no node"], where="graph.toml"),
    MissingExtraError("back end 'vllm'", 'pip install "fingreat[vllm]"'),
)


def test_the_tree_is_the_one_in_the_docstring() -> None:
    kinds = {name: kind for name, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, Exception)}
    parents = {name: kind.__mro__[1].__name__ for name, kind in kinds.items()}
    assert parents == {
        "FingreatError": "Exception",
        "InputError": "FingreatError",
        "SchemaError": "InputError",
        "CorpusError": "InputError",
        "MissingExtraError": "FingreatError",
        "RunError": "FingreatError",
        "StorageError": "FingreatError",
        "BackendError": "FingreatError",
        "CostError": "FingreatError",
        "RemoteError": "FingreatError",
        "BlockedError": "RemoteError",
    }
    assert {type(error).__name__ for error in EXAMPLES} == set(kinds)
    for name in kinds:
        assert name in (errors.__doc__ or "")


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_error_survives_pickling_whole(error: FingreatError, protocol: int) -> None:
    back = pickle.loads(pickle.dumps(error, protocol))
    assert type(back) is type(error)
    assert back.__dict__ == error.__dict__
    assert back.args == error.args
    assert str(back) == str(error)


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_every_error_survives_copying(error: FingreatError) -> None:
    assert copy.copy(error).__dict__ == copy.deepcopy(error).__dict__ == error.__dict__


def test_notes_survive_pickling() -> None:
    error = RunError("it stopped.")
    error.add_note("while reading")
    assert pickle.loads(pickle.dumps(error)).__notes__ == ["while reading"]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (RunError("it stopped."), "it stopped."),
        (RunError("it stopped.", where="out/run"), "out/run: it stopped."),
        (RunError("it stopped.", hint="Go on."), "it stopped. Go on."),
        (RunError("it stopped.", where="out/run", hint="Go on."), "out/run: it stopped. Go on."),
        (
            MissingExtraError("polars", "pip install polars"),
            "polars is not installed. Install it with: pip install polars",
        ),
        (SchemaError(["a"]), "1 fault in the graph:\n  - a"),
        (SchemaError(["a", "b"], where="g.toml"), "g.toml: 2 faults in the graph:\n  - a\n  - b"),
        (SchemaError([]), "0 faults in the graph:\n"),
    ],
)
def test_the_text_says_where_what_and_what_to_do(error: FingreatError, text: str) -> None:
    assert str(error) == text


def test_nothing_is_worth_repeating_unless_said_so() -> None:
    assert not InputError("x").retryable
    assert StorageError("x", retryable=True).retryable


def test_what_an_error_knows_can_be_read() -> None:
    missing = MissingExtraError("polars", "pip install polars")
    assert (missing.feature, missing.install) == ("polars", "pip install polars")
    assert missing.hint == "Install it with: pip install polars"
    schema = SchemaError(iter(["a", "b"]), where="g.toml")  # type: ignore[arg-type]
    assert (schema.faults, schema.where) == (("a", "b"), "g.toml")


def test_the_errors_need_the_standard_library_only() -> None:
    code = "import sys; before = set(sys.modules); import fingreat.errors; print(*(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    outside = {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names
    assert outside == {"fingreat"}
