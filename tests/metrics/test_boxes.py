from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from overread.metrics.boxes import Box, hull, label_boxes, occupied_box

MAPS = st.tuples(
    st.sampled_from([(5,), (3, 4), (4, 1, 3), (2, 0, 3)]), st.sampled_from(["u1", ">i2", "i8"])
).flatmap(
    lambda kind: arrays.arrays(
        kind[1], kind[0], elements=st.sampled_from([0, 0, 0, 1, 3] + [-2] * ("i" in kind[1]))
    )
)


def by_places(mask: NDArray[np.bool_]) -> Box | None:
    places = np.argwhere(mask)
    if not len(places):
        return None
    return tuple(
        slice(low, high + 1)
        for low, high in zip(places.min(0).tolist(), places.max(0).tolist(), strict=True)
    )


def cut_out(array: NDArray[np.integer]) -> NDArray[np.integer]:
    """Give a view into a larger array in Fortran order."""
    larger = np.asfortranarray(np.pad(array, 1, constant_values=1))
    return larger[(slice(1, -1),) * array.ndim]


@pytest.mark.parametrize("turn", [np.ascontiguousarray, np.asfortranarray, np.flip, cut_out])
@given(array=MAPS)
@settings(deadline=None)
def test_boxes_hold_what_they_should_and_no_more(turn, array: NDArray[np.integer]) -> None:
    turned = turn(array)
    assert occupied_box(turned) == by_places(turned != 0)
    found = label_boxes(turned, (3, 0, -2, 1, 70_000))
    assert list(found) == [3, 0, -2, 1, 70_000]
    assert found == {label: by_places(turned == label) for label in found}


def test_masks_have_boxes_too() -> None:
    mask = np.zeros((3, 4, 5), np.bool_)
    assert occupied_box(mask) is None
    mask[1, 2, 3] = mask[2, 0, 3] = True
    assert occupied_box(mask) == (slice(1, 3), slice(0, 3), slice(3, 4))


def test_a_hull_holds_all_its_boxes() -> None:
    one, other = (slice(1, 3), slice(5, 6)), (slice(2, 4), slice(0, 2))
    assert hull(one, other) == (slice(1, 4), slice(0, 6))
    assert hull(one) == one
