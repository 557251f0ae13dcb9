"""Does a CT slice look calibrated? Air must lie near -1000 HU.

A rescale that was lost, applied twice or read with the wrong sign moves every value, and a window
then shows nonsense that a model may still answer about.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["calibration_warning"]

_DARK_HU = -400.0
"""Below it lie air and lung only."""
_PADDING_HU = -1500.0
"""Below it lies what scanners write outside their field of view (-2000, -2048, -3024)."""
_AIR_HU = (-1150.0, -700.0)
"""Where the middle of air and lung may lie: air is -1000, inflated lung -850."""
_TISSUE_HU = (-250.0, 350.0)
_DENSE_HU = 600.0
_ENOUGH = 0.01
_SOME = 0.05
_MUCH = 0.15


def calibration_warning(intensity_hu: NDArray[Any]) -> str | None:
    """Say what speaks against these values being HU; None when nothing does.

    Parameters
    ----------
    intensity_hu
        One slice, any real type. A slice without any air is judged by its tissue.

    Examples
    --------
    >>> import numpy as np
    >>> body = np.full((10, 10), 40.0)
    >>> body[:, :4] = -1000
    >>> calibration_warning(body) is None
    True
    >>> calibration_warning(body + 1024)  # the intercept was lost
    'no air near -1000 HU, and 60 % of the pixels lie above 600 HU'
    """
    values = np.asarray(intensity_hu, dtype=np.float32)
    values = values[np.isfinite(values)]
    if not values.size:
        return "no pixel has a value"
    dark = values[values < _DARK_HU]
    if dark.size >= _ENOUGH * values.size:
        air = dark[dark > _PADDING_HU]
        middle = float(np.median(air if air.size >= _ENOUGH * values.size else dark))
        if not _AIR_HU[0] <= middle <= _AIR_HU[1]:
            return f"air lies at {middle:.0f} HU, not near -1000 HU"
        # Below the padding's bound may lie air itself, and tissue where air should be.
        padded = dark.size - air.size >= _ENOUGH * values.size
        tissue = float((values > _TISSUE_HU[0]).mean())
        if padded and tissue < _SOME:
            lowest = float(values.min())
            return f"values go down to {lowest:.0f} HU, and hardly any tissue lies above -250 HU"
        return None
    dense = float((values > _DENSE_HU).mean())
    if dense > _MUCH:
        return (
            f"no air near -1000 HU, and {dense:.0%} of the pixels lie above {_DENSE_HU:.0f} HU"
        ).replace("%", " %")
    middle = float(np.median(values))
    if not _TISSUE_HU[0] <= middle <= _TISSUE_HU[1]:
        return f"no air near -1000 HU, and the middle value is {middle:.0f} HU"
    return None
