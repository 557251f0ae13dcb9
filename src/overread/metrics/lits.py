"""Lesions matched as the LiTS challenge does it, which TriALS took over: merged, then thresholded.

A lesion is a component of face neighbours. Lesions of the reference that one predicted lesion joins
become one, predicted lesions that meet the same become one, and a pair counts as found when its
overlap over its union exceeds a threshold. The released code takes that union of the wrong voxels:
it looks for a predicted lesion's own number in a mask that holds the reference's numbers by then.
`match_lits` does both, the fault and what was meant.

Everything here works on a table of component sizes and overlaps; only `lits_table` sees voxels.

Sources
-------
Bilic and others, The Liver Tumor Segmentation Benchmark (LiTS), doi 10.1016/j.media.2022.102680.
xmed-lab/TriALS, eval_scripts/helpers/calc_metric.py (commit de701ea), read and measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected

__all__ = [
    "MOST_COMPONENTS",
    "LitsMatch",
    "LitsObject",
    "LitsTable",
    "lits_table",
    "match_lits",
]

MOST_COMPONENTS: Final = 32_767
"""More the released code cannot number: it stops there."""

_Index = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class LitsTable:
    """Lesions of a reference and a prediction: sizes and common voxels.

    Lesions are numbered from 1 in the order in which a scan along the last axis, then the second,
    then the first meets them. The released matching depends on that order.
    """

    reference_labels: NDArray[np.int32]
    """Number of the lesion at each voxel of the box around both masks, 0 for none."""
    prediction_labels: NDArray[np.int32]
    reference_voxels: _Index
    """Shape (n_reference,): size of lesion 1, 2, …."""
    prediction_voxels: _Index
    met: _Index
    """Shape (n_met,): numbers of the predicted lesions that have a voxel of the reference."""
    overlap_voxels: _Index
    """Shape (n_met, n_reference): common voxels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LitsObject:
    """One or several lesions of each side that are treated as one."""

    number: int
    """The number it bears: of its first reference lesion."""
    references: tuple[int, ...]
    """Numbers of reference lesions, from 1."""
    predictions: tuple[int, ...]
    overlap_voxels: int
    reference_voxels: int
    prediction_voxels: int

    @property
    def union_voxels(self) -> int:
        """Voxels of either side."""
        return self.reference_voxels + self.prediction_voxels - self.overlap_voxels

    @property
    def iou(self) -> float:
        """Overlap over union; never undefined, for an object has voxels."""
        return self.overlap_voxels / self.union_voxels

    @property
    def dice(self) -> float:
        """Twice the overlap over the sum of sizes."""
        return 2.0 * self.overlap_voxels / float(self.reference_voxels + self.prediction_voxels)


@dataclass(frozen=True, slots=True, kw_only=True)
class LitsMatch:
    """What became of the lesions of one case at one threshold."""

    n_reference: int
    n_prediction: int
    n_found: int
    """Pairs over the threshold. Several lesions merged into one count once."""
    scored: tuple[LitsObject, ...]
    """Objects whose outlines are compared, by number: those found. The released code's fault may
    leave one among them that it did not count, or trim one that it did."""
    paired: tuple[LitsObject, ...]
    """Every reference lesion, merged as above, with what was predicted for it, over the threshold
    or not; without prediction where there was none."""

    @property
    def n_invented(self) -> int:
        """Predicted lesions less found pairs."""
        return self.n_prediction - self.n_found

    @property
    def n_missed(self) -> int:
        """Reference lesions less found pairs."""
        return self.n_reference - self.n_found


def lits_table(reference: NDArray[np.bool_], prediction: NDArray[np.bool_]) -> LitsTable:
    """Label the lesions of two masks and count their common voxels.

    Only the box around both masks is looked at, which changes no number.

    Parameters
    ----------
    reference, prediction
        Boolean, of one shape and three dimensions.

    Raises
    ------
    UsageError
        The shapes differ.

    Examples
    --------
    >>> import numpy as np
    >>> mask = np.zeros((4, 4, 4), dtype=np.bool_)
    >>> mask[:2, :2, :2] = True
    >>> lits_table(mask, mask).overlap_voxels.tolist()
    [[8]]
    """
    if reference.shape != prediction.shape:
        raise UsageError(
            expected(
                "prediction",
                rule=f"a mask of shape {reference.shape}, as the reference's",
                got=prediction.shape,
                remedy="Resample it to the reference's grid.",
            )
        )
    box = _box(reference, prediction)
    left, n_reference = _label(reference[box])
    right, n_prediction = _label(prediction[box])
    reference_voxels = np.bincount(left[left > 0], minlength=n_reference + 1)[1:]
    prediction_voxels = np.bincount(right[right > 0], minlength=n_prediction + 1)[1:]
    both = (left > 0) & (right > 0)
    met, rows = np.unique(right[both], return_inverse=True)
    codes = rows.astype(np.int64) * n_reference + left[both] - 1
    overlap_voxels = np.bincount(codes, minlength=met.size * n_reference)
    return LitsTable(
        reference_labels=left,
        prediction_labels=right,
        reference_voxels=reference_voxels,
        prediction_voxels=prediction_voxels,
        met=met.astype(np.int64),
        overlap_voxels=overlap_voxels.reshape(met.size, n_reference),
    )


def match_lits(table: LitsTable, *, threshold: float, mended: bool) -> LitsMatch:
    """Match lesions at a threshold of overlap over union, which a pair must exceed.

    Parameters
    ----------
    table
        From `lits_table`.
    threshold
        0 or more, below 1. At 0 any common voxel will do.
    mended
        Whether the union is that of the pair. Otherwise it is the released code's: the reference's
        voxels together with those of the object whose number is the predicted lesion's own. It also
        keeps numbers in eight bits, so that lesion 256 is none and 257 passes for 1.
    """
    if not 0 <= threshold < 1:
        raise UsageError(
            expected(
                "threshold", rule="0 or more, below 1", got=threshold, remedy="The challenge's: 0.5"
            )
        )
    merged, owner = _merge_references(table.overlap_voxels)
    pairs = _pair(merged)
    held = np.zeros(table.met.size, dtype=np.int64)
    for column, rows in pairs.items():
        number = column + 1
        held[rows] = number if mended else number % 256
    first_held = held.copy()
    found = 0
    # In the order of the first predicted lesion of each pair: trimming one changes later unions.
    for column, rows in sorted(pairs.items(), key=lambda pair: pair[1][0]):
        number = column + 1
        sought = number if mended else int(table.met[rows[0]])
        overlap = int(merged[rows, column].sum())
        union = _union(table, held == sought, owner == number)
        if overlap / union > threshold:
            found += 1
        else:
            held[held == number] = 0
    return LitsMatch(
        n_reference=table.reference_voxels.size,
        n_prediction=table.prediction_voxels.size,
        n_found=found,
        scored=tuple(
            _object(table, int(number), owner == number, held == number)
            for number in np.unique(held[held > 0])
        ),
        paired=tuple(
            _object(table, int(number), owner == number, first_held == number)
            for number in np.unique(owner)
        ),
    )


# ---------------------------------------------------------------- tables


def _box(reference: NDArray[np.bool_], prediction: NDArray[np.bool_]) -> tuple[slice, ...]:
    """Give the smallest box around both masks; an empty one where both are empty."""
    box = [slice(None)] * reference.ndim
    # The axis whose planes lie together in memory comes first; the rest is looked at in its span.
    for axis in np.argsort(reference.strides)[::-1]:
        others = tuple(other for other in range(reference.ndim) if other != axis)
        inside = tuple(box)
        found = np.flatnonzero(
            reference[inside].any(axis=others) | prediction[inside].any(axis=others)
        )
        box[axis] = slice(int(found[0]), int(found[-1]) + 1) if found.size else slice(0, 0)
    return tuple(box)


def _label(mask: NDArray[np.bool_]) -> tuple[NDArray[np.int32], int]:
    from scipy import ndimage  # pyright: ignore[reportMissingTypeStubs] - scipy ships none

    # Contiguous, so that lesions are numbered in the order of a scan along the last axis.
    labels = np.empty(mask.shape, dtype=np.int32)
    count = cast("Any", ndimage).label(np.ascontiguousarray(mask), output=labels)
    return labels, int(count)


def _merge_references(overlap_voxels: _Index) -> tuple[_Index, _Index]:
    """Join reference lesions that a predicted one spans, if it is the one that covers each most.

    Returns the overlaps with merged columns, the others 0, and each reference lesion's number.
    """
    merged = overlap_voxels.copy()
    owner: _Index = np.arange(1, merged.shape[1] + 1, dtype=np.int64)
    for row in np.flatnonzero(merged.any(axis=1)):
        met = np.flatnonzero(merged[row])
        mine = met[merged[:, met].argmax(axis=0) == row]
        if mine.size > 1:
            merged[:, mine[0]] = merged[:, mine].sum(axis=1)
            merged[:, mine[1:]] = 0
            owner[np.isin(owner, mine + 1)] = mine[0] + 1
    return merged, owner


def _pair(merged: _Index) -> dict[int, _Index]:
    """Give each predicted lesion to the reference it covers most: column → its rows."""
    pairs: dict[int, list[int]] = {}
    for row in np.flatnonzero(merged.any(axis=1)):
        pairs.setdefault(int(merged[row].argmax()), []).append(int(row))
    return {column: np.array(rows, dtype=np.int64) for column, rows in sorted(pairs.items())}


def _union(table: LitsTable, rows: NDArray[np.bool_], columns: NDArray[np.bool_]) -> int:
    common = table.overlap_voxels[np.ix_(rows, columns)].sum()
    sizes = (
        table.prediction_voxels[table.met[rows] - 1].sum() + table.reference_voxels[columns].sum()
    )
    return int(sizes - common)


def _object(
    table: LitsTable, number: int, columns: NDArray[np.bool_], rows: NDArray[np.bool_]
) -> LitsObject:
    return LitsObject(
        number=number,
        references=tuple(int(column) + 1 for column in np.flatnonzero(columns)),
        predictions=tuple(int(number) for number in table.met[rows]),
        overlap_voxels=int(table.overlap_voxels[np.ix_(rows, columns)].sum()),
        reference_voxels=int(table.reference_voxels[columns].sum()),
        prediction_voxels=int(table.prediction_voxels[table.met[rows] - 1].sum()),
    )
