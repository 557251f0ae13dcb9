"""Echoes of an interface in ultrasound.

Parameters: vfdv52/MedFM-Robust-, segmentation script.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.12, "2": 0.18, "3": 0.25, "4": 0.35, "5": 0.45}
"""Level → ``gain``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="reverberation-artifacts",
    summary="equally spaced bright bands lie below an interface, in five doses",
    effect="reverberation-artifacts",
    table={level: {"gain": value} for level, value in _TABLE.items()},
    modalities=frozenset({"ultrasound"}),
    is_random=True,
    search=Search(parameter="gain", low=0.02, high=5.0),
    slips=Slips(reach=(0.05, 0.6), seed_step=400),
)
