"""Ways to damage a filing, each made anew from a number, so that a case can be made again."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

TAG = re.compile(rb"<[^<>]{1,300}>")
DOCUMENT = re.compile(rb"<DOCUMENT>.*?(?=<DOCUMENT>|\Z)", re.IGNORECASE | re.DOTALL)
MARKS = [
    *(
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
    ),
    *(b"<TABLE>\n", b"</TEXT>", b"<PAGE>\n", b"\f", b"<ix:header>", b"<td colspan=99999999 rowspan=99999999>"),
    *(b"Item 7.", b"Item 8. ", b"PART II\n", b"<title>", b"<pre>", b"</html>", b"<ol><li>", b"<sup>1</sup>", b"<br>"),
]
OPEN = [b"<!--", b"<![CDATA[", b"<script>", b"<style>", b"<title>", b"<textarea>", b"<?xml", b"<a href='", b"<TABLE>\n"]
ENTITIES = [
    b"&#",
    b"&#x",
    b"&#99999999;",
    b"&#0;",
    b"&#1;",
    b"&#129;",
    b"&#xD800;",
    b"&#xFDD0;",
    b"&nbsp",
    b"&amp",
    b"&",
]
NESTS = [
    *(b"<table><tr><td>", b"<td>", b"<div>", b"<font><b>", b"<ul><li>", b"<blockquote>"),
    *(b"<span style='display:none'>", b"<p>", b"<pre>", b"<center><table>"),
]
ITEMS = ("1", "1A", "7", "7A", "8")

Damage = Callable[[bytes, random.Random], bytes]


def flip(data: bytes, chance: random.Random) -> bytes:
    flipped = bytearray(data)
    for _ in range(chance.choice((1, 50, 2000))):
        flipped[chance.randrange(len(flipped))] = chance.randrange(256)
    return bytes(flipped)


def cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def leave_out(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    return data[:start] + data[chance.randrange(start, len(data)) :]


def insert(what: bytes) -> Damage:
    return lambda data, chance: _put(data, chance.randrange(len(data)), what)


def insert_marks(data: bytes, chance: random.Random) -> bytes:
    return _put(data, chance.randrange(len(data)), chance.choice(MARKS) * chance.choice((1, 30, 3000)))


def scatter_marks(data: bytes, chance: random.Random) -> bytes:
    for place in sorted((chance.randrange(len(data)) for _ in range(40)), reverse=True):
        data = _put(data, place, chance.choice(MARKS))
    return data


def drop_or_double_tags(data: bytes, chance: random.Random) -> bytes:
    share, times = chance.choice((0.001, 0.05, 0.5)), chance.choice((0, 2))
    return TAG.sub(lambda tag: tag[0] * times if chance.random() < share else tag[0], data)


def garble_attributes(data: bytes, chance: random.Random) -> bytes:
    share = chance.choice((0.01, 0.3))
    old, new = chance.choice(
        ((b'"', b""), (b"=", b"=="), (b" ", b"/"), (b">", b""), (b'"', b"'"), (b":", b";"), (b"<", b"<<"))
    )
    return TAG.sub(lambda tag: tag[0].replace(old, new) if chance.random() < share else tag[0], data)


def drop_end_tags(data: bytes, chance: random.Random) -> bytes:
    name = chance.choice((b"p", b"div", b"td", b"tr", b"table", b"font", b"b", b"a", b"span", b"TEXT", b"DOCUMENT"))
    return re.sub(rb"</" + name + rb"\s*>", b"", data, flags=re.IGNORECASE)


def shuffle_documents(data: bytes, chance: random.Random) -> bytes:
    parts = DOCUMENT.findall(data) or [data[: len(data) // 2], data[len(data) // 2 :]]
    head = data[: data.find(parts[0])]
    chosen = (
        chance.sample(parts, len(parts)) if chance.random() < 0.5 else chance.choices(parts, k=min(len(parts) * 2, 6))
    )
    return head + b"".join(chosen)


def mix_encodings(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    end = min(len(data), start + chance.choice((10, 2000, 100_000)))
    text = data[start:end].decode("latin-1")
    mixed = text.encode(chance.choice(("utf-16", "utf-16-be", "utf-32", "utf-7", "cp500")))
    lead = chance.choice((b"", b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"))
    return lead + data[:start] + mixed + data[end:]


def fill_with(data: bytes, chance: random.Random) -> bytes:
    return _put(
        data, chance.randrange(len(data)), chance.choice((b"\0", b"\xff", b" ", b"\x0b", b"\xed\xa0\x80")) * 50_000
    )


def break_entities(data: bytes, chance: random.Random) -> bytes:
    share, broken = chance.choice((0.02, 1)), chance.choice(ENTITIES)
    data = re.sub(rb"&#?\w+;", lambda entity: broken if chance.random() < share else entity[0], data)
    return _put(data, chance.randrange(len(data)), broken)


def nest(data: bytes, chance: random.Random) -> bytes:
    tag = chance.choice(NESTS)
    return _put(data, chance.randrange(len(data)), tag * chance.choice((100, 300, 5000, 20_000)))


def leave_open(data: bytes, chance: random.Random) -> bytes:
    return _put(data, chance.randrange(len(data)), chance.choice(OPEN))


def grow_attribute(data: bytes, chance: random.Random) -> bytes:
    name = chance.choice((b"style", b"href", b"name", b"id", b"colspan", b"x"))
    value = chance.choice((b"font-size:", b"display:", b"9", b"-", b"a:none;", b" ")) * 200_000
    return _put(data, chance.randrange(len(data)), b"<p " + name + b'="' + value[:1_000_000] + b'">')


def join_lines(data: bytes, chance: random.Random) -> bytes:
    return data.replace(b"\n", chance.choice((b"", b" ", b"\r", b"\t", b"\f")))


def add_anchors(data: bytes, chance: random.Random) -> bytes:
    same = chance.random() < 0.3
    anchors = (
        b'<a name="a%d" href="#a%d">x</a>' % ((0, 0) if same else (n, chance.randrange(20_000))) for n in range(20_000)
    )
    return _put(data, chance.randrange(len(data)), b"".join(anchors))


def repeat_a_part(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    part = data[start : start + chance.choice((20, 500, 20_000))]
    return _put(data, chance.randrange(len(data)), part * chance.choice((2, 20, 40)))


def swap_parts(data: bytes, chance: random.Random) -> bytes:
    first, second, third = sorted(chance.randrange(len(data)) for _ in range(3))
    return data[:first] + data[second:third] + data[first:second] + data[third:]


def _put(data: bytes, place: int, what: bytes) -> bytes:
    return data[:place] + what + data[place:]


KINDS: tuple[Damage, ...] = (
    *(flip, cut, leave_out, insert_marks, scatter_marks, drop_or_double_tags, garble_attributes, drop_end_tags),
    *(shuffle_documents, mix_encodings, fill_with, break_entities, nest, leave_open, grow_attribute, join_lines),
    *(add_anchors, repeat_a_part, swap_parts, insert(b"\n<DOCUMENT>\n<TYPE>10-K\n<TEXT>\n")),
)


def damaged(data: bytes, name: str, number: int) -> tuple[bytes, str, bool, str]:
    """Case `number` of a filing: its bytes, the item to ask for, whether tables are to be HTML, and what was done."""
    chance = random.Random(f"{name} {number}")
    kinds = chance.choices(KINDS, k=chance.choice((1, 1, 1, 2, 3)))
    for kind in kinds:
        data = kind(data, chance) or b"<"
    what = ", ".join(getattr(kind, "__name__", "insert") for kind in kinds)
    return data, chance.choice(ITEMS), chance.random() < 0.5, what
