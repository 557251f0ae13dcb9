"""An eye that moves during OCT.

Parameters: vfdv52/MedFM-Robust-, segmentation script.
The source applies it to photographs of the fundus, which is done in the published doses only.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips, Values

__all__ = ["PERTURBATION"]

_TABLE: Final[dict[str, Values]] = {
    "1": {"shift_of_width": 0.02, "most_blocks": 1},
    "2": {"shift_of_width": 0.04, "most_blocks": 2},
    "3": {"shift_of_width": 0.06, "most_blocks": 3},
    "4": {"shift_of_width": 0.1, "most_blocks": 4},
    "5": {"shift_of_width": 0.15, "most_blocks": 5},
}

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="motion-artifacts-oct",
    summary="blocks of rows are moved sideways, in five doses; marks move with them",
    effect="motion-artifacts-oct",
    table=_TABLE,
    modalities=frozenset({"oct"}),
    is_random=True,
    search=Search(parameter="shift_of_width", low=0.004, high=0.8),
    slips=Slips(reach=(0.01, 0.2), seed_step=920, modalities=frozenset({"fundus"})),
)
