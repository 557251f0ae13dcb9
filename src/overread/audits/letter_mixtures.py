"""What a reader scores who tosses a coin between letters, where letters go with kinds of question.

A composite score is no share of right answers, so that the blind floor of accuracy says nothing of
it. Where each kind of question has its letter, a mixture of letters has an accuracy on each kind,
and the composite of those is what can be had without looking.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from overread.errors import UsageError, expected

__all__ = ["LetterMixture", "best_mixture", "mixture_rates"]

_GRID = 201


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterMixture:
    """A blind policy: each letter with a probability, whatever is asked."""

    chances: Mapping[str, float]
    value: float


def mixture_rates(layout: Mapping[str, str], chances: Mapping[str, float]) -> dict[str, float]:
    """Give the accuracy of a mixture of letters on each kind of question.

    Parameters
    ----------
    layout
        Kind → the letter that is right in all of its questions.
    chances
        Letter → probability of answering it; a letter that is absent is never answered.

    Raises
    ------
    UsageError
        The probabilities do not add up to 1.

    Examples
    --------
    >>> mixture_rates({"original": "A", "trap": "E"}, {"A": 0.75, "E": 0.25})
    {'original': 0.75, 'trap': 0.25}
    """
    if any(p < 0 for p in chances.values()) or abs(sum(chances.values()) - 1) > 1e-9:
        raise UsageError(
            expected(
                "chances",
                rule="probabilities that add up to 1",
                got=dict(chances),
                remedy="Divide them by their sum.",
            )
        )
    return {kind: chances.get(letter, 0.0) for kind, letter in layout.items()}


def best_mixture(
    layout: Mapping[str, str], score: Callable[[Mapping[str, float]], float | None]
) -> LetterMixture | None:
    """Find the mixture of two letters that scores best, by a grid and Brent's method.

    Parameters
    ----------
    layout
        Kind → the letter that is right in all of its questions.
    score
        Accuracy by kind → composite; None where undefined, which counts as no policy.

    Returns
    -------
    LetterMixture
        None where fewer than two letters are in use, or nothing is defined.
    """
    found: list[LetterMixture] = []
    for one, other in combinations(sorted(set(layout.values())), 2):

        def value(p: float, one: str = one, other: str = other) -> float:
            got = score(mixture_rates(layout, {one: p, other: 1 - p}))
            return -np.inf if got is None else got

        grid = np.linspace(0.0, 1.0, _GRID)
        values = np.array([value(p) for p in grid])
        if not np.isfinite(values).any():
            continue
        place = int(np.argmax(values))
        low, high = grid[max(0, place - 1)], grid[min(_GRID - 1, place + 1)]
        finer: Any = minimize_scalar(lambda p: -value(p), bounds=(low, high), method="bounded")
        p = float(finer.x) if value(float(finer.x)) > values[place] else float(grid[place])
        found.append(LetterMixture(chances={one: p, other: 1 - p}, value=value(p)))
    return max(found, key=lambda mixture: mixture.value, default=None)
