"""Blood before an endoscope's lens.

Parameters: vfdv52/MedFM-Robust-, segmentation script.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.02, "2": 0.05, "3": 0.1, "4": 0.18, "5": 0.28}
"""Level → ``coverage``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="blood",
    summary="blood lies over parts of the picture, in five doses",
    effect="blood",
    table={level: {"coverage": value} for level, value in _TABLE.items()},
    modalities=frozenset({"endoscopy"}),
    is_random=True,
    search=Search(parameter="coverage", low=0.01, high=2.0),
    slips=Slips(reach=(0.01, 0.35), seed_step=700),
)
