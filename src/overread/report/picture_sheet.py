"""A contact sheet: one picture in every kind and dose of change, in one PNG."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from overread.analysis.picture_doses import Dosing, PictureDoses, ShownDose
from overread.imaging.encode import encode_png, shrink

if TYPE_CHECKING:
    from PIL import ImageDraw, ImageFont

__all__ = ["picture_sheet", "remarks"]

_LABEL_PX: Final = 210
_TEXT_PX: Final = 34
_GAP_PX: Final = 6
_FONT_PX: Final = 12
_PAPER, _INK, _SOFT, _WARN = (255, 255, 255), (20, 20, 20), (110, 110, 110), (176, 32, 32)


def picture_sheet(found: PictureDoses, *, side_px: int = 128) -> bytes:
    """Draw the sheet.

    Parameters
    ----------
    found
        A picture in its doses.
    side_px
        The longer side of each small picture.

    Returns
    -------
    bytes
        A PNG: a row for each kind, the unchanged picture first, each dose with its level and the
        structural similarity it left.
    """
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default(size=_FONT_PX)
    columns = 1 + max((len(row.doses) for row in found.rows), default=0)
    cell = side_px + _GAP_PX
    height = side_px + _TEXT_PX + _GAP_PX
    size = _LABEL_PX + columns * cell, _TEXT_PX + height * max(1, len(found.rows))
    sheet = Image.new("RGB", size, _PAPER)
    draw = ImageDraw.Draw(sheet)
    title = f"{len(found.rows)} kinds, {found.way} doses; SSIM to the unchanged picture"
    draw.text((_GAP_PX, _GAP_PX), title, _INK, font)
    original = _small(found.pixels, side_px)
    for number, row in enumerate(found.rows):
        top = _TEXT_PX + number * height
        _label(draw, font, row, top)
        sheet.paste(Image.fromarray(original), (_LABEL_PX, top))
        draw.text((_LABEL_PX, top + side_px), "unchanged", _SOFT, font)
        for place, dose in enumerate(row.doses, start=1):
            left = _LABEL_PX + place * cell
            sheet.paste(Image.fromarray(_small(dose.pixels, side_px)), (left, top))
            words, colour = _words(dose)
            draw.multiline_text((left, top + side_px), words, colour, font, spacing=1)
    return encode_png(np.asarray(sheet))


def remarks(row: Dosing) -> tuple[str, ...]:
    """Say what is off with the doses of a kind.

    Returns
    -------
    tuple of str
        Empty where each dose leaves the picture less like than the one before.
    """
    said: list[str] = []
    if row.alike:
        said.append(f"as the level before: {_numbers(row.alike)}")
    if not row.is_monotone:
        said.append("not monotone")
    missed = [dose.level for dose in row.doses if dose.in_band is False]
    if missed:
        said.append(f"outside its band: {_numbers(missed)}")
    return tuple(said)


def _numbers(levels: Iterable[str]) -> str:
    return ", ".join(level.partition("-")[0] for level in levels)


def _label(
    draw: ImageDraw.ImageDraw,
    font: ImageFont.FreeTypeFont | ImageFont.ImageFont,
    row: Dosing,
    top: int,
) -> None:
    draw.text((_GAP_PX, top), row.kind, _INK, font)
    lines = [line for said in remarks(row) for line in _wrapped(said)]
    draw.multiline_text((_GAP_PX, top + 18), "\n".join(lines), _WARN, font, spacing=1)


def _wrapped(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(text, 32)


def _words(dose: ShownDose) -> tuple[str, tuple[int, int, int]]:
    number = dose.level.partition("-")[0]
    off = dose.in_band is False
    first = f"{number}   {dose.ssim:.3f}" if number else f"{dose.ssim:.3f}"
    return first + ("\noutside its band" if off else ""), _WARN if off else _SOFT


def _small(pixels: NDArray[np.uint8], side_px: int) -> NDArray[Any]:
    small = shrink(pixels, side_px)
    return np.repeat(small[..., np.newaxis], 3, axis=-1) if small.ndim == 2 else small
