"""What is true of the measures of captions; import of this module costs nothing.

They are CT-Bench's (public code CelestialShine/CT-Bench), and measures of likeness like all others:
none of them asks whether organ, side or size are right.
"""

from __future__ import annotations

from overread.metrics.spec import MetricSpec

__all__ = ["BERT_F1", "BLEU_1", "CAPTION_METRICS", "METEOR_PENN", "ROUGE_1_PLAIN"]

_EMPTY_SIDE = "a side is empty"

BLEU_1 = MetricSpec(
    name="bleu1",
    version="1",
    title="BLEU-1 of each caption",
    direction="up",
    low=0.0,
    high=1.0,
    unit="1",
    properties=frozenset({"order invariant", "best for identical texts"}),
    undefined=_EMPTY_SIDE,
)
METEOR_PENN = MetricSpec(
    name="meteor_penn",
    version="1",
    title="METEOR over Penn Treebank words",
    direction="up",
    low=0.0,
    high=1.0,
    unit="1",
    properties=frozenset({"order invariant", "deaf to case"}),
    undefined=_EMPTY_SIDE,
)
ROUGE_1_PLAIN = MetricSpec(
    name="rouge1_plain",
    version="1",
    title="ROUGE-1 F over words as written",
    direction="up",
    low=0.0,
    high=1.0,
    unit="1",
    properties=frozenset({"order invariant", "symmetric", "best for identical texts"}),
    undefined=_EMPTY_SIDE,
)
BERT_F1 = MetricSpec(
    name="bertscore_f1",
    version="1",
    title="BERTScore F1",
    direction="up",
    low=-1.0,
    high=1.0,
    unit="1",
    properties=frozenset({"order invariant", "symmetric", "best for identical texts"}),
    undefined=_EMPTY_SIDE,
)
CAPTION_METRICS = (BLEU_1, METEOR_PENN, ROUGE_1_PLAIN, BERT_F1)
