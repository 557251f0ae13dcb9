"""What a release ships for replay, joined the right way: the ground all audits stand on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from overread.audits.joins import Join, join_rows
from overread.contracts import Release, Replayable
from overread.contracts.replay import (
    ReleasedPredictions,
    ReleasedQuestion,
    ReleasedVotes,
    Replay,
)

__all__ = [
    "GradedModel",
    "JoinedPredictions",
    "JudgeFile",
    "grade_models",
    "join_predictions",
    "models_of",
    "replay_of",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedPredictions:
    """A predictions file and which question each of its rows answers."""

    predictions: ReleasedPredictions
    join: Join
    """Questions (left) with rows of the file (right)."""
    question_of: tuple[int | None, ...]
    """Row → place of its question in `Replay.questions`; None where it fits none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeFile:
    """The votes of one judge on one model, in file order, and where they belong."""

    judge: str
    file: str | None
    """None where the votes were recovered from the matrix (see `recovered_votes`)."""
    verdicts: tuple[bool | None, ...]
    question_of: tuple[int | None, ...]
    """Row → place of its question in `Replay.questions`; None where it fits none."""
    join: Join | None
    """Rows of the predictions file, or questions where there is none (left), with votes (right);
    None where the votes were recovered."""
    n_unlike: int
    """Rows at which (question, answer) differs from the row of the list it should match."""

    @property
    def by_question(self) -> Mapping[int, bool | None]:
        """Place of a question → verdict, for the questions that have a record."""
        pairs = zip(self.question_of, self.verdicts, strict=True)
        return {place: verdict for place, verdict in pairs if place is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedModel:
    """All votes on one model."""

    model: str
    title: str
    judges: tuple[JudgeFile, ...]

    @property
    def n_rows(self) -> int:
        """How many rows a join by row number has: as many as the shortest file."""
        return min(len(one.verdicts) for one in self.judges)

    @property
    def is_slipped(self) -> bool:
        """Whether a join by row number pairs votes on different questions."""
        firsts = (one.question_of[: self.n_rows] for one in self.judges)
        return any(len(set(row)) > 1 for row in zip(*firsts, strict=True))

    @property
    def n_paired_wrongly(self) -> int:
        """Rows of a join by row number whose votes are on different questions."""
        firsts = (one.question_of[: self.n_rows] for one in self.judges)
        return sum(len(set(row)) > 1 for row in zip(*firsts, strict=True))


def replay_of(release: Release) -> Replay | None:
    """Give what a release ships for replay; None where it ships nothing."""
    return release.replay() if isinstance(release, Replayable) else None


def models_of(replay: Replay) -> tuple[tuple[str, str], ...]:
    """List (short name, title) of every model that the release has files of.

    They come in the order of the published table; those it does not name follow by their short
    names. A model of the table without any file is left out: nothing can be said of its row.
    """
    released = dict.fromkeys(
        (
            *(one.model for one in replay.predictions),
            *(one.model for one in replay.votes),
            *(model for row in replay.matrix.values() for model in row),
        )
    )
    titles = {replay.title_of.get(model, model): model for model in released}
    listed = dict.fromkeys(one.who for one in replay.published if one.kind == "model")
    in_order = [*(who for who in listed if who in titles), *titles]
    return tuple((titles[title], title) for title in dict.fromkeys(in_order))


def join_predictions(replay: Replay) -> dict[str, JoinedPredictions]:
    """Join every predictions file with the questions: model → joined file."""
    return {one.model: _join_predictions(one, replay.questions) for one in replay.predictions}


def grade_models(
    replay: Replay, joined: Mapping[str, JoinedPredictions] | None = None
) -> dict[str, GradedModel]:
    """Join the votes on every model with the questions: model → its judges, in file order.

    Parameters
    ----------
    replay
        What the release ships.
    joined
        From `join_predictions`, where the caller has it already.
    """
    joined = join_predictions(replay) if joined is None else joined
    votes: dict[str, list[ReleasedVotes]] = {}
    for one in replay.votes:
        votes.setdefault(one.model, []).append(one)
    return {
        model: GradedModel(
            model=model,
            title=replay.title_of.get(model, model),
            judges=tuple(_join_votes(one, joined.get(model), replay.questions) for one in files),
        )
        for model, files in votes.items()
    }


def _join_predictions(
    predictions: ReleasedPredictions, questions: Sequence[ReleasedQuestion]
) -> JoinedPredictions:
    rows = predictions.rows
    has_case = all(row.case is not None for row in rows)
    join = join_rows(
        [_key(one.case if has_case else None, one.question, one.answer) for one in questions],
        [_key(row.case if has_case else None, row.question, row.answer) for row in rows],
    )
    place = {right: left for left, right in join.pairs}
    return JoinedPredictions(
        predictions=predictions,
        join=join,
        question_of=tuple(place.get(row) for row in range(len(rows))),
    )


def _join_votes(
    votes: ReleasedVotes, joined: JoinedPredictions | None, questions: Sequence[ReleasedQuestion]
) -> JudgeFile:
    """Join a judge file with the predictions it judged, else with the questions.

    A judge file seldom says the case, and a question with its answer may stand in several cases;
    the order of the predictions tells them apart. Where predictions are lost, votes on them still
    belong to their questions.
    """
    found = _join_votes_with(votes, joined, questions)
    if joined is not None and found.join is not None and found.join.extra:
        other = _join_votes_with(votes, None, questions)
        if other.join is not None and len(other.join.extra) < len(found.join.extra):
            return other
    return found


def _join_votes_with(
    votes: ReleasedVotes, joined: JoinedPredictions | None, questions: Sequence[ReleasedQuestion]
) -> JudgeFile:
    rows = votes.rows
    has_case = all(row.case is not None for row in rows)
    if joined is None:
        base_keys = [(one.case, one.question, one.answer) for one in questions]
        place_of = tuple(range(len(questions)))
    else:
        base_keys = [(one.case, one.question, one.answer) for one in joined.predictions.rows]
        place_of = joined.question_of
        has_case = has_case and all(case is not None for case, _, _ in base_keys)
    join = join_rows(
        [_key(case if has_case else None, *pair) for case, *pair in base_keys],
        [_key(row.case if has_case else None, row.question, row.answer) for row in rows],
    )
    place = {right: place_of[left] for left, right in join.pairs}
    unlike = sum(
        (question, answer) != (row.question, row.answer)
        for (_, question, answer), row in zip(base_keys, rows, strict=False)
    )
    return JudgeFile(
        judge=votes.judge,
        file=votes.file,
        verdicts=tuple(row.verdict for row in rows),
        question_of=tuple(place.get(row) for row in range(len(rows))),
        join=join,
        n_unlike=unlike,
    )


def _key(case: str | None, question: str, answer: str) -> tuple[str | None, str, str]:
    return case, question, answer
