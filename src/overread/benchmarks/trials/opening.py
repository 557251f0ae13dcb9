"""Opens the two masks of a case for the scorers of this benchmark, or says why that cannot be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from overread.errors import ImageError, UnsafePathError
from overread.imaging.label_map import LabelMap
from overread.imaging.safe_path import resolve_inside, without_root
from overread.records import Item, Profile, Reference, Response, Score, Status
from overread.scoring.masks.pair import (
    MaskPair,
    PredictionMaskError,
    ReferenceMaskError,
    open_pair,
    read_reference,
)
from overread.scoring.masks.rows import predicted_file, reason_of
from overread.scoring.rows import Outcome, undefined

__all__ = [
    "LABEL",
    "UnusableError",
    "header_spacing_mm",
    "lesions_as_released",
    "open_case",
    "open_reference",
    "row",
]

LABEL = 1
"""Of lesions, in reference and prediction."""


class UnusableError(Exception):
    """A case that has no score, with what its rows say.

    Parameters
    ----------
    outcome
        Status and reason.
    is_reference
        Whether the reference is at fault: then nothing at all is known of the case.
    """

    def __init__(self, outcome: Outcome, *, is_reference: bool) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome
        self.is_reference = is_reference


def open_case(root: Path, reference: Reference, response: Response) -> MaskPair:
    """Open the two masks of a case. UnusableError where one of them is absent or unreadable.

    Whether they lie on one grid is not looked at here.
    """
    reference_path = _reference_path(root, reference)
    if response.status is not Status.OK:
        reason = response.reason or "no mask"
        raise UnusableError(
            Outcome(value=None, status=response.status, reason=reason), is_reference=False
        )
    try:
        path = predicted_file(response)
    except PredictionMaskError as error:
        status = Status.UNPARSED if response.path is None else Status.FAILED
        raise _no_prediction(error, status, Path(response.path or ".")) from error
    try:
        # The same labels as the honest scorer names, so that both share one reading.
        return open_pair(reference_path, path, (LABEL,))
    except ReferenceMaskError as error:
        raise _no_reference(without_root(str(error), root)) from error
    except PredictionMaskError as error:
        raise _no_prediction(error, Status.UNPARSED, path) from error


def open_reference(root: Path, reference: Reference) -> LabelMap:
    """Open the reference alone. UnusableError where it cannot be used."""
    path = _reference_path(root, reference)
    try:
        return read_reference(path)
    except ImageError as error:
        raise _no_reference(without_root(str(error), root)) from error


def lesions_as_released(pair: MaskPair) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Give lesions of reference and prediction as the released code reads them, in their box.

    It keeps labels in eight bits with sign, so label 257 passes for 1.
    """
    reference, prediction = pair.cropped
    return reference.astype(np.int8) == LABEL, prediction.astype(np.int8) == LABEL


def header_spacing_mm(labels: LabelMap) -> tuple[float, ...] | None:
    """Give the spacing of a file's header, of single precision as the released code takes it.

    The affine may say it in other digits. None where nothing is stated.
    """
    if labels.spacing_mm is None or labels.array.ndim != 3:
        return None
    stated = tuple(float(np.float32(each)) for each in labels.spacing_mm)
    if not labels.source.endswith((".nii", ".nii.gz")):
        return stated
    import nibabel

    try:
        header = nibabel.load(labels.source).header
        zooms = tuple(float(each) for each in header.get_zooms()[:3])  # pyright: ignore
    except Exception:  # a file that changed under our feet; nibabel has no common error
        return stated
    return zooms if len(zooms) == 3 and min(zooms) > 0 else stated


def row(
    item: Item,
    response: Response,
    outcome: Outcome,
    *,
    metric: str,
    version: str,
    unit: str,
    profile: Profile,
    target: str | None = None,
) -> Score:
    """Write an outcome as a row of a metric."""
    return Score(
        run=response.run,
        item=item.id,
        draw=response.draw,
        patient=item.groups.get("patient"),
        metric=metric,
        metric_version=version,
        profile=profile,
        target=target,
        unit=unit,
        value=outcome.value,
        status=outcome.status,
        reason=outcome.reason,
        answer=outcome.answer,
    )


def _reference_path(root: Path, reference: Reference) -> Path:
    if reference.problem is not None or reference.path is None:
        raise _no_reference(reference.problem or "the release has no reference mask")
    try:
        return resolve_inside(root, reference.path)
    except UnsafePathError as error:
        raise _no_reference(str(error)) from error


def _no_prediction(error: ImageError, status: Status, path: Path) -> UnusableError:
    outcome = Outcome(value=None, status=status, reason=reason_of(error, path))
    return UnusableError(outcome, is_reference=False)


def _no_reference(reason: str) -> UnusableError:
    return UnusableError(undefined(reason), is_reference=True)
