"""Pictures, labels and boxes moved by one map of the plane, pixel centres at whole numbers."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from overread.imaging.picture_effect import like
from overread.records import Box

__all__ = ["moved_box", "moved_labels", "moved_pixels"]

Map = NDArray[np.float64]
"""Shape (2, 3): from (x, y, 1) of the unchanged picture to (x, y) of the changed one."""

_SPARE: Final = 2


def moved_pixels(pixels: NDArray[Any], forward: Map) -> NDArray[Any]:
    """Move a picture, linear between pixels; beyond its edge it is reflected (the edge twice)."""
    back = _inverse(forward)
    pad = _needed(back, pixels.shape[1], pixels.shape[0])
    around = ((pad, pad), (pad, pad), (0, 0))[: pixels.ndim]
    wide = np.pad(pixels, around, mode="symmetric")
    back = back.copy()
    back[:, 2] += pad
    size = pixels.shape[1], pixels.shape[0]
    if pixels.dtype == np.uint8:
        return _sampled(wide, back, size, smooth=True)
    real = np.asarray(wide, dtype=np.float32)
    if pixels.ndim == 2:
        return like(_sampled(real, back, size, smooth=True), pixels)
    colours = [
        _sampled(np.ascontiguousarray(real[..., each]), back, size, smooth=True)
        for each in range(real.shape[2])
    ]
    return like(np.stack(colours, axis=-1), pixels)


def moved_labels(labels: NDArray[Any], forward: Map) -> NDArray[Any]:
    """Move labels, each pixel the nearest one's; what comes in over the edge has none (0)."""
    whole = np.asarray(labels, dtype=np.int32)
    size = labels.shape[1], labels.shape[0]
    return _sampled(whole, _inverse(forward), size, smooth=False).astype(labels.dtype)


def moved_box(box: Box, forward: Map) -> Box:
    """Give the box, along the axes, around the corners of a moved one."""
    corners = np.array(
        [(x, y, 1.0) for x in (box.x_min, box.x_max) for y in (box.y_min, box.y_max)]
    )
    x, y = forward @ corners.T
    return Box(
        x_min=float(x.min()), y_min=float(y.min()), x_max=float(x.max()), y_max=float(y.max())
    )


def _inverse(forward: Map) -> Map:
    whole = np.vstack([forward, (0.0, 0.0, 1.0)])
    return np.linalg.inv(whole)[:2]


def _needed(back: Map, width: int, height: int) -> int:
    """Tell how far beyond its edges a picture is looked at."""
    corners = np.array([(x, y, 1.0) for x in (0, width - 1) for y in (0, height - 1)])
    x, y = back @ corners.T
    beyond = max(-x.min(), -y.min(), x.max() - (width - 1), y.max() - (height - 1), 0.0)
    return int(np.ceil(beyond)) + _SPARE


def _sampled(
    pixels: NDArray[Any], back: Map, size: tuple[int, int], *, smooth: bool
) -> NDArray[Any]:
    from PIL import Image

    # Pillow puts pixel centres at halves.
    (a, b, c), (d, e, f) = back.tolist()
    halves = (a, b, c + 0.5 - 0.5 * (a + b), d, e, f + 0.5 - 0.5 * (d + e))
    how = Image.Resampling.BILINEAR if smooth else Image.Resampling.NEAREST
    picture = Image.fromarray(np.ascontiguousarray(pixels))
    return np.asarray(picture.transform(size, Image.Transform.AFFINE, halves, resample=how))
