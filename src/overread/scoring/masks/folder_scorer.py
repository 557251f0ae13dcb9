"""Scores two files or two folders that belong to no benchmark: labels are found, not declared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

import numpy as np

from overread.errors import ImageError
from overread.imaging.label_box import labels_of
from overread.imaging.label_map import LabelMap, read_label_map
from overread.imaging.label_resample import RESAMPLED
from overread.metrics.masks import GRID_DIAGONAL
from overread.metrics.overlap import DICE
from overread.metrics.spec import MetricSpec
from overread.records import Item, Profile, Reference, Response, Score, Status
from overread.scoring.masks.case_report import CaseReport, report_row
from overread.scoring.masks.measures import (
    MaskMeasures,
    MaskPart,
    Measured,
    measure_pair,
    measure_parts,
)
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
    reason_of,
    reference_measures,
    rows_without_prediction,
)
from overread.scoring.masks.structures import structure_files
from overread.scoring.rows import Outcome, undefined

__all__ = ["FolderScorer"]

_SHOWN: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderScorer:
    """Scores one case of two folders: a `contracts.CaseScorer`.

    `Reference.path` and `Response.path` are absolute and name a label map, or a folder with one
    mask file a structure. Beside the rows that `MaskScorer` gives there is one that carries what
    was seen of the case (`take_reports`).
    """

    labels: Mapping[int, str] | None
    """Label → its name; None takes every label that either side has, named by its number, and of
    folders every structure that the reference has a file of."""
    measures: MaskMeasures
    spacing_mm: tuple[float, ...] | None = None
    """Taken for true on both sides."""
    on_mismatch: Literal["refuse", "nearest"] = "refuse"
    profile: Profile = "honest"

    @property
    def metric(self) -> str:
        """The headline metric."""
        return DICE.name

    def score(self, item: Item, reference: Reference, response: Response) -> Iterator[Score]:
        """Score one case."""
        if reference.path is None or reference.problem is not None:
            yield from self._every(item, response, undefined(reference.problem or "no reference"))
            return
        there = Path(reference.path)
        try:
            if response.status is not Status.OK or response.path is None:
                outcome = Outcome(
                    value=None, status=response.status, reason=response.reason or "no mask"
                )
                yield from self._without(item, response, there, outcome)
                return
            here = Path(response.path)
            try:
                if there.is_dir() or here.is_dir():
                    yield from self._structures(item, response, there, here)
                else:
                    yield from self._maps(item, response, there, here)
            except PredictionMaskError as error:
                outcome = Outcome(value=None, status=Status.UNPARSED, reason=reason_of(error, here))
                yield from self._without(item, response, there, outcome)
        except ReferenceMaskError as error:
            yield from self._every(item, response, undefined(reason_of(error, there)))

    def failed(self, item: Item, response: Response, reason: str) -> Iterator[Score]:
        """Give the rows of a case whose scoring broke."""
        yield from self._every(
            item, response, Outcome(value=None, status=Status.FAILED, reason=reason)
        )

    def _maps(self, item: Item, response: Response, there: Path, here: Path) -> Iterator[Score]:
        pair = open_pair(there, here, None if self.labels is None else tuple(self.labels))
        report, remedy = pair.report, ""
        if not report.same and self.on_mismatch == "nearest":
            pair, remedy = pair.resampled(), RESAMPLED
        # Of a mask that headers turn back, only what they leave wrong is told.
        advice = pair.report.advice
        found = [labels_of(side.array) for side in (pair.reference, pair.prediction)]
        labels = self.labels
        if labels is None:
            labels = {label: str(label) for label in sorted({*found[0], *found[1]})}
        named = [tuple(labels.get(each, str(each)) for each in side) for side in found]
        yield report_row(
            item,
            response,
            CaseReport(
                problems=report.problems,
                advice=advice,
                notes=report.notes,
                renamed=() if advice else _renamed(pair),  # a turn alone may exchange neighbours
                remedy=remedy,
                reference_labels=named[0],
                prediction_labels=named[1],
            ),
        )
        pair.check()
        if self.spacing_mm is not None:
            pair = pair.spaced(self.spacing_mm)
        for each in measure_pair(pair, labels, self.measures):
            yield self._row(item, response, each)

    def _structures(
        self, item: Item, response: Response, there: Path, here: Path
    ) -> Iterator[Score]:
        reference = _Side(there, self.labels, ReferenceMaskError)
        prediction = _Side(here, self.labels, PredictionMaskError)
        names = reference.names
        if self.labels is not None:
            names = tuple(name for name in self.labels.values() if name in {*names})
        if not names:
            raise ReferenceMaskError(f"{there.name} has none of the structures asked for")
        pairs = _Pairs(reference, prediction, self.spacing_mm, self.on_mismatch)
        rows = [
            self._row(item, response, each)
            for each in measure_parts(
                pairs.parts(names), self.measures, diagonal_mm=pairs.diagonal_mm(names[0])
            )
        ]
        absent = tuple(name for name in names if name not in {*prediction.names})
        notes = [*pairs.notes]
        if absent:
            shown = ", ".join(absent[:_SHOWN]) + (", …" if len(absent) > _SHOWN else "")
            notes.append(f"prediction: no file of {shown}: taken as empty")
        yield report_row(
            item,
            response,
            CaseReport(
                problems=tuple(pairs.problems),
                notes=tuple(notes),
                remedy=RESAMPLED if pairs.problems else "",
                reference_labels=names,
                prediction_labels=prediction.names,
            ),
        )
        yield from rows

    # ------------------------------------------------------------ rows

    def _row(self, item: Item, response: Response, each: Measured) -> Score:
        return mask_row(
            item,
            response,
            each.outcome,
            spec=each.spec,
            profile=self.profile,
            target=each.target,
        )

    def _without(
        self, item: Item, response: Response, there: Path, outcome: Outcome
    ) -> Iterator[Score]:
        """Give the rows of a case without a usable prediction."""
        known: list[Measured] = []
        if there.is_dir():
            side = _Side(there, self.labels, ReferenceMaskError)
            names = side.names
            diagonals: list[Measured] = []
            for name in names:
                mask = side.mask(name)
                if self.spacing_mm is not None:
                    mask = mask.spaced(self.spacing_mm)
                alone = tuple(reference_measures(mask, {1: name}, self.measures))
                known += [each for each in alone if each.target is not None]
                diagonals += [each for each in alone if each.spec == GRID_DIAGONAL]
            known += [*_summed(known), *diagonals[:1]]
        else:
            reference = read_reference(there)
            if self.spacing_mm is not None:
                reference = reference.spaced(self.spacing_mm)
            labels = self.labels
            if labels is None:
                labels = {label: str(label) for label in labels_of(reference.array)}
            names = tuple(labels.values())
            known += reference_measures(reference, labels, self.measures)
        yield from rows_without_prediction(
            item,
            response,
            outcome,
            known,
            specs=self.measures.specs(),
            targets=names,
            profile=self.profile,
        )

    def _every(self, item: Item, response: Response, outcome: Outcome) -> Iterator[Score]:
        """Give one outcome for every metric of every label that was named, and of the case."""
        yield from all_rows(
            item,
            response,
            outcome,
            specs=self.measures.specs(),
            targets=() if self.labels is None else self.labels.values(),
            profile=self.profile,
        )


def _renamed(pair: MaskPair) -> tuple[str, ...]:
    """Say which labels are one structure under two numbers, where both lie on one grid."""
    if not pair.report.same:
        return ()
    return tuple(each.words for each in renamed_labels(pair))


def _summed(known: Iterable[Measured]) -> list[Measured]:
    """Sum what is known of each structure for the case."""
    totals: dict[MetricSpec, float] = {}
    for each in known:
        totals[each.spec] = totals.get(each.spec, 0.0) + (each.outcome.value or 0.0)
    return [
        Measured(
            spec=spec,
            target=None,
            outcome=Outcome(value=total, status=Status.OK, reason=None),
        )
        for spec, total in totals.items()
    ]


class _Side:
    """One side of a case: a folder with a file a structure, or a label map of named labels."""

    def __init__(
        self,
        path: Path,
        labels: Mapping[int, str] | None,
        trouble: type[ReferenceMaskError] | type[PredictionMaskError],
    ) -> None:
        self._trouble = trouble
        self._files: dict[str, Path] = {}
        self._map: LabelMap | None = None
        self._numbers = {} if labels is None else {name: number for number, name in labels.items()}
        try:
            if path.is_dir():
                self._files = structure_files(path)
            else:
                self._map = read_label_map(path)
        except ImageError as error:
            raise trouble(str(error)) from error

    @property
    def names(self) -> tuple[str, ...]:
        """The structures that it can have."""
        return tuple(self._files) if self._map is None else tuple(self._numbers)

    def mask(self, name: str) -> LabelMap:
        """Read one structure, as label 1; KeyError where there is no file of it."""
        if self._map is not None:
            return self._map.only(self._numbers[name])
        try:
            found = read_label_map(self._files[name])
        except ImageError as error:
            raise self._trouble(str(error)) from error
        return replace(found, array=(found.array > 0).view(np.uint8))


class _Pairs:
    """The structures of a case as pairs of masks, one after the other."""

    def __init__(
        self,
        reference: _Side,
        prediction: _Side,
        spacing_mm: tuple[float, ...] | None,
        on_mismatch: Literal["refuse", "nearest"],
    ) -> None:
        self._reference = reference
        self._prediction = prediction
        self._spacing_mm = spacing_mm
        self._on_mismatch = on_mismatch
        self.problems: list[str] = []
        """How grids differed, each once."""
        self.notes: list[str] = []
        """What is odd about files, each once."""

    def parts(self, names: Iterable[str]) -> Iterator[MaskPart]:
        """Open structure after structure; what differs of their grids is gathered on the way."""
        for name in names:
            reference = self._reference.mask(name)
            if name in self._prediction.names:
                prediction = self._prediction.mask(name)
            else:
                prediction = replace(reference, array=np.zeros_like(reference.array), warnings=())
            pair = MaskPair(reference, prediction)
            self._gather(self.notes, pair.report.notes)
            if not pair.report.same and self._on_mismatch == "nearest":
                self._gather(self.problems, pair.report.problems)
                pair = pair.resampled()
            pair.check()
            yield MaskPart(
                name=name,
                pair=pair if self._spacing_mm is None else pair.spaced(self._spacing_mm),
                label=1,
            )

    def diagonal_mm(self, name: str) -> float | None:
        """Give the diagonal of the grid, as the reference of one structure has it."""
        found = self._reference.mask(name)
        return (found if self._spacing_mm is None else found.spaced(self._spacing_mm)).diagonal_mm

    @staticmethod
    def _gather(kept: list[str], found: Iterable[str]) -> None:
        kept += [each for each in found if each not in kept]
