"""A patient who moves while an MR picture is taken line by line in k-space."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import drawn_from, exact, limits, over_colours, stretched
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


def _line_shifts(rows: int, values: EffectValues) -> NDArray[np.float64]:
    """Draw how far the patient has moved (px) at each line of k-space, its centre in the middle."""
    rng = drawn_from(values)
    kept = max(rows // 20, 2)
    first, last = rows // 2 - kept // 2, rows // 2 + kept // 2
    lines = np.concatenate([np.arange(first), np.arange(last, rows)])
    count = min(int(rows * float(values["share_of_lines"])), lines.size)
    most = float(values["most_shift_px"])
    shifts = np.zeros(rows)
    shifts[rng.choice(lines, size=count, replace=False)] = rng.uniform(-most, most, size=count)
    return shifts


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    from scipy import fft
    from scipy.ndimage import gaussian_filter1d

    rows, columns = pixels.shape[:2]
    shifts = gaussian_filter1d(_line_shifts(rows, values), 0.5)
    # Both as the transform has them: frequency 0 first.
    shifts = np.fft.ifftshift(shifts)
    frequencies = np.fft.fftfreq(columns)
    if not values["in_order"]:
        frequencies = np.fft.ifftshift(frequencies)
    ramp = np.exp(-2j * np.pi * shifts[:, np.newaxis] * frequencies).astype(np.complex64)
    space: Any = fft.fft2(exact(pixels), axes=(0, 1)) * over_colours(ramp, pixels)
    back: Any = fft.ifft2(space, axes=(0, 1))
    changed = np.abs(back).astype(np.float32)
    if pixels.ndim == 2:
        return like(stretched(changed, *limits(pixels)), pixels)
    colours = [
        stretched(changed[..., each], *limits(pixels[..., each])) for each in range(pixels.shape[2])
    ]
    return like(np.stack(colours, axis=-1), pixels)


EFFECT = PictureEffect(name="motion-artifacts", pixels=_pixels)
"""A share of lines away from the centre gets the phase of a random shift along the rows; the range
of values is that of the picture again. Without ``in_order`` the phases of the positive and the
negative frequencies change places, as in the released code."""
