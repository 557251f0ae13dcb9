from __future__ import annotations

import numpy as np
import pytest

from overread.models.baselines.radiomics.candidates import CandidateFinder, find_spots
from overread.models.baselines.radiomics.pixels import View
from overread.records import Box


def _view(discs, *, side=200, seed=0):
    """Draw discs of (x, y, radius, grey) on noise around 0.5."""
    y, x = np.mgrid[:side, :side]
    grey = np.random.default_rng(seed).normal(0.5, 0.01, (side, side)).astype(np.float32)
    for at_x, at_y, radius, shade in discs:
        grey[(x - at_x) ** 2 + (y - at_y) ** 2 <= radius**2] = shade
    body = Box(x_min=0, y_min=0, x_max=side, y_max=side)
    return View(grey=grey, body=body, box=None, pixel_mm=1.0)


def _centre(box):
    return (box.x_min + box.x_max) / 2, (box.y_min + box.y_max) / 2


@pytest.mark.parametrize("shade", [0.9, 0.1])
@pytest.mark.parametrize("radius", [4, 9, 18])
def test_a_disc_is_the_strongest_spot_with_its_place_and_size(shade, radius):
    box = find_spots(_view([(120, 70, radius, shade)])).boxes[0]
    assert _centre(box) == pytest.approx((120, 70), abs=1.5)
    assert (box.x_max - box.x_min) / 2 == pytest.approx(radius, rel=0.35)


def test_a_larger_picture_gives_its_own_pixels():
    box = find_spots(_view([(300, 120, 20, 0.9)], side=400)).boxes[0]
    assert _centre(box) == pytest.approx((300, 120), abs=3)


def test_the_finder_learns_which_spots_are_lesions():
    # Every slice has a brighter disc on top and the lesion, a fainter one, below.
    rng = np.random.default_rng(1)

    def scene(seed):
        x, y = rng.uniform(40, 160), rng.uniform(120, 160)
        view = _view([(rng.uniform(40, 160), 50, 10, 0.9), (x, y, 10, 0.7)], seed=seed)
        return find_spots(view), Box(x_min=x - 13, y_min=y - 13, x_max=x + 13, y_max=y + 13)

    finder = CandidateFinder([scene(n) for n in range(12)], np.random.default_rng(0))
    for seed in range(100, 106):
        spots, lesion = scene(seed)
        assert _centre(spots.boxes[0])[1] < 80  # by strength alone the upper disc leads
        (log_probability, box), *_ = finder(spots, most=3)
        assert _centre(box) == pytest.approx(_centre(lesion), abs=3)
        assert np.exp(log_probability) > 0.5
        # Boxes were drawn 1.3 times as wide as the lesions.
        assert box.x_max - box.x_min == pytest.approx(26, rel=0.25)


def test_without_training_the_strongest_spot_leads():
    spots = find_spots(_view([(120, 70, 9, 0.9), (50, 150, 9, 0.6)]))
    places = CandidateFinder((), np.random.default_rng(0))(spots, most=40)
    assert _centre(places[0][1]) == pytest.approx(_centre(spots.boxes[0]))
    assert sum(np.exp(log_probability) for log_probability, _ in places) == pytest.approx(1)


def test_a_flat_slice_has_no_places():
    flat = View(
        grey=np.full((60, 60), 0.5, dtype=np.float32),
        body=Box(x_min=0, y_min=0, x_max=60, y_max=60),
        box=None,
        pixel_mm=1.0,
    )
    assert CandidateFinder((), np.random.default_rng(0))(find_spots(flat), most=5) == ()
