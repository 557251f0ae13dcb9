"""A picture that shows one number and nothing else: what a seeing model reads off."""

from __future__ import annotations

import hashlib
from typing import Final

import numpy as np

from overread.imaging.encode import encode_png
from overread.imaging.picture import Picture
from overread.records import Receipt

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
    return Picture(
        data=data,
        receipt=Receipt(
            sha256=hashlib.sha256(data).hexdigest(),
            width=_SIDE_PX,
            height=_SIDE_PX,
            size_bytes=len(data),
            media_type="image/png",
            sources=(),
            window="as stored",
            layout="single",
            orientation="as stored",
            boxes_drawn=0,
        ),
    )
