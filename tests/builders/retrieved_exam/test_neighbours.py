from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.builders.retrieved_exam.neighbours import nearest_neighbours, unit_length
from overread.errors import UsageError


@settings(deadline=None, max_examples=40)
@given(n=st.integers(2, 40), width=st.integers(1, 6), k=st.integers(1, 12), seed=st.integers(0, 99))
def test_finds_what_a_full_sort_finds(n: int, width: int, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    # few distinct values, so that many similarities are equal
    vectors = unit_length(rng.integers(-2, 3, (n, width)).astype(float), what="rows")
    groups = rng.integers(0, max(2, n // 2), n)
    found = nearest_neighbours(vectors, k=k, groups=groups)
    for row in range(n):
        others = [other for other in range(n) if groups[other] != groups[row]]
        similarity = vectors[row] @ vectors.T
        near = found.index[row][found.index[row] >= 0]
        assert len(near) == min(k, len(others), n - 1)
        expected = sorted((float(similarity[other]) for other in others), reverse=True)
        np.testing.assert_allclose(
            found.similarity[row, : len(near)], expected[: len(near)], atol=1e-5
        )
        assert not {int(groups[other]) for other in near} & {int(groups[row])}
        assert len(set(near.tolist())) == len(near)


def test_crosses_the_edges_of_its_blocks() -> None:
    rng = np.random.default_rng(0)
    vectors = unit_length(rng.normal(size=(1200, 8)), what="rows")
    found = nearest_neighbours(vectors, k=3, groups=np.arange(1200))
    similarity = vectors @ vectors.T
    np.fill_diagonal(similarity, -np.inf)
    for row in (0, 511, 512, 1023, 1024, 1199):
        assert found.index[row].tolist() == np.argsort(-similarity[row])[:3].tolist()


def test_one_row_has_no_neighbour() -> None:
    found = nearest_neighbours(np.ones((1, 2), dtype=np.float32), k=4, groups=np.zeros(1, int))
    assert found.index.tolist() == [[-1]]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused_with_their_row(bad: float) -> None:
    vectors = np.ones((4, 3))
    vectors[2, 1] = bad
    with pytest.raises(UsageError, match=r"embeddings: expected finite numbers.*first in row 2"):
        unit_length(vectors, what="embeddings")


def test_a_row_of_zeros_stays() -> None:
    assert unit_length(np.array([[0.0, 0.0], [3.0, 4.0]]), what="x").tolist() == [
        [0.0, 0.0],
        [pytest.approx(0.6), pytest.approx(0.8)],
    ]


@pytest.mark.parametrize(
    "vectors",
    [
        np.full((1, 512), 300, dtype=np.float16),  # squares of 90,000, and 65,504 is the most
        np.full((1, 512), 1e300),
        np.full((1, 512), 1e-300),
        np.full((1, 512), -128, dtype=np.int8),
    ],
)
def test_lengths_are_right_where_squares_overflow(vectors) -> None:
    found = unit_length(vectors, what="x")
    assert np.linalg.norm(found) == pytest.approx(1, abs=1e-6)
