from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.imaging.extent import PADDING, centred_rows, even_rows


@pytest.mark.parametrize(
    ("size", "wanted", "rows"),
    [
        (4, 4, [0, 1, 2, 3]),
        (6, 4, [1, 2, 3, 4]),
        (5, 2, [1, 2]),  # (5 - 2) // 2 = 1 comes off before
        (2, 4, [-1, 0, 1, -1]),
        (2, 5, [-1, 0, 1, -1, -1]),  # (5 - 2) // 2 = 1 is added before
        (1, 1, [0]),
    ],
)
def test_extent_by_hand(size: int, wanted: int, rows: list[int]) -> None:
    assert centred_rows(size, wanted).tolist() == rows


@given(st.integers(1, 300), st.integers(1, 300))
def test_cropping_and_padding_keep_the_middle(size: int, wanted: int) -> None:
    rows = centred_rows(size, wanted)
    kept = rows[rows != PADDING]
    assert len(rows) == wanted
    assert len(kept) == min(size, wanted)
    assert np.array_equal(np.diff(kept), np.ones(len(kept) - 1))
    before, after = kept[0], size - 1 - kept[-1]
    assert 0 <= after - before <= 1
    left = int(np.flatnonzero(rows != PADDING)[0])
    assert 0 <= wanted - len(kept) - 2 * left <= 1


@given(st.integers(1, 700), st.integers(1, 100))
def test_even_slices_reach_both_ends(size: int, count: int) -> None:
    rows = even_rows(size, count)
    assert len(rows) == min(size, count)
    assert len(set(rows.tolist())) == len(rows)
    if len(rows) > 1:
        assert (rows[0], rows[-1]) == (0, size - 1)
        steps = np.diff(rows)
        assert steps.max() - steps.min() <= 1


def test_even_slices_by_hand() -> None:
    # numpy.linspace(0, 299, 4) is 0, 99.67, 199.33, 299.
    assert even_rows(300, 4).tolist() == [0, 100, 199, 299]
    assert even_rows(4, 32).tolist() == [0, 1, 2, 3]
    assert even_rows(600, 1).tolist() == [300]
