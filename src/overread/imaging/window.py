"""Grey values from intensities: CT windows, and a stretch for numbers without a scale."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected
from overread.records import Window

__all__ = ["ABDOMEN", "apply_window", "stretch_window", "widened", "window_label"]

ABDOMEN = Window.centred(40, 400)
"""Shown where a recipe names no window: -160 to 240 HU."""

_STRETCH_PERCENT = (1.0, 99.0)
_HUGE = 1e30
"""Numbers beyond it are taken as this: the square of nothing measured comes near."""


def apply_window(values: NDArray[Any], window: Window) -> NDArray[np.uint8]:
    """Show a range of intensities: its low end and below black, its high end and above white.

    Linear between the ends and rounded to the nearest grey value. A value that is no number is
    black.

    Parameters
    ----------
    values
        Any shape, any real type; in HU, or in the unit of the window.
    window
        Low and high end; `Window.centred` makes one from centre and width.

    Returns
    -------
    ndarray of uint8
        Same shape, 0 to 255.

    Raises
    ------
    UsageError
        The window has no width, or an end that is no number.

    Examples
    --------
    >>> import numpy as np
    >>> from overread.records import Window
    >>> apply_window(np.array([-1000, -160, 40, 240, 3000]), Window.centred(40, 400)).tolist()
    [0, 0, 128, 255, 255]
    """
    low, high = window.low_hu, window.high_hu
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise UsageError(
            expected(
                "window",
                rule="a low end below its high end",
                got=f"{low} to {high}",
                remedy="State it as low and high, or as centre and a width above 0.",
            )
        )
    grey = (np.asarray(values, dtype=np.float32) - np.float32(low)) * np.float32(255 / (high - low))
    # np.floor(x + 0.5), not np.rint: halves always go up, so a ramp has equal steps.
    grey = np.floor(np.clip(grey, 0, 255) + np.float32(0.5))
    return np.nan_to_num(grey, nan=0.0).astype(np.uint8)


def stretch_window(values: NDArray[Any]) -> Window:
    """Find the range to show for numbers without a scale: percentile 1 to 99 of this slice.

    A flat slice gives a range of width 1 around its value, one without any number 0 to 1.
    """
    finite = np.asarray(values, dtype=np.float64)
    finite = np.clip(finite[np.isfinite(finite)], -_HUGE, _HUGE)
    if not finite.size:
        return Window(low_hu=0.0, high_hu=1.0)
    low, high = (float(end) for end in np.percentile(finite, _STRETCH_PERCENT))
    return widened(low, high)


def widened(low: float, high: float) -> Window:
    """Make a window of two ends, of width 1 around them where they are one.

    Beyond 8 million the width grows with the value, so that 32 bits still tell the ends apart.
    """
    low, high = max(low, -_HUGE), min(high, _HUGE)
    told_apart = max(abs(low), abs(high)) * 2**-20
    if high - low > told_apart:
        return Window(low_hu=low, high_hu=high)
    least = max(1.0, told_apart)
    middle = (low + high) / 2
    return Window(low_hu=middle - least / 2, high_hu=middle + least / 2)


def window_label(window: Window, *, unit: str) -> str:
    """Word a window for a receipt.

    Examples
    --------
    >>> window_label(ABDOMEN, unit="HU")
    '-160 to 240 HU'
    """
    return f"{window.low_hu:g} to {window.high_hu:g} {unit}"
