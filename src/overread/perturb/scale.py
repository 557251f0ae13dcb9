"""A smaller picture amid black; what is marked on it shrinks too.

Parameters: vfdv52/MedFM-Robust-, both scripts.
Masks and boxes move with the picture; in the source they do not.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.95, "2": 0.9, "3": 0.85, "4": 0.8, "5": 0.75}
"""Level → ``factor``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="scale",
    summary="pictures shrink to 0.95 to 0.75 amid black, in five doses; marks shrink with them",
    effect="scale",
    table={level: {"factor": value} for level, value in _TABLE.items()},
    search=Search(parameter="factor", low=0.2, high=0.999, more_is_stronger=False),
    slips=Slips(reach=(0.5, 0.98)),
    if_it_falls="right answers hang on size",
)
