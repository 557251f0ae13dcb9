"""What is shown of a run's juries: who judged, how much could be read, how far they agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from overread.analysis.asked import Asked
from overread.analysis.judge_agreement import JudgeAgreement, judge_agreement
from overread.analysis.judge_calibration import (
    JudgeCalibration,
    calibrate,
    judged_by_scores,
    judged_by_votes,
)
from overread.contracts import Judged, Judging, Release
from overread.records import Profile, Status, Vote
from overread.run.ballots import Ballots, Coverage, ballots_of, coverage_of, sheets
from overread.run.scoring import PROFILES
from overread.store.run_store import RunStore
from overread.store.votes import Juror

__all__ = ["JuryReport", "counted_votes", "jury_reports"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JuryReport:
    """The jury of one profile."""

    profile: Profile
    form: str
    jury: tuple[Juror, ...]
    coverage: tuple[Coverage, ...]
    """Of each judge, in the order of the jury."""
    agreement: JudgeAgreement
    calibration: tuple[JudgeCalibration, ...] = ()
    """Each judge, then the jury, against people; empty where no labels of people are given."""


def jury_reports(
    store: RunStore,
    release: Release,
    asked: Asked,
    *,
    labels: Mapping[tuple[str, int], bool] | None = None,
) -> tuple[JuryReport, ...]:
    """Look at the juries of a run; none where nobody was asked to judge.

    Parameters
    ----------
    store
        The run.
    release
        The release it was made on.
    asked
        The run's items and references.
    labels
        What people say of some of the responses (`judge_calibration.read_labels`).
    """
    if not isinstance(release, Judged):
        return ()
    plan = store.plan()
    responses = {response.request_hash: response for response in store.responses()}
    found: list[JuryReport] = []
    for profile in PROFILES:
        jury = store.jury(profile)
        if not jury:
            continue
        judging = release.judging(profile)
        all_sheets = sheets(plan, asked, responses, judging)
        ballots = ballots_of(store, all_sheets, judging, profile, jury)
        votes = tuple(counted_votes(store.manifest.run, profile, jury, ballots))
        found.append(
            JuryReport(
                profile=profile,
                form=judging.form.name,
                jury=tuple(jury),
                coverage=coverage_of(jury, ballots),
                agreement=judge_agreement(
                    votes, plan, release.plan(), jury=[juror.judge for juror in jury]
                ),
                calibration=()
                if labels is None
                else calibrate(
                    _judged(store, votes, judging, profile), labels, plan, release.plan()
                ),
            )
        )
    return tuple(found)


def _judged(
    store: RunStore, votes: tuple[Vote, ...], judging: Judging, profile: Profile
) -> dict[str, Mapping[tuple[str, int], bool | None]]:
    of_jury = judged_by_scores(
        (score for score in store.scores() if score.target is None),
        metric=judging.metric,
        profile=profile,
    )
    return {**judged_by_votes(votes), **of_jury}


def counted_votes(
    run: str, profile: Profile, jury: list[Juror], ballots: Ballots
) -> Iterator[Vote]:
    """Give each judge's vote on each response, as it counts now."""
    for (item, draw), each in ballots.items():
        for juror, ballot in zip(jury, each, strict=True):
            if (reading := ballot.reading) is not None:
                yield Vote(
                    run=run,
                    item=item,
                    draw=draw,
                    profile=profile,
                    judge=juror.judge,
                    judge_hash=juror.judge_hash,
                    request_hash="",
                    verdict=reading.verdict,
                    status=reading.status if reading.verdict is None else Status.OK,
                    reason=reading.reason,
                    rationale=reading.rationale,
                )
