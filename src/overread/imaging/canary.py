"""A picture that shows one number and nothing else: what a seeing model reads off."""

from __future__ import annotations

from typing import Final

import numpy as np

from overread.imaging.encode import encode_png
from overread.imaging.picture import Picture, with_receipt

__all__ = ["number_picture"]

_SIDE_PX: Final = 256
_FONT_PX: Final = 96


def number_picture(number: str) -> Picture:
    """Draw `number` in white on black, 256×256 pixels, as PNG."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("L", (_SIDE_PX, _SIDE_PX), 0)
    ImageDraw.Draw(image).text(
        (_SIDE_PX / 2, _SIDE_PX / 2),
        number,
        fill=255,
        font=ImageFont.load_default(_FONT_PX),
        anchor="mm",
    )
    data = encode_png(np.asarray(image))
    return with_receipt(data, media_type="image/png", width=_SIDE_PX, height=_SIDE_PX)
