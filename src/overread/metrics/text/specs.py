"""What is true of the measures of text likeness; import of this module costs nothing.

All of them say how alike two texts are, never whether an answer is right: "in the left lung" and
"in the right lung" share all words but one.

Of their properties, ``order invariant`` is about the order of pairs, ``deaf to case`` says that
lower-casing a side changes nothing, ``symmetric`` that the sides may change places. None but the
cosine promises its best value to identical texts: two words in a row are none of BLEU's four.
"""

from __future__ import annotations

from overread.metrics.spec import MetricSpec

__all__ = [
    "BLEU",
    "COSINE",
    "METEOR",
    "ROUGE_1",
    "ROUGE_2",
    "ROUGE_L",
    "TEXT_METRICS",
]

_EMPTY_SIDE = "a side is empty"

BLEU = MetricSpec(
    name="bleu",
    version="1",
    title="BLEU of all pairs together",
    direction="up",
    low=0.0,
    high=100.0,
    unit="points",
    properties=frozenset({"order invariant", "deaf to case"}),
    undefined="no word on one of the sides",
)
ROUGE_1 = MetricSpec(
    name="rouge1",
    version="1",
    title="ROUGE-1 F",
    direction="up",
    low=0.0,
    high=1.0,
    unit="1",
    properties=frozenset({"order invariant", "deaf to case", "symmetric"}),
    undefined=_EMPTY_SIDE,
)
ROUGE_2 = MetricSpec(
    name="rouge2",
    version="1",
    title="ROUGE-2 F",
    direction="up",
    low=0.0,
    high=1.0,
    unit="1",
    properties=frozenset({"order invariant", "deaf to case", "symmetric"}),
    undefined=_EMPTY_SIDE,
)
ROUGE_L = MetricSpec(
    name="rougeL",
    version="1",
    title="ROUGE-L F",
    direction="up",
    low=0.0,
    high=1.0,
    unit="1",
    properties=frozenset({"order invariant", "deaf to case", "symmetric"}),
    undefined=_EMPTY_SIDE,
)
METEOR = MetricSpec(
    name="meteor",
    version="1",
    title="METEOR",
    direction="up",
    low=0.0,
    high=1.0,
    unit="1",
    properties=frozenset({"order invariant", "deaf to case"}),
    undefined=_EMPTY_SIDE,
)
COSINE = MetricSpec(
    name="cosine",
    version="1",
    title="Cosine of sentence embeddings",
    direction="up",
    low=-1.0,
    high=1.0,
    unit="1",
    properties=frozenset({"order invariant", "best for identical texts", "symmetric"}),
    undefined=f"{_EMPTY_SIDE}, or its embedding has no length",
)
TEXT_METRICS = (BLEU, ROUGE_1, ROUGE_2, ROUGE_L, METEOR, COSINE)
