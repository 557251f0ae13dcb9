"""Audit: whether the published order of models survives the correction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from overread.audits.joined import join_all
from overread.audits.replay_audit import ReplayAudit
from overread.audits.reproduce.published_values import PublishedTable
from overread.audits.reproduce.vote_cells import jury_verdicts
from overread.audits.shipped import models_of
from overread.contracts import Audit, Release
from overread.contracts.replay import Replay
from overread.records import Finding, Severity

__all__ = ["AUDIT"]


def _look(replay: Replay, release: Release) -> Iterator[Finding]:
    joined, table = join_all(replay), PublishedTable(replay.published)
    published: dict[str, float] = {}
    corrected: dict[str, float] = {}
    for model, title in models_of(replay):
        value = table.find("jury_accuracy", title, ())
        if value is None:
            continue
        published[title] = value.value
        jury = jury_verdicts(joined.graded[model]) if joined.has_all_votes(model) else {}
        corrected[title] = sum(jury.values()) / len(jury) if jury else value.value
    before, after = _order(published), _order(corrected)
    swaps = [
        (one, other)
        for place, one in enumerate(before)
        for other in before[place + 1 :]
        if after.index(other) < after.index(one)
    ]
    if swaps:
        yield Finding(
            severity=Severity.ERROR,
            code="changed-order",
            where="jury accuracy",
            evidence="; ".join(
                f"published: {one} {_percent(published, one)} over {other} "
                f"{_percent(published, other)}, joined by key: {other} "
                f"{_percent(corrected, other)} over {one} {_percent(corrected, one)}"
                for one, other in swaps
            ),
            effect="the published order of models is the work of the join",
            count=len(swaps),
        )


def _order(values: Mapping[str, float]) -> list[str]:
    return sorted(values, key=lambda who: -values[who])


def _percent(values: Mapping[str, float], who: str) -> str:
    return f"{100 * values[who]:.2f} %"


AUDIT: Audit = ReplayAudit(
    name="ranking",
    summary="published orders of models that do not survive the correction",
    look_at=_look,
)
