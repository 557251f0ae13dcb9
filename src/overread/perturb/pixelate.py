"""Fewer, larger pixels.

Parameters: vfdv52/MedFM-Robust-, both scripts.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.8, "2": 0.6, "3": 0.5, "4": 0.4, "5": 0.3}
"""Level → ``factor``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="pixelate",
    summary="pictures are sampled down to 0.8 to 0.3 of their size and up again, in five doses",
    effect="pixelate",
    table={level: {"factor": value} for level, value in _TABLE.items()},
    search=Search(parameter="factor", low=0.01, high=0.999, more_is_stronger=False),
    slips=Slips(reach=(0.1, 0.95)),
    if_it_falls="right answers need fine detail",
)
