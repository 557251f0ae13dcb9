"""Reads the question and the options and never a picture: how far the wording alone leads.

It learns from the solved questions of another split with a conditional logit model [1]_: each
option gets a linear score of what its text looks like, and the right one should score highest.

.. [1] McFadden, D. (1974). Conditional logit analysis of qualitative choice behavior.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from overread.contracts import ModelOptions, Query, Renderer, Training
from overread.models.baselines.base import Baseline, NothingToSayError, options_of
from overread.models.baselines.option_features import OptionFeatures, Wording, wording_of
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
        self._chosen: dict[Wording, int] = {}

    def learn(self, training: Training, render: Renderer) -> None:
        """Learn from solved questions and training texts; no picture is rendered."""
        solved = [_solved(item, reference) for item, reference in training.exam]
        questions = [question for question in solved if question is not None]
        texts = [text for case in training.cases for text in case.texts.values()]
        self._features = self._weights = None
        self._chosen = {}
        if not questions and not texts:
            return
        self._features = OptionFeatures([item for item, _ in questions], texts)
        if questions:
            self._weights = _fit(self._features, questions)

    def choose(self, query: Query, options: tuple[Option, ...]) -> str:
        """Give the option with the highest score; the first of equal ones."""
        if self._features is None:
            raise NothingToSayError("the release has neither solved questions nor training texts")
        wording = wording_of(query.item)
        if wording not in self._chosen:
            features = self._features(query.item)
            weights = self._features.default_weights() if self._weights is None else self._weights
            # Rounding makes options with equal features equal, whatever the order of summation.
            self._chosen[wording] = int(np.argmax(np.round(features @ weights, 9)))
        return options[self._chosen[wording]].letter


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
    # Questions worded alike are one block that counts several times: an exam may ask eleven
    # questions of ten thousand pictures.
    wordings = [wording_of(item) for item, _ in questions]
    blocks: dict[Wording, NDArray[np.float64]] = {}
    for wording, (item, _) in zip(wordings, questions, strict=True):
        if wording not in blocks:
            blocks[wording] = features(item)
    starts = np.cumsum([0, *(len(block) for block in blocks.values())])
    first_row = dict(zip(blocks, starts[:-1].tolist(), strict=True))
    stacked = np.concatenate(list(blocks.values()))
    owner = np.repeat(np.arange(len(blocks)), np.diff(starts))
    asked = Counter(wordings)
    weight = np.array([asked[wording] for wording in blocks], dtype=np.float64)
    places = (place for _, place in questions)
    counts = Counter(
        first_row[wording] + place for wording, place in zip(wordings, places, strict=True)
    )
    right, n_right = np.array(list(counts)), np.array(list(counts.values()), dtype=np.float64)
    right_features = (stacked[right] * n_right[:, np.newaxis]).sum(axis=0)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = stacked @ weights
        # Less the greatest score of each question, so that no exponential overflows.
        highest = np.maximum.reduceat(scores, starts[:-1])
        totals = highest + np.log(np.add.reduceat(np.exp(scores - highest[owner]), starts[:-1]))
        share = np.exp(scores - totals[owner]) * weight[owner]
        gained = (weight * totals).sum() - (n_right * scores[right]).sum()
        value = gained + _PENALTY / 2 * weights @ weights
        return value, share @ stacked - right_features + _PENALTY * weights

    found = minimize(loss, np.zeros(stacked.shape[1]), jac=True, method="L-BFGS-B")
    return np.asarray(found.x, dtype=np.float64)
