"""Hairs over the skin.

Parameters: vfdv52/MedFM-Robust-, segmentation script.
The range of its search is ours.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips, Values

__all__ = ["PERTURBATION"]

_TABLE: Final[dict[str, Values]] = {
    "1": {"hairs": 3, "thickness_px": 1},
    "2": {"hairs": 6, "thickness_px": 2},
    "3": {"hairs": 9, "thickness_px": 2},
    "4": {"hairs": 12, "thickness_px": 3},
    "5": {"hairs": 15, "thickness_px": 3},
}

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="hair-artifacts",
    summary="3 to 15 dark hairs lie on the picture, in five doses",
    effect="hair-artifacts",
    table=_TABLE,
    modalities=frozenset({"dermoscopy"}),
    is_random=True,
    search=Search(parameter="hairs", low=1, high=200, whole=True),
    slips=Slips(calibrates=False),
)
