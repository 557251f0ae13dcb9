"""Votes of a judge without a readable file, told by the matrix of mean votes and the others.

The mean of three votes and two of the votes give the third. Which of the others' rows went into a
mean is not known beforehand: those of the same question, or, where a release joins by row number,
those of the same row. Only one of the two leaves every recovered vote 0 or 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from overread.audits.shipped import GradedModel, JudgeFile
from overread.contracts.replay import ReleasedQuestion, Replay

__all__ = ["complete_models", "judges_of", "recover_votes"]


def judges_of(replay: Replay) -> tuple[str, ...]:
    """List the judges of a release: those of its table, then those that only have files."""
    listed = (
        one.stratum["judge"]
        for one in replay.published
        if one.metric == "judge_accuracy" and "judge" in one.stratum
    )
    return tuple(dict.fromkeys((*listed, *(one.judge for one in replay.votes))))


def complete_models(replay: Replay, graded: Mapping[str, GradedModel]) -> dict[str, GradedModel]:
    """Add to every model the votes of its missing judge, where the matrix tells them.

    Parameters
    ----------
    replay
        What the release ships.
    graded
        From `shipped.grade_models`.
    """
    judges = judges_of(replay)
    found: dict[str, GradedModel] = {}
    for model, one in graded.items():
        recovered = recover_votes(replay, one, judges)
        files = (*one.judges, recovered) if recovered else one.judges
        found[model] = GradedModel(
            model=model,
            title=one.title,
            judges=tuple(sorted(files, key=lambda file: judges.index(file.judge))),
        )
    return found


def recover_votes(replay: Replay, graded: GradedModel, judges: Sequence[str]) -> JudgeFile | None:
    """Recover the votes of the one judge that has no file for a model.

    Parameters
    ----------
    replay
        With the matrix.
    graded
        The model's released votes.
    judges
        All judges whose mean the matrix holds.

    Returns
    -------
    JudgeFile or None
        A vote that was missing in the file cannot be told from a no. None where not exactly one
        judge is missing, where the matrix says nothing, or where no reading of it makes sense.
    """
    missing = [judge for judge in judges if judge not in {one.judge for one in graded.judges}]
    rows = _rows(replay, graded.model, len(judges))
    if len(missing) != 1 or not graded.judges or not rows:
        return None
    for by_row in (False, True):
        verdicts = _solve(rows, graded.judges, by_row=by_row)
        if verdicts is not None:
            return JudgeFile(
                judge=missing[0],
                file=None,
                verdicts=verdicts,
                question_of=tuple(place for place, _ in rows),
                join=None,
                n_unlike=_count_unlike(
                    replay.questions, [place for place, _ in rows], graded.judges[0].question_of
                ),
            )
    return None


def _rows(replay: Replay, model: str, n_judges: int) -> list[tuple[int, int]]:
    """Give (place of the question, votes that are yes) for every cell of the matrix with a mean."""
    found: list[tuple[int, int]] = []
    for place, question in enumerate(replay.questions):
        mean = replay.matrix.get(question.item, {}).get(model)
        if mean is not None:
            found.append((place, round(mean * n_judges)))
    return found


def _solve(
    rows: Sequence[tuple[int, int]], judges: Sequence[JudgeFile], *, by_row: bool
) -> tuple[bool, ...] | None:
    """Take the known votes from each sum; None where something other than 0 or 1 is left."""
    verdicts: list[bool] = []
    known = [one.by_question for one in judges]
    for row, (place, n_yes) in enumerate(rows):
        if by_row:
            if any(row >= len(one.verdicts) for one in judges):
                return None
            left = n_yes - sum(one.verdicts[row] is True for one in judges)
        else:
            left = n_yes - sum(votes.get(place) is True for votes in known)
        if left not in (0, 1):
            return None
        verdicts.append(left == 1)
    return tuple(verdicts)


def _count_unlike(
    questions: Sequence[ReleasedQuestion], places: Sequence[int], others: Sequence[int | None]
) -> int:
    """Count the rows that another judge's file has for another question and answer."""
    n_unlike = 0
    for place, other in zip(places, others, strict=False):
        one, two = questions[place], questions[other] if other is not None else None
        n_unlike += two is None or (one.question, one.answer) != (two.question, two.answer)
    return n_unlike
