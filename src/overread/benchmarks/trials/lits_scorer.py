"""Scores a mask of the segmentation task lesion by lesion: as released, and as it was meant.

Rows are counts and sums of a case, so that numbers of all cases together are ratios of them
(`protocol.PLAN`). What the honest profile adds: every lesion counts, not only those found, and each
has a row of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from overread.benchmarks.trials.measures import (
    SIZES,
    CaseMeasures,
    LesionRow,
    case_row,
    lesion_rows,
    measure_case,
    size_class,
)
from overread.benchmarks.trials.opening import (
    LABEL,
    UnusableError,
    header_spacing_mm,
    lesions_as_released,
    open_case,
    open_reference,
    row,
)
from overread.metrics.lits import lits_table
from overread.metrics.lits_outlines import NO_DISTANCE
from overread.metrics.lits_specs import LITS_VERSION
from overread.records import Item, Mask, Profile, Reference, Response, Score, Status
from overread.scoring.masks.pair import MaskPair
from overread.scoring.rows import Outcome, check_records

__all__ = ["SCORED", "LitsScorer"]

SCORED: Final = ("dice", "jaccard", "voe", "rvd", "assd_mm", "rmsd_mm", "msd_mm")
"""Of found lesions, as released."""
_HONEST_SCORED: Final = ("dice", "jaccard", "voe", "ravd", "assd_mm", "rmsd_mm", "msd_mm")
_COUNTS: Final = tuple(
    f"lits_{what}{rule}" for rule in ("", "_any") for what in ("found", "invented", "missed")
)
_CASE_RATES: Final = (
    "lits_case_precision",
    "lits_case_recall",
    "lits_case_precision_any",
    "lits_case_recall_any",
)
_VOXELS: Final = ("reference_voxels", "prediction_voxels", "overlap_voxels")
_OTHER_SIZE: Final = "of another size than the reference: the released code breaks off here"


@dataclass(frozen=True, slots=True, kw_only=True)
class LitsScorer:
    """Scores one mask by LiTS matching: a `contracts.CaseScorer` of the segmentation task.

    `published` looks at nothing but the size of the two masks, whatever their headers say, takes
    the spacing from the reference's header and matches lesions with the released fault. `honest`
    refuses a mask on another grid, matches as meant, and knows of a missing mask which lesions it
    missed.
    """

    root: Path
    """The release's folder."""
    profile: Profile

    @property
    def metric(self) -> str:
        """The metric it is named after."""
        return "dice" if self.profile == "published" else "lits_found"

    def takes(self, item: Item) -> bool:
        """Say whether an item is of the segmentation task."""
        return item.task == "segmentation"

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
            if self.profile == "published":
                yield from self._published(item, response, pair)
            else:
                yield from self._honest(item, response, pair)
        except UnusableError as unusable:
            known = {} if unusable.is_reference else self._known(reference)
            yield from self._without(item, response, unusable.outcome, known)

    def failed(self, item: Item, response: Response, reason: str) -> Iterator[Score]:
        """Give the rows of a case whose scoring broke: nothing is read again."""
        outcome = Outcome(value=None, status=Status.FAILED, reason=reason)
        yield from self._without(item, response, outcome, {})

    # ------------------------------------------------------------ as released

    def _published(self, item: Item, response: Response, pair: MaskPair) -> Iterator[Score]:
        if pair.reference.array.shape != pair.prediction.array.shape:
            raise _unparsed(_OTHER_SIZE)
        spacing_mm = header_spacing_mm(pair.reference)
        if spacing_mm is None:
            raise _unparsed("no volume, or one without a voxel size: the released code breaks off")
        reference, prediction = lesions_as_released(pair)
        case = measure_case(reference, prediction, spacing_mm, mended=False)
        if case.is_beyond_released:
            raise _unparsed("more lesions than the released code can number: it breaks off here")
        fate = _fate(case)
        dice, *rates = case_row(case)
        values = {"dice": dice, **dict(zip(_CASE_RATES, rates, strict=True)), **_counts(case)}
        voxels = (case.reference_voxels, case.prediction_voxels, case.overlap_voxels)
        values |= dict(zip(_VOXELS, map(float, voxels), strict=True))
        values["lits_scored"] = float(len(case.scored))
        for name in SCORED:
            # A distance that has no value is 9001 mm there, and part of the mean.
            parts = [_part(one, name) for one in case.scored]
            values[f"lits_{name}_sum"] = sum(NO_DISTANCE if one is None else one for one in parts)
        yield from self._rows(item, response, values, fate)

    # ------------------------------------------------------------ as meant

    def _honest(self, item: Item, response: Response, pair: MaskPair) -> Iterator[Score]:
        if not pair.report.same:
            raise _unparsed("; ".join(pair.report.problems) + _advice(pair))
        reference, prediction = pair.masks(LABEL)
        spacing_mm = pair.spacing_mm
        case = measure_case(reference, prediction, spacing_mm, mended=True)
        fate = _fate(case)
        lesions = list(lesion_rows(case, spacing_mm=spacing_mm, voxel_ml=pair.voxel_ml))
        values: dict[str, float | None] = {**_counts(case)}
        values["lits_scored"] = float(len(case.scored))
        for name in _HONEST_SCORED:
            parts = [_part(one, name) for one in case.scored]
            known = [one for one in parts if one is not None]
            values[f"lits_{name}_sum"] = sum(known) if len(known) == len(parts) else None
        values["lits_lesions"] = float(len(lesions))
        values["lits_lesion_dice_sum"] = sum(one.joined.dice for one in lesions)
        values["lits_found_lesion_dice_sum"] = sum(
            one.joined.dice for one in lesions if one.is_found
        )
        yield from self._rows(item, response, values, fate)
        yield from self._by_size(item, response, lesions)
        for lesion in lesions:
            yield from self._lesion(item, response, lesion)

    def _by_size(self, item: Item, response: Response, lesions: list[LesionRow]) -> Iterator[Score]:
        sizes = [None if one.volume_ml is None else size_class(one.volume_ml) for one in lesions]
        for size in SIZES:
            there = [lesion for lesion, held in zip(lesions, sizes, strict=True) if held == size]
            found = sum(lesion.is_found for lesion in there)
            for name, value in (("lesions", len(there)), ("found", found)):
                outcome = Outcome(value=float(value), status=Status.OK, reason=None)
                yield self._row(item, response, f"lits_size_{name}", outcome, size)

    def _lesion(self, item: Item, response: Response, lesion: LesionRow) -> Iterator[Score]:
        distances = lesion.scores.distances
        values = {
            "lesion_ml": lesion.volume_ml,
            "lesion_found": float(lesion.is_found),
            "lesion_dice": lesion.joined.dice,
            "lesion_iou": lesion.joined.iou,
            "lesion_assd_mm": None if distances is None else distances.assd_mm,
            "lesion_msd_mm": None if distances is None else distances.msd_mm,
        }
        for name, value in values.items():
            why = "nothing was predicted for it" if not lesion.joined.predictions else _NO_SPACING
            yield self._row(
                item, response, name, _outcome(value, None, why), f"lesion {lesion.number}"
            )

    def _known(self, reference: Reference) -> dict[tuple[str, str | None], float]:
        """Give what is known of a case without a usable prediction: what there was to find."""
        if self.profile == "published":
            return {}
        try:
            labels = open_reference(self.root, reference)
        except UnusableError:
            return {}
        lesions = labels.array == LABEL
        sizes = lits_table(lesions, lesions).reference_voxels
        known: dict[tuple[str, str | None], float] = dict.fromkeys(
            (("lits_missed", None), ("lits_missed_any", None), ("lits_lesions", None)),
            float(sizes.size),
        )
        voxel_ml = labels.voxel_ml
        if voxel_ml is not None:
            classes = [size_class(int(size) * voxel_ml) for size in sizes]
            known |= {("lits_size_lesions", size): float(classes.count(size)) for size in SIZES}
        return known

    # ------------------------------------------------------------ rows

    def _names(self) -> Iterator[tuple[str, str | None]]:
        """List what a case has rows of, whatever becomes of it."""
        if self.profile == "published":
            names = ("dice", *_CASE_RATES, *_COUNTS, *_VOXELS, "lits_scored")
            yield from ((name, None) for name in (*names, *(f"lits_{one}_sum" for one in SCORED)))
            return
        sums = (f"lits_{one}_sum" for one in _HONEST_SCORED)
        more = ("lits_lesions", "lits_lesion_dice_sum", "lits_found_lesion_dice_sum")
        yield from ((name, None) for name in (*_COUNTS, "lits_scored", *sums, *more))
        yield from ((f"lits_size_{name}", size) for size in SIZES for name in ("lesions", "found"))

    def _without(
        self,
        item: Item,
        response: Response,
        outcome: Outcome,
        known: Mapping[tuple[str, str | None], float],
    ) -> Iterator[Score]:
        for name, target in self._names():
            value = known.get((name, target))
            stated = Outcome(value=value, status=Status.OK, reason=outcome.reason)
            yield self._row(item, response, name, outcome if value is None else stated, target)

    def _rows(
        self, item: Item, response: Response, values: Mapping[str, float | None], fate: str
    ) -> Iterator[Score]:
        for name, value in values.items():
            yield self._row(item, response, name, _outcome(value, fate, _NO_SPACING), None)

    def _row(
        self, item: Item, response: Response, name: str, outcome: Outcome, target: str | None
    ) -> Score:
        return row(
            item,
            response,
            outcome,
            metric=name,
            version=LITS_VERSION,
            unit=_unit(name),
            profile=self.profile,
            target=target,
        )


_NO_SPACING: Final = "no voxel size is stated"


def _counts(case: CaseMeasures) -> dict[str, float]:
    values: list[int] = []
    for match in (case.half, case.any):
        values += [match.n_found, match.n_invented, match.n_missed]
    return dict(zip(_COUNTS, map(float, values), strict=True))


def _part(one: object, name: str) -> float | None:
    held = getattr(one, "distances", None) if name.endswith("_mm") else one
    return getattr(held, name, None)


def _fate(case: CaseMeasures) -> str:
    if case.reference_voxels:
        return "both present" if case.prediction_voxels else "missed"
    return "invented" if case.prediction_voxels else "both empty"


def _outcome(value: float | None, fate: str | None, why: str) -> Outcome:
    if value is None:
        return Outcome(value=None, status=Status.UNDEFINED, reason=why, answer=fate)
    return Outcome(value=value, status=Status.OK, reason=None, answer=fate)


def _unparsed(reason: str) -> UnusableError:
    outcome = Outcome(value=None, status=Status.UNPARSED, reason=reason)
    return UnusableError(outcome, is_reference=False)


def _advice(pair: MaskPair) -> str:
    return f". {pair.report.advice}" if pair.report.advice else ""


def _unit(name: str) -> str:
    if name.endswith(("_mm", "_mm_sum")):
        return "mm"
    if name.endswith("_ml"):
        return "ml"
    if name.endswith("_voxels"):
        return "voxels"
    if name in _COUNTS or name in ("lits_scored", "lits_lesions") or name.startswith("lits_size"):
        return "lesions"
    return "share"
