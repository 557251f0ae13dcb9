"""How much a mean over clustered items varies: standard error, design effect, items that count."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from overread.stats.bootstrap import as_table, cluster_sums, mean_or_reason

__all__ = ["ClusterSpread", "cluster_spread"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSpread:
    """The spread of a mean over items that come in clusters, such as questions of a patient."""

    n: int
    """Items."""
    n_clusters: int
    mean: float
    mean_square: float
    """Of the values themselves, not of their deviations; for differences of right (1) and wrong
    (0) it is the share of items that tell two readers apart."""
    standard_error: float | None
    """Of the mean: cluster-robust, never below that of independent items; None, with a reason, for
    one cluster and where all clusters agree."""
    design_effect: float | None
    """By how much clustering inflates the variance of the mean, 1 or more; None like the standard
    error."""
    largest_design_effect: float
    """What it would be if the items of a cluster always agreed: Σ size² / Σ size."""
    reason: str | None = None

    @property
    def effective_n(self) -> float:
        """Independent items that would say as much; cautious where the design effect is unknown."""
        return self.n / (self.design_effect or self.largest_design_effect)

    @property
    def spread(self) -> float | None:
        """Standard error × √clusters, which stays when more clusters of the same kind are added."""
        if self.standard_error is None:
            return None
        return self.standard_error * math.sqrt(self.n_clusters)


def cluster_spread(values: ArrayLike, clusters: NDArray[np.int64]) -> ClusterSpread:
    """Measure how much the mean of clustered items varies.

    Parameters
    ----------
    values
        (n,) one finite value for each of 1 or more items; for two readers their differences.
    clusters
        (n,) whole numbers of 0 or more: the cluster of each item.

    Raises
    ------
    UsageError
        Shapes disagree, or a value is not finite.

    Notes
    -----
    The standard error is the one of `few_clusters.cluster_t`. The design effect is its square over
    the squared standard error of independent items; L. Kish, Survey Sampling (1965), 5.4 and 8.2.

    Examples
    --------
    >>> import numpy as np
    >>> doubled = cluster_spread([1, 1, 0, 0, 1, 1, 0, 0], np.array([0, 0, 1, 1, 2, 2, 3, 3]))
    >>> f"{doubled.design_effect:.2f} {doubled.largest_design_effect:.0f}"
    '2.33 2'
    """
    table = as_table("values", values)
    sums = cluster_sums(table, clusters)
    sizes = sums.denominators[:, 0]
    n, n_clusters = int(sizes.sum()), sums.n_clusters
    mean, reason = mean_or_reason(sums.numerators[:, 0], sizes)
    error = effect = None
    if mean is not None and reason is None:
        between = float(((sums.numerators[:, 0] - mean * sizes) ** 2).sum())
        robust = n_clusters / (n_clusters - 1) * between / n**2
        within = float(((table[:, 0] - mean) ** 2).sum())
        independent = n / (n - 1) * within / n**2
        effect = max(1.0, robust / independent)
        error = math.sqrt(max(robust, independent))
    return ClusterSpread(
        n=n,
        n_clusters=n_clusters,
        mean=float(table.mean()),
        mean_square=float((table**2).mean()),
        standard_error=error,
        design_effect=effect,
        largest_design_effect=float((sizes**2).sum() / sizes.sum()),
        reason=reason,
    )
