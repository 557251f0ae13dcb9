"""Score rows of masks: of what was measured, and of what could not be."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from overread.errors import ImageError
from overread.imaging.safe_path import without_root
from overread.metrics.lesion_matching import LESIONS_MISSED
from overread.metrics.lesions import FNV_ML
from overread.metrics.masks import GRID_DIAGONAL
from overread.metrics.overlap import DICE, IOU, REFERENCE_ML, REFERENCE_VOXELS, VOLUME_DIFFERENCE
from overread.metrics.spec import MetricSpec
from overread.metrics.surface import ASSD, HD, HD95
from overread.records import Item, Profile, Response, Score, Status
from overread.scoring.masks.measures import MaskMeasures, Measured
from overread.scoring.masks.pair import PredictionMaskError, file_hash
from overread.scoring.rows import Outcome, score_row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from overread.imaging.label_map import LabelMap

__all__ = [
    "EMPTY_REFERENCE",
    "all_rows",
    "is_of_reference",
    "mask_row",
    "predicted_file",
    "reason_of",
    "reference_measures",
    "rows_without_prediction",
]

EMPTY_REFERENCE: Final = "the reference is empty"
"""Why a metric of what the reference has is without a value where no mask came either."""

_OF_REFERENCE: Final = frozenset(
    spec.name for spec in (DICE, IOU, HD, HD95, ASSD, VOLUME_DIFFERENCE, FNV_ML)
) | {"cldice"}  # by its name: its module asks for the version of scikit-image
"""Metrics without a value where the reference is empty; and surface Dice at any tolerance."""
_SURFACE_DICE: Final = "nsd_"


def mask_row(
    item: Item,
    response: Response,
    outcome: Outcome,
    *,
    spec: MetricSpec,
    profile: Profile,
    target: str | None = None,
) -> Score:
    """Write an outcome as a row of its metric, for one label or (target None) for the case."""
    row = score_row(item, response, outcome, spec=spec, profile=profile)
    return row if target is None else replace(row, target=target)


def all_rows(
    item: Item,
    response: Response,
    outcome: Outcome,
    *,
    specs: Sequence[MetricSpec],
    targets: Iterable[str],
    profile: Profile,
) -> Iterator[Score]:
    """Write one outcome, a failure for instance, for every metric of every label and of the case.

    The diagonal of the grid follows for the case.
    """
    for target in (*targets, None):
        for spec in specs:
            yield mask_row(item, response, outcome, spec=spec, profile=profile, target=target)
    yield mask_row(item, response, outcome, spec=GRID_DIAGONAL, profile=profile)


def is_of_reference(metric: str) -> bool:
    """Tell whether a metric has no value where the reference is empty, whatever is answered."""
    return metric in _OF_REFERENCE or metric.startswith(_SURFACE_DICE)


def rows_without_prediction(
    item: Item,
    response: Response,
    outcome: Outcome,
    known: Iterable[Measured],
    *,
    specs: Sequence[MetricSpec],
    targets: Iterable[str],
    profile: Profile,
    of_reference: Collection[str] = (),
) -> Iterator[Score]:
    """Write the rows of a case without a usable prediction: what the reference has is known.

    Where the reference is empty, overlaps and distances are UNDEFINED as they are of any answer,
    so that who hands nothing in has no other number of cases behind a mean.

    Parameters
    ----------
    outcome
        Why there is no value: the row of every metric that needs the prediction.
    known
        What was measured of the reference alone, from `reference_measures`.
    of_reference
        More metrics that have no value where the reference is empty.
    """
    found = {(each.spec.name, each.target): each.outcome for each in known}
    empty = {
        target
        for (name, target), each in found.items()
        if name == REFERENCE_VOXELS.name and each.value == 0
    }
    for row in all_rows(item, response, outcome, specs=specs, targets=targets, profile=profile):
        measured = found.get((row.metric, row.target))
        if measured is not None:
            reason = measured.reason if measured.value is None else outcome.reason
            yield replace(row, value=measured.value, status=measured.status, reason=reason)
        elif row.target in empty and (is_of_reference(row.metric) or row.metric in of_reference):
            yield replace(row, status=Status.UNDEFINED, reason=EMPTY_REFERENCE)
        else:
            yield row


def reference_measures(
    reference: LabelMap, labels: Mapping[int, str], measures: MaskMeasures
) -> Iterator[Measured]:
    """Measure what a reference has by itself: voxels, volume, lesions that are there to be found.

    Yields
    ------
    Measured
        `reference_voxels`, `reference_ml`, and `lesions_missed` where lesions are counted, of each
        label and of the case; and the diagonal of its grid.
    """
    from overread.imaging.label_box import label_box

    box = label_box(reference.array)
    array = reference.array[box] if box is not None else reference.array[:0]
    voxel_ml = reference.voxel_ml
    totals = {REFERENCE_VOXELS: 0.0}  # also of a reference without any label
    if voxel_ml is not None:
        totals[REFERENCE_ML] = 0.0
    if measures.lesions is not None:
        totals[LESIONS_MISSED] = 0.0
    for label, name in labels.items():
        mask = array == label
        found = {REFERENCE_VOXELS: float(mask.sum())}
        if voxel_ml is not None:
            found[REFERENCE_ML] = found[REFERENCE_VOXELS] * voxel_ml
        if measures.lesions is not None:
            found[LESIONS_MISSED] = float(_components(mask, measures))
        for spec, value in found.items():
            totals[spec] += value
            yield Measured(spec=spec, target=name, outcome=_known(value))
    for spec, value in totals.items():
        yield Measured(spec=spec, target=None, outcome=_known(value))
    if reference.diagonal_mm is not None:
        yield Measured(spec=GRID_DIAGONAL, target=None, outcome=_known(reference.diagonal_mm))


def predicted_file(response: Response) -> Path:
    """Give the mask that a response names, after a look whether it is still the same file.

    Raises
    ------
    PredictionMaskError
        It names none, or the file is gone or was written again since the answer was stored.
    """
    if response.path is None:
        raise PredictionMaskError("a reply without a mask")
    path = Path(response.path)
    if response.text is not None and response.text.startswith("sha256:"):
        found = file_hash(path)
        if found != response.text:
            raise PredictionMaskError(
                f"{path.name} was changed since this answer was stored: {found[:19]}… instead of "
                f"{response.text[:19]}…"
            )
    return path


def reason_of(error: ImageError, path: Path) -> str:
    """Give an error's message with the bare name of its file, not where it lies on this machine."""
    message, folder = without_root(str(error), path.parent), os.fspath(path.parent)
    if path.is_absolute() or folder == os.curdir:
        return message
    return re.sub(rf"(?<![\w/.-]){re.escape(folder)}{re.escape(os.sep)}", "", message)


def _components(mask: NDArray[np.bool_], measures: MaskMeasures) -> int:
    from overread.metrics.components import label_components

    if not mask.any():
        return 0
    return label_components(mask, connectivity=measures.connectivity_of(mask.ndim))[1]


def _known(value: float) -> Outcome:
    return Outcome(value=value, status=Status.OK, reason=None)
