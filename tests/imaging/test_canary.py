from __future__ import annotations

import hashlib
import io

import numpy as np
from PIL import Image

from overread.imaging.canary import number_picture


def test_a_canary_shows_its_number_and_carries_its_receipt() -> None:
    picture = number_picture("138")
    opened = Image.open(io.BytesIO(picture.data))
    assert (opened.mode, opened.size) == ("L", (256, 256))
    assert (picture.receipt.width, picture.receipt.height) == (256, 256)
    assert picture.receipt.sha256 == hashlib.sha256(picture.data).hexdigest()
    assert picture.receipt.size_bytes == len(picture.data)
    assert 0.02 < (np.asarray(opened) > 128).mean() < 0.3
    assert number_picture("138") == picture
    assert number_picture("831").data != picture.data
