"""Ranks of values, with ties and missing values treated as told."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from overread.errors import UsageError, expected

__all__ = ["ABSENT_IS_LAST", "ABSENT_IS_UNRANKED", "Absent", "Ties", "rank_values"]

Ties: TypeAlias = Literal["min", "average", "max"]
"""What equals get, when two share the first of three places: 1 1 3, 1.5 1.5 3 or 2 2 3."""

Absent: TypeAlias = Literal["unranked", "last"]
ABSENT_IS_UNRANKED: Absent = "unranked"
ABSENT_IS_LAST: Absent = "last"


def rank_values(
    values: ArrayLike,
    *,
    ties: Ties = "min",
    larger_is_better: bool = False,
    tolerance: float = 0.0,
    absent: Absent = ABSENT_IS_UNRANKED,
) -> NDArray[np.float64]:
    """Rank along the last axis; 1 is best.

    Parameters
    ----------
    values
        (…, k) finite numbers; NaN for what has no value.
    ties
        The rank of equals.
    larger_is_better
        Whether the largest value gets rank 1.
    tolerance
        Neighbours in the order that differ by no more than this are equals. It keeps the rounding
        of floating-point sums from making places: .1 + .2 + .3 and .3 + .2 + .1 differ by 1e-16.
    absent
        ``unranked``: NaN stays NaN. ``last``: all that have no value are equals behind every one
        that has.

    Returns
    -------
    NDArray
        (…, k) ranks from 1 to k.

    Raises
    ------
    UsageError
        No axis to rank along, an infinite value, or a negative tolerance.

    Notes
    -----
    With ``last`` and ``min`` an absent value behind 1 2 2 gets 4, as a value behind them would;
    implementations that take the largest rank plus one give it 3.

    Examples
    --------
    >>> rank_values([0.9, 0.7, 0.9], larger_is_better=True)
    array([1., 3., 1.])
    >>> rank_values([0.9, 0.7, 0.9], larger_is_better=True, ties="average")
    array([1.5, 3. , 1.5])
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim == 0 or bool(np.isinf(table).any()) or not tolerance >= 0:
        raise UsageError(
            expected(
                "values",
                rule="finite numbers or NaN along an axis, and a tolerance of 0 or more",
                got=f"shape {table.shape}, tolerance {tolerance}",
                remedy="Say what an infinite value stands for before ranking.",
            )
        )
    keys = -table if larger_is_better else table
    order = np.argsort(keys, axis=-1, kind="stable")  # NaN last
    along = np.take_along_axis(keys, order, axis=-1)
    k = table.shape[-1]
    starts = np.ones(along.shape, dtype=np.bool_)
    missing = np.isnan(along)
    # Not "greater than": a difference to NaN is NaN, and begins a group.
    starts[..., 1:] = ~(np.diff(along, axis=-1) <= tolerance)
    # All absent ones are equals.
    starts[..., 1:] &= ~(missing[..., 1:] & missing[..., :-1])
    ranks = _group_ranks(starts, ties)
    if absent == ABSENT_IS_UNRANKED:
        ranks = np.where(missing, np.nan, ranks)
    placed = np.empty(table.shape, dtype=np.float64)
    if k:
        np.put_along_axis(placed, order, ranks, axis=-1)
    return placed


def _group_ranks(starts: NDArray[np.bool_], ties: Ties) -> NDArray[np.float64]:
    """Turn the first places of groups of equals, in order, into ranks."""
    places = np.arange(starts.shape[-1], dtype=np.float64)
    first = np.maximum.accumulate(np.where(starts, places, 0.0), axis=-1)
    if ties == "min":
        return first + 1.0
    ends = np.ones_like(starts)
    ends[..., :-1] = starts[..., 1:]
    last = np.where(ends, places, np.inf)
    last = np.minimum.accumulate(last[..., ::-1], axis=-1)[..., ::-1]
    return last + 1.0 if ties == "max" else (first + last) / 2.0 + 1.0
