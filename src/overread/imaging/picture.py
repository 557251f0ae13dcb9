"""An encoded picture, ready to send: standard library only, so that `contracts` may name it."""

from __future__ import annotations

from dataclasses import dataclass

from overread.records import Receipt

__all__ = ["Picture"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """An encoded picture ready to send, with its receipt."""

    data: bytes
    receipt: Receipt
