from __future__ import annotations

import hashlib
from collections import Counter

import numpy as np
import pytest

from overread.benchmarks.ct_bench.exam_draws import (
    View,
    by_lesion,
    draw_letters,
    in_letter_order,
    picture_name,
    slices_of,
)


def view(lesion_idx=3, slice_index=4, boxed=None):
    return View(lesion_idx=lesion_idx, split="test", slice_index=slice_index, boxed=boxed)


@pytest.mark.parametrize("n", [0, 1, 4, 10, 203])
def test_every_letter_is_right_about_equally_often(n):
    counts = Counter(draw_letters(n, np.random.default_rng(n)))
    assert counts.total() == n
    assert max(counts.values(), default=0) - min((counts[one] for one in "ABCD"), default=0) <= 1


@pytest.mark.parametrize("letter", "ABCD")
@pytest.mark.parametrize("right", range(4))
def test_the_right_option_gets_its_letter_and_the_others_every_order(right, letter):
    rng = np.random.default_rng(0)
    orders = {tuple(in_letter_order("wxyz", right, letter, rng)) for _ in range(200)}
    assert len(orders) == 6
    assert {order["ABCD".index(letter)] for order in orders} == {"wxyz"[right]}
    assert all(sorted(order) == list("wxyz") for order in orders)


def test_a_stack_shows_nine_slices_and_every_other_task_the_middle_one():
    assert list(slices_of("ct2attrib")) == list(range(9))
    assert list(slices_of("img2size")) == [4]


def test_a_name_is_a_salted_hash_of_what_the_picture_shows():
    # The words that are hashed never change: the same seed must give the same names for good.
    expected = hashlib.sha256(b"7 3 4 None").hexdigest()[:16] + ".png"
    assert picture_name(view(), None, seed=7) == expected
    others = [
        picture_name(view(), None, seed=8),
        picture_name(view(), 0, seed=7),
        picture_name(view(lesion_idx=4), None, seed=7),
        picture_name(view(slice_index=5), None, seed=7),
    ]
    assert len({expected, *others}) == 5


def test_pictures_are_sorted_by_lesion_and_a_lesion_may_have_none():
    views = {"a.png": view(), "b.png": view(lesion_idx=5), "c.png": view(slice_index=0)}
    found = by_lesion(views)
    assert list(found[3]) == ["a.png", "c.png"]
    assert found[5] == {"b.png": views["b.png"]}
    assert found[9] == {}
