"""A whole MetaImage volume (``.mha``, ``.mhd``), read by SimpleITK after its header was checked."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Final

import numpy as np

from overread.errors import ImageError, MissingExtraError, UnsafePathError, expected
from overread.imaging.bounds import MAX_VOLUME_BYTES, check_file
from overread.imaging.geometry import geometry_of
from overread.imaging.volume import Volume, check_decoded, volume_of

__all__ = ["metaimage_files", "read_metaimage"]

_HEADER_BYTES: Final = 65_536
_NAME_BYTES: Final = 255
_BLOCK: Final = 2**20
_ITEM_BYTES: Final = {
    "MET_CHAR": 1,
    "MET_UCHAR": 1,
    "MET_SHORT": 2,
    "MET_USHORT": 2,
    "MET_INT": 4,
    "MET_UINT": 4,
    "MET_LONG": 4,
    "MET_ULONG": 4,
    "MET_LONG_LONG": 8,
    "MET_ULONG_LONG": 8,
    "MET_FLOAT": 4,
    "MET_DOUBLE": 8,
}


def read_metaimage(path: Path) -> Volume:
    """Read a volume of three dimensions from an ``.mha`` file or an ``.mhd`` file and its data.

    Like NIfTI the format does not say what its numbers are, see `volume_of`.

    Raises
    ------
    MissingExtraError
        SimpleITK (extra ``itk``) is not installed.
    ImageError
        No MetaImage, damaged, out of bounds, in colour, of other than three dimensions, or on no
        rectangular grid.
    UnsafePathError
        The header names a data file outside its own folder.
    """
    fields, offset = _header(path)
    shape = _shape(path, fields)
    kind = fields.get("elementtype", "")
    if kind not in _ITEM_BYTES or fields.get("elementnumberofchannels", "1") != "1":
        raise _unusable(path, f"voxels of kind {kind or 'unknown'}", "Convert it to plain numbers.")
    check_decoded(path, shape, _ITEM_BYTES[kind])
    if fields.get("headersize", "0") not in ("0", "-1"):  # -1: the voxels end where the file ends
        raise _unusable(path, "voxels behind a header of its own", "Store it as one .mha file.")
    data = metaimage_files(path)[-1]
    check_file(data, max_bytes=MAX_VOLUME_BYTES)
    n_bytes = shape[0] * shape[1] * shape[2] * _ITEM_BYTES[kind]
    _check_whole(data, offset if data == path else 0, n_bytes, fields)
    try:
        import SimpleITK
    except ImportError as error:
        raise MissingExtraError(f"{path.name} (MetaImage)", extra="itk") from error
    try:
        image = SimpleITK.ReadImage(str(path), imageIO="MetaImageIO")
        stored = SimpleITK.GetArrayFromImage(image)
    # SimpleITK raises RuntimeError for everything, and its C++ side throws others through.
    except Exception as error:
        said = str(error).strip().splitlines()
        reason = said[-1] if said else "unreadable"
        raise _unusable(path, f"a damaged file ({reason})", "Copy the file again.") from error
    if stored.ndim != 3:
        raise _unusable(path, f"{stored.ndim} dimensions", "Split it into volumes.")
    array = stored.transpose(2, 1, 0)  # SimpleITK gives k, j, i
    if array.dtype.itemsize > 2:
        array = array.astype(np.float32)
    affine = np.eye(4)
    affine[:3, :3] = np.reshape(image.GetDirection(), (3, 3)) * np.asarray(image.GetSpacing())
    affine[:3, 3] = image.GetOrigin()
    return volume_of(
        array,
        geometry_of(affine, array.shape, source=str(path)),
        slope=1.0,
        intercept=0.0,
        modality=None,
        warnings=_doubts(fields),
        source=str(path),
    )


def metaimage_files(path: Path) -> tuple[Path, ...]:
    """Give the files of a MetaImage: itself, and the data file that an ``.mhd`` names.

    Raises
    ------
    ImageError
        It names no data file, or a list or a pattern of them.
    UnsafePathError
        It names one outside its own folder.
    """
    name = _header(path)[0].get("elementdatafile", "")
    if name.upper() == "LOCAL":
        return (path,)
    if not name or name.upper().startswith("LIST") or "%" in name:
        raise _unusable(path, f"data in '{name or 'no file'}'", "Store it as one .mha file.")
    data = path.parent / name
    strange = any(mark in name for mark in "/\\\0") or len(name.encode()) > _NAME_BYTES
    if strange or data.resolve().parent != path.parent.resolve():
        raise UnsafePathError(
            expected(
                str(path),
                rule="a data file in its own folder",
                got=repr(name),
                remedy="Store it as one .mha file.",
            )
        )
    return path, data


def _header(path: Path) -> tuple[dict[str, str], int]:
    """Read the lines ``Name = value`` up to the one that says where the data are; and its end."""
    check_file(path, max_bytes=MAX_VOLUME_BYTES)
    with path.open("rb") as file:
        start = file.read(_HEADER_BYTES)
    fields: dict[str, str] = {}
    end = 0
    for line in start.split(b"\n"):
        end += len(line) + 1
        name, equals, value = line.partition(b"=")
        if not equals:
            break
        key = name.strip().decode("latin-1").lower()
        fields[key] = value.strip().decode("latin-1")
        if key == "elementdatafile":
            return fields, end
    raise _unusable(path, "no header that ends with ElementDataFile", "Copy the file again.")


def _check_whole(data: Path, offset: int, n_bytes: int, fields: dict[str, str]) -> None:
    """Check that the voxels are all there: SimpleITK fills up what it cannot unpack."""
    if fields.get("compresseddata", "false").lower() != "true":
        if data.stat().st_size - offset < n_bytes:
            raise _unusable(data, "a file that is cut off", "Copy the file again.")
        return
    inflater, size = zlib.decompressobj(zlib.MAX_WBITS | 32), 0  # zlib's or gzip's own header
    try:
        with data.open("rb") as file:
            file.seek(offset)
            while not inflater.eof and size <= n_bytes and (block := file.read(_BLOCK)):
                while block and not inflater.eof and size <= n_bytes:
                    size += len(inflater.decompress(block, _BLOCK))
                    block = inflater.unconsumed_tail
    except zlib.error as error:
        raise _unusable(data, f"a damaged file ({error})", "Copy the file again.") from error
    if not inflater.eof or size != n_bytes:
        raise _unusable(
            data,
            f"a damaged file ({size:,} bytes of voxels, {n_bytes:,} by its header)",
            "Copy the file again.",
        )


def _shape(path: Path, fields: dict[str, str]) -> tuple[int, ...]:
    try:
        shape = tuple(int(size) for size in fields.get("dimsize", "").split())
    except ValueError:
        shape = ()
    if fields.get("ndims") != "3" or len(shape) != 3:
        raise _unusable(path, f"{fields.get('ndims')} dimensions", "Split it into volumes.")
    spacing = fields.get("elementspacing") or fields.get("elementsize")
    if spacing is None:
        raise _unusable(path, "no ElementSpacing", "State the distance of its voxels in mm.")
    try:
        zero = any(float(one) == 0 for one in spacing.split())
    except ValueError:
        zero = True
    if zero:  # SimpleITK turns a zero into 1 mm
        raise _unusable(path, f"a spacing of {spacing} mm", "State the distance in mm.")
    return shape


def _doubts(fields: dict[str, str]) -> tuple[str, ...]:
    doubts: list[str] = []
    if not any(name in fields for name in ("transformmatrix", "rotation", "orientation")):
        # Unlike NIfTI's, this format's own default is one: the axes of LPS.
        doubts.append("the header states no orientation: taken as LPS")
    slope = fields.get("elementtointensityfunctionslope", "1")
    offset = fields.get("elementtointensityfunctionoffset", "0")
    if (slope, offset) != ("1", "0"):
        # ITK and all that stands on it leave this field out, so whoever wrote the file saw the
        # numbers as they are stored.
        doubts.append(f"the header's scale (slope {slope}, offset {offset}) is not applied")
    return tuple(doubts)


def _unusable(path: Path, got: str, remedy: str) -> ImageError:
    return ImageError(
        expected(str(path), rule="a MetaImage volume of three dimensions", got=got, remedy=remedy)
    )
