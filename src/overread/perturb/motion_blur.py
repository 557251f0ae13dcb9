"""A blur along a line.

Parameters: vfdv52/MedFM-Robust-, both scripts.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 3, "2": 5, "3": 7, "4": 9, "5": 11}
"""Level → ``length_px``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="motion-blur",
    summary="pictures are blurred along a random line of 3 to 11 px, in five doses",
    effect="motion-blur",
    table={
        level: {"length_px": value, "keeps_brightness": True} for level, value in _TABLE.items()
    },
    is_random=True,
    search=Search(parameter="length_px", low=2, high=101, whole=True),
    slips=Slips(reach=(3, 25), values={"keeps_brightness": False}),
    if_it_falls="right answers need fine detail",
)
