from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from overread.errors import UsageError
from overread.metrics.text.rouge import rouge

REFERENCE = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
WORDS = ["Nodules", "nodule", "lung", "lungs,", "the", "of", "3.5", "mm", "Größe", "İst",
         "calcified", "calcification", "—", "x-ray", "肺"]  # fmt: skip
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30).map(" ".join)
PAIRS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6)


def test_one_pair_by_hand() -> None:
    # nodul in the left lung / a nodul in the right lung: 4 words shared of 5 and 6, in order;
    # runs of two shared: "nodul in", "in the", of 4 and 5. F = 2 * shared / (both lengths).
    found = rouge(["Nodules in the left lung."], ["A nodule in the right lung"])
    assert found.rouge1[0] == pytest.approx(8 / 11)
    assert found.rouge2[0] == pytest.approx(4 / 9)
    assert found.rouge_l[0] == pytest.approx(8 / 11)


def test_order_of_words_matters_to_the_longest_common_subsequence_alone() -> None:
    found = rouge(["a b c d"], ["d c b a"])
    assert found.rouge1.tolist() == [1.0]
    assert found.rouge_l.tolist() == [0.25]


@settings(max_examples=40)
@given(pairs=PAIRS)
def test_digits_are_those_of_rouge_score(pairs: list[tuple[str, str]]) -> None:
    predictions, references = zip(*pairs, strict=True)
    found = rouge(predictions, references)
    for row, (prediction, reference) in enumerate(pairs):
        theirs = REFERENCE.score(reference, prediction)
        assert found.rouge1[row] == theirs["rouge1"].fmeasure
        assert found.rouge2[row] == theirs["rouge2"].fmeasure
        assert found.rouge_l[row] == theirs["rougeL"].fmeasure


@settings(max_examples=40)
@given(pairs=PAIRS)
def test_sides_may_change_places_and_case_is_not_heard(pairs: list[tuple[str, str]]) -> None:
    predictions, references = zip(*pairs, strict=True)
    found, swapped = rouge(predictions, references), rouge(references, predictions)
    lowered = rouge([text.lower() for text in predictions], references)
    for name in ("rouge1", "rouge2", "rouge_l"):
        values = getattr(found, name)
        np.testing.assert_allclose(getattr(swapped, name), values, atol=1e-15)
        np.testing.assert_array_equal(getattr(lowered, name), values)
        assert ((values >= 0) & (values <= 1)).all()


@settings(max_examples=40)
@given(
    text=TEXTS.filter(lambda text: any(letter.isascii() and letter.isalnum() for letter in text))
)
def test_a_text_is_most_like_itself(text: str) -> None:
    found = rouge([text], [text])
    assert (found.rouge1[0], found.rouge_l[0]) == (1.0, 1.0)


def test_a_side_without_ascii_words_shares_nothing() -> None:
    assert rouge(["肺"], ["肺"]).rouge1.tolist() == [0.0]  # as in rouge_score


def test_an_empty_side_is_refused_and_no_pair_is_fine() -> None:
    with pytest.raises(UsageError, match="text on both sides"):
        rouge([" "], ["a"])
    assert rouge([], []).rouge1.shape == (0,)


def test_long_texts_do_not_cost_their_product() -> None:
    # A table of 20,000 × 20,000 words would take minutes and gigabytes.
    left, right = "left lung " * 10_000, "right lung " * 10_000
    assert rouge([left], [right]).rouge_l.tolist() == [0.5]
