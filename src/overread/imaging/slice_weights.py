"""How much each slice of a stack counts when several are read as one."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["SLICE_SIGMA", "slice_weights"]

SLICE_SIGMA: Final = 1.0
"""Standard deviation in slices (CT-Bench, arXiv 2602.14879)."""


def slice_weights(n_slices: int) -> NDArray[np.float64]:
    """Weigh slices by a Gaussian around the middle of the stack, sigma 1 slice.

    Returns
    -------
    NDArray[np.float64]
        Shape (n_slices,), sums to 1; empty for no slices. With an even number the middle lies
        between two slices.

    Examples
    --------
    >>> slice_weights(3).round(3).tolist()
    [0.274, 0.452, 0.274]
    """
    distance = np.arange(n_slices) - (n_slices - 1) / 2
    weights = np.exp(-0.5 * (distance / SLICE_SIGMA) ** 2)
    return weights / weights.sum()
