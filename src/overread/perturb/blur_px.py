"""A ladder of blurs in pixels, from none to one that leaves nothing to see.

Parameters: hq0709/MedVIGIL, its blur sweep (sigma 0 to 64 px).
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.perturb._dosed_picture import DosedPicture

__all__ = ["PERTURBATION"]

_SIGMAS_PX: Final = (0, 2, 4, 8, 16, 32, 64)

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="blur-px",
    summary="pictures are blurred by sigma 0 to 64 px, in seven doses",
    effect="gaussian-blur",
    table={str(sigma): {"sigma_px": float(sigma)} for sigma in _SIGMAS_PX},
    level="8",
    slips=None,
    if_it_falls="right answers need the detail that is gone",
    if_it_stays="nothing here shows that this detail is used",
)
