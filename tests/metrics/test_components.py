from __future__ import annotations

from typing import get_args

import cc3d
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.typing import NDArray
from scipy import ndimage

from overread.errors import UsageError
from overread.metrics.components import Connectivity, foreground_box, label_components

RANK = {6: 1, 18: 2, 26: 3, 4: 1, 8: 2}  # scipy's names of the same neighbourhoods


def joined(*offsets: tuple[int, int, int]) -> NDArray[np.bool_]:
    mask = np.zeros((4, 4, 4), dtype=np.bool_)
    for offset in offsets:
        mask[offset] = True
    return mask


@pytest.mark.parametrize(
    ("second", "counts"),
    [
        ((1, 1, 2), {6: 1, 18: 1, 26: 1}),  # a face
        ((1, 2, 2), {6: 2, 18: 1, 26: 1}),  # an edge
        ((2, 2, 2), {6: 2, 18: 2, 26: 1}),  # a corner
        ((1, 1, 3), {6: 2, 18: 2, 26: 2}),  # a voxel between them
    ],
)
def test_connectivity_decides_what_joins(
    second: tuple[int, int, int], counts: dict[Connectivity, int]
) -> None:
    mask = joined((1, 1, 1), second)

    assert {each: label_components(mask, connectivity=each)[1] for each in counts} == counts


@settings(max_examples=60, deadline=None)
@given(
    mask=npst.arrays(np.bool_, npst.array_shapes(min_dims=2, max_dims=3, max_side=7)),
    place=st.integers(0, 2),
)
def test_components_are_those_of_scipy(mask: NDArray[np.bool_], place: int) -> None:
    choices: tuple[Connectivity, ...] = (6, 18, 26) if mask.ndim == 3 else (4, 8, 8)
    connectivity = choices[place]

    labels, count = label_components(mask, connectivity=connectivity)

    seen = list(dict.fromkeys(int(each) for each in labels.reshape(-1) if each))
    assert seen == list(range(1, count + 1))  # in the order of their first voxels
    theirs, their_count = ndimage.label(
        mask, ndimage.generate_binary_structure(mask.ndim, RANK[connectivity])
    )
    assert count == their_count
    assert labels.dtype == np.uint32
    both = {*zip(labels.reshape(-1).tolist(), theirs.reshape(-1).tolist(), strict=True)} - {(0, 0)}
    np.testing.assert_array_equal(labels != 0, mask)
    assert len(both) == count  # each of ours is one of theirs


def test_numbers_do_not_depend_on_the_layout_in_memory() -> None:
    mask = np.random.default_rng(5).random((9, 8, 7)) < 0.2
    labels, count = label_components(mask, connectivity=18)

    fortran, of_fortran = label_components(np.asfortranarray(mask), connectivity=18)
    turned, _ = label_components(mask.T, connectivity=18)

    assert (of_fortran, int(labels.max())) == (count, count)
    np.testing.assert_array_equal(fortran, labels)
    copied, _ = label_components(np.ascontiguousarray(mask.T), connectivity=18)
    np.testing.assert_array_equal(turned, copied)


def test_whole_numbers_of_any_sign_are_foreground() -> None:
    mask = np.array([[-1, 0, 3], [0, 0, 3]], dtype=np.int16)

    labels, count = label_components(mask, connectivity=4)

    assert count == 2
    assert labels.tolist() == [[1, 0, 2], [0, 0, 2]]


def test_numbers_do_not_depend_on_the_order_of_the_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mask = np.array([[1, 0, 1, 0, 1], [0, 0, 0, 0, 1]], dtype=np.bool_)
    straight, _ = label_components(mask, connectivity=4)
    theirs = cc3d.connected_components

    def backwards(array: NDArray[np.uint8], **options: object) -> tuple[NDArray[np.uint32], int]:
        labels, count = theirs(array, **options)
        return np.where(labels > 0, count + 1 - labels, 0).astype(np.uint32), count

    monkeypatch.setattr(cc3d, "connected_components", backwards)
    turned, count = label_components(mask, connectivity=4)

    assert count == 3
    assert turned.tolist() == straight.tolist() == [[1, 0, 2, 0, 3], [0, 0, 0, 0, 3]]


@pytest.mark.parametrize("shape", [(1, 1, 7), (1, 7, 1), (7, 1, 1), (1, 7), (7, 1)])
def test_a_line_of_single_voxels_is_counted(shape: tuple[int, ...]) -> None:
    # The library's method for booleans stops here: "cannot be mapped to union-find array".
    mask = np.array([1, 0, 1, 0, 0, 1, 1], dtype=np.bool_).reshape(shape)

    labels, count = label_components(mask, connectivity=26 if len(shape) == 3 else 8)

    assert count == 3
    assert labels.reshape(-1).tolist() == [1, 0, 2, 0, 0, 3, 3]


def test_a_picture_of_odd_sides_keeps_its_background() -> None:
    # The library's method for booleans numbers two pixels of the third row.
    mask = np.zeros((7, 3), dtype=np.bool_)
    mask[:2, 1] = True
    mask[5, 1] = mask[6, 0] = mask[6, 2] = True

    labels, count = label_components(mask, connectivity=8)

    assert count == 2
    np.testing.assert_array_equal(labels != 0, mask)


def test_an_empty_mask_has_no_component_and_no_box() -> None:
    for shape in ((3, 4, 5), (0, 4, 5), (3, 4)):
        mask = np.zeros(shape, dtype=np.bool_)
        connectivity: Connectivity = 6 if mask.ndim == 3 else 4
        labels, count = label_components(mask, connectivity=connectivity)

        assert (labels.shape, count) == (shape, 0)
        assert not labels.any()
        assert foreground_box(mask) is None


def test_a_full_mask_is_one_component_up_to_its_border() -> None:
    labels, count = label_components(np.ones((3, 4, 5), dtype=np.bool_), connectivity=6)

    assert count == 1
    assert labels.all()


def test_more_components_than_sixteen_bits_hold() -> None:
    mask = np.zeros((90, 90, 90), dtype=np.bool_)
    mask[::2, ::2, ::2] = True  # 45³ = 91,125 single voxels

    labels, count = label_components(mask, connectivity=26)

    assert count == 91_125
    assert int(labels.max()) == 91_125


@pytest.mark.parametrize("connectivity", [4, 8, 5, 0])
def test_a_connectivity_of_pixels_is_refused_for_voxels(connectivity: Connectivity) -> None:
    with pytest.raises(UsageError, match="expected 6 or 18 or 26 of 3 axes"):
        label_components(np.ones((2, 2, 2), dtype=np.bool_), connectivity=connectivity)


def test_a_connectivity_of_voxels_is_refused_for_pixels() -> None:
    with pytest.raises(UsageError, match="expected 4 or 8 of 2 axes"):
        label_components(np.ones((2, 2), dtype=np.bool_), connectivity=18)


def test_probabilities_are_no_mask() -> None:
    with pytest.raises(UsageError, match="mask: expected an array of booleans or whole numbers"):
        label_components(np.full((2, 2), 0.5), connectivity=4)


@pytest.mark.parametrize("shape", [(4,), (2, 2, 2, 2)])
def test_other_dimensions_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(UsageError, match="expected an array of 2 or 3 axes"):
        label_components(np.ones(shape, dtype=np.bool_), connectivity=6)


def test_every_connectivity_is_known_to_these_tests() -> None:
    assert set(get_args(Connectivity)) == set(RANK)
