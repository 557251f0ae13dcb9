"""Labels that mean one structure under two numbers: 255 for 1, exchanged or shifted ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.imaging.label_values import LabelArray
from overread.scoring.masks.pair import MaskPair

__all__ = ["Renamed", "renamed_labels"]

_SAME: Final = 0.5
"""Dice above which two labels are taken for one structure."""
_MOST: Final = 200
"""Labels of the reference that are looked at."""
_TABLED_BYTES: Final = 2
"""Of labels that are looked up in a table of all that there can be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """A label of the prediction that lies where another one of the reference is."""

    reference: int
    prediction: int
    dice: float

    @property
    def words(self) -> str:
        """Say it in a sentence."""
        return (
            f"label {self.prediction} of the prediction lies where label {self.reference} of the "
            f"reference is (Dice {self.dice:.3f})"
        )


def renamed_labels(pair: MaskPair) -> tuple[Renamed, ...]:
    """Find labels that fit none of their own number and overlap well with another one.

    Parameters
    ----------
    pair
        Two masks of one size.

    Returns
    -------
    tuple of Renamed
        Each label of the reference with the one that fits it best, where Dice is above one half;
        in the order of the reference's labels. A label that fits its own number is in none, so that
        neighbours of a good fit are not taken for it.
    """
    references = [each for each in pair.reference_labels if not _fits(pair, each)][:_MOST]
    predictions = [each for each in pair.prediction_labels if not _fits(pair, each)]
    if not references or not predictions:
        return ()
    shared = _shared(pair.cropped, references, predictions)
    sizes = np.array([pair.overlap(other).prediction_voxels for other in predictions])
    found: list[Renamed] = []
    for label, counts in zip(references, shared, strict=True):
        dice = 2 * counts / (pair.overlap(label).reference_voxels + sizes)
        best = int(dice.argmax())
        if dice[best] > _SAME:
            found.append(
                Renamed(reference=label, prediction=predictions[best], dice=float(dice[best]))
            )
    return tuple(found)


def _fits(pair: MaskPair, label: int) -> bool:
    """Tell whether a label lies where the same number of the other side is."""
    overlap = pair.overlap(label)
    voxels = overlap.reference_voxels + overlap.prediction_voxels
    return 2 * overlap.overlap_voxels > _SAME * voxels


def _shared(
    sides: tuple[LabelArray, LabelArray], rows: Sequence[int], columns: Sequence[int]
) -> NDArray[np.int64]:
    """Count the voxels of each pair of labels, shape (rows, columns), in one pass."""
    reference, prediction = sides
    width = len(columns) + 1
    counts = np.zeros((len(rows) + 1) * width, dtype=np.int64)
    for plane in range(reference.shape[-1]):
        row = _places(reference[..., plane], rows)
        row *= width
        row += _places(prediction[..., plane], columns)
        counts += np.bincount(row.ravel(), minlength=counts.size)
    return counts.reshape(-1, width)[1:, 1:]


def _places(array: LabelArray, labels: Sequence[int]) -> NDArray[np.int64]:
    """Give the place of each voxel's label among ascending ones, from 1; 0 where it is none."""
    if array.dtype.itemsize <= _TABLED_BYTES:
        table = np.zeros(np.iinfo(array.dtype).max + 1, dtype=np.int64)
        table[list(labels)] = np.arange(1, len(labels) + 1)
        return table[array]
    known = np.asarray(labels)
    place = np.minimum(np.searchsorted(known, array), len(known) - 1)
    return np.where(known[place] == array, place + 1, 0)
