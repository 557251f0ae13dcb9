"""Columns without signal in OCT.

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
    "1": {"width_of_side": 0.03, "most_shadows": 1},
    "2": {"width_of_side": 0.05, "most_shadows": 2},
    "3": {"width_of_side": 0.08, "most_shadows": 3},
    "4": {"width_of_side": 0.12, "most_shadows": 3},
    "5": {"width_of_side": 0.18, "most_shadows": 3},
}

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="shadow-artifacts",
    summary="black columns run through the picture, in five doses",
    effect="shadow-artifacts",
    table=_TABLE,
    modalities=frozenset({"oct"}),
    is_random=True,
    search=Search(parameter="width_of_side", low=0.005, high=0.45),
    slips=Slips(reach=(0.02, 0.25), seed_step=900, modalities=frozenset({"fundus"})),
)
