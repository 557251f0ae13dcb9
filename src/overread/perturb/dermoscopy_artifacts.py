"""The dark rim of a dermatoscope.

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
    kind="dermoscopy-artifacts",
    summary="pictures darken towards their edge, in five doses",
    effect="dermoscopy-artifacts",
    table={level: {"strength": value} for level, value in _TABLE.items()},
    modalities=frozenset({"dermoscopy"}),
    search=Search(parameter="strength", low=0.02, high=1.5),
    slips=Slips(calibrates=False),
)
