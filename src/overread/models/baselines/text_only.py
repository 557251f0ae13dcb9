"""Reads the question and the options and never a picture: how far the wording alone leads.

It learns from the solved questions of another split with a conditional logit model [1]_: each
option gets a linear score of what its text looks like, and the right one should score highest.

.. [1] McFadden, D. (1974). Conditional logit analysis of qualitative choice behavior.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from overread.contracts import ModelOptions, Query, Renderer, Training
from overread.models.baselines.base import Baseline, NothingToSayError, options_of
from overread.models.baselines.option_features import OptionFeatures
from overread.records import Item, Option, Reference

__all__ = ["TextOnly"]

_PENALTY = 2.0
"""Ridge penalty on weights of features that are about 0 to 1 in size."""


class TextOnly(Baseline):
    """Chooses by position, length, likeness and words of the options, as learned.

    Without solved questions it takes the option whose words are the most common ones in the
    training texts, and without those it says that it has nothing to go on.
    """

    def __init__(self, argument: str, options: ModelOptions) -> None:
        super().__init__("text-only", settings={"penalty": _PENALTY})
        self._features: OptionFeatures | None = None
        self._weights: NDArray[np.float64] | None = None

    def learn(self, training: Training, render: Renderer) -> None:
        """Learn from solved questions and training texts; no picture is rendered."""
        solved = [_solved(item, reference) for item, reference in training.exam]
        questions = [question for question in solved if question is not None]
        texts = [text for case in training.cases for text in case.texts.values()]
        self._features = self._weights = None
        if not questions and not texts:
            return
        self._features = OptionFeatures([item for item, _ in questions], texts)
        if questions:
            self._weights = _fit(self._features, questions)

    def choose(self, query: Query, options: tuple[Option, ...]) -> str:
        """Give the option with the highest score; the first of equal ones."""
        if self._features is None:
            raise NothingToSayError("the release has neither solved questions nor training texts")
        features = self._features(query.item)
        weights = self._features.default_weights() if self._weights is None else self._weights
        # Rounding makes options with equal features equal, whatever the order of summation.
        return options[int(np.argmax(np.round(features @ weights, 9)))].letter


def _solved(item: Item, reference: Reference) -> tuple[Item, int] | None:
    """Pair a question with the place of its right option; None where it has none."""
    if reference.problem is not None:
        return None
    try:
        letters = [option.letter for option in options_of(item)]
    except NothingToSayError:
        return None
    return (item, letters.index(reference.answer)) if reference.answer in letters else None


def _fit(features: OptionFeatures, questions: Sequence[tuple[Item, int]]) -> NDArray[np.float64]:
    """Fit the weights (n_features,) by penalised maximum likelihood; convex, hence unique."""
    blocks = [features(item) for item, _ in questions]
    starts = np.cumsum([0, *(len(block) for block in blocks)])
    stacked = np.concatenate(blocks)
    owner = np.repeat(np.arange(len(blocks)), np.diff(starts))
    right = starts[:-1] + np.array([place for _, place in questions])

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = stacked @ weights
        # Less the greatest score of each question, so that no exponential overflows.
        highest = np.maximum.reduceat(scores, starts[:-1])
        totals = highest + np.log(np.add.reduceat(np.exp(scores - highest[owner]), starts[:-1]))
        share = np.exp(scores - totals[owner])
        value = totals.sum() - scores[right].sum() + _PENALTY / 2 * weights @ weights
        return value, share @ stacked - stacked[right].sum(axis=0) + _PENALTY * weights

    found = minimize(loss, np.zeros(stacked.shape[1]), jac=True, method="L-BFGS-B")
    return np.asarray(found.x, dtype=np.float64)
