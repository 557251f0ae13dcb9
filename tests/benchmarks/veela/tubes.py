"""Masks and records that several tests of VEELA are made with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from overread.benchmarks.veela.loader import VeelaRelease
from overread.contracts import Selection
from overread.records import Item, Response, Status
from overread.store.hashes import file_sha256


def tube(*, radius2: int = 9, first: int = 5, last: int = 35) -> NDArray[np.bool_]:
    """Give the fixture of the VEELA figures: a tube along the first axis of (40, 30, 30)."""
    z, y, x = np.mgrid[:40, :30, :30]
    return ((y - 15) ** 2 + (x - 15) ** 2 <= radius2) & (z >= first) & (z < last)


def respond(item: Item, path: Path | None, **changes: object) -> Response:
    """Give the response that a mask file is."""
    text = f"sha256:{file_sha256(path)}" if path is not None and path.is_file() else None
    fields: dict[str, object] = {"status": Status.OK, "text": text}
    fields["path"] = None if path is None else str(path)
    return Response(run="r", item=item.id, request_hash="h", **{**fields, **changes})  # type: ignore[arg-type]


def items_of(release: VeelaRelease, task: str) -> list[Item]:
    return list(release.items(Selection(tasks=(task,))))
