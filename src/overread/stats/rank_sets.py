"""What pairwise tests say of ranks: the ranks a method may have, and who stands together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected

__all__ = ["rank_sets", "tied_groups"]


def rank_sets(better: NDArray[np.bool_]) -> tuple[tuple[int, int], ...]:
    """Give the ranks that each method may have, from significant pairwise differences.

    Parameters
    ----------
    better
        (k, k) whether the method of the row is significantly better than the one of the column,
        after a correction that holds over all pairs.

    Returns
    -------
    tuple of (low, high)
        1 + how many are better than it, k - how many it is better than. All k sets hold the true
        ranks together with at least the level of the correction.

    Notes
    -----
    Source: M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm, Rev. Econ. Stud. 91 (2024) 476,
    doi:10.1093/restud/rdad006.

    Examples
    --------
    >>> rank_sets(np.array([[False, True, True], [False] * 3, [False] * 3]))
    ((1, 1), (2, 3), (2, 3))
    """
    k = _square(better)
    beaten = better.sum(axis=0)
    beats = better.sum(axis=1)
    return tuple((1 + int(down), k - int(up)) for down, up in zip(beaten, beats, strict=True))


def tied_groups(better: NDArray[np.bool_], order: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Gather neighbours in a ranking of whom no two can be told apart.

    Parameters
    ----------
    better
        (k, k) as in `rank_sets`.
    order
        The methods by rank, best first.

    Returns
    -------
    tuple of groups
        The longest stretches of `order` without a significant pair inside, two or more long; they
        may overlap, for "cannot be told apart" does not carry over from pair to pair.

    Examples
    --------
    >>> clear = np.zeros((3, 3), dtype=bool)
    >>> clear[0, 2] = True
    >>> tied_groups(clear, [0, 1, 2])
    ((0, 1), (1, 2))
    """
    _square(better)
    apart = better | better.T
    groups: list[tuple[int, ...]] = []
    reached = 0
    for start in range(len(order)):
        stop = max(reached, start + 1)
        while stop < len(order) and not apart[order[stop], list(order[start:stop])].any():
            stop += 1
        if stop > reached:
            if stop - start > 1:
                groups.append(tuple(order[start:stop]))
            reached = stop
    return tuple(groups)


def _square(better: NDArray[np.bool_]) -> int:
    if better.ndim != 2 or better.shape[0] != better.shape[1]:
        raise UsageError(
            expected(
                "better",
                rule="a square table of methods by methods",
                got=f"shape {better.shape}",
                remedy="Give one row and one column for each method.",
            )
        )
    return better.shape[0]
