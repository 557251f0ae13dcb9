"""p-values when several questions are asked of the same data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected

__all__ = ["benjamini_hochberg", "holm"]


def holm(
    p_values: Sequence[float | None], *, most_true: int | None = None
) -> tuple[float | None, ...]:
    """Adjust p-values so that the chance of any false alarm stays at its level (step-down).

    Parameters
    ----------
    p_values
        p-values, 0..1. None (undefined) passes through and counts as no comparison.
    most_true
        How many of the hypotheses can be true at once, where logic says so: of "worse by the
        margin" and "better by the margin" never both. None takes them all.

    Returns
    -------
    tuple
        Adjusted p-values in the same order, at most 1.

    Raises
    ------
    UsageError
        A p-value lies outside 0..1, or `most_true` below 1.

    Notes
    -----
    Sources: S. Holm, Scand. J. Stat. 6 (1979) 65; for `most_true` J. P. Shaffer, J. Am. Stat.
    Assoc. 81 (1986) 826, doi:10.1080/01621459.1986.10478341.

    Examples
    --------
    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    defined, values = _defined(p_values)
    order = np.argsort(values, kind="stable")
    remaining = np.minimum(np.arange(values.size, 0, -1), _at_most(most_true, values.size))
    stepped = np.maximum.accumulate(values[order] * remaining)
    return _place(p_values, defined, order, np.minimum(stepped, 1.0))


def benjamini_hochberg(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Adjust p-values so that the expected share of false alarms among alarms stays at its level.

    Parameters
    ----------
    p_values
        p-values, 0..1, independent or positively dependent. None passes through.

    Returns
    -------
    tuple
        Adjusted p-values in the same order, at most 1.

    Raises
    ------
    UsageError
        A p-value lies outside 0..1.

    Notes
    -----
    Source: Y. Benjamini and Y. Hochberg, J. R. Stat. Soc. B 57 (1995) 289,
    doi:10.1111/j.2517-6161.1995.tb02031.x.

    Examples
    --------
    >>> [round(p, 3) for p in benjamini_hochberg([0.01, 0.04, 0.03])]
    [0.03, 0.04, 0.04]
    """
    defined, values = _defined(p_values)
    order = np.argsort(values, kind="stable")
    ranks = np.arange(1, values.size + 1)
    scaled = values[order] * values.size / ranks
    stepped = np.minimum.accumulate(scaled[::-1])[::-1]
    return _place(p_values, defined, order, np.minimum(stepped, 1.0))


def _at_most(most_true: int | None, n: int) -> int:
    if most_true is not None and most_true < 1:
        raise UsageError(
            expected(
                "most_true",
                rule="a count of 1 or more",
                got=most_true,
                remedy="Leave it out where all hypotheses can be true.",
            )
        )
    return n if most_true is None else min(n, most_true)


def _defined(p_values: Sequence[float | None]) -> tuple[list[int], NDArray[np.float64]]:
    defined = [place for place, p in enumerate(p_values) if p is not None]
    values = np.array([p for p in p_values if p is not None], dtype=np.float64)
    if not bool(np.all((values >= 0) & (values <= 1))):
        raise UsageError(
            expected(
                "p_values",
                rule="numbers from 0 to 1, or None where undefined",
                got=list(p_values),
                remedy="Give p-values before any adjustment.",
            )
        )
    return defined, values


def _place(
    p_values: Sequence[float | None],
    defined: list[int],
    order: NDArray[np.intp],
    adjusted: NDArray[np.float64],
) -> tuple[float | None, ...]:
    placed: list[float | None] = [None] * len(p_values)
    for place, value in zip(order, adjusted, strict=True):
        placed[defined[int(place)]] = float(value)
    return tuple(placed)
