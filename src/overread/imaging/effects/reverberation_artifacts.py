"""Bright bands below an interface, where ultrasound goes to and fro."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import between, drawn_from, exact, highest, over_colours
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


def _profile(columns: int, left: int, right: int) -> NDArray[np.float32]:
    """Give 1 between two columns, and soft sides."""
    edge = (right - left) // 10 + 1
    across = np.arange(columns)
    apart = np.maximum(np.maximum(left - across, across - right), 0)
    soft = np.exp(-0.5 * (apart / (edge / 2)) ** 2)
    return np.where((across >= left - edge) & (across < right + edge), soft, 0).astype(np.float32)


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    rng, gain = drawn_from(values), float(values["gain"])
    rows, columns = pixels.shape[:2]
    interface = between(rng, rows // 6, rows // 3)
    width = columns // 2 + between(rng, 0, columns // 4)
    middle = between(rng, columns // 4, 3 * columns // 4)
    left, right = max(0, middle - width // 2), min(columns, middle + width // 2)
    spacing = int(interface * 0.8) + int(gain * 20)
    thickness = max(2, int(3 + gain * 8))
    profile = over_colours(_profile(columns, left, right)[np.newaxis], pixels)
    changed, most = exact(pixels), highest(pixels)
    bright = changed[interface, left : max(right, left + 1)].mean(axis=0)
    for echo in range(1, max(3, int(3 + gain * 10)) + 1):
        at = interface + echo * spacing
        if at >= rows - thickness:
            break
        strength = gain * (0.6 - 0.15 * gain) ** (echo - 1)
        band = np.arange(max(0, at - thickness // 2), min(rows, at + thickness // 2 + 1))
        across_band = np.exp(-0.5 * ((band - at) / (thickness / 3)) ** 2).astype(np.float32)
        light = over_colours(across_band[:, np.newaxis], pixels) * profile * np.float32(strength)
        changed[band] = np.minimum(changed[band] + light * bright, most)
    return like(changed, pixels)


EFFECT = PictureEffect(name="reverberation-artifacts", pixels=_pixels)
"""Equally spaced, each weaker than the one above, as bright as the interface times ``gain``."""
