from __future__ import annotations

import numpy as np
import pytest

from overread.models.baselines.radiomics.lesion_features import (
    LESION_WEIGHTS,
    lesion_features,
    size_features,
)
from overread.models.baselines.radiomics.pixels import View
from overread.records import Box

BODY = Box(x_min=0, y_min=0, x_max=100, y_max=100)


def _view(grey, *, pixel_mm=1.0):
    return View(grey=grey.astype(np.float32), body=BODY, box=None, pixel_mm=pixel_mm)


def _disc(*, lesion, ground, radius=10):
    y, x = np.mgrid[:100, :100]
    grey = np.full((100, 100), ground)
    grey[(x - 69.5) ** 2 + (y - 29.5) ** 2 <= radius**2] = lesion
    return grey


BOX = Box(x_min=54.5, y_min=14.5, x_max=85.5, y_max=45.5)


def test_the_place_is_relative_to_the_body():
    features = lesion_features(_view(_disc(lesion=0.8, ground=0.3)), BOX)
    assert features.shape == LESION_WEIGHTS.shape
    x, y, off_midline = features[:3]
    assert (x, y, off_midline) == pytest.approx((0.7, 0.3, 0.2))


def test_size_is_sorted_in_mm_and_less_the_padding():
    box = Box(x_min=0, y_min=0, x_max=20, y_max=50)
    sizes = np.exp(size_features(_view(np.zeros((100, 100)), pixel_mm=0.8), box))
    assert sizes == pytest.approx([40.0, 16.0, 32.0, 8.0, 0.8])


@pytest.mark.parametrize(
    "box",
    [
        Box(x_min=50, y_min=50, x_max=50, y_max=50),  # no size
        Box(x_min=90, y_min=90, x_max=130, y_max=130),  # beyond the edge
        Box(x_min=0, y_min=0, x_max=100, y_max=100),  # everything
    ],
)
@pytest.mark.parametrize("ground", [0.0, 0.5, 1.0])
def test_odd_boxes_on_flat_ground_have_finite_features(box, ground):
    assert np.isfinite(lesion_features(_view(np.full((100, 100), ground)), box)).all()
