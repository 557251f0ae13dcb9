"""Centrelines of vessels: skeletons, centreline Dice, length.

A skeleton depends on who thins: the library and its version are part of `MetricSpec.version`.
Masks are boolean arrays of two or three axes. Nothing here knows which axis is which; a spacing
follows the order of the array's axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from itertools import product
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from overread.errors import UsageError, expected
from overread.metrics.components import foreground_box, label_components
from overread.metrics.spec import MetricSpec

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = [
    "CENTRELINE_DICE",
    "PREDICTION_SKELETON_LENGTH",
    "REFERENCE_SKELETON_LENGTH",
    "SKELETON_PRECISION",
    "SKELETON_SENSITIVITY",
    "THINNING",
    "CentrelineDice",
    "centreline_dice",
    "skeleton",
    "skeleton_length_mm",
]

THINNING: Final = "skimage" + ".".join(version("scikit-image").split(".")[:2])
"""What thins, with its version: part of the version of every metric that rests on a skeleton."""

CENTRELINE_DICE: Final = MetricSpec(
    name="cldice",
    version=f"1+{THINNING}",
    title="Centreline Dice",
    direction="up",
    low=0.0,
    high=1.0,
    unit="share",
    properties=frozenset({"symmetric"}),
    undefined="both masks are empty",
)
SKELETON_PRECISION: Final = MetricSpec(
    name="skeleton_precision",
    version=f"1+{THINNING}",
    title="Predicted centreline inside the reference",
    direction="up",
    low=0.0,
    high=1.0,
    unit="share",
    properties=frozenset(),
    undefined="the prediction is empty",
)
SKELETON_SENSITIVITY: Final = MetricSpec(
    name="skeleton_sensitivity",
    version=f"1+{THINNING}",
    title="Centreline of the reference inside the prediction",
    direction="up",
    low=0.0,
    high=1.0,
    unit="share",
    properties=frozenset(),
    undefined="the reference is empty",
)
REFERENCE_SKELETON_LENGTH: Final = MetricSpec(
    name="reference_skeleton_mm",
    version=f"1+{THINNING}",
    title="Centreline length of the reference",
    direction="none",
    low=0.0,
    high=float("inf"),
    unit="mm",
    properties=frozenset(),
    undefined="never: an empty mask has a centreline of 0 mm",
)
PREDICTION_SKELETON_LENGTH: Final = MetricSpec(
    name="prediction_skeleton_mm",
    version=f"1+{THINNING}",
    title="Centreline length of the prediction",
    direction="none",
    low=0.0,
    high=float("inf"),
    unit="mm",
    properties=frozenset(),
    undefined="never: an empty mask has a centreline of 0 mm",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CentrelineDice:
    """How far two vessel trees run within each other, 0 to 1."""

    precision: float | None
    """Share of the prediction's skeleton inside the reference; None where there is no skeleton."""
    sensitivity: float | None
    """Share of the reference's skeleton inside the prediction; None where there is no skeleton."""
    value: float | None
    """Harmonic mean of both. 0 where neither runs in the other, or one mask alone is empty; None
    where both are."""


def skeleton(mask: NDArray[np.bool_], *, keep_pieces: bool = True) -> NDArray[np.bool_]:
    """Thin a mask to lines one voxel wide.

    scikit-image thins: by Zhang's method in two dimensions, by Lee's in three. In three dimensions
    it takes some pieces away whole, such as a cube of 2 or 4 voxels a side, a straight bar 2 voxels
    wide and high however long it is, or a plate of one slice, and a measure of centrelines never
    hears of them (scikit-image 0.26).

    Parameters
    ----------
    mask
        Of two or three axes.
    keep_pieces
        Of a connected piece that thinning took away whole, keep the voxel nearest its centre (the
        first one, where several are); where a mask lies in its array then changes nothing. False
        gives what scikit-image gives for this very array.

    Returns
    -------
    numpy array of bool
        Of the same shape.

    Raises
    ------
    UsageError
        The mask is not boolean, or of other than two or three axes.

    Examples
    --------
    >>> bar = np.zeros((5, 9), bool)
    >>> bar[1:4, 1:8] = True
    >>> skeleton(bar).sum(axis=0)
    array([0, 1, 1, 1, 1, 1, 1, 0, 0])
    """
    _check(mask, "mask")
    thin = np.zeros(mask.shape, np.bool_)
    box = foreground_box(mask)
    if box is None:
        return thin
    # Thinning looks no further than a voxel's neighbours: the box with a rim is enough.
    if keep_pieces:
        part = np.pad(mask[box], 1)
        thinned = _thinner()(part) != 0
        _restore_pieces(part, thinned)
        thin[box] = thinned[(slice(1, -1),) * mask.ndim]
    else:
        # scikit-image thins an array of a single slice otherwise than one slice of several, so the
        # rim ends where the array does.
        box = tuple(
            slice(max(side.start - 1, 0), min(side.stop + 1, size))
            for side, size in zip(box, mask.shape, strict=True)
        )
        thin[box] = _thinner()(np.ascontiguousarray(mask[box])) != 0
    return thin


def centreline_dice(
    reference: NDArray[np.bool_],
    prediction: NDArray[np.bool_],
    *,
    reference_skeleton: NDArray[np.bool_] | None = None,
    prediction_skeleton: NDArray[np.bool_] | None = None,
) -> CentrelineDice:
    """Measure how much of each mask's centreline lies inside the other mask (clDice).

    Blind to how wide a vessel is, and to a shift that leaves the centreline inside: to be shown
    beside a measure of surfaces. Source: Shit et al., CVPR 2021, arXiv 2003.07311. Where nothing
    overlaps the paper's formula divides 0 by 0; the value here is 0.

    Parameters
    ----------
    reference, prediction
        Of one shape.
    reference_skeleton, prediction_skeleton
        Where the caller has them already.

    Raises
    ------
    UsageError
        A mask is not boolean, of other than two or three axes, or the shapes differ.

    Examples
    --------
    >>> line = np.zeros((3, 18), bool)
    >>> line[1, 1:17] = True
    >>> half = line.copy()
    >>> half[1, 9:] = False
    >>> centreline_dice(line, half)
    CentrelineDice(precision=1.0, sensitivity=0.5, value=0.6666666666666666)
    """
    check_pair(reference, prediction)
    of_reference = skeleton(reference) if reference_skeleton is None else reference_skeleton
    of_prediction = skeleton(prediction) if prediction_skeleton is None else prediction_skeleton
    precision = _share(of_prediction, reference)
    sensitivity = _share(of_reference, prediction)
    return CentrelineDice(
        precision=precision, sensitivity=sensitivity, value=_harmonic(precision, sensitivity)
    )


def skeleton_length_mm(thin: NDArray[np.bool_], spacing_mm: tuple[float, ...]) -> float:
    """Measure how long a skeleton is, in mm, from voxel centre to voxel centre.

    The length is that of the shortest web of steps between touching voxels (corners touch) that
    holds together all that hangs together: a minimum spanning forest. Where a line turns a corner
    it takes the two short steps. A closed loop counts without its longest step; a single voxel has
    no length. Turning or mirroring the array changes nothing.

    Parameters
    ----------
    thin
        A skeleton, of two or three axes.
    spacing_mm
        Distance of voxel centres along each axis.

    Raises
    ------
    UsageError
        The array is no mask, or the spacing does not fit it.

    Examples
    --------
    >>> line = np.zeros((3, 18), bool)
    >>> line[1, 1:17] = True
    >>> skeleton_length_mm(line, (3.0, 0.5))
    7.5
    """
    _check(thin, "thin")
    check_spacing(spacing_mm, thin.ndim)
    spacing = np.asarray(spacing_mm, np.float64)
    box = foreground_box(thin)
    if box is None:
        return 0.0
    # A rim of one voxel, so that a step never runs over an edge into the next row.
    padded = np.pad(thin[box], 1)
    flat = np.flatnonzero(padded)
    starts: list[NDArray[np.intp]] = []
    ends: list[NDArray[np.intp]] = []
    lengths: list[NDArray[np.float64]] = []
    for step in product((-1, 0, 1), repeat=thin.ndim):
        if step <= (0,) * thin.ndim:
            continue  # each pair of neighbours once
        strides = np.cumprod((1, *padded.shape[:0:-1]))[::-1]
        target = flat + int(np.dot(step, strides))
        place = np.searchsorted(flat, target)
        place[place == flat.size] = 0
        start = np.flatnonzero(flat[place] == target)
        starts.append(start)
        ends.append(place[start])
        lengths.append(np.full(start.size, float(np.linalg.norm(spacing * step))))
    return _forest_length(
        np.concatenate(starts), np.concatenate(ends), np.concatenate(lengths), flat.size
    )


def check_pair(reference: NDArray[np.bool_], prediction: NDArray[np.bool_]) -> None:
    """Check that two masks can be compared: boolean, two or three axes, of one shape."""
    _check(reference, "reference")
    _check(prediction, "prediction")
    if reference.shape != prediction.shape:
        raise UsageError(
            expected(
                "prediction",
                rule=f"the shape of the reference, {reference.shape}",
                got=prediction.shape,
                remedy="Resample the prediction to the grid of the reference.",
            )
        )


def check_spacing(spacing_mm: tuple[float, ...], n_axes: int) -> None:
    """Check that there is one positive spacing for each axis."""
    if len(spacing_mm) != n_axes or not all(0 < each < float("inf") for each in spacing_mm):
        raise UsageError(
            expected(
                "spacing_mm",
                rule=f"{n_axes} positive lengths, one for each axis",
                got=spacing_mm,
                remedy="Give the distance of voxel centres in the order of the array's axes.",
            )
        )


def _check(mask: NDArray[np.bool_], name: str) -> None:
    if mask.dtype != np.bool_ or mask.ndim not in (2, 3):
        raise UsageError(
            expected(
                name,
                rule="a boolean array of two or three axes",
                got=f"{mask.dtype} of {mask.ndim}",
                remedy="Compare a label map with the label: labels == 1.",
            )
        )


def _restore_pieces(mask: NDArray[np.bool_], thinned: NDArray[np.bool_]) -> None:
    """Put a voxel into every connected piece that thinning took away whole."""
    pieces, n = label_components(mask, connectivity=26 if mask.ndim == 3 else 8)
    is_left = np.zeros(n + 1, np.bool_)
    is_left[0] = True
    is_left[pieces[thinned]] = True
    if is_left.all():
        return
    places = np.argwhere(~is_left[pieces])
    owner = pieces[tuple(places.T)]
    size = np.maximum(np.bincount(owner, minlength=n + 1), 1)
    centre = np.stack(
        [np.bincount(owner, weights=axis, minlength=n + 1) / size for axis in places.T], axis=1
    )
    away = ((places - centre[owner]) ** 2).sum(axis=1)
    order = np.lexsort((away, owner))  # stable: of equally near voxels the first stays first
    nearest = order[np.unique(owner[order], return_index=True)[1]]
    thinned[tuple(places[nearest].T)] = True


def _thinner() -> Callable[[NDArray[np.bool_]], NDArray[np.generic]]:
    from skimage import morphology  # it takes a second to import

    return cast("Callable[[NDArray[np.bool_]], NDArray[np.generic]]", morphology.skeletonize)


def _forest_length(
    starts: NDArray[np.intp], ends: NDArray[np.intp], lengths: NDArray[np.float64], n: int
) -> float:
    from scipy.sparse import coo_array  # pyright: ignore[reportMissingTypeStubs] - ships none
    from scipy.sparse.csgraph import (  # pyright: ignore[reportMissingTypeStubs]
        minimum_spanning_tree,  # pyright: ignore[reportUnknownVariableType]
    )

    web = coo_array((lengths, (starts, ends)), shape=(n, n)).tocsr()
    tree = cast("Callable[[object], NDArray[np.float64]]", minimum_spanning_tree)(web)
    return float(tree.sum())


def _share(thin: NDArray[np.bool_], mask: NDArray[np.bool_]) -> float | None:
    n = int(np.count_nonzero(thin))
    return int(np.count_nonzero(thin & mask)) / n if n else None


def _harmonic(precision: float | None, sensitivity: float | None) -> float | None:
    if precision is None and sensitivity is None:
        return None
    if not precision or not sensitivity:
        return 0.0
    return 2 * precision * sensitivity / (precision + sensitivity)
