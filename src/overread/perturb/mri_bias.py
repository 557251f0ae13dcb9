"""A bright region close to an MR coil.

Parameters: vfdv52/MedFM-Robust-, script for vision-language models.
The range of its search is ours.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.3, "2": 0.5, "3": 0.7, "4": 0.85, "5": 0.95}
"""Level → ``gain``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="mri-bias",
    summary="a broad region becomes brighter, in five doses",
    effect="mri-bias",
    table={level: {"gain": value} for level, value in _TABLE.items()},
    modalities=frozenset({"mri"}),
    is_random=True,
    search=Search(parameter="gain", low=0.05, high=5.0),
    slips=Slips(calibrates=None),
)
