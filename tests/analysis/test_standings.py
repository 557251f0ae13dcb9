from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.analysis.standings import letter, standings, undistinguished


def pairs(*names: str) -> set[frozenset[str]]:
    return {frozenset(name) for name in names}


def test_groups_by_hand() -> None:
    assert undistinguished("abc", set()) == (("a", "b", "c"),)
    assert undistinguished("abc", pairs("ab", "ac", "bc")) == (("a",), ("b",), ("c",))
    assert undistinguished("abcd", pairs("ac", "ad", "bd")) == (("a", "b"), ("b", "c"), ("c", "d"))
    assert undistinguished("abcd", pairs("ad")) == (("a", "b", "c"), ("b", "c", "d"))
    # Paired differences need not follow the order: b and c are apart, while a and d are not.
    assert undistinguished("abcd", pairs("bc")) == (("a", "b", "d"), ("a", "c", "d"))
    assert undistinguished("a", set()) == (("a",),)


@given(st.integers(2, 7), st.data())
def test_runs_share_a_group_exactly_where_they_are_not_told_apart(n, data) -> None:
    labels = [chr(ord("a") + number) for number in range(n)]
    every = [frozenset(pair) for pair in combinations(labels, 2)]
    apart = set(data.draw(st.lists(st.sampled_from(every), unique=True)))
    groups = undistinguished(labels, apart)
    for pair in every:
        assert any(pair <= set(group) for group in groups) == (pair not in apart)
    for group in groups:
        assert not any(set(group) < set(other) for other in groups)
        outside = set(labels) - set(group)
        # No run can join: it is told apart from one in the group.
        assert all(any(frozenset((o, g)) in apart for g in group) for o in outside)


def test_many_runs_take_no_time() -> None:
    labels = [f"r{number}" for number in range(60)]
    apart = {
        frozenset((labels[one], labels[two]))
        for one in range(60)
        for two in range(60)
        if two - one > 12
    }
    assert len(undistinguished(labels, apart)) == 48


def test_the_best_stands_first_and_ties_as_given() -> None:
    rows = standings({"x": (0.4, 10), "y": (0.6, 10), "z": (0.4, 10)}, pairs("xy"))
    assert [row.label for row in rows] == ["y", "x", "z"]
    assert [row.groups for row in rows] == [(0,), (1,), (0, 1)]
    assert rows[0].value == 0.6


@pytest.mark.parametrize(("number", "name"), [(0, "a"), (25, "z"), (26, "aa"), (701, "zz")])
def test_letters_go_on_after_z(number, name) -> None:
    assert letter(number) == name
