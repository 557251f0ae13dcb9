"""Measures over answers that are classes: macro F1, precision and recall, Cohen's kappa.

Everywhere `hits`, `claims` and `cases` are counts of shape (…, k), one entry a class: answers that
are this class rightly, answers that are this class, references that are this class. A missing
answer is a case without a claim. Functions are vectorised over leading axes and give NaN where
there is no value.

The conventions are scikit-learn's: means are over the classes that are in the references or the
answers, and a class whose denominator is 0 counts 0 among them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected
from overread.metrics.spec import MetricSpec

__all__ = [
    "ALL_RIGHT",
    "BALANCED_ACCURACY",
    "CLASS_CASES",
    "CLASS_CLAIMS",
    "CLASS_HITS",
    "CLASS_KAPPA",
    "MACRO_F1",
    "MACRO_PRECISION",
    "class_counts",
    "class_kappa",
    "macro_f1",
    "macro_precision",
    "macro_recall",
]

_PROPERTIES = frozenset({"order invariant", "relabelling invariant"})


def _spec(name: str, title: str, *, low: float, unit: str, undefined: str) -> MetricSpec:
    return MetricSpec(
        name=name,
        version="1",
        title=title,
        direction="up",
        low=low,
        high=1.0,
        unit=unit,
        properties=_PROPERTIES,
        undefined=undefined,
    )


MACRO_F1 = _spec("macro_f1", "Macro F1", low=0.0, unit="share", undefined="no item")
MACRO_PRECISION = _spec(
    "macro_precision", "Macro precision", low=0.0, unit="share", undefined="no item"
)
BALANCED_ACCURACY = _spec(
    "balanced_accuracy", "Balanced accuracy", low=0.0, unit="share", undefined="no item"
)
"""Macro recall; over the classes of the references and, as scikit-learn has it, of the answers."""
CLASS_KAPPA = _spec(
    "class_kappa",
    "Cohen's kappa",
    low=-1.0,
    unit="1",
    undefined="no item, or all references and all answers are one class",
)
ALL_RIGHT = _spec(
    "all_right", "All answers of a case right", low=0.0, unit="share", undefined="no item"
)


def _count(name: str, title: str) -> MetricSpec:
    return MetricSpec(
        name=name,
        version="1",
        title=title,
        direction="none",
        low=0.0,
        high=1.0,
        unit="count",
        properties=frozenset({"order invariant"}),
        undefined="never: an item without an answer makes no claim",
    )


CLASS_CASES = _count("class_cases", "References of this class")
CLASS_CLAIMS = _count("class_claims", "Answers of this class")
CLASS_HITS = _count("class_hits", "Right answers of this class")


def class_counts(
    references: Sequence[str], answers: Sequence[str | None]
) -> tuple[tuple[str, ...], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count hits, claims and cases of every class.

    Parameters
    ----------
    references
        The class of each item.
    answers
        What was answered to each; None where nothing was.

    Returns
    -------
    classes, hits, claims, cases
        Classes of references and answers in alphabetical order; arrays of shape (k,).

    Raises
    ------
    UsageError
        The lists are not equally long.

    Examples
    --------
    >>> classes, hits, claims, cases = class_counts(["a", "a", "b"], ["a", "b", None])
    >>> classes, hits.tolist(), claims.tolist(), cases.tolist()
    (('a', 'b'), [1, 0], [1, 1], [2, 1])
    """
    if len(references) != len(answers):
        raise UsageError(
            expected(
                "answers",
                rule=f"one for each of {len(references)} references",
                got=len(answers),
                remedy="Put None where nothing was answered.",
            )
        )
    classes = tuple(sorted({*references, *(answer for answer in answers if answer is not None)}))
    place = {name: number for number, name in enumerate(classes)}
    hits, claims, cases = (np.zeros(len(classes), dtype=np.int64) for _ in range(3))
    for reference, answer in zip(references, answers, strict=True):
        cases[place[reference]] += 1
        if answer is not None:
            claims[place[answer]] += 1
            hits[place[answer]] += answer == reference
    return classes, hits, claims, cases


def macro_f1(
    hits: NDArray[np.number], claims: NDArray[np.number], cases: NDArray[np.number]
) -> NDArray[np.float64]:
    """Give the mean of 2·hits / (claims + cases) over the classes that there are.

    Returns
    -------
    array
        Shape (…), 0 to 1; NaN without any class.

    Examples
    --------
    Always the larger of two classes, 90 of 100:

    >>> round(float(macro_f1(np.array([90, 0]), np.array([100, 0]), np.array([90, 10]))), 4)
    0.4737
    """
    return _macro(2 * _float(hits), _float(claims) + _float(cases), claims, cases)


def macro_precision(
    hits: NDArray[np.number], claims: NDArray[np.number], cases: NDArray[np.number]
) -> NDArray[np.float64]:
    """Give the mean of hits / claims; a class that is never claimed counts 0. As `macro_f1`."""
    return _macro(_float(hits), _float(claims), claims, cases)


def macro_recall(
    hits: NDArray[np.number], claims: NDArray[np.number], cases: NDArray[np.number]
) -> NDArray[np.float64]:
    """Give the mean of hits / cases; a class that is only claimed counts 0. As `macro_f1`."""
    return _macro(_float(hits), _float(cases), claims, cases)


def class_kappa(
    hits: NDArray[np.number], claims: NDArray[np.number], cases: NDArray[np.number]
) -> NDArray[np.float64]:
    """Give Cohen's kappa of references and answers; no answer is a class of its own.

    Returns
    -------
    array
        Shape (…), -1 to 1; NaN without items, or where both sides are one class throughout.

    Examples
    --------
    >>> round(float(class_kappa(np.array([40, 40]), np.array([50, 50]), np.array([50, 50]))), 12)
    0.6
    """
    n = _float(cases).sum(axis=-1)
    agreed = _divide(_float(hits).sum(axis=-1), n)
    by_chance = _divide((_float(claims) * _float(cases)).sum(axis=-1), n * n)
    return _divide(agreed - by_chance, np.where(by_chance < 1, 1 - by_chance, 0.0))


def _macro(
    over: NDArray[np.float64],
    under: NDArray[np.float64],
    claims: NDArray[np.number],
    cases: NDArray[np.number],
) -> NDArray[np.float64]:
    there = (_float(claims) + _float(cases)) > 0
    each = np.divide(over, under, out=np.zeros_like(over), where=under > 0)
    return _divide(np.where(there, each, 0.0).sum(axis=-1), there.sum(axis=-1).astype(np.float64))


def _float(counts: NDArray[np.number]) -> NDArray[np.float64]:
    return np.asarray(counts, dtype=np.float64)


def _divide(over: NDArray[np.float64], under: NDArray[np.float64]) -> NDArray[np.float64]:
    over, under = np.asarray(over), np.asarray(under)
    return np.divide(over, under, out=np.full(over.shape, np.nan), where=under != 0)
