from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from overread.errors import ImageError
from overread.imaging.geometry import LPS_FROM_RAS, geometry_of
from overread.imaging.reorient import AXES_CODES


def affine_of(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    affine = np.eye(4)
    affine[:3, :3] = matrix
    affine[:3, 3] = 12, -34, 56
    return affine


def turned(angle_deg: float) -> NDArray[np.float64]:
    """Turn around the long axis of the patient."""
    c, s = np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def test_every_direction_is_named(directions_lps: Callable[[str], NDArray[np.float64]]) -> None:
    for code in AXES_CODES:
        affine = affine_of(directions_lps(code) * np.array([0.7, 0.8, 2.5]))
        geometry = geometry_of(affine, (4, 5, 6), source="scan")
        assert geometry.axes == code
        assert geometry.spacing_mm == pytest.approx((0.7, 0.8, 2.5))
        assert geometry.oblique_deg == 0
        assert geometry.warnings() == ()


def test_shape_and_spacing_follow_the_axes() -> None:
    geometry = geometry_of(np.diag([-0.7, -0.8, 2.5, 1]), (4, 5, 6), source="scan")
    assert geometry.axes == "RAS"
    shape, spacing_mm = geometry.along("SPL")
    assert (shape, spacing_mm) == ((6, 5, 4), (2.5, 0.8, 0.7))


def test_nifti_counts_the_other_way() -> None:
    ras = np.diag([1.0, 1.0, 1.0, 1.0])
    assert geometry_of(LPS_FROM_RAS @ ras, (2, 2, 2), source="scan").axes == "RAS"


def test_an_oblique_grid_goes_through_and_is_said() -> None:
    geometry = geometry_of(affine_of(turned(20) * 2.0), (4, 5, 6), source="scan")
    assert geometry.axes == "LPS"
    assert geometry.oblique_deg == pytest.approx(20)
    assert geometry.warnings() == (
        "the grid is turned by 20° against the patient: its axes are named by the nearest "
        "directions, LPS",
    )
    # At 45° two axes are as near to one direction: each is still named once.
    assert len(set(geometry_of(affine_of(turned(45)), (4, 5, 6), source="scan").axes)) == 3


def test_rounded_headers_are_no_shear() -> None:
    matrix = np.round(turned(7.3), 4) * 0.68359
    assert geometry_of(affine_of(matrix), (4, 5, 6), source="scan").axes == "LPS"


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.diag([1.0, 1.0, 0.0]), "a spacing of 1 × 1 × 0 mm"),
        (np.diag([1.0, 1.0, 5e4]), "a spacing of 1 × 1 × 50000 mm"),
        (np.diag([1.0, np.nan, 1.0]), "values that are no number"),
        (np.diag([1.0, np.inf, 1.0]), "values that are no number"),
        (np.array([[1.0, 0, 1], [0, 1, 0], [0, 0, 1e-6]]), "axes that lie in one plane"),
        # A gantry tilted by 15°: each slice is shifted against the one before.
        (
            np.array([[1.0, 0, 0], [0, 1, np.sin(np.radians(15))], [0, 0, np.cos(np.radians(15))]]),
            r"a sheared grid \(15.0° off a right angle\)",
        ),
    ],
)
def test_what_is_no_grid_is_refused(matrix: NDArray[np.float64], message: str) -> None:
    with pytest.raises(
        ImageError, match=f"scan: expected a volume on a rectangular grid, got {message}"
    ):
        geometry_of(affine_of(matrix), (4, 5, 6), source="scan")
