from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from overread.imaging.orientation import AS_STORED, direction_letter, turn_for_display
from overread.records import Box

AXES = ("LR", "AP", "SI")


def test_letters_follow_lps() -> None:
    assert direction_letter((1, 0, 0)) == "L"
    assert direction_letter((-1, 0, 0)) == "R"
    assert direction_letter((0, 1, 0)) == "P"
    assert direction_letter((0, -0.9, 0.2)) == "A"
    assert direction_letter((0, 0, 1)) == "S"
    assert direction_letter((0.1, 0.1, -0.8)) == "I"


@pytest.mark.parametrize("vector", [(0, 0, 0), (math.nan, 1, 0), (1, 0), (math.inf, 0, 0)])
def test_a_vector_that_points_nowhere_has_no_letter(vector: tuple[float, ...]) -> None:
    assert direction_letter(vector) is None


# (x runs, y runs) of the stored slice, worked out by hand: the corner that holds the patient's
# right anterior must come to the upper left of an axial picture.
@pytest.mark.parametrize(
    ("x_runs", "y_runs", "corner"),
    [
        ("L", "P", (0, 0)),
        ("R", "P", (0, -1)),
        ("L", "A", (-1, 0)),
        ("R", "A", (-1, -1)),
        ("P", "L", (0, 0)),
        ("A", "L", (0, -1)),
        ("P", "R", (-1, 0)),
        ("A", "R", (-1, -1)),
    ],
)
def test_an_axial_slice_shows_right_on_the_left_and_anterior_on_top(
    x_runs: str, y_runs: str, corner: tuple[int, int]
) -> None:
    stored = np.zeros((3, 5))
    stored[corner] = 1
    turn, shown = turn_for_display(x_runs, y_runs)
    assert shown == "LP"
    assert turn.pixels(stored)[0, 0] == 1
    assert turn.transpose is (x_runs in "AP")


def test_coronal_and_sagittal_slices_have_the_head_on_top() -> None:
    assert turn_for_display("R", "S")[1] == "LI"
    assert turn_for_display("S", "A")[1] == "PI"


def test_every_pair_of_different_axes_has_a_turn_that_moves_boxes_with_pixels() -> None:
    for x_runs, y_runs in itertools.permutations("LRAPSI", 2):
        turn, shown = turn_for_display(x_runs, y_runs)
        if any({x_runs, y_runs} == set(axis) for axis in AXES):
            assert (turn, shown) == (AS_STORED, "as stored")
            continue
        stored = np.zeros((7, 9))
        stored[2:4, 5:8] = 1
        pixels = turn.pixels(stored)
        box = turn.box(
            Box(x_min=5, y_min=2, x_max=7, y_max=3),
            shown_width=pixels.shape[1],
            shown_height=pixels.shape[0],
        )
        rows, columns = np.nonzero(pixels)
        assert (box.x_min, box.x_max) == (columns.min(), columns.max())
        assert (box.y_min, box.y_max) == (rows.min(), rows.max())


def test_unknown_directions_leave_the_slice_as_stored() -> None:
    assert turn_for_display(None, "P") == (AS_STORED, "as stored")


def test_colour_channels_stay_last() -> None:
    turn, _shown = turn_for_display("A", "L")
    assert turn.pixels(np.zeros((4, 6, 3))).shape == (6, 4, 3)
