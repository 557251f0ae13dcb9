"""A whole volume from any format the project reads.

A folder is a DICOM series, ``.mha`` and ``.mhd`` are told by their names, all else by its bytes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from overread.errors import ImageError, UnsafePathError, expected
from overread.imaging.read import sniff
from overread.imaging.volume import Volume

__all__ = ["read_volume", "volume_files"]

_METAIMAGE: Final = {".mha", ".mhd"}
_MOST_FILES: Final = 20_000
"""Of one folder; the longest series have some thousand slices."""


def volume_files(path: Path) -> tuple[Path, ...]:
    """Give the files behind a volume, in a stable order, for hashing.

    Returns
    -------
    tuple of Path
        The file itself (with its data file for an ``.mhd``), or the files of a series folder by
        name; folders inside it and hidden files are left out.

    Raises
    ------
    ImageError
        Nothing is there, or a folder holds no file.
    UnsafePathError
        A link inside the folder leads out of it.
    """
    if path.is_dir():
        return _folder(path)
    if path.suffix.lower() in _METAIMAGE:
        from overread.imaging.metaimage import metaimage_files

        return metaimage_files(path)
    return (path,)


def _folder(folder: Path) -> tuple[Path, ...]:
    real = folder.resolve()
    files: list[Path] = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name.upper() == "DICOMDIR" or path.is_dir():
            continue
        if path.is_symlink() and path.resolve().parent != real:
            raise UnsafePathError(
                expected(
                    str(folder),
                    rule="files of its own",
                    got=f"{path.name}, a link that leads out of it",
                    remedy="Put the file itself there.",
                )
            )
        files.append(path)
    if len(files) > _MOST_FILES:
        raise ImageError(
            expected(
                str(folder),
                rule=f"at most {_MOST_FILES:,} files of one series",
                got=f"{len(files):,}",
                remedy="Put each series into a folder of its own.",
            )
        )
    if not files:
        raise ImageError(
            expected(
                str(folder),
                rule="a volume",
                got="a folder without files",
                remedy="Complete the series.",
            )
        )
    return tuple(files)


def read_volume(path: Path, *, several: Literal["refuse", "largest"] = "refuse") -> Volume:
    """Read a NIfTI or MetaImage file, a folder of DICOM slices or a DICOM file of many frames.

    Parameters
    ----------
    path
        The file or folder.
    several
        For a folder that holds several series: refuse it, or take the largest with a warning.

    Raises
    ------
    ImageError
        Absent, unreadable, out of bounds, of an unknown format, of other than three dimensions,
        on no rectangular grid, or an incomplete or mixed series.
    MissingExtraError
        A MetaImage without the extra ``itk``.
    UnsafePathError
        A link or a header leads to a file elsewhere.
    """
    files = volume_files(path)
    if path.is_dir():
        from overread.imaging.dicom_series import read_dicom_series

        return read_dicom_series(files, source=str(path), several=several)
    if path.suffix.lower() in _METAIMAGE:
        from overread.imaging.metaimage import read_metaimage

        return read_metaimage(path)
    match sniff(path):
        case "nifti":
            from overread.imaging.nifti_volume import read_nifti_volume

            return read_nifti_volume(path)
        case "dicom":
            from overread.imaging.dicom_series import read_dicom_series

            return read_dicom_series(files, source=str(path), several=several)
        case "picture":
            raise ImageError(
                expected(
                    str(path),
                    rule="a volume",
                    got="a picture",
                    remedy="Name a NIfTI or MetaImage file or a folder of DICOM slices.",
                )
            )
