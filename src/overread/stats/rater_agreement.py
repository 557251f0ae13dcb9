"""How well raters agree on categories: judges with each other, or with people.

A missing rating is None and never a category of its own. Each statistic is a function of sums over
items, so that whole clusters (patients) can be resampled without a pass over the items.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected
from overread.stats.bootstrap import cluster_sums
from overread.stats.cluster_wilson import DIFFERENCE, SHARE, Ends
from overread.stats.sums_interval import SumsStatistic, sums_interval

__all__ = [
    "Agreement",
    "Ratings",
    "cohen_kappa",
    "fleiss_kappa",
    "krippendorff_alpha",
    "percent_agreement",
]

Ratings: TypeAlias = Sequence[Hashable | None]
"""(n,) what one rater said of each item; None where nothing was said."""

_ROUNDING = 1e-12
_NOTHING = "no item has two ratings"
_ONE_CATEGORY = "every rating is of one category, so that agreement by chance is certain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """A coefficient of agreement with its interval, or the reason why there is none."""

    value: float | None
    low: float | None
    high: float | None
    level: float
    method: str
    """Of the interval: ``cluster bootstrap``, ``bounded cluster jackknife``, or ``none``."""
    n: int
    """Items that count."""
    n_left_out: int
    """Items with too few ratings to count."""
    reason: str | None = None
    """Why the value or the interval is undefined; None where both are there or no interval was
    asked for."""


def percent_agreement(
    raters: Sequence[Ratings],
    *,
    clusters: NDArray[np.int64] | None = None,
    draws: int = 2000,
    level: float = 0.95,
    rng: np.random.Generator | None = None,
) -> Agreement:
    """Share of agreeing pairs of ratings, averaged over items; for two raters the share agreed.

    Parameters
    ----------
    raters
        Two or more raters, each with one rating (or None) for each of the same n items.
    clusters
        (n,) cluster of each item, such as its patient; None lets each item stand alone.
    draws, level
        Of the interval.
    rng
        Source of randomness; None gives the value without an interval.

    Returns
    -------
    Agreement
        Value in 0..1. Items with fewer than two ratings are left out; undefined without others.

    Raises
    ------
    UsageError
        Fewer than two raters, or rows of different length.

    Examples
    --------
    >>> percent_agreement([[True, False, True], [True, True, None]]).value
    0.5
    """
    counts = _counts(raters)
    n_ratings = counts.sum(axis=1)
    sums = np.stack([_pair_share(counts), np.ones(len(counts))], axis=1)
    return _agreement(
        sums,
        n_ratings >= 2,
        _ratio,
        _NOTHING,
        clusters,
        when_none_used=_NOTHING,
        ends=SHARE,
        draws=draws,
        level=level,
        rng=rng,
    )


def cohen_kappa(
    first: Ratings,
    second: Ratings,
    *,
    clusters: NDArray[np.int64] | None = None,
    draws: int = 2000,
    level: float = 0.95,
    rng: np.random.Generator | None = None,
) -> Agreement:
    """Cohen's kappa of two raters: agreement beyond what their own habits give by chance.

    Parameters
    ----------
    first, second
        (n,) ratings of the same items; None where there is none.
    clusters, draws, level, rng
        As in `percent_agreement`.

    Returns
    -------
    Agreement
        (p_o - p_e) / (1 - p_e) in -1..1, over the items that both rated. Undefined where both
        always say the same one thing, for then p_e is 1.

    Raises
    ------
    UsageError
        The two are of different length.

    Notes
    -----
    Source: J. Cohen, Educ. Psychol. Meas. 20 (1960) 37, doi:10.1177/001316446002000104. Unweighted.

    Examples
    --------
    >>> kappa = cohen_kappa("a" * 25 + "b" * 25, "a" * 20 + "b" * 5 + "a" * 10 + "b" * 15)
    >>> round(kappa.value, 3)
    0.4
    """
    codes, n_categories = _codes([first, second])
    both = (codes[:, 0] >= 0) & (codes[:, 1] >= 0)
    cells = np.zeros((len(codes), n_categories * n_categories))
    cells[both, codes[both, 0] * n_categories + codes[both, 1]] = 1.0

    def kappa(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        table = sums.reshape(*sums.shape[:-1], n_categories, n_categories)
        total = sums.sum(axis=-1)
        observed = np.trace(table, axis1=-2, axis2=-1)
        by_chance = (table.sum(axis=-1) * table.sum(axis=-2)).sum(axis=-1)
        return _divide(observed * total - by_chance, total * total - by_chance)

    return _agreement(
        cells,
        both,
        kappa,
        _ONE_CATEGORY,
        clusters,
        when_none_used=_NOTHING,
        ends=DIFFERENCE,
        draws=draws,
        level=level,
        rng=rng,
    )


def fleiss_kappa(
    raters: Sequence[Ratings],
    *,
    partial_items: Literal["leave out", "keep"] = "leave out",
    clusters: NDArray[np.int64] | None = None,
    draws: int = 2000,
    level: float = 0.95,
    rng: np.random.Generator | None = None,
) -> Agreement:
    """Fleiss' kappa of two or more raters whose habits are taken as alike.

    Parameters
    ----------
    raters
        Two or more raters, each with one rating (or None) for each of the same n items.
    partial_items
        Fleiss' definition needs equally many ratings of every item. ``leave out`` counts only the
        items that every rater rated; ``keep`` counts all with two ratings or more, each item's
        share of agreeing pairs weighing the same and each rating the same in the category shares.
    clusters, draws, level, rng
        As in `percent_agreement`.

    Returns
    -------
    Agreement
        At most 1. Undefined where no item counts or all ratings are of one category; the reason
        says which.

    Raises
    ------
    UsageError
        Fewer than two raters, or rows of different length.

    Notes
    -----
    Source: J. L. Fleiss, Psychol. Bull. 76 (1971) 378, doi:10.1037/h0031619.
    """
    counts = _counts(raters)
    fewest = len(raters) if partial_items == "leave out" else 2
    sums = np.concatenate(
        [_pair_share(counts)[:, np.newaxis], np.ones((len(counts), 1)), counts], axis=1
    )

    def kappa(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        observed = _divide(sums[..., 0], sums[..., 1])
        ratings = sums[..., 2:]
        total = ratings.sum(axis=-1)
        by_chance = _divide((ratings * ratings).sum(axis=-1), total * total)
        return _divide(observed - by_chance, 1.0 - by_chance)

    return _agreement(
        sums,
        counts.sum(axis=1) >= fewest,
        kappa,
        _ONE_CATEGORY,
        clusters,
        when_none_used=_NOTHING if fewest == 2 else f"no item was rated by all {fewest} raters",
        ends=DIFFERENCE,
        draws=draws,
        level=level,
        rng=rng,
    )


def krippendorff_alpha(
    raters: Sequence[Ratings],
    *,
    clusters: NDArray[np.int64] | None = None,
    draws: int = 2000,
    level: float = 0.95,
    rng: np.random.Generator | None = None,
) -> Agreement:
    """Krippendorff's alpha for categories without order; ratings may be missing.

    Parameters
    ----------
    raters
        Two or more raters, each with one rating (or None) for each of the same n items.
    clusters, draws, level, rng
        As in `percent_agreement`.

    Returns
    -------
    Agreement
        1 - D_o / D_e, at most 1, over items with two ratings or more. Undefined where all those
        ratings are of one category.

    Raises
    ------
    UsageError
        Fewer than two raters, or rows of different length.

    Notes
    -----
    Source: K. Krippendorff, Content Analysis, 4th ed. (2018), chapter 12: an item with m ratings
    gives each ordered pair of them the weight 1 / (m - 1), and the expected disagreement draws
    pairs without replacement.
    """
    counts = _counts(raters)
    pairs = counts.sum(axis=1) * _pair_share(counts)
    sums = np.concatenate([pairs[:, np.newaxis], counts], axis=1)

    def alpha(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        ratings = sums[..., 1:]
        total = ratings.sum(axis=-1)
        unlike = total * total - (ratings * ratings).sum(axis=-1)
        return 1.0 - _divide((total - 1.0) * (total - sums[..., 0]), unlike)

    return _agreement(
        sums,
        counts.sum(axis=1) >= 2,
        alpha,
        _ONE_CATEGORY,
        clusters,
        when_none_used=_NOTHING,
        ends=DIFFERENCE,
        draws=draws,
        level=level,
        rng=rng,
    )


def _codes(raters: Sequence[Ratings]) -> tuple[NDArray[np.int64], int]:
    """Give each category a number: (n, raters) codes from 0, -1 where there is no rating."""
    lengths = {len(rater) for rater in raters}
    if len(raters) < 2 or len(lengths) > 1:
        raise UsageError(
            expected(
                "raters",
                rule="two or more raters of the same items",
                got=f"{len(raters)} raters with {sorted(lengths)} ratings",
                remedy="Join the ratings by item first; None stands for a missing one.",
            )
        )
    numbers: dict[Hashable, int] = {}
    codes = [
        [-1 if one is None else numbers.setdefault(one, len(numbers)) for one in rater]
        for rater in raters
    ]
    return np.array(codes, dtype=np.int64).T, len(numbers)


def _counts(raters: Sequence[Ratings]) -> NDArray[np.float64]:
    """How many raters put an item in a category: (n, categories)."""
    codes, n_categories = _codes(raters)
    return np.stack(
        [(codes == category).sum(axis=1, dtype=np.float64) for category in range(n_categories)]
        or [np.zeros(len(codes))],
        axis=1,
    )


def _pair_share(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of an item's pairs of ratings that agree, (n,); 0 where there is no pair."""
    n_ratings = counts.sum(axis=1)
    agreeing = (counts * (counts - 1.0)).sum(axis=1)
    return agreeing / np.maximum(n_ratings * (n_ratings - 1.0), 1.0)


def _ratio(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return _divide(sums[..., 0], sums[..., 1])


def _divide(
    numerator: NDArray[np.float64], denominator: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Divide, with NaN where the denominator is 0 but for rounding."""
    safe = np.asarray(denominator) > _ROUNDING
    return np.where(safe, numerator / np.where(safe, denominator, 1.0), np.nan)


def _agreement(
    table: NDArray[np.float64],
    used: NDArray[np.bool_],
    statistic: SumsStatistic,
    when_undefined: str,
    clusters: NDArray[np.int64] | None,
    *,
    when_none_used: str,
    ends: Ends,
    draws: int,
    level: float,
    rng: np.random.Generator | None,
) -> Agreement:
    """Evaluate a statistic of the sums of `table` (n, sums) over the items used."""
    codes = np.arange(len(table), dtype=np.int64) if clusters is None else np.asarray(clusters)
    # Shapes are checked before rows are picked, so that a message speaks of what was given.
    cluster_sums(table, codes)
    found = sums_interval(
        table[used], statistic, codes[used], ends=ends, draws=draws, level=level, rng=rng
    )
    n = int(used.sum())
    reason = found.reason
    if found.value is None:
        reason = when_undefined if n else when_none_used
    return Agreement(
        value=found.value,
        low=found.low,
        high=found.high,
        level=level,
        method=found.method if found.defined else "none",
        n=n,
        n_left_out=len(table) - n,
        reason=reason,
    )
