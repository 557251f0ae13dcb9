from __future__ import annotations

import numpy as np
import pytest

from overread.errors import UsageError
from overread.stats.multiplicity import holm
from overread.stats.rank_sets import rank_sets, tied_groups
from overread.stats.signed_rank import signed_rank


def _better(k: int, *pairs: tuple[int, int]) -> np.ndarray:
    table = np.zeros((k, k), dtype=bool)
    for winner, loser in pairs:
        table[winner, loser] = True
    return table


def test_sets_by_hand() -> None:
    # 0 beats 2 and 3, 1 beats 3: 0 may be 1..2, 1 may be 1..3, 2 may be 2..4, 3 may be 3..4.
    assert rank_sets(_better(4, (0, 2), (0, 3), (1, 3))) == ((1, 2), (1, 3), (2, 4), (3, 4))
    assert rank_sets(_better(3)) == ((1, 3), (1, 3), (1, 3))
    full = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    assert rank_sets(_better(4, *full)) == ((1, 1), (2, 2), (3, 3), (4, 4))


def test_groups_overlap_and_follow_the_order() -> None:
    apart = _better(4, (0, 2), (0, 3), (1, 3))
    assert tied_groups(apart, [0, 1, 2, 3]) == ((0, 1), (1, 2), (2, 3))
    assert tied_groups(_better(3), [2, 0, 1]) == ((2, 0, 1),)
    full = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    assert tied_groups(_better(4, *full), range(4)) == ()
    # 1 and 2 differ, though neither differs from the neighbour outside.
    assert tied_groups(_better(4, (1, 2)), range(4)) == ((0, 1), (2, 3))


def test_a_group_inside_a_longer_one_is_not_listed() -> None:
    assert tied_groups(_better(4, (0, 3)), range(4)) == ((0, 1, 2), (1, 2, 3))


@pytest.mark.parametrize("function", [rank_sets, lambda table: tied_groups(table, [0])])
def test_no_square_is_refused(function) -> None:
    with pytest.raises(UsageError, match="better: expected a square table"):
        function(np.zeros((2, 3), dtype=bool))


def test_sets_hold_all_true_ranks_together() -> None:
    # Twelve units of three methods: two without a difference, which may then have ranks 1 and 2 in
    # either order, and a third that is worse by its noise.
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(300):
        values = rng.normal(size=(12, 3)) - [0, 0, 1]
        places = [(i, j) for i in range(3) for j in range(3) if i != j]
        adjusted = holm(
            [
                signed_rank(values[:, i] - values[:, j], alternative="greater").p_value
                for i, j in places
            ]
        )
        better = _better(3, *(p for p, a in zip(places, adjusted, strict=True) if (a or 0) <= 0.05))
        sets = rank_sets(better)
        held += all(low <= 1 and high >= 2 for low, high in sets[:2]) and sets[2][1] >= 3
    assert held / 300 >= 0.95
