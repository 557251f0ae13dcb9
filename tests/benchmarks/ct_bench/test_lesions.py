from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest

from overread.benchmarks.ct_bench.anatomy import draw_scene
from overread.benchmarks.ct_bench.body import draw_body
from overread.benchmarks.ct_bench.layout import COARSE_TYPES
from overread.benchmarks.ct_bench.lesions import (
    KINDS,
    SIZE_CLASSES_MM,
    Facts,
    attributes,
    blob,
    box_px,
    description,
    draw_lesion,
    place_lesions,
    recist_px,
    size_text,
)
from overread.benchmarks.ct_bench.phantom import PIXEL_MM, to_px

FACTS = Facts(
    coarse_type=5,
    side="left",
    attenuation="low",
    margin="irregular",
    core="calcified",
    size_class=2,
)


def draw(seed=0, **changes):
    facts = dataclasses.replace(FACTS, **changes)
    return draw_lesion(facts, None, np.random.default_rng(seed))


def test_all_eight_coarse_types_have_a_kind():
    assert set(KINDS) == {number for number in COARSE_TYPES if number > 0}


@pytest.mark.parametrize("template", range(3))
def test_a_description_tells_every_fact_but_the_size(template):
    text = description(dataclasses.replace(draw(), template=template))
    for word in ("left lung", "round-glass nodule", "irregular", "calcified"):
        assert word in text
    assert "mm" not in text
    assert text[0].isupper()
    assert text.endswith(".")


def test_a_liver_lesion_lies_in_a_lobe():
    text = description(draw(coarse_type=4, side="right"))
    assert "right lobe of the liver" in text


def test_attributes_are_worded_without_the_organ():
    words = {attributes(dataclasses.replace(FACTS, coarse_type=number)) for number in KINDS}
    assert words == {"low attenuation, irregular margins, calcified centre"}


@pytest.mark.parametrize("seed", range(20))
def test_sizes_stay_in_their_class_and_are_told_to_a_tenth(seed):
    lesion = draw(seed, size_class=seed % 5)
    middle = SIZE_CLASSES_MM[seed % 5]
    assert 0.895 * middle <= lesion.long_mm <= 1.105 * middle
    assert 0.6 * lesion.long_mm < lesion.short_mm < 0.91 * lesion.long_mm
    long_mm, rest = size_text(lesion).split(" x ")
    assert float(long_mm) == lesion.long_mm
    assert rest == f"{lesion.short_mm:.1f} mm"


def test_size_classes_never_touch():
    for smaller, larger in itertools.pairwise(SIZE_CLASSES_MM):
        assert 1.1 * smaller < 0.9 * larger


def test_high_attenuation_is_brighter_in_every_organ():
    for coarse_type in KINDS:
        low = draw(coarse_type=coarse_type, attenuation="low").intensity_hu
        high = draw(coarse_type=coarse_type, attenuation="high").intensity_hu
        assert high - low > 100


def test_only_an_irregular_margin_has_spikes():
    assert draw(margin="smooth").spikes == ()
    assert len(draw(margin="irregular").spikes) == 4


@pytest.mark.parametrize("seed", range(10))
def test_recist_diameters_are_the_ones_told_and_the_box_pads_them(seed):
    lesion = draw(seed)
    shape = blob(lesion, (30.0, -20.0))
    x1, y1, x2, y2, x3, y3, x4, y4 = recist_px(shape)
    assert math.dist((x1, y1), (x2, y2)) * PIXEL_MM == pytest.approx(lesion.long_mm)
    assert math.dist((x3, y3), (x4, y4)) * PIXEL_MM == pytest.approx(lesion.short_mm)
    # the diameters cross at right angles in the lesion's middle
    assert (x2 - x1) * (x4 - x3) + (y2 - y1) * (y4 - y3) == pytest.approx(0, abs=1e-9)
    assert ((x1 + x2) / 2, (y1 + y2) / 2) == pytest.approx((to_px(30), to_px(-20)))
    box = box_px(shape)
    assert box.x_min <= min(x1, x2, x3, x4) - 5 + 1e-9
    assert box.x_max >= max(x1, x2, x3, x4) + 5 - 1e-9
    assert box.y_min <= min(y1, y2, y3, y4) - 5 + 1e-9
    assert box.y_max >= max(y1, y2, y3, y4) + 5 - 1e-9
    assert box.x_max - box.x_min <= lesion.long_mm / PIXEL_MM + 10 + 1e-9


@pytest.mark.parametrize("coarse_type", KINDS)
def test_four_lesions_of_one_organ_fit_into_a_slice_on_their_sides(coarse_type):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        for place, level in KINDS[coarse_type].places.items():
            scene = draw_scene(draw_body(rng), level, rng)
            lesions = [
                draw_lesion(
                    dataclasses.replace(
                        FACTS, coarse_type=coarse_type, side=side, size_class=size_class
                    ),
                    place,
                    rng,
                )
                for side in ("left", "right")
                for size_class in (0, 1)
            ]
            middles = place_lesions(lesions, scene.sites, rng)
            for lesion, (x, _) in zip(lesions, middles, strict=True):
                assert (x > 0) == (lesion.facts.side == "left")
            for i in range(4):
                for j in range(i):
                    gap = math.dist(middles[i], middles[j])
                    assert gap > (lesions[i].long_mm + lesions[j].long_mm) / 2
