"""Scores two files or two folders of masks that belong to no benchmark: `overread score-masks`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from overread.analysis.mask_results import MaskCase, MaskGeometry, MaskResults, mask_results
from overread.errors import UsageError, expected
from overread.imaging.label_map import LabelMap, read_label_map
from overread.metrics.overlap import PREDICTION_ML, PREDICTION_VOXELS, REFERENCE_ML
from overread.metrics.overlap import OVERLAP_VOXELS, REFERENCE_VOXELS
from overread.records import Finding, Item, Mask, Reference, Response, Score, Severity, Status
from overread.run.asking import Progress
from overread.run.case_scoring import WORKERS, score_cases
from overread.run.case_worker import Case
from overread.run.mask_folders import FolderCase, FolderCases, find_cases, find_images
from overread.scoring.masks.case_report import CaseReport, take_reports
from overread.scoring.masks.folder_scorer import FolderScorer
from overread.scoring.masks.measures import MaskMeasures
from overread.scoring.masks.structures import read_structures

__all__ = ["MaskTask", "mask_reader", "score_mask_folders"]

_RUN: Final = "score-masks"
_SHOWN: Final = 3
_COUNTS: Final = {
    spec.name
    for spec in (REFERENCE_VOXELS, PREDICTION_VOXELS, OVERLAP_VOXELS, REFERENCE_ML, PREDICTION_ML)
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskTask:
    """What is to be compared, and how."""

    reference: Path
    prediction: Path
    labels: Mapping[int, str] | None = None
    """None takes every label that is found."""
    image: Path | None = None
    """The scan behind the masks, or a folder of scans: for pictures only."""
    pattern: str | None = None
    structures: bool = False
    spacing_mm: tuple[float, ...] | None = None
    on_mismatch: Literal["refuse", "nearest"] = "refuse"
    measures: MaskMeasures = MaskMeasures()
    workers: int = WORKERS


def score_mask_folders(
    task: MaskTask, *, command: str, created: str, on_progress: Callable[[Progress], None]
) -> MaskResults:
    """Find the cases, look at their grids, measure them, and gather everything.

    A case without a prediction stays in the denominator as failed. A label that one case has and
    another lacks on both sides counts there as ``both empty``.

    Raises
    ------
    UsageError
        There is nothing to compare, or a folder of structures stands against a label map whose
        labels have no names.
    """
    found = find_cases(
        task.reference, task.prediction, pattern=task.pattern, structures=task.structures
    )
    _check_names(task, found)
    images = {} if task.image is None else find_images(task.image, [c.id for c in found.cases])
    scorer = FolderScorer(
        labels=task.labels,
        measures=task.measures,
        spacing_mm=task.spacing_mm,
        on_mismatch=task.on_mismatch,
    )
    rows: list[Score] = []
    for scored in score_cases(
        [_case(each) for each in found.cases],
        [scorer],
        workers=0 if len(found.cases) == 1 else task.workers,
        on_progress=on_progress,
    ):
        rows += scored.rows
    scores, reports = take_reports(rows)
    labels = _labels(task, scores)
    scores = [*scores, *_absent(scores, labels.values())]
    only_reference, only_prediction = _one_sided(reports)
    results = mask_results(
        scores,
        title="Masks compared",
        subject=f"{task.prediction.name} against {task.reference.name}",
        created=created,
        command=command,
        labels=labels,
        cases=[_result_case(each, reports.get(each.id), images) for each in found.cases],
        findings=[*found.findings, *_findings(found.cases, reports)],
        only_reference=only_reference,
        only_prediction=only_prediction,
    )
    return replace(results, findings=(*results.findings, *_failures(results)))


def mask_reader(labels: Mapping[int, str]) -> Callable[[Path], LabelMap]:
    """Make what reads a side of a case for pictures: a label map, or a folder put together."""

    def read(path: Path) -> LabelMap:
        return read_structures(path, labels) if path.is_dir() else read_label_map(path)

    return read


def _check_names(task: MaskTask, found: FolderCases) -> None:
    """Refuse to guess which label of a map a structure of a folder is."""
    if task.labels is not None:
        return
    for case in found.cases:
        sides = [side for side in (case.reference, case.prediction) if side is not None]
        if len({side.is_dir() for side in sides}) == 2:
            raise UsageError(
                expected(
                    "--labels",
                    rule="the name of each label, since a folder with a file a structure stands "
                    "against a label map",
                    got="none",
                    remedy="Name them: --labels 1=liver,2=spleen, or a JSON or TOML file.",
                )
            )


def _case(case: FolderCase) -> Case:
    status = Status.OK if case.prediction is not None else Status.FAILED
    problem = case.problem if case.reference is None else None
    return Case(
        item=Item(
            id=case.id,
            benchmark=_RUN,
            task="masks",
            condition="given",
            question="Where is each label?",
            answer_space=Mask(labels={}),
        ),
        reference=Reference(
            item=case.id,
            answer=None,
            path=None if case.reference is None else str(case.reference),
            problem=problem,
        ),
        response=Response(
            run=_RUN,
            item=case.id,
            status=status,
            path=None if case.prediction is None else str(case.prediction),
            reason=case.problem,
            request_hash="",
        ),
        takers=(0,),
    )


def _labels(task: MaskTask, scores: Sequence[Score]) -> dict[int, str]:
    """Number the labels that were scored: as named, by their own numbers, or by the alphabet."""
    targets = list(dict.fromkeys(score.target for score in scores if score.target is not None))
    if task.labels is not None:
        return {number: name for number, name in task.labels.items() if name in {*targets}}
    if all(target.isdecimal() for target in targets):
        return {number: str(number) for number in sorted(int(target) for target in targets)}
    return dict(enumerate(sorted(targets), start=1))


def _absent(scores: Sequence[Score], names: Sequence[str] | object) -> list[Score]:
    """Write the rows of labels that a case lacks on both sides, while other cases have them."""
    by_case: dict[str, list[Score]] = {}
    for score in scores:
        by_case.setdefault(score.item, []).append(score)
    kinds: dict[str, Score] = {}
    for score in scores:
        if score.target is not None:
            kinds.setdefault(score.metric, score)
    rows: list[Score] = []
    wanted = [name for name in names if isinstance(name, str)] if isinstance(names, Iterable) else []
    for case, own in by_case.items():
        whole = next(score for score in own if score.target is None)
        held = {score.target for score in own}
        for name in wanted:
            if name not in held:
                rows += [_empty(kind, case, name, whole) for kind in kinds.values()]
    return rows
