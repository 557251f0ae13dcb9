"""The overlap of two sets, by hand and by what must hold for any."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.metrics.sets import SET_OVERLAP, set_overlap
from overread.registry import metric_specs

SETS = st.sets(st.sampled_from("abcdef"))


@pytest.mark.parametrize(
    ("chosen", "right", "value"),
    [
        ("ce", "ce", 1.0),
        ("ec", "ce", 1.0),
        ("cd", "ce", 1 / 3),
        ("c", "ce", 1 / 2),
        ("cde", "ce", 2 / 3),
        ("ab", "ce", 0.0),
        ("", "ce", 0.0),
        ("cc", "c", 1.0),
        ("", "", None),
        ("c", "", None),
    ],
)
def test_known_sets(chosen, right, value):
    assert set_overlap(chosen, right) == value


def test_it_is_registered():
    assert SET_OVERLAP in metric_specs()
    assert SET_OVERLAP.properties == {"order invariant", "relabelling invariant", "symmetric"}


@given(SETS, SETS.filter(bool))
def test_what_it_declares(chosen, right):
    value = set_overlap(chosen, right)
    assert value is not None
    assert SET_OVERLAP.low <= value <= SET_OVERLAP.high
    assert (value == 1.0) == (chosen == right)
    # Order and names of options do not matter, nor which of the sets is the right one.
    assert set_overlap(sorted(chosen, reverse=True), sorted(right)) == value
    renamed = str.maketrans("abcdef", "uvwxyz")
    assert (
        set_overlap(
            {each.translate(renamed) for each in chosen},
            {each.translate(renamed) for each in right},
        )
        == value
    )
    if chosen:
        assert set_overlap(right, chosen) == value
