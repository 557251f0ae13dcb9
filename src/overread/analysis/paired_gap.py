"""What one circumstance costs: the gap between two values of a stratum, patient by patient.

The same patient is asked about under both: a venous phase and a non-contrast one, a box and none.
Pairing takes out how hard patients are, so that the gap is known better than from two means.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from overread.analysis.strata import stratum_generator
from overread.analysis.verdicts import join_verdicts, planned_clusters
from overread.contracts import AnalysisPlan
from overread.errors import UsageError, expected
from overread.records import PlannedItem, Profile, Score
from overread.registry import metric_spec
from overread.stats.cluster_wilson import Ends
from overread.stats.few_clusters import FEW_CLUSTERS, cluster_interval

__all__ = ["PairedGap", "paired_gap"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedGap:
    """The mean over patients of a metric's value under one circumstance less that under another."""

    metric: str
    profile: Profile
    key: str
    first: str
    second: str
    unit: str
    """What is paired: ``patient``."""
    n_pairs: int
    """Units that have a value under both."""
    n_unpaired: int
    """Units that have one under one of them alone; they are left out."""
    n_missing: int
    """Items of the pairs without an answer: they count as 0, where `missing_count_as_0`."""
    missing_count_as_0: bool
    """Whether 0 is no gift: not for a distance or a share of errors, where 0 would be the best.
    There items without an answer leave the means, and patients without any other the pairs."""
    n_lost: int
    """Items without an answer that left: of any patient, not of the pairs alone."""
    first_mean: float | None
    """Over the pairs, each weighing one."""
    second_mean: float | None
    value: float | None
    low: float | None
    high: float | None
    level: float
    method: str
    reason: str | None = None
    """What to know of it, or why there is none."""


def paired_gap(
    scores: Iterable[Score],
    planned: Sequence[PlannedItem],
    plan: AnalysisPlan,
    *,
    key: str,
    first: str,
    second: str,
    profile: Profile,
    metric: str | None = None,
) -> PairedGap:
    """Estimate how far a metric falls from one value of a stratum to another in the same patients.

    Where a patient has several items under one of them their mean is taken. What has no answer
    counts as 0 where more is better, and leaves where it is not; what the plan drops is left out,
    as in the estimates of the headline.

    Parameters
    ----------
    scores, planned
        Of one run.
    plan
        Names the unit that is paired (`AnalysisPlan.cluster`), the headline and what is dropped.
    key, first, second
        ``phase``, ``venous``, ``noncontrast``: the gap is the first less the second.
    profile
        Whose scores.
    metric
        Another metric than the headline.

    Returns
    -------
    PairedGap
        With a bootstrap over patients; below `FEW_CLUSTERS` of them an interval made for few.

    Raises
    ------
    UsageError
        The plan names no unit, no item has this key or this value of it, or nothing was scored by
        the metric.
    """
    if plan.cluster is None:
        raise UsageError(
            expected(
                "release",
                rule="one that says which items are of one patient",
                got="one that does not",
                remedy="Compare the two strata of the report instead.",
            )
        )
    for value in (first, second):
        _check_value(planned, key, value)
    chosen = replace(plan, headline=metric or plan.headline)
    rows = [each for each in scores if each.target is None and each.profile == profile]
    _check_metric(rows, chosen.headline)
    verdicts = join_verdicts(rows, planned, chosen, profile=profile)
    codes = planned_clusters(planned, plan.cluster).codes
    of_key = np.array([line.strata.get(key, "") for line in planned])
    is_gain = chosen.headline == plan.headline or _is_gain(chosen.headline)
    asked = ~verdicts.dropped & ~verdicts.ungradable & np.isin(of_key, (first, second))
    kept = asked if is_gain else asked & verdicts.graded
    n_units = int(codes.max()) + 1
    means = [
        _means(verdicts.value, codes, kept & (of_key == value), n_units)
        for value in (first, second)
    ]
    there = [~np.isnan(mean) for mean in means]
    paired = there[0] & there[1]
    missing = kept & ~verdicts.graded & paired[codes]
    found = PairedGap(
        metric=chosen.headline,
        profile=profile,
        key=key,
        first=first,
        second=second,
        unit=plan.cluster,
        n_pairs=int(paired.sum()),
        n_unpaired=int((there[0] ^ there[1]).sum()),
        n_missing=int(missing.sum()),
        missing_count_as_0=is_gain,
        n_lost=int((asked & ~kept).sum()),
        first_mean=None,
        second_mean=None,
        value=None,
        low=None,
        high=None,
        level=plan.level,
        method="none",
        reason=f"no {plan.cluster} has both",
    )
    return _estimated(found, plan, *(mean[paired] for mean in means)) if paired.any() else found


def _estimated(
    found: PairedGap, plan: AnalysisPlan, one: NDArray[np.float64], two: NDArray[np.float64]
) -> PairedGap:
    gaps = one - two
    (interval,) = cluster_interval(
        gaps,
        np.arange(len(gaps)),
        ends=(_ends(found.metric),),
        draws=plan.bootstrap_draws,
        level=plan.level,
        rng=stratum_generator(plan.seed, {found.key: f"{found.first} less {found.second}"}),
    )
    few = len(gaps) < FEW_CLUSTERS
    note = f"only {len(gaps)} {found.unit}s: read the interval with care" if few else None
    return replace(
        found,
        first_mean=float(one.mean()),
        second_mean=float(two.mean()),
        value=float(gaps.mean()),
        low=interval.low,
        high=interval.high,
        method=f"{interval.method} ({found.unit})" if interval.defined else "none",
        reason=note if interval.defined else interval.reason,
    )


def _means(
    values: NDArray[np.float64], codes: NDArray[np.int64], kept: NDArray[np.bool_], n_units: int
) -> NDArray[np.float64]:
    """Average each unit's values; NaN where it has none."""
    sums = np.bincount(codes[kept], weights=values[kept], minlength=n_units)
    counts = np.bincount(codes[kept], minlength=n_units).astype(np.float64)
    return np.divide(sums, counts, out=np.full(n_units, np.nan), where=counts > 0)


def _ends(metric: str) -> Ends | None:
    """Give the least and the largest gap; None for a metric without bounds."""
    spec = metric_spec(metric)
    width = math.inf if spec is None else spec.high - spec.low
    return (-width, width) if math.isfinite(width) else None


def _is_gain(metric: str) -> bool:
    """Tell whether more of a metric is better and less than 0 is not to be had."""
    spec = metric_spec(metric)
    return spec is not None and spec.direction == "up" and spec.low >= 0


def _check_metric(rows: Sequence[Score], metric: str) -> None:
    """Refuse a metric that nothing was scored by: zeros all over would be a gap of 0."""
    if any(each.metric == metric and each.value is not None for each in rows):
        return
    names = sorted({each.metric for each in rows if each.value is not None})
    raise UsageError(
        expected(
            "--metric",
            rule=f"one that items were scored by ({', '.join(names) or 'there is none'})",
            got=metric,
            remedy="Choose one of them or the other profile; 'overread score RUN' scores a run.",
        )
    )


def _check_value(planned: Sequence[PlannedItem], key: str, value: str) -> None:
    values = sorted({line.strata[key] for line in planned if key in line.strata})
    if not values:
        keys = sorted({name for line in planned for name in line.strata})
        raise UsageError(
            expected(
                "--by", rule=f"one of {', '.join(keys)}", got=key, remedy="Choose one of them."
            )
        )
    if value not in values:
        raise UsageError(
            expected(
                "--between",
                rule=f"two of {', '.join(values)}",
                got=value,
                remedy=f"They are the values of {key} in this run.",
            )
        )
