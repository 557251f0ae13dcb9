"""Takes rendered pictures apart: grey values, body outline, drawn box, tiles of a mosaic."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from overread.contracts import Picture
from overread.errors import ImageError, expected
from overread.imaging.boxes import find_drawn_boxes
from overread.records import Box

__all__ = ["View", "views_of"]

_MOSAIC = re.compile(r"mosaic (?P<rows>\d+)×(?P<columns>\d+)")
_CHROMA = 40
"""A pixel whose channels differ by more (of 255) was drawn, not measured."""
_BODY_LEVEL = 0.12
"""Grey above which a smoothed pixel belongs to the body rather than to the air around it."""
_BODY_WIDTH_MM = 350.0
"""Assumed width of a body where the release states no pixel size: an adult's, roughly."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class View:
    """One slice as the reader sees it."""

    grey: NDArray[np.float32]
    """Shape (rows, columns), 0 (black) to 1 (white), with drawn outlines painted over."""
    body: Box
    """Smallest rectangle around the body, or the whole picture when there is none."""
    box: Box | None
    """The largest box drawn in the picture."""
    pixel_mm: float
    """Size of a pixel; stated, or estimated from the width of the body."""


def views_of(picture: Picture, spacing_mm: tuple[float, ...] | None) -> tuple[View, ...]:
    """Take a picture apart: one view, or one a slice for a mosaic, in slice order.

    Parameters
    ----------
    picture
        PNG or JPEG, as rendered.
    spacing_mm
        Size of a stored pixel along x and y, where the release says it and the picture was
        not shrunk on its way.

    Raises
    ------
    ImageError
        The picture cannot be decoded.
    """
    try:
        with Image.open(io.BytesIO(picture.data), formats=("PNG", "JPEG")) as image:
            grey = image.mode in ("L", "1")
            rgb = np.asarray(image.convert("L" if grey else "RGB"))
    # A file sent as stored was checked for being whole, and never decoded before.
    except (OSError, ValueError, SyntaxError) as error:
        raise ImageError(
            expected(
                ", ".join(picture.receipt.sources) or "picture",
                rule="a PNG or JPEG that can be decoded",
                got=error,
                remedy="Copy the file again.",
            )
        ) from error
    return tuple(_view(tile, spacing_mm) for tile in _tiles(rgb, picture))


def _tiles(rgb: NDArray[np.uint8], picture: Picture) -> list[NDArray[np.uint8]]:
    """Cut a mosaic into its slices; anything else is one tile."""
    layout = _MOSAIC.search(picture.receipt.layout)
    if layout is None:
        return [rgb]
    rows = np.array_split(rgb, int(layout["rows"]), axis=0)
    tiles = [t for row in rows for t in np.array_split(row, int(layout["columns"]), axis=1)]
    return tiles[: len(picture.receipt.sources)] or tiles


def _view(rgb: NDArray[np.uint8], spacing_mm: tuple[float, ...] | None) -> View:
    boxes = find_drawn_boxes(rgb)
    largest = max(boxes, key=_area, default=None)
    grey = _without_drawing(rgb)
    body = _body(grey)
    pixel_mm = (
        float(spacing_mm[0]) if spacing_mm else _BODY_WIDTH_MM / max(body.x_max - body.x_min, 1.0)
    )
    return View(grey=grey, body=body, box=largest, pixel_mm=pixel_mm)


def _area(box: Box) -> float:
    return (box.x_max - box.x_min) * (box.y_max - box.y_min)


def _without_drawing(rgb: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Turn to grey, 0 to 1, and give coloured pixels the median of the grey ones around them."""
    if rgb.ndim == 2:
        return rgb.astype(np.float32) / np.float32(255)
    red, green, blue = (rgb[:, :, channel].astype(np.int16) for channel in range(3))
    grey = (red + green + blue).astype(np.float32) / np.float32(3 * 255)
    chroma = np.maximum(np.maximum(red, green), blue) - np.minimum(np.minimum(red, green), blue)
    drawn = chroma > _CHROMA
    rows, columns = np.nonzero(drawn)
    if not rows.size:
        return grey
    step = np.arange(-2, 3)  # the outline may be two pixels wide, so look that far
    near_rows = np.clip(rows[:, None, None] + step[:, None], 0, grey.shape[0] - 1)
    near_columns = np.clip(columns[:, None, None] + step, 0, grey.shape[1] - 1)
    near = np.where(drawn[near_rows, near_columns], np.nan, grey[near_rows, near_columns])
    near = near.reshape(len(rows), -1)
    some = ~np.isnan(near).all(axis=1)
    filled = np.full(len(rows), float(np.median(grey)))
    filled[some] = np.nanmedian(near[some], axis=1)
    grey[rows, columns] = filled
    return grey


def _body(grey: NDArray[np.float32]) -> Box:
    """Find the rectangle around the largest bright region."""
    step = max(1, min(grey.shape) // 128)
    small = ndimage.uniform_filter(grey[::step, ::step], 3)
    labels = np.zeros(small.shape, dtype=np.int32)
    ndimage.label(small > _BODY_LEVEL, output=labels)
    if not labels.any():
        return Box(x_min=0, y_min=0, x_max=grey.shape[1], y_max=grey.shape[0])
    largest = int(np.argmax(np.bincount(labels.ravel())[1:])) + 1
    rows, columns = ndimage.find_objects(labels)[largest - 1]
    return Box(
        x_min=columns.start * step,
        y_min=rows.start * step,
        x_max=min(columns.stop * step, grey.shape[1]),
        y_max=min(rows.stop * step, grey.shape[0]),
    )
