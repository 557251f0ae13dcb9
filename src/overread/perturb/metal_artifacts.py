"""Streaks around metal in CT, a star of them.

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
    "1": {"strength": 0.15, "streaks": 12},
    "2": {"strength": 0.3, "streaks": 16},
    "3": {"strength": 0.45, "streaks": 20},
    "4": {"strength": 0.6, "streaks": 24},
    "5": {"strength": 0.75, "streaks": 28},
}

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="metal-artifacts",
    summary="bright and dark streaks run from a point, in five doses",
    effect="metal-artifacts",
    table=_TABLE,
    modalities=frozenset({"ct"}),
    is_random=True,
    search=Search(parameter="strength", low=0.05, high=1.0),
    slips=Slips(calibrates=False),
)
