"""Noise of the same strength everywhere.

Parameters: vfdv52/MedFM-Robust-, both scripts.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.01, "2": 0.02, "3": 0.03, "4": 0.05, "5": 0.08}
"""Level → ``sigma_of_range``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="gaussian-noise",
    summary="noise is added, in five doses",
    effect="gaussian-noise",
    table={level: {"sigma_of_range": value} for level, value in _TABLE.items()},
    is_random=True,
    search=Search(parameter="sigma_of_range", low=0.0005, high=1.0),
    slips=Slips(
        factor={
            "dermoscopy": 0.8,
            "ultrasound": 1.5,
            "endoscopy": 0.7,
            "oct": 0.9,
            "fundus": 0.9,
            "pathology": 0.6,
            "ct": 1.2,
        },
        reach=(0.001, 0.3),
    ),
    if_it_falls="right answers do not outlast noise",
)
