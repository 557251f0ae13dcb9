"""The shadow of a stone or a rib in ultrasound.

Parameters: vfdv52/MedFM-Robust-, segmentation script.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.3, "2": 0.45, "3": 0.55, "4": 0.7, "5": 0.85}
"""Level → ``attenuation``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="acoustic-shadowing",
    summary="a dark column runs down from a point, in five doses",
    effect="acoustic-shadowing",
    table={level: {"attenuation": value} for level, value in _TABLE.items()},
    modalities=frozenset({"ultrasound"}),
    is_random=True,
    search=Search(parameter="attenuation", low=0.02, high=1.0),
    slips=Slips(reach=(0.1, 0.95), seed_step=300),
)
