"""Contrast at random, by itself: the paper counts two kinds where the code has one.

Parameters: vfdv52/MedFM-Robust-, both scripts.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.05, "2": 0.1, "3": 0.15, "4": 0.2, "5": 0.3}
"""Level → ``amount``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="contrast",
    summary="contrast changes at random, in five doses",
    effect="brightness-contrast",
    table={
        level: {"amount": value, "part": "contrast", "form": "factor"}
        for level, value in _TABLE.items()
    },
    is_random=True,
    search=Search(parameter="amount", low=0.01, high=1.0),
    slips=Slips(reach=(0.01, 0.6), values_of_words={"form": "offset"}),
    if_it_falls="right answers hang on contrast",
)
