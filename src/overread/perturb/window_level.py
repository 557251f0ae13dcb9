"""A window that is off.

Parameters: vfdv52/MedFM-Robust-, script for vision-language models.
The range of its search is ours.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.1, "2": 0.2, "3": 0.3, "4": 0.4, "5": 0.5}
"""Level → ``shift``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="window-level",
    summary="the window of grey values moves at random and narrows, in five doses",
    effect="window-level",
    table={level: {"shift": value} for level, value in _TABLE.items()},
    modalities=frozenset({"ct", "xray"}),
    is_random=True,
    search=Search(parameter="shift", low=0.02, high=0.95),
    slips=Slips(calibrates=None),
    if_it_falls="right answers hang on the window",
)
