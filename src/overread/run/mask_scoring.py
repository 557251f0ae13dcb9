"""Scores two files or two folders of masks that belong to no benchmark: `overread score-masks`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from overread.analysis.mask_results import MaskCase, MaskGeometry, MaskResults, mask_results
from overread.errors import ImageError, UsageError, expected, listed
from overread.imaging.label_map import LabelMap, mask_suffix, read_label_map
from overread.metrics.overlap import REFERENCE_VOXELS
from overread.records import Finding, Item, Mask, Reference, Response, Score, Severity, Status
from overread.run.asking import Progress
from overread.run.case_scoring import WORKERS, score_cases
from overread.run.case_worker import Case
from overread.run.mask_folder_findings import grid_findings, label_findings, some_cases
from overread.run.mask_folders import FolderCase, FolderCases, find_cases, find_images
from overread.run.mask_images import image_findings
from overread.scoring.masks.case_report import CaseReport, take_reports
from overread.scoring.masks.folder_scorer import FolderScorer
from overread.scoring.masks.measures import COUNTED, MaskMeasures
from overread.scoring.masks.rows import EMPTY_REFERENCE, is_of_reference
from overread.scoring.masks.structures import in_order, read_structures, structure_files

__all__ = ["MaskTask", "mask_reader", "score_mask_folders"]

_RUN: Final = "score-masks"
_SHOWN: Final = 3


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
    measures: MaskMeasures
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
    _check_spacing(task, found)
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
        findings=[
            *found.findings,
            *grid_findings(found.cases, reports),
            *label_findings(found.cases, reports, task.labels),
            *image_findings(found.cases, images),
        ],
        only_reference=only_reference,
        only_prediction=only_prediction,
    )
    return replace(results, findings=(*results.findings, *_failures(results, reports)))


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


def _check_spacing(task: MaskTask, found: FolderCases) -> None:
    """Refuse a spacing of another number of axes before anything is scored."""
    for case in found.cases if task.spacing_mm is not None else ():
        for side in (case.reference, case.prediction):
            n_axes = None if side is None else _n_axes(side)
            if n_axes not in (None, len(task.spacing_mm or ())):
                raise UsageError(
                    expected(
                        "--spacing",
                        rule=f"{n_axes} numbers of mm for {side.name if side else ''}",
                        got=len(task.spacing_mm or ()),
                        remedy="Give one for each axis: X,Y,Z for volumes, X,Y for pictures.",
                    )
                )


def _n_axes(side: Path) -> int | None:
    """Tell pictures from volumes by the name; None of a folder without masks."""
    if side.is_dir():
        try:
            side = next(iter(structure_files(side).values()))
        except ImageError:
            return None  # told of when it is scored
    return 2 if mask_suffix(side.name) == ".png" else 3


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
    """Give each scored label its number: as named, its own, or by the alphabet."""
    targets = list(dict.fromkeys(score.target for score in scores if score.target is not None))
    if task.labels is not None:
        return {number: name for number, name in task.labels.items() if name in {*targets}}
    if all(target.isdecimal() for target in targets):
        return {number: str(number) for number in sorted(int(target) for target in targets)}
    return dict(enumerate(in_order(targets), start=1))


def _absent(scores: Sequence[Score], names: Collection[str]) -> Iterator[Score]:
    """Write the rows of labels that a case has on neither side, while other cases have them."""
    kinds: dict[str, Score] = {}
    by_case: dict[str, list[Score]] = {}
    for score in scores:
        by_case.setdefault(score.item, []).append(score)
        if score.target is not None:
            kinds.setdefault(score.metric, score)
    for case, own in by_case.items():
        whole = {score.metric: score for score in own if score.target is None}
        held = {score.target for score in own}
        # What the reference has is known without a prediction, and so is what it lacks.
        known = whole.get(REFERENCE_VOXELS.name)
        is_known = known is not None and known.value is not None
        for name in names:
            if name not in held:
                for kind in kinds.values():
                    row = replace(kind, item=case, target=name)
                    yield _without_label(row, whole.get(kind.metric), is_known=is_known)


def _without_label(row: Score, whole: Score | None, *, is_known: bool) -> Score:
    """Turn a row into that of a label which the case does not have, by the case's own row."""
    if whole is None or whole.answer is not None:
        row = replace(row, answer="both empty", status=Status.UNDEFINED, reason="both empty")
    elif is_known and is_of_reference(row.metric):
        row = replace(row, answer=None, status=Status.UNDEFINED, reason=EMPTY_REFERENCE)
    else:
        row = replace(row, answer=None, status=whole.status, reason=whole.reason)
    is_zero = row.metric in COUNTED and (whole is None or whole.value is not None)
    if is_zero:
        return replace(row, value=0.0, status=Status.OK, reason=None)
    return replace(
        row, value=None, status=Status.UNDEFINED if row.status is Status.OK else row.status
    )


def _one_sided(reports: Mapping[str, CaseReport]) -> tuple[list[str], list[str]]:
    """Name the labels that only references, and only predictions have, over all cases."""
    sides = [
        dict.fromkeys(name for each in reports.values() for name in side(each))
        for side in (lambda each: each.reference_labels, lambda each: each.prediction_labels)
    ]
    first, second = sides
    return [name for name in first if name not in second], [n for n in second if n not in first]


def _result_case(
    case: FolderCase, report: CaseReport | None, images: Mapping[str, Path]
) -> MaskCase:
    geometry = None
    if report is not None and (report.problems or report.advice):
        geometry = MaskGeometry(
            problems=report.problems,
            better_turn=report.advice or None,
            remedy=report.remedy or None,
        )
    return MaskCase(
        id=case.id,
        reference=case.reference,
        prediction=case.prediction,
        image=images.get(case.id),
        geometry=geometry,
    )


def _failures(results: MaskResults, reports: Mapping[str, CaseReport]) -> Iterator[Finding]:
    """Report the cases without a score, by kind; a wrong grid has been told of already."""
    kinds: dict[str, list[MaskCase]] = {}
    for case in results.cases:
        status = _status(case, results)
        report = reports.get(case.id, CaseReport())
        if status is Status.UNDEFINED:
            kinds.setdefault("unusable-reference", []).append(case)
        elif status is Status.UNPARSED and not (report.problems and not report.remedy):
            kinds.setdefault("unusable-mask", []).append(case)
        elif status is Status.FAILED:
            code = "missing-mask" if case.prediction is None else "broken-case"
            kinds.setdefault(code, []).append(case)
    for code, cases in kinds.items():
        yield Finding(
            severity=Severity.ERROR,
            code=code,
            where=some_cases([case.id for case in cases]),
            evidence=_reasons(cases, results),
            effect=_UNDEFINED if code == "unusable-reference" else _FAILED,
            count=len(cases),
        )


_FAILED: Final = (
    "no score: in no mean of those compared, and the worst under 'ref. present' in the ledger"
)
_UNDEFINED: Final = "nothing can be scored on it, and it counts nowhere"


def _status(case: MaskCase, results: MaskResults) -> Status:
    """Tell what became of a case: undefined where its reference cannot be used."""
    if case.status is not Status.OK:
        return case.status
    rows = [row for row in results.rows if row.case == case.id and row.label is None]
    return Status.UNDEFINED if rows and all(row.fate is None for row in rows) else Status.OK


def _reasons(cases: Sequence[MaskCase], results: MaskResults) -> str:
    """Give the one reason that all cases share, or each case's own."""
    reasons = {case.id: _reason(case, results) for case in cases}
    if len(set(reasons.values())) == 1:
        return next(iter(reasons.values()))
    told = [f"{case}: {reason}" for case, reason in reasons.items()]
    return listed(told, most=_SHOWN, between="; ")


def _reason(case: MaskCase, results: MaskResults) -> str:
    rows = [row for row in results.rows if row.case == case.id and row.label is None]
    found = [reason for row in rows for reason in row.reasons.values()]
    return case.reason or (found[0] if found else "")
