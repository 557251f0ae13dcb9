"""Measures of claims: what is made up and left out, by output and by claim; what voting changes.

A finding is *present* where the label says so and *claimed* where the output asserts it. Values are
None, never 0, where a denominator is 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected
from overread.metrics.spec import MetricSpec

__all__ = [
    "CLAIM_CELLS",
    "CLAIM_F1",
    "CLAIM_MACRO_F1",
    "CLEAN",
    "FABRICATED_OF_ABSENT",
    "FABRICATED_OF_CLAIMED",
    "FINDING_F1",
    "NAMING_EFFECT",
    "NO_FABRICATION",
    "NO_OMISSION",
    "OMITTED_OF_PRESENT",
    "RIGHT_SIDE",
    "SPECIFICS",
    "ClaimCounts",
    "any_of_independent",
    "claim_counts",
    "effective_voters",
    "expected_calibration_error",
    "keep_by_votes",
    "length_auc",
    "matched_difference",
    "standardised",
    "votes_of_independent",
    "youden_threshold",
]


def _share(name: str, title: str, undefined: str) -> MetricSpec:
    return MetricSpec(
        name=name,
        version="1",
        title=title,
        direction="up",
        low=0.0,
        high=1.0,
        unit="share",
        properties=frozenset({"order invariant"}),
        undefined=undefined,
    )


CLEAN: Final = _share("clean", "Free of hallucination", "no finding has a definite label")
"""Outputs without a finding made up, left out or put on the wrong side; 1 less the share is the
hallucination rate."""
NO_FABRICATION: Final = _share("no_fabrication", "Nothing made up", "no finding is known absent")
NO_OMISSION: Final = _share("no_omission", "Nothing left out", "no finding is known present")
RIGHT_SIDE: Final = _share("right_side", "Sides right", "no side is told by both")


def _cell(name: str, title: str) -> MetricSpec:
    return MetricSpec(
        name=name,
        version="1",
        title=title,
        direction="none",
        low=0.0,
        high=1.0,
        unit="count",
        properties=frozenset({"order invariant"}),
        undefined="never: there is a row only where there is a claim to count",
    )


CLAIM_TP: Final = _cell("claim_tp", "Findings asserted rightly")
CLAIM_FP: Final = _cell("claim_fp", "Findings made up")
CLAIM_FN: Final = _cell("claim_fn", "Findings left out")
CLAIM_TN: Final = _cell("claim_tn", "Absent findings not asserted")
CLAIM_CELLS: Final[Mapping[str, MetricSpec]] = {
    "tp": CLAIM_TP,
    "fp": CLAIM_FP,
    "fn": CLAIM_FN,
    "tn": CLAIM_TN,
}


def _rate(name: str, title: str, direction: Literal["up", "down"], undefined: str) -> MetricSpec:
    return MetricSpec(
        name=name,
        version="1",
        title=title,
        direction=direction,
        low=0.0,
        high=1.0,
        unit="share",
        properties=frozenset({"order invariant"}),
        undefined=undefined,
    )


FABRICATED_OF_ABSENT: Final = _rate(
    "fabricated_of_absent", "Made up, of absent findings", "down", "no finding is known absent"
)
FABRICATED_OF_CLAIMED: Final = _rate(
    "fabricated_of_claimed", "Made up, of claims", "down", "nothing is asserted"
)
OMITTED_OF_PRESENT: Final = _rate(
    "omitted_of_present", "Left out, of present findings", "down", "no finding is known present"
)
CLAIM_F1: Final = _rate("claim_f1", "F1 of claims", "up", "nothing is present or asserted")
CLAIM_MACRO_F1: Final = _rate(
    "claim_macro_f1", "F1, mean over findings", "up", "nothing is present or asserted"
)
FINDING_F1: Final = _rate("finding_f1", "F1 of one finding", "up", "never present or asserted")
NAMING_EFFECT: Final = MetricSpec(
    name="naming_effect",
    version="1",
    title="Clean after an absent finding was named, less before",
    direction="up",
    low=-1.0,
    high=1.0,
    unit="share",
    properties=frozenset({"order invariant"}),
    undefined="no picture was described both ways",
)
SPECIFICS: Final[Mapping[str, tuple[Mapping[str, float], Mapping[str, float]]]] = {
    "fabricated_of_absent": ({"claim_fp": 1.0}, {"claim_fp": 1.0, "claim_tn": 1.0}),
    "fabricated_of_claimed": ({"claim_fp": 1.0}, {"claim_fp": 1.0, "claim_tp": 1.0}),
    "omitted_of_present": ({"claim_fn": 1.0}, {"claim_fn": 1.0, "claim_tp": 1.0}),
    "claim_f1": ({"claim_tp": 2.0}, {"claim_tp": 2.0, "claim_fp": 1.0, "claim_fn": 1.0}),
}
"""Name of a rate per claim → what is summed over what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimCounts:
    """Findings of several outputs in four cells, and outputs with an error of each kind."""

    tp: int
    fp: int
    fn: int
    tn: int
    outputs: int
    with_fp: int
    with_fn: int
    with_either: int

    def rate(self, name: str) -> float | None:
        """Give one of `SPECIFICS`; None where its denominator is 0."""
        cells = {"claim_tp": self.tp, "claim_fp": self.fp, "claim_fn": self.fn, "claim_tn": self.tn}
        over, under = (
            sum(weight * cells[cell] for cell, weight in part.items()) for part in SPECIFICS[name]
        )
        return over / under if under else None


def claim_counts(present: NDArray[np.bool_], asserted: NDArray[np.bool_]) -> ClaimCounts:
    """Count the cells of outputs by findings, all labels definite.

    Parameters
    ----------
    present, asserted
        Shape (outputs, findings).

    Raises
    ------
    UsageError
        The shapes differ.

    Examples
    --------
    >>> present = np.array([(1, 0, 0), (0, 0, 0), (1, 1, 0), (0, 0, 1)], dtype=bool)
    >>> asserted = np.array([(1, 1, 0), (1, 0, 1), (1, 0, 0), (0, 0, 1)], dtype=bool)
    >>> counts = claim_counts(present, asserted)
    >>> (counts.tp, counts.fp, counts.fn, counts.tn), counts.rate("fabricated_of_absent")
    ((3, 3, 1, 5), 0.375)
    """
    if present.shape != asserted.shape or present.ndim != 2:
        raise UsageError(
            expected(
                "asserted",
                rule=f"the shape of present, {present.shape}, of two axes",
                got=asserted.shape,
                remedy="Give one row an output and one column a finding on both sides.",
            )
        )
    fp, fn = asserted & ~present, present & ~asserted
    return ClaimCounts(
        tp=int((present & asserted).sum()),
        fp=int(fp.sum()),
        fn=int(fn.sum()),
        tn=int((~present & ~asserted).sum()),
        outputs=len(present),
        with_fp=int(fp.any(axis=1).sum()),
        with_fn=int(fn.any(axis=1).sum()),
        with_either=int((fp | fn).any(axis=1).sum()),
    )


# ---------------------------------------------------------------- what chance and voting do


def any_of_independent(probability: float, findings: int) -> float:
    """Give how often a blind reader makes up something: each of so many findings by chance.

    Examples
    --------
    >>> round(any_of_independent(0.10, 12), 5), round(any_of_independent(0.05, 12), 5)
    (0.71757, 0.45964)
    """
    return 1.0 - (1.0 - probability) ** findings


def votes_of_independent(probability: float, *, voters: int, at_least: int) -> float:
    """Give how often at least so many of independent voters err together (binomial tail).

    Examples
    --------
    >>> round(votes_of_independent(0.33, voters=3, at_least=2), 6)
    0.254826
    """
    return sum(
        math.comb(voters, k) * probability**k * (1 - probability) ** (voters - k)
        for k in range(at_least, voters + 1)
    )


def keep_by_votes(
    asserted: NDArray[np.bool_], threshold: float, weights: Sequence[float] | None = None
) -> NDArray[np.bool_]:
    """Keep the findings that enough voters assert.

    Parameters
    ----------
    asserted
        Shape (voters, outputs, findings).
    threshold
        Votes needed, or their weight where `weights` are given.
    weights
        One a voter; None counts heads.

    Returns
    -------
    array
        Shape (outputs, findings).
    """
    each = np.ones(len(asserted)) if weights is None else np.asarray(weights, dtype=np.float64)
    votes = np.tensordot(each, asserted.astype(np.float64), axes=1)
    return np.asarray(votes >= threshold - 1e-12)


def effective_voters(errors: NDArray[np.bool_]) -> float | None:
    """Give how many independent voters would vary as much: m / (1 + (m - 1) r).

    Here r is the mean correlation of the errors of two voters.

    Parameters
    ----------
    errors
        Shape (voters, claims).

    Returns
    -------
    float or None
        Up to the number of voters, more where errors avoid each other; None where a voter never
        errs or always does, or there is one only.
    """
    if len(errors) < 2 or not all(0 < each.mean() < 1 for each in errors):
        return None
    correlations = np.corrcoef(errors.astype(np.float64))
    m = len(errors)
    mean = float((correlations.sum() - m) / (m * (m - 1)))
    under = 1 + (m - 1) * mean
    return m / under if under > 1e-9 else None


# ---------------------------------------------------------------- length, prevalence, confidence


def length_auc(lengths: NDArray[np.float64], hallucinated: NDArray[np.bool_]) -> float | None:
    """Give how often a hallucinated output is the longer one of a pair; ties count one half.

    Examples
    --------
    >>> length_auc(np.array([300.0, 400, 100, 200, 400]), np.array([1, 1, 0, 0, 0], dtype=bool))
    0.75
    """
    long, short = lengths[hallucinated], np.sort(lengths[~hallucinated])
    if not len(long) or not len(short):
        return None
    below = np.searchsorted(short, long, side="left")
    up_to = np.searchsorted(short, long, side="right")
    return float((below + up_to).sum() / (2 * len(long) * len(short)))


def youden_threshold(lengths: NDArray[np.float64], hallucinated: NDArray[np.bool_]) -> float | None:
    """Give the length from which on "hallucinated" is the best bet: sensitivity + specificity.

    The smallest of several equally good; None where one kind is absent.
    """
    if not hallucinated.any() or hallucinated.all():
        return None
    cuts = np.unique(lengths)
    said = lengths[None, :] >= cuts[:, None]
    index = said[:, hallucinated].mean(axis=1) - said[:, ~hallucinated].mean(axis=1)
    return float(cuts[int(np.argmax(index))])


def matched_difference(
    first: tuple[NDArray[np.float64], NDArray[np.bool_]],
    second: tuple[NDArray[np.float64], NDArray[np.bool_]],
    edges: Sequence[float],
) -> float | None:
    """Compare two error rates at equal length, or at equal numbers of claims.

    Parameters
    ----------
    first, second
        Length (or number of claims) and error of each output.
    edges
        Where one bin ends and the next begins; a value on an edge is in the upper bin.

    Returns
    -------
    float or None
        Rate of the second less that of the first, averaged over the bins that both have outputs
        in, each weighing as the smaller of its two counts; None where they share no bin.
    """
    bins = [np.digitize(values, np.asarray(edges)) for values, _ in (first, second)]
    total = weight = 0.0
    for each in range(len(edges) + 1):
        errors = [pair[1][found == each] for pair, found in zip((first, second), bins, strict=True)]
        n = min(len(one) for one in errors)
        if n:
            total += n * float(errors[1].mean() - errors[0].mean())
            weight += n
    return total / weight if weight else None


def standardised(rates: Mapping[str, float], shares: Mapping[str, float]) -> float | None:
    """Weigh the rates of strata as they are stated to occur: a sample is no clinic.

    None where a stratum with a share has no rate, or shares do not add up to 1.
    """
    if abs(sum(shares.values()) - 1) > 1e-9 or not all(name in rates for name in shares):
        return None
    return sum(rates[name] * share for name, share in shares.items())


def expected_calibration_error(
    confidence: NDArray[np.float64], right: NDArray[np.bool_], bins: int = 10
) -> float | None:
    """Give the mean gap between confidence and share right over equal bins of 0 to 1.

    None without an answer. A confidence of 1 is in the last bin.

    Examples
    --------
    >>> round(expected_calibration_error(np.array([0.9, 0.9]), np.array([True, False])), 6)
    0.4
    """
    if not len(confidence):
        return None
    at = np.minimum((confidence * bins).astype(int), bins - 1)
    gaps = [
        abs(float(right[at == each].mean() - confidence[at == each].mean())) * (at == each).mean()
        for each in range(bins)
        if (at == each).any()
    ]
    return float(sum(gaps))
