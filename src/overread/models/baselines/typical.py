"""The most typical of many texts: what a description looks like that fits most lesions somewhat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from overread.models.baselines.words import WORD

__all__ = ["typical_text"]


def typical_text(texts: Sequence[str]) -> str | None:
    """Give the text that shares most words with all of them; None where none has a word.

    What counts is how large a share of the texts holds a word, summed over the text's distinct
    words and divided, as in F, by the mean of its own number of words and that of all texts: long
    texts win nothing by their length. The first in the alphabet of equals.

    Examples
    --------
    >>> typical_text(["Cyst in the liver.", "Mass in the liver.", "Mass in the left lung."])
    'Mass in the liver.'
    """
    words = {text: frozenset(WORD.findall(text.lower())) for text in texts}
    texts = [text for text in texts if words[text]]
    if not texts:
        return None
    holders = Counter(word for text in texts for word in words[text])
    mean = sum(len(words[text]) for text in texts) / len(texts)

    def shared(text: str) -> float:
        total = sum(holders[word] for word in words[text]) / len(texts)
        # Rounding makes equal texts equal, whatever the order of summation.
        return round(2 * total / (len(words[text]) + mean), 9)

    return min(dict.fromkeys(texts), key=lambda text: (-shared(text), text))
