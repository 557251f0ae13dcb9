"""Another laboratory's stain.

Parameters: vfdv52/MedFM-Robust-, segmentation script.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.08, "2": 0.12, "3": 0.18, "4": 0.25, "5": 0.35}
"""Level → ``amount``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="stain-variation",
    summary="hue, saturation and brightness of the stain change, in five doses",
    effect="stain-variation",
    table={level: {"amount": value} for level, value in _TABLE.items()},
    modalities=frozenset({"pathology"}),
    is_random=True,
    search=Search(parameter="amount", low=0.01, high=1.0),
    slips=Slips(reach=(0.05, 0.8), seed_step=1000),
)
