"""How much of a structure was found and called by another one's name."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.metrics.spec import MetricSpec

__all__ = ["SWAPPED_SHARE", "swapped_share"]

SWAPPED_SHARE: Final = MetricSpec(
    name="swapped_share",
    version="1",
    title="Taken for another structure",
    direction="down",
    low=0.0,
    high=1.0,
    unit="share",
    properties=frozenset(),
    undefined="the reference has nothing of the structure",
)


def swapped_share(
    reference: NDArray[np.integer],
    prediction: NDArray[np.integer],
    label: int,
    others: Collection[int],
) -> float | None:
    """Give the share of a structure's voxels that the prediction gives to another structure.

    Parameters
    ----------
    reference, prediction
        Label maps of one shape.
    label
        The structure.
    others
        Labels of the structures it may be taken for; the background is none of them.

    Returns
    -------
    float or None
        0 to 1; None where the reference has no voxel of the label.

    Examples
    --------
    >>> reference = np.array([1, 1, 1, 1, 2])
    >>> swapped_share(reference, np.array([1, 2, 0, 1, 2]), 1, (2,))
    0.25
    """
    given = prediction[reference == label]
    if not given.size:
        return None
    return int(np.count_nonzero(np.isin(given, list(others)))) / given.size
