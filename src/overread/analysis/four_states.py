"""The same questions twice, as released and changed: which answers survive the change.

Right and right, right and wrong, wrong and right, wrong and wrong. The net effect is the share
that is lost less the share that is gained; persistence is how much of what was right stays right.
Chance fills all four: a guesser with five options gets 4, 16, 16 and 64 %, and a net effect of 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overread.stats.cluster_wilson import SHARE
from overread.stats.intervals import Interval, wilson
from overread.stats.paired import cluster_paired_difference, mcnemar_exact, sign_flip
from overread.stats.paired_shares import paired_wald
from overread.stats.results import TestResult

__all__ = ["FourStates", "PairedEffect", "four_states", "paired_effect"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FourStates:
    """How many questions came to which pair of answers."""

    right_right: int
    right_wrong: int
    wrong_right: int
    wrong_wrong: int

    @property
    def n(self) -> int:
        """All pairs."""
        return self.right_right + self.right_wrong + self.wrong_right + self.wrong_wrong

    @property
    def net_effect(self) -> float | None:
        """Share right as released less share right when changed; None without a pair."""
        return (self.right_wrong - self.wrong_right) / self.n if self.n else None

    @property
    def persistence(self) -> Interval:
        """Share of the right answers that stay right, with Wilson's interval.

        It takes questions as independent. Undefined where nothing was right.
        """
        return wilson(self.right_right, self.right_right + self.right_wrong)

    @property
    def mcnemar(self) -> TestResult:
        """McNemar's exact test, which takes questions as independent."""
        if self.n and self.right_wrong == self.wrong_right == 0:
            # Nothing moved at all: no evidence of any effect.
            return TestResult(p_value=1.0, method="mcnemar exact")
        return mcnemar_exact(self.right_wrong, self.wrong_right)

    @property
    def wald(self) -> Interval:
        """Wald's interval of the net effect, as papers print it; takes questions as independent."""
        return paired_wald(self.right_right, self.right_wrong, self.wrong_right, self.wrong_wrong)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedEffect:
    """What a change did to the values of the same questions."""

    n: int
    n_clusters: int
    states: FourStates | None
    """None where values are no right or wrong, such as shares of facts."""
    original: float
    """Mean as released."""
    changed: float
    """Mean when changed."""
    net: Interval
    """`original` less `changed`, clustered."""
    sign_flip: TestResult
    """Permutation by cluster."""


def four_states(original: NDArray[np.float64], changed: NDArray[np.float64]) -> FourStates | None:
    """Count the four states of values that are 0 or 1; None where any value is another one.

    Parameters
    ----------
    original, changed
        (n,) values of the same questions in the same order.

    Examples
    --------
    >>> import numpy as np
    >>> four_states(np.array([1.0, 1, 0, 0]), np.array([1.0, 0, 0, 0]))
    FourStates(right_right=1, right_wrong=1, wrong_right=0, wrong_wrong=2)
    """
    if not bool(np.isin(np.concatenate([original, changed]), (0.0, 1.0)).all()):
        return None
    one, two = original == 1.0, changed == 1.0
    return FourStates(
        right_right=int((one & two).sum()),
        right_wrong=int((one & ~two).sum()),
        wrong_right=int((~one & two).sum()),
        wrong_wrong=int((~one & ~two).sum()),
    )


def paired_effect(
    original: NDArray[np.float64],
    changed: NDArray[np.float64],
    clusters: NDArray[np.int64],
    *,
    bootstrap_draws: int,
    swaps: int,
    level: float,
    rng: np.random.Generator,
) -> PairedEffect:
    """Compare the values of the same questions as released and changed.

    Parameters
    ----------
    original, changed
        (n,) values, n at least 1.
    clusters
        (n,) independent unit of each question.
    bootstrap_draws, swaps
        How many resamples of the interval, and of the permutation.
    level, rng
        Coverage; source of randomness.
    """
    right_or_wrong = bool(np.isin([original, changed], (0.0, 1.0)).all())
    net = cluster_paired_difference(
        original,
        changed,
        clusters,
        ends=SHARE if right_or_wrong else None,
        draws=bootstrap_draws,
        level=level,
        rng=rng,
    )
    return PairedEffect(
        n=len(original),
        n_clusters=len(np.unique(clusters)),
        states=four_states(original, changed),
        original=float(original.mean()),
        changed=float(changed.mean()),
        net=net,
        sign_flip=sign_flip(original, changed, clusters, draws=swaps, rng=rng),
    )
