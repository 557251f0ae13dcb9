"""Lays training lesions out along one line a target, so that neighbours can be looked up on it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Projection"]

_PENALTIES = np.geomspace(1e-3, 30, 12)
"""Ridge penalties tried, as multiples of the mean square of the features' singular values."""


class Projection:
    """One ridge regression per target, each with the penalty that leaves the least error.

    The training cases lie where they would have been predicted had each been left out (which
    ridge regression gives in closed form), so that they are comparable with new cases.

    Parameters
    ----------
    features
        Shape (n_cases, n_features).
    targets
        Shape (n_cases, n_targets); NaN where a case has none, which then counts as average.
    weights
        Shape (n_features,): how much each feature counts once all have the same spread.
    """

    cases: NDArray[np.float64]
    """Shape (n_cases, n_targets): where the training cases lie."""

    def __init__(
        self,
        features: NDArray[np.float64],
        targets: NDArray[np.float64],
        weights: NDArray[np.float64],
    ) -> None:
        self._mean = features.mean(axis=0)
        self._spread = features.std(axis=0) + 1e-6
        self._weights = weights
        known = ~np.isnan(targets)
        counts = np.maximum(known.sum(axis=0), 1)
        self._level = np.where(known, targets, 0.0).sum(axis=0) / counts
        centred = np.where(known, targets - self._level, 0.0)
        left, values, right = np.linalg.svd(self._scale(features), full_matrices=False)
        rotated = left.T @ centred
        best = np.full(targets.shape[1], np.inf)
        self.cases = np.zeros_like(centred)
        shrunk = np.zeros_like(rotated)
        for penalty in _PENALTIES * (values**2).mean():
            shrink = values**2 / (values**2 + penalty)
            left_out = _leave_one_out(left, shrink, rotated, centred)
            error = (np.where(known, left_out - centred, 0.0) ** 2).sum(axis=0)
            better = error < best
            best[better] = error[better]
            self.cases[:, better] = left_out[:, better]
            inverse = shrink / np.maximum(values, 1e-12)
            shrunk[:, better] = inverse[:, None] * rotated[:, better]
        self.cases += self._level
        self._slopes = right.T @ shrunk

    def __call__(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the place of a new case (n_features,) on each line: shape (n_targets,)."""
        return self._scale(features[None])[0] @ self._slopes + self._level

    def _scale(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.clip((features - self._mean) / self._spread, -4, 4) * self._weights


def _leave_one_out(
    left: NDArray[np.float64],
    shrink: NDArray[np.float64],
    rotated: NDArray[np.float64],
    targets: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Predict each case from all others: shape of the targets."""
    fitted = left @ (shrink[:, None] * rotated)
    leverage = np.minimum((left**2 * shrink).sum(axis=1) + 1 / len(left), 0.95)[:, None]
    return (fitted - leverage * targets) / (1 - leverage)
