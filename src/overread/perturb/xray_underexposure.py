"""Too little exposure.

Parameters: vfdv52/MedFM-Robust-, script for vision-language models.
The range of its search is ours. The published way of saving a picture undoes it.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips

__all__ = ["PERTURBATION"]

_TABLE: Final = {"1": 0.85, "2": 0.7, "3": 0.55, "4": 0.4, "5": 0.25}
"""Level → ``factor``."""

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="xray-underexposure",
    summary="values are multiplied by 0.85 to 0.25, in five doses",
    effect="exposure",
    table={level: {"factor": value} for level, value in _TABLE.items()},
    modalities=frozenset({"xray"}),
    search=Search(parameter="factor", low=0.02, high=0.98, more_is_stronger=False),
    slips=Slips(calibrates=None),
    if_it_falls="right answers hang on exposure",
)
