from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from overread.analysis.picture_doses import Dosing, ShownDose, picture_doses
from overread.errors import ImageError, UsageError
from overread.imaging.calibration import BANDS
from overread.imaging.encode import encode_png
from overread.records import Box

QUICK = ("gaussian-noise", "rotation", "beam-hardening", "mirror", "roi-mask", "no-image", "blood")
BOX = Box(x_min=5, y_min=5, x_max=30, y_max=20)


@pytest.fixture
def image(tmp_path: Path) -> Path:
    y, x = np.mgrid[:64, :80]
    grey = 120 + 50 * np.sin(x / 9) + 40 * np.cos(y / 5)
    noise = np.random.default_rng(2).normal(0, 6, grey.shape)
    path = tmp_path / "one.png"
    path.write_bytes(encode_png((grey + noise).clip(0, 255).astype(np.uint8)))
    return path


def test_every_kind_of_pixels_is_shown_in_its_doses(image: Path) -> None:
    found = picture_doses(image, boxes=[BOX], kinds=QUICK)
    levels = {row.kind: [dose.level for dose in row.doses] for row in found.rows}
    assert levels == {
        "gaussian-noise": list(BANDS),
        "rotation": list(BANDS),
        "beam-hardening": list(BANDS),
        "mirror": [""],
        "roi-mask": ["whole"],
        "blood": list(BANDS),
    }
    assert not found.left_out  # taking the picture away is no change of pixels
    for row in found.rows:
        assert all(0 <= dose.ssim < 1 for dose in row.doses)
        assert all(dose.pixels.shape == found.pixels.shape for dose in row.doses)
    masked = next(row for row in found.rows if row.kind == "roi-mask").doses[0].pixels
    assert (masked[5:21, 5:31] == 128).all()


def test_doses_of_a_kind_draw_alike(image: Path) -> None:
    (row,) = picture_doses(image, kinds=["rotation"]).rows
    seeds = {dict(dose.effects[0].parameters)["seed"] for dose in row.doses}
    assert len(seeds) == 1
    assert picture_doses(image, kinds=["rotation"]).rows[0].doses[0].ssim == row.doses[0].ssim


def test_what_does_not_apply_is_left_out_with_its_reason(image: Path) -> None:
    found = picture_doses(image, modality="ct", kinds=QUICK)
    assert {one.kind: one.reason for one in found.left_out} == {
        "roi-mask": "it has no box",
        "blood": "it is made for endoscopy",
    }
    assert [row.kind for row in found.rows] == [
        "gaussian-noise", "rotation", "beam-hardening", "mirror",
    ]  # fmt: skip


def test_doses_by_likeness_tell_whether_they_got_there(image: Path) -> None:
    found = picture_doses(image, way="ssim", kinds=["gaussian-noise", "mirror", "blood"])
    noise, blood = found.rows
    assert all(dose.in_band for dose in noise.doses)
    assert noise.is_monotone
    assert not noise.alike
    assert blood.doses[-1].in_band is False  # it cannot make a picture so unlike


def test_levels_are_one_picture_where_the_released_code_calibrates(image: Path) -> None:
    (row,) = picture_doses(image, way="published-ssim", is_mask=True, kinds=["beam-hardening"]).rows
    assert row.alike == tuple(f"{level}-published-ssim" for level in "2345")


def test_under_exposure_is_no_change_as_published(image: Path) -> None:
    (row,) = picture_doses(image, way="published", kinds=["xray-underexposure"]).rows
    assert all(dose.ssim_as_released == pytest.approx(1, abs=1e-3) for dose in row.doses)
    assert len({dose.ssim for dose in row.doses}) <= 5
    assert max(dose.ssim for dose in row.doses) - min(dose.ssim for dose in row.doses) < 0.01


def test_a_dose_that_is_more_like_than_the_one_before_is_told() -> None:
    def shown(level: str, ssim: float, grey: int) -> ShownDose:
        pixels = np.full((8, 8), grey, dtype=np.uint8)
        return ShownDose(
            level=level, effects=(), pixels=pixels, ssim=ssim, ssim_as_released=ssim, in_band=None
        )

    falling = Dosing(kind="x", doses=(shown("1", 0.9, 1), shown("2", 0.904, 2)))
    rising = Dosing(kind="x", doses=(shown("1", 0.9, 1), shown("2", 0.92, 1)))
    assert falling.is_monotone
    assert falling.alike == ()
    assert not rising.is_monotone
    assert rising.alike == ("2",)


def test_what_cannot_be_shown_is_refused(image: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--modality: expected one of xray, ct"):
        picture_doses(image, modality="petrography")
    with pytest.raises(UsageError, match="perturbation"):
        picture_doses(image, kinds=["no-such-kind"])
    with pytest.raises(ImageError):
        picture_doses(tmp_path / "absent.png", kinds=["mirror"])
