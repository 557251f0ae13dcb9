"""Which labels of two maps are taken for which: a table of voxels, background included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from overread.errors import UsageError, expected
from overread.metrics.overlap import joint_counts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["LabelConfusion", "MixedUp", "label_confusion"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedUp:
    """Voxels of one label that were given another."""

    reference: int
    prediction: int
    voxels: int
    share: float
    """Of all voxels of that label of the reference, above 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelConfusion:
    """A table over two label maps."""

    labels: tuple[int, ...]
    """Of rows and columns, 0 (background) first."""
    voxels: NDArray[np.int64]
    """Shape (n_labels, n_labels): rows are the reference, columns the prediction. Read-only."""
    others: int
    """Voxels with a value that is none of the labels on either side: they are in no cell."""

    @property
    def mixed_up(self) -> tuple[MixedUp, ...]:
        """Every pair of different labels that occurs, most voxels first.

        Pairs with the background are there: missed and invented voxels.
        """
        totals = self.voxels.sum(1)
        found = [
            MixedUp(
                reference=self.labels[row],
                prediction=self.labels[column],
                voxels=int(self.voxels[row, column]),
                share=int(self.voxels[row, column]) / int(totals[row]),
            )
            for row, column in np.argwhere(self.voxels).tolist()
            if row != column
        ]
        return tuple(sorted(found, key=lambda one: (-one.voxels, one.reference, one.prediction)))

    @property
    def agreement(self) -> float | None:
        """Share, 0..1, of the voxels labelled on either side that have one label on both.

        None when neither side labels a voxel.
        """
        labelled = int(self.voxels.sum() - self.voxels[0, 0])
        alike = int(np.trace(self.voxels) - self.voxels[0, 0])
        return alike / labelled if labelled else None


def label_confusion(
    reference: NDArray[np.integer | np.bool_],
    prediction: NDArray[np.integer | np.bool_],
    labels: Iterable[int],
) -> LabelConfusion:
    """Count which label is taken for which.

    Parameters
    ----------
    reference, prediction
        Label maps of one shape, any number of axes, whole numbers.
    labels
        Rows and columns beside the background, in the order wanted.

    Raises
    ------
    UsageError
        The shapes differ, an array holds no whole numbers, or a label stands twice.

    Examples
    --------
    Two veins, one voxel of the first taken for the second and one not found.

    >>> table = label_confusion(np.array([1, 1, 1, 2, 0]), np.array([1, 2, 0, 2, 0]), (1, 2))
    >>> table.voxels.tolist(), table.agreement
    ([[1, 0, 0], [1, 1, 1], [0, 0, 1]], 0.5)
    >>> [(one.reference, one.prediction) for one in table.mixed_up]
    [(1, 0), (1, 2)]
    """
    rows = (0, *(label for label in map(int, labels) if label != 0))
    if len(set(rows)) != len(rows):
        raise UsageError(
            expected(
                "labels",
                rule="each label once",
                got=rows[1:],
                remedy="Leave out what stands there twice.",
            )
        )
    place = {label: number for number, label in enumerate(rows)}
    voxels = np.zeros((len(rows), len(rows)), np.int64)
    others = 0
    for (one, other), count in joint_counts(reference, prediction).items():
        if one in place and other in place:
            voxels[place[one], place[other]] = count
        else:
            others += count
    voxels.flags.writeable = False
    return LabelConfusion(labels=rows, voxels=voxels, others=others)
