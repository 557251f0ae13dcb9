"""The released evaluation, faults included: what it reads, what it rejects, what it averages.

Source: yaziciz/VEELA2025_Evaluation (commit d511fdd), evaluator.py and VEELA_Test_Metrics. A
submission is scored as a whole or not at all. One thing is not repeated: since commit 13eb8dd the
masks of Task01 go to surface-distance as whole numbers, which its version 0.1 refuses, so that
nothing of Task01 can be scored; here they are booleans, as they were until then.

What else is as it is there: every voxel measures 3 × 2 × 1 mm along the array's axes whatever the
header says; no affine is looked at; a case whose centrelines nowhere overlap is 0 / 0 in clDice and
makes the mean NaN; IoU of two empty masks is 0; in Task02 any three values will do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from overread.benchmarks.veela.layout import TASK_LABELS, Task
from overread.errors import ImageError
from overread.imaging.bounds import MAX_VOLUME_BYTES, check_file, check_voxels
from overread.imaging.safe_path import without_root
from overread.metrics.overlap import Fate, Overlap
from overread.metrics.skeleton import skeleton
from overread.metrics.surface import surface_distances

__all__ = [
    "METRICS",
    "SPACING_MM",
    "TOLERANCE_MM",
    "CasePair",
    "ReleasedValue",
    "TaskEvaluation",
    "evaluate_task",
]

METRICS: Final = ("cldice", "iou", "nsd_1mm")
SPACING_MM: Final = (3.0, 2.0, 1.0)
"""Of every voxel, along the axes of the array as nibabel reads it."""
TOLERANCE_MM: Final = 1.0

_NO_NUMBER: Final = -(2**63)
"""What NaN and the infinite become when numpy turns them into whole numbers."""
_MOST_VALUES: Final = 1000
"""Distinct values of a mask that are kept: a submission with more is rejected whatever they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedValue:
    """A number of the released code; None where that is NaN."""

    value: float | None
    trouble: str | None = None
    """Why it is NaN."""
    fate: Fate | None = None
    """What became of the class in a case; None for a mean over cases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CasePair:
    """A predicted file and its reference."""

    prediction: Path
    reference: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskEvaluation:
    """What became of one task of a submission."""

    task: Task
    rejection: str | None
    """Why nothing is scored: the code of the evaluator's message, and what it is about."""
    cases: Mapping[str, Mapping[str, Mapping[str, ReleasedValue]]]
    """Case → class → metric → value; empty where the task is rejected."""

    def average(self, target: str, metric: str) -> ReleasedValue | None:
        """Give the mean over cases as the results table has it; one NaN makes it NaN.

        None where the task was rejected.
        """
        if not self.cases:
            return None
        values = {case: targets[target][metric] for case, targets in self.cases.items()}
        for case, found in values.items():
            if found.value is None:
                return ReleasedValue(value=None, trouble=f"{case}: {found.trouble}")
        numbers = [found.value for found in values.values() if found.value is not None]
        return ReleasedValue(value=float(np.mean(numbers)))

    def records(self) -> list[dict[str, Any]]:
        """Give the records that the evaluator writes to ``evaluation.json``, the average last.

        NaN is None. Task02 has a number for each class in each place.
        """
        targets = tuple(TASK_LABELS[self.task].values())
        names = {"cldice": "clDice", "iou": "IoU", "nsd_1mm": "NSD"}
        found: list[dict[str, Any]] = []
        if not self.cases:
            return found
        for case in (*self.cases, None):
            record: dict[str, Any] = {"sampleId": f"{case}.nii" if case else "Average"}
            for metric, name in names.items():
                values = {
                    target: self.cases[case][target][metric].value
                    if case is not None
                    else _value_of(self.average(target, metric))
                    for target in targets
                }
                record[name] = values if len(values) > 1 else next(iter(values.values()))
            found.append(record)
        return found


def evaluate_task(task: Task, pairs: Mapping[str, CasePair], *, n_cases: int) -> TaskEvaluation:
    """Evaluate one task of a submission as the released code does.

    Parameters
    ----------
    task
        Which.
    pairs
        Case → its files, in the order of the listing. Those of endings other than ``.nii`` are not
        counted, and so make the number wrong.
    n_cases
        How many files there must be: 20 in the challenge.

    Returns
    -------
    TaskEvaluation
        Rejected as a whole where the number is wrong (E2), a file cannot be read (E3), the values
        are not as they must be (E4, E5), or the released code would break off.
    """
    counted = {case: pair for case, pair in pairs.items() if pair.prediction.suffix == ".nii"}
    if len(counted) != n_cases:
        others = len(pairs) - len(counted)
        more = f"; {others} of another ending do not count" if others else ""
        return _rejected(task, f"E2: {len(counted)} files '.nii' instead of {n_cases}{more}")
    cases: dict[str, Mapping[str, Mapping[str, ReleasedValue]]] = {}
    for case, pair in counted.items():
        try:
            cases[case] = _case(task, pair)
        except _Rejected as rejected:
            return _rejected(task, f"{rejected.code}: {case}: {rejected.why}")
    return TaskEvaluation(task=task, rejection=None, cases=cases)


class _Rejected(Exception):
    """One case rejects the submission; never leaves this module."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(code, why)
        self.code = code
        self.why = why


def _rejected(task: Task, why: str) -> TaskEvaluation:
    return TaskEvaluation(task=task, rejection=why, cases={})


def _value_of(found: ReleasedValue | None) -> float | None:
    return None if found is None else found.value


def _case(task: Task, pair: CasePair) -> Mapping[str, Mapping[str, ReleasedValue]]:
    labels = TASK_LABELS[task]
    predicted, values = _read(pair.prediction, tuple(labels), rounded=True, any_label=False)
    reference, _ = _read(pair.reference, tuple(labels), rounded=False, any_label=task == "Task01")
    _check_values(task, values)
    shapes = {mask.shape for mask in (*predicted.values(), *reference.values())}
    if len(shapes) > 1 or len(next(iter(shapes))) != 3:
        got = " and ".join(sorted(" × ".join(map(str, shape)) for shape in shapes))
        raise _Rejected("broken off", f"arrays of {got} voxels end the evaluation in an error")
    return {name: _class(predicted[label], reference[label]) for label, name in labels.items()}


def _class(
    prediction: NDArray[np.bool_], reference: NDArray[np.bool_]
) -> Mapping[str, ReleasedValue]:
    n_both = int(np.count_nonzero(prediction & reference))
    overlap = Overlap(int(np.count_nonzero(reference)), int(np.count_nonzero(prediction)), n_both)
    found = {
        "cldice": _centreline_dice(prediction, reference),
        # Of two empty masks scikit-learn gives 0, with a warning.
        "iou": ReleasedValue(value=overlap.iou or 0.0),
        "nsd_1mm": _surface_dice(prediction, reference),
    }
    return {metric: replace(each, fate=overlap.fate) for metric, each in found.items()}


def _check_values(task: Task, values: frozenset[int]) -> None:
    shown = ", ".join(str(value) for value in sorted(values)[:6]) + ", …" * (len(values) > 6)
    if task == "Task01" and values != {0, 1}:
        raise _Rejected("E4", f"values {shown} instead of 0 and 1")
    if task == "Task02" and len(values) != 3:
        raise _Rejected("E5", f"values {shown} instead of three")


def _centreline_dice(prediction: NDArray[np.bool_], reference: NDArray[np.bool_]) -> ReleasedValue:
    thin = [skeleton(mask, keep_pieces=False) for mask in (reference, prediction)]
    n_thin = [int(np.count_nonzero(each)) for each in thin]
    if not any(n_thin):
        raise _Rejected("broken off", "two masks without a skeleton end it in ZeroDivisionError")
    # The names are swapped there; their harmonic mean is the same.
    shares = [
        int(np.count_nonzero(each & mask)) / n if n else 0.0
        for each, mask, n in zip(thin, (prediction, reference), n_thin, strict=True)
    ]
    if not sum(shares):
        return ReleasedValue(value=None, trouble="no overlap: clDice is 0 / 0")
    return ReleasedValue(value=2 * shares[0] * shares[1] / (shares[0] + shares[1]))


def _surface_dice(prediction: NDArray[np.bool_], reference: NDArray[np.bool_]) -> ReleasedValue:
    # One side empty is 0. With both empty it would be NaN, and clDice has broken off before.
    found = surface_distances(reference, prediction, SPACING_MM)
    return ReleasedValue(value=0.0 if found is None else found.nsd(TOLERANCE_MM))


def _read(
    path: Path, labels: tuple[int, ...], *, rounded: bool, any_label: bool
) -> tuple[dict[int, NDArray[np.bool_]], frozenset[int]]:
    """Read the masks of labels, and which whole numbers the file has.

    Parameters
    ----------
    rounded
        Round first, half to even, as predictions are; references are compared as they are.
    any_label
        Take all that is not 0 for the one label, as the reference of Task01 is.
    """
    import nibabel

    try:
        check_file(path, max_bytes=MAX_VOLUME_BYTES)
        image = nibabel.load(path)
        shape = tuple(int(size) for size in image.shape)  # pyright: ignore[reportAttributeAccessIssue]
        check_voxels(path, shape)
        masks = {label: np.zeros(shape, np.bool_, order="F") for label in labels}
        values: set[int] = set()
        for place, plane in _planes(image, shape):
            if rounded:
                plane = _whole(plane)
                if len(values) < _MOST_VALUES:
                    values.update(int(value) for value in np.unique(plane))
            for label, mask in masks.items():
                mask[place] = plane != 0 if any_label else plane == label
    except ImageError as error:
        raise _Rejected("E3", without_root(str(error), path.parent)) from error
    # nibabel has no common error for hostile bytes: its own, zlib's, struct's, ValueError, ….
    except Exception as error:
        why = without_root(str(error), path.parent)
        raise _Rejected("E3", f"a file that cannot be read ({why})") from error
    return masks, frozenset(values)


def _planes(image: Any, shape: tuple[int, ...]) -> Iterator[tuple[Any, NDArray[np.float64]]]:
    """Give the slices of an array one by one, as floating point like the released code has them."""
    for last in range(shape[-1]):
        place = (..., last)
        yield place, np.asarray(image.dataobj[place], dtype=np.float64)


def _whole(plane: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round, and give what is no number the value that it has as a whole number."""
    plane = np.rint(plane)
    plane[~np.isfinite(plane)] = _NO_NUMBER
    return plane
