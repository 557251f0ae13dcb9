"""Texts as numbers: each distinct text is split into words once, each distinct word numbered once.

Counting the runs of words that two texts share is then sorting of integers, for all pairs at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Overlap", "WordTable", "tabulate"]

_Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """How many runs of `order` words each pair has; arrays of shape (n_pairs,)."""

    shared: _Integers
    """On both sides, each run as often as on the side where it is rarer."""
    predicted: _Integers
    referred: _Integers


@dataclass(frozen=True, slots=True, kw_only=True)
class WordTable:
    """Pairs of texts as numbers of words."""

    words: _Integers
    """Of all distinct texts, one after the other, shape (n_words,)."""
    starts: _Integers
    """Where each distinct text begins, and the end of the last one, shape (n_texts + 1,)."""
    predictions: _Integers
    """Which distinct text each pair predicts, shape (n_pairs,)."""
    references: _Integers
    """Which distinct text each pair refers to, shape (n_pairs,)."""

    def text(self, number: int) -> list[int]:
        """Give the words of one distinct text."""
        return self.words[self.starts[number] : self.starts[number + 1]].tolist()

    def overlaps(self, most_words: int) -> list[Overlap]:
        """Count shared runs of one word, of two words, … of `most_words` words."""
        found: list[Overlap] = []
        runs = self.words
        for order in range(1, most_words + 1):
            if order > 1:
                runs = _lengthen(runs, self.words, order)
            found.append(self._overlap(runs, order))
        return found

    def _overlap(self, runs: _Integers, order: int) -> Overlap:
        counts = np.maximum(np.diff(self.starts) - (order - 1), 0)
        n_runs = int(runs.max(initial=0)) + 1
        predicted, referred = counts[self.predictions], counts[self.references]
        ours, our_counts = self._occurrences(runs, self.predictions, predicted, n_runs)
        theirs, their_counts = self._occurrences(runs, self.references, referred, n_runs)
        common, at_ours, at_theirs = np.intersect1d(
            ours, theirs, assume_unique=True, return_indices=True
        )
        least = np.minimum(our_counts[at_ours], their_counts[at_theirs])
        shared = np.zeros(self.predictions.size, dtype=np.int64)
        np.add.at(shared, common // n_runs, least)
        return Overlap(shared=shared, predicted=predicted, referred=referred)

    def _occurrences(
        self, runs: _Integers, texts: _Integers, counts: _Integers, n_runs: int
    ) -> tuple[_Integers, NDArray[np.intp]]:
        """Give each (pair, run) as one number, ascending, and how often it occurs."""
        pair = np.repeat(np.arange(texts.size), counts)
        before = np.repeat(np.cumsum(counts) - counts, counts)
        place = np.repeat(self.starts[texts], counts) + (np.arange(pair.size) - before)
        return np.unique(pair * n_runs + runs[place], return_counts=True)


def tabulate(
    predictions: Sequence[str],
    references: Sequence[str],
    split: Callable[[str], Sequence[str]],
) -> WordTable:
    """Split each distinct text into words, and number texts and words by their first occurrence.

    Parameters
    ----------
    predictions, references
        As many of one as of the other.
    split
        Turns a text into its words.
    """
    texts: dict[str, int] = {}
    sides = [
        np.array([texts.setdefault(text, len(texts)) for text in side], dtype=np.int64)
        for side in (predictions, references)
    ]
    numbers: dict[str, int] = {}
    words: list[int] = []
    starts = [0]
    for text in texts:
        words.extend(numbers.setdefault(word, len(numbers)) for word in split(text))
        starts.append(len(words))
    return WordTable(
        words=np.array(words, dtype=np.int64),
        starts=np.array(starts, dtype=np.int64),
        predictions=sides[0],
        references=sides[1],
    )


def _lengthen(runs: _Integers, words: _Integers, order: int) -> _Integers:
    """Give each run of `order` words a number, from the numbers of the runs one word shorter.

    A run that goes over the end of its text gets a number too; nobody asks for it.
    """
    following = words[order - 1 :]
    joined = runs[: following.size] * (int(words.max(initial=0)) + 1) + following
    return np.unique(joined, return_inverse=True)[1].astype(np.int64).reshape(-1)
