from __future__ import annotations

import math

import numpy as np
import pytest

from overread.models.clip.protocol import combine_slices, probabilities


def test_slices_are_combined_to_a_feature_of_length_one():
    combined = combine_slices(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]))
    # Weights 0.2741, 0.4519, 0.2741: (0.5481, 0.4519), divided by its length 0.7104.
    assert combined == pytest.approx([0.7716, 0.6361], abs=1e-4)
    assert np.linalg.norm(combined) == pytest.approx(1)


def test_features_that_cancel_out_favour_nobody():
    combined = combine_slices(np.array([[1.0, 0.0], [-1.0, 0.0]]))
    assert probabilities(combined[None], np.eye(2), scale=100.0) == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("swap", [False, True])
def test_options_are_weighed_by_a_softmax_of_scaled_cosines(swap):
    one, four = np.array([[0.6, 0.8]]), np.array([[1, 0], [0, 1], [-1, 0], [0, -1.0]])
    # Cosines 0.6, 0.8, -0.6, -0.8 times 5.
    powers = [math.exp(5 * cosine) for cosine in (0.6, 0.8, -0.6, -0.8)]
    expected = [power / sum(powers) for power in powers]
    found = probabilities(four, one, scale=5.0) if swap else probabilities(one, four, scale=5.0)
    assert found == pytest.approx(expected)


def test_a_large_scale_does_not_overflow():
    found = probabilities(np.array([[1.0, 0.0]]), np.eye(2), scale=1e4)
    assert found.tolist() == [1.0, 0.0]
