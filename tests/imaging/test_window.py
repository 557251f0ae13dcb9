from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.errors import UsageError
from overread.imaging.window import ABDOMEN, apply_window, stretch_window, window_label
from overread.records import Window


def test_centre_and_width_and_low_and_high_are_one_window() -> None:
    assert Window.centred(40, 400) == Window(low_hu=-160, high_hu=240) == ABDOMEN
    assert Window.centred(-600, 1500) == Window(low_hu=-1350, high_hu=150)


def test_known_grey_values() -> None:
    # By hand: (hu + 160) / 400 × 255, halves up: 40 HU is 127.5.
    shown = apply_window(np.array([[-2000, -160, -60], [40, 140, 240]]), ABDOMEN)
    assert shown.dtype == np.uint8
    assert shown.tolist() == [[0, 0, 64], [128, 191, 255]]


def test_what_is_no_number_is_black() -> None:
    shown = apply_window(np.array([np.nan, np.inf, -np.inf]), ABDOMEN)
    assert shown.tolist() == [0, 255, 0]


@pytest.mark.parametrize("window", [(1.0, 1.0), (2.0, 1.0), (np.nan, 1.0), (0.0, np.inf)])
def test_a_window_without_width_is_refused(window: tuple[float, float]) -> None:
    with pytest.raises(UsageError, match="low end below its high end"):
        apply_window(np.zeros(3), Window(low_hu=window[0], high_hu=window[1]))


@given(
    low=st.integers(-3000, 2000),
    width=st.integers(1, 4000),
    values=st.lists(st.integers(-5000, 5000), min_size=2, max_size=20),
)
def test_brighter_never_means_less(low: int, width: int, values: list[int]) -> None:
    values.sort()
    shown = apply_window(np.array(values), Window(low_hu=low, high_hu=low + width))
    assert (np.diff(shown.astype(int)) >= 0).all()


def test_a_stretch_is_the_middle_98_percent() -> None:
    assert stretch_window(np.arange(101.0)) == Window(low_hu=1, high_hu=99)
    assert stretch_window(np.full(9, 5.0)) == Window(low_hu=4.5, high_hu=5.5)
    assert stretch_window(np.array([np.nan])) == Window(low_hu=0, high_hu=1)


def test_labels_name_the_unit() -> None:
    assert window_label(Window.centred(-600, 1500), unit="HU") == "-1350 to 150 HU"
    assert window_label(Window(low_hu=0.5, high_hu=7), unit="stored") == "0.5 to 7 stored"


def test_small_numbers_are_stretched_as_they_are() -> None:
    window = stretch_window(np.array([0.0, 1e-7]))
    assert window == Window(low_hu=pytest.approx(1e-9), high_hu=pytest.approx(0.99e-7))


@pytest.mark.parametrize("value", [0.0, 7.0, -1e7, 3e8, 1e20, -1e30, 3e38, -1e300])
def test_a_flat_picture_of_any_value_can_be_shown(value: float) -> None:
    window = stretch_window(np.full((4, 4), value))
    assert np.float32(window.low_hu) < np.float32(window.high_hu)
    assert apply_window(np.full((2, 2), min(max(value, -1e30), 1e30)), window).shape == (2, 2)
