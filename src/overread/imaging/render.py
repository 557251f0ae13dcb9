"""Media to pictures: what exactly a model is shown, with a receipt for each picture."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.errors import ImageError, expected
from overread.imaging.bounds import check_file
from overread.imaging.boxes import draw_box
from overread.imaging.encode import encode_png, shrink
from overread.imaging.header import PictureHeader, read_header
from overread.imaging.mosaic import mosaic, mosaic_shape
from overread.imaging.picture import AS_STORED, ArrayFile, Picture, with_receipt
from overread.imaging.picture_effect import change_boxes, change_pixels, effects_label
from overread.imaging.picture_file import decode_picture
from overread.imaging.read import read_slice, sniff
from overread.imaging.safe_path import resolve_inside
from overread.imaging.slice_path import locate
from overread.imaging.stored import StoredSlice
from overread.imaging.volume_shelf import VolumeShelf
from overread.imaging.window import ABDOMEN, apply_window, stretch_window, window_label
from overread.records import Box, Media

__all__ = ["PictureRenderer"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """One slice as it is shown, before it is encoded."""

    pixels: NDArray[np.uint8]
    window: str
    orientation: str
    boxes_drawn: int


class PictureRenderer:
    """Renders the media of one release; a `contracts.Renderer`.

    A stored 8-bit picture to which the recipe changes nothing goes out byte for byte as it lies in
    the release, after its header and wholeness were checked. Everything else is decoded, windowed,
    changed by the recipe's effects, shrunk, given its boxes (drawn last, so that their lines stay
    sharp) and encoded as PNG. A window applies to stored HU, never to an 8-bit picture. Boxes are
    drawn on every slice of a stack, where the effects have moved them.

    A path may name one slice of a volume: ``scan.nii.gz#12``, counted from 0.

    A volume (`Media.kind`) is prepared by its volume recipe: as pictures when the renderer is
    called, as an array file by `array`. It is prepared once for all questions about it.

    One renderer serves many threads.

    Parameters
    ----------
    root
        The release's folder, which no path may leave.
    arrays
        Folder for the array files of prepared volumes, used again by later renderers; None where
        no arrays are asked for.
    """

    __slots__ = ("_root", "_shelf")

    def __init__(self, root: Path, *, arrays: Path | None = None) -> None:
        self._root = root
        self._shelf = VolumeShelf(arrays)

    def __call__(self, media: Media) -> tuple[Picture, ...]:
        """Render media by their recipe.

        Returns
        -------
        tuple of Picture
            One for a mosaic, one a slice for a volume, else one a path, in the media's order.

        Raises
        ------
        ImageError
            A file is absent or cannot be shown.
        UnsafePathError
            A path leaves the release.
        """
        if not media.paths:
            raise ImageError(
                expected(
                    "media",
                    rule="at least one file",
                    got="none",
                    remedy="Complete the question in the release.",
                )
            )
        if media.kind == "volume":
            return self._shelf.pictures(*self._volume(media), media.recipe)
        if media.recipe.stack == "mosaic" and len(media.paths) > 1:
            return (self._mosaic(media),)
        count = len(media.paths)
        return tuple(
            self._picture(media, path, _layout(number, count))
            for number, path in enumerate(media.paths, start=1)
        )

    def array(self, media: Media) -> ArrayFile:
        """Give the array file of a volume whose recipe's output is ``array``.

        Raises
        ------
        ImageError
            It is no volume, its recipe makes pictures, there is no folder for arrays, or the
            volume cannot be used.
        StoreFullError
            The folder takes no file.
        UnsafePathError
            A path leaves the release.
        """
        if media.kind != "volume":
            raise ImageError(
                expected(
                    "media",
                    rule="a volume",
                    got=f"a {media.kind}",
                    remedy="Ask for pictures instead.",
                )
            )
        return self._shelf.array(*self._volume(media), media.recipe)

    def _volume(self, media: Media) -> tuple[Path, str]:
        if len(media.paths) != 1:
            raise ImageError(
                expected(
                    "media",
                    rule="one file or one folder of a series",
                    got=f"{len(media.paths)} paths",
                    remedy="Name the volume once.",
                )
            )
        return resolve_inside(self._root, media.paths[0]), media.paths[0]

    def _picture(self, media: Media, relative: str, layout: str) -> Picture:
        path, index = locate(self._root, relative)
        if index is None and sniff(path) == "picture":
            check_file(path)
            data = path.read_bytes()
            header = read_header(data, path)
            if _unchanged(media, header):
                return _as_stored(data, header, relative, layout)
            stored = decode_picture(data, header, path)
        else:
            stored = read_slice(path, index=index)
        shown = _show(stored, media, relative)
        return _encoded(shown, sources=(relative,), layout=layout)

    def _mosaic(self, media: Media) -> Picture:
        slices = []
        for relative in media.paths:
            path, index = locate(self._root, relative)
            # Tiles stay whole here: the mosaic as such is held to the longest side.
            slices.append(_show(read_slice(path, index=index), _unshrunk(media), relative))
        tiled = shrink(mosaic([one.pixels for one in slices]), media.recipe.max_side_px)
        rows, columns = mosaic_shape(len(slices))
        shown = _Shown(
            pixels=tiled,
            window=_common([one.window for one in slices]),
            orientation=_common([one.orientation for one in slices]),
            boxes_drawn=sum(one.boxes_drawn for one in slices),
        )
        return _encoded(shown, sources=media.paths, layout=f"mosaic {rows}×{columns}")


def _unchanged(media: Media, header: PictureHeader) -> bool:
    recipe = media.recipe
    fits = recipe.max_side_px is None or max(header.width, header.height) <= recipe.max_side_px
    draws = recipe.draw_boxes and bool(media.boxes)
    plain = not recipe.effects
    return fits and plain and not draws and header.upright and header.bits <= 8


def _show(stored: StoredSlice, media: Media, relative: str) -> _Shown:
    for warning in stored.warnings:
        _log.warning("%s: %s", relative, warning)
    recipe = media.recipe
    if stored.unit == "display":
        grey, window = stored.pixels, AS_STORED
    else:
        unit = "HU" if stored.unit == "hu" else "stored"
        fallback = ABDOMEN if stored.unit == "hu" else stretch_window(stored.pixels)
        range_shown = recipe.window or fallback
        grey, window = (
            apply_window(stored.pixels, range_shown),
            window_label(range_shown, unit=unit),
        )
    if stored.inverted:
        grey, window = 255 - grey, f"{window}, inverted"
    full_height, full_width = grey.shape[:2]
    turned = [
        stored.turn.box(box, shown_width=full_width, shown_height=full_height)
        for box in media.boxes
    ]
    changed = change_pixels(grey, recipe.effects, slices=False, boxes=turned)
    pixels = shrink(changed, recipe.max_side_px)
    boxes = change_boxes(
        turned if recipe.draw_boxes else (), recipe.effects, width=full_width, height=full_height
    )
    for box in boxes:
        pixels = draw_box(pixels, _scaled(box, pixels, full_width, full_height))
    return _Shown(
        pixels=pixels,
        window=window + effects_label(recipe.effects),
        orientation=stored.orientation,
        boxes_drawn=len(boxes),
    )


def _scaled(box: Box, pixels: NDArray[Any], full_width: int, full_height: int) -> Box:
    """Move a box along with a picture that was shrunk; pixel centres lie at whole numbers."""
    x = pixels.shape[1] / full_width
    y = pixels.shape[0] / full_height
    return Box(
        x_min=(box.x_min + 0.5) * x - 0.5,
        y_min=(box.y_min + 0.5) * y - 0.5,
        x_max=(box.x_max + 0.5) * x - 0.5,
        y_max=(box.y_max + 0.5) * y - 0.5,
    )


def _unshrunk(media: Media) -> Media:
    return replace(media, recipe=replace(media.recipe, max_side_px=None))


def _layout(number: int, count: int) -> str:
    return "single" if count == 1 else f"slice {number} of {count}"


def _common(labels: list[str]) -> str:
    """Give what the slices have in common, or each distinct one in order."""
    return "; ".join(dict.fromkeys(labels))


def _as_stored(data: bytes, header: PictureHeader, relative: str, layout: str) -> Picture:
    return with_receipt(
        data,
        media_type=header.media_type,
        width=header.width,
        height=header.height,
        sources=(relative,),
        layout=layout,
    )


def _encoded(shown: _Shown, *, sources: tuple[str, ...], layout: str) -> Picture:
    return with_receipt(
        encode_png(shown.pixels),
        media_type="image/png",
        width=shown.pixels.shape[1],
        height=shown.pixels.shape[0],
        sources=sources,
        window=shown.window,
        layout=layout,
        orientation=shown.orientation,
        boxes_drawn=shown.boxes_drawn,
    )
