"""Exact nearest neighbours by cosine, in blocks that stay small."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected

__all__ = ["Neighbours", "nearest_neighbours", "unit_length"]

_BLOCK_ROWS: Final = 512
"""Rows compared at once: with 20,335 columns 40 MB of similarities."""
_BLOCKS_AT_ONCE: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Neighbours:
    """The k nearest of every row, the nearest first."""

    index: NDArray[np.int64]
    """Shape (n, k); -1 where there is no further one."""
    similarity: NDArray[np.float32]
    """Shape (n, k), -1 to 1; NaN where there is no further one."""


def unit_length(vectors: NDArray[np.floating], *, what: str) -> NDArray[np.float32]:
    """Bring every row to length 1; a row of zeros stays.

    Parameters
    ----------
    vectors
        Shape (n, width).
    what
        What they are, for the message.

    Raises
    ------
    UsageError
        They are no table of finite numbers.
    """
    if vectors.ndim != 2:
        raise UsageError(
            expected(what, rule="a table: a row each", got=f"shape {vectors.shape}", remedy=_AGAIN)
        )
    finite = np.asarray(np.isfinite(vectors).all(axis=1), dtype=np.bool_)
    if not finite.all():
        first = int(np.argmin(finite))
        raise UsageError(
            expected(
                what,
                rule="finite numbers",
                got=f"NaN or infinity in {int((~finite).sum())} of {len(finite)} rows, "
                f"first in row {first}",
                remedy=_AGAIN,
            )
        )
    # By the largest number first: squares of half-precision features overflow, and of huge ones.
    rows = vectors.astype(np.float64)
    rows = _divided(rows, np.abs(rows).max(axis=1, initial=0))
    return _divided(rows, np.linalg.norm(rows, axis=1)).astype(np.float32)


def _divided(rows: NDArray[np.float64], lengths: NDArray[np.floating]) -> NDArray[np.float64]:
    """Divide each row by its length; a row without any stays."""
    return rows / np.where(lengths > 0, lengths, 1.0)[:, np.newaxis]


_AGAIN: Final = "Compute the embeddings again, or choose another --embedding."


def nearest_neighbours(
    vectors: NDArray[np.float32], *, k: int, groups: NDArray[np.int64]
) -> Neighbours:
    """Find the k rows of other groups with the largest cosine, exactly.

    Equal similarities come in the order of the rows.

    Parameters
    ----------
    vectors
        Shape (n, width), rows of length 1 (`unit_length`).
    k
        How many, 1 or more; fewer where fewer are there.
    groups
        Shape (n,): rows of one group, such as a patient, are no neighbours of each other.

    Examples
    --------
    >>> rows = unit_length(np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]]), what="rows")
    >>> nearest_neighbours(rows, k=2, groups=np.array([0, 1, 2])).index.tolist()
    [[1, 2], [0, 2], [1, 0]]
    """
    n = len(vectors)
    k = max(1, min(k, n - 1))
    index = np.full((n, k), -1, dtype=np.int64)
    similarity = np.full((n, k), np.nan, dtype=np.float32)
    if n < 2:
        return Neighbours(index=index, similarity=similarity)
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], groups, side="left")
    ends = np.searchsorted(groups[order], groups, side="right")

    def block(start: int) -> None:
        rows = np.arange(start, min(start + _BLOCK_ROWS, n))
        found = vectors[rows] @ vectors.T
        for place, row in enumerate(rows):
            found[place, order[starts[row] : ends[row]]] = -np.inf
        _take(found, rows, k, index, similarity)

    with ThreadPoolExecutor(max_workers=_BLOCKS_AT_ONCE) as pool:
        list(pool.map(block, range(0, n, _BLOCK_ROWS)))
    return Neighbours(index=index, similarity=similarity)


def _take(
    found: NDArray[np.float32],
    rows: NDArray[np.int64],
    k: int,
    index: NDArray[np.int64],
    similarity: NDArray[np.float32],
) -> None:
    """Keep the k best of a block, sorted; equal ones by row, also where they straddle the k-th."""
    last = np.partition(found, found.shape[1] - k, axis=1)[:, -k]
    for place, row in enumerate(rows):
        near = np.flatnonzero(found[place] >= last[place])
        best = near[np.lexsort((near, -found[place, near]))][:k]
        best = best[np.isfinite(found[place, best])]
        index[row, : len(best)] = best
        similarity[row, : len(best)] = found[place, best]
