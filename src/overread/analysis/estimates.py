"""Score rows become estimates: the five numbers of the score card, for every stratum.

For a headline metric such as ``accuracy``: the share right over all planned items, over answered
items (``accuracy_answered``), the share without an answer (``no_answer``), the chance level with
its band, and the gain over the blind floor (``gain_over_blind``). The denominator is the plan:
what did not arrive counts as not right, and the estimate says how many there were.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from overread.analysis.also_scores import AlsoScores, also_column, also_scores
from overread.analysis.blind_floor import BlindFloor
from overread.analysis.corpus_metrics import TextPairs
from overread.analysis.plan_strata import PlanStratum, narrow, plan_strata
from overread.analysis.score_columns import Column, CorpusTable, headline_columns
from overread.analysis.strata import is_within, stratum_generator
from overread.analysis.verdicts import join_verdicts
from overread.contracts import AnalysisPlan
from overread.records import Estimate, PlannedItem, Profile, PublishedValue, Score, Status
from overread.registry import metric_spec
from overread.stats.cluster_wilson import SHARE, Ends
from overread.stats.few_clusters import FEW_CLUSTERS, cluster_interval
from overread.stats.intervals import Interval, poisson_binomial_band, wilson
from overread.stats.sums_interval import sums_interval

__all__ = ["estimate"]

_PROFILES: tuple[Profile, ...] = ("published", "honest")
_MOST_UNKNOWN_CHANCES = 0.05
"""Of a headline over closed questions, a few leave answers that cannot be listed: with more than
one in twenty no chance is given. Of other headlines every chance must be known."""
_Only: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]


def estimate(
    scores: Iterable[Score],
    planned: Sequence[PlannedItem],
    plan: AnalysisPlan,
    *,
    floors: Iterable[BlindFloor] = (),
    published: Iterable[PublishedValue] = (),
    texts: TextPairs | None = None,
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
    texts
        Predictions and references (`corpus_metrics.text_pairs`), for those of `plan.also` that
        belong to a whole corpus, such as ``bleu``; None leaves them out.

    Returns
    -------
    tuple of Estimate
        By stratum in the order of the plan: the headline's numbers by profile, then the further
        metrics (`plan.also`) in their order. Strata without a question that a metric is about have
        no row of it. A metric scored for several targets has one row each, whose stratum names it
        (``judge``). Strata of a key with several labels come twice, whole and under
        `plan_strata.WEIGHTING`.

        Cells (`plan.cells`) of shares have Wilson intervals, which take items as independent, and
        say so where several belong to one patient; where a plan does not take them so
        (`cells_are_independent`) such cells are clustered like the rest. All else has a bootstrap
        over `plan.cluster`; where fewer than `FEW_CLUSTERS` of them carry weight an interval made
        for few, within the range of the metric (`stats.cluster_wilson`; Student's t for a metric
        without one; a jackknife for a corpus metric). A value without an interval (one item, one
        patient, no variation) has a reason and no bounds.

    Notes
    -----
    The `published` profile leaves out of its denominators what the benchmark's own code drops
    (`plan.published_drops`), and says how much that was; `honest` never drops.
    Cells with repeated draws are bootstrapped as well, for draws of one item are no independent
    items. `gain_over_blind` keeps the pairs: item by item it is the score less the credit of the
    best blind policy. That policy is chosen with hindsight, so the gain errs on the low side.
    """
    all_scores, published_rows = list(scores), list(published)
    profiles = _profiles(all_scores, plan)
    verdicts = {
        profile: join_verdicts(all_scores, planned, plan, profile=profile) for profile in profiles
    }
    further = also_scores(all_scores, planned, plan, texts)
    scopes = {_name(only): only for only in (plan.headline_only, *(e.also.only for e in further))}
    masks = {name: _included(planned, only) for name, only in scopes.items()}
    estimates: list[Estimate] = []
    for stratum in plan_strata(planned, plan, list(floors)):
        headline = narrow(stratum, masks[_name(plan.headline_only)])
        if headline is not None:
            columns = [
                column
                for profile in profiles
                for column in headline_columns(verdicts[profile], headline, plan.headline, profile)
            ]
            estimates += _rows(columns, headline, plan, published_rows)
        estimates += _further_rows(further, stratum, masks, plan, published_rows)
    return tuple(estimates)


def _profiles(scores: Sequence[Score], plan: AnalysisPlan) -> list[Profile]:
    """List the profiles that the headline was scored under; all that were scored where none was."""
    for found in (
        {score.profile for score in scores if score.metric == plan.headline},
        {score.profile for score in scores},
    ):
        if found:
            return [profile for profile in _PROFILES if profile in found]
    return list(_PROFILES)


def _name(only: Mapping[str, Sequence[str]]) -> _Only:
    return tuple(sorted((key, tuple(sorted(values))) for key, values in only.items()))


def _included(
    planned: Sequence[PlannedItem], only: Mapping[str, Sequence[str]]
) -> NDArray[np.bool_]:
    return np.array([is_within(line.strata, only) for line in planned], dtype=np.bool_)


def _further_rows(
    further: Sequence[AlsoScores],
    stratum: PlanStratum,
    masks: Mapping[_Only, NDArray[np.bool_]],
    plan: AnalysisPlan,
    published: Sequence[PublishedValue],
) -> Iterator[Estimate]:
    """Estimate further metrics, those over the same questions together, and keep their order."""
    by_scope: dict[_Only, list[int]] = {}
    for place, scores in enumerate(further):
        by_scope.setdefault(_name(scores.also.only), []).append(place)
    found: dict[int, Estimate] = {}
    for name, places in by_scope.items():
        scope = narrow(stratum, masks[name])
        if scope is not None:
            columns = [also_column(further[place], scope) for place in places]
            found |= zip(places, _rows(columns, scope, plan, published), strict=True)
    yield from (found[place] for place in sorted(found))


def _rows(
    columns: Sequence[Column],
    stratum: PlanStratum,
    plan: AnalysisPlan,
    published: Sequence[PublishedValue],
) -> list[Estimate]:
    intervals = _intervals(columns, stratum, plan)
    return [
        _row(column, interval, stratum, plan, published)
        for column, interval in zip(columns, intervals, strict=True)
    ]


def _intervals(
    columns: Sequence[Column], stratum: PlanStratum, plan: AnalysisPlan
) -> list[Interval]:
    plain = stratum.keys == plan.cells or not stratum.clusters.named
    plain = plain and not stratum.repeated and not stratum.is_shared
    # Where a patient has several items in one cell they may hang together more than a Wilson
    # interval bears.
    several = len(np.unique(stratum.codes)) < len(stratum.codes)
    clustered = several and not plan.cells_are_independent
    found: dict[int, Interval] = {}
    for place, column in enumerate(columns):
        if column.corpus is not None:
            found[place] = _corpus_interval(column, column.corpus, stratum, plan)
        elif plain and column.is_share and not clustered:
            found[place] = _wilson(column, plan)
    rest = [place for place in range(len(columns)) if place not in found]
    if rest:
        drawn = cluster_interval(
            np.stack([columns[place].values for place in rest], axis=1),
            stratum.codes,
            ends=[_held_ends(columns[place], stratum, plan) for place in rest],
            weights=np.stack([columns[place].weights for place in rest], axis=1),
            draws=plan.bootstrap_draws,
            level=plan.level,
            rng=stratum_generator(plan.seed, stratum.stratum),
        )
        for place, interval in zip(rest, drawn, strict=True):
            column = columns[place]
            # Where all patients agree there is nothing to resample, and still no certainty.
            alone = plain and column.is_share and not interval.defined
            found[place] = _wilson(column, plan) if alone else interval
    return [found[place] for place in range(len(columns))]


def _wilson(column: Column, plan: AnalysisPlan) -> Interval:
    successes = float(np.round((column.values * column.weights).sum()))
    return wilson(successes, int(column.weights.sum()), level=plan.level)


def _corpus_interval(
    column: Column, corpus: CorpusTable, stratum: PlanStratum, plan: AnalysisPlan
) -> Interval:
    counted = column.weights > 0
    return sums_interval(
        corpus.table[counted] * column.weights[counted, np.newaxis],
        corpus.value,
        stratum.codes[counted],
        ends=corpus.range,
        draws=plan.bootstrap_draws,
        level=plan.level,
        rng=stratum_generator(plan.seed, stratum.stratum),
    )


def _held_ends(column: Column, stratum: PlanStratum, plan: AnalysisPlan) -> Ends | None:
    """Give the ends of a column's values; None where a value leaves them.

    A benchmark's own code may compute what cannot be, such as a Dice of 1.99 of a mask of 255s.
    """
    ends = _ends(column, stratum, plan)
    counted = column.values[column.weights > 0]
    if ends is None or not counted.size:
        return ends
    slack = 1e-6 * (ends[1] - ends[0]) if np.isfinite(ends).all() else 0.0
    inside = ends[0] - slack <= counted.min() and counted.max() <= ends[1] + slack
    return ends if inside else None


def _ends(column: Column, stratum: PlanStratum, plan: AnalysisPlan) -> Ends | None:
    """Give the least and largest value that an item can have in a column; None where unknown."""
    if column.is_share:
        return SHARE
    if column.metric != "gain_over_blind":
        return _range(column.metric.removesuffix("_answered"))
    ends = _range(plan.headline)
    if stratum.floor is None or ends is None:
        return None
    least, most = ends
    if stratum.credit is not None:
        return least - most, most - least
    return least - stratum.floor.value, most - stratum.floor.value


def _range(metric: str) -> Ends | None:
    """Give the least and the largest value of a metric; None for one that declares nothing."""
    spec = metric_spec(metric)
    return None if spec is None else (spec.low, spec.high)


def _row(
    column: Column,
    interval: Interval,
    stratum: PlanStratum,
    plan: AnalysisPlan,
    published: Sequence[PublishedValue],
) -> Estimate:
    counted, named = column.weights > 0, {**stratum.stratum, **column.target}
    n_clusters = len(np.unique(stratum.codes[counted]))
    is_defined = column.undefined is None and interval.value is not None
    has_interval = is_defined and interval.defined
    method, notes = _method_and_notes(column, interval, stratum, n_clusters)
    chance, chance_low, chance_high = _chance(column, stratum, plan)
    notes += _chance_notes(column, stratum, chance)
    has_floor = column.metric in (plan.headline, "gain_over_blind")
    floor = stratum.floor if has_floor else None
    return Estimate(
        metric=column.metric,
        profile=column.profile,
        stratum=named,
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
            if value.metric == column.metric and dict(value.stratum) == named
        ),
    )


def _floor_value(floor: BlindFloor, column: Column, stratum: PlanStratum) -> float:
    """Give the floor over the items counted here, so that accuracy less floor is the gain."""
    counted = float(column.weights.sum())
    if stratum.credit is None or counted == 0:
        return floor.value
    return float(stratum.credit @ column.weights) / counted


def _method_and_notes(
    column: Column, interval: Interval, stratum: PlanStratum, n_clusters: int
) -> tuple[str, list[str]]:
    if column.undefined is not None:
        return "none", [column.undefined]
    if not interval.defined:
        return "none", [interval.reason or "no interval", *column.notes]
    notes, clusters = [*column.notes, *_label_notes(column, stratum)], stratum.clusters
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


def _label_notes(column: Column, stratum: PlanStratum) -> Iterator[str]:
    counted = column.weights > 0
    several = int((stratum.shares[counted] < 1).sum())
    if several and stratum.is_shared:
        yield f"{several} of {int(counted.sum())} items share their weight among several labels"
    elif several:
        yield f"{several} of {int(counted.sum())} items count under other labels as well"


def _chance(
    column: Column, stratum: PlanStratum, plan: AnalysisPlan
) -> tuple[float | None, float | None, float | None]:
    if column.metric not in (plan.headline, f"{plan.headline}_answered"):
        return None, None, None
    known, n_unknown = _known_chances(column, stratum)
    bearable = _MOST_UNKNOWN_CHANCES * len(known) if plan.headline_only else 0
    if not known or n_unknown > bearable:
        return None, None, None
    band = poisson_binomial_band(known, level=plan.level)
    return band.mean, band.low, band.high


def _known_chances(column: Column, stratum: PlanStratum) -> tuple[list[float], int]:
    """Give the chances that are known, and how many are not; none where items weigh unequally."""
    if stratum.is_shared:  # the band is of questions that weigh the same
        return [], 0
    chances = [
        line.chance for line, weight in zip(stratum.lines, column.weights, strict=True) if weight
    ]
    known = [chance for chance in chances if chance is not None]
    return known, len(chances) - len(known)


def _chance_notes(column: Column, stratum: PlanStratum, chance: float | None) -> Iterator[str]:
    if chance is None:
        return
    _, n_unknown = _known_chances(column, stratum)
    if n_unknown:
        items = "1 item" if n_unknown == 1 else f"{n_unknown} items"
        yield f"chance is without {items} whose possible answers cannot be listed"
