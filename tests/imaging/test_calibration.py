from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from overread.errors import UsageError
from overread.imaging.calibration import (
    BANDS,
    Search,
    dose_by_likeness,
    dose_of_pixels,
    likeness,
)
from overread.imaging.encode import encode_png
from overread.imaging.picture import with_receipt
from overread.imaging.picture_effect import find_effect

NOISE = Search(parameter="sigma_of_range", low=0.001, high=0.3)
SEED: dict[str, Any] = {"seed": 3, "sigma_of_range": 0.0}


def textured() -> np.ndarray:
    """A picture with structure at every scale."""
    y, x = np.mgrid[:96, :128]
    grey = 120 + 50 * np.sin(x / 9) + 40 * np.cos(y / 5) * (x > 60)
    return (grey + np.random.default_rng(2).normal(0, 6, grey.shape)).clip(0, 255).astype(np.uint8)


@pytest.mark.parametrize("level", BANDS)
def test_a_dose_brings_the_picture_into_its_band(level: str) -> None:
    pixels = textured()
    found = dose_of_pixels("gaussian-noise", SEED, NOISE, pixels, level=level)
    changed = find_effect("gaussian-noise").pixels(pixels, {**SEED, "sigma_of_range": found.value})
    low, high = BANDS[level]
    assert found.in_band
    assert low <= found.ssim <= high
    assert likeness(pixels, changed) == pytest.approx(found.ssim)


def test_stronger_levels_get_stronger_doses() -> None:
    doses = [dose_of_pixels("gaussian-noise", SEED, NOISE, textured(), level=x) for x in BANDS]
    values, reached = [dose.value for dose in doses], [dose.ssim for dose in doses]
    assert values == sorted(values)
    assert reached == sorted(reached, reverse=True)


def test_less_of_a_parameter_may_be_the_stronger_dose() -> None:
    search = Search(parameter="quality", low=5, high=95, more_is_stronger=False, whole=True)
    weak, strong = (
        dose_of_pixels("compression-artifacts", {}, search, textured(), level=level)
        for level in ("1", "4")
    )
    assert isinstance(weak.value, int)
    assert weak.value > strong.value


@pytest.mark.parametrize("goal", range(3, 26))
def test_whole_numbers_are_searched_to_the_last(goal: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def likeness_of(one: object, other: object, **_: object) -> float:
        return 0.745 if tried[-1] == goal else (0.99 if tried[-1] < goal else 0.1)

    def pixels_of(pixels: np.ndarray, values: dict[str, int]) -> np.ndarray:
        tried.append(values["length_px"])
        return pixels

    class Kind:
        pixels = staticmethod(pixels_of)

    monkeypatch.setattr("overread.imaging.calibration.find_effect", lambda name: Kind)
    monkeypatch.setattr("overread.imaging.calibration.likeness", likeness_of)
    search = Search(parameter="length_px", low=3, high=25, whole=True)
    found = dose_of_pixels("motion-blur", {}, search, textured(), level="3")
    assert found.value == goal
    assert len(tried) == len(set(tried)) <= 5


def test_where_the_range_does_not_reach_the_best_is_kept_and_said() -> None:
    flat = np.full((40, 40), 90, dtype=np.uint8)
    search = Search(parameter="sigma_px", low=0.1, high=10)
    found = dose_of_pixels("gaussian-blur", {}, search, flat, level="5")
    assert (found.ssim, found.in_band) == (1.0, False)


def test_the_released_yardstick_does_not_see_dimming() -> None:
    pixels = textured()
    pixels[0, :2] = 0, 255
    dim = find_effect("exposure").pixels(pixels, {"factor": 0.25})
    assert likeness(pixels, dim) < 0.5
    assert likeness(pixels, dim, yardstick="as-released") > 0.97


def test_the_released_yardstick_is_content_with_a_little_beside_the_band() -> None:
    pixels = textured()
    for level, (low, high) in BANDS.items():
        found = dose_of_pixels(
            "gaussian-noise", SEED, NOISE, pixels, level=level, yardstick="as-released"
        )
        assert low - 0.02 <= found.ssim <= high + 0.02
        assert found.in_band == (low <= found.ssim <= high)


def test_likeness_of_equal_unequal_and_tiny_pictures() -> None:
    pixels = textured()
    assert likeness(pixels, pixels) == 1
    assert likeness(np.stack([pixels] * 3, axis=-1), np.stack([pixels] * 3, axis=-1)) == 1
    tiny = pixels[:5, :5]
    assert (likeness(tiny, tiny), likeness(tiny, 255 - tiny)) == (1, 0)
    flat = np.full((9, 9), 5, dtype=np.uint8)
    assert likeness(flat, flat + 100, yardstick="as-released") == 1


def test_of_several_pictures_the_middle_one_is_looked_at() -> None:
    shown = [
        with_receipt(
            encode_png(pixels), media_type="image/png", width=128, height=96,
            sources=("a.png",), layout="single",
        )
        for pixels in (np.zeros_like(textured()), textured(), np.zeros_like(textured()))
    ]  # fmt: skip
    of_all = dose_by_likeness("gaussian-noise", SEED, NOISE, shown, level="3")
    assert of_all == dose_of_pixels("gaussian-noise", SEED, NOISE, textured(), level="3")


def test_a_level_without_a_band_is_refused() -> None:
    with pytest.raises(UsageError, match="level: expected one of 1, 2, 3, 4, 5, got '6'"):
        dose_of_pixels("gaussian-noise", SEED, NOISE, textured(), level="6")
