from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from overread.analysis.picture_doses import Dosing, PictureDoses, ShownDose, picture_doses
from overread.imaging.encode import encode_png
from overread.report.picture_sheet import picture_sheet, remarks


def of_red(red: int) -> np.ndarray:
    """A colour that no letter has."""
    return np.full((40, 60, 3), (red, 0, 0), dtype=np.uint8)


def shown(level: str, red: int, ssim: float, in_band: bool | None) -> ShownDose:
    pixels = of_red(red)
    return ShownDose(
        level=level, effects=(), pixels=pixels, ssim=ssim, ssim_as_released=ssim, in_band=in_band
    )


def test_a_row_for_each_kind_and_a_column_for_each_dose() -> None:
    original = of_red(200)
    rows = (
        Dosing(kind="a", doses=(shown("1", 10, 0.9, None), shown("2", 20, 0.8, None))),
        Dosing(kind="b", doses=(shown("", 30, 0.7, None),)),
    )
    found = PictureDoses(pixels=original, way="plain", rows=rows, left_out=())
    with Image.open(io.BytesIO(picture_sheet(found, side_px=30))) as image:
        sheet = np.asarray(image)
    # 30 × 20 each: the unchanged one in both rows, then the doses.
    counts = {red: int((sheet == (red, 0, 0)).all(axis=2).sum()) for red in (200, 10, 30)}
    assert counts[200] >= 2 * 600
    assert counts[10] >= 600
    assert counts[30] >= 600
    first = np.argwhere((sheet == (10, 0, 0)).all(axis=2)).min(axis=0)
    second = np.argwhere((sheet == (30, 0, 0)).all(axis=2)).min(axis=0)
    assert first[1] == second[1]
    assert second[0] > first[0] + 20


def test_remarks_name_levels_without_their_way() -> None:
    row = Dosing(
        kind="a",
        doses=(
            shown("1-ssim", 10, 0.95, True),
            shown("2-ssim", 20, 0.7, False),
            shown("3-ssim", 20, 0.75, True),
        ),
    )
    assert remarks(row) == ("as the level before: 3", "not monotone", "outside its band: 2")
    assert remarks(Dosing(kind="a", doses=row.doses[:1])) == ()


@pytest.mark.parametrize("shape", [(30, 50), (50, 30, 3)])
def test_the_same_picture_gives_the_same_bytes(tmp_path: Path, shape: tuple[int, ...]) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)
    (tmp_path / "a.png").write_bytes(encode_png(pixels))
    sheets = [
        picture_sheet(picture_doses(tmp_path / "a.png", kinds=["pixelate"])) for _ in range(2)
    ]
    assert sheets[0] == sheets[1]
