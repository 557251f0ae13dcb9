"""The measure of a description: how many facts are right, wrong, missing and added, as one number.

Weights and penalties are our choice and stand here alone. Organ and side weigh most, because a
finding reported in the wrong place is the error that harms; a wrong organ, side or presence counts
twice on top of that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from overread.metrics.spec import MetricSpec

__all__ = [
    "BY_MODEL",
    "BY_RULE",
    "CLINICAL",
    "FACTS",
    "FACT_SCORE",
    "FACT_SCORE_BY_MODEL",
    "ORGAN_ERROR",
    "ORGAN_ERROR_BY_MODEL",
    "SIDE_ERROR",
    "SIDE_ERROR_BY_MODEL",
    "WEIGHTS",
    "FactCount",
    "FactMetrics",
    "FactName",
    "fact_score",
]

FactName: TypeAlias = Literal[
    "presence", "body part", "organ", "side", "site", "type", "size", "attribute"
]
FACTS: Final[tuple[FactName, ...]] = (
    "presence",
    "body part",
    "organ",
    "side",
    "site",
    "type",
    "size",
    "attribute",
)
WEIGHTS: Final[Mapping[FactName, float]] = MappingProxyType(
    {
        "presence": 3.0,
        "body part": 1.0,
        "organ": 3.0,
        "side": 3.0,
        "site": 1.0,
        "type": 2.0,
        "size": 2.0,
        "attribute": 1.0,
    }
)
"""Of one value of each fact; a lesion may have several sites and attributes."""
CLINICAL: Final[frozenset[FactName]] = frozenset(("presence", "organ", "side"))
"""Facts that count twice when they are wrong."""
_WRONG: Final = 1.0
_CLINICALLY_WRONG: Final = 2.0
_MISSING: Final = 0.5
_ADDED: Final = 0.25
_INVENTED: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCount:
    """How often one fact was right, wrong, missing or added; numbers of values, 0 or more."""

    right: int = 0
    wrong: int = 0
    """The description contradicts the reference."""
    missing: int = 0
    """The reference says it, the description says nothing, or less exactly."""
    added: int = 0
    """The description says it of a lesion of the reference, which says nothing."""
    invented: int = 0
    """It belongs to a lesion that the reference does not speak of."""


def fact_score(counts: Mapping[FactName, FactCount]) -> float | None:
    """Make one number of the counts of all facts.

    R / (R + W + M/2 + A/4 + I/2), each a sum of weights: R of the values that are right, W of
    those that are wrong (a wrong presence, organ or side twice), M missing, A added, I invented.
    With W alone to weigh in it is precision and recall in one: as in F1, what is missing costs half
    of what is wrong. What is added costs a quarter: a reference of one sentence is never complete.

    Parameters
    ----------
    counts
        Facts that are absent count nothing.

    Returns
    -------
    float or None
        0 to 1; None where the reference states no fact.

    Examples
    --------
    A left lung nodule described as a right one: chest, lung and nodule are right, 6 of weight; the
    side is wrong, 3 of weight, twice.

    >>> right, wrong = FactCount(right=1), FactCount(wrong=1)
    >>> fact_score({"body part": right, "organ": right, "type": right, "side": wrong})
    0.5
    """
    gained = lost = stated = 0.0
    for fact, count in counts.items():
        weight = WEIGHTS[fact]
        worst = _CLINICALLY_WRONG if fact in CLINICAL else _WRONG
        gained += weight * count.right
        stated += weight * (count.right + count.wrong + count.missing)
        lost += weight * (worst * count.wrong + _MISSING * count.missing)
        lost += weight * (_ADDED * count.added + _INVENTED * count.invented)
    return gained / (gained + lost) if stated else None


FACT_SCORE: Final = MetricSpec(
    name="fact_score",
    version="3",
    title="Facts right",
    direction="up",
    low=0.0,
    high=1.0,
    unit="score",
    properties=frozenset({"order invariant", "deaf to case", "best for identical texts"}),
    undefined="the reference cannot be read or states no fact",
)
SIDE_ERROR: Final = MetricSpec(
    name="side_error",
    version="3",
    title="Wrong side",
    direction="down",
    low=0.0,
    high=1.0,
    unit="share",
    properties=frozenset({"order invariant"}),
    undefined="the reference or the description states no side",
)
"""The share of descriptions with another side than the reference's, among those that state a side
at all. A description without one is neither wrong nor free of error: it has no value and is
counted, so that silence earns nothing. Version 1 counted it as free of error."""
ORGAN_ERROR: Final = MetricSpec(
    name="organ_error",
    version="3",
    title="Wrong organ",
    direction="down",
    low=0.0,
    high=1.0,
    unit="share",
    properties=frozenset({"order invariant"}),
    undefined="the reference or the description states no organ",
)
"""The share of descriptions that place the lesion in another organ or body part than the
reference, among those that name one. Version 1 counted those that name none as free of error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactMetrics:
    """What is made of one way of reading facts."""

    score: MetricSpec
    side_error: MetricSpec
    organ_error: MetricSpec


def _by_model(spec: MetricSpec) -> MetricSpec:
    return replace(
        spec,
        name=f"{spec.name}_by_model",
        title=f"{spec.title}, read by a model",
        properties=frozenset(),  # of the comparison they hold; what a model reads is its own affair
        undefined=f"{spec.undefined}, or the model's reading of either failed",
    )


FACT_SCORE_BY_MODEL: Final = _by_model(FACT_SCORE)
SIDE_ERROR_BY_MODEL: Final = _by_model(SIDE_ERROR)
ORGAN_ERROR_BY_MODEL: Final = _by_model(ORGAN_ERROR)

BY_RULE: Final = FactMetrics(score=FACT_SCORE, side_error=SIDE_ERROR, organ_error=ORGAN_ERROR)
BY_MODEL: Final = FactMetrics(
    score=FACT_SCORE_BY_MODEL, side_error=SIDE_ERROR_BY_MODEL, organ_error=ORGAN_ERROR_BY_MODEL
)
"""Names of their own: a score that rests on a model's reading is never taken for one that rests on
rules."""
