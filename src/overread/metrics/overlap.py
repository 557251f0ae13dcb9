"""Overlap of two masks or label maps: counts of voxels, and what follows from them.

Nothing is turned into a number that has none: Dice of two empty masks is None, never 1 and never 0;
`Overlap.fate` says which of four things happened.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

import numpy as np

from overread.errors import UsageError, expected
from overread.metrics.boxes import hull, occupied_box
from overread.metrics.spec import MetricSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

__all__ = [
    "DICE",
    "IOU",
    "OVERLAP_METRICS",
    "OVERLAP_VOXELS",
    "PREDICTION_ML",
    "PREDICTION_VOXELS",
    "REFERENCE_ML",
    "REFERENCE_VOXELS",
    "VOLUME_DIFFERENCE",
    "Fate",
    "Overlap",
    "check_label_maps",
    "joint_counts",
    "labels_in",
    "overlap_table",
]

Fate: TypeAlias = Literal["both present", "missed", "invented", "both empty"]
"""Missed: only the reference has voxels. Invented: only the prediction has."""

DICE: Final = MetricSpec(
    name="dice",
    version="1",
    title="Dice",
    direction="up",
    low=0.0,
    high=1.0,
    unit="share",
    properties=frozenset({"symmetric"}),
    undefined="both masks are empty",
)
IOU: Final = MetricSpec(
    name="iou",
    version="1",
    title="Intersection over union",
    direction="up",
    low=0.0,
    high=1.0,
    unit="share",
    properties=frozenset({"symmetric"}),
    undefined="both masks are empty",
)
VOLUME_DIFFERENCE: Final = MetricSpec(
    name="volume_difference",
    version="1",
    title="Volume difference, of the reference's volume",
    direction="none",
    low=-1.0,
    high=float("inf"),
    unit="share",
    properties=frozenset(),
    undefined="the reference is empty",
)


def _amount(name: str, title: str, unit: str) -> MetricSpec:
    return MetricSpec(
        name=name,
        version="1",
        title=title,
        direction="none",
        low=0.0,
        high=float("inf"),
        unit=unit,
        properties=frozenset(),
        undefined="the mask cannot be read",
    )


REFERENCE_VOXELS: Final = _amount("reference_voxels", "Voxels of the reference", "voxels")
PREDICTION_VOXELS: Final = _amount("prediction_voxels", "Voxels of the prediction", "voxels")
OVERLAP_VOXELS: Final = _amount("overlap_voxels", "Voxels of both", "voxels")
REFERENCE_ML: Final = _amount("reference_ml", "Volume of the reference", "ml")
PREDICTION_ML: Final = _amount("prediction_ml", "Volume of the prediction", "ml")
OVERLAP_METRICS: Final = (
    DICE,
    IOU,
    VOLUME_DIFFERENCE,
    REFERENCE_VOXELS,
    PREDICTION_VOXELS,
    OVERLAP_VOXELS,
    REFERENCE_ML,
    PREDICTION_ML,
)

_VOXELS_AT_ONCE: Final = 1 << 15
"""Joint codes of so many voxels are in memory at once, 8 bytes each."""
_LARGEST_HISTOGRAM: Final = 1 << 16
"""Cells of a joint histogram that is counted directly; above it codes are sorted."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """Voxels of one label on both sides."""

    reference_voxels: int
    prediction_voxels: int
    overlap_voxels: int
    """In both."""

    @property
    def fate(self) -> Fate:
        """What became of the label."""
        if self.reference_voxels:
            return "both present" if self.prediction_voxels else "missed"
        return "invented" if self.prediction_voxels else "both empty"

    @property
    def dice(self) -> float | None:
        """Twice the overlap over the sum of both, 0..1; None when both are empty."""
        return _ratio(2 * self.overlap_voxels, self.reference_voxels + self.prediction_voxels)

    @property
    def iou(self) -> float | None:
        """Overlap over union, 0..1; None when both are empty."""
        union = self.reference_voxels + self.prediction_voxels - self.overlap_voxels
        return _ratio(self.overlap_voxels, union)

    @property
    def precision(self) -> float | None:
        """Share of the prediction that is right, 0..1; None when the prediction is empty."""
        return _ratio(self.overlap_voxels, self.prediction_voxels)

    @property
    def recall(self) -> float | None:
        """Share of the reference that was found, 0..1; None when the reference is empty."""
        return _ratio(self.overlap_voxels, self.reference_voxels)

    @property
    def volume_difference(self) -> float | None:
        """Prediction less reference, over the reference, from -1; None for an empty reference."""
        return _ratio(self.prediction_voxels - self.reference_voxels, self.reference_voxels)


def overlap_table(
    reference: NDArray[np.integer | np.bool_],
    prediction: NDArray[np.integer | np.bool_],
    labels: Iterable[int],
) -> dict[int, Overlap]:
    """Count voxels of every label on both sides in one pass over both arrays.

    Parameters
    ----------
    reference, prediction
        Label maps of one shape, one axis or more, whole numbers or booleans (True is label 1).
    labels
        Values to count, in the order wanted; a value that nobody uses counts 0.

    Raises
    ------
    UsageError
        The shapes differ, or an array holds no whole numbers.

    Examples
    --------
    >>> reference = np.array([[1, 1, 2], [0, 0, 2]])
    >>> prediction = np.array([[1, 0, 2], [0, 3, 1]])
    >>> table = overlap_table(reference, prediction, (1, 2, 3))
    >>> table[1], table[3].fate
    (Overlap(reference_voxels=2, prediction_voxels=2, overlap_voxels=1), 'invented')
    """
    counts = joint_counts(reference, prediction)
    first: Counter[int] = Counter()
    second: Counter[int] = Counter()
    for (one, other), count in counts.items():
        first[one] += count
        second[other] += count
    return {
        label: Overlap(first[label], second[label], counts.get((label, label), 0))
        for label in map(int, labels)
    }


def joint_counts(
    reference: NDArray[np.integer | np.bool_], prediction: NDArray[np.integer | np.bool_]
) -> dict[tuple[int, int], int]:
    """Count the voxels of every pair of values that occurs, background included.

    Parameters
    ----------
    reference, prediction
        As for `overlap_table`.

    Returns
    -------
    dict
        (value of the reference, value of the prediction) → voxels, 1 or more.

    Raises
    ------
    UsageError
        As `overlap_table`.

    Examples
    --------
    >>> joint_counts(np.array([0, 2, 2]), np.array([0, 2, 5]))
    {(0, 0): 1, (2, 2): 1, (2, 5): 1}
    """
    check_label_maps(reference, prediction)
    counts: Counter[tuple[int, int]] = Counter()
    boxes = [box for box in map(occupied_box, (reference, prediction)) if box is not None]
    box = hull(*boxes) if boxes else (slice(0, 0),) * reference.ndim
    inside, also_inside = reference[box], prediction[box]
    if reference.size > inside.size:
        counts[0, 0] = reference.size - inside.size
    for one, other in _parts(inside, also_inside):
        counts.update(_pairs(one, other))
    return dict(sorted(counts.items()))


def labels_in(array: NDArray[np.integer | np.bool_]) -> tuple[int, ...]:
    """List the values other than 0 (background) that occur, ascending.

    Raises
    ------
    UsageError
        The array holds no whole numbers.

    Examples
    --------
    >>> labels_in(np.array([[0, 5], [2, 5]], np.uint8))
    (2, 5)
    """
    check_label_maps(array, array)
    found: set[int] = set()
    for part, _ in _parts(array, array):
        found.update(np.unique(part).tolist())
    return tuple(sorted(int(value) for value in found if value))


def check_label_maps(
    reference: NDArray[np.integer | np.bool_], prediction: NDArray[np.integer | np.bool_]
) -> None:
    """Refuse arrays that hold no whole numbers, and shapes that differ.

    Raises
    ------
    UsageError
        Which it was.
    """
    for side, array in (("reference", reference), ("prediction", prediction)):
        if cast("np.dtype[np.generic]", array.dtype).kind not in "biu":
            raise UsageError(
                expected(
                    side,
                    rule="whole numbers or booleans",
                    got=array.dtype,
                    remedy="Read a label map, not an image or a probability map.",
                )
            )
    if reference.shape != prediction.shape:
        raise UsageError(
            expected(
                "reference and prediction",
                rule="two arrays of one shape",
                got=f"{reference.shape} and {prediction.shape}",
                remedy="Compare their geometry first; resample one of them on purpose.",
            )
        )


def _pairs(one: NDArray[np.integer], other: NDArray[np.integer]) -> dict[tuple[int, int], int]:
    """Count pairs of values of two arrays of shape (n,)."""
    low = min(int(one.min()), int(other.min()))
    width = max(int(one.max()), int(other.max())) - low + 1
    if width * width > _LARGEST_HISTOGRAM:
        return _sorted_pairs(one, other)
    # Unsigned numbers wrap round: in 64 bits no label of any type leaves its place.
    codes = one.astype(np.int64)
    codes -= low
    codes *= width
    codes += other.astype(np.int64)
    codes -= low
    counts = np.bincount(codes)
    used = np.flatnonzero(counts).tolist()
    return {(code // width + low, code % width + low): int(counts[code]) for code in used}


def _sorted_pairs(
    one: NDArray[np.integer], other: NDArray[np.integer]
) -> dict[tuple[int, int], int]:
    ours, of_one = np.unique(one, return_inverse=True)
    theirs, of_other = np.unique(other, return_inverse=True)
    codes, counts = np.unique(of_one * theirs.size + of_other, return_counts=True)
    return {
        (int(ours[code // theirs.size]), int(theirs[code % theirs.size])): count
        for code, count in zip(codes.tolist(), counts.tolist(), strict=True)
    }


def _parts(
    one: NDArray[np.integer | np.bool_], other: NDArray[np.integer | np.bool_]
) -> Iterator[tuple[NDArray[np.integer], NDArray[np.integer]]]:
    """Read both arrays side by side in the order of memory, a part at a time."""
    if not one.size:
        return
    one, other = (side.view(np.uint8) if side.dtype == np.bool_ else side for side in (one, other))
    parts = np.nditer(
        [one, other],
        flags=["external_loop", "buffered"],
        op_flags=[["readonly"], ["readonly"]],
        order="K",
        buffersize=_VOXELS_AT_ONCE,
    )
    for part in parts:
        yield cast("tuple[NDArray[np.integer], NDArray[np.integer]]", part)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
