"""Single black and white pixels.

Parameters: vfdv52/MedFM-Robust-, both scripts.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.001, "2": 0.003, "3": 0.005, "4": 0.01, "5": 0.02}
"""Level → ``share``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="salt-pepper-noise",
    summary="single pixels become black or white, in five doses",
    effect="salt-pepper-noise",
    table={level: {"share": value} for level, value in _TABLE.items()},
    is_random=True,
    search=Search(parameter="share", low=0.0001, high=0.5),
    slips=Slips(reach=(0.0001, 0.1)),
    if_it_falls="right answers do not outlast faulty pixels",
)
