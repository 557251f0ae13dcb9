"""Bands without signal in OCT.

Parameters: vfdv52/MedFM-Robust-, segmentation script.
The source applies it to photographs of the fundus, which is done in the published doses only.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 1, "2": 2, "3": 3, "4": 4, "5": 6}
"""Level → ``bands``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="blink-artifacts",
    summary="1 to 6 black bands run across the picture, in five doses",
    effect="blink-artifacts",
    table={level: {"bands": value} for level, value in _TABLE.items()},
    modalities=frozenset({"oct"}),
    is_random=True,
    search=Search(parameter="bands", low=1, high=60, whole=True),
    slips=Slips(reach=(1, 8), seed_step=910, modalities=frozenset({"fundus"})),
)
