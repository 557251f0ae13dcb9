from __future__ import annotations

import contextlib
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from overread.errors import ImageError
from overread.imaging.header import read_header

HERE = Path("picture")


def encoded(mode: str, form: str, **options: object) -> bytes:
    stream = io.BytesIO()
    noise = np.random.default_rng(1).integers(0, 256, (30, 50, 3), dtype=np.uint8)
    Image.fromarray(noise).convert(mode).save(stream, format=form, **options)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("mode", "bits", "channels"),
    [("L", 8, 1), ("RGB", 8, 3), ("RGBA", 8, 4), ("LA", 8, 2), ("1", 1, 1), ("P", 8, 3)],
)
def test_a_png_says_what_it_is(mode: str, bits: int, channels: int) -> None:
    header = read_header(encoded(mode, "PNG"), HERE)
    assert (header.media_type, header.width, header.height) == ("image/png", 50, 30)
    assert (header.bits, header.channels, header.upright) == (bits, channels, True)


@pytest.mark.parametrize(("mode", "channels"), [("L", 1), ("RGB", 3), ("CMYK", 4)])
@pytest.mark.parametrize("progressive", [False, True])
def test_a_jpeg_says_what_it_is(mode: str, channels: int, progressive: bool) -> None:
    header = read_header(encoded(mode, "JPEG", progressive=progressive), HERE)
    assert (header.media_type, header.width, header.height) == ("image/jpeg", 50, 30)
    assert (header.bits, header.channels, header.upright) == (8, channels, True)


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
@pytest.mark.parametrize(("orientation", "upright"), [(1, True), (3, False), (6, False)])
def test_a_picture_that_asks_for_a_turn_is_not_upright(
    form: str, orientation: int, upright: bool
) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    assert read_header(encoded("RGB", form, exif=exif), HERE).upright is upright


def test_a_16_bit_png_is_told_by_its_bits() -> None:
    stream = io.BytesIO()
    Image.fromarray(np.zeros((4, 5), dtype=np.uint16)).save(stream, format="PNG")
    header = read_header(stream.getvalue(), HERE)
    assert (header.bits, header.channels) == (16, 1)


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_file_that_is_cut_off_is_found(form: str, share: float) -> None:
    data = encoded("RGB", form)
    with pytest.raises(ImageError, match="whole PNG or JPEG"):
        read_header(data[: int(share * len(data))], HERE)


def test_one_changed_byte_of_a_png_is_found() -> None:
    data = bytearray(encoded("L", "PNG"))
    data[len(data) // 2] ^= 1
    with pytest.raises(ImageError, match="checksum"):
        read_header(bytes(data), HERE)


def test_a_png_without_pixels_is_refused() -> None:
    data = encoded("L", "PNG")
    with pytest.raises(ImageError, match="without pixels"):
        read_header(data[:33] + data[-12:], HERE)


def test_text_with_a_picture_name_is_refused() -> None:
    with pytest.raises(ImageError):
        read_header(b"<html>not found</html>", HERE)


@settings(max_examples=200, deadline=None)
@given(
    start=st.sampled_from(
        [b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"\xff\xd8\xff\xe1\x00\x20"]
    ),
    rest=st.binary(max_size=200),
)
def test_no_bytes_do_anything_but_raise_an_image_error(start: bytes, rest: bytes) -> None:
    with contextlib.suppress(ImageError):
        read_header(start + rest, HERE)


@settings(max_examples=200, deadline=None)
@given(place=st.integers(2, 10_000), value=st.integers(0, 255), form=st.sampled_from(["JPEG"]))
def test_a_jpeg_with_a_changed_byte_gives_a_header_or_an_image_error(
    place: int, value: int, form: str
) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    data = bytearray(encoded("RGB", form, exif=exif))
    data[place % len(data)] = value
    try:
        header = read_header(bytes(data), HERE)
    except ImageError:
        return
    assert header.width >= 1
