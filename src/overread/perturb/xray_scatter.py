"""Scattered radiation.

Parameters: vfdv52/MedFM-Robust-, script for vision-language models.
The range of its search is ours.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.05, "2": 0.1, "3": 0.15, "4": 0.22, "5": 0.3}
"""Level → ``gain``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="xray-scatter",
    summary="a veil of the blurred picture is added, in five doses",
    effect="xray-scatter",
    table={level: {"gain": value, "mixes_colours": False} for level, value in _TABLE.items()},
    modalities=frozenset({"xray"}),
    search=Search(parameter="gain", low=0.02, high=3.0),
    slips=Slips(values={"mixes_colours": True}, calibrates=None),
)
