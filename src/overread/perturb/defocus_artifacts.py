"""OCT out of focus.

Parameters: vfdv52/MedFM-Robust-, segmentation script.
The source applies it to photographs of the fundus, which is done in the published doses only.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.5, "2": 1.0, "3": 1.5, "4": 2.0, "5": 3.0}
"""Level → ``sigma_px``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="defocus-artifacts",
    summary="pictures are blurred by sigma 0.5 to 3 px, in five doses",
    effect="gaussian-blur",
    table={level: {"sigma_px": value} for level, value in _TABLE.items()},
    modalities=frozenset({"oct"}),
    search=Search(parameter="sigma_px", low=0.1, high=40.0),
    slips=Slips(reach=(0.3, 4.0), modalities=frozenset({"fundus"})),
    if_it_falls="right answers need fine detail",
)
