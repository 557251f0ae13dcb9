"""Noise as strong as the picture is bright.

Parameters: vfdv52/MedFM-Robust-, both scripts.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.05, "2": 0.1, "3": 0.15, "4": 0.2, "5": 0.25}
"""Level → ``sigma``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="speckle-noise",
    summary="values are multiplied by noise, in five doses",
    effect="speckle-noise",
    table={level: {"sigma": value} for level, value in _TABLE.items()},
    is_random=True,
    search=Search(parameter="sigma", low=0.005, high=3.0),
    slips=Slips(reach=(0.01, 0.8)),
    if_it_falls="right answers do not outlast speckle",
)
