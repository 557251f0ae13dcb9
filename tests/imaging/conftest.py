"""Small real files of every format, made on the spot, and the released ones where they are."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image


@pytest.fixture
def body_hu() -> NDArray[np.int16]:
    """A slice of 40 rows and 60 columns: air, a body of 40 HU, a liver of 110 HU on the left of
    the picture, a vertebra of 700 HU low in the middle."""
    slice_hu = np.full((40, 60), -1000, dtype=np.int16)
    slice_hu[8:36, 10:50] = 40
    slice_hu[12:24, 12:26] = 110
    slice_hu[27:33, 27:33] = 700
    return slice_hu


@pytest.fixture
def write_png16(tmp_path: Path) -> Callable[[NDArray[Any], str], Path]:
    def write(intensity_hu: NDArray[Any], name: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray((intensity_hu.astype(np.int32) + 32768).astype(np.uint16)).save(path)
        return path

    return write


@pytest.fixture
def write_dicom(tmp_path: Path) -> Callable[..., Path]:
    """Write a DICOM slice from stored numbers; keywords set or (as None) remove elements."""

    def write(stored: NDArray[Any], name: str = "slice.dcm", **elements: object) -> Path:
        from pydicom.dataset import Dataset, FileMetaDataset
        from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian, generate_uid

        dataset = Dataset()
        dataset.SOPClassUID = CTImageStorage
        dataset.SOPInstanceUID = generate_uid(entropy_srcs=[name])
        dataset.Modality = "CT"
        dataset.SamplesPerPixel = 1
        dataset.PhotometricInterpretation = "MONOCHROME2"
        dataset.Rows, dataset.Columns = stored.shape[-2:]
        dataset.BitsAllocated = dataset.BitsStored = 8 * stored.dtype.itemsize
        dataset.HighBit = dataset.BitsStored - 1
        dataset.PixelRepresentation = int(stored.dtype.kind == "i")
        dataset.RescaleSlope, dataset.RescaleIntercept = 1, -1024
        dataset.PixelSpacing = [0.5, 0.8]
        dataset.ImageOrientationPatient = [1, 0, 0, 0, 1, 0]
        dataset.PixelData = stored.tobytes()
        for keyword, value in elements.items():
            if value is None:
                delattr(dataset, keyword)
            else:
                setattr(dataset, keyword, value)
        dataset.file_meta = FileMetaDataset()
        dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
        dataset.file_meta.MediaStorageSOPClassUID = dataset.SOPClassUID
        dataset.file_meta.MediaStorageSOPInstanceUID = dataset.SOPInstanceUID
        path = tmp_path / name
        dataset.save_as(path, enforce_file_format=True)
        return path

    return write


@pytest.fixture
def write_nifti(tmp_path: Path) -> Callable[..., Path]:
    def write(
        voxels: NDArray[Any], affine: NDArray[Any] | None, name: str = "scan.nii.gz", **header: Any
    ) -> Path:
        import nibabel

        image = nibabel.Nifti1Image(voxels, affine)
        if "slope" in header:
            image.header.set_slope_inter(header["slope"], header["inter"])
        path = tmp_path / name
        nibabel.save(image, path)
        return path

    return write


@pytest.fixture
def png_header(tmp_path: Path) -> Callable[[int, int], Path]:
    """A PNG that claims a size and has no pixels behind it."""

    def write(width: int, height: int) -> Path:
        def chunk(kind: bytes, body: bytes) -> bytes:
            return (
                struct.pack(">I", len(body))
                + kind
                + body
                + struct.pack(">I", zlib.crc32(kind + body))
            )

        path = tmp_path / f"{width}x{height}.png"
        path.write_bytes(
            b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(b"\0"))
            + chunk(b"IEND", b"")
        )
        return path

    return write


@pytest.fixture
def asymmetric_ras() -> NDArray[np.int16]:
    """A volume of 5 × 6 × 7 voxels, axes to the right, anterior and superior; no two alike."""
    return (np.arange(5 * 6 * 7, dtype=np.int16).reshape(5, 6, 7) * 7) - 1000


@pytest.fixture
def write_turned_nifti(tmp_path: Path) -> Callable[..., Path]:
    """Store a volume, given in RAS at 2 × 3 × 4 mm, the way a code of three letters says."""

    def write(volume_ras: NDArray[Any], code: str, name: str = "") -> Path:
        import nibabel
        from nibabel.orientations import axcodes2ornt, ornt_transform

        affine = np.diag([2.0, 3.0, 4.0, 1.0])
        affine[:3, 3] = -10, 20, -30
        turn = ornt_transform(axcodes2ornt(tuple("RAS")), axcodes2ornt(tuple(code)))
        path = tmp_path / (name or f"{code}.nii")
        nibabel.save(nibabel.Nifti1Image(volume_ras, affine).as_reoriented(turn), path)
        return path

    return write


@pytest.fixture
def directions_lps() -> Callable[[str], NDArray[np.float64]]:
    """Unit vectors in LPS, one a column, of the directions that a code names."""
    vectors = {"L": (1, 0, 0), "P": (0, 1, 0), "S": (0, 0, 1)}
    vectors |= {
        other: tuple(-x for x in vectors[letter])
        for letter, other in zip("LPS", "RAI", strict=True)
    }
    return lambda code: np.array([vectors[letter] for letter in code], dtype=float).T


Change = Callable[[int, dict[str, Any]], dict[str, Any] | None]


@pytest.fixture
def write_series(
    tmp_path: Path,
    write_dicom: Callable[..., Path],
    directions_lps: Callable[[str], NDArray[np.float64]],
) -> Callable[..., Path]:
    """Write a volume (columns, rows, slices) as a folder of DICOM slices.

    Axes grow as `code` says, spacing as given; `change` may alter the elements of one slice, or
    leave it out by giving None.
    """

    def write(
        volume: NDArray[Any],
        code: str = "LPS",
        name: str = "series",
        spacing_mm: tuple[float, float, float] = (2.0, 3.0, 4.0),
        change: Callable[[int, dict[str, Any]], dict[str, Any] | None] = lambda _, elements: (
            elements
        ),
    ) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        axes = directions_lps(code)
        for number in range(volume.shape[2]):
            place = np.array([5.0, -7.0, 11.0]) + axes[:, 2] * spacing_mm[2] * number
            elements = change(
                number,
                {
                    "ImageOrientationPatient": [*axes[:, 0], *axes[:, 1]],
                    "ImagePositionPatient": place.tolist(),
                    "PixelSpacing": [spacing_mm[1], spacing_mm[0]],
                    "SliceThickness": spacing_mm[2],
                    "SeriesInstanceUID": "1.2.3",
                    "RescaleIntercept": 0,
                },
            )
            if elements is not None:
                plane = np.ascontiguousarray(volume[:, :, number].T)
                # Names run against the positions: only these tell where a slice lies.
                write_dicom(plane, f"{name}/{900 - number}.dcm", **elements)
        return folder

    return write
