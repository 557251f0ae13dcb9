"""Which pairs of texts can be compared at all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected

__all__ = ["check_pairs", "comparable"]


def comparable(predictions: Sequence[str], references: Sequence[str]) -> NDArray[np.bool_]:
    """Tell which pairs have text on both sides; white space is no text.

    Returns
    -------
    NDArray
        Shape (n_pairs,). A pair marked False has no BLEU, ROUGE, METEOR or cosine, which is not
        the same as one of 0.

    Raises
    ------
    UsageError
        There are not as many predictions as references.

    Examples
    --------
    >>> comparable(["left lung", " "], ["right lung", "heart"]).tolist()
    [True, False]
    """
    _check_lengths(predictions, references)
    flags = [
        bool(prediction.strip()) and bool(reference.strip())
        for prediction, reference in zip(predictions, references, strict=True)
    ]
    return np.array(flags, dtype=np.bool_)


def check_pairs(predictions: Sequence[str], references: Sequence[str]) -> None:
    """Refuse pairs that cannot be compared.

    Raises
    ------
    UsageError
        There are not as many predictions as references, or a side of a pair is empty.
    """
    empty = np.flatnonzero(~comparable(predictions, references))
    if empty.size:
        first = int(empty[0])
        raise UsageError(
            expected(
                "predictions and references",
                rule="text on both sides of every pair",
                got=f"{empty.size} pairs with an empty side, the first at {first}",
                remedy="Leave out the pairs that 'comparable' marks False, and say how many.",
            )
        )


def _check_lengths(predictions: Sequence[str], references: Sequence[str]) -> None:
    if len(predictions) != len(references):
        raise UsageError(
            expected(
                "predictions and references",
                rule="as many of one as of the other",
                got=f"{len(predictions)} and {len(references)}",
                remedy="Join them by item id first.",
            )
        )
