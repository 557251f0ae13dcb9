"""Measures over the answers to choice questions.

Everywhere `right` and `answered` are boolean arrays of shape (n_items,), one entry per item of the
plan: whether the answer is right, whether there is one. An item without an answer is never right.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected
from overread.metrics.spec import MetricSpec

__all__ = [
    "ACCURACY",
    "ACCURACY_ANSWERED",
    "CHOICE_METRICS",
    "LETTER_BALANCE",
    "NO_ANSWER",
    "accuracy",
    "accuracy_answered",
    "letter_balance",
    "no_answer",
]

ACCURACY = MetricSpec(
    name="accuracy",
    version="1",
    title="Right, of all items",
    direction="up",
    low=0.0,
    high=1.0,
    unit="share",
    properties=frozenset({"order invariant", "monotone in right answers", "lowered by silence"}),
    undefined="no item",
)
ACCURACY_ANSWERED = MetricSpec(
    name="accuracy_answered",
    version="1",
    title="Right, of answered items",
    direction="up",
    low=0.0,
    high=1.0,
    unit="share",
    properties=frozenset({"order invariant", "monotone in right answers", "blind to silence"}),
    undefined="no item was answered",
)
NO_ANSWER = MetricSpec(
    name="no_answer",
    version="1",
    title="No answer",
    direction="down",
    low=0.0,
    high=1.0,
    unit="share",
    properties=frozenset({"order invariant", "blind to right answers"}),
    undefined="no item",
)
LETTER_BALANCE = MetricSpec(
    name="letter_balance",
    version="1",
    title="Balance of letters",
    direction="none",
    low=0.0,
    high=1.0,
    unit="1",
    properties=frozenset({"order invariant", "relabelling invariant"}),
    undefined="fewer than two letters on offer, or none counted",
)
CHOICE_METRICS = (ACCURACY, ACCURACY_ANSWERED, NO_ANSWER, LETTER_BALANCE)


def accuracy(right: NDArray[np.bool_], answered: NDArray[np.bool_]) -> float | None:
    """Give the share of right answers over all items: silence costs as much as an error.

    Returns
    -------
    float or None
        In 0 to 1; None when there is no item.

    Raises
    ------
    UsageError
        The arrays do not fit together, or an item is right without an answer.

    Examples
    --------
    >>> accuracy(np.array([True, False, False, True]), np.array([True, True, False, True]))
    0.5
    """
    _check(right, answered)
    return float(right.mean()) if right.size else None


def accuracy_answered(right: NDArray[np.bool_], answered: NDArray[np.bool_]) -> float | None:
    """Give the share of right answers over the items answered.

    A model may raise it by answering only what it knows: read it beside `no_answer`.

    Returns
    -------
    float or None
        In 0 to 1; None when nothing was answered.

    Raises
    ------
    UsageError
        As `accuracy`.
    """
    _check(right, answered)
    n_answered = int(answered.sum())
    return float(right.sum()) / n_answered if n_answered else None


def no_answer(right: NDArray[np.bool_], answered: NDArray[np.bool_]) -> float | None:
    """Give the share of items without an answer, for whatever reason; None without items.

    Raises
    ------
    UsageError
        As `accuracy`.
    """
    _check(right, answered)
    return 1.0 - float(answered.mean()) if answered.size else None


def letter_balance(counts: NDArray[np.int_]) -> float | None:
    """Give how evenly letters are used: entropy of the counts over that of even ones.

    Parameters
    ----------
    counts
        How often each letter on offer occurs, shape (n_letters,).

    Returns
    -------
    float or None
        1 when all letters occur equally often, 0 when one letter has them all; None for fewer
        than two letters on offer or no count at all.

    Raises
    ------
    UsageError
        A count is negative, or the array has not one axis.

    Examples
    --------
    >>> letter_balance(np.array([5, 5, 5, 5]))
    1.0
    """
    if counts.ndim != 1 or (counts < 0).any():
        raise UsageError(
            expected(
                "counts",
                rule="counts of 0 or more in one axis",
                got=f"shape {counts.shape}, least {counts.min(initial=0)}",
                remedy="Count how often each letter on offer occurs.",
            )
        )
    total = int(counts.sum())
    if counts.size < 2 or total == 0:
        return None
    shares = counts[counts > 0] / total
    # + 0.0: one letter alone gives minus zero.
    return float(min(1.0, -(shares * np.log(shares)).sum() / math.log(counts.size))) + 0.0


def _check(right: NDArray[np.bool_], answered: NDArray[np.bool_]) -> None:
    if right.shape != answered.shape or right.ndim != 1:
        raise UsageError(
            expected(
                "right and answered",
                rule="two arrays of the same shape (n_items,)",
                got=f"{right.shape} and {answered.shape}",
                remedy="Give one entry per item of the plan to both.",
            )
        )
    if right.dtype != np.bool_ or answered.dtype != np.bool_:
        raise UsageError(
            expected(
                "right and answered",
                rule="boolean arrays",
                got=f"{right.dtype} and {answered.dtype}",
                remedy="Compare letters first; a missing answer is not a number.",
            )
        )
    if (right & ~answered).any():
        raise UsageError(
            expected(
                "right",
                rule="no right answer where there is no answer",
                got=f"{int((right & ~answered).sum())} such items",
                remedy="A failure on either side equals nothing: mark the item as not right.",
            )
        )
