"""Highlights of an endoscope's lamp.

Parameters: vfdv52/MedFM-Robust-, segmentation script.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.15, "2": 0.25, "3": 0.4, "4": 0.55, "5": 0.7}
"""Level → ``gain``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="specular-reflection",
    summary="bright highlights lie on the picture, in five doses",
    effect="specular-reflection",
    table={level: {"gain": value} for level, value in _TABLE.items()},
    modalities=frozenset({"endoscopy"}),
    is_random=True,
    search=Search(parameter="gain", low=0.02, high=3.0),
    slips=Slips(reach=(0.1, 0.85), seed_step=500),
)
