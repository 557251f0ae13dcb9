from __future__ import annotations

import gzip
import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nibabel
import numpy as np
import pytest
from numpy.typing import NDArray

from overread.errors import ImageError
from overread.imaging.nifti_volume import read_nifti_volume
from overread.imaging.prepare import prepare_array
from overread.imaging.recipes import recipe_named
from overread.imaging.reorient import AXES_CODES

Writer = Callable[..., Path]
LPS = np.diag([-2.0, -3.0, 4.0, 1.0])


@pytest.mark.parametrize("code", AXES_CODES)
def test_a_volume_stored_any_way_comes_out_the_same(
    asymmetric_ras: NDArray[np.int16], write_turned_nifti: Writer, code: str
) -> None:
    volume = read_nifti_volume(write_turned_nifti(asymmetric_ras, code))
    assert volume.geometry.axes == code
    assert sorted(volume.geometry.spacing_mm) == [2, 3, 4]
    prepared = prepare_array(volume, recipe_named("array-hu"))
    # SPL: from the feet up, from the front back, from the right to the left.
    assert np.array_equal(prepared, asymmetric_ras.transpose(2, 1, 0)[:, ::-1, ::-1])


def test_the_first_voxel_lies_where_the_header_says(
    asymmetric_ras: NDArray[np.int16], write_turned_nifti: Writer
) -> None:
    volume = read_nifti_volume(write_turned_nifti(asymmetric_ras, "LPS"))
    # RAS voxel (4, 5, 0) at 2 × 3 × 4 mm from (-10, 20, -30) mm, and LPS turns two signs.
    corner = np.asarray(volume.geometry.affine_lps) @ (0, 0, 0, 1)
    assert corner[:3].tolist() == [-(-10 + 8), -(20 + 15), -30]


@pytest.mark.parametrize("kind", ["u1", "i1", "i2", "u2", "i4", "f4", "f8", "i8"])
@pytest.mark.parametrize("name", ["scan.nii", "scan.nii.gz"])
def test_numbers_of_every_kind_are_read(tmp_path: Path, kind: str, name: str) -> None:
    voxels = np.arange(2 * 3 * 4).reshape(2, 3, 4).astype(kind)
    nibabel.save(nibabel.Nifti1Image(voxels, LPS, dtype=kind), tmp_path / name)
    volume = read_nifti_volume(tmp_path / name)
    assert np.array_equal(volume.values(volume.array), voxels)
    assert (volume.unit, volume.warnings) == ("raw", ())
    assert volume.array.dtype.itemsize <= 4


def test_bytes_in_the_other_order_are_read(tmp_path: Path) -> None:
    voxels = np.arange(24, dtype=">i2").reshape(2, 3, 4) - 1000
    header = nibabel.Nifti1Header(endianness=">")
    nibabel.save(nibabel.Nifti1Image(voxels, LPS, header), tmp_path / "scan.nii")
    assert (tmp_path / "scan.nii").read_bytes()[:4] == struct.pack(">i", 348)
    volume = read_nifti_volume(tmp_path / "scan.nii")
    assert np.array_equal(volume.array, voxels)
    assert volume.array.dtype.isnative


def test_slope_and_intercept_are_kept_beside_the_numbers(write_nifti: Writer) -> None:
    hu = (np.arange(24).reshape(2, 3, 4) * 100 - 1000).astype(np.float64)
    path = write_nifti(hu, LPS, "scan.nii", slope=4.0, inter=-1000.0)
    data = bytearray(path.read_bytes())
    # nibabel scaled while it wrote: store plain 16-bit numbers under the same header.
    stored = ((hu + 1000) / 4).astype(np.int16)
    data[70:74] = struct.pack("<hh", 4, 16)
    path.write_bytes(bytes(data[:352]) + stored.tobytes(order="F"))
    volume = read_nifti_volume(path)
    assert volume.array.dtype == np.int16
    assert (volume.slope, volume.intercept, volume.unit) == (4, -1000, "hu")
    assert np.array_equal(volume.values(volume.array), hu)


def test_voxels_without_a_number_are_counted(write_nifti: Writer) -> None:
    voxels = np.full((3, 3, 3), -1000.0)
    voxels[0, 0, :2] = np.nan
    voxels[1, 1, 1] = np.inf
    volume = read_nifti_volume(write_nifti(voxels, LPS))
    assert volume.unit == "hu"
    assert volume.warnings[0] == "3 voxels are no number"


def test_an_intercept_applied_twice_is_said(write_nifti: Writer) -> None:
    body = np.full((20, 20, 20), 40 - 1024, dtype=np.int16)
    body[:, :8] = -1000 - 1024
    assert read_nifti_volume(write_nifti(body, LPS)).warnings == (
        "values go down to -2024 HU, and hardly any tissue lies above -250 HU",
    )


def test_left_and_right_are_never_guessed(write_nifti: Writer, tmp_path: Path) -> None:
    voxels = np.zeros((2, 2, 2), dtype=np.uint8)
    with pytest.raises(ImageError, match="states no orientation"):
        read_nifti_volume(write_nifti(voxels, None))
    image = nibabel.Nifti1Image(voxels, LPS)
    image.set_sform(LPS, code=1)
    image.set_qform(np.diag([2.0, 3.0, 4.0, 1.0]), code=1)
    nibabel.save(image, tmp_path / "two.nii")
    with pytest.raises(ImageError, match=r"a sform \(LPS\) and a qform \(RAS\)"):
        read_nifti_volume(tmp_path / "two.nii")


def test_a_qform_that_differs_a_little_is_said(tmp_path: Path) -> None:
    image = nibabel.Nifti1Image(np.zeros((2, 2, 2), dtype=np.uint8), LPS)
    image.set_sform(LPS, code=1)
    image.set_qform(LPS @ np.diag([1.2, 1.2, 1.0, 1.0]), code=1)
    nibabel.save(image, tmp_path / "two.nii")
    volume = read_nifti_volume(tmp_path / "two.nii")
    assert volume.geometry.axes == "LPS"
    assert volume.warnings == ("the header's sform and qform differ: the sform was taken",)


def test_metres_are_turned_into_millimetres(tmp_path: Path) -> None:
    image = nibabel.Nifti1Image(
        np.zeros((2, 2, 2), dtype=np.uint8), np.diag([-2e-3, -3e-3, 4e-3, 1])
    )
    image.header.set_xyzt_units("meter")
    nibabel.save(image, tmp_path / "scan.nii")
    volume = read_nifti_volume(tmp_path / "scan.nii")
    assert volume.geometry.spacing_mm == pytest.approx((2, 3, 4))
    assert volume.warnings == ("the header counts in units of 1000 mm: turned into mm",)


@pytest.mark.parametrize(
    ("shape", "message"), [((3, 3), "2 dimensions"), ((3, 3, 3, 2), "4 dimensions")]
)
def test_only_three_dimensions_are_a_volume(
    write_nifti: Writer, shape: tuple[int, ...], message: str
) -> None:
    with pytest.raises(ImageError, match=f"a NIfTI volume of three dimensions, got {message}"):
        read_nifti_volume(write_nifti(np.zeros(shape, dtype=np.int16), LPS))


def test_a_fourth_dimension_of_one_is_none(write_nifti: Writer) -> None:
    volume = read_nifti_volume(write_nifti(np.zeros((2, 3, 4, 1, 1), dtype=np.int16), LPS))
    assert volume.array.shape == (2, 3, 4)


@pytest.mark.parametrize(
    ("affine", "message"),
    [
        (np.diag([2.0, 3.0, 0.0, 1.0]), "a spacing of 2 × 3 × 0 mm"),
        (
            np.array([[2.0, 1, 0, 0], [0, 3, 0, 0], [0, 0, 4, 0], [0, 0, 0, 1]]),
            r"a sheared grid \(18.4° off a right angle\)",
        ),
    ],
)
def test_a_grid_that_is_none_is_refused(tmp_path: Path, affine: NDArray[Any], message: str) -> None:
    image = nibabel.Nifti1Image(np.zeros((2, 2, 2), dtype=np.int16), np.eye(4))
    image.header["sform_code"], image.header["qform_code"] = 1, 0
    for row in range(3):
        image.header["srow_" + "xyz"[row]] = affine[row]
    data = image.header.binaryblock + bytes(4) + bytes(16)
    path = tmp_path / "scan.nii"
    header = bytearray(data)
    header[108:112] = struct.pack("<f", 352)
    header[344:348] = b"n+1\0"
    path.write_bytes(bytes(header))
    with pytest.raises(ImageError, match=message):
        read_nifti_volume(path)


@pytest.mark.parametrize("qform_code", [0, 1])
@pytest.mark.parametrize("length", [0.0, math.nan])
def test_a_spacing_that_nobody_stated_is_not_made_up(
    write_nifti: Writer, qform_code: int, length: float
) -> None:
    """nibabel reads it as 1 mm."""
    path = write_nifti(np.arange(24, dtype=np.int16).reshape(2, 3, 4), LPS, "scan.nii")
    header = bytearray(path.read_bytes())
    header[252:256] = struct.pack("<hh", qform_code, 0)  # qform_code, sform_code
    header[84:88] = struct.pack("<f", length)  # pixdim[2]
    path.write_bytes(bytes(header))
    with pytest.raises(ImageError, match=rf"a spacing of \S+ × {length:g} × \S+ mm"):
        read_nifti_volume(path)


def test_a_volume_without_any_number_is_refused(write_nifti: Writer) -> None:
    with pytest.raises(ImageError, match="a volume with values, got 24 voxels that are no number"):
        read_nifti_volume(write_nifti(np.full((2, 3, 4), np.nan, dtype=np.float32), LPS))


def test_colour_and_complex_numbers_are_refused(write_nifti: Writer) -> None:
    colour = np.zeros((3, 3, 3), dtype=[("R", "u1"), ("G", "u1"), ("B", "u1")])
    with pytest.raises(ImageError, match="numbers of kind 'V'"):
        read_nifti_volume(write_nifti(colour, LPS))
    with pytest.raises(ImageError, match="numbers of kind 'c'"):
        read_nifti_volume(write_nifti(np.zeros((3, 3, 3), dtype=np.complex64), LPS))


@pytest.mark.parametrize("name", ["scan.nii", "scan.nii.gz"])
@pytest.mark.parametrize("share", [0.01, 0.3, 0.99])
def test_a_file_that_is_cut_off_is_refused(write_nifti: Writer, name: str, share: float) -> None:
    noise = np.random.default_rng(0).integers(-1000, 1000, (30, 20, 10)).astype(np.int16)
    path = write_nifti(noise, LPS, name)
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(ImageError, match="expected a NIfTI volume"):
        read_nifti_volume(path)


def test_a_header_that_claims_a_giant_is_refused_unread(tmp_path: Path) -> None:
    image = nibabel.Nifti1Image(np.zeros((2, 2, 2), dtype=np.int16), LPS)
    nibabel.save(image, tmp_path / "small.nii")
    data = bytearray((tmp_path / "small.nii").read_bytes())
    path = tmp_path / "scan.nii.gz"
    for shape, message in (
        ((30_000, 30_000, 30_000), "30000 × 30000 × 30000 voxels in its header"),
        ((1024, 1024, 1024), "2,147,483,648 bytes of voxels"),
    ):
        data[42:48] = struct.pack("<3h", *shape)
        data[70:74] = struct.pack("<hh", 16, 32)
        path.write_bytes(gzip.compress(bytes(data)))
        with pytest.raises(ImageError, match=message):
            read_nifti_volume(path)


def test_a_pair_of_files_is_not_followed(tmp_path: Path) -> None:
    pair = nibabel.Nifti1Pair(np.zeros((2, 2, 2), dtype=np.int16), LPS)
    nibabel.save(pair, tmp_path / "scan.img")
    with pytest.raises(ImageError, match=r"Convert it to \.nii or \.nii\.gz"):
        read_nifti_volume(tmp_path / "scan.hdr")
    with pytest.raises(ImageError, match="no readable file"):
        read_nifti_volume(tmp_path / "none.nii")


def test_voxels_far_behind_the_header_are_not_looked_for(tmp_path: Path) -> None:
    image = nibabel.Nifti1Image(np.zeros((2, 2, 2), dtype=np.int16), LPS)
    nibabel.save(image, tmp_path / "scan.nii")
    data = bytearray((tmp_path / "scan.nii").read_bytes())
    data[108:112] = struct.pack("<f", 1e9)
    (tmp_path / "scan.nii.gz").write_bytes(gzip.compress(bytes(data)))
    with pytest.raises(ImageError, match="voxels from byte 1,000,000,000 on"):
        read_nifti_volume(tmp_path / "scan.nii.gz")
