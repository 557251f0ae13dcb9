"""Audit: what policies score that see no picture, and which published models do no better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from overread.analysis.blind_floor import BlindFloor, blind_floors, find_floor
from overread.audits.exam_parts import ExamAudit, SplitPart
from overread.contracts import Audit, Release
from overread.errors import listed
from overread.records import Finding, PublishedValue, Severity

__all__ = ["AUDIT", "leak_finding"]

_MOST_NAMED: Final = 5


def leak_finding(split: str, floors: Iterable[BlindFloor]) -> Finding | None:
    """Report the blind policies that do better than luck; None where none does.

    Parameters
    ----------
    split
        As shown in `Finding.where`.
    floors
        All policies over all strata of the split.
    """
    leaks = [floor for floor in floors if floor.is_leak]
    if not leaks:
        return None
    worst = max(leaks, key=lambda floor: floor.value - floor.chance_best_high)
    return Finding(
        severity=Severity.WARNING,
        code="blind-leak",
        where=f"{split}, {_named(worst.stratum)}",
        evidence=f"'{worst.policy}' scores {100 * worst.value:.1f} % of {worst.n} questions "
        f"without a picture; luck reaches {100 * worst.chance_best_high:.1f} %",
        effect="wording or letters give answers away: read gains over the blind floor only",
        count=len(leaks),
    )


def _look(part: SplitPart, release: Release) -> Iterator[Finding]:
    plan = release.plan()
    floors = blind_floors(
        part.items,
        part.references,
        plan.strata,
        cluster=plan.cluster,
        only=plan.headline_only,
        multi_label=plan.multi_label,
    )
    best = find_floor(floors, {})
    if best is None:
        return
    yield Finding(
        severity=Severity.INFO,
        code="blind-floor",
        where=part.split,
        evidence=f"the best policy that sees no picture is '{best.policy}': "
        f"{100 * best.value:.1f} % of {best.n:,} questions{_bounds(best)}, chance is "
        f"{100 * best.chance:.1f} %",
        effect="only what a model scores above this needs the picture",
    )
    leak = leak_finding(part.split, floors)
    if leak is not None:
        yield leak
    yield from _below(part, release.published(), floors, plan.headline)


def _below(
    part: SplitPart, published: Sequence[PublishedValue], floors: Sequence[BlindFloor], metric: str
) -> Iterator[Finding]:
    """Name the models of the paper that do no better, over questions as many as theirs."""
    below: list[str] = []
    n_compared = 0
    for value in published:
        floor = find_floor(floors, value.stratum)
        # Of another number of questions the floor is another one: a synthetic or a cut release.
        if value.kind != "model" or value.metric != metric or floor is None or value.n != floor.n:
            continue
        n_compared += 1
        if value.value <= floor.value:
            where = f" ({_named(value.stratum)})" if value.stratum else ""
            below.append(f"{value.who}{where} {100 * value.value:.1f} %")
    if below:
        yield Finding(
            severity=Severity.WARNING,
            code="published-below-blind",
            where=f"{part.split}, published numbers",
            evidence=f"{len(below)} of {n_compared} published numbers of models are no better than "
            f"the best blind policy on the same questions: {listed(below, most=_MOST_NAMED)}",
            effect="such a number shows no reading of pictures",
            remedy="Print the blind floor beside every model.",
            count=len(below),
        )


def _named(stratum: Mapping[str, str]) -> str:
    return "/".join(stratum.values()) or "total"


def _bounds(floor: BlindFloor) -> str:
    if floor.low is None or floor.high is None:
        return ""
    return f" (95 % {100 * floor.low:.1f} to {100 * floor.high:.1f})"


AUDIT: Audit = ExamAudit(
    name="blind-floors",
    summary="what policies score that see no picture, and who does no better",
    look_at=_look,
)
