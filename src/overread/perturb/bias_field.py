"""An uneven MR coil.

Parameters: vfdv52/MedFM-Robust-, segmentation script.
"""

from __future__ import annotations

from typing import Final

from overread.contracts import Perturbation
from overread.imaging.calibration import Search
from overread.perturb._dosed_picture import DosedPicture, Slips, Values

__all__ = ["PERTURBATION"]

_TABLE: Final[dict[str, Values]] = {
    "1": {"amplitude": 0.3, "cells": 5, "smoothness": 20, "waves": 2},
    "2": {"amplitude": 0.5, "cells": 8, "smoothness": 25, "waves": 3},
    "3": {"amplitude": 0.7, "cells": 11, "smoothness": 30, "waves": 4},
    "4": {"amplitude": 0.85, "cells": 14, "smoothness": 35, "waves": 5},
    "5": {"amplitude": 0.95, "cells": 17, "smoothness": 40, "waves": 6},
}

PERTURBATION: Final[Perturbation] = DosedPicture(
    kind="bias-field",
    summary="a smooth field brightens and darkens regions, in five doses",
    effect="bias-field",
    table=_TABLE,
    modalities=frozenset({"mri"}),
    is_random=True,
    search=Search(parameter="amplitude", low=0.02, high=1.0),
    slips=Slips(reach=(0.1, 0.98), seed_step=200),
)
