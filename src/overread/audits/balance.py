"""Audit: strata too small to say anything, and patients that weigh more than their share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from overread.analysis.blind_exam import unit_of
from overread.analysis.strata import group_rows, is_within
from overread.audits.exam_parts import ExamAudit, SplitPart
from overread.contracts import Audit, Release
from overread.errors import listed
from overread.records import Finding, Item, Severity
from overread.stats.intervals import wilson
from overread.stats.power import fewest_units

__all__ = ["AUDIT", "effective_units"]

_LEVEL: Final = 0.95
_WIDE: Final = 0.15
"""Half an interval, as a share: with it a model at chance and one at 50 % look alike."""
_HEAVY: Final = 0.2
"""Share of a stratum's questions that one patient may hold."""
_FEWEST_QUESTIONS: Final = 20


def effective_units(sizes: Sequence[int]) -> float:
    """Give the number of equal units that weigh like units of these sizes (Kish's formula).

    Parameters
    ----------
    sizes
        Questions of each patient, 1 or more each.

    Returns
    -------
    float
        (Σ n)² / Σ n², from 1 to their number: where all answers to one patient hang together, the
        exam is worth so many independent questions.

    Notes
    -----
    Source: L. Kish, Survey Sampling (1965), section 11.7.

    Examples
    --------
    >>> effective_units([5, 5, 5, 5]), round(effective_units([17, 1, 1, 1]), 2)
    (4.0, 1.37)
    """
    return sum(sizes) ** 2 / sum(n * n for n in sizes)


def _look(part: SplitPart, release: Release) -> Iterator[Finding]:
    plan = release.plan()
    items = [item for item in part.items if is_within(item.strata, plan.headline_only)]
    if not items:
        return
    strata = [
        (stratum, [items[row] for row in rows.tolist()])
        for keys in plan.strata
        if keys
        for stratum, rows in group_rows(
            [item.strata for item in items], keys, multi_label=plan.multi_label
        )
    ]
    yield from _small(part.split, strata, plan.cluster)
    yield from _heavy(part.split, [({}, items), *strata], plan.cluster)


def _small(
    split: str, strata: Sequence[tuple[Mapping[str, str], list[Item]]], cluster: str | None
) -> Iterator[Finding]:
    small: list[tuple[float, str]] = []
    hopeless: list[str] = []
    for stratum, members in strata:
        sizes = Counter(unit_of(item, cluster) for item in members)
        half = _half_width(len(members))
        name = "/".join(stratum.values())
        if len(sizes) < fewest_units(_LEVEL):
            hopeless.append(f"{name} ({len(members)} of {len(sizes)})")
        if half is None or half > _WIDE:
            told = "no interval" if half is None else f"±{100 * half:.0f} points"
            small.append((math.inf if half is None else half, f"{name} (n {len(members)}: {told})"))
    is_named = any(cluster in item.groups for _, members in strata for item in members)
    unit = cluster if cluster is not None and is_named else "question"
    if hopeless:
        yield Finding(
            severity=Severity.WARNING,
            code="no-test-possible",
            where=split,
            evidence=f"{len(hopeless)} of {len(strata)} strata have questions of fewer than "
            f"{fewest_units(_LEVEL)} {unit}s: {listed(hopeless, most=4)}",
            effect=f"no difference between two models can reach p < {1 - _LEVEL:.2f} there, "
            "however large it is",
            remedy="Do not rank models in them.",
            count=len(hopeless),
        )
    if small:
        small.sort(reverse=True)
        yield Finding(
            severity=Severity.WARNING,
            code="small-stratum",
            where=split,
            evidence=f"{len(small)} of {len(strata)} strata leave a share more than ±"
            f"{100 * _WIDE:.0f} points of room, at best: {listed([t for _, t in small], most=4)}",
            effect="their percentages say little, and less where questions share a patient",
            remedy="Print n and an interval with them, or pool them.",
            count=len(small),
        )


def _half_width(n: int) -> float | None:
    """Give half of Wilson's interval of one right answer in two: the widest there is."""
    interval = wilson(n / 2, n) if n else None
    if interval is None or interval.low is None or interval.high is None:
        return None
    return (interval.high - interval.low) / 2


def _heavy(
    split: str, strata: Sequence[tuple[Mapping[str, str], list[Item]]], cluster: str | None
) -> Iterator[Finding]:
    heavy: list[tuple[float, str]] = []
    for stratum, members in strata:
        sizes = Counter(unit_of(item, cluster) for item in members)
        (kind, unit), most = sizes.most_common(1)[0]
        share = most / len(members)
        if kind == "cluster" and share > _HEAVY and len(members) >= _FEWEST_QUESTIONS:
            name = "/".join(stratum.values()) or "total"
            told = (
                f"{name}: {most} of {len(members)} questions are of {cluster} {unit}; the "
                f"{len(sizes)} {cluster}s weigh like {effective_units(list(sizes.values())):.1f}"
            )
            heavy.append((share, told))
    if heavy:
        heavy.sort(reverse=True)
        yield Finding(
            severity=Severity.WARNING,
            code="heavy-unit",
            where=split,
            evidence=listed([told for _, told in heavy], most=3),
            effect=f"a few {cluster}s decide the score",
            remedy=f"Give a mean over {cluster}s beside the mean over questions.",
            count=len(heavy),
        )


AUDIT: Audit = ExamAudit(
    name="balance",
    summary="strata too small to say anything, and patients that weigh more than their share",
    look_at=_look,
)
