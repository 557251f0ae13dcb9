from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from overread.imaging.boxes import BOX_COLOUR, draw_box, find_drawn_boxes
from overread.records import Box


def textured(rows: int, columns: int, seed: int) -> NDArray[np.uint8]:
    """A grey picture with structure at every scale, as CT has."""
    rng = np.random.default_rng(seed)
    coarse = np.kron(rng.integers(0, 200, (rows // 8 + 1, columns // 8 + 1)), np.ones((8, 8)))
    fine = rng.normal(0, 12, (rows, columns))
    return np.clip(coarse[:rows, :columns] + fine, 0, 255).astype(np.uint8)


def through_jpeg(rgb: NDArray[np.uint8], *, quality: int) -> NDArray[np.uint8]:
    stream = io.BytesIO()
    Image.fromarray(rgb).save(stream, format="JPEG", quality=quality)
    return np.asarray(Image.open(io.BytesIO(stream.getvalue())))


def test_the_outline_lies_on_the_nearest_pixels_and_the_inside_is_untouched() -> None:
    picture = np.full((6, 8), 100, dtype=np.uint8)
    drawn = draw_box(picture, Box(x_min=1.4, y_min=0.6, x_max=5.5, y_max=4.0))
    green = (drawn == BOX_COLOUR).all(axis=2)
    # Columns 1 and 6, rows 1 and 4: 5.5 goes up.
    assert green.astype(int).tolist() == [
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 1, 1, 1, 1, 1, 1, 0],
        [0, 1, 0, 0, 0, 0, 1, 0],
        [0, 1, 0, 0, 0, 0, 1, 0],
        [0, 1, 1, 1, 1, 1, 1, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
    ]
    assert (drawn[~green] == 100).all()
    assert (picture == 100).all()


def test_a_box_beyond_the_rim_keeps_its_visible_sides() -> None:
    drawn = draw_box(np.zeros((10, 10), dtype=np.uint8), Box(x_min=-5, y_min=2, x_max=4, y_max=20))
    green = (drawn == BOX_COLOUR).all(axis=2)
    assert green[2, :5].all()
    assert green[2:, 4].all()
    assert green.sum() == 5 + 7


def test_a_thicker_line_grows_inwards() -> None:
    box = Box(x_min=2, y_min=2, x_max=12, y_max=12)
    thin = draw_box(np.zeros((20, 20), dtype=np.uint8), box)
    thick = draw_box(np.zeros((20, 20), dtype=np.uint8), box, thickness_px=2)
    assert (thick[..., 1] > 0).sum() == 40 + 32
    assert ((thick[..., 1] > 0) & (thin[..., 1] > 0)).sum() == 40


@settings(max_examples=60, deadline=None)
@given(
    x=st.integers(0, 100),
    y=st.integers(0, 70),
    width=st.integers(6, 60),
    height=st.integers(6, 60),
    seed=st.integers(0, 5),
)
def test_a_drawn_box_is_found_where_it_was_drawn(
    x: int, y: int, width: int, height: int, seed: int
) -> None:
    box = Box(x_min=x, y_min=y, x_max=min(x + width, 159), y_max=min(y + height, 127))
    assert find_drawn_boxes(draw_box(textured(128, 160, seed), box)) == [box]


@pytest.mark.parametrize("quality", [95, 75, 50])
@pytest.mark.parametrize("colour", [(0, 255, 0), (255, 0, 0), (255, 255, 0)])
@pytest.mark.parametrize("place", [(40, 30, 71, 62), (101, 77, 180, 110), (13, 150, 40, 175)])
def test_a_box_survives_jpeg(
    quality: int, colour: tuple[int, int, int], place: tuple[int, int, int, int]
) -> None:
    box = Box(x_min=place[0], y_min=place[1], x_max=place[2], y_max=place[3])
    drawn = draw_box(textured(200, 200, 3), box, colour=colour)
    found = find_drawn_boxes(through_jpeg(drawn, quality=quality))
    assert len(found) == 1
    edges = (found[0].x_min, found[0].y_min, found[0].x_max, found[0].y_max)
    assert edges == pytest.approx(place, abs=1)


def test_a_shrunk_picture_keeps_its_box() -> None:
    drawn = draw_box(textured(400, 400, 4), Box(x_min=100, y_min=60, x_max=180, y_max=160))
    small = np.asarray(Image.fromarray(drawn).resize((200, 200), Image.Resampling.LANCZOS))
    found = find_drawn_boxes(small)
    assert len(found) == 1
    edges = (found[0].x_min, found[0].y_min, found[0].x_max, found[0].y_max)
    assert edges == pytest.approx((50, 30, 90, 80), abs=1)


def test_several_boxes_come_from_top_to_bottom() -> None:
    boxes = [
        Box(x_min=80, y_min=5, x_max=120, y_max=30),
        Box(x_min=10, y_min=40, x_max=40, y_max=90),
        Box(x_min=100, y_min=40, x_max=130, y_max=90),
    ]
    drawn = textured(128, 160, 1)
    for box in reversed(boxes):
        drawn = draw_box(drawn, box)
    assert find_drawn_boxes(drawn) == boxes


def test_boxes_that_cross_are_told_apart() -> None:
    boxes = [
        Box(x_min=20, y_min=20, x_max=80, y_max=70),
        Box(x_min=60, y_min=50, x_max=120, y_max=110),
    ]
    drawn = textured(128, 160, 2)
    for box in boxes:
        drawn = draw_box(drawn, box)
    assert find_drawn_boxes(drawn) == boxes


def test_grey_pictures_have_no_boxes() -> None:
    assert find_drawn_boxes(textured(64, 64, 1)) == []
    assert find_drawn_boxes(np.repeat(textured(64, 64, 1)[..., None], 3, axis=2)) == []
    assert find_drawn_boxes(through_jpeg(np.full((64, 64, 3), 90, np.uint8), quality=30)) == []


def test_coloured_marks_that_are_no_rectangle_are_left_out() -> None:
    picture = np.zeros((100, 100, 3), dtype=np.uint8)
    picture[np.arange(20, 80), np.arange(20, 80)] = BOX_COLOUR  # a diagonal
    picture[10, 5:60] = BOX_COLOUR  # a single line
    assert find_drawn_boxes(picture) == []


def test_a_colour_photograph_neither_hangs_nor_raises() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (256, 256, 3), dtype=np.uint8)
    assert isinstance(find_drawn_boxes(noise), list)
