"""The honest scorer of masks: overlap, surfaces, volumes, and what became of every label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from overread.errors import ImageError, UnsafePathError
from overread.imaging.safe_path import resolve_inside, without_root
from overread.metrics.components import Connectivity
from overread.metrics.lesion_matching import LesionRule
from overread.metrics.overlap import DICE
from overread.records import Item, Mask, Profile, Reference, Response, Score, Status
from overread.scoring.masks.doubts import doubts_of, some_labels
from overread.scoring.masks.measures import MaskMeasures, Measured, measure_pair
from overread.scoring.masks.pair import (
    MaskPair,
    PredictionMaskError,
    ReferenceMaskError,
    open_pair,
    read_reference,
)
from overread.scoring.masks.renamed import renamed_labels
from overread.scoring.masks.rows import (
    all_rows,
    mask_row,
    predicted_file,
    reason_of,
    reference_measures,
    rows_without_prediction,
)
from overread.scoring.rows import Outcome, check_records, undefined

__all__ = ["MaskScorer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskScorer:
    """Scores a mask against its reference: a `contracts.CaseScorer`.

    Rows stand for each label (`Score.target` its name) and for the case (target None): for several
    labels the mean over those that the reference has, or the sum of voxels, millilitres and
    lesions. `Score.answer` says what became of the label: ``both present``, ``missed``,
    ``invented`` or ``both empty``. The reason of the case's Dice tells what the geometry doctor saw
    of a mask that is scored all the same: labels nobody named, a turn that would fit far better.

    A missing prediction is FAILED; one that cannot be read, lies on another grid or has none of the
    labels but others is UNPARSED; either way voxels, volume and lesions of the reference stay
    known. What the metric has no value for is UNDEFINED, and so is every row of an unusable
    reference.
    """

    root: Path
    """The release's folder."""
    labels: Mapping[int, str]
    """Label → its name; one that is not named counts as background."""
    profile: Profile = "honest"
    surface: bool = True
    """Surface distances and surface Dice, by area of surface elements."""
    tolerances_mm: tuple[float, ...] = (1.0, 2.0, 3.0)
    """Of surface Dice."""
    lesions: LesionRule | None = None
    """Count lesions under this rule."""
    connectivity: Connectivity = 18
    """By which voxels are one lesion."""
    skeleton: bool = False
    """Centreline Dice."""
    on_mismatch: Literal["refuse", "nearest"] = "refuse"
    """What to do with a mask on another grid: nothing, or resample it by the nearest voxel."""

    @property
    def metric(self) -> str:
        """The headline metric."""
        return DICE.name

    @property
    def measures(self) -> MaskMeasures:
        """What is measured of each pair."""
        return MaskMeasures(
            surface=self.surface,
            tolerances_mm=self.tolerances_mm,
            lesions=self.lesions,
            connectivity=self.connectivity,
            skeleton=self.skeleton,
        )

    def takes(self, item: Item) -> bool:
        """Say whether an item asks for a mask."""
        return isinstance(item.answer_space, Mask)

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
            reference_path = resolve_inside(self.root, reference.path)
        except UnsafePathError as error:
            yield from self._everything(item, response, undefined(str(error)))
            return
        try:
            yield from self._measured(item, response, self._pair(reference_path, response))
        except ReferenceMaskError as error:
            reason = without_root(str(error), self.root)
            yield from self._everything(item, response, undefined(reason))
        except _Unusable as unusable:
            yield from self._without(item, response, reference_path, unusable.outcome)

    def failed(self, item: Item, response: Response, reason: str) -> Iterator[Score]:
        """Give the rows of a case whose scoring broke: nothing is read again."""
        outcome = Outcome(value=None, status=Status.FAILED, reason=reason)
        yield from self._everything(item, response, outcome)

    def _pair(self, reference_path: Path, response: Response) -> MaskPair:
        """Open the two masks, and see that they can be compared."""
        if response.status is not Status.OK:
            reason = response.reason or "no mask"
            raise _Unusable(Outcome(value=None, status=response.status, reason=reason))
        try:
            path = predicted_file(response)
        except PredictionMaskError as error:
            status = Status.UNPARSED if response.path is None else Status.FAILED
            reason = reason_of(error, Path(response.path or "."))
            raise _Unusable(Outcome(value=None, status=status, reason=reason)) from error
        try:
            pair = open_pair(reference_path, path, tuple(self.labels))
            if not pair.report.same and self.on_mismatch == "nearest":
                pair = pair.resampled()
            pair.check()
            self._check_labels(pair)
        except PredictionMaskError as error:
            reason = reason_of(error, path)
            raise _Unusable(Outcome(value=None, status=Status.UNPARSED, reason=reason)) from error
        return pair

    def _check_labels(self, pair: MaskPair) -> None:
        """Refuse a mask that has labels, and not one of those that were asked for."""
        unknown = pair.report.unknown_labels
        if unknown and not set(pair.prediction_labels) & set(self.labels):
            named = ", ".join(f"{label} ({name})" for label, name in self.labels.items())
            hint = "".join(f"; {each.words}" for each in renamed_labels(pair)[:1])
            raise PredictionMaskError(
                f"labels {some_labels(unknown)} and none of those asked for: {named}{hint}"
            )

    def _measured(self, item: Item, response: Response, pair: MaskPair) -> Iterator[Score]:
        doubts = doubts_of(pair.report, pair.prediction.warnings)
        for each in measure_pair(pair, self.labels, self.measures):
            row = mask_row(
                item,
                response,
                each.outcome,
                spec=each.spec,
                profile=self.profile,
                target=each.target,
            )
            is_told = row.target is None and row.metric == DICE.name and row.reason is None
            yield replace(row, reason=doubts) if doubts and is_told else row

    def _without(
        self, item: Item, response: Response, reference_path: Path, outcome: Outcome
    ) -> Iterator[Score]:
        try:
            reference = read_reference(reference_path)
        except ReferenceMaskError as error:
            reason = without_root(str(error), self.root)
            yield from self._everything(item, response, undefined(reason))
            return
        known: Iterable[Measured] = reference_measures(reference, self.labels, self.measures)
        yield from rows_without_prediction(
            item,
            response,
            outcome,
            known,
            specs=self.measures.specs(),
            targets=self.labels.values(),
            profile=self.profile,
        )

    def _everything(self, item: Item, response: Response, outcome: Outcome) -> Iterator[Score]:
        yield from all_rows(
            item,
            response,
            outcome,
            specs=self.measures.specs(),
            targets=self.labels.values(),
            profile=self.profile,
        )


class _Unusable(ImageError):
    """A prediction that cannot be scored, with what its rows say."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome
