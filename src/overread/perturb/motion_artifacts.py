"""A patient who moves during MR.

Parameters: vfdv52/MedFM-Robust-, segmentation script.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips, Values

__all__ = ["PERTURBATION"]

_TABLE: Final[dict[str, Values]] = {
    "1": {"most_shift_px": 2.0, "share_of_lines": 0.15, "in_order": True},
    "2": {"most_shift_px": 5.0, "share_of_lines": 0.3, "in_order": True},
    "3": {"most_shift_px": 10.0, "share_of_lines": 0.45, "in_order": True},
    "4": {"most_shift_px": 18.0, "share_of_lines": 0.6, "in_order": True},
    "5": {"most_shift_px": 30.0, "share_of_lines": 0.8, "in_order": True},
}

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="motion-artifacts",
    summary="lines of k-space get the phases of a moving patient, in five doses",
    effect="motion-artifacts",
    table=_TABLE,
    modalities=frozenset({"mri"}),
    is_random=True,
    search=Search(parameter="most_shift_px", low=0.1, high=200.0),
    slips=Slips(reach=(0.5, 50.0), values={"in_order": False}, seed_step=100),
)
