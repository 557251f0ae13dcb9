"""An encoded picture, ready to send: standard library only, so that `contracts` may name it."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from overread.records import Receipt

__all__ = ["AS_STORED", "ArrayFile", "Picture", "with_receipt"]

AS_STORED = "as stored"
"""Window and orientation of a picture that nobody windowed or turned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """An encoded picture ready to send, with its receipt."""

    data: bytes
    receipt: Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayFile:
    """A prepared volume in a ``.npy`` file, with its receipt; the file outlives the question."""

    path: Path
    shape: tuple[int, ...]
    """Along `axes`; a fourth, first axis holds the channels of three windows."""
    dtype: str
    axes: str
    """Where each spatial axis grows in the patient: ``SPL``."""
    spacing_mm: tuple[float, float, float]
    """Along `axes`."""
    recipe: str
    receipt: Receipt


def with_receipt(
    data: bytes,
    *,
    media_type: str,
    width: int,
    height: int,
    sources: tuple[str, ...] = (),
    window: str = AS_STORED,
    layout: str = "single",
    orientation: str = AS_STORED,
    boxes_drawn: int = 0,
) -> Picture:
    """Give encoded bytes the receipt that says what they are; see `Receipt` for its fields."""
    receipt = Receipt(
        sha256=sha256(data).hexdigest(),
        width=width,
        height=height,
        size_bytes=len(data),
        media_type=media_type,
        sources=sources,
        window=window,
        layout=layout,
        orientation=orientation,
        boxes_drawn=boxes_drawn,
    )
    return Picture(data=data, receipt=receipt)
