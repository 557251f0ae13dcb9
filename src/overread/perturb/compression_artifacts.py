"""What JPEG takes away.

Parameters: vfdv52/MedFM-Robust-, both scripts.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 90, "2": 70, "3": 50, "4": 30, "5": 10}
"""Level → ``quality``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="compression-artifacts",
    summary="pictures are stored as JPEG of quality 90 to 10, in five doses",
    effect="compression-artifacts",
    table={level: {"quality": value} for level, value in _TABLE.items()},
    search=Search(parameter="quality", low=1, high=100, more_is_stronger=False, whole=True),
    slips=Slips(reach=(5, 95)),
    if_it_falls="right answers do not outlast compression",
)
