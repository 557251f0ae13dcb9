"""What is measured of a pair of masks: for each label and for the case, every value or its reason.

Metrics of a case with several labels are the mean over the labels that the reference has, or the
sum for voxels, millilitres and lesions. A mean that one label has no value for has none itself:
dropping a structure that was missed would make the case better.

Overlaps are of what the reference has: a label that it lacks has none, whoever answers, so that the
number of cases behind a mean does not depend on the model. What was invented there shows in
volumes, in lesions and in the ledger (`analysis.empty_masks`). Of a missed label overlaps and
surface Dice are 0, and distances have no value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from overread.metrics.components import Connectivity
from overread.metrics.lesion_matching import (
    LESIONS_FOUND,
    LESIONS_INVENTED,
    LESIONS_MISSED,
    LesionRule,
    match_lesions,
)
from overread.metrics.lesions import FNV_ML, FPV_ML
from overread.metrics.masks import GRID_DIAGONAL
from overread.metrics.overlap import (
    DICE,
    IOU,
    OVERLAP_VOXELS,
    PREDICTION_ML,
    PREDICTION_VOXELS,
    REFERENCE_ML,
    REFERENCE_VOXELS,
    VOLUME_DIFFERENCE,
    Fate,
    Overlap,
)
from overread.metrics.spec import MetricSpec
from overread.metrics.surface import ASSD, HD, HD95, nsd_spec
from overread.records import Status
from overread.scoring.masks.pair import MaskPair
from overread.scoring.rows import Outcome

__all__ = ["COUNTED", "MaskMeasures", "MaskPart", "Measured", "measure_pair", "measure_parts"]

NO_SPACING: Final = "no voxel size is stated"
_SUMMED: Final = ("voxels", "ml", "lesions")
"""Units of metrics that are summed over labels; others are averaged."""


_COUNTED: Final = (
    REFERENCE_VOXELS,
    PREDICTION_VOXELS,
    OVERLAP_VOXELS,
    REFERENCE_ML,
    PREDICTION_ML,
    LESIONS_FOUND,
    LESIONS_MISSED,
    LESIONS_INVENTED,
    FPV_ML,
)
"""Metrics that are 0 where there is nothing on either side."""
COUNTED: Final = frozenset(spec.name for spec in _COUNTED)
"""Their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskMeasures:
    """Which metrics are wanted beside overlap and volumes."""

    surface: bool = True
    """Hausdorff distances, mean surface distance, surface Dice; by area of surface elements."""
    tolerances_mm: tuple[float, ...] = (1.0, 2.0, 3.0)
    """Of surface Dice."""
    lesions: LesionRule | None = None
    """Count lesions found, missed and invented under this rule."""
    connectivity: Connectivity = 18
    """By which voxels are one lesion; of pictures 8 where this is more than 8."""
    skeleton: bool = False
    """Centreline Dice of vessels."""

    def specs(self) -> tuple[MetricSpec, ...]:
        """List the metrics of each label, in the order of rows."""
        specs = [DICE, IOU]
        if self.surface:
            specs += [HD, HD95, ASSD, *(nsd_spec(each) for each in self.tolerances_mm)]
        if self.skeleton:
            from overread.metrics.skeleton import CENTRELINE_DICE

            specs.append(CENTRELINE_DICE)
        specs += [REFERENCE_VOXELS, PREDICTION_VOXELS, OVERLAP_VOXELS]
        specs += [REFERENCE_ML, PREDICTION_ML, VOLUME_DIFFERENCE]
        if self.lesions is not None:
            specs += [LESIONS_FOUND, LESIONS_MISSED, LESIONS_INVENTED, FPV_ML, FNV_ML]
        return tuple(specs)

    def connectivity_of(self, n_axes: int) -> Connectivity:
        """Give the connectivity for volumes or for pictures."""
        if n_axes == 2:
            return 4 if self.connectivity in (4, 6) else 8
        return self.connectivity if self.connectivity >= 6 and self.connectivity != 8 else 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One metric of one label, or of the case."""

    spec: MetricSpec
    target: str | None
    """Name of the label; None for the case."""
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskPart:
    """One label of a case, and the pair of masks that it stands in."""

    name: str
    pair: MaskPair
    label: int
    among: tuple[int, ...] = ()
    """Labels of the same pair that are measured too: their surfaces are found together."""


def measure_pair(
    pair: MaskPair, labels: Mapping[int, str], measures: MaskMeasures
) -> Iterator[Measured]:
    """Measure a pair of masks on one grid.

    Parameters
    ----------
    pair
        The masks. Whether they lie on one grid is for the caller to look at: `MaskPair.check`.
    labels
        Label → its name, in the order wanted. Other labels are left out. None of a case that is
        empty on both sides: it has no voxel and no lesion.
    measures
        What is wanted.

    Yields
    ------
    Measured
        Label by label all metrics of `MaskMeasures.specs`, each with the label's fate as
        `Outcome.answer`; then the same for the case, and the diagonal of its grid.

    Raises
    ------
    PredictionMaskError
        The two are of different sizes.
    """
    if not labels:
        yield from _nothing(pair, measures)
        return
    among = tuple(labels)
    yield from measure_parts(
        (
            MaskPart(name=name, pair=pair, label=label, among=among)
            for label, name in labels.items()
        ),
        measures,
        diagonal_mm=_diagonal_mm(pair),
    )


def measure_parts(
    parts: Iterable[MaskPart], measures: MaskMeasures, *, diagonal_mm: float | None
) -> Iterator[Measured]:
    """Measure the labels of a case one by one, whatever pairs they stand in, and then the case.

    Parameters
    ----------
    parts
        The labels, each once; a pair is let go before the next one is asked for.
    measures
        What is wanted.
    diagonal_mm
        Of the case's grid; None where no voxel size is stated.

    Yields
    ------
    Measured
        As `measure_pair` does.
    """
    specs = measures.specs()
    by_name: dict[str, list[Outcome]] = {}
    overlaps: dict[str, Overlap] = {}
    for part in parts:
        by_name[part.name] = _label(part.pair, part.label, part.among, measures)
        overlaps[part.name] = part.pair.overlap(part.label)
        for spec, outcome in zip(specs, by_name[part.name], strict=True):
            yield Measured(spec=spec, target=part.name, outcome=outcome)
    fate = _joint_fate(tuple(overlaps.values()))
    for number, spec in enumerate(specs):
        outcomes = {name: found[number] for name, found in by_name.items()}
        if len(outcomes) == 1:
            (outcome,) = outcomes.values()
        elif spec.unit in _SUMMED:
            outcome = _sum(tuple(outcomes.values()), fate)
        else:
            held = {name: outcomes[name] for name in outcomes if overlaps[name].reference_voxels}
            outcome = _mean(held, fate)
        yield Measured(spec=spec, target=None, outcome=outcome)
    yield Measured(
        spec=GRID_DIAGONAL, target=None, outcome=_value(diagonal_mm, fate, why=NO_SPACING)
    )


def _nothing(pair: MaskPair, measures: MaskMeasures) -> Iterator[Measured]:
    """Count nothing in a case without any label."""
    fate = _joint_fate(())
    for spec in measures.specs():
        is_known = spec.unit != REFERENCE_ML.unit or pair.voxel_ml is not None
        value = 0.0 if spec in _COUNTED and is_known else None
        why = NO_SPACING if spec in _COUNTED and not is_known else None
        yield Measured(spec=spec, target=None, outcome=_value(value, fate, why=why))
    diagonal = _value(_diagonal_mm(pair), fate, why=NO_SPACING)
    yield Measured(spec=GRID_DIAGONAL, target=None, outcome=diagonal)


def _label(
    pair: MaskPair, label: int, among: tuple[int, ...], measures: MaskMeasures
) -> list[Outcome]:
    overlap = pair.overlap(label)
    fate = overlap.fate
    # Where the reference is empty no overlap can be earned: else n would depend on who answers.
    is_there = overlap.reference_voxels > 0
    outcomes = [_value(value if is_there else None, fate) for value in (overlap.dice, overlap.iou)]
    if measures.surface:
        outcomes += _surface(pair, label, among, measures.tolerances_mm)
    if measures.skeleton:
        outcomes.append(_centreline(pair, label, fate))
    outcomes += [
        _value(float(overlap.reference_voxels), fate),
        _value(float(overlap.prediction_voxels), fate),
        _value(float(overlap.overlap_voxels), fate),
    ]
    voxel_ml = pair.voxel_ml
    for voxels in (overlap.reference_voxels, overlap.prediction_voxels):
        value = None if voxel_ml is None else voxels * voxel_ml
        outcomes.append(_value(value, fate, why=NO_SPACING))
    outcomes.append(_value(overlap.volume_difference, fate))
    if measures.lesions is not None:
        connectivity = measures.connectivity_of(pair.reference.array.ndim)
        outcomes += _lesions(pair, label, measures.lesions, connectivity)
    return outcomes


def _surface(
    pair: MaskPair, label: int, among: tuple[int, ...], tolerances_mm: Sequence[float]
) -> list[Outcome]:
    fate = pair.overlap(label).fate
    n_metrics = 3 + len(tolerances_mm)
    if fate in ("both empty", "invented"):
        return [_value(None, fate)] * n_metrics
    if pair.spacing_mm is None:  # of a missed one neither: its 0 would be all that a mean is over
        return [_value(None, fate, why=NO_SPACING)] * n_metrics
    if fate == "missed":  # no distance to nothing; of its surface no share is found
        return [*[_value(None, fate)] * 3, *[_value(0.0, fate)] * len(tolerances_mm)]
    found = pair.surface(label, among=among)
    if found is None:  # pragma: no cover - both sides have voxels
        return [_value(None, fate)] * n_metrics
    values = [found.hd_mm, found.hd95_mm(), found.assd_mm]
    values += [found.nsd(tolerance_mm) for tolerance_mm in tolerances_mm]
    return [_value(value, fate) for value in values]


def _centreline(pair: MaskPair, label: int, fate: Fate) -> Outcome:
    from overread.metrics.skeleton import centreline_dice

    if fate in ("both empty", "invented"):
        return _value(None, fate)
    return _value(centreline_dice(*pair.masks(label)).value, fate)


def _lesions(
    pair: MaskPair, label: int, rule: LesionRule, connectivity: Connectivity
) -> list[Outcome]:
    fate = pair.overlap(label).fate
    table = pair.lesions(label, connectivity)
    match = match_lesions(table, rule)
    counts = [_value(float(each), fate) for each in (match.found, match.missed, match.invented)]
    if pair.voxel_ml is None:
        return counts + [_value(None, fate, why=NO_SPACING)] * 2
    negative = table.false_negative_voxels * pair.voxel_ml if table.n_reference else None
    return [
        *counts,
        _value(table.false_positive_voxels * pair.voxel_ml, fate),
        _value(negative, fate),
    ]


def _diagonal_mm(pair: MaskPair) -> float | None:
    spaced = pair.reference if pair.reference.spacing_mm is not None else pair.prediction
    return spaced.diagonal_mm


def _joint_fate(overlaps: Sequence[Overlap]) -> Fate:
    """Tell what became of all labels together: what counts is whether either side has any."""
    return Overlap(
        sum(each.reference_voxels for each in overlaps),
        sum(each.prediction_voxels for each in overlaps),
        0,
    ).fate


def _sum(outcomes: Sequence[Outcome], fate: Fate) -> Outcome:
    values = [each.value for each in outcomes if each.value is not None]
    if values:
        return _value(sum(values), fate)
    reasons = {each.reason for each in outcomes}
    return _value(None, fate, why=reasons.pop() if len(reasons) == 1 else None)


def _mean(outcomes: Mapping[str, Outcome], fate: Fate) -> Outcome:
    """Average over the labels of the reference, where every one of them has a value."""
    if not outcomes:
        return _value(None, fate)
    lacking = [f"{name} ({each.reason})" for name, each in outcomes.items() if each.value is None]
    if lacking:
        reasons = {each.reason for each in outcomes.values() if each.value is None}
        if len(lacking) == len(outcomes) and len(reasons) == 1:
            return _value(None, fate, why=reasons.pop())
        return _value(
            None,
            fate,
            why=f"no mean: {len(lacking)} of {len(outcomes)} labels of the reference have no "
            f"value: {', '.join(lacking[:5])}{', …' if len(lacking) > 5 else ''}",
        )
    values = [each.value for each in outcomes.values() if each.value is not None]
    return _value(sum(values) / len(values), fate)


def _value(value: float | None, fate: Fate, *, why: str | None = None) -> Outcome:
    """Write a value; without one the reason is the fate unless another is told."""
    if value is None:
        return Outcome(value=None, status=Status.UNDEFINED, reason=why or fate, answer=fate)
    return Outcome(value=value, status=Status.OK, reason=None, answer=fate)
