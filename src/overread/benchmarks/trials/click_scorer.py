"""Scores a mask of the interactive task: one of the eleven of a case, after 0 to 10 clicks.

Rows of one mask are its part of the case's curve, so that the area under it is a ratio of sums over
all masks (`protocol.CLICK_PLAN`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from overread.benchmarks.trials.opening import (
    LABEL,
    UnusableError,
    header_spacing_mm,
    open_case,
    open_reference,
    row,
)
from overread.imaging.label_box import label_box, union_box
from overread.metrics.click_curve import CLICKS, area_weight, text_places
from overread.metrics.lits_outlines import NO_DISTANCE, outline_distances
from overread.records import Item, Mask, Profile, Reference, Response, Score, Status
from overread.scoring.masks.pair import MaskPair
from overread.scoring.rows import Outcome, check_records, undefined

__all__ = ["ENDS", "ClickScorer"]

ENDS: Final = (text_places().index(CLICKS - 1), CLICKS - 1)
"""After how many clicks a curve ends: nine in the released order, ten in the right one."""
_VERSION: Final = "1"
_MEASURES: Final = ("dice", "assd_mm", "msd_mm")
_NO_CURVE: Final = "a reference without lesion has no curve"
_NO_OBJECT: Final = "a reference without lesion: the released code breaks off here"
_OTHER_SIZE: Final = (
    "of another size than the reference: the released code has no number for it, and breaks off "
    "for want of eleven"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClickScorer:
    """Scores one mask of a curve: a `contracts.CaseScorer` of the interactive task.

    `published` compares the lowest label of the reference alone, takes the spacing from the
    prediction's header, gives an empty prediction distances of 9001 mm and puts the masks of a case
    in the order of their names as texts. `honest` puts them in the order of clicks; a missing mask
    adds nothing to the area, and its case counts all the same. Distances without a value have no
    area; they stand mask by mask beside it (`scoring.masks.standard`).
    """

    root: Path
    """The release's folder."""
    profile: Profile

    @property
    def metric(self) -> str:
        """The metric it is named after."""
        return "dice" if self.profile == "published" else "dice_curve"

    def takes(self, item: Item) -> bool:
        """Say whether an item is of the interactive task."""
        return item.task == "interactive"

    def score(self, item: Item, reference: Reference, response: Response) -> Iterator[Score]:
        """Score one mask.

        Raises
        ------
        UsageError
            The records do not belong together, or the item asks for no mask.
        """
        check_records(item, reference, response, space=Mask)
        try:
            pair = open_case(self.root, reference, response)
            values, fate = self._measure(pair)
        except UnusableError as unusable:
            yield from self._without(item, response, reference, unusable)
            return
        for name, value in self._curve(item, values).items():
            yield self._row(item, response, name, _value(value, fate))

    def failed(self, item: Item, response: Response, reason: str) -> Iterator[Score]:
        """Give the rows of a case whose scoring broke: nothing is read again."""
        outcome = Outcome(value=None, status=Status.FAILED, reason=reason)
        for name in self._names(item):
            yield self._row(item, response, name, outcome)

    def _measure(self, pair: MaskPair) -> tuple[Mapping[str, float | None], str]:
        if self.profile == "published":
            return _as_released(pair)
        if not pair.report.same:
            raise _unparsed("; ".join(pair.report.problems))
        overlap = pair.overlap(LABEL)
        if not overlap.reference_voxels:
            raise UnusableError(undefined(_NO_CURVE), is_reference=True)
        return {"dice": overlap.dice}, overlap.fate

    def _curve(self, item: Item, values: Mapping[str, float | None]) -> dict[str, float | None]:
        """Give a mask's part of the area, the last value, and the case where it is counted."""
        clicks = int(item.strata["clicks"])
        place = text_places()[clicks] if self.profile == "published" else clicks
        rows: dict[str, float | None] = {}
        if self.profile == "published":
            rows.update(values)
        for name, value in values.items():
            rows[_named(name, "curve")] = None if value is None else area_weight(place) * value
            if place == CLICKS - 1:
                rows[_named(name, "last")] = value
        rows[f"dice_at_{clicks}"] = values["dice"]
        # A case has eleven masks; of which of them a case is counted does not matter.
        return rows | _counted(clicks, place)

    def _without(
        self, item: Item, response: Response, reference: Reference, unusable: UnusableError
    ) -> Iterator[Score]:
        """Write rows without a value; honestly, a case that can be scored stays one."""
        counted: Mapping[str, float] = {}
        if self.profile == "honest" and not unusable.is_reference:
            counted = self._cases(item, reference)
        for name in self._names(item):
            outcome = unusable.outcome
            if name in counted:
                outcome = Outcome(value=counted[name], status=Status.OK, reason=outcome.reason)
            yield self._row(item, response, name, outcome)

    def _cases(self, item: Item, reference: Reference) -> Mapping[str, float]:
        try:
            is_empty = not (open_reference(self.root, reference).array == LABEL).any()
        except UnusableError:
            return {}
        clicks = int(item.strata["clicks"])
        return {} if is_empty else _counted(clicks, clicks)

    def _names(self, item: Item) -> tuple[str, ...]:
        measures = _MEASURES if self.profile == "published" else ("dice",)
        return tuple(self._curve(item, dict.fromkeys(measures)))

    def _row(self, item: Item, response: Response, name: str, outcome: Outcome) -> Score:
        return row(
            item,
            response,
            outcome,
            metric=name,
            version=_VERSION,
            unit="mm" if name.endswith("_mm") else "cases" if name.startswith("case") else "share",
            profile=self.profile,
        )


def _named(measure: str, part: str) -> str:
    """Name a part of a measure's curve: ``dice_curve``, ``assd_curve_mm``."""
    name, _, unit = measure.partition("_")
    return f"{name}_{part}_{unit}" if unit else f"{name}_{part}"


def _counted(clicks: int, place: int) -> dict[str, float]:
    """Say how many cases a mask stands for: in the curve, after so many clicks, at the end."""
    cases = {f"case_at_{clicks}": 1.0, "curve_cases": 1.0 / CLICKS}
    return cases | ({"last_cases": float(place == CLICKS - 1)} if clicks in ENDS else {})


def _as_released(pair: MaskPair) -> tuple[Mapping[str, float | None], str]:
    if pair.reference.array.shape != pair.prediction.array.shape:
        raise _unparsed(_OTHER_SIZE)
    # One object is looked at, the lowest label: all lesions together, as released.
    lowest = pair.reference_labels[0] if pair.reference_labels else None
    spacing_mm = header_spacing_mm(pair.prediction)
    if lowest is None:
        raise UnusableError(undefined(_NO_OBJECT), is_reference=True)
    if spacing_mm is None:
        raise _unparsed("no volume, or one without a voxel size: the released code breaks off")
    reference, prediction = (array == lowest for array in pair.cropped)
    box = union_box(*(label_box(each.view(np.uint8)) for each in (reference, prediction)))
    assert box is not None  # the reference has this label
    distances = outline_distances(reference[box], prediction[box], spacing_mm)
    if distances is None:
        return dict(zip(_MEASURES, (0.0, NO_DISTANCE, NO_DISTANCE), strict=True)), "missed"
    both = 2.0 * int((reference & prediction).sum())
    dice = both / float(int(reference.sum()) + int(prediction.sum()))
    values = (dice, distances.assd_mm, distances.msd_mm)
    return dict(zip(_MEASURES, values, strict=True)), "both present"


def _unparsed(reason: str) -> UnusableError:
    outcome = Outcome(value=None, status=Status.UNPARSED, reason=reason)
    return UnusableError(outcome, is_reference=False)


def _value(value: float | None, fate: str) -> Outcome:
    if value is None:
        return Outcome(value=None, status=Status.UNDEFINED, reason=fate, answer=fate)
    return Outcome(value=value, status=Status.OK, reason=None, answer=fate)
