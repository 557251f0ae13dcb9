"""A spot of light on the skin.

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
    "1": {"gain": 0.3, "sigma_of_side": 1 / 9},
    "2": {"gain": 0.6, "sigma_of_side": 1 / 8},
    "3": {"gain": 0.9, "sigma_of_side": 1 / 7},
    "4": {"gain": 1.2, "sigma_of_side": 1 / 6},
    "5": {"gain": 1.5, "sigma_of_side": 1 / 5},
}

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="light-reflection",
    summary="a bright spot of light lies on the picture, in five doses",
    effect="light-reflection",
    table=_TABLE,
    modalities=frozenset({"dermoscopy"}),
    is_random=True,
    search=Search(parameter="gain", low=0.05, high=3.0),
    slips=Slips(calibrates=False),
)
