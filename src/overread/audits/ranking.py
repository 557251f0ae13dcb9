"""Audit: whether the published order of models survives the correction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Final

import numpy as np

from overread.audits.joined import join_all
from overread.audits.replay_audit import ReplayAudit
from overread.audits.reproduce.cells import agrees
from overread.audits.reproduce.published_values import PublishedTable
from overread.audits.reproduce.vote_cells import jury_by_row, jury_verdicts
from overread.audits.shipped import GradedModel, models_of
from overread.contracts import Audit, Release
from overread.contracts.replay import Replay
from overread.records import Finding, Severity
from overread.stats.bootstrap import cluster_codes
from overread.stats.cluster_wilson import DIFFERENCE
from overread.stats.few_clusters import cluster_interval
from overread.stats.intervals import Interval

__all__ = ["AUDIT"]

_SEED: Final = 20260219


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a model stands, as published and as its votes give it."""

    title: str
    published: float
    corrected: float
    """As published, where the votes at hand are not those behind the published number."""
    graded: GradedModel | None


def _look(replay: Replay, release: Release) -> Iterator[Finding]:
    places = list(_places(replay))
    swaps = [
        (one, other)
        for one, other in permutations(places, 2)
        if one.published > other.published and one.corrected < other.corrected
    ]
    if swaps:
        yield Finding(
            severity=Severity.ERROR,
            code="changed-order",
            where="jury accuracy",
            evidence="; ".join(
                f"published: {one.title} {_percent(one.published)} over {other.title} "
                f"{_percent(other.published)}, joined by key: {other.title} "
                f"{_percent(other.corrected)} over {one.title} {_percent(one.corrected)}"
                for one, other in swaps
            ),
            effect="; ".join(
                [
                    "the published order of models is the work of the join",
                    *(text for pair in swaps if (text := _lead(replay, *pair))),
                ]
            ),
            remedy="Join by key, and rank with intervals of paired differences.",
            count=len(swaps),
        )


def _places(replay: Replay) -> Iterator[_Place]:
    joined, table = join_all(replay), PublishedTable(replay.published)
    for model, title in models_of(replay):
        value = table.find("jury_accuracy", title, ())
        if value is None:
            continue
        graded = joined.graded[model] if joined.has_all_votes(model) else None
        corrected = value.value
        if graded is not None and graded.is_slipped:
            # A file that was cut, or other votes, would move the model for another reason.
            n_yes, n_rows = jury_by_row(graded)
            jury = jury_verdicts(graded)
            within = 0.5 * 10.0 ** -table.digits(value)
            if n_rows and jury and agrees(value.value, n_yes / n_rows, within=within):
                corrected = sum(jury.values()) / len(jury)
        yield _Place(title=title, published=value.value, corrected=corrected, graded=graded)


def _lead(replay: Replay, one: _Place, other: _Place) -> str:
    """Say by how much the second model leads over the questions that both have, by patients."""
    if one.graded is None or other.graded is None:
        return ""
    before, after = jury_verdicts(one.graded), jury_verdicts(other.graded)
    shared = sorted(before.keys() & after.keys())
    if not shared:
        return ""
    found: Interval
    (found,) = cluster_interval(
        [float(after[at]) - before[at] for at in shared],
        cluster_codes([replay.questions[at].patient for at in shared]),
        ends=(DIFFERENCE,),
        rng=np.random.default_rng(_SEED),
    )
    if found.value is None or found.low is None or found.high is None:
        return ""
    settled = "" if found.low > 0 else ", so these votes do not settle which is better"
    return (
        f"{other.title} leads {one.title} by {100 * found.value:.2f} points over {len(shared):,} "
        f"questions (95 % {100 * found.low:.2f} to {100 * found.high:.2f}, by patient){settled}"
    )


def _percent(value: float) -> str:
    return f"{100 * value:.2f} %"


AUDIT: Audit = ReplayAudit(
    name="ranking",
    summary="published orders of models that do not survive the correction",
    look_at=_look,
)
