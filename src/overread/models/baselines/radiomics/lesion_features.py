"""Measures what is inside a box and around it: place, size, density, edge, texture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from overread.models.baselines.radiomics.pixels import View
from overread.models.baselines.radiomics.slice_features import patch
from overread.models.baselines.radiomics.texture_features import texture_features
from overread.records import Box

__all__ = ["LESION_WEIGHTS", "lesion_features", "size_features"]

_CLOSE = 8
_AROUND = 8
_AROUND_MM = 90.0

LESION_WEIGHTS = np.repeat([2.0, 1.0, 0.3], [4, 26, _CLOSE**2 + _AROUND**2])
"""How much each number of `lesion_features` counts once all have the same spread."""


def lesion_features(view: View, box: Box) -> NDArray[np.float64]:
    """Describe the lesion in a box.

    Returns
    -------
    NDArray[np.float64]
        Shape (158,): place in the body and size (9), density, edge and texture (21), the box and
        its close surroundings as 8 × 8 grey values, and 90 mm around its centre as 8 × 8 values.
        Every number is about 0 to 1, or a logarithm of a few units.
    """
    body = view.body
    centre = (box.x_min + box.x_max) / 2, (box.y_min + box.y_max) / 2
    width, height = max(box.x_max - box.x_min, 1.0), max(box.y_max - box.y_min, 1.0)
    x = (centre[0] - body.x_min) / max(body.x_max - body.x_min, 1.0)
    y = (centre[1] - body.y_min) / max(body.y_max - body.y_min, 1.0)
    place = [x, y, abs(x - 0.5), (x - 0.5) ** 2 + (y - 0.5) ** 2]
    close = patch(view.grey, centre=centre, size=(1.6 * width, 1.6 * height), n=_CLOSE)
    side = _AROUND_MM / view.pixel_mm
    around = patch(view.grey, centre=centre, size=(side, side), n=_AROUND)
    return np.concatenate(
        [
            place,
            size_features(view, box),
            texture_features(view, box),
            close.ravel(),
            around.ravel(),
        ]
    )


def size_features(view: View, box: Box) -> NDArray[np.float64]:
    """Describe the size of a box: logarithms of its longer and shorter side in mm.

    Returns
    -------
    NDArray[np.float64]
        Shape (5,): the two as drawn, the two less DeepLesion's padding of 5 pixels a side, and
        the logarithm of a pixel's size in mm, which turns them into pixels.
    """
    sides = np.array(sorted((box.x_max - box.x_min, box.y_max - box.y_min), reverse=True))
    inner = np.maximum(sides - 10.0, 2.0)
    in_mm = np.concatenate([np.maximum(sides, 2.0), inner, [1.0]]) * view.pixel_mm
    return np.log(in_mm)
