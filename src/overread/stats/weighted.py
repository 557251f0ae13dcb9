"""Means and quantiles of columns in many resamples at once, each resample a row of counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected

__all__ = ["weighted_means", "weighted_quantiles"]

_CELLS_PER_CHUNK = 2_000_000


def weighted_means(values: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean of each column in each resample.

    Parameters
    ----------
    values
        (n, k) values; NaN has no weight.
    counts
        (draws, n) how often each row was drawn.

    Returns
    -------
    NDArray
        (draws, k); NaN where nothing that was drawn has a value.
    """
    _check(values, counts)
    there = ~np.isnan(values)
    weights = counts @ there.astype(np.float64)
    means = np.full(weights.shape, np.nan, dtype=np.float64)
    np.divide(counts @ np.where(there, values, 0.0), weights, out=means, where=weights > 0)
    return means


def weighted_quantiles(
    values: NDArray[np.float64], counts: NDArray[np.float64], probability: float
) -> NDArray[np.float64]:
    """Quantile of each column in each resample, as if every row stood there as often as drawn.

    Parameters
    ----------
    values
        (n, k) values; NaN has no weight.
    counts
        (draws, n) whole numbers: how often each row was drawn.
    probability
        0 to 1; 0.5 is the median.

    Returns
    -------
    NDArray
        (draws, k); between two values the straight line (the default of numpy and R). NaN where
        nothing that was drawn has a value.

    Raises
    ------
    UsageError
        Shapes disagree, or `probability` is out of range.
    """
    _check(values, counts)
    if not 0.0 <= probability <= 1.0:
        raise UsageError(
            expected("probability", rule="0 to 1", got=probability, remedy="0.5 is the median.")
        )
    found = np.full((counts.shape[0], values.shape[1]), np.nan, dtype=np.float64)
    chunk = max(1, _CELLS_PER_CHUNK // max(1, values.shape[0]))
    for column in range(values.shape[1]):
        there = np.flatnonzero(~np.isnan(values[:, column]))
        order = there[np.argsort(values[there, column], kind="stable")]
        ordered = values[order, column]
        for start in range(0, counts.shape[0] if order.size else 0, chunk):
            upto = np.cumsum(counts[start : start + chunk, order], axis=1)
            place = (upto[:, -1] - 1) * probability
            low, high = np.floor(place), np.ceil(place)
            below = ordered[np.argmax(upto > low[:, np.newaxis], axis=1)]
            above = ordered[np.argmax(upto > high[:, np.newaxis], axis=1)]
            between = below + (above - below) * (place - low)
            found[start : start + chunk, column] = np.where(upto[:, -1] > 0, between, np.nan)
    return found


def _check(values: NDArray[np.float64], counts: NDArray[np.float64]) -> None:
    if values.ndim != 2 or counts.ndim != 2 or counts.shape[1] != values.shape[0]:
        raise UsageError(
            expected(
                "values, counts",
                rule="(n, k) and (draws, n)",
                got=f"{values.shape} and {counts.shape}",
                remedy="Count how often each row was drawn.",
            )
        )
