"""The honest scorer of vessel masks: on the header's grid, case by case, empty masks defined.

Beside what every mask is measured by, it measures vessels: centrelines and their parts, their
lengths, connectivity, area and length, pieces, what of one vessel was taken for the other, and the
points of CHAOS, the benchmark's predecessor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.benchmarks.veela.layout import TASK_LABELS, Task
from overread.errors import UnsafePathError
from overread.imaging.label_map import LabelMap
from overread.imaging.safe_path import resolve_inside, without_root
from overread.metrics.cal import (
    CAL_AREA,
    CAL_CONNECTIVITY,
    CAL_LENGTH,
    COMPONENT_ERROR,
    PREDICTION_COMPONENTS,
    REFERENCE_COMPONENTS,
    cal_triple,
    component_counts,
)
from overread.metrics.chaos import CHAOS_SCORE, chaos_measures, chaos_scores
from overread.metrics.label_swaps import SWAPPED_SHARE, swapped_share
from overread.metrics.masks import GRID_DIAGONAL
from overread.metrics.overlap import Fate, Overlap
from overread.metrics.skeleton import (
    CENTRELINE_DICE,
    PREDICTION_SKELETON_LENGTH,
    REFERENCE_SKELETON_LENGTH,
    SKELETON_PRECISION,
    SKELETON_SENSITIVITY,
    centreline_dice,
    skeleton,
    skeleton_length_mm,
)
from overread.metrics.spec import MetricSpec
from overread.records import Item, Mask, Profile, Reference, Response, Score, Status
from overread.scoring.masks.measures import MaskMeasures, measure_pair
from overread.scoring.masks.pair import (
    MaskPair,
    PredictionMaskError,
    ReferenceMaskError,
    open_pair,
    read_reference,
)
from overread.scoring.masks.rows import (
    all_rows,
    mask_row,
    predicted_file,
    reason_of,
    reference_measures,
    rows_without_prediction,
)
from overread.scoring.rows import Outcome, check_records, undefined

__all__ = ["VesselScorer"]

_TOLERANCE_MM: Final = 1.0
_MEASURES: Final = MaskMeasures(tolerances_mm=(_TOLERANCE_MM,))
_VESSELS: Final = (
    CENTRELINE_DICE,
    SKELETON_PRECISION,
    SKELETON_SENSITIVITY,
    REFERENCE_SKELETON_LENGTH,
    PREDICTION_SKELETON_LENGTH,
    CAL_CONNECTIVITY,
    CAL_AREA,
    CAL_LENGTH,
    REFERENCE_COMPONENTS,
    PREDICTION_COMPONENTS,
    COMPONENT_ERROR,
    CHAOS_SCORE,
)
_OF_REFERENCE: Final = (
    CENTRELINE_DICE,
    SKELETON_SENSITIVITY,
    CAL_CONNECTIVITY,
    CAL_AREA,
    CAL_LENGTH,
    CHAOS_SCORE,
    SWAPPED_SHARE,
)
"""Without a value where the reference is empty, whatever is answered."""
_SUMMED: Final = ("voxels", "ml", "pieces")
_LENGTHS: Final = (REFERENCE_SKELETON_LENGTH, PREDICTION_SKELETON_LENGTH)
_NO_SPACING: Final = "no voxel size is stated"


@dataclass(frozen=True, slots=True, kw_only=True)
class VesselScorer:
    """Scores a mask of liver vessels: a `contracts.CaseScorer`.

    Rows stand for each class (`Score.target` its name) and for the case: of Task02 the mean over
    the classes that the reference has, or the sum of voxels, volumes, lengths and pieces. A mask on
    another grid, with other labels or that cannot be read is UNPARSED; a missing one is FAILED.
    Of a class that the reference lacks nothing can be found: shares and points have no value there,
    whatever is answered, and what was invented shows in volumes, lengths and pieces.
    """

    root: Path
    """The release's folder."""

    @property
    def metric(self) -> str:
        """The headline metric."""
        return CENTRELINE_DICE.name

    @property
    def profile(self) -> Profile:
        """Honest."""
        return "honest"

    def score(self, item: Item, reference: Reference, response: Response) -> Iterator[Score]:
        """Score one mask.

        Raises
        ------
        UsageError
            The records do not belong together, or the item asks for no mask.
        """
        check_records(item, reference, response, space=Mask)
        if reference.problem is not None or reference.path is None:
            problem = reference.problem or "the release has no reference mask"
            yield from self._everything(item, response, undefined(problem))
            return
        try:
            path = resolve_inside(self.root, reference.path)
            yield from self._scored(item, response, path)
        except (ReferenceMaskError, UnsafePathError) as error:
            reason = without_root(str(error), self.root)
            yield from self._everything(item, response, undefined(reason))

    def failed(self, item: Item, response: Response, reason: str) -> Iterator[Score]:
        """Give the rows of a case whose scoring broke: nothing is read again."""
        outcome = Outcome(value=None, status=Status.FAILED, reason=reason)
        yield from self._everything(item, response, outcome)

    def _scored(self, item: Item, response: Response, path: Path) -> Iterator[Score]:
        pair = self._pair(item, response, path)
        if isinstance(pair, Outcome):
            known = reference_measures(
                _of_task(read_reference(path), _task(item)), _labels(item), _MEASURES
            )
            yield from rows_without_prediction(
                item,
                response,
                pair,
                known,
                specs=_specs(item),
                targets=_labels(item).values(),
                profile=self.profile,
                of_reference=[spec.name for spec in _OF_REFERENCE],
            )
            return
        for spec, target, outcome in _measured(pair, _labels(item)):
            yield mask_row(item, response, outcome, spec=spec, profile=self.profile, target=target)

    def _pair(self, item: Item, response: Response, reference: Path) -> MaskPair | Outcome:
        """Open the two masks; what its rows say where they cannot be compared."""
        if response.status is not Status.OK:
            return _without(response.status, response.reason or "no mask")
        try:
            path = predicted_file(response)
        except PredictionMaskError as error:
            status = Status.UNPARSED if response.path is None else Status.FAILED
            return _without(status, reason_of(error, Path(response.path or ".")))
        try:
            labels = tuple(_labels(item))
            pair = open_pair(reference, path, labels)
            if _task(item) == "Task01":
                merged = _of_task(pair.reference, "Task01")
                pair = MaskPair(merged, pair.prediction, known_labels=labels)
            pair.check()
            unknown = pair.report.unknown_labels
            if unknown:
                raise PredictionMaskError(_foreign(unknown, item))
        except PredictionMaskError as error:
            return _without(Status.UNPARSED, reason_of(error, path))
        return pair

    def _everything(self, item: Item, response: Response, outcome: Outcome) -> Iterator[Score]:
        yield from all_rows(
            item,
            response,
            outcome,
            specs=_specs(item),
            targets=_labels(item).values(),
            profile=self.profile,
        )


def _task(item: Item) -> Task:
    return "Task02" if item.task == "Task02" else "Task01"


def _labels(item: Item) -> Mapping[int, str]:
    return TASK_LABELS[_task(item)]


def _specs(item: Item) -> tuple[MetricSpec, ...]:
    swapped = (SWAPPED_SHARE,) if len(_labels(item)) > 1 else ()
    return (*_MEASURES.specs(), *_VESSELS, *swapped)


def _of_task(reference: LabelMap, task: Task) -> LabelMap:
    """Take both classes for one in Task01, as its reference is read."""
    if task == "Task02":
        return reference
    return replace(reference, array=(reference.array > 0).view("uint8"))


def _without(status: Status, reason: str) -> Outcome:
    return Outcome(value=None, status=status, reason=reason)


def _foreign(unknown: Sequence[int], item: Item) -> str:
    named = ", ".join(f"{label} ({name})" for label, name in _labels(item).items())
    shown = ", ".join(str(label) for label in unknown[:5]) + ", …" * (len(unknown) > 5)
    both = item.task == "Task01" and tuple(unknown) == (2,)
    hint = ": a mask of Task02?" if both else ""
    return f"label {shown} is none of those asked for, {named}{hint}"


def _measured(
    pair: MaskPair, labels: Mapping[int, str]
) -> Iterator[tuple[MetricSpec, str | None, Outcome]]:
    """Measure every class, then the case."""
    found: dict[str, dict[MetricSpec, Outcome]] = {name: {} for name in labels.values()}
    diagonal: Outcome | None = None
    for each in measure_pair(pair, labels, _MEASURES):
        if each.target is not None:
            found[each.target][each.spec] = each.outcome
        elif each.spec is GRID_DIAGONAL:
            diagonal = each.outcome
    for label, name in labels.items():
        found[name].update(_vessels(pair, label, others=[one for one in labels if one != label]))
        for spec, outcome in found[name].items():
            yield spec, name, outcome
    overlaps = [pair.overlap(label) for label in labels]
    held = [name for label, name in labels.items() if pair.overlap(label).reference_voxels]
    fate = Overlap(
        sum(each.reference_voxels for each in overlaps),
        sum(each.prediction_voxels for each in overlaps),
        0,
    ).fate
    for spec in next(iter(found.values())):
        yield spec, None, _case(spec, found, held, fate)
    if diagonal is not None:
        yield GRID_DIAGONAL, None, diagonal


def _vessels(pair: MaskPair, label: int, *, others: Sequence[int]) -> dict[MetricSpec, Outcome]:
    overlap = pair.overlap(label)
    fate = overlap.fate
    reference, prediction = pair.masks(label)
    thin = skeleton(reference), skeleton(prediction)
    lines = centreline_dice(
        reference, prediction, reference_skeleton=thin[0], prediction_skeleton=thin[1]
    )
    cal = cal_triple(reference, prediction, reference_skeleton=thin[0], prediction_skeleton=thin[1])
    counts = component_counts(reference, prediction)
    spacing = pair.spacing_mm
    lengths = [None if spacing is None else skeleton_length_mm(each, spacing) for each in thin]
    chaos = None
    if spacing is not None:
        measures = chaos_measures(*_framed(pair, label), spacing_mm=spacing)
        # Missed: no Dice, a difference of 100 per cent and no distance at all earn no points.
        chaos = 0.0 if fate == "missed" else chaos_scores(measures).final
    values = (
        *(lines.value, lines.precision, lines.sensitivity),
        *lengths,
        *(cal.connectivity, cal.area, cal.length),
        *(float(counts.reference), float(counts.prediction), float(counts.error)),
        chaos,
    )
    why = _NO_SPACING if spacing is None else None
    found = {
        spec: _value(value, fate, why=why if spec in (*_LENGTHS, CHAOS_SCORE) else None)
        for spec, value in zip(_VESSELS, values, strict=True)
    }
    if not overlap.reference_voxels:  # else n would depend on who answers
        found |= {spec: _value(None, fate, why=None) for spec in _OF_REFERENCE if spec in found}
    if others:
        share = swapped_share(*pair.cropped, label, others)
        found[SWAPPED_SHARE] = _value(share, fate, why=None)
    return found


def _framed(pair: MaskPair, label: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Give both masks with a rim where the scan goes on: no border lies at the edge of a scan."""
    sizes = pair.reference.array.shape
    rim = [
        (int(side.start > 0), int(side.stop < size))
        for side, size in zip(pair.box, sizes, strict=True)
    ]
    reference, prediction = pair.masks(label)
    return np.pad(reference, rim), np.pad(prediction, rim)


def _case(
    spec: MetricSpec,
    found: Mapping[str, Mapping[MetricSpec, Outcome]],
    held: Sequence[str],
    fate: Fate,
) -> Outcome:
    """Sum over all classes, or average over those of the reference; all must have a value."""
    is_sum = spec.unit in _SUMMED or spec in _LENGTHS
    counted = found if is_sum or len(found) == 1 else held
    outcomes = [found[name][spec] for name in counted]
    values = [each.value for each in outcomes if each.value is not None]
    if not values or len(values) < len(outcomes):
        reason = next((each.reason for each in outcomes if each.value is None), None)
        return Outcome(value=None, status=Status.UNDEFINED, reason=reason or fate, answer=fate)
    value = sum(values) / (1 if is_sum else len(values))
    return Outcome(value=value, status=Status.OK, reason=None, answer=fate)


def _value(value: float | None, fate: Fate, *, why: str | None) -> Outcome:
    if value is None:
        return Outcome(value=None, status=Status.UNDEFINED, reason=why or fate, answer=fate)
    return Outcome(value=value, status=Status.OK, reason=None, answer=fate)
