"""The columns made of votes: each judge, the jury, and how far judges agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.audits.joined import Joined
from overread.audits.reproduce.cells import Draft
from overread.audits.reproduce.samples import MeanSample, Sample, SumsSample
from overread.audits.shipped import GradedModel, JudgeFile, models_of
from overread.audits.wording import counted
from overread.contracts.replay import Replay
from overread.stats.cluster_wilson import DIFFERENCE
from overread.stats.rater_agreement import cohen_kappa

__all__ = [
    "FROM_MATRIX",
    "JUDGE_TITLES",
    "judge_title",
    "jury_by_row",
    "jury_verdicts",
    "told_by_matrix",
    "vote_cells",
]

JUDGE_TITLES: Final[Mapping[str, str]] = {"gemini": "Gemini", "gpt": "GPT", "qwen": "Qwen"}
# A file may be absent or damaged: the audit "parts" says which.
_NO_FILE: Final = "no readable votes"
FROM_MATRIX: Final = "no readable votes: from the matrix"
"""Fault of a cell that rests on released means alone."""
_FOUR: Final = 4


def judge_title(judge: str) -> str:
    """Give a judge's name as tables spell it."""
    return JUDGE_TITLES.get(judge, judge)


def vote_cells(replay: Replay, joined: Joined) -> Iterator[Draft]:
    """Recompute the columns of votes, column by column, the jury first: it is the headline.

    Parameters
    ----------
    replay
        What the release ships.
    joined
        The same, joined with its questions.
    """
    judges, graded = joined.judges, joined.graded
    models = models_of(replay)
    n = len(replay.questions)
    for model, title in models:
        if joined.has_all_votes(model):
            yield _jury_cell(graded[model], n)
        else:
            yield _matrix_cell(replay, model, title)
    for judge in judges:
        for model, title in models:
            yield _judge_cell(judge, model, title, graded.get(model), n)
    for first, second in combinations(judges, 2):
        for model, _ in models:
            if model in graded:
                yield from _kappa_cell(graded[model], first, second)


def jury_verdicts(graded: GradedModel) -> dict[int, bool]:
    """Give the jury's verdict by question: yes when more than half of all judges say yes.

    Questions without a record of every judge have none. A record without a verdict is no yes.
    """
    votes = [one.by_question for one in graded.judges]
    shared = set.intersection(*(set(one) for one in votes))
    return {
        place: 2 * sum(one[place] is True for one in votes) > len(votes) for place in sorted(shared)
    }


def jury_by_row(graded: GradedModel) -> tuple[int, int]:
    """Give (rows with more than half of all votes yes, rows) of a join by row number."""
    rows = list(zip(*(one.verdicts for one in graded.judges), strict=False))
    n_yes = sum(2 * sum(vote is True for vote in row) > len(row) for row in rows)
    return n_yes, len(rows)


def told_by_matrix(judges: Iterable[JudgeFile]) -> list[str]:
    """Name the judges whose votes are no file's but follow from the matrix: a fault, or none."""
    told = [judge_title(one.judge) for one in judges if one.file is None]
    return [f"votes of {' and '.join(told)} told by the matrix"] if told else []


def _judge_cell(judge: str, model: str, title: str, graded: GradedModel | None, n: int) -> Draft:
    file = _find(graded, judge)
    votes = [vote for vote in file.verdicts if vote is not None] if file else []
    by_question = {} if file is None else file.by_question
    faults: list[str] = []
    if file is None:
        faults.append(_NO_FILE)
    else:
        if file.file is None:
            faults.append("no readable file: votes told by the matrix, where a missing one is a no")
        for count, what in (
            (len(file.verdicts) - len(votes), ("record", "without a verdict left out")),
            (n - len(by_question), ("question", "without a record left out")),
            (len(file.verdicts) - len(by_question), ("record", "on no question counted")),
        ):
            if count > 0:
                faults.append(counted(count, *what))
    return Draft(
        model=model,
        title=title,
        metric="judge_accuracy",
        stratum=(("judge", judge),),
        column=judge_title(judge),
        unit="share",
        recomputed=sum(votes) / len(votes) if votes else None,
        n_recomputed=len(votes) if votes else None,
        sample=_mean({p: v for p, v in by_question.items() if v is not None}, n) if votes else None,
        faults=tuple(faults),
    )


def _jury_cell(graded: GradedModel, n: int) -> Draft:
    n_yes, n_rows = jury_by_row(graded)
    faults: list[str] = []
    if graded.is_slipped:
        faults.append(
            f"joined by row number: {graded.n_paired_wrongly} of {graded.n_rows} rows mix questions"
        )
    if n_rows < n:
        faults.append(counted(n - n_rows, "question") + " left out")
    faults += told_by_matrix(graded.judges)
    return Draft(
        model=graded.model,
        title=graded.title,
        metric="jury_accuracy",
        column="jury",
        unit="share",
        recomputed=n_yes / n_rows if n_rows else None,
        n_recomputed=n_rows or None,
        sample=_mean(jury_verdicts(graded), n),
        faults=tuple(faults),
    )


def _matrix_cell(replay: Replay, model: str, title: str) -> Draft:
    """Take the jury from the released matrix; whether that was joined well cannot be told."""
    cells = [replay.matrix.get(one.item, {}).get(model) for one in replay.questions]
    means = [mean for mean in cells if mean is not None]
    faults = [FROM_MATRIX if means else _NO_FILE]
    if means and len(means) < len(cells):
        faults.append(counted(len(cells) - len(means), "question") + " left out")
    return Draft(
        model=model,
        title=title,
        metric="jury_accuracy",
        column="jury",
        unit="share",
        recomputed=sum(mean > 0.5 for mean in means) / len(means) if means else None,
        n_recomputed=len(means) or None,
        sample=None,
        faults=tuple(faults),
    )


def _kappa_cell(graded: GradedModel, first: str, second: str) -> Iterator[Draft]:
    one, other = _find(graded, first), _find(graded, second)
    if one is None or other is None:
        return
    n_rows = min(len(one.verdicts), len(other.verdicts))
    by_row = cohen_kappa(one.verdicts[:n_rows], other.verdicts[:n_rows])
    slipped = one.question_of[:n_rows] != other.question_of[:n_rows]
    yield Draft(
        model=graded.model,
        title=graded.title,
        metric="cohen_kappa",
        stratum=(("judges", f"{first}, {second}"),),
        column=f"kappa {judge_title(first)}-{judge_title(second)}",
        unit="1",
        recomputed=by_row.value,
        n_recomputed=by_row.n,
        sample=_kappa_sample(one, other),
        faults=(
            *(("joined by row number",) if slipped else ()),
            *told_by_matrix((one, other)),
        ),
    )


def _kappa_sample(one: JudgeFile, other: JudgeFile) -> Sample:
    """Count, for every question with two verdicts, which cell of the two-by-two table it is in."""
    votes, others = one.by_question, other.by_question
    places: list[int] = []
    cells: list[int] = []
    for place in sorted(votes.keys() & others.keys()):
        vote, against = votes[place], others[place]
        if vote is not None and against is not None:
            places.append(place)
            cells.append(2 * vote + against)
    return SumsSample(
        table=np.eye(_FOUR)[cells] if cells else np.zeros((0, _FOUR)),
        places=np.array(places, dtype=np.int64),
        statistic=_kappa_of_sums,
        ends=DIFFERENCE,
    )


def _kappa_of_sums(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cohen's kappa of (…, 4) counts: no-no, no-yes, yes-no, yes-yes; NaN where undefined."""
    total = sums.sum(axis=-1)
    agreed = sums[..., 0] + sums[..., 3]
    yes, also_yes = sums[..., 2] + sums[..., 3], sums[..., 1] + sums[..., 3]
    by_chance = yes * also_yes + (total - yes) * (total - also_yes)
    room = total * total - by_chance
    return np.where(room > 0, (agreed * total - by_chance) / np.where(room > 0, room, 1), np.nan)


def _mean(verdicts: Mapping[int, bool], n: int) -> MeanSample:
    values, counts = np.zeros(n), np.zeros(n, dtype=np.bool_)
    places: Sequence[int] = list(verdicts)
    values[places] = [verdicts[place] for place in places]
    counts[places] = True
    return MeanSample(values=values, counts=counts)


def _find(graded: GradedModel | None, judge: str) -> JudgeFile | None:
    return next((one for one in graded.judges if one.judge == judge), None) if graded else None
