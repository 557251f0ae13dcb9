"""One fainter copy of an MR picture.

Parameters: vfdv52/MedFM-Robust-, script for vision-language models.
The range of its search is ours.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.1, "2": 0.2, "3": 0.35, "4": 0.5, "5": 0.7}
"""Level → ``gain``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="mri-ghost",
    summary="a fainter copy lies a tenth of the height lower, in five doses",
    effect="mri-ghost",
    table={level: {"gain": value} for level, value in _TABLE.items()},
    modalities=frozenset({"mri"}),
    search=Search(parameter="gain", low=0.05, high=3.0),
    slips=Slips(calibrates=None),
)
