from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from overread.errors import UsageError
from overread.metrics.text.penn_words import penn_words
from overread.metrics.text.unigrams import bleu1, rouge1_plain

WORDS = ["Left", "left", "lung", "lung,", "nodule.", "5", "mm", "the", "(a)", "it's"]
TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)


def _nltk(prediction: str, reference: str) -> float:
    """Call NLTK as the released script does."""
    smoothing = SmoothingFunction().method4
    return sentence_bleu(
        [penn_words(reference)],
        penn_words(prediction),
        smoothing_function=smoothing,
        weights=(1, 0, 0, 0),
    )


@given(prediction=TEXT, reference=TEXT)
def test_bleu1_is_nltks_to_the_last_digit(prediction: str, reference: str) -> None:
    assert bleu1([prediction], [reference])[0] == _nltk(prediction, reference)


def test_bleu1_by_hand() -> None:
    # 2 of 3 words are in the reference of 5; brevity penalty exp(1 - 5/3).
    (value,) = bleu1(["lung nodule new"], ["small nodule in the lung"])
    assert value == pytest.approx(2 / 3 * math.exp(1 - 5 / 3))
    # A word counts as often as the reference has it; a longer caption has no penalty.
    assert bleu1(["lung lung lung lung"], ["lung"])[0] == pytest.approx(1 / 4)
    # Case counts.
    assert bleu1(["Lung"], ["lung"])[0] == 0.0


def test_rouge1_by_hand() -> None:
    # "nodule." is not "nodule", and of "the the" one is shared: 2 of 4 words on each side.
    (value,) = rouge1_plain(["the the left nodule"], ["in the left nodule."])
    assert value == pytest.approx(0.5)
    assert rouge1_plain(["cyst"], ["Cyst"])[0] == 0.0
    # Precision 1, recall 1/3.
    assert rouge1_plain(["lung"], ["left lung nodule"])[0] == pytest.approx(0.5)


@given(prediction=TEXT, reference=TEXT)
def test_rouge1_is_f_of_the_words_that_both_have(prediction: str, reference: str) -> None:
    ours, theirs = prediction.split(), reference.split()
    shared = sum((Counter(ours) & Counter(theirs)).values())
    expected = 2 * shared / (len(ours) + len(theirs))
    assert rouge1_plain([prediction], [reference])[0] == pytest.approx(expected, abs=1e-12)


def test_a_wrong_side_costs_hardly_anything() -> None:
    # What the fact score is for: one word of seven is another, and the patient has another lung.
    pair = ["A solid nodule in the right lung."], ["A solid nodule in the left lung."]
    assert bleu1(*pair)[0] == pytest.approx(7 / 8)
    assert rouge1_plain(*pair)[0] == pytest.approx(6 / 7)


def test_pairs_keep_their_places_and_equal_ones_their_value() -> None:
    values = bleu1(["a b", "c", "a b"], ["a b", "d", "a b"])
    assert values.tolist() == [1.0, 0.0, 1.0]
    assert bleu1([], []).shape == rouge1_plain([], []).shape == (0,)


@pytest.mark.parametrize("measure", [bleu1, rouge1_plain])
def test_an_empty_side_is_refused(measure) -> None:
    with pytest.raises(UsageError, match="text on both sides"):
        measure(["a", " "], ["a", "b"])
