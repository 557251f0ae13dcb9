from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from overread.imaging.encode import encode_png, shrink


@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 3)])
def test_png_keeps_every_pixel_and_holds_nothing_else(shape: tuple[int, ...]) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    data = encode_png(pixels)
    opened = Image.open(io.BytesIO(data))
    assert np.array_equal(np.asarray(opened), pixels)
    assert opened.info == {}
    assert data == encode_png(pixels)


def test_pixels_that_are_a_view_are_encoded_as_seen() -> None:
    pixels = np.arange(20, dtype=np.uint8).reshape(4, 5)[::-1, ::-1]
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(encode_png(pixels)))), pixels)


def test_shrinking_bounds_the_longer_side_and_keeps_proportions() -> None:
    picture = np.full((300, 600), 77, dtype=np.uint8)
    assert shrink(picture, 200).shape == (100, 200)
    assert (shrink(picture, 200) == 77).all()
    assert shrink(np.zeros((600, 200, 3), dtype=np.uint8), 300).shape == (300, 100, 3)


def test_a_picture_that_fits_is_left_alone() -> None:
    picture = np.random.default_rng(0).integers(0, 256, (30, 40), dtype=np.uint8)
    assert np.array_equal(shrink(picture, 40), picture)
    assert np.array_equal(shrink(picture, None), picture)


def test_the_short_side_of_a_thin_picture_never_vanishes() -> None:
    assert shrink(np.zeros((1, 1000), dtype=np.uint8), 100).shape == (1, 100)
