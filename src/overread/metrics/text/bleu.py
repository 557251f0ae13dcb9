"""BLEU of a corpus, as sacrebleu computes it by default, from statistics that can be added up.

BLEU is no mean over pairs: the counts of all pairs are summed and one number is made of the sums.
Keeping the counts of each pair makes the BLEU of any subset, or of 10,000 bootstrap draws, cheap.

Source: Papineni et al., doi:10.3115/1073083.1073135; tokenisation "13a" and smoothing "exp" as in
sacrebleu (Post, doi:10.18653/v1/W18-6319), whose tokeniser is used.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected
from overread.metrics.text.pairs import check_pairs
from overread.metrics.text.word_table import tabulate

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["BLEU_COLUMNS", "bleu", "bleu_statistics", "corpus_bleu"]

_ORDERS = 4
BLEU_COLUMNS = (
    "prediction words",
    "reference words",
    *(f"shared runs of {order}" for order in range(1, _ORDERS + 1)),
    *(f"prediction runs of {order}" for order in range(1, _ORDERS + 1)),
)
"""What the columns of `bleu_statistics` count."""


def bleu_statistics(
    predictions: Sequence[str], references: Sequence[str], *, lowercase: bool
) -> NDArray[np.int64]:
    """Count what BLEU needs of each pair.

    Parameters
    ----------
    predictions, references
        Texts with one reference each; no side may be empty.
    lowercase
        Lower the case of both sides first. sacrebleu's default is False; it changes the number
        (14.86 becomes 16.46 for one released model).

    Returns
    -------
    NDArray
        Shape (n_pairs, 10), see `BLEU_COLUMNS`. Sum rows and give them to `bleu`.

    Raises
    ------
    UsageError
        A side of a pair is empty, or the sides are not equally long.

    Examples
    --------
    >>> bleu_statistics(["in the left lung"], ["in the right lung"], lowercase=True).tolist()
    [[4, 4, 3, 1, 0, 0, 4, 3, 2, 1]]
    """
    check_pairs(predictions, references)

    def split(text: str) -> list[str]:
        return _split((text.lower() if lowercase else text).rstrip())

    overlaps = tabulate(predictions, references, split).overlaps(_ORDERS)
    return np.stack(
        [
            overlaps[0].predicted,
            overlaps[0].referred,
            *(overlap.shared for overlap in overlaps),
            *(overlap.predicted for overlap in overlaps),
        ],
        axis=-1,
    )


def bleu(sums: NDArray[Any]) -> NDArray[np.float64]:
    """Give BLEU from summed statistics.

    Parameters
    ----------
    sums
        Shape (…, 10): sums of rows of `bleu_statistics`, as integers or as floats; the leading
        axes may be draws, models, strata.

    Returns
    -------
    NDArray
        Shape (…), in 0 to 100; NaN exactly where a side has no word, so that there is no BLEU.
        As in sacrebleu it is 0 where nothing is shared and where no prediction has four words.

    Raises
    ------
    UsageError
        The last axis has not 10 entries, or one is negative.

    Examples
    --------
    >>> rows = bleu_statistics(["in the left lung"], ["in the right lung"], lowercase=True)
    >>> round(float(bleu(rows.sum(axis=0))), 4)
    35.3553
    """
    if sums.shape[-1:] != (len(BLEU_COLUMNS),) or (sums < 0).any():
        raise UsageError(
            expected(
                "sums",
                rule=f"counts of 0 or more, shape (…, {len(BLEU_COLUMNS)})",
                got=f"shape {sums.shape}, least {sums.min(initial=0)}",
                remedy="Add up rows of 'bleu_statistics'.",
            )
        )
    counts = np.asarray(sums, dtype=np.float64)
    predicted, referred = counts[..., 0], counts[..., 1]
    shared, total = counts[..., 2 : 2 + _ORDERS], counts[..., 2 + _ORDERS :]
    with np.errstate(divide="ignore", invalid="ignore"):
        brevity = np.where(predicted < referred, np.exp(1 - referred / predicted), 1.0)
        # Smoothing "exp": the first order without a match counts a half match, the next a quarter.
        halvings = np.cumsum((shared == 0) & (total > 0), axis=-1)
        smoothed = np.where(shared > 0, shared, 0.5**halvings)
        logs = np.log(100.0 * smoothed / total).sum(axis=-1)
        score = brevity * np.exp(logs / _ORDERS)
    nothing = ~(shared > 0).any(axis=-1) | (total == 0).any(axis=-1)
    undefined = (predicted == 0) | (referred == 0)
    return np.where(undefined, np.nan, np.where(nothing, 0.0, score))


def corpus_bleu(
    predictions: Sequence[str], references: Sequence[str], *, lowercase: bool
) -> float | None:
    """Give BLEU of all pairs together, in 0 to 100; None when there is no pair with words.

    Raises
    ------
    UsageError
        As `bleu_statistics`.
    """
    value = float(bleu(bleu_statistics(predictions, references, lowercase=lowercase).sum(axis=0)))
    return None if np.isnan(value) else value


_ACROSS_WORDS = ("&", "<skipped>", "-\n")
"""What the tokeniser resolves before it looks at words."""
_MOST_WORDS = 1 << 18


def _split(line: str) -> list[str]:
    """Split a line as sacrebleu does, each distinct word of it once.

    White space is a border that no rule of the tokeniser reaches across, so a line of words is the
    words of the line, unless it holds something of `_ACROSS_WORDS`.
    """
    if any(sign in line for sign in _ACROSS_WORDS):
        return _tokenizer()(line).split()
    return [token for word in line.split() for token in _tokens(word)]


@lru_cache(maxsize=_MOST_WORDS)
def _tokens(word: str) -> tuple[str, ...]:
    return tuple(_tokenizer()(word).split())


@cache
def _tokenizer() -> Callable[[str], str]:
    # Imported when needed: sacrebleu brings in a lot that nobody else asks for.
    module = importlib.import_module("sacrebleu.tokenizers.tokenizer_13a")
    return cast("Callable[[str], str]", module.Tokenizer13a())
