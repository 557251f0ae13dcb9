from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from overread.errors import ImageError
from overread.imaging.picture_file import read_picture


def test_a_16_bit_grey_png_is_hu_plus_32768(
    body_hu: NDArray[np.int16], write_png16: Callable[[NDArray[Any], str], Path]
) -> None:
    path = write_png16(body_hu, "key.png")
    assert np.asarray(Image.open(path))[0, 0] == 31768  # -1000 HU, as DeepLesion stores it
    stored = read_picture(path)
    assert stored.unit == "hu"
    assert stored.warnings == ()
    assert np.array_equal(stored.pixels, body_hu)


def test_hu_at_both_ends_of_16_bits(write_png16: Callable[[NDArray[Any], str], Path]) -> None:
    ends = np.array([[-32768, 32767], [-1000, 0]])
    assert np.array_equal(read_picture(write_png16(ends, "ends.png")).pixels, ends)


def test_a_16_bit_png_without_the_offset_is_warned_about(
    body_hu: NDArray[np.int16], tmp_path: Path
) -> None:
    Image.fromarray((body_hu + 1024).astype(np.uint16)).save(tmp_path / "raw.png")
    assert "not near -1000 HU" in read_picture(tmp_path / "raw.png").warnings[0]


def test_8_bit_pictures_are_shown_as_they_are(tmp_path: Path) -> None:
    grey = np.arange(12, dtype=np.uint8).reshape(3, 4)
    Image.fromarray(grey).save(tmp_path / "grey.png")
    stored = read_picture(tmp_path / "grey.png")
    assert (stored.unit, stored.spacing_mm, stored.orientation) == ("display", None, "as stored")
    assert np.array_equal(stored.pixels, grey)

    colour = np.dstack([grey, grey + 1, grey + 2])
    Image.fromarray(colour).save(tmp_path / "colour.png")
    assert np.array_equal(read_picture(tmp_path / "colour.png").pixels, colour)


def test_palette_transparency_and_black_and_white_become_grey_or_colour(tmp_path: Path) -> None:
    palette = Image.new("P", (2, 1))
    palette.putpalette([10, 20, 30, 200, 100, 50])
    palette.putdata([0, 1])
    palette.save(tmp_path / "p.png")
    assert read_picture(tmp_path / "p.png").pixels.tolist() == [[[10, 20, 30], [200, 100, 50]]]

    clear = np.array([[[200, 100, 50, 255], [200, 100, 50, 0]]], dtype=np.uint8)
    Image.fromarray(clear).save(tmp_path / "rgba.png")
    assert read_picture(tmp_path / "rgba.png").pixels.tolist() == [[[200, 100, 50], [0, 0, 0]]]

    Image.fromarray(np.array([[True, False]])).save(tmp_path / "bits.png")
    assert read_picture(tmp_path / "bits.png").pixels.tolist() == [[255, 0]]


def test_a_picture_that_asks_for_a_turn_gets_it(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be shown turned by a quarter clockwise
    grey = np.zeros((16, 32), dtype=np.uint8)
    grey[:8, :8] = 255
    Image.fromarray(grey).save(tmp_path / "photo.png", exif=exif)
    shown = read_picture(tmp_path / "photo.png").pixels
    assert shown.shape == (32, 16)
    assert (shown[:8, 8:] == 255).all()


def test_a_picture_whose_checksums_fit_and_whose_pixels_do_not_is_refused(
    png_header: Callable[[int, int], Path],
) -> None:
    with pytest.raises(ImageError, match="cannot be decoded"):
        read_picture(png_header(40, 40))


@pytest.mark.parametrize(
    "content", [b"<html>404</html>", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0"]
)
def test_a_file_that_is_no_picture_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.png").write_bytes(content)
    with pytest.raises(ImageError, match=r"x\.png: expected a whole PNG or JPEG"):
        read_picture(tmp_path / "x.png")
