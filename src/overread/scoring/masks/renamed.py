"""Labels that mean one structure under two numbers: 255 for 1, or numbers of another edition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from overread.scoring.masks.pair import MaskPair

__all__ = ["Renamed", "renamed_labels"]

_SAME: Final = 0.5
"""Dice above which no other label can fit better."""
_MOST: Final = 50
"""Labels of either side that are looked at."""


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
    """Find labels of one side alone that overlap well with one of the other side alone.

    Parameters
    ----------
    pair
        Two masks of one size.

    Returns
    -------
    tuple of Renamed
        Pairs with a Dice above one half, in the order of the reference's labels; each label is in
        one pair at most, since two others cannot both overlap with more than half of it.
    """
    only_reference = [each for each in pair.reference_labels if each not in pair.prediction_labels]
    only_prediction = [each for each in pair.prediction_labels if each not in pair.reference_labels]
    if not only_prediction:
        return ()
    reference, prediction = pair.cropped
    found: list[Renamed] = []
    for label in only_reference[:_MOST]:
        under = prediction[reference == label]
        values, counts = np.unique(under, return_counts=True)
        for other, count in zip(values.tolist(), counts.tolist(), strict=True):
            total = (
                pair.overlap(label).reference_voxels + pair.overlap(int(other)).prediction_voxels
            )
            if other in only_prediction and 2 * count > _SAME * total:
                found.append(
                    Renamed(reference=label, prediction=int(other), dice=2 * count / total)
                )
    return tuple(found)
