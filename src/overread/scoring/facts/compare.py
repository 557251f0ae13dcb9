"""Compares what two sentences say about lesions, fact by fact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from overread.metrics.facts import FACTS, FactCount, FactName, fact_score
from overread.scoring.facts.agreement import (
    FactVerdict,
    compared,
    invented,
    unanswered,
)
from overread.scoring.facts.facts import Lesion, LesionFacts

__all__ = ["FactComparison", "compare_facts"]

_MOST_LESIONS: Final = 12
"""Lesions of one text that are paired; further ones would cost more than they say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactComparison:
    """What became of each fact, and the score of it."""

    verdicts: tuple[FactVerdict, ...]
    """In the order of `metrics.facts.FACTS`, lesion by lesion of the reference."""
    score: float | None
    """0 to 1; None where the reference states no fact."""

    @property
    def counts(self) -> Mapping[FactName, FactCount]:
        """How often each fact was right, wrong, missing, added or invented."""
        return _counts(self.verdicts)

    def of(self, fact: FactName) -> tuple[FactVerdict, ...]:
        """Give the verdicts on one fact."""
        return tuple(verdict for verdict in self.verdicts if verdict.fact == fact)

    def is_wrong(self, *facts: FactName) -> bool:
        """Whether one of these facts is contradicted."""
        return any(each.outcome == "wrong" for each in self.verdicts if each.fact in facts)

    def states(self, *facts: FactName) -> bool:
        """Whether the reference states one of these facts."""
        return any(each.reference is not None for each in self.verdicts if each.fact in facts)

    def is_answered(self, *facts: FactName) -> bool:
        """Whether the prediction says anything, right or wrong, of what the reference states."""
        return any(
            each.reference is not None and each.prediction is not None
            for each in self.verdicts
            if each.fact in facts
        )

    @property
    def summary(self) -> str:
        """Tell all verdicts in a few words: ``organ right; side wrong (left, not right)``."""
        return "; ".join(_told(verdict) for verdict in self.verdicts)


def compare_facts(reference: LesionFacts, prediction: LesionFacts) -> FactComparison:
    """Compare a prediction with the reference.

    Lesions are paired one to one, the pair with the best score first; a lesion of the
    reference without a partner is missing, one of the prediction without is invented. Where the
    reference speaks of lesions that are there, what it says to be absent is not asked for.

    - *Right*: the same, or more exact: "right upper lobe" for "right lung".
    - *Missing*: not said, or less exactly: "chest" for "lung", "lesion" for "cyst", one side of
      two; or by another name that may mean the same: "mass" for "nodule".
    - *Wrong*: contradicted: another organ, another side, "both" for "left", a size that differs by
      more than 10 % and 2 mm, another value of an exclusive attribute, "no nodule" for a nodule.
    - *Added*: said, where the reference says nothing.
    - *Invented*: of a lesion that the reference does not speak of, or another organ, site, type or
      value beside the right one: "in the liver or the spleen".

    Parameters
    ----------
    reference, prediction
        As `reader.read_facts` gives them; unreadable ones say nothing.

    Examples
    --------
    >>> from overread.scoring.facts.reader import read_facts
    >>> left, right = read_facts("Left lung nodule."), read_facts("Right lung nodule.")
    >>> found = compare_facts(left, right)
    >>> found.score, found.is_wrong("side")
    (0.5, True)
    >>> compare_facts(left, read_facts("Pulmonary nodule on the left")).score
    1.0
    """
    right = reference.present or reference.lesions
    said = _answers(prediction, present=bool(reference.present))
    pairs = _paired(right[:_MOST_LESIONS], said[:_MOST_LESIONS])
    verdicts = [verdict for one, other in pairs for verdict in _judged(one, other)]
    return FactComparison(verdicts=tuple(verdicts), score=fact_score(_counts(verdicts)))


def _judged(one: Lesion | None, other: Lesion | None) -> tuple[FactVerdict, ...]:
    """Judge a pair of which one side may be missing."""
    if one is None:
        return () if other is None else invented(other)
    return unanswered(one) if other is None else compared(one, other)


def _answers(prediction: LesionFacts, *, present: bool) -> tuple[Lesion, ...]:
    """Choose what answers: beside lesions that are there, absent ones say nothing of them."""
    if present:
        return prediction.present or prediction.lesions
    return prediction.lesions


def _paired(
    right: Sequence[Lesion], said: Sequence[Lesion]
) -> list[tuple[Lesion | None, Lesion | None]]:
    """Pair lesions one to one, the best pair first; equal ones in their order."""
    gains = [
        (_gain(one, other), -row, -column)
        for row, one in enumerate(right)
        for column, other in enumerate(said)
    ]
    partner: dict[int, int] = {}
    for _, row, column in sorted(gains, reverse=True):
        if -row not in partner and -column not in partner.values():
            partner[-row] = -column
    pairs: list[tuple[Lesion | None, Lesion | None]] = [
        (one, said[partner[place]] if place in partner else None) for place, one in enumerate(right)
    ]
    taken = frozenset(partner.values())
    pairs.extend((None, other) for place, other in enumerate(said) if place not in taken)
    return pairs


def _gain(one: Lesion, other: Lesion) -> float:
    return fact_score(_counts(compared(one, other))) or 0.0


def _counts(verdicts: Sequence[FactVerdict]) -> dict[FactName, FactCount]:
    counts: dict[FactName, FactCount] = {}
    for fact in FACTS:
        outcomes = [each.outcome for each in verdicts if each.fact == fact]
        if outcomes:
            counts[fact] = FactCount(
                right=outcomes.count("right"),
                wrong=outcomes.count("wrong"),
                missing=outcomes.count("missing"),
                added=outcomes.count("added"),
                invented=outcomes.count("invented"),
            )
    return counts


def _told(verdict: FactVerdict) -> str:
    if verdict.outcome == "wrong":
        return f"{verdict.fact} wrong ({verdict.reference}, not {verdict.prediction})"
    if verdict.outcome in ("right", "missing"):
        return f"{verdict.fact} {verdict.outcome} ({verdict.reference})"
    return f"{verdict.fact} {verdict.outcome} ({verdict.prediction})"
