from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.errors import UsageError
from overread.metrics.text.cosine import cosine, mean_cosine_in_single_precision

VECTORS = st.lists(
    st.tuples(*[st.floats(-1e3, 1e3).map(lambda value: round(value, 6))] * 3),
    min_size=1,
    max_size=5,
)


def test_angles_by_hand() -> None:
    # right angle, same direction, opposite, 60 degrees
    ours = np.array([[1, 0], [3, 4], [1, 1], [1, 0]], dtype=np.float32)
    theirs = np.array([[0, 2], [6, 8], [-2, -2], [1, np.sqrt(3)]], dtype=np.float32)
    np.testing.assert_allclose(cosine(ours, theirs), [0, 1, -1, 0.5], atol=1e-7)


@given(vectors=VECTORS, factor=st.floats(0.1, 10))
def test_length_and_side_do_not_matter(
    vectors: list[tuple[float, float, float]], factor: float
) -> None:
    ours = np.array(vectors)
    theirs = ours[:, ::-1].copy()
    value = cosine(ours, theirs)
    np.testing.assert_allclose(cosine(theirs, ours), value, atol=1e-12)
    np.testing.assert_allclose(cosine(ours * factor, theirs), value, atol=1e-9)
    defined = value[~np.isnan(value)]
    assert ((defined >= -1) & (defined <= 1)).all()
    itself = cosine(ours, ours)
    np.testing.assert_allclose(itself[~np.isnan(itself)], 1.0, atol=1e-12)


def test_a_vector_without_length_has_no_angle() -> None:
    value = cosine(np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[1.0, 0.0], [1.0, 0.0]]))
    assert np.isnan(value).tolist() == [True, False]


def test_single_precision_rounds_what_double_precision_keeps() -> None:
    rng = np.random.default_rng(0)
    ours, theirs = rng.normal(size=(2, 5000, 384)).astype(np.float32) + np.float32(0.5)
    rounded, exact = mean_cosine_in_single_precision(ours, theirs), cosine(ours, theirs).mean()
    assert rounded == pytest.approx(exact, abs=1e-6)
    assert rounded is not None
    assert rounded == float(np.float32(rounded)) != exact


def test_the_mean_is_undefined_without_a_pair_or_a_length() -> None:
    assert mean_cosine_in_single_precision(np.zeros((0, 3)), np.zeros((0, 3))) is None
    assert mean_cosine_in_single_precision(np.ones((2, 3)), np.eye(3)[:2] * [[1], [0]]) is None


@pytest.mark.parametrize("measure", [cosine, mean_cosine_in_single_precision])
@pytest.mark.parametrize(
    ("ours", "theirs", "message"),
    [
        (np.zeros((2, 3)), np.zeros((2, 4)), "same shape"),
        (np.zeros(3), np.zeros(3), "same shape"),
        (np.full((1, 2), np.nan), np.zeros((1, 2)), "finite"),
        (np.zeros((1, 2)), np.full((1, 2), np.inf), "finite"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    measure: Callable[..., object], ours: np.ndarray, theirs: np.ndarray, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        measure(ours, theirs)
