"""Streaks around metal in CT, a few bright lines.

Parameters: vfdv52/MedFM-Robust-, script for vision-language models.
The range of its search is ours.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.1, "2": 0.18, "3": 0.28, "4": 0.4, "5": 0.55}
"""Level → ``gain``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="ct-metal",
    summary="bright blurred lines cross the picture, in five doses",
    effect="ct-metal",
    table={level: {"gain": value} for level, value in _TABLE.items()},
    modalities=frozenset({"ct"}),
    is_random=True,
    search=Search(parameter="gain", low=0.05, high=5.0),
    slips=Slips(calibrates=None),
)
