"""A turned picture; what is marked on it turns too.

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
"""Level → ``angle_degrees``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="rotation",
    summary="pictures are turned by 5 to 25 degrees, in five doses; marks turn with them",
    effect="rotation",
    table={level: {"angle_degrees": value} for level, value in _TABLE.items()},
    is_random=True,
    search=Search(parameter="angle_degrees", low=0.05, high=90.0),
    slips=Slips(reach=(1.0, 45.0)),
    if_it_falls="right answers hang on the upright position",
)
