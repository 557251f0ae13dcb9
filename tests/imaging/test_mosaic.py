from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.imaging.mosaic import mosaic, mosaic_shape


@pytest.mark.parametrize(
    ("count", "shape"),
    [(0, (0, 0)), (1, (1, 1)), (2, (1, 2)), (3, (2, 2)), (4, (2, 2)), (5, (2, 3)), (7, (3, 3)),
     (9, (3, 3)), (10, (3, 4)), (32, (6, 6))],
)  # fmt: skip
def test_known_grids(count: int, shape: tuple[int, int]) -> None:
    assert mosaic_shape(count) == shape


@given(count=st.integers(1, 500))
def test_a_grid_is_near_square_and_wastes_less_than_a_row(count: int) -> None:
    rows, columns = mosaic_shape(count)
    assert 0 <= rows * columns - count < columns
    assert 0 <= columns - rows <= 1


def test_slices_go_row_by_row() -> None:
    slices = [np.full((40, 60), 10 * n, dtype=np.uint8) for n in range(1, 6)]
    tiled = mosaic(slices)
    assert tiled.shape == (80, 180)
    centres = tiled[20::40, 30::60]
    assert centres.tolist() == [[10, 20, 30], [40, 50, 0]]


def test_every_tile_bears_its_own_number() -> None:
    slices = [np.zeros((100, 100), dtype=np.uint8)] * 12
    tiled = mosaic(slices)
    labels = [
        tiled[y : y + 10, x : x + 10].tobytes() for y in (0, 100, 200) for x in (0, 100, 200, 300)
    ]
    assert len(set(labels)) == 12
    # "1": five rows of dots, the foot three dots wide, a dark rim around.
    assert (tiled[:7, :5] > 0).astype(int).tolist() == [
        [0, 0, 0, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 1, 1, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 1, 1, 1, 0],
        [0, 0, 0, 0, 0],
    ]


def test_smaller_slices_are_centred_and_one_in_colour_makes_all_in_colour() -> None:
    small = np.full((20, 20), 200, dtype=np.uint8)
    large = np.zeros((60, 60, 3), dtype=np.uint8)
    tiled = mosaic([large, small])
    assert tiled.shape == (60, 120, 3)
    assert (tiled[20:40, 80:100] == 200).all()
    assert not tiled[45:, 60:].any()


def test_a_tiny_tile_is_not_covered_by_its_number() -> None:
    assert not mosaic([np.zeros((8, 8), dtype=np.uint8)] * 4).any()


def test_no_slices_are_no_mosaic() -> None:
    with pytest.raises(ValueError, match="at least one slice"):
        mosaic([])
