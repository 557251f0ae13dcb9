from __future__ import annotations

import numpy as np

from overread.metrics.label_swaps import swapped_share


def test_the_share_of_a_structure_under_another_name():
    reference = np.array([[1, 1, 1, 1], [2, 2, 0, 0]], np.uint8)
    prediction = np.array([[1, 2, 0, 3], [1, 1, 1, 2]], np.uint8)
    assert swapped_share(reference, prediction, 1, (2,)) == 0.25
    assert swapped_share(reference, prediction, 1, (2, 3)) == 0.5
    assert swapped_share(reference, prediction, 2, (1,)) == 1.0
    assert swapped_share(reference, reference, 2, (1,)) == 0.0


def test_what_the_reference_lacks_cannot_be_swapped():
    assert swapped_share(np.zeros(3, int), np.ones(3, int), 1, (2,)) is None
