"""Pictures, labels and boxes that move together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import affine_transform

from overread.imaging.picture_effect import change_boxes, change_mask, change_pixels
from overread.records import Box, Effect

MOVES: dict[str, dict[str, Any]] = {
    "rotation": {"angle_degrees": 15},
    "scale": {"factor": 0.8},
    "translation": {"most_px": 15},
    "motion-artifacts-oct": {"shift_of_width": 0.1, "most_blocks": 3},
    "mirror": {},
}


def effect(name: str, seed: int) -> Effect:
    values = {**MOVES[name], "seed": seed}
    return Effect(name=name, parameters=tuple(sorted(values.items())))


@pytest.mark.parametrize("name", MOVES)
@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1), x=st.integers(45, 70), y=st.integers(40, 55),
    wide=st.integers(6, 30), tall=st.integers(6, 20),
)  # fmt: skip
def test_a_box_lies_around_the_mask_it_moved_with(
    name: str, seed: int, x: int, y: int, wide: int, tall: int
) -> None:
    labels = np.zeros((120, 160), dtype=np.uint8)
    labels[y : y + tall, x : x + wide] = 1
    moved = change_mask(labels, [effect(name, seed)])
    box = Box(x_min=x, y_min=y, x_max=x + wide - 1, y_max=y + tall - 1)
    (around,) = change_boxes([box], [effect(name, seed)], width=160, height=120)
    rows, columns = np.flatnonzero(moved.any(axis=1)), np.flatnonzero(moved.any(axis=0))
    assert around.x_min == pytest.approx(columns[0], abs=1.5)
    assert around.x_max == pytest.approx(columns[-1], abs=1.5)
    assert around.y_min == pytest.approx(rows[0], abs=1.5)
    assert around.y_max == pytest.approx(rows[-1], abs=1.5)


@pytest.mark.parametrize("name", MOVES)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_mask_lies_on_what_it_marked(name: str, seed: int) -> None:
    pixels = np.full((120, 160), 40, dtype=np.uint8)
    labels = np.zeros((120, 160), dtype=np.uint8)
    pixels[50:75, 60:100], labels[50:75, 60:100] = 200, 1
    changed = change_pixels(pixels, [effect(name, seed)], slices=False)
    moved = change_mask(labels, [effect(name, seed)])
    bright = changed > 120
    both = 2 * (bright & (moved > 0)).sum() / (bright.sum() + moved.sum())
    assert both > 0.97
    if name != "mirror":
        unmoved = 2 * (bright & (labels > 0)).sum() / (bright.sum() + labels.sum())
        assert unmoved <= both


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_rotation_is_that_of_an_independent_library(dtype: type) -> None:
    y, x = np.mgrid[:90, :130]
    pixels = (100 + 60 * np.sin(x / 9) + 40 * np.cos(y / 7)).astype(dtype)
    turned = change_pixels(pixels, [effect("rotation", 3)], slices=False).astype(float)
    found = []
    for sign in (1, -1):
        # About (width / 2, height / 2), a positive angle anticlockwise as shown.
        angle = np.deg2rad(15) * sign
        back = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        middle = np.array([45.0, 65.0])  # rows, columns
        theirs = affine_transform(
            pixels.astype(float), back, middle - back @ middle, order=1, mode="reflect"
        )
        found.append(np.abs(theirs - turned).max())
    assert min(found) < 1.01 if dtype is np.uint8 else min(found) < 0.05


def test_a_shift_brings_in_the_picture_reflected_and_no_label() -> None:
    ramp = np.tile(np.arange(40, dtype=np.uint8), (40, 1))
    for seed in range(8):
        shifted = change_pixels(ramp, [effect("translation", seed)], slices=False)
        labels = change_mask(np.ones_like(ramp), [effect("translation", seed)])
        (box,) = change_boxes(
            [Box(x_min=0, y_min=0, x_max=0, y_max=0)],
            [effect("translation", seed)], width=40, height=40,
        )  # fmt: skip
        across, down = int(box.x_min), int(box.y_min)
        assert -15 <= across < 15
        assert labels.sum() == (40 - abs(across)) * (40 - abs(down))
        if across > 0:
            assert shifted[0, : across + 1].tolist() == [*reversed(range(across)), 0]
        elif across < 0:
            assert shifted[0, 39 + across :].tolist() == [39, *range(39, 39 + across, -1)]


def test_a_turn_reflects_what_lies_beyond_the_edge_and_marks_nothing_there() -> None:
    flat = np.full((50, 70), 90, dtype=np.uint8)
    assert (change_pixels(flat, [effect("rotation", 1)], slices=False) == 90).all()
    labels = change_mask(np.ones_like(flat), [effect("rotation", 1)])
    assert labels[0, 0] == 0 or labels[0, -1] == 0
    assert labels[25, 35] == 1
