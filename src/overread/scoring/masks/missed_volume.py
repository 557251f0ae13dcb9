"""What a case without a usable mask has missed: all of the reference's volume.

What it would have invented is not known: its false positive volume has no value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from overread.metrics.lesion_volume import UNCOVERED_ML
from overread.metrics.lesions import FNV_ML
from overread.metrics.overlap import REFERENCE_ML
from overread.records import Score, Status

__all__ = ["with_missed_volume"]

_MISSED: Final = (FNV_ML.name, UNCOVERED_ML.name)
"""Volumes that are the whole reference where nothing was predicted."""


def with_missed_volume(rows: Iterable[Score], *, of: Iterable[Score] = ()) -> Iterator[Score]:
    """Give the rows of one case; a missed volume that a lost mask leaves open is the reference's.

    Parameters
    ----------
    rows
        Of one case, under one profile.
    of
        Rows that tell the volume of the reference, where `rows` do not.

    Yields
    ------
    Score
        The same rows. One that was filled in is OK, and keeps the reason why there is no mask. What
        is UNDEFINED stays so: there is nothing to miss.
    """
    held = list(rows)
    volumes = {row.target: row.value for row in (*of, *held) if row.metric == REFERENCE_ML.name}
    for row in held:
        volume = volumes.get(row.target)
        is_open = row.value is None and row.status is not Status.UNDEFINED
        if row.metric in _MISSED and is_open and volume:
            yield replace(row, value=volume, status=Status.OK)
        else:
            yield row
