from __future__ import annotations

import pytest

from overread.imaging.moved_answers import moved_boxes_answer, moved_points_answer
from overread.records import Effect

MIRROR = Effect(name="mirror")
HALF = Effect(name="scale", parameters=(("factor", 0.5),))


@pytest.mark.parametrize(
    ("answer", "effects", "moved"),
    [
        ("1, 2, 3, 4", [], "1, 2, 3, 4"),
        ("[1, 2, 3, 4]", [MIRROR], "96, 2, 98, 4"),
        ("0,0,99,99", [HALF], "24.75, 24.75, 74.25, 74.25"),
        ("1,2,3,4 and 10.5,20,30,40", [MIRROR], "96, 2, 98, 4; 69, 20, 88.5, 40"),
        ("-5, -5, 10, 120", [], "0, 0, 10, 99"),
        ("200, 2, 300, 4", [], None),
        ("left lobe", [], None),
        ("1, 2, 3", [], None),
    ],
)
def test_boxes(answer: str, effects: list[Effect], moved: str | None) -> None:
    assert moved_boxes_answer(answer, effects, width=100, height=100) == moved


@pytest.mark.parametrize(
    ("answer", "effects", "moved"),
    [
        ("(1, 2)", [MIRROR], "98, 2"),
        ("1 2; 99 0", [MIRROR, MIRROR], "1, 2; 99, 0"),
        ("49.5, 49.5", [HALF], "49.5, 49.5"),
        ("100, 2", [], None),
        ("1", [], None),
    ],
)
def test_points(answer: str, effects: list[Effect], moved: str | None) -> None:
    assert moved_points_answer(answer, effects, width=100, height=100) == moved
