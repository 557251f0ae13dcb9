"""The items behind a corrected number, and its interval clustered by patient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from overread.stats.cluster_wilson import SHARE, Ends
from overread.stats.few_clusters import cluster_interval
from overread.stats.intervals import Interval
from overread.stats.sums_interval import sums_interval

__all__ = ["MeanSample", "Sample", "SumsSample", "intervals_of"]

_DRAWS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanSample:
    """A mean over some of the questions."""

    values: NDArray[np.float64]
    """(questions,) finite everywhere; what it holds for a question without weight is not read."""
    counts: NDArray[np.bool_]
    """(questions,) which ones are in the denominator."""
    ends: Ends = SHARE
    """Least and largest value that there can be."""

    @property
    def n(self) -> int:
        """How many questions count."""
        return int(self.counts.sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class SumsSample:
    """A statistic of sums over some of the questions: a kappa, a corpus BLEU."""

    table: NDArray[np.float64]
    """(rows, sums) what each question adds."""
    places: NDArray[np.int64]
    """(rows,) place of each row's question."""
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    """(…, sums) → (…)."""
    ends: Ends
    """Least and largest value that there can be."""

    @property
    def n(self) -> int:
        """How many questions count."""
        return len(self.table)


Sample: TypeAlias = MeanSample | SumsSample


def intervals_of(
    samples: Sequence[Sample | None], clusters: NDArray[np.int64], *, rng: np.random.Generator
) -> list[Interval | None]:
    """Give the value and interval of every sample; None where there is no sample.

    Parameters
    ----------
    samples
        In any order.
    clusters
        (questions,) the patient of each question.
    rng
        Source of randomness; means share their resamples.
    """
    means = [one for one in samples if isinstance(one, MeanSample)]
    found: dict[int, Interval] = {}
    if means and len(clusters):
        values = np.stack([np.where(one.counts, one.values, 0.0) for one in means], axis=1)
        weights = np.stack([one.counts for one in means], axis=1).astype(np.float64)
        ends = [one.ends for one in means]
        each = cluster_interval(values, clusters, ends=ends, weights=weights, draws=_DRAWS, rng=rng)
        found = {id(one): interval for one, interval in zip(means, each, strict=True)}
    return [
        sums_interval(
            one.table,
            one.statistic,
            clusters[one.places],
            ends=one.ends,
            draws=_DRAWS,
            rng=rng,
        )
        if isinstance(one, SumsSample)
        else found.get(id(one))
        for one in samples
    ]
