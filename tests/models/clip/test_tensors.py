from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from overread.errors import ImageError
from overread.models.clip.tensors import KeptTensors, picture_tensor


class _Tensor:
    """Of ten bytes."""

    def element_size(self):
        return 2

    def nelement(self):
        return 5


def _made(kept, keys):
    made = []

    def make(key):
        made.append(key)
        return _Tensor()

    for key in keys:
        kept.get(key, lambda key=key: make(key))
    return made


def test_what_is_kept_is_made_once_and_the_bound_holds():
    kept = KeptTensors(most_bytes=25)  # two of ten bytes, not three
    assert _made(kept, "abcabc") == ["a", "b", "c", "c"]


def test_nothing_is_kept_without_a_bound():
    assert _made(KeptTensors(most_bytes=0), "aa") == ["a", "a"]


def test_a_picture_is_given_to_the_preprocessing_as_colour(picture):
    def preprocess(image):
        assert image.mode == "RGB"
        return np.asarray(image).shape

    assert picture_tensor(picture(1), preprocess) == (40, 40, 3)


def test_a_damaged_picture_is_an_image_error(picture):
    damaged = replace(picture(1), data=picture(1).data[:60])
    with pytest.raises(ImageError, match=r"1\.png: expected a PNG or JPEG that can be decoded"):
        picture_tensor(damaged, np.asarray)
