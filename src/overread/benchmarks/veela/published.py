"""The published scorer: a submission counts as a whole, as the released evaluation has it.

Rows of one case cannot be written without a look at all of them: one missing file rejects them all,
and one NaN is the mean of all. So it is a `contracts.BatchScorer`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from overread.benchmarks.veela.evaluator import (
    METRICS,
    CasePair,
    ReleasedValue,
    TaskEvaluation,
    evaluate_task,
)
from overread.benchmarks.veela.layout import TASK_LABELS, Task
from overread.errors import UnsafePathError
from overread.imaging.safe_path import resolve_inside
from overread.metrics.overlap import IOU, Fate
from overread.metrics.skeleton import CENTRELINE_DICE, THINNING
from overread.metrics.spec import MetricSpec
from overread.metrics.surface import nsd_spec
from overread.records import Item, Mask, Profile, Reference, Response, Score, Status
from overread.scoring.masks.pair import PredictionMaskError
from overread.scoring.masks.rows import mask_row, predicted_file, reason_of
from overread.scoring.rows import WHOLE_REJECTED, Outcome, check_records, undefined

__all__ = ["ReleasedScorer"]

_SPECS: Final[Mapping[str, MetricSpec]] = {
    name: replace(spec, version=f"veela-d511fdd+{THINNING}")
    for name, spec in zip(METRICS, (CENTRELINE_DICE, IOU, nsd_spec(1.0)), strict=True)
}

Row = tuple[Item, Reference, Response]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedScorer:
    """Scores all masks of a run as one submission.

    Rows stand for each class, and for the case the mean over its classes, which the released table
    does not have. A rejected task has FAILED rows with the evaluator's code as the reason. Where
    one case is NaN, so is the mean: no row of this metric and class then has a value, and each says
    its own in the reason.
    """

    root: Path
    """The release's folder."""
    n_cases: int
    """How many masks a submission must have for each task."""

    @property
    def metric(self) -> str:
        """The headline metric."""
        return CENTRELINE_DICE.name

    @property
    def profile(self) -> Profile:
        """Published."""
        return "published"

    def score(self, item: Item, reference: Reference, response: Response) -> Iterator[Score]:
        """Score one mask as if its submission held no other and needed none.

        Raises
        ------
        UsageError
            The records do not belong together, or the item asks for no mask.
        """
        row = (item, reference, response)
        outcome = self._unusable(row)
        if outcome is not None:
            yield from _same(row, outcome)
        else:
            yield from self._rows(_task(item), [row], [row], n_cases=1)

    def score_all(self, rows: Sequence[Row]) -> Iterator[Score]:
        """Score all masks of a run: each task, and each repetition, is a submission."""
        submissions: dict[tuple[Task, int], None] = dict.fromkeys(
            (_task(item), response.draw) for item, _, response in rows
        )
        for task, draw in submissions:
            blamed: list[Row] = []
            handed_in: list[Row] = []
            for row in rows:
                if (_task(row[0]), row[2].draw) != (task, draw):
                    continue
                outcome = self._unusable(row)
                if outcome is not None and outcome.status is Status.UNDEFINED:
                    yield from _same(row, outcome)  # nothing that the submission is to blame for
                    continue
                blamed.append(row)
                if outcome is None:
                    handed_in.append(row)
            yield from self._rows(task, blamed, handed_in, n_cases=self.n_cases)

    def _unusable(self, row: Row) -> Outcome | None:
        """Say what keeps a case from being read at all; None where nothing does."""
        item, reference, response = row
        check_records(item, reference, response, space=Mask)
        if reference.problem is not None or reference.path is None:
            return undefined(reference.problem or "the release has no reference mask")
        if response.status is not Status.OK:
            return Outcome(value=None, status=response.status, reason=response.reason or "no mask")
        try:
            resolve_inside(self.root, reference.path)
            predicted_file(response)
        except UnsafePathError as error:
            return undefined(str(error))
        except PredictionMaskError as error:
            status = Status.UNPARSED if response.path is None else Status.FAILED
            reason = reason_of(error, Path(response.path or "."))
            return Outcome(value=None, status=status, reason=reason)
        return None

    def _rows(
        self, task: Task, rows: Sequence[Row], handed_in: Sequence[Row], *, n_cases: int
    ) -> Iterator[Score]:
        pairs = {
            item.id: CasePair(
                prediction=Path(response.path or ""),
                reference=resolve_inside(self.root, reference.path or ""),
            )
            for item, reference, response in handed_in
        }
        evaluation = evaluate_task(task, pairs, n_cases=n_cases)
        for row in rows:
            yield from _case_rows(row, evaluation)


def _case_rows(row: Row, evaluation: TaskEvaluation) -> Iterator[Score]:
    item, _, response = row
    if evaluation.rejection is not None:
        reason = WHOLE_REJECTED + evaluation.rejection
        yield from _same(row, Outcome(value=None, status=Status.FAILED, reason=reason))
        return
    targets = evaluation.cases[item.id]
    for metric, spec in _SPECS.items():
        outcomes = {
            target: _outcome(values[metric], evaluation.average(target, metric))
            for target, values in targets.items()
        }
        for target, outcome in outcomes.items():
            yield mask_row(item, response, outcome, spec=spec, profile="published", target=target)
        yield mask_row(item, response, _mean(outcomes), spec=spec, profile="published")


def _outcome(found: ReleasedValue, average: ReleasedValue | None) -> Outcome:
    why = None
    if found.value is None:
        why = found.trouble or "NaN"
    elif average is not None and average.value is None:
        why = f"the mean is NaN ({average.trouble}); this case's own value is {found.value:.6f}"
    if why is not None:
        return replace(undefined(why), answer=found.fate)
    return Outcome(value=found.value, status=Status.OK, reason=None, answer=found.fate)


def _mean(outcomes: Mapping[str, Outcome]) -> Outcome:
    """Average over classes where all have a value; the fate is that of all of them together."""
    fates = {each.answer for each in outcomes.values()}
    fate = fates.pop() if len(fates) == 1 else _joint(fates)
    without = next((each for each in outcomes.values() if each.value is None), None)
    if without is not None:
        return replace(without, answer=fate)
    total = sum(each.value for each in outcomes.values() if each.value is not None)
    return Outcome(value=total / len(outcomes), status=Status.OK, reason=None, answer=fate)


def _joint(fates: Collection[str | None]) -> Fate:
    """Tell what became of classes of several fates together: whether either side has any."""
    if "both present" in fates or {"missed", "invented"} <= set(fates):
        return "both present"
    return "missed" if "missed" in fates else "invented"


def _same(row: Row, outcome: Outcome) -> Iterator[Score]:
    """Write one outcome for every metric of every class and of the case."""
    item, _, response = row
    for spec in _SPECS.values():
        for target in (*TASK_LABELS[_task(item)].values(), None):
            yield mask_row(item, response, outcome, spec=spec, profile="published", target=target)


def _task(item: Item) -> Task:
    return "Task02" if item.task == "Task02" else "Task01"
