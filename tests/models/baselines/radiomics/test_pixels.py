from __future__ import annotations

import numpy as np
import pytest

from overread.imaging.boxes import draw_box
from overread.models.baselines.radiomics.pixels import views_of
from overread.records import Box


def _slice():
    grey = np.zeros((100, 120), dtype=np.uint8)
    grey[20:80, 10:110] = 120
    return grey


def test_a_slice_is_taken_apart(make_picture):
    box = Box(x_min=40, y_min=30, x_max=60, y_max=45)
    (view,) = views_of(make_picture(draw_box(_slice(), box)), (0.8, 0.8))
    assert view.box == box
    assert view.pixel_mm == 0.8
    assert (view.body.x_min, view.body.x_max) == pytest.approx((10, 110), abs=2)
    assert (view.body.y_min, view.body.y_max) == pytest.approx((20, 80), abs=2)
    # The outline is painted over with the grey around it.
    np.testing.assert_allclose(view.grey, _slice() / 255, atol=1e-6)


def test_without_a_stated_size_the_body_is_a_scale(make_picture):
    (view,) = views_of(make_picture(_slice()), None)
    assert view.box is None
    assert view.pixel_mm == pytest.approx(3.5, rel=0.05)  # 350 mm over 100 pixels


def test_the_largest_box_counts(make_picture):
    large = Box(x_min=40, y_min=30, x_max=80, y_max=60)
    drawn = draw_box(draw_box(_slice(), Box(x_min=15, y_min=30, x_max=22, y_max=36)), large)
    (view,) = views_of(make_picture(drawn), None)
    assert view.box == large


def test_a_mosaic_is_cut_into_its_slices(make_picture):
    tiles = [np.full((30, 40), shade, dtype=np.uint8) for shade in (10, 60, 110, 160, 210)]
    blank = np.zeros((30, 40), dtype=np.uint8)
    rows = [np.concatenate(row, axis=1) for row in (tiles[:3], [*tiles[3:], blank])]
    picture = make_picture(np.concatenate(rows), layout="mosaic 2×3", sources=5)
    views = views_of(picture, None)
    assert [round(float(view.grey.mean()) * 255) for view in views] == [10, 60, 110, 160, 210]
    assert {view.grey.shape for view in views} == {(30, 40)}


def test_a_black_picture_is_all_body(make_picture):
    (view,) = views_of(make_picture(np.zeros((20, 30), dtype=np.uint8)), None)
    assert view.body == Box(x_min=0, y_min=0, x_max=30, y_max=20)
