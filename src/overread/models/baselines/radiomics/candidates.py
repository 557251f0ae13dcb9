"""Finds where a lesion may be when no box says so: blobs, ranked as learned from boxed slices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.optimize import minimize

from overread.models.baselines.radiomics.pixels import View
from overread.records import Box

__all__ = ["CandidateFinder", "Spots", "find_spots"]

_SCALES = (2.0, 3.0, 4.5, 6.5, 9.5, 14.0)
"""Standard deviations of the blob filters, in pixels of a slice with a body 200 pixels wide."""
_WORK_BODY_PX = 200.0
_MOST_SPOTS = 140
_N_WAVES = 100
_PENALTY = 1.0
_LEAST_SLICES = 5
"""Fewer training slices than this teach less than the blobs' own strength says."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spots:
    """Blob-like places of one slice, the most blob-like first."""

    boxes: tuple[Box, ...]
    scales: NDArray[np.int64]
    """Shape (n_spots,): place of the filter in the list of scales."""
    features: NDArray[np.float64]
    """Shape (n_spots, n_features)."""


def find_spots(view: View) -> Spots:
    """Find dark and bright blobs of a slice: extrema of the scale-normalised Laplacian [1]_.

    A blob of radius r answers most at scale r / √2, which gives its box.

    .. [1] Lindeberg, T. (1998). Feature detection with automatic scale selection.
       doi:10.1023/A:1008045108935
    """
    small, zoom, origin = _body_at_work_size(view)
    smooth = _smoothed(small)
    squares = np.square(_SCALES, dtype=np.float32)[:, None, None]
    blob = squares * np.stack([np.asarray(ndimage.laplace(one)) for one in smooth])
    strength = np.abs(blob)
    peak = strength == ndimage.maximum_filter(strength, size=(3, 5, 5))
    places = np.argwhere(peak & (strength > 0.01))
    order = np.argsort(-strength[tuple(places.T)], kind="stable")[:_MOST_SPOTS]
    places = places[order]
    return Spots(
        boxes=tuple(_box(place, zoom, origin) for place in places),
        scales=places[:, 0],
        features=_describe(places, smooth, blob),
    )


def _body_at_work_size(view: View) -> tuple[NDArray[Any], float, tuple[int, int]]:
    """Cut out the body and shrink it; give the factor, and the body's corner as x and y."""
    x, y = int(view.body.x_min), int(view.body.y_min)
    body = view.grey[y : int(np.ceil(view.body.y_max)), x : int(np.ceil(view.body.x_max))]
    zoom = min(1.0, _WORK_BODY_PX / max(body.shape[1], 1))
    if zoom < 1:
        body = np.asarray(ndimage.zoom(body, zoom, order=1, grid_mode=True, mode="nearest"))
    return body, zoom, (x, y)


def _smoothed(grey: NDArray[Any]) -> NDArray[Any]:
    """Smooth at all scales, each from the one before: shape (n_scales, rows, columns)."""
    levels, done = [grey], 0.0
    for scale in _SCALES:
        step = float(np.sqrt(scale**2 - done**2))
        levels.append(np.asarray(ndimage.gaussian_filter(levels[-1], step, truncate=3.0)))
        done = scale
    return np.stack(levels[1:])


def _box(place: NDArray[np.int64], zoom: float, origin: tuple[int, int]) -> Box:
    radius = float(_SCALES[place[0]] * np.sqrt(2) / zoom)
    x = (float(place[2]) + 0.5) / zoom + origin[0]
    y = (float(place[1]) + 0.5) / zoom + origin[1]
    return Box(x_min=x - radius, y_min=y - radius, x_max=x + radius, y_max=y + radius)


def _describe(
    places: NDArray[np.int64], smooth: NDArray[Any], blob: NDArray[Any]
) -> NDArray[np.float64]:
    """Describe each place: grey and blob response at all scales, place, rank, asymmetry."""
    scale, rows, columns = places.T
    _, height, width = smooth.shape
    x, y = (columns + 0.5) / width, (rows + 0.5) / height
    own = blob[scale, rows, columns]
    grey, response = smooth[:, rows, columns].T, blob[:, rows, columns].T
    uneven = smooth[1:4, rows, columns].T - smooth[1:4, rows, width - 1 - columns].T
    rank = np.arange(len(places)) / _MOST_SPOTS
    return np.column_stack(
        [
            *(grey, response, own, np.abs(own), np.log(scale + 1.0), rank),
            *(x, y, np.abs(x - 0.5), np.hypot(x - 0.5, y - 0.5)),
            *(uneven, np.abs(uneven).max(axis=1), grey[:, 0] - grey[:, 3]),
        ]
    ).astype(np.float64)


def _hits(spots: Spots, box: Box) -> NDArray[np.bool_]:
    """Mark the spots whose centre lies in the middle half of a box and whose size is like its."""
    x, y = (box.x_min + box.x_max) / 2, (box.y_min + box.y_max) / 2
    width, height = box.x_max - box.x_min, box.y_max - box.y_min
    marks = np.zeros(len(spots.boxes), dtype=np.bool_)
    for number, spot in enumerate(spots.boxes):
        near_x = abs((spot.x_min + spot.x_max) / 2 - x) <= width / 4 + 1
        near_y = abs((spot.y_min + spot.y_max) / 2 - y) <= height / 4 + 1
        ratio = (spot.x_max - spot.x_min) / max(width, height, 1.0)
        marks[number] = near_x and near_y and 0.3 <= ratio <= 1.8
    return marks


class CandidateFinder:
    """Tells which spot of a slice is the lesion: a softmax over its spots, fitted to boxed slices.

    Scores are linear in the features and in fixed random waves of them (an approximated Gaussian
    kernel [1]_).

    .. [1] Rahimi, A., Recht, B. (2007). Random features for large-scale kernel machines.

    Parameters
    ----------
    slices
        Spots of training slices and the lesion's box; slices where no spot lies in the box teach
        nothing, and without any the finder goes by how blob-like a spot is.
    rng
        Draws the waves.
    """

    def __init__(self, slices: Sequence[tuple[Spots, Box]], rng: np.random.Generator) -> None:
        marked = [(spots, _hits(spots, box)) for spots, box in slices]
        useful = [(spots, hit) for spots, hit in marked if hit.any()]
        self._grow = _growth(
            [(spots, hit, box) for (spots, hit), (_, box) in zip(marked, slices, strict=True)]
        )
        self._fitted = len(useful) >= _LEAST_SLICES
        if not self._fitted:
            return
        features = np.concatenate([spots.features for spots, _ in useful])
        self._mean, self._spread = features.mean(axis=0), features.std(axis=0) + 1e-6
        width = features.shape[1]
        self._waves = rng.normal(size=(width, _N_WAVES)) / np.sqrt(width)
        self._phases = rng.uniform(0, 2 * np.pi, size=_N_WAVES)
        # Single precision is plenty for a ranking, and halves the time.
        lifted = self._lift(features).astype(np.float32)
        self._weights = _fit(lifted, [hit for _, hit in useful])

    def __call__(self, spots: Spots, *, most: int) -> tuple[tuple[float, Box], ...]:
        """Give the likeliest places as log probability and box, the likeliest first.

        The probabilities are among all spots of the slice; a box is as large as one drawn around
        such a spot in training.
        """
        if not spots.boxes:
            return ()
        if self._fitted:
            scores = self._lift(spots.features) @ self._weights
        else:
            scores = -np.arange(len(spots.boxes)) / 4.0
        scores = scores - float(np.log(np.exp(scores - scores.max()).sum()) + scores.max())
        best = np.argsort(-np.round(scores, 9), kind="stable")[:most]
        return tuple(
            (float(scores[n]), _grown(spots.boxes[n], float(self._grow[spots.scales[n]])))
            for n in best
        )

    def _lift(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        scaled = np.clip((features - self._mean) / self._spread, -4, 4)
        waves = np.cos(scaled @ self._waves + self._phases) * np.sqrt(2 / _N_WAVES) * 3
        return np.concatenate([scaled / np.sqrt(scaled.shape[1]) * 3, waves], axis=1)


def _growth(
    slices: Sequence[tuple[Spots, NDArray[np.bool_], Box]],
) -> NDArray[np.float64]:
    """Give, for each scale, how many times a spot's side goes into the mean side of its box."""
    logs: list[list[float]] = [[] for _ in _SCALES]
    for spots, hit, box in slices:
        side = np.sqrt((box.x_max - box.x_min) * (box.y_max - box.y_min))
        for number in np.flatnonzero(hit):
            spot = spots.boxes[number]
            logs[spots.scales[number]].append(float(np.log(side / (spot.x_max - spot.x_min))))
    pooled = [value for at_scale in logs for value in at_scale]
    # Each scale leans on all scales together, as much as on four slices of its own.
    common = float(np.mean(pooled)) if pooled else 0.0
    return np.exp([(sum(at_scale) + 4 * common) / (len(at_scale) + 4) for at_scale in logs])


def _grown(box: Box, times: float) -> Box:
    x, y = (box.x_min + box.x_max) / 2, (box.y_min + box.y_max) / 2
    half = (box.x_max - box.x_min) / 2 * times
    return Box(x_min=x - half, y_min=y - half, x_max=x + half, y_max=y + half)


def _fit(lifted: NDArray[np.float32], marks: Sequence[NDArray[np.bool_]]) -> NDArray[np.float64]:
    """Maximise the probability of the marked spots of each slice, less a ridge penalty."""
    starts = np.cumsum([0, *(len(mark) for mark in marks)])[:-1]
    hit = np.concatenate(marks)
    owner = np.repeat(np.arange(len(marks)), [len(mark) for mark in marks])

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = (lifted @ weights.astype(np.float32)).astype(np.float64)
        scores -= np.maximum.reduceat(scores, starts)[owner]
        every = np.exp(scores)
        among_hits = np.where(hit, every, 0.0) + 1e-300 * hit
        total, hit_total = np.add.reduceat(every, starts), np.add.reduceat(among_hits, starts)
        value = (np.log(total) - np.log(hit_total)).sum() + _PENALTY / 2 * weights @ weights
        pull = every / total[owner] - among_hits / hit_total[owner]
        return value, pull.astype(np.float32) @ lifted + _PENALTY * weights

    found = minimize(
        loss, np.zeros(lifted.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 100}
    )
    return np.asarray(found.x, dtype=np.float64)
