from __future__ import annotations

import numpy as np
import pytest

from overread.benchmarks.veela.changes import CHANGES
from overread.benchmarks.veela.trees import (
    HEPATIC,
    PORTAL,
    SHAPE,
    below,
    draw_trees,
    grow_trees,
    hidden,
)
from overread.metrics.cal import component_counts
from overread.metrics.skeleton import centreline_dice


@pytest.fixture(scope="module")
def trees():
    return grow_trees(np.random.default_rng(3))


def test_two_trees_divide_and_taper(trees):
    for label in (HEPATIC, PORTAL):
        segments = [each for each in trees if each.label == label]
        assert [each.depth for each in segments].count(0) == 1
        assert len(segments) == 1 + 2 + 4 + 8
    for segment in trees:
        if segment.parent is not None:
            parent = trees[segment.parent]
            assert segment.start_mm == parent.end_mm
            assert segment.radius_mm < parent.radius_mm
            assert (segment.label, segment.depth) == (parent.label, parent.depth + 1)


def test_the_drawing_is_that_of_tubes(trees):
    labels = draw_trees(trees)
    assert (labels.shape, labels.dtype) == (SHAPE, np.uint8)
    assert set(np.unique(labels)) == {0, HEPATIC, PORTAL}
    assert 0.01 < np.count_nonzero(labels) / labels.size < 0.2
    again = draw_trees(grow_trees(np.random.default_rng(3)))
    assert np.array_equal(again, labels)
    assert not np.array_equal(draw_trees(grow_trees(np.random.default_rng(4))), labels)


def test_a_branch_is_all_that_hangs_on_it(trees):
    trunk = next(place for place, each in enumerate(trees) if each.depth == 0)
    assert len(below(trees, trunk)) == 15
    tip = next(place for place, each in enumerate(trees) if each.depth == 3)
    assert below(trees, tip) == {tip}


def test_hidden_stretches_are_missing_and_nothing_else(trees):
    whole = draw_trees(trees)
    places = [place for place, each in enumerate(trees) if each.depth == 1]
    seen = draw_trees(hidden(trees, places, share=0.6))
    assert not (seen.astype(bool) & ~whole.astype(bool)).any()
    assert component_counts(whole > 0, seen > 0).error > 0  # the tree falls apart
    # A model that draws the true course is blamed for it, although it misses nothing.
    found = centreline_dice(seen > 0, whole > 0)
    assert found.sensitivity == 1.0
    assert found.precision is not None
    assert found.precision < 0.95
    assert np.array_equal(draw_trees(hidden(trees, places, share=0.0)), whole)
    assert not draw_trees(hidden(trees, range(len(trees)), share=1.0)).any()


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_is_repeatable_and_changes_something(trees, name: str):
    whole = draw_trees(trees)
    changed = CHANGES[name](trees, np.random.default_rng(5))
    assert (changed.shape, changed.dtype) == (whole.shape, whole.dtype)
    assert np.array_equal(changed, CHANGES[name](trees, np.random.default_rng(5)))
    assert not np.array_equal(changed, whole)
    assert set(np.unique(changed)) <= {0, HEPATIC, PORTAL}


def test_changes_do_what_their_names_say(trees):
    whole = draw_trees(trees)

    def made(name: str):
        return CHANGES[name](trees, np.random.default_rng(5))

    vessel = whole > 0
    assert not (made("cut-branch").astype(bool) & ~vessel).any()
    assert not (made("break").astype(bool) & ~vessel).any()
    assert component_counts(vessel, made("break") > 0).error > 0
    assert not (made("erode").astype(bool) & ~vessel).any()
    assert not (vessel & ~made("dilate").astype(bool)).any()
    assert np.array_equal(made("swap") > 0, vessel)
    for label in (HEPATIC, PORTAL):
        assert np.count_nonzero(made("swap")[whole == label] == 3 - label) > 0
    blobs = made("blobs")
    assert np.array_equal(blobs[vessel], whole[vessel])
    assert component_counts(vessel, blobs > 0).error == 5
    for axis, name in enumerate(("shift-i", "shift-j", "shift-k")):
        moved = made(name)
        inner = [slice(None)] * 3
        inner[axis] = slice(1, None)
        before = [slice(None)] * 3
        before[axis] = slice(None, -1)
        assert np.array_equal(moved[tuple(inner)], whole[tuple(before)])
        assert not moved.take(0, axis).any()
