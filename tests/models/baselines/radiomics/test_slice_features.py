from __future__ import annotations

import numpy as np
import pytest

from overread.models.baselines.radiomics.pixels import View
from overread.models.baselines.radiomics.slice_features import SLICE_WEIGHTS, patch, slice_features
from overread.records import Box


def test_a_patch_is_a_grid_of_means():
    grey = np.kron(np.array([[0.1, 0.2], [0.3, 0.4]], dtype=np.float32), np.ones((12, 12)))
    found = patch(grey.astype(np.float32), centre=(12, 12), size=(24, 24), n=2)
    np.testing.assert_allclose(found, [[0.1, 0.2], [0.3, 0.4]], atol=1e-6)


def test_beyond_the_edge_it_is_black():
    found = patch(np.ones((10, 10), dtype=np.float32), centre=(10, 5), size=(10, 10), n=2)
    np.testing.assert_allclose(found[:, 1], 0, atol=0.05)


def test_a_slice_is_described_by_grey_levels_and_shape():
    grey = np.zeros((100, 100), dtype=np.float32)
    grey[20:80, :] = 0.5
    body = Box(x_min=0, y_min=20, x_max=100, y_max=80)
    features = slice_features(View(grey=grey, body=body, box=None, pixel_mm=3.5))
    assert features.shape == SLICE_WEIGHTS.shape
    assert features[144:156].sum() == pytest.approx(1)
    assert features[144 + 6] == 1  # 0.5 is in the seventh of twelve levels
    assert features[-2:] == pytest.approx([0.6, 1.0])
