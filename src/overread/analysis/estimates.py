"""Score rows become estimates: the five numbers of the score card, for every stratum.

For a headline metric such as ``accuracy``: the share right over all planned items, over answered
items (``accuracy_answered``), the share without an answer (``no_answer``), the chance level with
its band, and the gain over the blind floor (``gain_over_blind``). The denominator is the plan:
what did not arrive counts as not right, and the estimate says how many there were.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from overread.analysis.blind_floor import BlindFloor, find_floor
from overread.analysis.strata import group_rows, stratum_generator
from overread.analysis.verdicts import Clusters, Verdicts, join_verdicts, planned_clusters
from overread.contracts import AnalysisPlan
from overread.records import Estimate, PlannedItem, Profile, PublishedValue, Score, Status
from overread.stats.few_clusters import FEW_CLUSTERS, cluster_interval
from overread.stats.intervals import Interval, poisson_binomial_band, wilson

__all__ = ["estimate"]

_PROFILES: tuple[Profile, ...] = ("published", "honest")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """One estimate before its interval: a mean of `values` weighted by `weights`."""

    metric: str
    profile: Profile
    values: NDArray[np.float64]
    weights: NDArray[np.float64]
    n_answered: int
    is_share: bool
    """Each value is 0 or 1, so that the mean is a share with a Wilson interval."""
    notes: tuple[str, ...]
    undefined: str | None
    """Why there is no value at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stratum:
    """The rows of one stratum and what belongs to them whoever answers."""

    keys: tuple[str, ...]
    stratum: Mapping[str, str]
    rows: NDArray[np.int64]
    clusters: Clusters
    codes: NDArray[np.int64]
    repeated: bool
    """Some item was asked more than once, so that rows of one item hang together."""
    chances: tuple[float | None, ...]
    floor: BlindFloor | None
    credit: NDArray[np.float64] | None
    """(rows,) credit of the floor's policy; None where it is not known item by item."""


def estimate(
    scores: Iterable[Score],
    planned: Sequence[PlannedItem],
    plan: AnalysisPlan,
    *,
    floors: Iterable[BlindFloor] = (),
    published: Iterable[PublishedValue] = (),
) -> tuple[Estimate, ...]:
    """Estimate the score card over every stratum, for both profiles.

    Parameters
    ----------
    scores
        Score rows of one run. Profiles without any row are left out; without rows at all both
        are given, undefined.
    planned
        The run's plan: it fixes the denominators.
    plan
        Strata, cells, cluster, level, draws and seed.
    floors
        From `blind_floors` over the same strata.
    published
        Published values; each joins the estimates of its metric and stratum.

    Returns
    -------
    tuple of Estimate
        By stratum in the order of the plan, then profile, then metric. Cells (`plan.cells`) of
        shares have Wilson intervals, which take items as independent, and say so where several
        belong to one patient; all else has a bootstrap over `plan.cluster`, or a t interval where
        fewer than `FEW_CLUSTERS` of them carry weight. A value without an interval (one item, one
        patient, no variation) has a reason and no bounds.

    Notes
    -----
    The `published` profile leaves out of its denominators what the benchmark's own code drops
    (`plan.published_drops`), and says how much that was; `honest` never drops.
    Cells with repeated draws are bootstrapped as well, for draws of one item are no independent
    items. `gain_over_blind` keeps the pairs: item by item it is the score less the credit of the
    best blind policy. That policy is chosen with hindsight, so the gain errs on the low side.
    """
    all_scores = list(scores)
    profiles: list[Profile] = [
        profile
        for profile in _PROFILES
        if not all_scores or any(score.profile == profile for score in all_scores)
    ]
    verdicts = {
        profile: join_verdicts(all_scores, planned, plan, profile=profile) for profile in profiles
    }
    clusters = planned_clusters(planned, plan.cluster)
    published_rows = list(published)
    estimates: list[Estimate] = []
    for stratum in _strata(planned, plan, list(floors), clusters):
        columns = [
            column
            for profile in profiles
            for column in _columns(verdicts[profile], stratum, plan.headline, profile)
        ]
        for column, interval in zip(columns, _intervals(columns, stratum, plan), strict=True):
            estimates.append(_row(column, interval, stratum, plan, published_rows))
    return tuple(estimates)


def _strata(
    planned: Sequence[PlannedItem],
    plan: AnalysisPlan,
    floors: Sequence[BlindFloor],
    clusters: Clusters,
) -> Iterable[_Stratum]:
    every = [*plan.strata, *([plan.cells] if plan.cells not in plan.strata else [])]
    for keys in every:
        for stratum, rows in group_rows([line.strata for line in planned], keys):
            lines = [planned[row] for row in rows]
            floor = find_floor(floors, stratum)
            yield _Stratum(
                keys=tuple(keys),
                stratum=stratum,
                rows=rows,
                clusters=clusters,
                codes=clusters.codes[rows],
                repeated=len({line.item for line in lines}) < len(lines),
                chances=tuple(line.chance for line in lines),
                floor=floor,
                credit=_credit(floor, lines),
            )


def _credit(floor: BlindFloor | None, lines: Sequence[PlannedItem]) -> NDArray[np.float64] | None:
    if floor is None or any(line.item not in floor.credit for line in lines):
        return None
    return np.array([floor.credit[line.item] for line in lines], dtype=np.float64)


def _columns(
    verdicts: Verdicts, stratum: _Stratum, metric: str, profile: Profile
) -> Iterable[_Column]:
    rows = stratum.rows
    value, answered = verdicts.value[rows], verdicts.answered[rows]
    every = (~verdicts.dropped[rows]).astype(np.float64)
    is_binary = bool(np.isin(value, (0.0, 1.0)).all())
    nothing = None if verdicts.asked[rows].any() else f"no response to any of {len(rows)} items"
    missing = _missing_notes(verdicts, rows)

    def column(
        name: str,
        values: NDArray[np.float64],
        weights: NDArray[np.float64],
        is_share: bool,
        notes: tuple[str, ...],
    ) -> _Column:
        return _Column(
            metric=name,
            profile=profile,
            values=values,
            weights=weights,
            n_answered=int(answered.sum()),
            is_share=is_share,
            notes=notes,
            undefined=nothing,
        )

    graded = verdicts.graded[rows].astype(np.float64)
    yield column(metric, value, every, is_binary, missing + _unusable_notes(verdicts, rows))
    yield column(f"{metric}_answered", value, graded, is_binary, ())
    yield column("no_answer", (~answered).astype(np.float64), every, True, missing)
    if stratum.floor is not None and stratum.credit is not None:
        yield column("gain_over_blind", value - stratum.credit, every, False, missing)
    elif stratum.floor is not None:
        fixed = ("the blind floor is taken as a fixed number",)
        yield column("gain_over_blind", value - stratum.floor.value, every, False, missing + fixed)


def _missing_notes(verdicts: Verdicts, rows: NDArray[np.int64]) -> tuple[str, ...]:
    notes: list[str] = []
    if unasked := int((~verdicts.asked[rows]).sum()):
        notes.append(f"{unasked} of {len(rows)} items have no response yet")
    if dropped := int(verdicts.dropped[rows].sum()):
        notes.append(f"{dropped} items are left out, as the benchmark's own code does")
    return tuple(notes)


def _unusable_notes(verdicts: Verdicts, rows: NDArray[np.int64]) -> tuple[str, ...]:
    ungradable = int(verdicts.ungradable[rows].sum())
    if not ungradable:
        return ()
    items = "1 item has" if ungradable == 1 else f"{ungradable} items have"
    return (f"{items} no usable reference: nobody can be right there",)


def _intervals(columns: Sequence[_Column], stratum: _Stratum, plan: AnalysisPlan) -> list[Interval]:
    plain = (stratum.keys == plan.cells or not stratum.clusters.named) and not stratum.repeated
    found: dict[int, Interval] = {}
    for place, column in enumerate(columns):
        if plain and column.is_share:
            successes = float(np.round((column.values * column.weights).sum()))
            found[place] = wilson(successes, int(column.weights.sum()), level=plan.level)
    rest = [place for place in range(len(columns)) if place not in found]
    if rest:
        drawn = cluster_interval(
            np.stack([columns[place].values for place in rest], axis=1),
            stratum.codes,
            weights=np.stack([columns[place].weights for place in rest], axis=1),
            draws=plan.bootstrap_draws,
            level=plan.level,
            rng=stratum_generator(plan.seed, stratum.stratum),
        )
        for place, interval in zip(rest, drawn, strict=True):
            found[place] = _within_range(interval, columns[place])
    return [found[place] for place in range(len(columns))]


def _within_range(interval: Interval, column: _Column) -> Interval:
    """Cut the bounds of a share at 0 and 1: a t interval does not know them."""
    if interval.low is None or interval.high is None or not column.is_share:
        return interval
    return replace(interval, low=max(interval.low, 0.0), high=min(interval.high, 1.0))


def _row(
    column: _Column,
    interval: Interval,
    stratum: _Stratum,
    plan: AnalysisPlan,
    published: Sequence[PublishedValue],
) -> Estimate:
    counted = column.weights > 0
    n_clusters = len(np.unique(stratum.codes[counted]))
    is_defined = column.undefined is None and interval.value is not None
    has_interval = is_defined and interval.defined
    method, notes = _method_and_notes(column, interval, stratum, n_clusters)
    chance, chance_low, chance_high = _chance(column, stratum, plan)
    has_floor = column.metric in (plan.headline, "gain_over_blind")
    floor = stratum.floor if has_floor else None
    return Estimate(
        metric=column.metric,
        profile=column.profile,
        stratum=dict(stratum.stratum),
        n=int(counted.sum()),
        n_answered=column.n_answered,
        n_clusters=n_clusters if stratum.clusters.named else None,
        value=interval.value if is_defined else None,
        low=interval.low if has_interval else None,
        high=interval.high if has_interval else None,
        level=plan.level,
        method=method,
        status=Status.OK if is_defined else Status.UNDEFINED,
        reason="; ".join(notes) or None,
        chance=chance,
        chance_low=chance_low,
        chance_high=chance_high,
        blind_floor=None if floor is None else _floor_value(floor, column, stratum),
        blind_policy=None if floor is None else floor.policy,
        published=tuple(
            value
            for value in published
            if value.metric == column.metric and dict(value.stratum) == dict(stratum.stratum)
        ),
    )


def _floor_value(floor: BlindFloor, column: _Column, stratum: _Stratum) -> float:
    """Give the floor over the items counted here, so that accuracy less floor is the gain."""
    counted = float(column.weights.sum())
    if stratum.credit is None or counted == 0:
        return floor.value
    return float(stratum.credit @ column.weights) / counted


def _method_and_notes(
    column: _Column, interval: Interval, stratum: _Stratum, n_clusters: int
) -> tuple[str, list[str]]:
    if column.undefined is not None:
        return "none", [column.undefined]
    if not interval.defined:
        return "none", [interval.reason or "no interval", *column.notes]
    notes, clusters = list(column.notes), stratum.clusters
    if interval.method == "wilson":
        n = int((column.weights > 0).sum())
        if clusters.named and n_clusters < n:
            notes.append(
                f"{n} items of {n_clusters} {clusters.unit}s, taken as independent: the interval "
                "may be too narrow"
            )
        return "wilson", notes
    if n_clusters < FEW_CLUSTERS:
        notes.append(f"only {n_clusters} {clusters.unit}s: read the interval with care")
    if clusters.n_unnamed:
        notes.append(
            f"{clusters.n_unnamed} items of the run name no {clusters.unit}; each stands alone"
        )
    return f"{interval.method} ({clusters.unit})", notes


def _chance(
    column: _Column, stratum: _Stratum, plan: AnalysisPlan
) -> tuple[float | None, float | None, float | None]:
    if column.metric not in (plan.headline, f"{plan.headline}_answered"):
        return None, None, None
    chances = [
        chance for chance, weight in zip(stratum.chances, column.weights, strict=True) if weight
    ]
    known = [chance for chance in chances if chance is not None]
    if not known or len(known) < len(chances):
        return None, None, None
    band = poisson_binomial_band(known, level=plan.level)
    return band.mean, band.low, band.high
