"""CT-Bench's arithmetic for image-text scorers: slice weights, cosine, softmax.

Source: arXiv 2602.14879, as far as it says. Its evaluation module is not among the published
files, so one order of steps is our choice: each slice's feature has length 1 before slices are
weighed, and the sum is brought to length 1 again. Neither can change which of four texts wins for
one picture or stack.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from overread.imaging.slice_weights import slice_weights

__all__ = ["combine_slices", "probabilities"]


def combine_slices(features: NDArray[np.float64]) -> NDArray[np.float64]:
    """Make one feature of a stack's: (n_slices, width) of length 1 each → (width,) of length 1.

    Weighted features that cancel each other out leave a feature of length 0, which is as near to
    one text as to another.
    """
    combined = slice_weights(len(features)) @ features
    length = float(np.linalg.norm(combined))
    return combined / length if length > 0 else combined


def probabilities(
    pictures: NDArray[np.float64], texts: NDArray[np.float64], *, scale: float
) -> NDArray[np.float64]:
    """Give each option's probability: the softmax of its scaled cosine.

    Parameters
    ----------
    pictures
        Shape (n_pictures, width), of length 1 each.
    texts
        Shape (n_texts, width), of length 1 each. Either n is 1; the other are the options.
    scale
        The model's logit scale. A bias, where a model has one, is common to all options and
        falls out.

    Returns
    -------
    NDArray[np.float64]
        Shape (n_options,), sums to 1.
    """
    logits = scale * (pictures @ texts.T).ravel()
    shares = np.exp(logits - logits.max())
    return shares / shares.sum()
