"""What adaptors show of a screen: elements and texts in the order in which they are read, and its picture as a file."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Any, Sequence, Union

from .agent import Element, Turn

LINE = 12
"""Pixels: what begins less far apart stands in one line."""
TALLEST = 24


@dataclass(frozen=True)
class Words:
    """A text without a number; the screen's words."""

    text: str
    box: tuple[float, float, float, float]


Item = Union[Element, Words]


def items(turn: Turn) -> list[Item]:
    """Elements and texts, from the top to the bottom, and in a line from left to right."""
    found: list[Item] = list(turn.elements)
    found += [Words(one["text"], tuple(one["box"])) for one in turn.untrusted.get("texts") or ()]

    def place(item: Item) -> tuple[int, float]:
        x, y, _, height = item.box
        return int((y + min(height, TALLEST) / 2) // LINE), x

    return sorted(found, key=place)


def png(picture: Any) -> bytes:
    """A picture of rows of red, green and blue, as a PNG."""
    height, width = picture.shape[:2]
    rows = memoryview(picture).cast("B")
    step = width * 3
    raw = b"".join(b"\0" + bytes(rows[n * step:(n + 1) * step]) for n in range(height))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(raw, 1)) + chunk(b"IEND", b"")


def failures(last: Sequence[Any]) -> str:
    """What became of calls that did not do as they were asked; empty where all did. Words of the screen may be among it."""
    told = []
    for one in last:
        if one["seen"] in ("refused", "failed", "dropped", "not_as_asked"):
            why = one.get("why") or one.get("untrusted") or "nothing more is known"
            told.append(f"{one['call'].get('do', 'the calls')}: {one['seen'].replace('_', ' ')}: {why}")
    return "; ".join(told)
