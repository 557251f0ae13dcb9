"""Colours of a slide, each by itself.

Parameters: vfdv52/MedFM-Robust-, script for vision-language models.
The range of its search is ours.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.08, "2": 0.12, "3": 0.18, "4": 0.25, "5": 0.35}
"""Level → ``amount``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="path-stain",
    summary="each colour becomes stronger or weaker at random, in five doses",
    effect="path-stain",
    table={level: {"amount": value} for level, value in _TABLE.items()},
    modalities=frozenset({"pathology"}),
    is_random=True,
    needs_colour=True,
    search=Search(parameter="amount", low=0.02, high=1.0),
    slips=Slips(calibrates=None),
)
