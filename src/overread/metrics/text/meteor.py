"""METEOR of pairs of texts, as NLTK computes it by default on words parted by white space.

Source: Lavie and Agarwal, "METEOR: An Automatic Metric for MT Evaluation with High Levels of
Correlation with Human Judgments", WMT 2007 (W07-0734); α 0.9, β 3, γ 0.5.

The alignment is NLTK's, which differs from the paper's: words are matched from the last to the
first, each with the last free word of the reference, rather than so that the fewest matches cross;
and a word without an exact or stemmed match is looked up in WordNet *by its stem* ("stabl" for
"stable"), so that many synonyms are missed. Both are kept: published numbers rest on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from overread.metrics.text.pairs import check_pairs
from overread.metrics.text.stems import porter_stem
from overread.metrics.text.wordnet import WordNet

__all__ = ["meteor"]

_ALPHA = 0.9
_BETA = 3.0
_GAMMA = 0.5
_Places = list[tuple[int, str]]
"""Words not matched yet, with their place in the text."""
_Matches = list[tuple[int, int]]


def meteor(
    predictions: Sequence[str], references: Sequence[str], wordnet: WordNet
) -> NDArray[np.float64]:
    """Give METEOR of each pair, each distinct pair computed once.

    Parameters
    ----------
    predictions, references
        Texts with one reference each; no side may be empty. Case is ignored; punctuation stays on
        its word, so that "lung." matches "lung" by its meaning at best.
    wordnet
        Where synonyms come from: see `wordnet.open_wordnet`.

    Returns
    -------
    NDArray
        Shape (n_pairs,), in 0 to 1. Identical texts of m words reach 1 − 0.5 / m³, not 1.

    Raises
    ------
    UsageError
        A side of a pair is empty, or the sides are not equally long.
    """
    check_pairs(predictions, references)
    words = {text: text.lower().split() for text in (*predictions, *references)}
    values: dict[tuple[str, str], float] = {}
    for pair in zip(predictions, references, strict=True):
        if pair not in values:
            values[pair] = _meteor(words[pair[0]], words[pair[1]], wordnet)
    found = [values[pair] for pair in zip(predictions, references, strict=True)]
    return np.array(found, dtype=np.float64)


def _meteor(prediction: list[str], reference: list[str], wordnet: WordNet) -> float:
    matches = _align(prediction, reference, wordnet)
    if not matches:
        return 0.0
    precision = len(matches) / len(prediction)
    recall = len(matches) / len(reference)
    mean = (precision * recall) / (_ALPHA * precision + (1 - _ALPHA) * recall)
    penalty = _GAMMA * (_chunks(matches) / len(matches)) ** _BETA
    return (1 - penalty) * mean


def _align(prediction: list[str], reference: list[str], wordnet: WordNet) -> _Matches:
    """Match words exactly, then by stem, then the stems left over by meaning."""
    ours, theirs = list(enumerate(prediction)), list(enumerate(reference))
    exact, ours, theirs = _match(ours, theirs, _itself)
    if not ours or not theirs:
        return exact
    ours = [(place, porter_stem(word)) for place, word in ours]
    theirs = [(place, porter_stem(word)) for place, word in theirs]
    stemmed, ours, theirs = _match(ours, theirs, _itself)
    by_meaning, _, _ = _match(ours, theirs, wordnet.synonyms)
    return exact + stemmed + by_meaning


def _match(
    ours: _Places, theirs: _Places, spellings: Callable[[str], Iterable[str]]
) -> tuple[_Matches, _Places, _Places]:
    """Match each word, the last one first, with the last free word that has one of its spellings.

    Returns the matches and what is left of both sides.
    """
    free: dict[str, list[int]] = {}
    for index, (_, word) in enumerate(theirs):
        free.setdefault(word, []).append(index)
    matches: _Matches = []
    left: _Places = []
    taken: set[int] = set()
    for place, word in reversed(ours):
        ends = [ends for spelling in spellings(word) if (ends := free.get(spelling))]
        if not ends:
            left.append((place, word))
            continue
        index = max(ends, key=_last).pop()
        taken.add(index)
        matches.append((place, theirs[index][0]))
    left.reverse()
    return matches, left, [each for index, each in enumerate(theirs) if index not in taken]


def _itself(word: str) -> tuple[str]:
    return (word,)


def _last(indices: list[int]) -> int:
    return indices[-1]


def _chunks(matches: _Matches) -> int:
    """Count the runs of matches that stand side by side in both texts."""
    matches = sorted(matches)
    followed = (after == (place + 1, other + 1) for (place, other), after in pairwise(matches))
    return len(matches) - sum(followed)
