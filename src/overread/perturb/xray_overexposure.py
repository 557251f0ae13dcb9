"""Too much exposure.

Parameters: vfdv52/MedFM-Robust-, script for vision-language models.
The range of its search is ours.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 1.15, "2": 1.3, "3": 1.5, "4": 1.75, "5": 2.0}
"""Level → ``factor``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="xray-overexposure",
    summary="values are multiplied by 1.15 to 2 and cut, in five doses",
    effect="exposure",
    table={level: {"factor": value} for level, value in _TABLE.items()},
    modalities=frozenset({"xray"}),
    search=Search(parameter="factor", low=1.02, high=10.0),
    slips=Slips(calibrates=None),
    if_it_falls="right answers hang on exposure",
)
