from __future__ import annotations

import pytest

from overread.metrics.click_curve import (
    CLICK_METRICS,
    CLICKS,
    area_weight,
    curve_area,
    text_places,
)
from overread.registry import metric_specs


def test_a_steady_rise_in_the_right_and_in_the_released_order():
    # Dice after n clicks is n / 10: the triangle has an area of 5, and ends at 1.
    right = [clicks / 10 for clicks in range(CLICKS)]
    assert curve_area(right) == pytest.approx(5.0)
    assert right[-1] == 1.0
    released = [0.0] * CLICKS
    for clicks, place in enumerate(text_places()):
        released[place] = clicks / 10
    assert curve_area(released) == pytest.approx(5.05)
    assert released[-1] == 0.9


def test_a_constant_score_of_one_has_an_area_of_ten():
    assert curve_area([1.0] * CLICKS) == 10.0
    assert sum(area_weight(place) for place in range(CLICKS)) == 10.0


def test_names_in_the_order_of_texts():
    names = sorted(f"venous_0_{clicks}.nii.gz" for clicks in range(CLICKS))
    places = [names.index(f"venous_0_{clicks}.nii.gz") for clicks in range(CLICKS)]
    assert tuple(places) == text_places()


def test_every_number_declares_itself():
    assert set(CLICK_METRICS) <= set(metric_specs())
