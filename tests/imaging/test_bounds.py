from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from overread.errors import ImageError
from overread.imaging.bounds import (
    MAX_PIXELS,
    MAX_VOXELS,
    check_file,
    check_pixels,
    check_voxels,
)
from overread.imaging.read import read_slice

HERE = Path("x.png")


def test_the_bound_itself_is_allowed_and_one_more_is_not() -> None:
    check_pixels(HERE, width=8000, height=8000)
    assert MAX_PIXELS == 8000 * 8000
    with pytest.raises(ImageError, match=r"8,001 × 8,000 pixels in its header"):
        check_pixels(HERE, width=8001, height=8000)


@pytest.mark.parametrize(("width", "height"), [(0, 5), (5, 0), (-1, 5)])
def test_a_picture_without_a_side_is_refused(width: int, height: int) -> None:
    with pytest.raises(ImageError):
        check_pixels(HERE, width=width, height=height)


def test_voxels_are_counted_without_overflow() -> None:
    check_voxels(HERE, (512, 512, 4096))
    assert MAX_VOXELS == 512 * 512 * 4096
    with pytest.raises(ImageError):
        check_voxels(HERE, (32767,) * 7)
    with pytest.raises(ImageError):
        check_voxels(HERE, ())
    with pytest.raises(ImageError):
        check_voxels(HERE, (512, 0, 3))


def test_a_png_that_claims_20000_by_20000_is_refused_unopened(
    png_header: Callable[[int, int], Path],
) -> None:
    path = png_header(20_000, 20_000)
    with pytest.raises(ImageError, match=r"20,000 × 20,000 pixels in its header.*not opened"):
        read_slice(path)


def test_absent_empty_and_large_files_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="No such file"):
        check_file(tmp_path / "absent.png")
    (tmp_path / "empty.png").write_bytes(b"")
    with pytest.raises(ImageError, match="got 0 bytes"):
        check_file(tmp_path / "empty.png")
    (tmp_path / "large.png").write_bytes(b"12345")
    assert check_file(tmp_path / "large.png") == 5
    with pytest.raises(ImageError, match="1 to 4 bytes, got 5 bytes"):
        check_file(tmp_path / "large.png", max_bytes=4)


def test_a_pipe_and_a_folder_are_no_pictures(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.png")
    for path in (tmp_path / "pipe.png", tmp_path):
        with pytest.raises(ImageError, match="no plain file"):
            read_slice(path)
