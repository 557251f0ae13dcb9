"""The first so many items of any release, taken evenly over its settings (`Selection.limit`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TypeVar

__all__ = ["evenly"]

T = TypeVar("T")


def evenly(chosen: Sequence[tuple[Hashable, T]], limit: int | None) -> list[T]:
    """Take `limit` of them, one of each setting after the other in turn, and keep their order.

    Parameters
    ----------
    chosen
        Setting and item, in order.
    limit
        How many; None takes all.

    Examples
    --------
    >>> evenly([("box", 1), ("box", 2), ("box", 3), ("no-box", 4)], 2)
    [1, 4]
    """
    if limit is None or limit >= len(chosen):
        return [one for _, one in chosen]
    turns: Counter[Hashable] = Counter()
    ranked: list[tuple[int, int]] = []
    for position, (cell, _) in enumerate(chosen):
        ranked.append((turns[cell], position))
        turns[cell] += 1
    kept = sorted(position for _, position in sorted(ranked)[:limit])
    return [chosen[position][1] for position in kept]
