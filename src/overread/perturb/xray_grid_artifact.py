"""The lines of an anti-scatter grid.

Parameters: vfdv52/MedFM-Robust-, script for vision-language models.
The range of its search is ours.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.03, "2": 0.06, "3": 0.1, "4": 0.15, "5": 0.22}
"""Level → ``depth``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="xray-grid-artifact",
    summary="every fourth row is darker, in five doses",
    effect="xray-grid-artifact",
    table={level: {"depth": value} for level, value in _TABLE.items()},
    modalities=frozenset({"xray"}),
    search=Search(parameter="depth", low=0.02, high=1.0),
    slips=Slips(calibrates=None),
)
