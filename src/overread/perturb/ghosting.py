"""Fainter copies of an MR picture.

Parameters: vfdv52/MedFM-Robust-, segmentation script.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips, Values

__all__ = ["PERTURBATION"]

_TABLE: Final[dict[str, Values]] = {
    "1": {"gain": 0.1, "ghosts": 2, "sideways": False},
    "2": {"gain": 0.2, "ghosts": 3, "sideways": False},
    "3": {"gain": 0.35, "ghosts": 4, "sideways": True},
    "4": {"gain": 0.5, "ghosts": 5, "sideways": True},
    "5": {"gain": 0.7, "ghosts": 6, "sideways": True},
}

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="ghosting",
    summary="shifted fainter copies lie over the picture, in five doses",
    effect="ghosting",
    table=_TABLE,
    modalities=frozenset({"mri"}),
    search=Search(parameter="gain", low=0.02, high=5.0),
    slips=Slips(reach=(0.05, 1.0)),
)
