"""A shifted picture; what is marked on it shifts too.

Parameters: vfdv52/MedFM-Robust-, both scripts.
Masks and boxes move with the picture; in the source they do not.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 5, "2": 10, "3": 15, "4": 20, "5": 25}
"""Level → ``most_px``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="translation",
    summary="pictures are shifted by up to 5 to 25 px, in five doses; marks shift with them",
    effect="translation",
    table={level: {"most_px": value} for level, value in _TABLE.items()},
    is_random=True,
    search=Search(parameter="most_px", low=1, high=200, whole=True),
    slips=Slips(reach=(1, 50)),
    if_it_falls="right answers hang on the place in the picture",
)
