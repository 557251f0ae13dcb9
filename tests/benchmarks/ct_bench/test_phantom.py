from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from overread.benchmarks.ct_bench.phantom import (
    AIR_HU,
    PIXEL_MM,
    SIDE_PX,
    Blob,
    Canvas,
    Ellipse,
    to_px,
)

WAVES = np.full((2, 4, 4), 0.3)
BLOB = Blob(
    x_mm=20.0,
    y_mm=-30.0,
    long_mm=40.0,
    short_mm=24.0,
    angle_rad=0.4,
    depth_mm=26.0,
    intensity_hu=0.0,
    grain_hu=0.0,
    spikes=(),
    core_hu=None,
)


def canvas(z_mm=0.0, seed=0):
    return Canvas(WAVES, z_mm=z_mm, rng=np.random.default_rng(seed))


def at(picture, x_mm, y_mm):
    return float(picture[round(to_px(y_mm)), round(to_px(x_mm))])


def area_mm2(blob, z_mm=0.0):
    slice_ = canvas(z_mm)
    slice_.paint_blob(blob)
    return float(((slice_.intensity_hu - AIR_HU) / -AIR_HU).sum()) * PIXEL_MM**2


def test_the_origin_is_the_middle_of_the_picture():
    assert to_px(0) == (SIDE_PX - 1) / 2
    assert to_px(PIXEL_MM) - to_px(0) == pytest.approx(1)


def test_a_lesion_covers_the_area_of_its_diameters():
    # pi/4 x 40 mm x 24 mm = 754 mm2, whatever the slice's warp
    assert area_mm2(BLOB) == pytest.approx(754, rel=0.02)


def test_an_irregular_outline_changes_the_shape_and_hardly_the_area():
    irregular = dataclasses.replace(BLOB, spikes=((5, 0.11, 0.0), (7, 0.08, 1.0)))
    assert area_mm2(irregular) == pytest.approx(754, rel=0.06)
    smooth, rough = canvas(), canvas()
    smooth.paint_blob(BLOB)
    rough.paint_blob(irregular)
    assert np.abs(smooth.intensity_hu - rough.intensity_hu).max() > 900


def test_a_lesion_is_an_ellipsoid_through_the_slices():
    # half-way to its end (z = depth / 4) the section has (1 - 1/4) of the area
    assert area_mm2(BLOB, z_mm=6.5) == pytest.approx(754 * 0.75, rel=0.03)
    assert area_mm2(BLOB, z_mm=-6.5) == pytest.approx(754 * 0.75, rel=0.03)
    assert area_mm2(BLOB, z_mm=13.0) == 0
    assert area_mm2(BLOB, z_mm=15.0) == 0


def test_a_calcified_core_is_bright_in_the_middle_only():
    slice_ = canvas()
    slice_.paint_blob(dataclasses.replace(BLOB, core_hu=480.0))
    assert at(slice_.intensity_hu, 20, -30) == pytest.approx(480, abs=1)
    ray = 8.0  # mm along the short axis: outside the core, inside the lesion
    x, y = 20 - ray * math.sin(0.4), -30 + ray * math.cos(0.4)
    assert at(slice_.intensity_hu, x, y) == pytest.approx(0, abs=1)


def test_anatomy_takes_its_attenuation_and_leaves_the_rest():
    slice_ = canvas()
    slice_.paint(
        Ellipse(x_mm=-40, y_mm=10, radius_x_mm=30, radius_y_mm=20, intensity_hu=60, angle_rad=1.0)
    )
    assert at(slice_.intensity_hu, -40, 10) == pytest.approx(60)
    assert at(slice_.intensity_hu, 60, 10) == AIR_HU


def test_what_lies_inside_is_cut_at_the_cavity():
    slice_ = canvas()
    slice_.paint(
        Ellipse(x_mm=0, y_mm=0, radius_x_mm=40, radius_y_mm=40, intensity_hu=-100, cavity=True)
    )
    slice_.paint(
        Ellipse(x_mm=40, y_mm=0, radius_x_mm=30, radius_y_mm=10, intensity_hu=100, inside=True)
    )
    assert at(slice_.intensity_hu, 25, 0) == pytest.approx(100)
    assert at(slice_.intensity_hu, 58, 0) == AIR_HU


def test_a_shape_beyond_the_picture_is_no_error():
    slice_ = canvas()
    slice_.paint(Ellipse(x_mm=900, y_mm=-900, radius_x_mm=20, radius_y_mm=20, intensity_hu=100))
    slice_.paint_blob(dataclasses.replace(BLOB, x_mm=-500.0))
    assert (slice_.intensity_hu == AIR_HU).all()


def test_noise_is_of_ct_strength_and_comes_from_the_generator_alone():
    first, again, other = canvas(seed=3).finish(), canvas(seed=3).finish(), canvas(seed=4).finish()
    assert first.dtype == np.float32
    assert first.shape == (SIDE_PX, SIDE_PX)
    assert np.std(first) == pytest.approx(9, rel=0.05)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
