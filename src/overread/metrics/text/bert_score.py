"""BERTScore F1 of pairs of texts, from vectors of their word pieces made elsewhere.

Source: Zhang et al., "BERTScore: Evaluating Text Generation with BERT", ICLR 2020, arXiv
1904.09675; as the package ``bert-score`` computes it for ``lang="en"``: no weights by rarity, no
rescaling. The marks at a text's beginning and end may be matched, and weigh nothing themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected

__all__ = ["PieceVectors", "bert_f1"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PieceVectors:
    """The word pieces of one text."""

    vectors: NDArray[np.float32]
    """Shape (n_pieces, n_dimensions), each of length 1."""
    weighs: NDArray[np.bool_]
    """Shape (n_pieces,): whether the piece is of the text, not a mark at its beginning or end."""


def bert_f1(
    predictions: Sequence[PieceVectors], references: Sequence[PieceVectors]
) -> NDArray[np.float64]:
    """Give BERTScore F1 of each pair.

    Each piece is matched with the most similar piece of the other text; the mean cosine over the
    prediction's pieces is precision, over the reference's it is recall.

    Parameters
    ----------
    predictions, references
        As many of one as of the other, of one model.

    Returns
    -------
    NDArray
        Shape (n_pairs,), at most 1; 0 where a text has no piece of its own, as in ``bert-score``.
        Values of English sentences about one subject crowd between 0.8 and 1. Vectors of which
        some point away from all others, which RoBERTa's do not, can lead beyond 1.

    Raises
    ------
    UsageError
        The sides are not equally long, or their vectors have not the same dimensions.

    Examples
    --------
    >>> one = PieceVectors(vectors=np.eye(2, dtype=np.float32), weighs=np.array([True, True]))
    >>> two = PieceVectors(vectors=np.eye(2, dtype=np.float32)[:1], weighs=np.array([True]))
    >>> bert_f1([one], [two]).round(4).tolist()  # precision 1/2, recall 1
    [0.6667]
    """
    widths = {each.vectors.shape[1] for each in (*predictions, *references)}
    if len(predictions) != len(references) or len(widths) > 1:
        raise UsageError(
            expected(
                "predictions and references",
                rule="as many of one as of the other, in vectors of one model",
                got=f"{len(predictions)} and {len(references)}, of {sorted(widths)} dimensions",
                remedy="Embed both sides with the same model.",
            )
        )
    pairs = zip(predictions, references, strict=True)
    return np.array([_f1(ours, theirs) for ours, theirs in pairs], dtype=np.float64)


def _f1(ours: PieceVectors, theirs: PieceVectors) -> float:
    if not ours.weighs.any() or not theirs.weighs.any():
        return 0.0
    cosines = ours.vectors.astype(np.float64) @ theirs.vectors.astype(np.float64).T
    precision = float(cosines.max(axis=1)[ours.weighs].mean())
    recall = float(cosines.max(axis=0)[theirs.weighs].mean())
    both = precision + recall
    return 2 * precision * recall / both if both else 0.0
