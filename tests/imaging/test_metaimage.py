from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import SimpleITK
from numpy.typing import NDArray

from overread.errors import ImageError, MissingExtraError, UnsafePathError
from overread.imaging.metaimage import metaimage_files, read_metaimage
from overread.imaging.prepare import prepare_array
from overread.imaging.read_volume import read_volume, volume_files
from overread.imaging.recipes import recipe_named
from overread.imaging.reorient import AXES_CODES, reorient

Directions = Callable[[str], NDArray[np.float64]]


def write(
    path: Path, array: NDArray[np.generic], directions: NDArray[np.float64], *, zipped: bool
) -> Path:
    """Write an array whose axes i, j, k grow along the columns of `directions`."""
    image = SimpleITK.GetImageFromArray(np.ascontiguousarray(array.transpose(2, 1, 0)))
    image.SetSpacing((2.0, 3.0, 4.0))
    image.SetOrigin((5.0, -7.0, 11.0))
    image.SetDirection(directions.ravel().tolist())
    SimpleITK.WriteImage(image, str(path), useCompression=zipped)
    return path


@pytest.fixture
def scan(asymmetric_ras: NDArray[np.int16], tmp_path: Path) -> Path:
    return write(tmp_path / "scan.mha", asymmetric_ras, np.diag([-1.0, -1.0, 1.0]), zipped=False)


@pytest.mark.parametrize("code", AXES_CODES)
def test_a_volume_stored_any_way_comes_out_the_same(
    asymmetric_ras: NDArray[np.int16], tmp_path: Path, directions_lps: Directions, code: str
) -> None:
    stored = reorient(asymmetric_ras, "RAS", code)
    path = write(tmp_path / "scan.mha", stored, directions_lps(code), zipped=True)
    volume = read_volume(path)
    assert volume.geometry.axes == code
    assert volume.geometry.spacing_mm == pytest.approx((2, 3, 4))
    assert (volume.unit, volume.warnings) == ("hu", ())
    prepared = prepare_array(volume, recipe_named("array-hu"))
    assert np.array_equal(prepared, asymmetric_ras.transpose(2, 1, 0)[:, ::-1, ::-1])


def test_the_twin_of_a_nifti_file_has_the_same_geometry(
    scan: Path,
    asymmetric_ras: NDArray[np.int16],
    write_nifti: Callable[..., Path],
) -> None:
    affine = np.diag([2.0, 3.0, 4.0, 1.0])
    affine[:3, 3] = -5, 7, 11
    assert read_volume(scan).geometry == read_volume(write_nifti(asymmetric_ras, affine)).geometry


@pytest.mark.parametrize("kind", [np.float64, np.int32, np.uint8])
def test_numbers_of_other_kinds_are_read(tmp_path: Path, kind: type) -> None:
    array = np.arange(24).reshape(2, 3, 4).astype(kind)
    path = write(tmp_path / "scan.mha", array, np.eye(3), zipped=True)
    found = read_metaimage(path)
    assert np.array_equal(found.array, array)
    assert found.array.dtype.itemsize <= 4


def test_a_header_and_its_data_file_are_read(
    asymmetric_ras: NDArray[np.int16], tmp_path: Path
) -> None:
    for zipped, name in ((False, "scan.raw"), (True, "scan.zraw")):
        path = write(
            tmp_path / "scan.mhd", asymmetric_ras, np.diag([-1.0, -1.0, 1.0]), zipped=zipped
        )
        assert volume_files(path) == (path, tmp_path / name)
        assert np.array_equal(read_metaimage(path).array, asymmetric_ras)
    (tmp_path / "scan.zraw").unlink()
    with pytest.raises(ImageError, match="no readable file"):
        read_metaimage(path)


def changed(path: Path, old: bytes, new: bytes) -> Path:
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))
    return path


@pytest.mark.parametrize("target", ["/etc/passwd", "../secret.raw", "sub/scan.raw"])
@pytest.mark.parametrize("name", ["scan.mha", "scan.mhd"])
def test_a_header_cannot_lead_elsewhere(scan: Path, target: str, name: str) -> None:
    path = changed(scan, b"ElementDataFile = LOCAL", f"ElementDataFile = {target}".encode())
    path = path.rename(path.with_name(name))
    for read in (metaimage_files, read_metaimage, volume_files):
        with pytest.raises(UnsafePathError, match="a data file in its own folder"):
            read(path)


def test_a_link_cannot_lead_elsewhere(scan: Path, tmp_path: Path) -> None:
    changed(scan, b"ElementDataFile = LOCAL", b"ElementDataFile = data.raw")
    outside = tmp_path.parent / "outside.raw"
    outside.write_bytes(bytes(420))
    (tmp_path / "data.raw").symlink_to(outside)
    with pytest.raises(UnsafePathError):
        read_metaimage(scan)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"NDims = 3", b"NDims = 4", "4 dimensions"),
        (b"DimSize = 5 6 7", b"DimSize = 5 6 7 2", "dimensions"),
        (b"DimSize = 5 6 7", b"DimSize = 5 6 many", "dimensions"),
        (b"DimSize = 5 6 7", b"DimSize = 50000 60000 70000", "voxels in its header"),
        (b"DimSize = 5 6 7", b"DimSize = 5 6 9", "a file that is cut off"),
        (b"ElementSpacing = 2 3 4", b"ElementSpacing = 2 0 4", "a spacing of 2 0 4 mm"),
        (b"ElementSpacing = 2 3 4", b"ElementSpacing = 2 x 4", "a spacing of 2 x 4 mm"),
        (b"ElementSpacing = 2 3 4", b"Comment = 1", "no ElementSpacing"),
        (b"MET_SHORT", b"MET_WORDS", "voxels of kind MET_WORDS"),
        (b"MET_SHORT", b"MET_FLOAT", "a file that is cut off"),
        (b"NDims = 3", b"NDims = 3\nHeaderSize = 100", "voxels behind a header of its own"),
        (b"= LOCAL", b"= a\0b", "a data file in its own folder"),
        (b"= LOCAL", b"= " + 300 * b"a", "a data file in its own folder"),
        (b"= LOCAL", b"= LIST", "data in 'LIST'"),
        (b"= LOCAL", b"= slice%03d.raw 1 7 1", "data in 'slice%03d.raw 1 7 1'"),
        (b"ElementDataFile", b"ElementDataName", "no header that ends with ElementDataFile"),
        (b"ObjectType = Image", b"\x00\x00\x00", "no header that ends with ElementDataFile"),
    ],
)
def test_a_wrong_header_is_refused(scan: Path, old: bytes, new: bytes, message: str) -> None:
    with pytest.raises((ImageError, UnsafePathError), match=message):
        read_metaimage(changed(scan, old, new))


def test_a_sheared_direction_is_refused(scan: Path) -> None:
    lines = scan.read_bytes().split(b"\n", 20)
    place = next(n for n, line in enumerate(lines) if line.startswith(b"TransformMatrix"))
    lines[place] = b"TransformMatrix = 1 0 0 0.5 1 0 0 0 1"
    scan.write_bytes(b"\n".join(lines))
    with pytest.raises(ImageError, match="sheared"):
        read_metaimage(scan)


def test_colour_is_refused(tmp_path: Path) -> None:
    image = SimpleITK.GetImageFromArray(np.zeros((2, 2, 2, 3), dtype=np.uint8), isVector=True)
    SimpleITK.WriteImage(image, str(tmp_path / "colour.mha"))
    with pytest.raises(ImageError, match="Convert it to plain numbers"):
        read_metaimage(tmp_path / "colour.mha")


def test_a_scale_that_itk_leaves_out_is_said(scan: Path) -> None:
    lines = b"NDims = 3\nElementToIntensityFunctionSlope = 2\nElementToIntensityFunctionOffset = 5"
    stored = read_metaimage(scan).array
    scaled = read_metaimage(changed(scan, b"NDims = 3", lines))
    assert scaled.warnings == ("the header's scale (slope 2, offset 5) is not applied",)
    assert np.array_equal(scaled.array, stored)


def test_a_missing_orientation_is_said(scan: Path) -> None:
    lines = scan.read_bytes().split(b"\n", 20)
    kept = [line for line in lines if not line.startswith(b"TransformMatrix")]
    scan.write_bytes(b"\n".join(kept))
    assert read_metaimage(scan).warnings == ("the header states no orientation: taken as LPS",)


def test_without_simpleitk_it_says_what_to_install(
    scan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "SimpleITK", None)
    with pytest.raises(MissingExtraError, match=r"overread\[itk\]"):
        read_metaimage(scan)


def test_what_cannot_be_unpacked_is_refused_and_not_filled_up(
    tmp_path: Path, asymmetric_ras: NDArray[np.int16]
) -> None:
    path = write(tmp_path / "scan.mha", asymmetric_ras, np.eye(3), zipped=True)
    whole = path.read_bytes()
    for damaged in (whole[:-9], whole[:-30] + bytes(30), whole.replace(b"5 6 7", b"5 6 8")):
        path.write_bytes(damaged)
        with pytest.raises(ImageError, match="a damaged file"):
            read_metaimage(path)
