"""The grain of OCT.

Parameters: vfdv52/MedFM-Robust-, segmentation script.
The source applies it to photographs of the fundus, which is done in the published doses only.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.08, "2": 0.15, "3": 0.25, "4": 0.35, "5": 0.5}
"""Level → ``sigma``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="speckle-artifacts",
    summary="the grain of OCT grows, in five doses",
    effect="speckle-artifacts",
    table={level: {"sigma": value} for level, value in _TABLE.items()},
    modalities=frozenset({"oct"}),
    is_random=True,
    search=Search(parameter="sigma", low=0.005, high=2.0),
    slips=Slips(reach=(0.05, 0.6), seed_step=930, modalities=frozenset({"fundus"})),
)
