from __future__ import annotations

import pytest

from overread.imaging.slice_weights import slice_weights


def test_nine_slices_are_weighed_by_a_gaussian_of_one_slice():
    # exp(-d²/2) for d = 0 … 4 is 1, 0.60653, 0.13534, 0.01111, 0.00034; all nine add to 2.50663.
    expected = [0.00013, 0.00443, 0.05399, 0.24197, 0.39894, 0.24197, 0.05399, 0.00443, 0.00013]
    assert slice_weights(9) == pytest.approx(expected, abs=1e-5)


def test_one_slice_weighs_one_and_two_weigh_the_same():
    assert slice_weights(1).tolist() == [1.0]
    assert slice_weights(2).tolist() == [0.5, 0.5]
    assert slice_weights(0).tolist() == []
