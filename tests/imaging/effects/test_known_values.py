"""Numbers worked out by hand from the published formulas, for small pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from overread import registry
from overread.imaging.calibration import likeness
from overread.imaging.picture_effect import change_pixels, find_effect
from overread.perturb._dosed_picture import DosedPicture


def change(kind: str, pixels: NDArray[Any], *, level: str, is_mask: bool = True) -> NDArray[Any]:
    """Change pixels by a kind and level, seed 0 where it takes one."""
    dose = registry.find_perturbation(f"{kind}@{level}")
    assert isinstance(dose, DosedPicture)
    values = dose.values(is_mask=is_mask, modality=None)
    if dose.is_random:
        values.setdefault("seed", 0)
    return change_pixels(pixels, dose.effects(values, is_mask=is_mask), slices=False)


def constant(value: float, *shape: int) -> NDArray[np.float32]:
    return np.full(shape, value, dtype=np.float32)


@pytest.mark.parametrize(
    ("level", "first_row"),
    # 100 (1 - 0.1 level d²/12.5), d from (2.5, 2.5): d² = 12.5, 8.5, 6.5, 6.5, 8.5.
    [("1", [90, 93.2, 94.8, 94.8, 93.2]), ("5", [50, 66, 74, 74, 66])],
)
def test_beam_hardening(level: str, first_row: list[float]) -> None:
    changed = change("beam-hardening", constant(100, 5, 5), level=level)
    assert changed[0] == pytest.approx(first_row, abs=1e-4)


def test_ct_beam_falls_off_in_a_straight_line() -> None:
    pixels = constant(150, 5, 2)
    pixels[:, 1] = 0  # so that nothing is cut at the least value
    changed = change("ct-beam", pixels, level="5")
    assert changed[:, 0] == pytest.approx([150, 133.125, 116.25, 99.375, 82.5])
    # The released code cuts at the least value: of a picture of one value nothing changes.
    assert (change("ct-beam", constant(150, 5, 1), level="5") == 150).all()


def test_pixelate_takes_the_first_of_two_pixels() -> None:
    ramp = np.tile(np.arange(10, dtype=np.uint8), (10, 1))
    changed = change("pixelate", ramp, level="3")
    assert changed.tolist() == [[0, 0, 2, 2, 4, 4, 6, 6, 8, 8]] * 10


def test_scale_keeps_the_share_of_the_area() -> None:
    changed = change("scale", constant(1, 100, 100), level="5")
    assert changed.sum() == pytest.approx(75 * 75)
    assert changed[12:87, 12:87].min() == pytest.approx(1)
    assert changed[:12].max() == 0


def test_vignette() -> None:
    changed = change("dermoscopy-artifacts", constant(1, 4, 4), level="5")
    # 1 - 0.5 d/2 with d from (2, 2): √8, √5, 2, √5 in the first row.
    assert changed[0] == pytest.approx([0.2929, 0.4410, 0.5, 0.4410], abs=1e-4)
    assert changed[2, 2] == 1


@pytest.mark.parametrize("level", ["1", "2", "3", "4", "5"])
@pytest.mark.parametrize("is_mask", [True, False])
def test_saving_undoes_under_exposure(level: str, is_mask: bool) -> None:
    pixels = np.random.default_rng(2).integers(0, 256, (48, 64, 3), dtype=np.uint8)
    pixels[0, 0], pixels[0, 1] = 0, 255
    honest = change("xray-underexposure", pixels, level=level, is_mask=is_mask)
    saved = change("xray-underexposure", pixels, level=f"{level}-published", is_mask=is_mask)
    assert np.abs(saved.astype(int) - pixels).max() <= 1
    assert likeness(pixels, saved) == pytest.approx(1, abs=1e-3)
    assert likeness(pixels, honest, yardstick="as-released") == pytest.approx(1, abs=1e-2)
    factor = {"1": 0.85, "2": 0.7, "3": 0.55, "4": 0.4, "5": 0.25}[level]
    assert honest.mean() == pytest.approx(factor * pixels.mean(), rel=0.01)


def test_saving_draws_colours_out_together_or_each_by_itself() -> None:
    pixels = np.zeros((2, 2, 3), dtype=np.uint8)
    pixels[0, :, 0], pixels[0, :, 1] = 200, 100
    together, apart = (
        find_effect("minmax").pixels(pixels, {"by_colour": each}) for each in (False, True)
    )
    assert together[0, 0].tolist() == [255, 127, 0]  # cut off, not rounded
    assert apart[0, 0].tolist() == [255, 255, 0]


def test_over_exposure_is_cut_at_the_greatest_value() -> None:
    pixels = np.array([[10, 60, 100]], dtype=np.uint8)
    assert change("xray-overexposure", pixels, level="5").tolist() == [[20, 100, 100]]


def test_the_grid_darkens_every_fourth_row() -> None:
    changed = change("xray-grid-artifact", constant(100, 9, 2), level="3")
    assert changed[:, 0].tolist() == pytest.approx([90, 100, 100, 100, 90, 100, 100, 100, 90])


def test_an_mri_ghost_comes_in_from_above_again() -> None:
    pixels = constant(0, 20, 1)
    pixels[19], pixels[4] = 100, 40
    changed = change("mri-ghost", pixels, level="5")  # a tenth lower: 2 rows, times 0.7
    assert changed[1, 0] == pytest.approx(70)
    assert changed[6, 0] == pytest.approx(28)


def test_ghosting_at_half_the_height() -> None:
    pixels = constant(0, 32, 32)
    pixels[4:9, 8:24] = 100
    changed = change("ghosting", pixels, level="1")
    # Two ghosts: 0.1 at half the height, 0.1/2^0.8 on the picture itself, then the old range.
    own = 1 + 0.1 / 2**0.8
    assert changed[6, 16] == pytest.approx(100, abs=0.5)
    assert changed[22, 16] == pytest.approx(100 * 0.1 / own, abs=0.5)


def test_noise_is_as_strong_as_stated() -> None:
    pixels = constant(100, 400, 400)
    pixels[0, :2] = (0, 200)
    noise = change("gaussian-noise", pixels, level="5") - pixels
    assert noise.std() == pytest.approx(0.08 * 200, rel=0.02)
    speckle = change("speckle-noise", pixels, level="3") - pixels
    assert speckle.std() == pytest.approx(0.15 * 100, rel=0.02)
    starved = change("photon-starvation", pixels, level="5") - pixels
    assert starved.std() == pytest.approx(0.15 * np.sqrt(101), rel=0.02)
    grain = change("speckle-artifacts", pixels, level="1")[1:] / 100
    assert np.log(grain).std() == pytest.approx(0.08, rel=0.02)
    assert grain.mean() == pytest.approx(1, abs=0.002)


def test_faulty_pixels_are_as_many_as_stated_and_the_same_in_all_colours() -> None:
    pixels = np.full((500, 500, 3), 90, dtype=np.uint8)
    pixels[0, 0], pixels[0, 1] = (10, 20, 30), (200, 210, 220)
    changed = change("salt-pepper-noise", pixels, level="5")
    salt = (changed[1:] == (200, 210, 220)).all(axis=2).mean()
    pepper = (changed[1:] == (10, 20, 30)).all(axis=2).mean()
    assert salt == pytest.approx(0.01, rel=0.15)
    assert pepper == pytest.approx(0.01, rel=0.15)
    assert (changed[1:] != 90).any(axis=2).mean() == pytest.approx(salt + pepper)


def test_motion_blur_keeps_brightness_where_the_released_code_does_not() -> None:
    point = constant(0, 41, 41)
    point[20, 20] = 1
    sums: list[float] = []
    for seed in range(60):
        values = {"length_px": 11, "seed": seed}
        blur = find_effect("motion-blur").pixels
        kept = blur(point, {**values, "keeps_brightness": True})
        lost = blur(point, {**values, "keeps_brightness": False})
        assert kept.sum() == pytest.approx(1, abs=1e-5)
        sums.append(float(lost.sum()))
        # All of it lies on one line through the point, 11 px long.
        y, x = np.nonzero(kept > 1e-6)
        y, x = y - 20, x - 20
        spread = np.linalg.svd(np.stack([y, x]) * np.sqrt(kept[kept > 1e-6]))[1]
        assert spread[1] < 0.6 < 2 < spread[0]
        assert np.hypot(y, x).max() <= 6
    assert min(sums) > 0.99  # along the axes and beside them
    assert 1.05 < max(sums) < 1.13  # aslant


def test_blood_takes_green_and_blue() -> None:
    pixels = np.full((200, 200, 3), 200, dtype=np.uint8)
    red, green, blue = (
        float(each) for each in change("blood", pixels, level="5").reshape(-1, 3).min(axis=0)
    )
    assert (red, green, blue) == (180, 100, 100)  # less 10, 50, 50 % where it lies fully


def test_a_window_narrows_by_half_its_shift() -> None:
    ramp = np.linspace(0, 200, 401, dtype=np.float32)[np.newaxis]
    changed = change("window-level", ramp, level="4")[0]
    steps = np.diff(changed)
    # Width 1 - 0.4/2: every step between the ends is 1/0.8 of what it was.
    assert np.median(steps[steps > 0]) == pytest.approx(0.5 / 0.8, rel=1e-3)


def test_motion_in_k_space_of_a_picture_without_columns_is_nothing() -> None:
    # Rows that hold one value each have no frequency along them: no phase changes them.
    pixels = np.repeat(np.linspace(0, 200, 64, dtype=np.float32)[:, np.newaxis], 64, axis=1)
    changed = change("motion-artifacts", pixels, level="5")
    assert changed == pytest.approx(pixels, abs=0.05)
    released = change("motion-artifacts", pixels, level="5-published")
    assert np.abs(released - pixels).max() > 5  # its phases are in another order


def test_shadows_and_blinks_leave_black_and_what_lies_beside() -> None:
    pixels = constant(100, 200, 200)
    column = change("shadow-artifacts", pixels, level="5")
    assert (column == column[:1]).all()
    assert column.min() == 0
    assert (column[0] == 100).mean() > 0.2
    rows = change("blink-artifacts", pixels, level="1")
    assert (rows == rows[:, :1]).all()
    black = (rows[:, 0] < 100).sum()
    assert 2 <= black <= 10


@pytest.mark.parametrize("sigma_px", [0.5, 3.0, 5.0, 8.0, 64.0])
@pytest.mark.parametrize("shape", [(60, 91), (47, 30, 3)])
def test_blur_is_that_of_an_independent_library(sigma_px: float, shape: tuple[int, ...]) -> None:
    pixels = np.random.default_rng(4).uniform(-1000, 1000, shape).astype(np.float32)
    ours = find_effect("gaussian-blur").pixels(pixels, {"sigma_px": sigma_px})
    # Kernels wider than the picture reflect it several times over; scipy does so too.
    sigmas = (sigma_px, sigma_px, 0)[: len(shape)]
    assert ours == pytest.approx(gaussian_filter(pixels, sigmas, truncate=4.0), abs=2e-3)


@pytest.mark.parametrize("part", [1 / 64, 1 / 16, 1 / 4])
@pytest.mark.parametrize("shape", [(60, 91), (90, 30, 3)])
def test_edges_are_continued_as_an_independent_library_does(
    part: float, shape: tuple[int, ...]
) -> None:
    pixels = np.random.default_rng(4).uniform(-1000, 1000, shape).astype(np.float32)
    ours = find_effect("blur").pixels(pixels, {"sigma_of_side": part})
    sigmas = (part * max(shape), part * max(shape), 0)[: len(shape)]
    theirs = gaussian_filter(pixels, sigmas, mode="nearest", truncate=4.0)
    assert ours == pytest.approx(theirs, abs=2e-3)
