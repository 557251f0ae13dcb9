"""What the measures of captions claim of themselves, held against hypothesis' texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.metrics.captions import (
    BERT_F1,
    BLEU_1,
    CAPTION_METRICS,
    METEOR_PENN,
    ROUGE_1_PLAIN,
)
from overread.metrics.spec import MetricSpec
from overread.metrics.text.bert_score import PieceVectors, bert_f1
from overread.metrics.text.unigrams import bleu1, rouge1_plain
from overread.registry import metric_specs

Texts = Sequence[str]
WORDS = ["Left", "left", "lung", "Lungs.", "node", "5", "mm", "肺", "Größe", "the"]
TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
PAIRS = st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5)


def pieces(text: str) -> PieceVectors:
    """Give each word a direction of its own: vectors need not come from a network."""
    vectors = np.eye(len(WORDS), dtype=np.float32)[[WORDS.index(word) for word in text.split()]]
    return PieceVectors(vectors=vectors, weighs=np.ones(len(vectors), dtype=np.bool_))


def bert(ours: Texts, theirs: Texts) -> np.ndarray:
    return bert_f1([pieces(text) for text in ours], [pieces(text) for text in theirs])


# METEOR is held to its claims in text/test_specs.py; here it is given other words.
MEASURES = {BLEU_1: bleu1, ROUGE_1_PLAIN: rouge1_plain, BERT_F1: bert}


def claims(fact: str):
    specs = [spec for spec in MEASURES if fact in spec.properties]
    return pytest.mark.parametrize("spec", specs, ids=lambda spec: spec.name)


def test_every_measure_is_tried_and_registered() -> None:
    assert {*MEASURES, METEOR_PENN} == set(CAPTION_METRICS)
    assert set(CAPTION_METRICS) <= set(metric_specs())


@settings(max_examples=25)
@given(pairs=PAIRS)
@pytest.mark.parametrize("spec", MEASURES, ids=lambda spec: spec.name)
def test_values_stay_in_their_range(spec: MetricSpec, pairs: list[tuple[str, str]]) -> None:
    values = MEASURES[spec](*zip(*pairs, strict=True))
    assert values.shape == (len(pairs),)
    assert ((values >= spec.low) & (values <= spec.high + 1e-9)).all()


@claims("order invariant")
@settings(max_examples=25)
@given(pairs=PAIRS)
def test_order_of_pairs_changes_nothing(spec: MetricSpec, pairs: list[tuple[str, str]]) -> None:
    ours, theirs = zip(*pairs, strict=True)
    values = MEASURES[spec](ours, theirs)
    assert MEASURES[spec](ours[::-1], theirs[::-1]).tolist() == values.tolist()[::-1]


@claims("symmetric")
@settings(max_examples=25)
@given(pairs=PAIRS)
def test_sides_may_change_places(spec: MetricSpec, pairs: list[tuple[str, str]]) -> None:
    ours, theirs = zip(*pairs, strict=True)
    assert MEASURES[spec](theirs, ours) == pytest.approx(MEASURES[spec](ours, theirs), abs=1e-12)


@claims("best for identical texts")
@settings(max_examples=25)
@given(text=TEXT)
def test_a_text_is_most_like_itself(spec: MetricSpec, text: str) -> None:
    assert MEASURES[spec]([text], [text])[0] == pytest.approx(spec.high)
