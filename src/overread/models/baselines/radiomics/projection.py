"""Distances between lesions in the directions of feature space that texts speak about."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Projection"]

_PENALTIES = np.geomspace(1e-3, 10, 9)
"""Ridge penalties tried, as multiples of the mean eigenvalue of the features' covariance."""
_MOST_DIRECTIONS = 24


class Projection:
    """Reduced-rank ridge regression from features to targets; neighbours are near in its fit.

    The training cases lie where they would have been predicted had each been left out (which
    ridge regression gives in closed form), so that they are comparable with new cases.

    Parameters
    ----------
    features
        Shape (n_cases, n_features).
    targets
        Shape (n_cases, n_targets), each of mean 0.
    weights
        Shape (n_features,): how much each feature counts once all have the same spread.
    """

    def __init__(
        self,
        features: NDArray[np.float64],
        targets: NDArray[np.float64],
        weights: NDArray[np.float64],
    ) -> None:
        self._mean = features.mean(axis=0)
        self._spread = features.std(axis=0) + 1e-6
        self._feature_weights = weights
        scaled = self._scale(features)
        left, values, right = np.linalg.svd(scaled, full_matrices=False)
        rotated = left.T @ targets
        best = np.inf
        fitted, slopes = np.zeros_like(targets), np.zeros((scaled.shape[1], targets.shape[1]))
        for penalty in _PENALTIES * (values**2).mean():
            shrink = values**2 / (values**2 + penalty)
            left_out = _leave_one_out(left, shrink, rotated, targets)
            error = float(((left_out - targets) ** 2).sum())
            if error < best:
                best, fitted = error, left_out
                slopes = right.T @ ((shrink / np.maximum(values, 1e-12))[:, None] * rotated)
        _, _, directions = np.linalg.svd(fitted, full_matrices=False)
        kept = directions[:_MOST_DIRECTIONS].T
        self._slopes = slopes @ kept
        self._cases = fitted @ kept

    def distances(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the distance of new features (n_features,) to each training case: (n_cases,)."""
        place = self._scale(features[None]) @ self._slopes
        return np.sqrt(((self._cases - place) ** 2).sum(axis=1))

    def _scale(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.clip((features - self._mean) / self._spread, -4, 4) * self._feature_weights


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
