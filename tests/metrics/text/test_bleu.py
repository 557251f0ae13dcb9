from __future__ import annotations

import math

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.errors import UsageError
from overread.metrics.text.bleu import BLEU_COLUMNS, bleu, bleu_statistics, corpus_bleu

# Pieces on which tokenisers differ: entities, numbers with commas, hyphens, line ends, capitals.
TEXTS = st.lists(
    st.sampled_from(
        ["Left", "left", "lung", "lung.", ".5", ",,", "5-", "-a.", "3.5mm,", "1,000", "x-ray",
         "&amp;", "-\n", "<skipped>", "μm", "\u00a0", "'s", "(a)", "lower", "lobe", "of", "the"]
    ),
    min_size=1, max_size=14,
).map(" ".join).filter(lambda text: bool(text.strip()))  # fmt: skip
PAIRS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6)


def test_one_pair_by_hand() -> None:
    # "in the left lung" of "in the right lung": 3 of 4 words, 1 of 3 runs of two ("in the"),
    # none of 2 of three: half a match (1/4), none of 1 of four: a quarter of a match (1/4).
    rows = bleu_statistics(["in the left lung"], ["in the right lung"], lowercase=True)
    assert rows.tolist() == [[4, 4, 3, 1, 0, 0, 4, 3, 2, 1]]
    by_hand = 100 * math.prod([3 / 4, 1 / 3, 0.5 / 2, 0.25 / 1]) ** (1 / 4)
    assert bleu(rows.sum(axis=0)) == pytest.approx(by_hand, abs=1e-12)


def test_a_short_corpus_pays_the_brevity_penalty() -> None:
    # Every run of the four words is right, but the reference has 8: exp(1 - 8 / 4).
    value = corpus_bleu(["a b c d"], ["a b c d e f g h"], lowercase=True)
    assert value == pytest.approx(100 * math.exp(-1), abs=1e-12)


def test_identical_texts_reach_100() -> None:
    text = "A nodule of 5 mm in the left lower lobe."
    assert corpus_bleu([text, text], [text, text], lowercase=False) == pytest.approx(100.0)


@pytest.mark.parametrize("lowercase", [False, True])
@settings(max_examples=40)
@given(pairs=PAIRS)
def test_digits_are_those_of_sacrebleu(lowercase: bool, pairs: list[tuple[str, str]]) -> None:
    predictions, references = zip(*pairs, strict=True)
    theirs = sacrebleu.corpus_bleu(predictions, [references], lowercase=lowercase)
    ours = corpus_bleu(predictions, references, lowercase=lowercase)
    if theirs.sys_len and theirs.ref_len:
        assert ours == pytest.approx(theirs.score, abs=1e-12)
    else:
        assert ours is None  # sacrebleu says 0; nothing was compared


@settings(max_examples=40)
@given(pairs=PAIRS, seed=st.integers(0, 50))
def test_draws_are_the_bleu_of_the_drawn_pairs(pairs: list[tuple[str, str]], seed: int) -> None:
    predictions, references = zip(*pairs, strict=True)
    rows = bleu_statistics(predictions, references, lowercase=True)
    drawn = np.random.default_rng(seed).integers(0, len(pairs), size=(3, 5))
    values = bleu(rows[drawn].sum(axis=1))
    assert values.shape == (3,)
    for draw, value in zip(drawn, values, strict=True):
        one = corpus_bleu(
            [predictions[at] for at in draw], [references[at] for at in draw], lowercase=True
        )
        assert value == pytest.approx(np.nan if one is None else one, abs=1e-12, nan_ok=True)


@settings(max_examples=40)
@given(pairs=PAIRS)
def test_order_and_case_change_nothing(pairs: list[tuple[str, str]]) -> None:
    predictions, references = zip(*pairs, strict=True)
    value = corpus_bleu(predictions, references, lowercase=True)
    assert corpus_bleu(predictions[::-1], references[::-1], lowercase=True) == value
    loud = [text.upper() for text in predictions]
    assert corpus_bleu(loud, references, lowercase=True) == value
    assert value is None or 0.0 <= value <= 100.0 + 1e-9


def test_nothing_to_count_is_undefined_and_no_match_is_zero() -> None:
    assert corpus_bleu([], [], lowercase=True) is None
    assert corpus_bleu(["left"], ["right"], lowercase=True) == 0.0
    sums = np.array([np.zeros(10), [4, 4, 4, 3, 2, 1, 4, 3, 2, 1]])
    assert np.isnan(bleu(sums)).tolist() == [True, False]
    assert bleu(sums[1]) == pytest.approx(100.0)


@pytest.mark.parametrize("sums", [np.zeros(9), np.float64(3.0), np.full(10, -1)])
def test_what_is_no_sum_of_statistics_is_refused(sums: np.ndarray) -> None:
    with pytest.raises(UsageError, match="counts of 0 or more"):
        bleu(sums)


def test_an_empty_side_is_refused() -> None:
    with pytest.raises(UsageError, match="text on both sides"):
        bleu_statistics(["a", ""], ["a", "b"], lowercase=True)


def test_columns_are_named() -> None:
    assert len(BLEU_COLUMNS) == bleu_statistics(["a"], ["b"], lowercase=True).shape[1]
