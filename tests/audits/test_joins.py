from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.audits.joins import Run, join_rows, rows_that_differ


def test_equal_lists_join_by_row():
    found = join_rows("abca", "abca")
    assert found.is_by_row
    assert found.pairs == ((0, 0), (1, 1), (2, 2), (3, 3))
    assert found.runs == (Run(first=0, length=4, offset=0),)
    assert found.ambiguous == ()
    assert found.first_mismatch is None


def test_one_lost_row_shifts_all_that_follow():
    found = join_rows("abcdef", "abdef")
    assert found.missing == (2,)
    assert found.extra == ()
    assert (found.first_mismatch, found.n_mismatched, found.n_shifted) == (2, 3, 3)
    assert found.runs == (Run(first=0, length=2, offset=0), Run(first=2, length=3, offset=1))
    assert not found.is_by_row


def test_row_added_to_the_right_list():
    found = join_rows("abc", "abXc")
    assert (found.missing, found.extra) == ((), (2,))
    assert found.runs[-1] == Run(first=3, length=1, offset=-1)


def test_two_lists_that_share_nothing():
    found = join_rows("abc", "xyz")
    assert found.pairs == ()
    assert (found.missing, found.extra) == ((0, 1, 2), (0, 1, 2))
    assert found.n_mismatched == 3
    assert found.runs == ()


@pytest.mark.parametrize(("left", "right"), [("", ""), ("ab", ""), ("", "ab")])
def test_an_empty_list_joins_nothing(left: str, right: str):
    found = join_rows(left, right)
    assert found.pairs == ()
    assert len(found.missing) == len(left)
    assert len(found.extra) == len(right)
    assert found.first_mismatch is None


def test_which_of_two_equal_neighbours_is_lost_cannot_be_told():
    found = join_rows("xaay", "xay")
    assert found.pairs == ((0, 0), (1, 1), (3, 2))
    assert found.missing == (2,)
    assert found.ambiguous == (1, 2)


def test_neighbours_tell_equal_keys_apart():
    # The second "a" is gone: the one before "y" is what is left of the first.
    found = join_rows("xaybaz", "xaybz")
    assert found.missing == (4,)
    assert found.ambiguous == ()


def test_a_lost_row_may_shift_rows_onto_equal_keys_by_luck():
    # Row 1 of the right list belongs to row 2 of the left one, yet both hold "b".
    found = join_rows("abbc", "abc")
    assert found.n_shifted == 1
    assert found.n_mismatched == 1
    found = join_rows("xbbbc", "bbbc")
    assert found.missing == (0,)
    assert found.n_shifted == 4
    assert found.n_mismatched == 2


def test_moved_row_joins_by_key_and_breaks_no_other():
    found = join_rows("abcdef", "bcdefa")
    assert sorted(found.pairs) == [(0, 5), (1, 0), (2, 1), (3, 2), (4, 3), (5, 4)]
    assert found.missing == found.extra == found.ambiguous == ()
    assert [run.offset for run in found.runs] == [1, -5]


def test_rows_moved_that_share_their_key_are_ambiguous():
    found = join_rows("aabcde", "bcdeaa")
    assert found.missing == ()
    assert found.ambiguous == (0, 1)


def test_rows_that_differ_stops_with_the_shorter_list():
    assert rows_that_differ("abcd", "axc") == (1,)


def test_a_long_stretch_of_two_keys_goes_by_occurrence_order():
    left = ["yes", "no", "no"] * 1000
    right = left[1:]
    started = time.perf_counter()
    found = join_rows(left, right)
    assert time.perf_counter() - started < 5
    assert len(found.pairs) == len(right)
    assert found.ambiguous
    for one, other in found.pairs:
        assert left[one] == right[other]


@given(st.lists(st.integers(), unique=True, max_size=60), st.data())
def test_lost_rows_are_found_exactly_where_keys_are_unique(keys: list[int], data: st.DataObject):
    lost = data.draw(st.sets(st.sampled_from(range(len(keys))))) if keys else set()
    kept = [row for row in range(len(keys)) if row not in lost]
    found = join_rows(keys, [keys[row] for row in kept])
    assert found.missing == tuple(sorted(lost))
    assert found.extra == found.ambiguous == ()
    assert found.pairs == tuple((row, at) for at, row in enumerate(kept))
    assert join_rows([keys[row] for row in kept], keys).extra == tuple(sorted(lost))


@given(st.lists(st.integers(0, 12), max_size=60), st.data())
def test_lost_rows_of_repeated_keys_are_found_or_called_ambiguous(
    keys: list[int], data: st.DataObject
):
    lost = data.draw(st.sets(st.sampled_from(range(len(keys))))) if keys else set()
    kept = [row for row in range(len(keys)) if row not in lost]
    found = join_rows(keys, [keys[row] for row in kept])
    assert found.extra == ()
    assert len(found.missing) == len(lost)
    truth = {row: at for at, row in enumerate(kept)}
    sure = set(range(len(keys))) - set(found.ambiguous)
    partner = dict(found.pairs)
    assert {row: partner.get(row) for row in sure} == {row: truth.get(row) for row in sure}
    for one, other in found.pairs:
        assert keys[one] == keys[kept[other]]


@given(st.permutations(range(40)))
def test_shuffled_rows_of_unique_keys_find_each_other(order: list[int]):
    found = join_rows(range(40), order)
    assert found.missing == found.extra == found.ambiguous == ()
    assert all(order[other] == one for one, other in found.pairs)


@given(st.lists(st.integers(0, 5), max_size=40), st.lists(st.integers(0, 5), max_size=40))
def test_every_row_is_used_once_and_only_with_its_key(left: list[int], right: list[int]):
    found = join_rows(left, right)
    ours, theirs = [one for one, _ in found.pairs], [other for _, other in found.pairs]
    assert sorted((*ours, *found.missing)) == list(range(len(left)))
    assert sorted((*theirs, *found.extra)) == list(range(len(right)))
    assert all(left[one] == right[other] for one, other in found.pairs)
    # Nothing is left over on both sides that could still go together.
    assert not {left[row] for row in found.missing} & {right[row] for row in found.extra}
    assert sum(run.length for run in found.runs) == len(found.pairs)
