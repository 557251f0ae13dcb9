from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.errors import UsageError
from overread.metrics.text.bert_score import PieceVectors, bert_f1


def pieces(*rows: list[float], marks: int = 0) -> PieceVectors:
    """Make pieces of length 1; the first so many are marks."""
    vectors = np.array(rows, dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return PieceVectors(vectors=vectors, weighs=np.arange(len(rows)) >= marks)


def test_one_pair_by_hand() -> None:
    # Prediction x, y; reference x, (x+y)/√2. Best of x: 1; of y: 1/√2; of x: 1; of (x+y): 1/√2.
    half = 2**-0.5
    mean = (1 + half) / 2
    found = bert_f1([pieces([1, 0], [0, 1])], [pieces([1, 0], [1, 1])])
    assert found[0] == pytest.approx(mean)
    # A third piece of the prediction that is like none pulls precision only: 2PR / (P + R).
    longer = pieces([1, 0, 0], [0, 1, 0], [0, 0, 1])
    precision, recall = (1 + half + 0) / 3, mean
    expected = 2 * precision * recall / (precision + recall)
    assert bert_f1([longer], [pieces([1, 0, 0], [1, 1, 0])])[0] == pytest.approx(expected)


def test_a_mark_may_be_matched_and_weighs_nothing() -> None:
    # The reference's mark is what the prediction's piece is most like: precision 1, recall 0.
    found = bert_f1([pieces([1, 0])], [pieces([1, 0], [0, 1], marks=1)])
    assert found[0] == 0.0
    found = bert_f1([pieces([1, 0], [0, 1], marks=1)], [pieces([0, 1])])
    assert found[0] == pytest.approx(1.0)


def test_a_text_of_marks_alone_shares_nothing() -> None:
    assert bert_f1([pieces([1, 0], [0, 1], marks=2)], [pieces([1, 0])]).tolist() == [0.0]


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_it_is_symmetric_and_one_for_a_text_and_itself(n: int, m: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ours, theirs = (pieces(*rng.uniform(size=(size, 4)).tolist()) for size in (n, m))
    forth, back = bert_f1([ours], [theirs])[0], bert_f1([theirs], [ours])[0]
    assert forth == pytest.approx(back, abs=1e-6)
    assert forth <= 1 + 1e-6
    assert bert_f1([ours], [ours])[0] == pytest.approx(1.0, abs=1e-6)


def test_sides_must_fit() -> None:
    with pytest.raises(UsageError, match="of one model"):
        bert_f1([pieces([1, 0])], [pieces([1, 0, 0])])
    with pytest.raises(UsageError, match="as many of one"):
        bert_f1([pieces([1, 0])], [])
