"""How far judges agree with each other, and how much of what they were asked they answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from overread.analysis.strata import stratum_generator
from overread.analysis.verdicts import planned_clusters
from overread.contracts import AnalysisPlan
from overread.records import PlannedItem, Vote
from overread.stats.rater_agreement import (
    Agreement,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
)

__all__ = ["Agreement", "JudgeAgreement", "JudgeCoverage", "JudgePair", "judge_agreement"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCoverage:
    """What one judge did."""

    judge: str
    n_asked: int
    """Responses that it was asked about and that are planned."""
    n_readable: int
    """Of them, those with a verdict that could be read."""
    n_yes: int
    """Of those, how many it called right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePair:
    """Two judges over the responses on which both gave a verdict."""

    first: str
    second: str
    percent: Agreement
    kappa: Agreement


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement:
    """All judges of one run under one profile."""

    coverage: tuple[JudgeCoverage, ...]
    """In order of name."""
    pairs: tuple[JudgePair, ...]
    percent: Agreement | None
    """Share of agreeing pairs of verdicts; None for a single judge, as are the next two."""
    fleiss: Agreement | None
    """Over the responses on which every judge gave a verdict."""
    alpha: Agreement | None
    """Krippendorff's, over the responses with two verdicts or more."""


def judge_agreement(
    votes: Iterable[Vote],
    planned: Sequence[PlannedItem],
    plan: AnalysisPlan,
    *,
    jury: Sequence[str] = (),
) -> JudgeAgreement:
    """Compare the judges of a run vote by vote, joined by item and draw.

    Parameters
    ----------
    votes
        Votes of one run under one profile. Of two votes of one judge on one response the later
        one stands; votes on what is not planned are left out.
    planned
        The run's plan.
    plan
        Cluster, level, draws and seed of the intervals.
    jury
        Judges that belong to it even if they have no vote yet; those with votes always do.

    Returns
    -------
    JudgeAgreement
        A vote without a verdict is missing: neither agreement nor disagreement.
    """
    by_judge: dict[str, dict[tuple[str, int], bool | None]] = {judge: {} for judge in jury}
    known = {(line.item, line.draw) for line in planned}
    for vote in votes:
        if (vote.item, vote.draw) in known:
            by_judge.setdefault(vote.judge, {})[vote.item, vote.draw] = vote.verdict
    judges = sorted(by_judge)
    ratings = {
        judge: [by_judge[judge].get((line.item, line.draw)) for line in planned] for judge in judges
    }
    coverage = tuple(
        JudgeCoverage(
            judge=judge,
            n_asked=len(by_judge[judge]),
            n_readable=sum(verdict is not None for verdict in by_judge[judge].values()),
            n_yes=sum(verdict is True for verdict in by_judge[judge].values()),
        )
        for judge in judges
    )
    codes = planned_clusters(planned, plan.cluster).codes
    pairs = tuple(_pair(ratings, pair, codes, plan) for pair in combinations(judges, 2))
    if len(judges) < 2:
        return JudgeAgreement(coverage=coverage, pairs=pairs, percent=None, fleiss=None, alpha=None)
    percent, fleiss, alpha = (
        statistic(
            list(ratings.values()),
            clusters=codes,
            draws=plan.bootstrap_draws,
            level=plan.level,
            rng=stratum_generator(plan.seed, {}, *judges),
        )
        for statistic in (percent_agreement, fleiss_kappa, krippendorff_alpha)
    )
    return JudgeAgreement(
        coverage=coverage, pairs=pairs, percent=percent, fleiss=fleiss, alpha=alpha
    )


def _pair(
    ratings: Mapping[str, list[bool | None]],
    pair: tuple[str, str],
    codes: NDArray[np.int64],
    plan: AnalysisPlan,
) -> JudgePair:
    first, second = (ratings[judge] for judge in pair)
    return JudgePair(
        first=pair[0],
        second=pair[1],
        percent=percent_agreement(
            [first, second],
            clusters=codes,
            draws=plan.bootstrap_draws,
            level=plan.level,
            rng=stratum_generator(plan.seed, {}, *pair),
        ),
        kappa=cohen_kappa(
            first,
            second,
            clusters=codes,
            draws=plan.bootstrap_draws,
            level=plan.level,
            rng=stratum_generator(plan.seed, {}, *pair),
        ),
    )
