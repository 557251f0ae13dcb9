"""How alike two texts are: BLEU, ROUGE, METEOR, and the cosine of embeddings made elsewhere.

- `pairs`: which pairs have text on both sides; the others have no value.
- `bleu`: statistics of each pair, and BLEU of their sums.
- `rouge`: ROUGE-1, ROUGE-2 and ROUGE-L F of each pair.
- `meteor`: METEOR of each pair, with a `wordnet`.
- `cosine`: cosine of each pair of vectors.

Every function takes all pairs at once: each distinct text is split into words, and each distinct
word stemmed or looked up, once.
"""

from __future__ import annotations

from overread.metrics.text.specs import BLEU, COSINE, METEOR, ROUGE_1, ROUGE_2, ROUGE_L

__all__ = ["BLEU", "COSINE", "METEOR", "ROUGE_1", "ROUGE_2", "ROUGE_L"]
