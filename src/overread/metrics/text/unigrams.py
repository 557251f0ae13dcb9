"""BLEU-1 and ROUGE-1 of pairs of texts as CT-Bench's caption script computes them.

Source: public code CelestialShine/CT-Bench, ``caption/evaluate_caption_json.py``. Both are about
single words as written: case counts, and for ROUGE-1 so does the comma on a word. They differ from
`bleu` (sacrebleu's, of a whole corpus, four words long) and from `rouge` (stemmed, without case),
and have names of their own.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from overread.metrics.text.pairs import check_pairs
from overread.metrics.text.penn_words import penn_words

__all__ = ["bleu1", "rouge1_plain"]


def bleu1(predictions: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
    """Give BLEU-1 of each pair: precision of single words with NLTK's brevity penalty.

    The very digits of NLTK's ``sentence_bleu`` with one reference, weights (1, 0, 0, 0) and
    smoothing method 4, on `penn_words`. Smoothing changes nothing there: without a shared word NLTK
    gives 0 before it smooths, and the orders that it does smooth weigh nothing.

    Parameters
    ----------
    predictions, references
        Texts with one reference each; no side may be empty.

    Returns
    -------
    NDArray
        Shape (n_pairs,), in 0 to 1.

    Raises
    ------
    UsageError
        A side of a pair is empty, or the sides are not equally long.

    Examples
    --------
    >>> bleu1(["Left lung nodule."], ["Right lung nodule."]).tolist()
    [0.75]
    """
    return _each(predictions, references, penn_words, _bleu1)


def rouge1_plain(predictions: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
    """Give ROUGE-1 F of each pair over words parted by white space, each as often as it is shared.

    Parameters
    ----------
    predictions, references
        Texts with one reference each; no side may be empty.

    Returns
    -------
    NDArray
        Shape (n_pairs,), in 0 to 1.

    Raises
    ------
    UsageError
        A side of a pair is empty, or the sides are not equally long.

    Examples
    --------
    >>> rouge1_plain(["left lung nodule"], ["left lung nodule."]).round(4).tolist()
    [0.6667]
    """
    return _each(predictions, references, str.split, _f)


def _each(
    predictions: Sequence[str],
    references: Sequence[str],
    split: Callable[[str], list[str]],
    score: Callable[[list[str], list[str]], float],
) -> NDArray[np.float64]:
    """Score each distinct pair once, after parting each distinct text once."""
    check_pairs(predictions, references)
    words = {text: split(text) for text in {*predictions, *references}}
    values: dict[tuple[str, str], float] = {}
    for pair in zip(predictions, references, strict=True):
        if pair not in values:
            values[pair] = score(words[pair[0]], words[pair[1]])
    found = [values[pair] for pair in zip(predictions, references, strict=True)]
    return np.array(found, dtype=np.float64)


def _shared(prediction: list[str], reference: list[str]) -> int:
    return (Counter(prediction) & Counter(reference)).total()


def _bleu1(prediction: list[str], reference: list[str]) -> float:
    shared, length = _shared(prediction, reference), len(prediction)
    if not shared:
        return 0.0
    penalty = 1.0 if length > len(reference) else math.exp(1 - len(reference) / length)
    # By way of the logarithm, as NLTK does: the last digit is its own.
    return penalty * math.exp(math.log(shared / length))


def _f(prediction: list[str], reference: list[str]) -> float:
    shared = _shared(prediction, reference)
    if not shared:
        return 0.0
    recall, precision = shared / len(reference), shared / len(prediction)
    return 2 * recall * precision / (recall + precision)
