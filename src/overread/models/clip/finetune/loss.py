"""The contrastive loss over a batch of pairs of picture and sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from overread.models.clip.libraries import import_libraries

__all__ = ["contrastive_loss"]


def contrastive_loss(pictures: Any, texts: Any, scale: Any, sentences: Sequence[str]) -> Any:
    """Give the mean cross-entropy of finding each picture's sentence and each sentence's picture.

    Parameters
    ----------
    pictures, texts
        Features of length 1, shape (n_pairs, width) each; row i of both is pair i.
    scale
        The model's logit scale, a scalar tensor.
    sentences
        What `texts` encodes. Pairs with one and the same sentence share the target evenly: to call
        one of two lesions told in the same words wrong would teach nothing that is in the picture.

    Returns
    -------
    Tensor
        A scalar; ln(n_pairs) for features that tell nothing, where all sentences differ.

    Notes
    -----
    Source: Radford et al., arXiv 2103.00020, figure 3, but for the shared targets, which are our
    choice; without repeated sentences the two are the same.
    """
    torch, _ = import_libraries()
    logits = scale * pictures @ texts.T
    first: dict[str, int] = {}
    groups = [first.setdefault(sentence, place) for place, sentence in enumerate(sentences)]
    codes = torch.tensor(groups, device=logits.device)
    targets = (codes[:, None] == codes[None, :]).to(logits.dtype)
    targets /= targets.sum(dim=1, keepdim=True)
    across = torch.nn.functional.cross_entropy(logits, targets)
    down = torch.nn.functional.cross_entropy(logits.T, targets)
    return (across + down) / 2
