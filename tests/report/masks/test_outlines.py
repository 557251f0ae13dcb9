"""Outlines as SVG paths: they enclose exactly the pixels of the mask."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.typing import NDArray
from skimage.draw import polygon2mask

from overread.report.masks.outlines import outline


def loops(path: str) -> list[NDArray[np.float64]]:
    """Read the corners of each closed line, as (x, y) in pixels."""
    found: list[NDArray[np.float64]] = []
    for piece in filter(None, path.split("z")):
        numbers = [int(n) for n in re.findall(r"-?\d+", piece)]
        places = np.cumsum(np.array(numbers).reshape(-1, 2), axis=0)
        found.append(places / 2)
    return found


def filled(path: str, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Fill a path by the even-odd rule, and look at the centres of pixels."""
    inside = np.zeros(shape, bool)
    for loop in loops(path):
        # polygon2mask takes (row, column) with pixel centres at whole numbers.
        inside ^= polygon2mask(shape, loop[:, ::-1] - 0.5)
    return inside


def test_one_pixel_is_a_diamond_around_its_centre() -> None:
    mask = np.zeros((3, 5), bool)
    mask[1, 3] = True
    (loop,) = loops(outline(mask))
    assert sorted(map(tuple, loop.tolist())) == [(3.0, 1.5), (3.5, 1.0), (3.5, 2.0), (4.0, 1.5)]


def test_an_empty_mask_has_no_line() -> None:
    assert outline(np.zeros((4, 4), bool)) == ""


def test_a_hole_is_a_line_of_its_own() -> None:
    mask = np.ones((7, 7), bool)
    mask[3, 3] = False
    assert len(loops(outline(mask))) == 2


def test_a_mask_at_the_border_is_closed_within_half_a_pixel_of_it() -> None:
    (loop,) = loops(outline(np.ones((2, 3), bool)))
    assert (loop.min(axis=0).tolist(), loop.max(axis=0).tolist()) == ([0, 0], [3, 2])


@pytest.mark.parametrize("seed", range(6))
def test_the_filled_outline_is_the_mask(seed: int) -> None:
    rng = np.random.default_rng(seed)
    smooth = rng.normal(size=(24, 31))
    for _ in range(3 if seed % 2 else 1):
        smooth += np.roll(smooth, 1, 0) + np.roll(smooth, 1, 1)
    mask = smooth > np.quantile(smooth, 0.6)
    assert np.array_equal(filled(outline(mask), (24, 31)), mask)


def test_an_outline_is_small() -> None:
    rows, columns = np.mgrid[:200, :200]
    disc = (rows - 100) ** 2 + (columns - 100) ** 2 < 80**2
    assert len(outline(disc)) < 1500
