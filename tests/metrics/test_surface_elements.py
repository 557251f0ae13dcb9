"""Where surfaces lie: counted by hand, and against a plain loop over voxels."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from overread.metrics.surface_elements import border_voxels, element_areas, surface_codes

SHAPES = st.sampled_from([(3, 4), (4, 2), (3, 2, 3), (2, 4, 2)])


@st.composite
def masks(draw: st.DrawFn) -> NDArray[np.bool_]:
    return draw(arrays.arrays(np.bool_, draw(SHAPES)))


def surface(mask: NDArray[np.bool_], spacing: tuple[float, ...]) -> float:
    codes = surface_codes(np.pad(mask.view(np.uint8), 1))
    return float(element_areas(spacing)[codes].sum())


def test_a_voxel_is_an_octahedron() -> None:
    # Each of the 8 corners of the voxel is cut by a triangle through the middles of three edges.
    triangle = math.sqrt((2 * 3) ** 2 + (1 * 3) ** 2 + (1 * 2) ** 2) / 8
    assert surface(np.ones((1, 1, 1), np.bool_), (1.0, 2.0, 3.0)) == pytest.approx(8 * triangle)


def test_a_pixel_is_a_rhomb() -> None:
    assert surface(np.ones((1, 1), np.bool_), (3.0, 4.0)) == pytest.approx(4 * 2.5)


def test_a_large_cube_has_nearly_its_six_faces() -> None:
    # Faces of (n - 1)² mm², 12 edges cut at 45 degrees of (n - 1)·√½ mm², 8 corners cut off.
    n = 20
    by_hand = 6 * (n - 1) ** 2 + 12 * (n - 1) * math.sqrt(0.5) + 8 * math.sqrt(3) / 8
    assert surface(np.ones((n, n, n), np.bool_), (1.0, 1.0, 1.0)) == pytest.approx(by_hand)


def test_a_long_bar_has_its_outline() -> None:
    # In a bar of 1 × 1 voxels each piece along it is a square of side √½ set on its edge.
    def bar(n: int) -> float:
        return surface(np.ones((n, 1, 1), np.bool_), (1.0, 1.0, 1.0))

    assert bar(9) - bar(8) == pytest.approx(4 * math.sqrt(0.5))


@pytest.mark.parametrize(
    ("voxels", "area"),
    [
        ([(0, 0, 0)], math.sqrt(3) / 8),
        ([(0, 0, 0), (0, 0, 1)], math.sqrt(2) / 2),
        ([(0, 0, 0), (0, 1, 1)], 2 * math.sqrt(3) / 8),
        ([(0, 0, 0), (1, 1, 1)], 2 * math.sqrt(3) / 8),
        ([(0, 0, 0), (0, 0, 1), (0, 1, 0)], 3 * math.sqrt(3) / 8 + 1 / 2),
        ([(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1)], 1.0),
        ([(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0)], 3 * math.sqrt(3) / 4),
        ([(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1)], math.sqrt(3) / 2 + math.sqrt(2) / 2),
        ([(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)], 4 * math.sqrt(3) / 8),
    ],
)
def test_every_shape_at_a_corner_has_its_area(
    voxels: list[tuple[int, int, int]], area: float
) -> None:
    # As google-deepmind/surface-distance at 1f805ce, whose table has the same 9 shapes, one more
    # made of two of them, and for five or more voxels those of the empty rest.
    corner = np.zeros((2, 2, 2), np.uint8)
    corner[tuple(np.array(voxels).T)] = 1
    for solid in (corner, 1 - corner):
        for axes in ((0, 1, 2), (2, 0, 1), (1, 0, 2)):
            turned = np.ascontiguousarray(solid.transpose(axes)[::-1])
            code = surface_codes(turned)[0, 0, 0]
            assert element_areas((1.0, 1.0, 1.0))[code] == pytest.approx(area)


def test_nothing_and_everything_have_no_surface() -> None:
    for areas in (element_areas((1.0, 2.0)), element_areas((1.0, 2.0, 3.0))):
        assert areas[0] == areas[-1] == 0.0
        assert (areas[1:-1] > 0).all()


@given(masks(), st.floats(0.1, 9.0))
@settings(deadline=None)
def test_areas_grow_with_the_square_of_the_spacing(mask: NDArray[np.bool_], factor: float) -> None:
    spacing = (0.7, 1.5, 2.0)[: mask.ndim]
    larger = tuple(factor * one for one in spacing)
    power = mask.ndim - 1
    assert surface(mask, larger) == pytest.approx(factor**power * surface(mask, spacing))


@given(masks())
@settings(deadline=None)
def test_a_mask_and_its_surroundings_share_their_surface(mask: NDArray[np.bool_]) -> None:
    codes = surface_codes(np.pad(mask.view(np.uint8), 1))
    around = surface_codes(1 - np.pad(mask.view(np.uint8), 1))
    assert ((codes == 0) == (around == 0)).all()
    areas = element_areas((1.0, 2.0, 3.0)[: mask.ndim])
    np.testing.assert_allclose(areas[codes], areas[around])


@pytest.mark.parametrize("axes", [1, 2, 3])
@given(mask=masks())
@settings(deadline=None)
def test_border_voxels_have_a_neighbour_outside(mask: NDArray[np.bool_], axes: int) -> None:
    padded = np.pad(mask, 1)
    near = [o for o in product((-1, 0, 1), repeat=mask.ndim) if 0 < sum(map(abs, o)) <= axes]
    by_loop = np.zeros_like(padded)
    for place in np.argwhere(padded):
        by_loop[tuple(place)] = not all(padded[tuple(place + step)] for step in near)
    for order in ("C", "F"):
        found = border_voxels(np.array(padded, order=order), axes)
        np.testing.assert_array_equal(found, by_loop)
