"""Whatever a text metric claims of itself, held against hypothesis' texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overread.metrics.spec import MetricSpec
from overread.metrics.text import BLEU, COSINE, METEOR, ROUGE_1, ROUGE_2, ROUGE_L
from overread.metrics.text.bleu import corpus_bleu
from overread.metrics.text.cosine import cosine
from overread.metrics.text.meteor import meteor
from overread.metrics.text.rouge import rouge
from overread.metrics.text.specs import TEXT_METRICS
from overread.metrics.text.wordnet import WordNet
from overread.registry import metric_specs

Texts = Sequence[str]
Measure = Callable[[Texts, Texts, WordNet], float | None]
Pairs = list[tuple[str, str]]

WORDS = ["Left", "left", "lung", "Lungs.", "knots", "node", "5", "mm", "肺", "Größe", "the"]
TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
PAIRS = st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5)
FEW = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


def vectors(texts: Texts) -> np.ndarray:
    """Count words: the vectors need not come from a network to have an angle."""
    return np.array([[text.split().count(word) for word in WORDS] for text in texts], dtype=float)


def mean(values: np.ndarray) -> float | None:
    return float(values.mean()) if values.size else None


MEASURES: dict[MetricSpec, Measure] = {
    BLEU: lambda ours, theirs, _: corpus_bleu(ours, theirs, lowercase=True),
    ROUGE_1: lambda ours, theirs, _: mean(rouge(ours, theirs).rouge1),
    ROUGE_2: lambda ours, theirs, _: mean(rouge(ours, theirs).rouge2),
    ROUGE_L: lambda ours, theirs, _: mean(rouge(ours, theirs).rouge_l),
    METEOR: lambda ours, theirs, wordnet: mean(meteor(ours, theirs, wordnet)),
    COSINE: lambda ours, theirs, _: mean(
        cosine(vectors(ours).reshape(-1, len(WORDS)), vectors(theirs).reshape(-1, len(WORDS)))
    ),
}


def claims(fact: str) -> Any:
    return pytest.mark.parametrize(
        "spec", [spec for spec in MEASURES if fact in spec.properties], ids=lambda spec: spec.name
    )


@pytest.fixture
def words(small_wordnet: Path) -> WordNet:
    return WordNet(small_wordnet)


def test_every_metric_is_tried_and_registered() -> None:
    assert tuple(MEASURES) == TEXT_METRICS
    assert set(TEXT_METRICS) <= set(metric_specs())
    known = {"order invariant", "deaf to case", "symmetric", "best for identical texts"}
    assert {fact for spec in TEXT_METRICS for fact in spec.properties} == known


@pytest.mark.parametrize("spec", MEASURES, ids=lambda spec: spec.name)
def test_without_pairs_there_is_no_value(spec: MetricSpec, words: WordNet) -> None:
    assert MEASURES[spec]([], [], words) is None


@pytest.mark.parametrize("spec", MEASURES, ids=lambda spec: spec.name)
@FEW
@given(pairs=PAIRS)
def test_values_stay_in_their_range(spec: MetricSpec, words: WordNet, pairs: Pairs) -> None:
    ours, theirs = zip(*pairs, strict=True)
    value = MEASURES[spec](ours, theirs, words)
    assert value is not None
    assert spec.low - 1e-9 <= value <= spec.high + 1e-9


@claims("order invariant")
@FEW
@given(pairs=PAIRS)
def test_order_of_pairs_changes_nothing(spec: MetricSpec, words: WordNet, pairs: Pairs) -> None:
    ours, theirs = zip(*pairs, strict=True)
    value = MEASURES[spec](ours, theirs, words)
    assert MEASURES[spec](ours[::-1], theirs[::-1], words) == pytest.approx(value, abs=1e-12)


@claims("deaf to case")
@FEW
@given(pairs=PAIRS)
def test_lower_case_changes_nothing(spec: MetricSpec, words: WordNet, pairs: Pairs) -> None:
    ours, theirs = zip(*pairs, strict=True)
    lowered = [text.lower() for text in ours]
    value = MEASURES[spec](ours, theirs, words)
    assert MEASURES[spec](lowered, theirs, words) == value


@claims("symmetric")
@FEW
@given(pairs=PAIRS)
def test_sides_may_change_places(spec: MetricSpec, words: WordNet, pairs: Pairs) -> None:
    ours, theirs = zip(*pairs, strict=True)
    value = MEASURES[spec](ours, theirs, words)
    assert MEASURES[spec](theirs, ours, words) == pytest.approx(value, abs=1e-12)


@claims("best for identical texts")
@FEW
@given(text=TEXT)
def test_a_text_is_most_like_itself(spec: MetricSpec, words: WordNet, text: str) -> None:
    assert MEASURES[spec]([text], [text], words) == pytest.approx(spec.high)
