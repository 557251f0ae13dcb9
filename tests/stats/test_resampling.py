from __future__ import annotations

import numpy as np
import pytest

from overread.errors import UsageError
from overread.stats.resampling import all_resamples, n_resamples, resample_counts


def test_all_resamples_of_three() -> None:
    counts, probabilities = all_resamples(3)
    by_count = dict(zip(map(tuple, counts.astype(int).tolist()), probabilities, strict=True))
    # 27 equally likely draws: 1 for each of aaa bbb ccc, 3 for each of the six two-and-one, 6 abc.
    assert len(by_count) == n_resamples(3) == 10
    assert by_count[3, 0, 0] == pytest.approx(1 / 27)
    assert by_count[0, 2, 1] == pytest.approx(3 / 27)
    assert by_count[1, 1, 1] == pytest.approx(6 / 27)


@pytest.mark.parametrize("n", [1, 2, 6, 8])
def test_all_resamples_are_a_distribution(n: int) -> None:
    counts, probabilities = all_resamples(n)
    assert counts.shape == (n_resamples(n), n)
    assert (counts.sum(axis=1) == n).all()
    assert len({tuple(row) for row in counts.tolist()}) == len(counts)
    assert probabilities.sum() == pytest.approx(1)
    assert probabilities @ counts == pytest.approx(np.ones(n))


def test_a_resample_does_not_depend_on_how_many_are_drawn() -> None:
    few = list(resample_counts(20, draws=3, rng=np.random.default_rng(4)))
    many = list(resample_counts(20, draws=10, rng=np.random.default_rng(4)))
    assert np.array_equal(few, many[:3])
    assert all(row.sum() == 20 for row in many)
    other = list(resample_counts(20, draws=3, rng=np.random.default_rng(5)))
    assert not np.array_equal(few, other)


def test_drawn_and_listed_resamples_agree() -> None:
    drawn = np.array(list(resample_counts(4, draws=4000, rng=np.random.default_rng(0))))
    counts, probabilities = all_resamples(4)
    distinct = (drawn > 0).sum(axis=1).mean()
    assert distinct == pytest.approx(
        float(((counts > 0).sum(axis=1) * probabilities).sum()), abs=0.05
    )


@pytest.mark.parametrize("n", [0, 12])
def test_too_few_and_too_many_are_refused(n: int) -> None:
    with pytest.raises(UsageError, match="n: expected 1 or more units"):
        all_resamples(n)


@pytest.mark.parametrize(("n", "draws"), [(0, 5), (5, 0)])
def test_nothing_to_draw_is_refused(n: int, draws: int) -> None:
    with pytest.raises(UsageError, match="n, draws: expected 1 or more"):
        next(resample_counts(n, draws=draws, rng=np.random.default_rng(0)))
