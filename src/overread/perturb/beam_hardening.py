"""Cupping in CT.

Parameters: vfdv52/MedFM-Robust-, segmentation script.
The range of its search is ours.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.1, "2": 0.2, "3": 0.3, "4": 0.4, "5": 0.5}
"""Level → ``strength``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="beam-hardening",
    summary="pictures darken with the square of the distance from the middle, in five doses",
    effect="beam-hardening",
    table={level: {"strength": value} for level, value in _TABLE.items()},
    modalities=frozenset({"ct"}),
    search=Search(parameter="strength", low=0.02, high=1.0),
    slips=Slips(calibrates=False),
)
