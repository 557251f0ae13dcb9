"""The region that holds the answer is painted over from the top, a third more with each step.

Grey and steps: hq0709/MedVIGIL, its pictures and its decay pilot. The answer stays what it was, and
what is right of the changed picture is for a benchmark to say.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.perturb._dosed_picture import DosedPicture

__all__ = ["PERTURBATION"]

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="roi-decay",
    summary="the upper 0 to 3 thirds of the picture's boxes are painted grey, in four doses",
    effect="roi-mask",
    table={str(step): {"grey": 128, "share": step / 3} for step in range(4)},
    needs_boxes=True,
    level="3",
    slips=None,
    if_it_falls="right answers need what lies in the boxes",
    if_it_stays="nothing here shows that right answers need what lies in the boxes",
)
