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
