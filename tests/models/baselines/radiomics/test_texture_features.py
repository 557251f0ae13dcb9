from __future__ import annotations

import numpy as np
import pytest

from overread.models.baselines.radiomics.pixels import View
from overread.models.baselines.radiomics.texture_features import texture_features
from overread.records import Box

SIDE = 100
CENTRE = 49.5
MIDDLE, GROUND, CONTRAST = 0, 2, 6
BRIGHT, DARK = 9, 10
RADIUS, LONG_OVER_SHORT, COARSE, FINE, ROUGH, JUMP = range(13, 19)


def _measure(*, lesion, ground, radius=12.0, waves=0, depth=0.0, stretch=1.0, spot=None, edge=None):
    """Draw a lesion whose outline has so many waves, in a box padded by 5 pixels."""
    y, x = np.mgrid[:SIDE, :SIDE] - CENTRE
    x = x / stretch
    outline = radius * (1 + depth * np.cos(waves * np.arctan2(y, x)))
    grey = np.where(np.hypot(x, y) <= outline, lesion, ground).astype(np.float32)
    if spot is not None:
        grey[np.hypot(x, y) <= 2] = spot
    half_x, half_y = (1 + depth) * radius * stretch + 5, (1 + depth) * radius + 5
    box = Box(
        x_min=CENTRE - half_x, x_max=CENTRE + half_x, y_min=CENTRE - half_y, y_max=CENTRE + half_y
    )
    if edge is not None:  # a bright structure that touches the lesion's box
        grey[:, int(box.x_max) - 4 :] = edge
    body = Box(x_min=0, y_min=0, x_max=SIDE, y_max=SIDE)
    return texture_features(View(grey=grey, body=body, box=box, pixel_mm=0.5), box)


@pytest.mark.parametrize(("lesion", "ground"), [(0.8, 0.3), (0.2, 0.5)])
def test_density_is_as_drawn(lesion, ground):
    features = _measure(lesion=lesion, ground=ground)
    assert features.shape == (21,)
    assert features[MIDDLE] == pytest.approx(lesion)
    assert features[GROUND] == pytest.approx(ground)
    assert features[CONTRAST] == pytest.approx(lesion - ground)
    assert features[JUMP] == pytest.approx(lesion - ground, abs=0.05)


def test_the_radius_is_in_mm():
    # 12 pixels of 0.5 mm.
    assert np.exp(_measure(lesion=0.8, ground=0.3)[RADIUS]) == pytest.approx(6.0, rel=0.05)


def test_a_calcification_is_a_bright_spot_and_leaves_the_outline_alone():
    plain, calcified = (_measure(lesion=0.3, ground=0.6, spot=spot) for spot in (None, 1.0))
    assert plain[BRIGHT] == pytest.approx(0, abs=0.02)
    assert calcified[BRIGHT] > 0.5
    assert calcified[RADIUS] == pytest.approx(plain[RADIUS], abs=0.02)


def test_a_cavity_is_a_dark_spot():
    assert _measure(lesion=0.6, ground=0.3, spot=0.0)[DARK] > 0.4


@pytest.mark.parametrize(("waves", "column"), [(4, COARSE), (8, FINE)])
def test_a_wavy_outline_is_rough(waves, column):
    smooth = _measure(lesion=0.8, ground=0.3)
    wavy = _measure(lesion=0.8, ground=0.3, waves=waves, depth=0.2)
    assert wavy[column] > smooth[column] + 1  # e times as much
    assert wavy[ROUGH] > smooth[ROUGH] + 1


def test_an_ellipse_is_long_but_not_rough():
    disc, ellipse = (_measure(lesion=0.8, ground=0.3, stretch=s) for s in (1.0, 1.6))
    wavy = _measure(lesion=0.8, ground=0.3, waves=5, depth=0.2)
    assert np.exp(ellipse[LONG_OVER_SHORT]) == pytest.approx(1.6, rel=0.1)
    assert ellipse[ROUGH] < disc[ROUGH] + 0.5 < wavy[ROUGH]


def test_what_touches_the_lesion_is_not_part_of_it():
    alone = _measure(lesion=0.6, ground=0.3)
    touched = _measure(lesion=0.6, ground=0.3, edge=0.95)
    assert touched[RADIUS] == pytest.approx(alone[RADIUS], abs=0.05)
    assert touched[ROUGH] < alone[ROUGH] + 0.5
