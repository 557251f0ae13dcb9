"""What the options of a question look like, in numbers: position, length, likeness, words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from overread.models.baselines.base import options_of
from overread.models.baselines.words import stated_size, terms
from overread.records import Item

__all__ = ["OptionFeatures", "wording_of"]

_MOST_TERMS = 500
_LEAST_OPTIONS_PER_TERM = 4
_LETTERS = "ABCDEFGH"

Wording: TypeAlias = tuple[str, str, tuple[str, ...]]
"""Task, question, texts of the options: all that the features of a question depend on."""


def wording_of(item: Item) -> Wording:
    """Give what the features of a question depend on.

    Raises
    ------
    NothingToSayError
        It has no options.
    """
    return item.task, item.question, tuple(option.text or "" for option in options_of(item))


class OptionFeatures:
    """Turns a question into one row of numbers per option, each about 0 to 1 in size.

    Parameters
    ----------
    questions
        Solved questions: their tasks and the words of their options get columns of their own.
    texts
        Training texts: how common an option's words are is counted in them.
    """

    def __init__(self, questions: Sequence[Item], texts: Sequence[str]) -> None:
        self._tasks = sorted({item.task for item in questions})
        written = Counter(option.text or "" for item in questions for option in options_of(item))
        in_options = Counter[str]()
        for text, count in written.items():
            in_options.update(dict.fromkeys(terms(text), count))
        kept = [t for t, count in in_options.items() if count >= _LEAST_OPTIONS_PER_TERM]
        kept.sort(key=lambda term: (-in_options[term], term))
        self._terms = {term: column for column, term in enumerate(kept[:_MOST_TERMS])}
        self._in_texts = Counter(term for text in texts for term in terms(text))
        self._whole_texts = Counter(text.strip().lower() for text in texts)
        self._n_texts = len(texts)

    def default_weights(self) -> NDArray[np.float64]:
        """Weights (n_features,) for want of solved questions: common words only."""
        width = _N_SHAPE * (1 + len(self._tasks)) + len(self._terms)
        weights = np.zeros(width)
        weights[_COMMON_WORDS] = 1.0
        return weights

    def __call__(self, item: Item) -> NDArray[np.float64]:
        """Describe the options of a question.

        Returns
        -------
        NDArray[np.float64]
            Shape (n_options, n_features). The columns that describe the shape of an option come
            first, for all tasks together; then again for each known task; then known words.
        """
        texts = wording_of(item)[2]
        shape = self._shape(item.question, texts)
        by_task = [shape * (item.task == task) for task in self._tasks]
        words = np.zeros((len(texts), len(self._terms)))
        for row, text in enumerate(texts):
            for term in terms(text):
                if term in self._terms:
                    words[row, self._terms[term]] = 1.0
        return np.concatenate([shape, *by_task, words], axis=1)

    def _shape(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """Describe the options apart from their words: shape (n_options, `_N_SHAPE`)."""
        bags = [terms(text) for text in texts]
        asked = terms(question)
        lengths = np.log1p([len(text.strip()) for text in texts])
        sizes = np.log([_first_length(text) + 0.1 for text in texts])
        likeness = np.array([[_overlap(a, b) for b in bags] for a in bags]).mean(axis=1)
        columns = [
            *(np.arange(len(texts)) == place for place in range(len(_LETTERS))),
            lengths == lengths.max(),
            lengths == lengths.min(),
            lengths - lengths.mean(),
            likeness == likeness.max(),
            likeness == likeness.min(),
            likeness - likeness.mean(),
            [_overlap(bag, asked) for bag in bags],
            [self._commonness(bag) for bag in bags],
            [np.log1p(self._whole_texts[text.strip().lower()]) for text in texts],
            sizes - sizes.mean(),
            np.abs(sizes - np.median(sizes)),
        ]
        return np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=1)

    def _commonness(self, bag: frozenset[str]) -> float:
        """Give the mean share of training texts that hold a word of the bag: 0 to 1."""
        if not bag or not self._n_texts:
            return 0.0
        # Sorted, because a sum of floats depends on the order and a set has none.
        return float(np.mean([self._in_texts[term] for term in sorted(bag)])) / self._n_texts


_COMMON_WORDS = len(_LETTERS) + 7
_N_SHAPE = len(_LETTERS) + 11


def _first_length(text: str) -> float:
    """Give the first length that a text states, in its own unit; 1 without any."""
    size = stated_size(text)
    return size.lengths[0] if size else 1.0


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Give the Jaccard index of two bags, 0 to 1; of two empty ones 0, as nothing is shared."""
    return len(one & other) / len(one | other) if one or other else 0.0
