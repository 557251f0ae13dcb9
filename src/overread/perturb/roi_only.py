"""All but the region that holds the answer is painted over.

Grey and steps: hq0709/MedVIGIL, its pictures and its decay pilot. The answer stays what it was, and
what is right of the changed picture is for a benchmark to say.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.perturb._dosed_picture import DosedPicture

__all__ = ["PERTURBATION"]

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="roi-only",
    summary="all but what lies in the picture's boxes is painted grey",
    effect="roi-only",
    table={"whole": {"grey": 128}},
    needs_boxes=True,
    level="whole",
    slips=None,
    if_it_falls="right answers need more than what lies in the boxes",
    if_it_stays="what lies in the boxes seems to do for right answers",
)
