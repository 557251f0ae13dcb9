"""Scorers of autoPET III: the released script's numbers, and the careful ones beside them.

Both look at one case through the same pair of masks, so that each mask is read and labelled once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, cast

import numpy as np

from overread.benchmarks.autopet3.layout import LESION
from overread.errors import UnsafePathError
from overread.imaging.label_map import LabelMap
from overread.imaging.safe_path import resolve_inside, without_root
from overread.metrics.autopet import (
    DICE_2022,
    FNV_ML_2022,
    FPV_ML_2022,
    AutoPetScores,
    Edition,
    autopet_scores,
    autopet_scores_of_table,
    pixdim_ml,
)
from overread.metrics.lesion_matching import (
    LESION_F1,
    LESIONS_RIGHT,
    SIZE_LESIONS,
    SIZE_LESIONS_FOUND,
    SizeClass,
    detection_by_size,
    f_beta,
    match_lesions,
)
from overread.metrics.lesion_volume import (
    CLEAN_NEGATIVE,
    OUTSIDE_ML,
    UNCOVERED_ML,
    clean_negative,
)
from overread.metrics.lesions import FNV_ML, FPV_ML
from overread.metrics.overlap import DICE, IOU, PREDICTION_VOXELS, REFERENCE_VOXELS
from overread.metrics.panoptic import PANOPTIC_QUALITY, panoptic_quality
from overread.metrics.spec import MetricSpec
from overread.records import Item, Mask, Profile, Reference, Response, Score, Status
from overread.scoring.masks.missed_volume import with_missed_volume
from overread.scoring.masks.pair import (
    MaskPair,
    PredictionMaskError,
    ReferenceMaskError,
    open_pair,
    read_reference,
)
from overread.scoring.masks.rows import mask_row, predicted_file, reason_of
from overread.scoring.masks.standard import MaskScorer
from overread.scoring.rows import Outcome, check_records, undefined

__all__ = ["EDGES_ML", "SIZES", "AutoPetHonest", "AutoPetPublished"]

_CONNECTIVITY: Final = 18
_LABEL: Final = 1
_NO_LESION: Final = "the reference has no lesion"

_EDITIONS: Final[Mapping[Edition, tuple[MetricSpec, MetricSpec, MetricSpec]]] = {
    "2024": (DICE, FPV_ML, FNV_ML),
    "2022": (DICE_2022, FPV_ML_2022, FNV_ML_2022),
}
_NAN_WITHOUT_LESION: Final = (DICE.name, FNV_ML.name)
"""By the script of 2024; that of 2022 has no such rule."""
EDGES_ML: Final = (1.0, 10.0)
"""Where classes of lesion volume begin; ours."""
_ADDED: Final = (
    LESIONS_RIGHT,
    LESION_F1,
    PANOPTIC_QUALITY,
    CLEAN_NEGATIVE,
    OUTSIDE_ML,
    UNCOVERED_ML,
)
SIZES: Final = tuple(
    SizeClass(low_ml=low, high_ml=high, lesions=0, found=0).title
    for low, high in pairwise((0.0, *EDGES_ML, float("inf")))
)
"""Targets of the rows by size."""
_OF_LESIONS: Final = (DICE, IOU, FNV_ML, LESION_F1, PANOPTIC_QUALITY, UNCOVERED_ML)
"""Of studies with a lesion alone."""
_OF_LESION_NAMES: Final = tuple(spec.name for spec in _OF_LESIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoPetPublished:
    """The three numbers of the released scripts of 2024 and of 2022: a `contracts.CaseScorer`.

    As the scripts do, it lays masks over each other by index, whatever their grids say, takes the
    numbers in them as they are, and stops where their sizes differ (FAILED). What the challenge did
    without a mask was not seen; the row is FAILED and stays in the denominator, where there is a
    lesion: elsewhere Dice and the false negative volume are NaN for everybody. A mask of fractions
    is UNPARSED, where the scripts would multiply them.
    """

    root: Path
    """The release's folder."""
    profile: Profile = "published"

    @property
    def metric(self) -> str:
        """The headline metric."""
        return DICE.name

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
            yield from self._all(item, response, undefined(problem))
            return
        try:
            path = resolve_inside(self.root, reference.path)
            yield from self._of_case(item, response, path)
        except (ReferenceMaskError, UnsafePathError) as error:
            reason = without_root(str(error), self.root)
            yield from self._all(item, response, undefined(reason))

    def failed(self, item: Item, response: Response, reason: str) -> Iterator[Score]:
        """Give the rows of a case whose scoring broke."""
        yield from self._all(item, response, _lost(Status.FAILED, reason))

    def _of_case(self, item: Item, response: Response, reference: Path) -> Iterator[Score]:
        try:
            pair = open_pair(reference, _answered(response), (_LABEL,))
            yield from self._measured(item, response, pair)
            return
        except _Lost as found:
            lost = found.outcome
        except PredictionMaskError as error:
            lost = _lost(Status.UNPARSED, reason_of(error, Path(response.path or ".")))
        has_lesion = bool(read_reference(reference).array.any())
        for row in self._all(item, response, lost):
            # NaN in that study whoever answers: a missing mask adds nothing to a denominator.
            is_nan = not has_lesion and row.metric in _NAN_WITHOUT_LESION
            yield _without_lesion(row) if is_nan else row

    def _measured(self, item: Item, response: Response, pair: MaskPair) -> Iterator[Score]:
        sizes = pair.reference.array.shape, pair.prediction.array.shape
        if sizes[0] != sizes[1]:
            reason = f"the released script stops at masks of unlike size: {sizes[0]}, {sizes[1]}"
            yield from self._all(item, response, _lost(Status.FAILED, reason))
            return
        is_plain = max(int(each.max()) if each.size else 0 for each in pair.cropped) <= 1
        for edition, specs in _EDITIONS.items():
            voxel_ml = pixdim_ml(_pixdim(pair.reference if edition == "2024" else pair.prediction))
            if is_plain:
                table = pair.lesions(_LABEL, _CONNECTIVITY)
                found = autopet_scores_of_table(table, voxel_ml=voxel_ml, edition=edition)
            else:
                found = autopet_scores(*pair.cropped, voxel_ml=voxel_ml, edition=edition)
            fate = _fate(pair)
            for spec, value in zip(specs, _values(found), strict=True):
                outcome = Outcome(
                    value=value,
                    status=Status.OK if value is not None else Status.UNDEFINED,
                    reason=None if value is not None else fate,
                    answer=fate,
                )
                yield mask_row(item, response, outcome, spec=spec, profile=self.profile)

    def _all(self, item: Item, response: Response, outcome: Outcome) -> Iterator[Score]:
        for specs in _EDITIONS.values():
            for spec in specs:
                yield mask_row(item, response, outcome, spec=spec, profile=self.profile)


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoPetHonest:
    """The careful profile: a `contracts.CaseScorer` on top of `MaskScorer`.

    Masks must lie on the reference's grid. Dice has no value in a study without a lesion, whatever
    was predicted: what was invented there is counted by `clean_negative` and by the volumes. Beside
    false components by any touch stand lesions by overlap above one half, and every voxel outside
    of lesions. A case without a usable mask has missed all lesions and all their volume.
    """

    root: Path
    """The release's folder."""
    profile: Profile = "honest"

    @property
    def metric(self) -> str:
        """The headline metric."""
        return DICE.name

    @property
    def base(self) -> MaskScorer:
        """The scorer that does what all masks have in common."""
        return MaskScorer(
            root=self.root,
            labels={_LABEL: LESION},
            surface=False,
            lesions="any overlap",
            connectivity=_CONNECTIVITY,
        )

    def score(self, item: Item, reference: Reference, response: Response) -> Iterator[Score]:
        """Score one mask.

        Raises
        ------
        UsageError
            The records do not belong together, or the item asks for no mask.
        """
        rows = list(self.base.score(item, reference, response))
        case = {row.metric: row for row in rows if row.target is None}
        has_no_lesion = case[REFERENCE_VOXELS.name].value == 0
        for row in with_missed_volume(rows):
            yield _without_lesion(row) if has_no_lesion and row.metric in _OF_LESION_NAMES else row
        dice = case[DICE.name]
        if dice.answer is None:
            # Dice has no value in a study without a lesion: it does not say why no mask came.
            why = case[PREDICTION_VOXELS.name]
            outcome = _lost(why.status, why.reason)
            has_lesion = bool(case[REFERENCE_VOXELS.name].value)
            added = self._added(item, response, outcome, has_lesion, has_no_lesion)
            yield from with_missed_volume(added, of=rows)
            sizes = self._sizes_alone(reference) if has_lesion else None
            yield from self._by_size(item, response, sizes, outcome)
            return
        path = resolve_inside(self.root, reference.path or "")
        pair = open_pair(path, Path(response.path or ""), (_LABEL,))
        yield from self._by_size(item, response, _sizes(pair), None)
        for spec, value in _careful(pair).items():
            outcome = Outcome(
                value=value,
                status=Status.OK if value is not None else Status.UNDEFINED,
                reason=None if value is not None else spec.undefined,
                answer=dice.answer,
            )
            row = mask_row(item, response, outcome, spec=spec, profile=self.profile)
            if has_no_lesion and spec in _OF_LESIONS:
                row = _without_lesion(row)
            yield from _by_label(row)

    def failed(self, item: Item, response: Response, reason: str) -> Iterator[Score]:
        """Give the rows of a case whose scoring broke."""
        yield from self.base.failed(item, response, reason)
        lost = _lost(Status.FAILED, reason)
        yield from self._added(item, response, lost, has_lesion=False, has_no_lesion=False)
        yield from self._by_size(item, response, None, lost)

    def _sizes_alone(self, reference: Reference) -> Sequence[SizeClass] | None:
        """Count the lesions of a reference that has no mask beside it."""
        mask = read_reference(resolve_inside(self.root, reference.path or ""))
        nothing = LabelMap(
            array=np.zeros_like(mask.array),
            spacing_mm=mask.spacing_mm,
            geometry=mask.geometry,
            source=mask.source,
        )
        return _sizes(MaskPair(mask, nothing, known_labels=(_LABEL,)))

    def _by_size(
        self,
        item: Item,
        response: Response,
        sizes: Sequence[SizeClass] | None,
        lost: Outcome | None,
    ) -> Iterator[Score]:
        """Write how many lesions of each size there are and were found, by what is known."""
        for place, title in enumerate(SIZES):
            n, k = (None, None) if sizes is None else (sizes[place].lesions, sizes[place].found)
            for spec, count in ((SIZE_LESIONS, n), (SIZE_LESIONS_FOUND, k)):
                outcome = undefined(_NO_LESION) if lost is None else lost
                if count is not None and (lost is None or spec is SIZE_LESIONS):
                    outcome = Outcome(value=float(count), status=Status.OK, reason=None)
                yield mask_row(
                    item, response, outcome, spec=spec, profile=self.profile, target=title
                )

    def _added(
        self,
        item: Item,
        response: Response,
        outcome: Outcome,
        has_lesion: bool,
        has_no_lesion: bool,
    ) -> Iterator[Score]:
        """Write the added rows of a case without a mask: what the reference rules out is said."""
        for spec in _ADDED:
            row = mask_row(item, response, outcome, spec=spec, profile=self.profile)
            if has_no_lesion and spec in _OF_LESIONS:
                row = _without_lesion(row)
            elif has_lesion and spec is CLEAN_NEGATIVE:
                row = replace(row, status=Status.UNDEFINED, reason=spec.undefined)
            yield from _by_label(row)


def _by_label(row: Score) -> Iterator[Score]:
    """Give counts of lesions for the label, too: pooled shares are made label by label."""
    if row.metric == LESIONS_RIGHT.name:
        yield replace(row, target=LESION)
    yield row


def _without_lesion(row: Score) -> Score:
    """Leave a metric of lesions without a value where there is none, whatever was predicted."""
    return replace(row, value=None, status=Status.UNDEFINED, reason=_NO_LESION)


def _careful(pair: MaskPair) -> Mapping[MetricSpec, float | None]:
    table = pair.lesions(_LABEL, _CONNECTIVITY)
    overlap = pair.overlap(_LABEL)
    touching = match_lesions(table, "any overlap")
    drawn = match_lesions(table, ("iou", 0.5))
    voxel_ml = pair.voxel_ml
    outside = overlap.prediction_voxels - overlap.overlap_voxels
    uncovered = overlap.reference_voxels - overlap.overlap_voxels
    return {
        LESIONS_RIGHT: float(touching.right),
        LESION_F1: f_beta(touching),
        PANOPTIC_QUALITY: panoptic_quality(drawn).quality,
        CLEAN_NEGATIVE: clean_negative(overlap),
        OUTSIDE_ML: None if voxel_ml is None else outside * voxel_ml,
        UNCOVERED_ML: None
        if voxel_ml is None or not overlap.reference_voxels
        else uncovered * voxel_ml,
    }


def _sizes(pair: MaskPair) -> Sequence[SizeClass] | None:
    if pair.reference.voxel_ml is None:
        return None
    table = pair.lesions(_LABEL, _CONNECTIVITY)
    return detection_by_size(
        table,
        match_lesions(table, "any overlap"),
        spacing_mm=pair.reference.spacing_mm or (),
        edges_ml=EDGES_ML,
    )


def _fate(pair: MaskPair) -> str:
    """Tell what became of the case; any number other than 0 is a lesion to the script."""
    one, other = (bool(each.any()) for each in pair.cropped)
    return {
        (True, True): "both present",
        (True, False): "missed",
        (False, True): "invented",
        (False, False): "both empty",
    }[one, other]


def _values(found: AutoPetScores) -> tuple[float | None, float | None, float | None]:
    return found.dice, found.fpv_ml, found.fnv_ml


def _pixdim(mask: LabelMap) -> Sequence[float]:
    """Give the voxel size as the script reads it: from ``pixdim`` of the header, not the affine.

    The script reads NIfTI alone; of a MetaImage the spacing is taken.
    """
    if not mask.source.endswith((".nii", ".nii.gz")):
        return mask.spacing_mm or (0.0, 0.0, 0.0)
    import nibabel

    header = cast("Any", nibabel.load(mask.source)).header
    return tuple(float(each) for each in header["pixdim"][1:4])


def _lost(status: Status, reason: str | None) -> Outcome:
    return Outcome(value=None, status=status, reason=reason)


class _Lost(Exception):
    """A mask that is not there, or is another one by now."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


def _answered(response: Response) -> Path:
    if response.status is not Status.OK:
        raise _Lost(_lost(response.status, response.reason or "no mask"))
    try:
        return predicted_file(response)
    except PredictionMaskError as error:
        status = Status.UNPARSED if response.path is None else Status.FAILED
        reason = reason_of(error, Path(response.path or "."))
        raise _Lost(_lost(status, reason)) from error
