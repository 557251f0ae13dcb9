"""The question asked before the first item: whether the server is there, and sees pictures."""

from __future__ import annotations

import struct
import zlib

from overread.contracts import Picture, Query
from overread.imaging.picture import with_receipt
from overread.records import Choice, Item, Media, Option, Part, Text

__all__ = ["PROBE_PICTURES", "probe_query", "text_probe_query"]

PROBE_PICTURES = 9
"""As many as the largest usual question has: a stack of nine slices."""

_SIDE_PX = 64
"""Above the smallest picture that vision models are known to take (28 pixels)."""


def probe_query(pictures: int) -> Query:
    """Make a query that shows so many small grey squares and asks for their number."""
    letters = "ABCD"
    shades = {Media(paths=(f"probe-{n}.png",)): (_square(40 + 20 * n),) for n in range(pictures)}
    item = Item(
        id="preflight",
        benchmark="preflight",
        task="preflight",
        condition="preflight",
        question="How many pictures do you see?",
        media=tuple(shades),
        prompt=(
            *(Part(media=media) for media in shades),
            Part(text="How many pictures do you see? Answer with one number, in JSON."),
        ),
        answer_space=Choice(options=tuple(Option(letter=letter) for letter in letters)),
    )
    return Query(item=item, pictures=shades)


def text_probe_query() -> Query:
    """Make a query without any picture, for a model that will be sent none."""
    words = "How much is two and three? Answer with one number."
    item = Item(
        id="preflight",
        benchmark="preflight",
        task="preflight",
        condition="preflight",
        question=words,
        prompt=(Part(text=words),),
        answer_space=Text(),
    )
    return Query(item=item)


def _square(grey: int) -> Picture:
    """Encode a square of one grey level as PNG, by hand: no picture library is needed for it."""
    rows = (b"\0" + bytes([grey]) * _SIDE_PX) * _SIDE_PX
    header = struct.pack(">IIBBBBB", _SIDE_PX, _SIDE_PX, 8, 0, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(*chunk)
        for chunk in ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    )
    return with_receipt(data, media_type="image/png", width=_SIDE_PX, height=_SIDE_PX)


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)
