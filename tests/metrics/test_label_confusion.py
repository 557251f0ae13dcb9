from __future__ import annotations

import numpy as np
import pytest

from overread.errors import UsageError
from overread.metrics.label_confusion import label_confusion


def test_the_table_counts_every_voxel_once() -> None:
    rng = np.random.default_rng(3)
    reference, prediction = rng.integers(0, 4, (2, 6, 7, 8))
    table = label_confusion(reference, prediction, (2, 1))
    assert table.labels == (0, 2, 1)
    assert table.voxels[1, 2] == ((reference == 2) & (prediction == 1)).sum()
    assert table.others == ((reference == 3) | (prediction == 3)).sum()
    assert table.voxels.sum() + table.others == reference.size
    assert not table.voxels.flags.writeable


def test_the_largest_mistake_comes_first() -> None:
    reference = np.array([1] * 4 + [2] * 6 + [0] * 3)
    prediction = np.array([1, 2, 2, 0] + [2] * 6 + [0, 0, 1])
    first, *rest = label_confusion(reference, prediction, (1, 2)).mixed_up
    assert (first.reference, first.prediction, first.voxels, first.share) == (1, 2, 2, 0.5)
    assert [(one.reference, one.prediction) for one in rest] == [(0, 1), (1, 0)]


def test_equal_maps_agree_and_empty_ones_say_nothing() -> None:
    array = np.array([0, 1, 2])
    assert label_confusion(array, array, (1, 2)).agreement == 1.0
    assert label_confusion(array, array, (1, 2)).mixed_up == ()
    assert label_confusion(np.zeros(3, int), np.zeros(3, int), (1,)).agreement is None


def test_background_may_be_named_among_the_labels() -> None:
    assert label_confusion(np.array([0]), np.array([0]), (0, 5)).labels == (0, 5)


def test_a_label_that_stands_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="labels: expected each label once"):
        label_confusion(np.array([0]), np.array([0]), (1, 2, 1))
