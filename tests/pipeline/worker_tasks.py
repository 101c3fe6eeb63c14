"""What the tests have other processes do; they import this module by its name."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable, Set
from pathlib import Path
from typing import Any

from fingreat.edgar import read_section
from fingreat.pipeline.local_files import LocalFile
from fingreat.pipeline.reading import Examined, examine_local, find_item
from fingreat.schema import Filing, Section, TableStyle

DEADLY = "deadly"
CATASTROPHE = re.compile("(a+)+$")


def end(how: str) -> None:
    """End this process, or never come back."""
    if how == "exit":
        os._exit(3)
    if how == "hang":
        # Inside one call of a library, where no Python code of ours could look at a clock.
        CATASTROPHE.match("a" * 60 + "b")
    os.kill(os.getpid(), signal.Signals[how])


def double_or(how: str | int) -> int:
    """Twice a number; anything else ends the process or raises."""
    if isinstance(how, int):
        return 2 * how
    if how == "raise":
        raise ZeroDivisionError("no such \ud800\nthing" + " and so on" * 10_000)
    end(how)
    return -1


def die_once(folder: Path, number: int) -> int:
    """Ends the process of number 2 at the first try."""
    if number == 2 and not (folder / "died").exists():
        (folder / "died").touch()
        os._exit(1)
    return 2 * number


def pid_after(seconds: float, number: int) -> int:
    time.sleep(seconds)
    return os.getpid()


def note_and_sleep(folder: Path, number: int) -> int:
    (folder / f"{os.getpid()}.pid").touch()
    time.sleep(1)
    return number


def first_waits_for(folder: Path, last: int, number: int) -> int:
    """The first task is not done before the last one that may be handed out meanwhile is."""
    if number == 0:
        wait_until((folder / str(last)).exists)
        time.sleep(0.5)
    (folder / str(number)).touch()
    return number


def wait_until(holds: Callable[[], bool], seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def find_item_or_die(corpus: Path, item: str, tables: TableStyle, filing: Filing) -> Section:
    if DEADLY in filing.path:
        end("SIGSEGV")
    return find_item(corpus, item, tables, filing)


def find_item_or_raise(corpus: Path, item: str, tables: TableStyle, filing: Filing) -> Section:
    if DEADLY in filing.path:
        raise RecursionError("too deep")
    return find_item(corpus, item, tables, filing)


def find_item_slowly(corpus: Path, item: str, tables: TableStyle, filing: Filing) -> Section:
    time.sleep(0.3)
    return find_item(corpus, item, tables, filing)


def examine_or_die(known: Set[str], file: LocalFile) -> Examined:
    if DEADLY in file.path.name:
        end("SIGKILL")
    return examine_local(known, file)


def half_a_character(*args: Any, **options: Any) -> Section:
    """What no file can hold, from whatever reads sections."""
    section = read_section(*args, **options)
    return section.model_copy(update={"text": section.text + "\ud800"}) if b"Deadly" in args[0] else section
