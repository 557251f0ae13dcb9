from __future__ import annotations

import numpy as np
import pytest

from overread.builders.retrieved_exam.embeddings import Embeddings
from overread.errors import UsageError


def _join(pictures: np.ndarray, texts: np.ndarray, *, weight: float = 0.5, n: int = 2):
    return Embeddings.join(
        pictures, texts, label="ours", numbers=range(7, 7 + n), picture_weight=weight
    )


def test_likeness_is_the_weighted_mean_of_both_cosines() -> None:
    pictures = np.array([[1.0, 0.0], [0.6, 0.8]])  # cosine 0.6
    texts = np.array([[2.0, 0.0, 0.0], [0.0, 5.0, 0.0]])  # cosine 0
    assert _join(pictures, texts).similarity(0, 1) == pytest.approx(0.3)
    assert _join(pictures, texts, weight=1.0).similarity(0, 1) == pytest.approx(0.6)


def test_rows_for_other_lesions_are_refused() -> None:
    with pytest.raises(UsageError, match=r"texts \(ours\): expected 2 rows.*got 3"):
        _join(np.ones((2, 2)), np.ones((3, 2)))


def test_nan_is_refused_by_what_it_is() -> None:
    texts = np.ones((2, 2))
    texts[1, 0] = np.nan
    with pytest.raises(
        UsageError, match=r"embeddings of texts \(ours\).*for 1 of 2 lesions, such as 8"
    ):
        _join(np.ones((2, 2)), texts)


def test_zeros_for_all_are_refused_where_they_would_count() -> None:
    zeros = np.zeros((2, 3))
    with pytest.raises(UsageError, match=r"embeddings of pictures \(ours\).*zeros for all"):
        _join(zeros, np.eye(2))
    assert _join(zeros, np.eye(2), weight=0.0).similarity(0, 1) == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("scale", "kind"), [(1e30, np.float32), (1e-30, np.float32), (1e300, float)]
)
def test_the_length_of_a_row_says_nothing(scale: float, kind: type) -> None:
    pictures = (np.array([[1.0, 0.0], [0.6, 0.8]]) * scale).astype(kind)
    assert _join(pictures, np.eye(2), weight=1.0).similarity(0, 1) == pytest.approx(0.6)
