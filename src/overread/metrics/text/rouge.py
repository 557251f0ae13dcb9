"""ROUGE-1, ROUGE-2 and ROUGE-L F of pairs of texts, as rouge_score computes them with its stemmer.

Source: Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", ACL 2004 (W04-1013). Words
are runs of ASCII letters and digits, lower-cased; those of more than three letters are stemmed by
NLTK's Porter stemmer. A word of other letters counts as nothing, as in rouge_score.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overread.metrics.text.pairs import check_pairs
from overread.metrics.text.stems import porter_stem
from overread.metrics.text.word_table import Overlap, WordTable, tabulate

__all__ = ["Rouge", "rouge"]

_WORD = re.compile(r"[a-z0-9]+")
_LONGEST_UNSTEMMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Rouge:
    """F of each pair, in 0 to 1; arrays of shape (n_pairs,)."""

    rouge1: NDArray[np.float64]
    """Of single words."""
    rouge2: NDArray[np.float64]
    """Of two words in a row; 0 where a side has but one word."""
    rouge_l: NDArray[np.float64]
    """Of the longest common subsequence."""


def rouge(predictions: Sequence[str], references: Sequence[str]) -> Rouge:
    """Give ROUGE F of each pair.

    Parameters
    ----------
    predictions, references
        Texts with one reference each; no side may be empty. A side without a letter or digit of
        ASCII shares nothing: its F is 0, as in rouge_score.

    Raises
    ------
    UsageError
        A side of a pair is empty, or the sides are not equally long.

    Examples
    --------
    >>> found = rouge(["nodules in the left lung"], ["a nodule in the right lung"])
    >>> found.rouge1.round(4).tolist(), found.rouge_l.round(4).tolist()
    ([0.7273], [0.7273])
    """
    check_pairs(predictions, references)
    table = tabulate(predictions, references, _split)
    one, two = table.overlaps(2)
    longest = Overlap(shared=_longest_common(table), predicted=one.predicted, referred=one.referred)
    return Rouge(rouge1=_f(one), rouge2=_f(two), rouge_l=_f(longest))


def _split(text: str) -> list[str]:
    return [
        porter_stem(word) if len(word) > _LONGEST_UNSTEMMED else word
        for word in _WORD.findall(text.lower())
    ]


def _f(overlap: Overlap) -> NDArray[np.float64]:
    precision = overlap.shared / np.maximum(overlap.predicted, 1)
    recall = overlap.shared / np.maximum(overlap.referred, 1)
    both = precision + recall
    # In this order of operations the digits are rouge_score's to the last one.
    return np.divide(2 * precision * recall, both, out=np.zeros(both.shape), where=both > 0)


def _longest_common(table: WordTable) -> NDArray[np.int64]:
    """Give the length of the longest common subsequence of each pair, each distinct pair once.

    Bit-parallel (Hyyrö, "Bit-parallel LCS-length computation revisited", 2004): one addition per
    word of the prediction, over an integer with one bit per word of the reference.
    """
    pairs = np.stack([table.predictions, table.references], axis=-1)
    distinct, inverse = np.unique(pairs, axis=0, return_inverse=True)
    places: dict[int, dict[int, int]] = {}
    lengths = np.zeros(len(distinct), dtype=np.int64)
    for row, (prediction, reference) in enumerate(distinct.tolist()):
        if reference not in places:
            places[reference] = _places(table.text(reference))
        n_words = int(table.starts[reference + 1] - table.starts[reference])
        lengths[row] = _common_length(table.text(prediction), places[reference], n_words)
    return lengths[inverse.reshape(-1)]


def _places(words: list[int]) -> dict[int, int]:
    """Give for each word an integer whose bits say where it stands."""
    places: dict[int, int] = {}
    for place, word in enumerate(words):
        places[word] = places.get(word, 0) | 1 << place
    return places


def _common_length(words: list[int], places: dict[int, int], n_words: int) -> int:
    every = (1 << n_words) - 1
    unmatched = every
    for word in words:
        if hits := unmatched & places.get(word, 0):
            unmatched = ((unmatched + hits) | (unmatched - hits)) & every
    return n_words - unmatched.bit_count()
