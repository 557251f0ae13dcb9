"""Pictures of a case: the outlines of both masks over the scan, or over the labels as grey shapes.

Outlines are drawn by the browser over a small grey picture, so they are sharp at any size and can
be switched off.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from overread.imaging.geometry import Geometry
from overread.imaging.label_map import LabelMap
from overread.imaging.stored import StoredSlice
from overread.imaging.volume import Volume
from overread.imaging.window import ABDOMEN, apply_window, stretch_window, widened
from overread.records import Window
from overread.report.masks.cuts import Cut, cut_plane, find_cuts
from overread.report.masks.outlines import outline

__all__ = ["CasePictures", "MaskPicture", "Scan", "case_pictures", "fitted"]

Scan: TypeAlias = Volume | StoredSlice
"""What lies behind masks: a volume, or a picture."""

_MOST_PX: Final = 288
"""Of the grey picture's longer side."""
_QUALITY: Final = 78
_LUNG: Final = Window(low_hu=-1350.0, high_hu=150.0)
_BONE: Final = Window(low_hu=-450.0, high_hu=1050.0)
_BELOW_LUNG_HU: Final = -400.0
_ABOVE_BONE_HU: Final = 200.0
_SCALE_MM: Final = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0)
_LONGEST_SCALE: Final = 0.4
"""Of the picture's width."""
_OTHER_GREY: Final = (38, 50, 62)
"""Labels that are not asked about, so that neighbours differ."""
_OWN_GREY: Final = 96
_SAME_PLACE: Final = 0.1
"""Of a voxel: headers round their numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskPicture:
    """One plane as the page draws it."""

    name: str
    place: str
    width: int
    """Of the outlines' coordinates: two a pixel."""
    height: int
    shown_width: float
    """Width to height as seen, in mm or, where sizes are not known, in pixels."""
    shown_height: float
    data: str
    """The grey picture, base64."""
    media_type: str
    reference: str
    """SVG path, see `outlines.outline`; empty where the mask is not in this slice."""
    prediction: str
    only_reference: str
    only_prediction: str
    letters: tuple[str, str, str, str] | None
    scale: str
    """``20 mm``; empty where sizes are not known."""
    scale_width: float
    """In the unit of `shown_width`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CasePictures:
    """The planes of one label of one case."""

    planes: tuple[MaskPicture, ...]
    note: str
    """What is behind the outlines: the scan's window, or why it is not shown; empty for pictures
    that are shown as they are."""


def case_pictures(
    reference: LabelMap,
    prediction: LabelMap,
    values: Collection[int],
    *,
    image: Scan | None,
) -> CasePictures:
    """Draw the slices in which a label disagrees most.

    Parameters
    ----------
    reference, prediction
        On one grid (`fitted`).
    values
        Values in the maps that make up the label.
    image
        The scan: a volume, or for masks of two dimensions a picture in grey or colour. One that
        lies on another grid than the reference is not shown, and `note` says so.

    Returns
    -------
    CasePictures
        Without planes where neither mask has the label.
    """
    cuts = find_cuts(
        reference.array,
        prediction.array,
        spacing_mm=reference.spacing_mm,
        axes=None if reference.geometry is None else reference.geometry.axes,
        values=values,
    )
    if not cuts:
        return CasePictures(planes=(), note="neither mask has this label")
    problem = _problem(image, reference)
    if image is None or problem:
        backs = [_shapes(cut_plane(reference.array, cut.plane), cut.reference) for cut in cuts]
        note = f"grey shapes are the reference's labels{f'; {problem}' if problem else ''}"
    elif isinstance(image, Volume):
        window, note = _window(image, cuts)
        backs = [_grey(image, cut, window) for cut in cuts]
    else:
        backs, note = [cut_plane(image.pixels, cut.plane) for cut in cuts], ""
    planes = tuple(_picture(cut, back) for cut, back in zip(cuts, backs, strict=True))
    return CasePictures(planes=planes, note=note)


def fitted(prediction: LabelMap, *, like: LabelMap) -> LabelMap:
    """Lay a prediction on its reference's grid where it has another.

    Raises
    ------
    ImageError
        It cannot be: one of them does not say where it lies, or their dimensions differ.
    """
    from overread.imaging.label_resample import resample_labels

    alike = prediction.array.shape == like.array.shape
    if alike and _in_one_place(prediction.geometry, like.geometry):
        return prediction
    return resample_labels(prediction, like=like)


def _in_one_place(one: Geometry | None, other: Geometry | None) -> bool:
    """Tell whether two grids of one shape lie in one place, as far as both say where."""
    if one is None or other is None:
        return True
    first, second = (np.asarray(each.affine_lps)[:3] for each in (one, other))
    corners = np.array([[x, y, z, 1.0] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    corners[:, :3] *= np.array(one.shape) - 1
    apart = np.linalg.norm(corners @ (first - second).T, axis=1)
    return bool(apart.max() <= _SAME_PLACE * min(one.spacing_mm))


def _problem(image: Scan | None, reference: LabelMap) -> str:
    """Say why a scan cannot be shown behind the masks; empty where it can, or there is none."""
    if image is None:
        return ""
    shape = image.array.shape if isinstance(image, Volume) else image.pixels.shape[:2]
    if shape != reference.array.shape:
        sizes = [" × ".join(map(str, one)) for one in (shape, reference.array.shape)]
        return f"the scan has another grid ({sizes[0]} voxels, the reference {sizes[1]})"
    if isinstance(image, Volume):
        if not _in_one_place(image.geometry, reference.geometry):
            return "the scan lies in another place than the reference"
    elif image.unit != "display":
        return "the picture has no 8-bit values to show"
    return ""


def _window(image: Volume, cuts: Sequence[Cut]) -> tuple[Window, str]:
    """Choose what shows the label, by its values in the slices that are shown, and say it."""
    by_reference = any(cut.reference.any() for cut in cuts)
    inside = np.concatenate(
        [
            image.values(cut_plane(image.array, cut.plane)[mask])
            for cut in cuts
            for mask in (cut.reference if by_reference else cut.prediction,)
        ]
    )
    inside = inside[np.isfinite(inside)]
    if image.unit != "hu":
        window = _stretched(image.sample(), inside)
        return window, f"the scan from {window.low_hu:.3g} to {window.high_hu:.3g}".replace(
            "-", "\N{MINUS SIGN}"
        )
    middle = float(np.median(inside)) if inside.size else 0.0
    window = _LUNG if middle < _BELOW_LUNG_HU else _BONE if middle > _ABOVE_BONE_HU else ABDOMEN
    return window, f"the scan from {window.low_hu:.0f} to {window.high_hu:.0f} HU".replace(
        "-", "\N{MINUS SIGN}"
    )


def _stretched(values: NDArray[np.float32], inside: NDArray[np.float32]) -> Window:
    """Stretch numbers without a scale so far that the label is not lost beside what is brighter.

    In PET a lesion is dark beside the bladder; white is at most twice as bright as the label.
    """
    whole = stretch_window(values)
    if not inside.size:
        return whole
    bright = float(np.percentile(inside, 90))
    high = min(whole.high_hu, whole.low_hu + 2 * (bright - whole.low_hu))
    return widened(whole.low_hu, high) if high > whole.low_hu else whole


def _grey(image: Volume, cut: Cut, window: Window) -> NDArray[np.uint8]:
    return apply_window(
        image.values(np.ascontiguousarray(cut_plane(image.array, cut.plane))), window
    )


def _shapes(labels: NDArray[Any], own: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Paint labels in dim greys and the one asked about brighter."""
    greys = np.array(_OTHER_GREY, dtype=np.uint8)[labels.astype(np.int64) % len(_OTHER_GREY)]
    greys[labels == 0] = 0
    greys[own] = _OWN_GREY
    return greys


def _picture(cut: Cut, back: NDArray[np.uint8]) -> MaskPicture:
    rows, columns = cut.reference.shape
    height, width = rows * cut.pixel_mm[0], columns * cut.pixel_mm[1]
    data, media_type = _encode(back, height / width)
    scale_mm = max(
        (one for one in _SCALE_MM if one <= _LONGEST_SCALE * width), default=_SCALE_MM[0]
    )
    return MaskPicture(
        name=cut.name,
        place=cut.place,
        width=2 * columns,
        height=2 * rows,
        shown_width=round(width, 2),
        shown_height=round(height, 2),
        data=data,
        media_type=media_type,
        reference=outline(cut.reference),
        prediction=outline(cut.prediction),
        only_reference=outline(cut.reference & ~cut.prediction),
        only_prediction=outline(cut.prediction & ~cut.reference),
        letters=cut.letters,
        scale=f"{scale_mm:g} mm" if cut.is_mm else "",
        scale_width=scale_mm,
    )


def _encode(back: NDArray[np.uint8], ratio: float) -> tuple[str, str]:
    """Encode a picture small, in grey or colour; `ratio` is its height over its width as seen."""
    from PIL import Image  # heavy: not before a page is written

    picture = Image.fromarray(np.ascontiguousarray(back))
    longest = min(_MOST_PX, 2 * max(back.shape[:2]))
    size = (longest, round(longest * ratio)) if ratio <= 1 else (round(longest / ratio), longest)
    small = picture.resize((max(1, size[0]), max(1, size[1])), Image.Resampling.BICUBIC)
    buffer = io.BytesIO()
    small.save(buffer, "WEBP", quality=_QUALITY, method=4)
    return base64.b64encode(buffer.getvalue()).decode("ascii"), "image/webp"
