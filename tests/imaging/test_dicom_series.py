from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from overread.errors import ImageError
from overread.imaging.dicom_series import read_dicom_series
from overread.imaging.prepare import prepare_array
from overread.imaging.read_volume import read_volume, volume_files
from overread.imaging.recipes import recipe_named
from overread.imaging.reorient import AXES_CODES, reorient
from overread.imaging.volume import Volume

Writer = Callable[..., Path]
Elements = dict[str, Any]


@pytest.fixture
def asymmetric_lps(asymmetric_ras: NDArray[np.int16]) -> NDArray[np.int16]:
    return np.ascontiguousarray(asymmetric_ras[::-1, ::-1])


def hu(volume: Volume) -> NDArray[np.generic]:
    return prepare_array(volume, recipe_named("array-hu"))


@pytest.mark.parametrize("code", AXES_CODES)
def test_a_series_acquired_any_way_comes_out_the_same(
    asymmetric_lps: NDArray[np.int16], write_series: Writer, code: str
) -> None:
    volume = read_volume(write_series(reorient(asymmetric_lps, "LPS", code), code))
    # A scan whose columns, rows and slices make a left-handed frame comes out right-handed.
    assert volume.geometry.axes[:2] == code[:2]
    assert volume.geometry.spacing_mm == (2, 3, 4)
    assert np.array_equal(hu(volume), asymmetric_lps.transpose(2, 1, 0))


def test_the_twin_of_a_nifti_file_has_the_same_geometry(
    asymmetric_ras: NDArray[np.int16],
    asymmetric_lps: NDArray[np.int16],
    write_series: Writer,
    write_nifti: Writer,
) -> None:
    series = read_volume(write_series(asymmetric_lps))
    # The series' first voxel is at LPS (5, -7, 11) mm.
    affine = np.diag([-2.0, -3.0, 4.0, 1.0])
    affine[:3, 3] = -5, 7, 11
    twin = read_volume(write_nifti(asymmetric_lps, affine))
    assert series.geometry == twin.geometry
    assert series.unit == twin.unit == "hu"


def test_intercept_and_slope_are_kept_beside_the_numbers(
    asymmetric_lps: NDArray[np.int16], write_series: Writer
) -> None:
    def change(_: int, elements: Elements) -> Elements:
        return {**elements, "RescaleSlope": 2, "RescaleIntercept": -1000}

    volume = read_volume(write_series(asymmetric_lps, change=change))
    assert volume.array.dtype == np.int16
    assert (volume.slope, volume.intercept) == (2, -1000)
    assert np.array_equal(hu(volume), 2 * asymmetric_lps.transpose(2, 1, 0) - 1000)


def test_slices_with_scales_of_their_own_are_scaled_one_by_one(
    asymmetric_lps: NDArray[np.int16], write_series: Writer
) -> None:
    def change(number: int, elements: Elements) -> Elements:
        return {**elements, "Modality": "PT", "RescaleSlope": 1 + number, "RescaleIntercept": 0}

    volume = read_volume(write_series(asymmetric_lps, change=change))
    assert volume.unit == "raw"
    wanted = asymmetric_lps * (1 + np.arange(asymmetric_lps.shape[2]))
    assert np.array_equal(volume.values(volume.array), wanted)


def test_mr_has_no_hu_whatever_its_numbers(
    asymmetric_lps: NDArray[np.int16], write_series: Writer
) -> None:
    def change(_: int, elements: Elements) -> Elements:
        return {**elements, "Modality": "MR", "RescaleSlope": 3, "RescaleIntercept": 5}

    volume = read_volume(write_series(asymmetric_lps, change=change))
    assert volume.unit == "raw"
    # As for single slices: one scale for all is a convention of the maker.
    assert np.array_equal(volume.array, asymmetric_lps)


def test_a_missing_slice_is_found(asymmetric_lps: NDArray[np.int16], write_series: Writer) -> None:
    folder = write_series(asymmetric_lps, change=lambda n, e: None if n == 3 else e)
    with pytest.raises(
        ImageError,
        match=r"1 missing: 8\.00 mm between 898\.dcm and 896\.dcm, 4\.00 mm elsewhere\. "
        r"Complete the series",
    ):
        read_volume(folder)


def shifted(by_mm: float) -> Callable[[int, Elements], Elements]:
    def change(number: int, elements: Elements) -> Elements:
        x, y, z = elements["ImagePositionPatient"]
        return {**elements, "ImagePositionPatient": [x, y, z + (by_mm if number == 3 else 0)]}

    return change


def test_uneven_gaps_are_refused_and_small_ones_said(
    asymmetric_lps: NDArray[np.int16], write_series: Writer
) -> None:
    with pytest.raises(ImageError, match=r"uneven gaps: 5\.00 mm"):
        read_volume(write_series(asymmetric_lps, name="a", change=shifted(1)))
    said = read_volume(write_series(asymmetric_lps, name="b", change=shifted(0.2))).warnings
    assert said == ("gaps between slices of 3.80 to 4.20 mm: taken as even",)
    # Positions are rounded when they are written.
    assert read_volume(write_series(asymmetric_lps, name="c", change=shifted(0.01))).warnings == ()


def test_a_slice_beside_the_others_is_refused(
    asymmetric_lps: NDArray[np.int16], write_series: Writer
) -> None:
    """All gaps are even, and first and last slice agree: only the way between them tells."""

    def beside(by_mm: float) -> Callable[[int, Elements], Elements]:
        def change(number: int, elements: Elements) -> Elements:
            x, y, z = elements["ImagePositionPatient"]
            return {**elements, "ImagePositionPatient": [x + (number == 3) * by_mm, y, z]}

        return change

    with pytest.raises(ImageError, match=r"slices shifted against each other \(897.dcm by 2.0 mm"):
        read_volume(write_series(asymmetric_lps, name="a", change=beside(2)))  # a pixel
    assert read_volume(write_series(asymmetric_lps, name="b", change=beside(0.1))).warnings == ()


def test_two_slices_in_one_place_are_refused(
    asymmetric_lps: NDArray[np.int16], write_series: Writer
) -> None:
    with pytest.raises(ImageError, match=r"two slices in one place \(.*Keep one time point"):
        read_volume(write_series(asymmetric_lps, change=shifted(4)))


def test_two_series_are_refused_unless_the_largest_is_wanted(
    asymmetric_lps: NDArray[np.int16], write_series: Writer
) -> None:
    folder = write_series(asymmetric_lps)

    def scout(number: int, elements: Elements) -> Elements | None:
        other = {**elements, "SeriesInstanceUID": "1.2.4", "SeriesDescription": "scout"}
        return other if number < 2 else None

    for path in write_series(asymmetric_lps, name="scout", change=scout).iterdir():
        shutil.copy(path, folder / f"s{path.name}")
    with pytest.raises(
        ImageError, match=r"2 series: without a name \(7 slices\); scout \(2 slices\)"
    ):
        read_volume(folder)
    volume = read_volume(folder, several="largest")
    assert np.array_equal(hu(volume), asymmetric_lps.transpose(2, 1, 0))
    assert "2 series in one folder, the largest was taken" in volume.warnings[0]


def test_of_two_series_alike_none_is_the_largest(
    asymmetric_lps: NDArray[np.int16], write_series: Writer
) -> None:
    def change(number: int, elements: Elements) -> Elements | None:
        return {**elements, "SeriesInstanceUID": f"1.2.{number % 2}"} if number < 6 else None

    with pytest.raises(ImageError, match="2 series"):
        read_volume(write_series(asymmetric_lps, change=change), several="largest")


def test_a_tilted_gantry_is_refused(
    asymmetric_lps: NDArray[np.int16], write_series: Writer
) -> None:
    def change(number: int, elements: Elements) -> Elements:
        x, y, z = elements["ImagePositionPatient"]
        return {**elements, "ImagePositionPatient": [x, y + number * 4 * np.tan(np.pi / 12), z]}

    with pytest.raises(ImageError, match=r"a tilted gantry \(15\.0°\)"):
        read_volume(write_series(asymmetric_lps, change=change))


def test_an_oblique_scan_goes_through(
    asymmetric_lps: NDArray[np.int16], write_series: Writer
) -> None:
    c, s = np.cos(np.radians(10)), np.sin(np.radians(10))

    def change(number: int, elements: Elements) -> Elements:
        place = np.array([0, -s, c]) * 4 * number
        return {
            **elements,
            "ImageOrientationPatient": [1, 0, 0, 0, c, s],
            "ImagePositionPatient": place.tolist(),
        }

    volume = read_volume(write_series(asymmetric_lps, change=change))
    assert volume.geometry.axes == "LPS"
    assert volume.geometry.oblique_deg == pytest.approx(10)
    assert np.array_equal(hu(volume), asymmetric_lps.transpose(2, 1, 0))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"PixelSpacing": [1, 1]}, "slices with different pixel sizes"),
        ({"ImageOrientationPatient": [0, 1, 0, 1, 0, 0]}, "slices that face different ways"),
        ({"Modality": "MR"}, "both (CT and MR|MR and CT)"),
        ({"ImagePositionPatient": None}, "does not state its ImagePositionPatient"),
        ({"ImageOrientationPatient": None}, "does not state its ImageOrientationPatient"),
        ({"PixelSpacing": None}, "does not state its PixelSpacing"),
        ({"PhotometricInterpretation": "MONOCHROME1"}, r"inverted slices \(MONOCHROME1\)"),
        ({"SamplesPerPixel": 3}, "slices in colour"),
        ({"Rows": 60_000, "Columns": 60_000}, "60,000 × 60,000 pixels"),
    ],
)
def test_one_odd_slice_is_refused(
    asymmetric_lps: NDArray[np.int16],
    write_series: Writer,
    changed: Elements,
    message: str,
) -> None:
    def change(number: int, elements: Elements) -> Elements:
        if number != 2:
            return elements
        for keyword, value in changed.items():
            elements[keyword] = value
        # The writer takes away what it sets by itself; the position it does not.
        return {k: v for k, v in elements.items() if (k, v) != ("ImagePositionPatient", None)}

    with pytest.raises(ImageError, match=message):
        read_volume(write_series(asymmetric_lps, change=change))


def test_slices_of_two_sizes_are_refused(
    asymmetric_lps: NDArray[np.int16], write_series: Writer
) -> None:
    folder = write_series(asymmetric_lps)
    small = write_series(
        np.ascontiguousarray(asymmetric_lps[:4]),
        name="small",
        change=lambda n, e: {**e, "ImagePositionPatient": [5, -7, 39]} if n == 0 else None,
    )
    shutil.copy(small / "900.dcm", folder / "z.dcm")
    with pytest.raises(ImageError, match=r"slices of (5 × 6 and 4|4 × 6 and 5) × 6 pixels"):
        read_volume(folder)


def test_other_files_in_the_folder_are_left_out_and_said(
    asymmetric_lps: NDArray[np.int16], write_series: Writer
) -> None:
    folder = write_series(asymmetric_lps)
    (folder / "notes.txt").write_text("read me")
    (folder / "DICOMDIR").write_bytes(b"not a picture")
    (folder / ".DS_Store").write_bytes(b"\0" * 600)
    volume = read_volume(folder)
    assert volume.warnings == ("1 files are no DICOM pictures: notes.txt",)
    assert len(volume_files(folder)) == 8
    assert np.array_equal(hu(volume), asymmetric_lps.transpose(2, 1, 0))


def test_a_folder_without_slices_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("read me")
    with pytest.raises(ImageError, match="1 files, none a DICOM picture"):
        read_volume(tmp_path)
    (tmp_path / "notes.txt").unlink()
    with pytest.raises(ImageError, match="a folder without files"):
        read_volume(tmp_path)
    with pytest.raises(ImageError, match="0 files"):
        read_dicom_series([], source="nowhere")


def test_a_slice_that_is_cut_off_is_refused(
    asymmetric_lps: NDArray[np.int16], write_series: Writer
) -> None:
    folder = write_series(asymmetric_lps)
    data = (folder / "897.dcm").read_bytes()
    (folder / "897.dcm").write_bytes(data[:-20])
    with pytest.raises(ImageError, match=r"897\.dcm.*pixels that cannot be decoded"):
        read_volume(folder)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.8, 0.95])
def test_a_slice_that_is_cut_off_anywhere_is_refused_and_never_crashes(
    asymmetric_lps: NDArray[np.int16], write_series: Writer, share: float
) -> None:
    folder = write_series(asymmetric_lps)
    file = sorted(folder.iterdir())[1]
    data = file.read_bytes()
    file.write_bytes(data[: round(share * len(data))])
    with pytest.raises(ImageError, match=": expected "):
        read_volume(folder)


def test_a_single_slice_takes_its_thickness(
    asymmetric_lps: NDArray[np.int16], write_series: Writer
) -> None:
    one = asymmetric_lps[:, :, :1]
    volume = read_volume(write_series(one, name="a"))
    assert volume.geometry.spacing_mm == (2, 3, 4)
    assert volume.warnings[0] == "one slice only: its thickness is its spacing"

    def change(_: int, elements: Elements) -> Elements:
        del elements["SliceThickness"]
        return elements

    with pytest.raises(ImageError, match="one slice without a thickness"):
        read_volume(write_series(one, name="b", change=change))


def test_ct_without_a_scale_is_said(
    asymmetric_lps: NDArray[np.int16], write_series: Writer
) -> None:
    def change(_: int, elements: Elements) -> Elements:
        return {**elements, "RescaleSlope": 0}

    volume = read_volume(write_series(asymmetric_lps, change=change))
    assert volume.warnings[0] == "CT without rescale slope and intercept: taken as HU as stored"
    assert np.array_equal(hu(volume), asymmetric_lps.transpose(2, 1, 0))


def test_a_map_of_iodine_is_no_hu(asymmetric_lps: NDArray[np.int16], write_series: Writer) -> None:
    volume = read_volume(
        write_series(asymmetric_lps, change=lambda _, each: {**each, "RescaleType": "MGML"})
    )
    assert volume.unit == "raw"


@pytest.mark.parametrize("length", [0, -3])
def test_a_pixel_spacing_that_is_no_length_is_refused(
    asymmetric_lps: NDArray[np.int16], write_series: Writer, length: float
) -> None:
    folder = write_series(
        asymmetric_lps, change=lambda _, each: {**each, "PixelSpacing": [length, 2]}
    )
    with pytest.raises(ImageError, match=rf"a pixel spacing of {length} × 2 mm"):
        read_volume(folder)


def test_slices_left_out_all_along_are_said(
    asymmetric_lps: NDArray[np.int16], write_series: Writer
) -> None:
    """Gaps are even then; only the thickness tells that something lies between."""
    volume = read_volume(
        write_series(asymmetric_lps, change=lambda n, each: None if n % 3 else each)
    )
    assert volume.geometry.spacing_mm[2] == 12
    assert volume.warnings == ("slices of 4 mm lie 12 mm apart: what lies between is not there",)


def test_two_missing_slices_are_told_from_the_gaps_that_there_are(
    asymmetric_lps: NDArray[np.int16], write_series: Writer
) -> None:
    folder = write_series(
        asymmetric_lps, change=lambda n, each: None if n in (1, 4) else each
    )  # gaps of 8, 4, 8 and 4 mm: none of 6
    with pytest.raises(ImageError, match=r"1 missing: 8\.00 mm .*, 4\.00 mm elsewhere"):
        read_volume(folder)


def test_slices_with_and_without_a_rescale_are_no_volume(
    asymmetric_lps: NDArray[np.int16], write_series: Writer
) -> None:
    def change(number: int, elements: Elements) -> Elements:
        return {**elements, "RescaleIntercept": -1024} | (
            {"RescaleSlope": None} if number == 3 else {}
        )

    with pytest.raises(ImageError, match="slices with and without a rescale"):
        read_volume(write_series(asymmetric_lps, change=change))


def test_an_enhanced_file_may_be_as_large_as_its_slices_together(write_dicom: Writer) -> None:
    """A single slice is held to 256 MB; 600 slices of 512 × 512 in one file are 315 MB."""
    path = write_dicom(np.zeros((2, 2), np.int16), ImagePositionPatient=[0, 0, 0], SliceThickness=1)
    size = 300 * 2**20
    with path.open("ab") as file:  # (FFFC,FFFC), padding behind the pixels
        file.write(b"\xfc\xff\xfc\xffOB\0\0" + size.to_bytes(4, "little"))
        file.truncate(file.tell() + size)  # a hole: takes no disk
    assert read_volume(path).array.shape == (2, 2, 1)


def test_an_enhanced_file_of_many_frames_is_a_volume(
    asymmetric_lps: NDArray[np.int16], write_dicom: Writer
) -> None:
    from pydicom.dataset import Dataset
    from pydicom.sequence import Sequence

    def part(**elements: object) -> Dataset:
        dataset = Dataset()
        for keyword, value in elements.items():
            setattr(dataset, keyword, value)
        return dataset

    order = [3, 0, 6, 1, 5, 2, 4]  # frames need not lie in the order of the patient
    frames = [
        part(
            PlanePositionSequence=Sequence([part(ImagePositionPatient=[0, 0, 4.0 * number])]),
            PlaneOrientationSequence=Sequence([part(ImageOrientationPatient=[1, 0, 0, 0, 1, 0])]),
            PixelMeasuresSequence=Sequence([part(PixelSpacing=[3, 2], SliceThickness=4)]),
        )
        for number in order
    ]
    stored = np.ascontiguousarray(asymmetric_lps[:, :, order].transpose(2, 1, 0))
    path = write_dicom(
        stored,
        "enhanced.dcm",
        NumberOfFrames=len(order),
        PerFrameFunctionalGroupsSequence=Sequence(frames),
        ImageOrientationPatient=None,
        PixelSpacing=None,
        RescaleIntercept=0,
    )
    volume = read_volume(path)
    assert volume.geometry.spacing_mm == (2, 3, 4)
    assert np.array_equal(hu(volume), asymmetric_lps.transpose(2, 1, 0))


def test_signed_and_unsigned_slices_go_together(
    asymmetric_lps: NDArray[np.int16], write_series: Writer
) -> None:
    positive = asymmetric_lps + np.int16(1000)

    def change(number: int, elements: Elements) -> Elements:
        return {**elements, "RescaleIntercept": -1000, "PixelRepresentation": number % 2}

    volume = read_volume(write_series(positive, change=change))
    assert np.array_equal(hu(volume), asymmetric_lps.transpose(2, 1, 0))


def test_an_orientation_that_is_none_is_refused(
    asymmetric_lps: NDArray[np.int16], write_series: Writer
) -> None:
    def change(_: int, elements: Elements) -> Elements:
        return {**elements, "ImageOrientationPatient": [1, 0, 0, 0.5, 0.8, 0]}

    with pytest.raises(ImageError, match="an orientation that is no right angle"):
        read_volume(write_series(asymmetric_lps, change=change))


def test_a_picture_is_no_volume(tmp_path: Path) -> None:
    from PIL import Image

    Image.new("L", (4, 4)).save(tmp_path / "a.png")
    with pytest.raises(ImageError, match="a volume, got a picture"):
        read_volume(tmp_path / "a.png")
