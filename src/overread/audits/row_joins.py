"""Audit: files that were joined by row number although their rows do not match."""

from __future__ import annotations

from collections.abc import Iterator

from overread.audits.joined import Joined, join_all
from overread.audits.joins import Join
from overread.audits.replay_audit import ReplayAudit
from overread.audits.reproduce.vote_cells import judge_title, jury_by_row, jury_verdicts
from overread.audits.shipped import GradedModel, JoinedPredictions, JudgeFile
from overread.audits.wording import counted, share
from overread.contracts import Audit, Release
from overread.contracts.replay import Replay
from overread.errors import listed
from overread.records import Finding, Severity
from overread.stats.rater_agreement import cohen_kappa

__all__ = ["AUDIT"]

_REMEDY = "Join by case, question and answer, never by row number."


def _look(replay: Replay, release: Release) -> Iterator[Finding]:
    joined = join_all(replay)
    for one in joined.predictions.values():
        yield from _predictions(one)
    for graded in joined.graded.values():
        for file in graded.judges:
            yield from _votes(graded, file, joined)


def _predictions(one: JoinedPredictions) -> Iterator[Finding]:
    join, file = one.join, one.predictions.file
    if join.missing:
        yield Finding(
            severity=Severity.WARNING,
            code="missing-predictions",
            where=file,
            evidence=f"{counted(len(join.missing), 'question')} of {join.n_left:,} without a row: "
            f"questions {listed(join.missing)} (from 0)",
            effect="they are in no denominator that counts rows",
            count=len(join.missing),
        )
    if join.extra:
        yield Finding(
            severity=Severity.WARNING,
            code="unjoined-predictions",
            where=file,
            evidence=f"{counted(len(join.extra), 'row')} fit no question: {listed(join.extra)}",
            effect="they are left out here, and counted where rows are",
            count=len(join.extra),
        )
    if join.n_shifted:
        yield Finding(
            severity=Severity.WARNING,
            code="predictions-out-of-order",
            where=file,
            evidence=f"{join.n_shifted:,} rows stand at another place than their question",
            effect="a join with the questions by row number would mix them up",
            remedy=_REMEDY,
            count=join.n_shifted,
        )


def _votes(graded: GradedModel, file: JudgeFile, joined: Joined) -> Iterator[Finding]:
    if file.join is None:
        if file.n_unlike:
            yield _recovered(graded, file, joined)
        return
    join = file.join
    if join.extra:
        yield Finding(
            severity=Severity.WARNING,
            code="unjoined-votes",
            where=file.file or "",
            evidence=f"{counted(len(join.extra), 'row')} fit no prediction: {listed(join.extra)}",
            effect="they are left out here, and counted where rows are",
            count=len(join.extra),
        )
    if join.ambiguous:
        yield Finding(
            severity=Severity.INFO,
            code="ambiguous-join",
            where=file.file or "",
            evidence=f"{counted(len(join.ambiguous), 'row')} share question and answer with others "
            f"and no neighbour tells them apart: {listed(join.ambiguous)}",
            effect="they are joined in the order in which they stand",
            count=len(join.ambiguous),
        )
    if join.n_shifted:
        yield _slipped(graded, file, join, joined)
    elif join.missing:
        yield Finding(
            severity=Severity.WARNING,
            code="missing-votes",
            where=file.file or "",
            evidence=_missing(join),
            effect="they have no verdict of this judge",
            count=len(join.missing),
        )


def _slipped(graded: GradedModel, file: JudgeFile, join: Join, joined: Joined) -> Finding:
    offsets = sorted({run.offset for run in join.runs if run.offset})
    span = f"{offsets[0]}" if len(offsets) == 1 else f"{offsets[0]} to {offsets[-1]}"
    # A slip harms only where other files do not slip alike.
    return Finding(
        severity=Severity.ERROR if graded.is_slipped else Severity.WARNING,
        code="slipped-rows",
        where=file.file or "",
        evidence=f"{_missing(join)}; the rows behind are off by {span}: {file.n_unlike:,} of "
        f"{join.n_right:,} rows hold another question and answer than the row they are joined with",
        effect=_effect(graded, file, joined),
        remedy=_REMEDY,
        count=file.n_unlike,
    )


def _recovered(graded: GradedModel, file: JudgeFile, joined: Joined) -> Finding:
    return Finding(
        severity=Severity.ERROR,
        code="slipped-rows",
        where=f"matrix, column {graded.model}",
        evidence=f"no file of {judge_title(file.judge)} can be read, but mean votes and the "
        "other files leave only votes of 0 and 1 if, and only if, they were joined by row number: "
        f"{file.n_unlike:,} of {len(file.verdicts):,} rows hold another question and answer",
        effect=_effect(graded, file, joined),
        remedy=_REMEDY,
        count=file.n_unlike,
    )


def _missing(join: Join) -> str:
    if not join.missing:
        return "rows stand in another order"
    rows = "row" if len(join.missing) == 1 else "rows"
    return f"{counted(len(join.missing), 'record')} missing ({rows} {listed(join.missing)}, from 0)"


def _effect(graded: GradedModel, file: JudgeFile, joined: Joined) -> str:
    """Say what the slip does: the jury by row and by key, and the agreement with another judge."""
    parts: list[str] = []
    if joined.has_all_votes(graded.model):
        by_key = jury_verdicts(graded)
        parts.append(
            f"{graded.title}: jury {share(*jury_by_row(graded))} by row number, "
            f"{share(sum(by_key.values()), len(by_key))} by key"
        )
    other = next((one for one in graded.judges if one.judge != file.judge), None)
    if other is not None:
        rows = min(len(file.verdicts), len(other.verdicts))
        votes, others = file.by_question, other.by_question
        shared = sorted(votes.keys() & others.keys())
        by_row = cohen_kappa(file.verdicts[:rows], other.verdicts[:rows]).value
        by_key = cohen_kappa([votes[at] for at in shared], [others[at] for at in shared]).value
        if by_row is not None and by_key is not None:
            parts.append(
                f"kappa of {judge_title(file.judge)} and {judge_title(other.judge)} "
                f"{by_row:.3f} by row number, {by_key:.3f} by key"
            )
    return "; ".join(parts)


AUDIT: Audit = ReplayAudit(
    name="row-joins",
    summary="files joined by row number although a record is missing or out of order",
    look_at=_look,
)
