"""One slice from any file the project reads. The format is told by its bytes, not its name."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from overread.errors import ImageError, expected
from overread.imaging.bounds import MAX_VOLUME_BYTES, check_file
from overread.imaging.header import JPEG_START, PNG_START
from overread.imaging.stored import StoredSlice

__all__ = ["FileFormat", "read_slice", "sniff"]

FileFormat: TypeAlias = Literal["picture", "dicom", "nifti"]
"""`picture` is a PNG or a JPEG."""

_NIFTI_HEADER_SIZES = {348, 540}
_GZIP_START = b"\x1f\x8b"
_DICOM_MARK = b"DICM"
_DICOM_SUFFIXES = {".dcm", ".dicom", ".ima"}


def sniff(path: Path) -> FileFormat:
    """Tell a file's format by its first bytes.

    Raises
    ------
    ImageError
        Absent, no plain file, or none of PNG, JPEG, DICOM and NIfTI.
    """
    check_file(path, max_bytes=MAX_VOLUME_BYTES)
    with path.open("rb") as file:
        start = file.read(132)
    if start.startswith((PNG_START, JPEG_START)):
        return "picture"
    if start[128:132] == _DICOM_MARK or path.suffix.lower() in _DICOM_SUFFIXES:
        return "dicom"
    sizes = {int.from_bytes(start[:4], "little"), int.from_bytes(start[:4], "big")}
    zipped = start.startswith(_GZIP_START) and path.name.lower().endswith(".nii.gz")
    if zipped or sizes & _NIFTI_HEADER_SIZES:
        return "nifti"
    raise ImageError(
        expected(
            str(path),
            rule="a PNG, JPEG, DICOM or NIfTI file",
            got=f"a file that begins with {start[:8]!r}",
            remedy="Convert it, or copy it again if it is damaged.",
        )
    )


def read_slice(path: Path, *, index: int | None = None) -> StoredSlice:
    """Read one slice of a PNG, JPEG, DICOM or NIfTI file.

    Parameters
    ----------
    path
        The file.
    index
        Slice of a NIfTI volume or frame of a DICOM file, from 0; None where there is one only.

    Returns
    -------
    StoredSlice
        Pixels with their unit, pixel spacing and orientation.

    Raises
    ------
    ImageError
        The file is absent, unreadable, out of bounds or of an unknown format, or has no such
        slice.
    """
    match sniff(path):
        case "picture":
            from overread.imaging.picture_file import read_picture

            if index not in (None, 0):
                raise ImageError(
                    expected(
                        str(path),
                        rule="slice 0 of a picture",
                        got=f"slice {index}",
                        remedy="Leave the slice number out.",
                    )
                )
            return read_picture(path)
        case "dicom":
            from overread.imaging.dicom import read_dicom

            return read_dicom(path, index=index)
        case "nifti":
            from overread.imaging.nifti import read_nifti

            return read_nifti(path, index=index)
