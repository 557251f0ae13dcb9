from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from overread.errors import ImageError
from overread.imaging.read import read_slice, sniff


def test_the_bytes_tell_the_format_whatever_the_name(
    body_hu: NDArray[np.int16],
    tmp_path: Path,
    write_dicom: Callable[..., Path],
    write_nifti: Callable[..., Path],
) -> None:
    picture = tmp_path / "picture.dcm"
    Image.fromarray(np.zeros((3, 3), np.uint8)).save(picture, format="PNG")
    assert sniff(picture) == "picture"
    assert sniff(write_dicom(body_hu, "no-suffix")) == "dicom"
    assert sniff(write_nifti(body_hu.T, np.eye(4), "a.nii.gz")) == "nifti"
    assert sniff(write_nifti(body_hu.T, np.eye(4), "a.nii")) == "nifti"


def test_unknown_bytes_are_shown_in_the_message(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"GIF89a....")
    with pytest.raises(ImageError, match=r"PNG, JPEG, DICOM or NIfTI file, got .*GIF89a"):
        read_slice(tmp_path / "x.png")


def test_one_slice_reads_alike_from_every_format(
    body_hu: NDArray[np.int16],
    write_png16: Callable[[NDArray[Any], str], Path],
    write_dicom: Callable[..., Path],
    write_nifti: Callable[..., Path],
) -> None:
    lps = np.diag([-1.0, -1.0, 1.0, 1.0])
    slices = [
        read_slice(write_png16(body_hu, "slice.png")),
        read_slice(write_dicom((body_hu + 1024).astype(np.uint16))),
        read_slice(write_nifti(body_hu.T[:, :, None], lps), index=0),
    ]
    for stored in slices:
        assert stored.unit == "hu"
        assert np.array_equal(stored.pixels, body_hu)


def test_a_picture_has_one_slice_only(tmp_path: Path) -> None:
    Image.fromarray(np.zeros((3, 3), np.uint8)).save(tmp_path / "x.png")
    assert read_slice(tmp_path / "x.png", index=0).unit == "display"
    with pytest.raises(ImageError, match="expected slice 0 of a picture, got slice 4"):
        read_slice(tmp_path / "x.png", index=4)


@pytest.mark.data
def test_a_real_dicom_series_is_calibrated_and_upright(released_data: Path) -> None:
    files = sorted((released_data / "totalsegmentator_ct" / "example_ct_dicom").iterdir())
    assert len(files) == 20
    for path in files[::6]:
        stored = read_slice(path)
        assert (stored.unit, stored.orientation, stored.warnings) == ("hu", "LP", ())
        assert stored.spacing_mm == (0.9765625, 0.9765625)
        assert liver_is_on_the_left_and_spine_below(stored.pixels)


@pytest.mark.data
def test_a_real_ct_in_ras_is_upright(released_data: Path) -> None:
    # Slice 101 shows the liver; looked at once, right on the left and the spine below.
    path = released_data / "totalsegmentator_ct" / "example_ct.nii.gz"
    stored = read_slice(path, index=101)
    assert (stored.unit, stored.orientation) == ("hu", "LP")
    assert stored.pixels.shape == (101, 122)
    assert stored.spacing_mm == pytest.approx((3, 3))
    assert liver_is_on_the_left_and_spine_below(stored.pixels)


@pytest.mark.data
def test_a_real_liver_mask_lies_on_the_left_of_the_picture(released_data: Path) -> None:
    folder = released_data / "totalsegmentator_ct" / "example_seg_fast"
    left = {}
    for organ in ("kidney_right", "kidney_left"):
        sums = [read_slice(folder / f"{organ}.nii.gz", index=k).pixels for k in range(30)]
        left[organ] = float(np.mean(np.nonzero(np.sum(sums, axis=0))[1]))
    assert left["kidney_right"] < 61 < left["kidney_left"]


@pytest.mark.data
def test_a_real_mr_in_lps_is_upright(released_data: Path) -> None:
    stored = read_slice(released_data / "totalsegmentator_ct" / "example_mr_sm.nii.gz", index=10)
    assert (stored.unit, stored.orientation, stored.warnings) == ("raw", "LP", ())
    assert stored.turn.transpose is False
    assert stored.turn.flip_x is False


def liver_is_on_the_left_and_spine_below(intensity_hu: NDArray[np.float32]) -> bool:
    rows, columns = np.nonzero(intensity_hu > -200)
    middle = (columns.min() + columns.max()) // 2
    soft = (intensity_hu > 20) & (intensity_hu < 160)
    near_the_middle = slice(middle - middle // 8, middle + middle // 8)
    spine = np.nonzero(intensity_hu[:, near_the_middle] > 250)[0]
    return bool(
        soft[:, :middle].sum() > 1.05 * soft[:, middle:].sum() and spine.mean() > np.median(rows)
    )
