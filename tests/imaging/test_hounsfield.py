from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from overread.imaging.hounsfield import calibration_warning


def test_a_calibrated_slice_has_no_warning(body_hu: NDArray[np.int16]) -> None:
    assert calibration_warning(body_hu) is None


def test_padding_beyond_the_field_of_view_is_no_air(body_hu: NDArray[np.int16]) -> None:
    padded = body_hu.copy()
    padded[:6] = -3024
    padded[-3:] = -2000
    assert calibration_warning(padded) is None


def test_a_crop_of_lung_is_fine() -> None:
    assert calibration_warning(np.full((20, 20), -860)) is None


def test_a_crop_of_liver_is_fine() -> None:
    assert calibration_warning(np.full((20, 20), 60)) is None


def test_a_lost_intercept_is_noticed(body_hu: NDArray[np.int16]) -> None:
    assert "no air near -1000 HU" in (calibration_warning(body_hu + 1024) or "")
    assert "no air near -1000 HU" in (calibration_warning(body_hu + 1000) or "")


def test_an_intercept_applied_twice_is_noticed(body_hu: NDArray[np.int16]) -> None:
    assert calibration_warning(body_hu - 1024) == (
        "values go down to -2024 HU, and hardly any tissue lies above -250 HU"
    )


def test_a_slope_that_halves_is_noticed(body_hu: NDArray[np.int16]) -> None:
    assert calibration_warning(body_hu * 0.5) == "air lies at -500 HU, not near -1000 HU"


def test_a_sign_read_wrongly_is_noticed(body_hu: NDArray[np.int16]) -> None:
    # Signed HU read as unsigned: air at 64536.
    assert calibration_warning(body_hu.view(np.uint16)) is not None


def test_nothing_but_nan_is_said() -> None:
    assert calibration_warning(np.full(4, np.nan)) == "no pixel has a value"
