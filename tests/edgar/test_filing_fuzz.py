"""Damage at random: flipped bytes, cuts and nested tags; always a status, never a crash or a hang."""

from __future__ import annotations

import gzip
import random
import time
from pathlib import Path

import pytest

from fingreat.edgar import read_section
from fingreat.schema.records import SectionStatus

SECONDS = 20.0
SHORT = (
    "859368_1999_medicis.htm.gz",
    "moviestar_1999_10k.txt.gz",
    "21344_1998_ko.txt.gz",
    "roanoke_2004_steel-ibr.htm.gz",
)
TAGS = [
    b"<div>",
    b"</div>",
    b"<table>",
    b"</table>",
    b"<tr><td>",
    b"</td>",
    b"<b>",
    b"<p",
    b"<!--",
    b"<DOCUMENT>",
    b"&#",
]
TAGS += [
    b"<TABLE>\n",
    b"</TEXT>",
    b"<PAGE>\n",
    b"\f",
    b"<ix:header>",
    b"<td colspan=99999999 rowspan=99999999>",
    b"Item 7.",
]


def damage(data: bytes, chance: random.Random) -> bytes:
    """The data with one kind of damage."""
    kind = chance.randrange(4)
    if kind == 0:
        flipped = bytearray(data)
        for _ in range(chance.choice((1, 50, 2000))):
            flipped[chance.randrange(len(flipped))] = chance.randrange(256)
        return bytes(flipped)
    if kind == 1:
        return data[: chance.randrange(len(data))]
    if kind == 2:
        start = chance.randrange(len(data))
        return data[:start] + data[chance.randrange(start, len(data)) :]
    place = chance.randrange(len(data))
    return data[:place] + chance.choice(TAGS) * chance.choice((1, 30, 3000)) + data[place:]


def check(data: bytes, what: str) -> None:
    start = time.process_time()
    section = read_section(data, name=what)
    assert time.process_time() - start < SECONDS, what
    assert section.status in SectionStatus
    assert (section.status is SectionStatus.FOUND) <= bool(section.text), what


def test_damaged_filings_always_get_a_status(shared: Path) -> None:
    chance = random.Random(20261010)
    for name in SHORT:
        data = gzip.decompress((shared / "filings" / "dev" / name).read_bytes())
        for number in range(12):
            check(damage(data, chance), f"{name} #{number}")


@pytest.mark.prove
def test_all_filings_survive_damage(shared: Path) -> None:
    chance = random.Random(20261011)
    files = sorted((shared / "filings" / "dev").iterdir())
    end = time.monotonic() + 600
    number = 0
    while time.monotonic() < end:
        path = files[number % len(files)]
        check(damage(gzip.decompress(path.read_bytes()), chance), f"{path.name} #{number}")
        number += 1
