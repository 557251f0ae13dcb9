"""Air under the cover glass.

Parameters: vfdv52/MedFM-Robust-, segmentation script.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips, Values

__all__ = ["PERTURBATION"]

_TABLE: Final[dict[str, Values]] = {
    "1": {"bubbles": 1, "cracks": 0},
    "2": {"bubbles": 2, "cracks": 2},
    "3": {"bubbles": 3, "cracks": 4},
    "4": {"bubbles": 4, "cracks": 6},
    "5": {"bubbles": 5, "cracks": 8},
}

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="bubble-artifacts",
    summary="1 to 5 bubbles and cracks lie on the slide, in five doses",
    effect="bubble-artifacts",
    table=_TABLE,
    modalities=frozenset({"pathology"}),
    is_random=True,
    search=Search(parameter="bubbles", low=1, high=120, whole=True),
    slips=Slips(reach=(1, 15), seed_step=1100),
)
