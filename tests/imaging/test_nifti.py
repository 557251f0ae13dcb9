from __future__ import annotations

import gzip
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from overread.errors import ImageError
from overread.imaging.nifti import read_nifti

Writer = Callable[..., Path]

RAS = np.diag([2.0, 3.0, 5.0, 1.0])
LPS = np.diag([-2.0, -3.0, 5.0, 1.0])


def volume(slice_hu: NDArray[np.int16]) -> NDArray[np.int16]:
    """Three slices in voxel order (x, y, z), stored as LPS; the middle one is the slice."""
    return np.stack([slice_hu - 1, slice_hu, slice_hu + 1], axis=-1).swapaxes(0, 1)


def test_a_volume_in_lps_is_shown_as_it_lies(
    body_hu: NDArray[np.int16], write_nifti: Writer
) -> None:
    stored = read_nifti(write_nifti(volume(body_hu), LPS), index=1)
    assert (stored.unit, stored.orientation, stored.warnings) == ("hu", "LP", ())
    assert stored.spacing_mm == (2, 3)
    assert np.array_equal(stored.pixels, body_hu)


def test_a_volume_in_ras_is_turned_by_half_a_circle(
    body_hu: NDArray[np.int16], write_nifti: Writer
) -> None:
    stored = read_nifti(write_nifti(volume(body_hu)[::-1, ::-1], RAS), index=1)
    assert stored.orientation == "LP"
    assert np.array_equal(stored.pixels, body_hu)


def test_axes_in_another_order_are_put_right(
    body_hu: NDArray[np.int16], write_nifti: Writer
) -> None:
    # First voxel axis runs to posterior, second to left.
    affine = np.array([[0, -2.0, 0, 0], [-3.0, 0, 0, 0], [0, 0, 5, 0], [0, 0, 0, 1]])
    stored = read_nifti(write_nifti(volume(body_hu).swapaxes(0, 1), affine), index=1)
    assert np.array_equal(stored.pixels, body_hu)
    assert stored.spacing_mm == (2, 3)


def test_a_coronal_slice_has_the_head_on_top(write_nifti: Writer) -> None:
    voxels = np.zeros((4, 6, 1), dtype=np.int16)
    voxels[3, 5, 0] = -1000  # right-most and superior-most: upper left of the picture
    affine = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
    stored = read_nifti(write_nifti(voxels, affine))
    assert stored.orientation == "LI"
    assert stored.pixels.shape == (6, 4)
    assert stored.pixels[0, 0] == -1000


def test_the_files_own_scaling_is_applied(body_hu: NDArray[np.int16], write_nifti: Writer) -> None:
    stored_numbers = (volume(body_hu) - volume(body_hu) % 2 + 1000) // 2
    path = write_nifti(stored_numbers, LPS, slope=2.0, inter=-1000.0)
    with gzip.open(path) as file:
        assert np.frombuffer(file.read()[352:], dtype=np.int16).min() == -1
    assert np.array_equal(read_nifti(path, index=1).pixels, body_hu)


def test_numbers_without_air_have_no_scale(write_nifti: Writer) -> None:
    voxels = np.arange(24, dtype=np.uint8).reshape(4, 3, 2)
    stored = read_nifti(write_nifti(voxels, LPS), index=0)
    assert (stored.unit, stored.warnings) == ("raw", ())


def test_a_missing_orientation_is_said(body_hu: NDArray[np.int16], write_nifti: Writer) -> None:
    stored = read_nifti(write_nifti(volume(body_hu), None), index=1)
    assert stored.warnings == ("the header states no orientation: turned by its default",)


def test_pixels_that_are_no_number_are_counted(
    body_hu: NDArray[np.int16], write_nifti: Writer
) -> None:
    voxels = volume(body_hu).astype(np.float32)
    voxels[0, :2, 1] = np.nan
    stored = read_nifti(write_nifti(voxels, LPS), index=1)
    assert stored.unit == "hu"
    assert stored.warnings == ("2 pixels are no number: shown black",)


def test_the_slice_must_be_named_and_exist(body_hu: NDArray[np.int16], write_nifti: Writer) -> None:
    path = write_nifti(volume(body_hu), LPS)
    with pytest.raises(ImageError, match="no slice number for 3 slices"):
        read_nifti(path)
    for index in (3, -1):
        with pytest.raises(ImageError, match=f"slice {index} of 3"):
            read_nifti(path, index=index)


def test_a_single_slice_needs_no_number(body_hu: NDArray[np.int16], write_nifti: Writer) -> None:
    one = body_hu.T
    for voxels in (one, one[:, :, None], one[:, :, None, None]):
        stored = read_nifti(write_nifti(np.ascontiguousarray(voxels), LPS))
        assert np.array_equal(stored.pixels, body_hu)


def test_a_series_of_volumes_and_colour_are_refused(write_nifti: Writer) -> None:
    with pytest.raises(ImageError, match="4 dimensions"):
        read_nifti(write_nifti(np.zeros((3, 3, 3, 2), dtype=np.int16), LPS), index=0)
    colour = np.zeros((3, 3, 1), dtype=[("R", "u1"), ("G", "u1"), ("B", "u1")])
    with pytest.raises(ImageError, match="numbers of kind 'V'"):
        read_nifti(write_nifti(colour, LPS))


def test_a_file_that_is_cut_off_is_refused(body_hu: NDArray[np.int16], write_nifti: Writer) -> None:
    noise = np.random.default_rng(0).integers(-1000, 1000, (60, 40, 3)).astype(np.int16)
    for name in ("scan.nii.gz", "scan.nii"):
        path = write_nifti(noise, LPS, name)
        data = path.read_bytes()
        for share in (0.01, 0.5):
            path.write_bytes(data[: int(share * len(data))])
            with pytest.raises(ImageError, match="expected a NIfTI volume"):
                read_nifti(path, index=2)


def test_a_header_that_claims_a_giant_is_refused(
    body_hu: NDArray[np.int16], write_nifti: Writer
) -> None:
    path = write_nifti(volume(body_hu), LPS, "scan.nii")
    data = bytearray(path.read_bytes())
    data[42:48] = struct.pack("<3h", 30_000, 30_000, 30_000)
    path.write_bytes(data)
    with pytest.raises(ImageError, match="30000 × 30000 × 30000 voxels in its header"):
        read_nifti(path, index=0)
