"""Cosine of the angle between pairs of vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected

__all__ = ["cosine", "mean_cosine_in_single_precision"]


def cosine(
    predictions: NDArray[np.floating], references: NDArray[np.floating]
) -> NDArray[np.float64]:
    """Give the cosine of each pair of vectors, computed in double precision.

    Parameters
    ----------
    predictions, references
        Shape (n_pairs, n_dimensions); lengths of the vectors do not matter.

    Returns
    -------
    NDArray
        Shape (n_pairs,), in −1 to 1; NaN exactly where a vector has no length.

    Raises
    ------
    UsageError
        The shapes differ or have not two axes, or a number is not finite.

    Examples
    --------
    >>> cosine(np.array([[1.0, 0.0], [3.0, 4.0]]), np.array([[0.0, 2.0], [3.0, 4.0]])).tolist()
    [0.0, 1.0]
    """
    _check(predictions, references)
    ours, theirs = predictions.astype(np.float64), references.astype(np.float64)
    lengths = np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1)
    products = np.einsum("nd,nd->n", ours, theirs)
    undefined = np.full(lengths.shape, np.nan)
    return np.clip(np.divide(products, lengths, out=undefined, where=lengths > 0), -1.0, 1.0)


def mean_cosine_in_single_precision(
    predictions: NDArray[np.floating], references: NDArray[np.floating]
) -> float | None:
    """Give the mean cosine as code that never leaves single precision does.

    Vectors, products and the sum of the cosines are rounded to 24 bits, which moves the eighth
    digit over thousands of pairs: this is for comparing with numbers published so. For everything
    else there is `cosine`.

    Returns
    -------
    float or None
        In −1 to 1; None without a pair, and where a vector has no length.

    Raises
    ------
    UsageError
        As `cosine`.
    """
    _check(predictions, references)
    sides = [side.astype(np.float32) for side in (predictions, references)]
    lengths = [np.linalg.norm(side, axis=1, keepdims=True) for side in sides]
    if not predictions.size or any((length == 0).any() for length in lengths):
        return None
    ours, theirs = (side / length for side, length in zip(sides, lengths, strict=True))
    return float((ours * theirs).sum(axis=1).mean(dtype=np.float32))


def _check(predictions: NDArray[np.floating], references: NDArray[np.floating]) -> None:
    if predictions.shape != references.shape or predictions.ndim != 2:
        raise UsageError(
            expected(
                "predictions and references",
                rule="two arrays of the same shape (n_pairs, n_dimensions)",
                got=f"{predictions.shape} and {references.shape}",
                remedy="Embed both sides with the same model.",
            )
        )
    if not (np.isfinite(predictions).all() and np.isfinite(references).all()):
        raise UsageError(
            expected(
                "predictions and references",
                rule="finite numbers",
                got="infinite ones or NaN",
                remedy="The embedding model failed; look at its inputs.",
            )
        )
