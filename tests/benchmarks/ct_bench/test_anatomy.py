from __future__ import annotations

import numpy as np
import pytest

from overread.benchmarks.ct_bench.anatomy import LEVELS, draw_scene
from overread.benchmarks.ct_bench.body import draw_body
from overread.benchmarks.ct_bench.lesions import KINDS
from overread.benchmarks.ct_bench.phantom import SIDE_PX, Canvas, to_px


def paint(level, seed):
    rng = np.random.default_rng([seed, LEVELS.index(level)])
    body = draw_body(rng)
    scene = draw_scene(body, level, rng)
    canvas = Canvas(rng.uniform(size=(2, 4, 4)), z_mm=0, rng=rng)
    for shape in scene.shapes:
        canvas.paint(shape)
    return scene, canvas.intensity_hu


def share(hu, low, high):
    return float(((hu > low) & (hu < high)).mean())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("level", LEVELS)
def test_every_level_has_air_fat_soft_tissue_and_bone(level, seed):
    _, hu = paint(level, seed)
    assert hu[0, 0] == -1000
    assert hu.min() >= -1001
    assert share(hu, -130, -70) > 0.03, "fat"
    assert share(hu, 20, 250) > 0.08, "soft tissue"
    assert share(hu, 280, 900) > 0.005, "bone"
    inside = hu > -500
    columns = np.flatnonzero(inside.any(axis=0))
    # the body is 300 to 350 mm wide and fits into the picture
    assert 190 < columns[-1] - columns[0] < SIDE_PX - 2


@pytest.mark.parametrize("seed", range(3))
def test_lungs_are_on_both_sides_of_the_thorax_only(seed):
    for level in LEVELS:
        _, hu = paint(level, seed)
        middle = hu[90:170]
        lung = (middle > -900) & (middle < -800)
        halves = [float(half.mean()) for half in (lung[:, :128], lung[:, 128:])]
        if level == "thorax":
            assert min(halves) > 0.1
        else:
            assert max(halves) < 0.05


@pytest.mark.parametrize("seed", range(3))
def test_the_liver_lies_on_the_patients_right_and_the_spleen_on_the_left(seed):
    scene, hu = paint("upper abdomen", seed)
    x, y, _, _ = scene.sites["liver"].right
    assert x < 0
    patch = hu[round(to_px(y)) - 8 : round(to_px(y)) + 8, round(to_px(x)) - 8 : round(to_px(x)) + 8]
    assert 85 < np.median(patch) < 145
    assert scene.sites["liver"].x_mm > 0, "the left lobe reaches over the midline"


@pytest.mark.parametrize("coarse_type", KINDS)
def test_every_place_of_a_lesion_exists_at_its_level_and_lies_in_the_body(coarse_type):
    for place, level in KINDS[coarse_type].places.items():
        for seed in range(3):
            scene, hu = paint(level, seed)
            site = scene.sites[place]
            assert site.x_mm > 0
            sites = [(site.x_mm, site.y_mm), (site.right or (-site.x_mm, site.y_mm))[:2]]
            for x, y in sites:
                row, column = round(to_px(y)), round(to_px(x))
                assert (hu[row, :column] > -300).any(), "body to the left"
                assert (hu[row, column + 1 :] > -300).any(), "body to the right"


def test_two_patients_differ():
    _, one = paint("kidneys", 0)
    _, other = paint("kidneys", 1)
    assert np.abs(one - other).mean() > 20
