"""CT with few photons.

Parameters: vfdv52/MedFM-Robust-, segmentation script.
The range of its search is ours.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.03, "2": 0.06, "3": 0.09, "4": 0.12, "5": 0.15}
"""Level → ``noise``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="photon-starvation",
    summary="noise grows with the root of the value, in five doses",
    effect="photon-starvation",
    table={level: {"noise": value} for level, value in _TABLE.items()},
    modalities=frozenset({"ct"}),
    is_random=True,
    search=Search(parameter="noise", low=0.01, high=10.0),
    slips=Slips(calibrates=False),
)
