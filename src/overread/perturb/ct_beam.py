"""Light that falls off down a CT picture.

Parameters: vfdv52/MedFM-Robust-, script for vision-language models.
The range of its search is ours.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.08, "2": 0.15, "3": 0.22, "4": 0.32, "5": 0.45}
"""Level → ``loss``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="ct-beam",
    summary="pictures darken from top to bottom, in five doses",
    effect="ct-beam",
    table={level: {"loss": value} for level, value in _TABLE.items()},
    modalities=frozenset({"ct"}),
    search=Search(parameter="loss", low=0.02, high=1.0),
    slips=Slips(calibrates=None),
)
