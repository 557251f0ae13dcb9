from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.errors import UsageError
from overread.stats.weighted import weighted_means, weighted_quantiles

_NAN = float("nan")


def test_by_hand() -> None:
    values = np.array([[1.0, _NAN], [4.0, 2.0], [10.0, 6.0]])
    counts = np.array([[1.0, 1, 1], [0, 3, 1], [2, 0, 0]])
    means = weighted_means(values, counts)
    assert means[:2].tolist() == [[5.0, 4.0], [5.5, 3.0]]
    assert means[2, 0] == 1.0
    assert np.isnan(means[2, 1])
    medians = weighted_quantiles(values, counts, 0.5)
    assert medians[:2].tolist() == [[4.0, 4.0], [4.0, 2.0]]
    assert np.isnan(medians[2, 1])


@settings(max_examples=60)
@given(
    rows=st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 4)), min_size=1, max_size=12).filter(
        lambda rows: any(count for _, count in rows)
    ),
    probability=st.sampled_from([0.0, 0.05, 0.25, 0.5, 0.8, 1.0]),
)
def test_agrees_with_rows_written_out(rows: list[tuple[int, int]], probability: float) -> None:
    values = np.array([[value] for value, _ in rows], dtype=float)
    counts = np.array([[count for _, count in rows]], dtype=float)
    written_out = np.repeat(values[:, 0], counts[0].astype(int))
    assert weighted_means(values, counts)[0, 0] == pytest.approx(written_out.mean())
    assert weighted_quantiles(values, counts, probability)[0, 0] == pytest.approx(
        np.quantile(written_out, probability)
    )


def test_a_column_without_values_is_undefined() -> None:
    values = np.full((2, 1), _NAN)
    assert np.isnan(weighted_means(values, np.ones((1, 2)))).all()
    assert np.isnan(weighted_quantiles(values, np.ones((1, 2)), 0.5)).all()


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(UsageError, match="values, counts: expected"):
        weighted_means(np.ones((2, 1)), np.ones((1, 3)))
    with pytest.raises(UsageError, match=r"probability: expected 0 to 1, got 1\.5"):
        weighted_quantiles(np.ones((2, 1)), np.ones((1, 2)), 1.5)
