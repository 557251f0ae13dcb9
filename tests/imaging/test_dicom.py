from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from overread.errors import ImageError
from overread.imaging.dicom import read_dicom

Writer = Callable[..., Path]


def test_unsigned_stored_numbers_become_hu(body_hu: NDArray[np.int16], write_dicom: Writer) -> None:
    stored = read_dicom(write_dicom((body_hu + 1024).astype(np.uint16)))
    assert (stored.unit, stored.orientation, stored.warnings) == ("hu", "LP", ())
    assert np.array_equal(stored.pixels, body_hu)
    # PixelSpacing is between rows, then between columns; ours is x, then y.
    assert stored.spacing_mm == (0.8, 0.5)


def test_signed_stored_numbers_become_hu(body_hu: NDArray[np.int16], write_dicom: Writer) -> None:
    stored = read_dicom(write_dicom(body_hu, RescaleIntercept=0))
    assert np.array_equal(stored.pixels, body_hu)
    assert stored.warnings == ()


def test_a_slope_is_applied(body_hu: NDArray[np.int16], write_dicom: Writer) -> None:
    doubled = (body_hu.astype(np.int32) + 1024) * 2
    path = write_dicom(doubled.astype(np.uint16), RescaleSlope=0.5)
    assert np.array_equal(read_dicom(path).pixels, body_hu)


def test_a_wrong_sign_is_warned_about(body_hu: NDArray[np.int16], write_dicom: Writer) -> None:
    path = write_dicom(body_hu.view(np.uint16), RescaleIntercept=0)
    assert "no air near -1000 HU" in read_dicom(path).warnings[0]


def test_ct_without_rescale_is_said_and_warned_about(
    body_hu: NDArray[np.int16], write_dicom: Writer
) -> None:
    path = write_dicom((body_hu + 1024).astype(np.uint16), RescaleSlope=None, RescaleIntercept=None)
    stored = read_dicom(path)
    assert stored.unit == "hu"
    assert [warning[:10] for warning in stored.warnings] == ["CT without", "no air nea"]


def test_a_slope_of_zero_is_as_good_as_none(
    body_hu: NDArray[np.int16], write_dicom: Writer
) -> None:
    stored = read_dicom(write_dicom(body_hu, RescaleSlope=0))
    assert stored.warnings == ("CT without rescale slope and intercept: taken as HU as stored",)
    assert np.array_equal(stored.pixels, body_hu)


def test_mr_keeps_its_stored_numbers(body_hu: NDArray[np.int16], write_dicom: Writer) -> None:
    numbers = (body_hu + 1024).astype(np.uint16)
    stored = read_dicom(write_dicom(numbers, Modality="MR", RescaleSlope=3))
    assert (stored.unit, stored.warnings) == ("raw", ())
    assert np.array_equal(stored.pixels, numbers)


def test_a_ct_that_states_another_unit_is_no_hu(
    body_hu: NDArray[np.int16], write_dicom: Writer
) -> None:
    stored = (body_hu + 1024).astype(np.uint16)
    for kind, unit in (("MGML", "raw"), ("HU", "hu"), ("US", "hu")):
        path = write_dicom(stored, RescaleType=kind)
        assert read_dicom(path).unit == unit


def test_monochrome1_is_marked_and_its_numbers_stay(
    body_hu: NDArray[np.int16], write_dicom: Writer
) -> None:
    path = write_dicom(body_hu, RescaleIntercept=0, PhotometricInterpretation="MONOCHROME1")
    stored = read_dicom(path)
    assert stored.inverted
    assert np.array_equal(stored.pixels, body_hu)
    assert not read_dicom(write_dicom(body_hu)).inverted


def test_a_prone_scan_is_turned(body_hu: NDArray[np.int16], write_dicom: Writer) -> None:
    path = write_dicom(
        np.ascontiguousarray(body_hu[::-1, ::-1]),
        RescaleIntercept=0,
        ImageOrientationPatient=[-1, 0, 0, 0, -1, 0],
    )
    stored = read_dicom(path)
    assert stored.orientation == "LP"
    assert (stored.turn.flip_x, stored.turn.flip_y) == (True, True)
    assert np.array_equal(stored.pixels, body_hu)


def test_an_axial_slice_with_rows_running_back_swaps_its_spacing(
    body_hu: NDArray[np.int16], write_dicom: Writer
) -> None:
    path = write_dicom(
        np.ascontiguousarray(body_hu.T),
        RescaleIntercept=0,
        ImageOrientationPatient=[0, 1, 0, 1, 0, 0],
    )
    stored = read_dicom(path)
    assert np.array_equal(stored.pixels, body_hu)
    assert stored.spacing_mm == (0.5, 0.8)


def test_absent_orientation_and_spacing_are_not_invented(
    body_hu: NDArray[np.int16], write_dicom: Writer
) -> None:
    stored = read_dicom(write_dicom(body_hu, PixelSpacing=None, ImageOrientationPatient=None))
    assert (stored.spacing_mm, stored.orientation) == (None, "as stored")


def test_a_frame_of_a_multi_frame_file_is_chosen(
    body_hu: NDArray[np.int16], write_dicom: Writer
) -> None:
    frames = np.stack([body_hu, body_hu + 7])
    path = write_dicom(frames, NumberOfFrames=2, RescaleIntercept=0)
    assert np.array_equal(read_dicom(path, index=1).pixels, body_hu + 7)
    with pytest.raises(ImageError, match="no frame number for a file of 2 frames"):
        read_dicom(path)
    with pytest.raises(ImageError, match="frame 2 for a file of 2 frames"):
        read_dicom(path, index=2)


def test_the_rescale_of_an_enhanced_file_is_found_in_its_frame(
    body_hu: NDArray[np.int16], write_dicom: Writer
) -> None:
    from pydicom.dataset import Dataset
    from pydicom.sequence import Sequence

    def groups(intercept: int) -> Dataset:
        values = Dataset()
        values.RescaleSlope, values.RescaleIntercept = 1, intercept
        measures = Dataset()
        measures.PixelSpacing = [2, 3]
        frame = Dataset()
        frame.PixelValueTransformationSequence = Sequence([values])
        frame.PixelMeasuresSequence = Sequence([measures])
        return frame

    frames = np.stack([body_hu + 100, body_hu + 200])
    path = write_dicom(
        frames,
        NumberOfFrames=2,
        RescaleSlope=None,
        RescaleIntercept=None,
        PixelSpacing=None,
        PerFrameFunctionalGroupsSequence=Sequence([groups(-100), groups(-200)]),
    )
    for index in (0, 1):
        stored = read_dicom(path, index=index)
        assert np.array_equal(stored.pixels, body_hu)
        assert stored.spacing_mm == (3, 2)


def test_colour_is_shown_as_it_is(write_dicom: Writer) -> None:
    colour = np.random.default_rng(0).integers(0, 256, (4, 6, 3), dtype=np.uint8)
    path = write_dicom(
        colour,
        Modality="ES",
        SamplesPerPixel=3,
        PlanarConfiguration=0,
        PhotometricInterpretation="RGB",
        Rows=4,
        Columns=6,
    )
    stored = read_dicom(path)
    assert stored.unit == "display"
    assert np.array_equal(stored.pixels, colour)


def test_a_size_out_of_bounds_is_refused_before_decoding(
    body_hu: NDArray[np.int16], write_dicom: Writer
) -> None:
    with pytest.raises(ImageError, match="20,000 × 20,000 pixels"):
        read_dicom(write_dicom(body_hu, Rows=20_000, Columns=20_000))


def test_fewer_pixels_than_stated_are_refused(
    body_hu: NDArray[np.int16], write_dicom: Writer
) -> None:
    with pytest.raises(ImageError, match="cannot be decoded"):
        read_dicom(write_dicom(body_hu, Rows=400))


def _deflated(plain: Path, *, padding: int = 0) -> bytes:
    """The same file in the deflated transfer syntax; `padding` zeros swell its pixel data."""
    from pydicom import dcmread
    from pydicom.filebase import DicomBytesIO
    from pydicom.filewriter import dcmwrite
    from pydicom.uid import DeflatedExplicitVRLittleEndian

    dataset = dcmread(plain)
    dataset.PixelData += bytes(padding)
    dataset.file_meta.TransferSyntaxUID = DeflatedExplicitVRLittleEndian
    with DicomBytesIO() as buffer:
        dcmwrite(buffer, dataset, enforce_file_format=True)
        return buffer.getvalue()


def test_a_deflated_file_is_read_as_any_other(
    body_hu: NDArray[np.int16], write_dicom: Writer
) -> None:
    path = write_dicom(body_hu, RescaleIntercept=0)
    path.write_bytes(_deflated(path))
    assert np.array_equal(read_dicom(path).pixels, body_hu)


@pytest.mark.parametrize("start", [0, 132])
def test_a_deflated_file_that_swells_is_refused_before_it_is_unpacked(
    body_hu: NDArray[np.int16],
    write_dicom: Writer,
    monkeypatch: pytest.MonkeyPatch,
    start: int,
) -> None:
    # A tenth of the bound, to save time: 30 MB of zeros in 30 kB, with the DICOM preamble and
    # without it.
    monkeypatch.setattr("overread.imaging.dicom.MAX_FILE_BYTES", 25_000_000)
    path = write_dicom(body_hu)
    path.write_bytes(_deflated(path, padding=30_000_000)[start:])
    assert path.stat().st_size < 50_000
    tracemalloc.start()
    with pytest.raises(ImageError, match="that unpacks to more"):
        read_dicom(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000


def test_other_bytes_are_no_dicom(tmp_path: Path) -> None:
    path = tmp_path / "x.dcm"
    for content in (b"<html>404</html>", bytes(128) + b"DICM", bytes(128) + b"DICM" + b"\xff" * 9):
        path.write_bytes(content)
        with pytest.raises(ImageError, match="expected a DICOM slice"):
            read_dicom(path)
