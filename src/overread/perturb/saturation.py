"""Regions over-exposed by an endoscope's lamp.

Parameters: vfdv52/MedFM-Robust-, segmentation script.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.01, "2": 0.03, "3": 0.06, "4": 0.1, "5": 0.15}
"""Level → ``share``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="saturation",
    summary="regions become over-exposed, in five doses",
    effect="saturation",
    table={level: {"share": value} for level, value in _TABLE.items()},
    modalities=frozenset({"endoscopy"}),
    is_random=True,
    search=Search(parameter="share", low=0.005, high=1.0),
    slips=Slips(reach=(0.005, 0.2), seed_step=800),
)
