"""Audit: a released matrix of mean votes against the votes, and what it tells where there are none.

Judges who grade the same answers seldom split; votes on different questions split about as often as
chance has it. So the share of split cells shows a slip even where no vote was released.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from overread.audits.joined import Joined, join_all
from overread.audits.replay_audit import ReplayAudit
from overread.audits.shipped import GradedModel, models_of
from overread.audits.wording import share
from overread.contracts import Audit, Release
from overread.contracts.replay import Replay
from overread.records import Finding, Severity

__all__ = ["AUDIT"]

_ROUNDING: Final = 0.01
"""The matrix is printed with two decimals, cut off."""


def _look(replay: Replay, release: Release) -> Iterator[Finding]:
    if not replay.matrix:
        return
    joined = join_all(replay)
    for model in joined.graded:
        if joined.has_all_votes(model) and all(j.file for j in joined.graded[model].judges):
            yield from _against_votes(replay, joined.graded[model])
    yield from _splits(replay, joined)
    items = {one.item for one in replay.questions}
    strange = [item for item in replay.matrix if item not in items]
    lacking = [item for item in items if item not in replay.matrix]
    if strange or lacking:
        yield Finding(
            severity=Severity.WARNING,
            code="matrix-rows",
            where="matrix of mean votes",
            evidence=f"{len(strange):,} rows name no question, {len(lacking):,} questions have no "
            "row",
            effect="they are left out here",
            count=len(strange) + len(lacking),
        )


def _against_votes(replay: Replay, graded: GradedModel) -> Iterator[Finding]:
    votes = [one.by_question for one in graded.judges]
    n_judges, n_off, n_cells = len(votes), 0, 0
    for place, question in enumerate(replay.questions):
        mean = replay.matrix.get(question.item, {}).get(graded.model)
        if mean is None or not all(place in one for one in votes):
            continue
        n_cells += 1
        n_off += abs(mean - sum(one[place] is True for one in votes) / n_judges) > _ROUNDING
    if n_off:
        yield Finding(
            severity=Severity.ERROR,
            code="matrix-not-votes",
            where=f"matrix, column {graded.model}",
            evidence=f"{share(n_off, n_cells)} of the cells are not the mean of the question's own "
            "votes",
            effect="whatever is made of the matrix (rows by category) has the fault too",
            count=n_off,
        )


def _splits(replay: Replay, joined: Joined) -> Iterator[Finding]:
    shares: list[str] = []
    n_suspect = 0
    for model, title in models_of(replay):
        means = [row[model] for row in replay.matrix.values() if row.get(model) is not None]
        if not means:
            continue
        split = sum(mean not in (0, 1) for mean in means) / len(means)
        text = f"{title} {100 * split:.0f} %"
        if joined.has_all_votes(model):
            again = _split_by_key(joined.graded[model])
            if again is not None and abs(again - split) > _ROUNDING:
                n_suspect += 1
                text += f" (by key {100 * again:.0f} %)"
        shares.append(text)
    if shares:
        yield Finding(
            severity=Severity.INFO,
            code="split-votes",
            where="matrix of mean votes",
            evidence="cells on which the judges split: " + ", ".join(shares),
            effect="a share far above the others is the mark of votes on different questions",
            count=n_suspect or 1,
        )


def _split_by_key(graded: GradedModel) -> float | None:
    votes = [one.by_question for one in graded.judges]
    shared = set.intersection(*(set(one) for one in votes))
    n_split = sum(len({one[place] is True for one in votes}) > 1 for place in shared)
    return n_split / len(shared) if shared else None


AUDIT: Audit = ReplayAudit(
    name="vote-matrix",
    summary="a released matrix of mean votes that is not the mean of the released votes",
    look_at=_look,
)
