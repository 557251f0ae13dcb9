from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overread.benchmarks.trials.clicks import Clicks, read_clicks, simulate_clicks
from overread.errors import UsageError

SHAPE = (20, 12, 12)


def boxes(*spans):
    array = np.zeros(SHAPE, dtype=np.bool_)
    for span in spans:
        array[span] = True
    return array


LIVER = boxes(np.s_[0:18, 0:11, 0:11])


@pytest.mark.parametrize("key", ["lesion", "tumor"])
def test_both_released_names_of_the_list_are_read(tmp_path, key):
    path = tmp_path / "venous_0_clicks.json"
    path.write_text(json.dumps({key: [[1, 2, 3], [4, 5, 6]], "background": [[7, 8, 9]]}))
    clicks = read_clicks(path)
    assert clicks == Clicks(lesion=((1, 2, 3), (4, 5, 6)), background=((7, 8, 9),))
    assert clicks.first(1).lesion == ((1, 2, 3),)
    assert clicks.first(0) == Clicks()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("no json", "cannot be read"),
        ("[]", "no object"),
        ("{}", "no list of clicks on lesions"),
        ('{"lesion": 3, "background": []}', "'lesion' is no list"),
        ('{"lesion": [[1, 2]], "background": []}', "no triple"),
        ('{"lesion": [[1, 2, -3]], "background": []}', "no triple"),
        ('{"lesion": [[1, 2, true]], "background": []}', "no triple"),
        ('{"lesion": [], "tumor": [], "background": []}', "both"),
        (json.dumps({"lesion": [[0, 0, 0]] * 11, "background": []}), "more than 10"),
    ],
)
def test_an_odd_file_says_what_is_odd(tmp_path, text, problem):
    path = tmp_path / "venous_0_clicks.json"
    path.write_text(text)
    assert any(problem in each for each in read_clicks(path).problems)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(text=st.text() | st.recursive(st.integers(), st.lists).map(json.dumps))
def test_no_file_breaks_the_reader(tmp_path, text):
    path = tmp_path / "venous_0_clicks.json"
    path.write_text(text, encoding="utf-8", errors="replace")
    clicks = read_clicks(path)
    assert clicks.problems or clicks.lesion == ()


def test_a_file_that_is_absent_is_one_that_cannot_be_read(tmp_path):
    assert read_clicks(tmp_path / "none.json").problems


# ---------------------------------------------------------------- simulated


def test_the_first_clicks_are_in_the_middle_of_lesions_and_the_rest_on_their_borders():
    lesions = boxes(np.s_[2:7, 2:7, 2:7], np.s_[10:13, 4:7, 4:7])
    clicks = simulate_clicks(lesions, LIVER, np.random.default_rng(1))
    assert len(clicks.lesion) == len(clicks.background) == 10
    assert set(clicks.lesion[:2]) == {(4, 4, 4), (11, 5, 5)}
    for i, j, k in clicks.lesion[2:]:
        assert lesions[i, j, k]
        around = lesions[i - 1 : i + 2, j - 1 : j + 2, k - 1 : k + 1 + 1]
        assert not around.all()
    # In turn over both.
    assert [click[0] < 8 for click in clicks.lesion[2:]] == [
        click[0] < 8 for click in clicks.lesion[:2]
    ] * 4


def test_background_clicks_lie_in_the_liver_outside_lesions_each_once():
    lesions = boxes(np.s_[2:7, 2:7, 2:7])
    clicks = simulate_clicks(lesions, LIVER, np.random.default_rng(2))
    assert all(LIVER[click] and not lesions[click] for click in clicks.background)
    assert len(set(clicks.background)) == 10


def test_more_than_ten_lesions_have_ten_clicks():
    lesions = boxes(*(np.s_[i : i + 1, j : j + 1, 0:1] for i in (0, 4, 8, 12) for j in (0, 4, 8)))
    clicks = simulate_clicks(lesions, LIVER, np.random.default_rng(3))
    assert len(set(clicks.lesion)) == 10


def test_a_case_without_lesion_has_background_clicks_alone():
    clicks = simulate_clicks(boxes(), LIVER, np.random.default_rng(4))
    assert clicks.lesion == ()
    assert len(clicks.background) == 10


def test_the_same_seed_gives_the_same_clicks():
    lesions = boxes(np.s_[2:7, 2:7, 2:7])
    one, same, other = (
        simulate_clicks(lesions, LIVER, np.random.default_rng(seed)) for seed in (5, 5, 6)
    )
    assert one == same != other


def test_a_lesion_that_touches_the_border_is_clicked_in_its_middle():
    lesions = boxes(np.s_[0:5, 0:5, 0:5])
    clicks = simulate_clicks(lesions, LIVER, np.random.default_rng(7))
    assert clicks.lesion[0] == (2, 2, 2)


def test_a_liver_without_room_is_refused():
    with pytest.raises(UsageError, match="voxels of the liver beside the lesions"):
        simulate_clicks(LIVER, LIVER, np.random.default_rng(0))
    with pytest.raises(UsageError, match="shape"):
        simulate_clicks(LIVER, LIVER[1:], np.random.default_rng(0))
