from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from overread.builders.key_slices import (
    KeySlices,
    body_mask,
    box_in_pixels,
    misplaced_boxes,
)
from overread.builders.lesion_table import TableLesion
from overread.errors import ImageError
from overread.imaging.window import apply_window
from overread.records import Box, Window


def lesion(stem: str = "000001_01_01_050", **changes: object) -> TableLesion:
    values: dict[str, object] = {
        "where": "",
        "stem": stem,
        "box": Box(x_min=10, y_min=20, x_max=30, y_max=44),
        "box_is_share": False,
        "coarse_type": 5,
    }
    return TableLesion(**(values | changes))  # pyright: ignore[reportArgumentType]


def save(path: Path, pixels: np.ndarray) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)
    return path


GREY = np.arange(100, dtype=np.uint8).reshape(10, 10)


def test_slices_are_found_by_either_of_deeplesions_names(tmp_path: Path) -> None:
    flat = save(tmp_path / "000001_01_01_050.png", GREY)
    nested = save(
        tmp_path / "Images_png" / "000002_01_03_007" / ".." / "000002_01_03" / "007.png", GREY
    )
    save(tmp_path / "test" / "000003_01_01_001.jpg", GREY)
    (tmp_path / "readme.txt").write_text("")
    slices = KeySlices(tmp_path)
    assert slices.path(lesion()) == flat
    assert slices.path(lesion("000002_01_03_007")) == nested.resolve()
    assert slices.path(lesion("000003_01_01_001")) is not None
    assert slices.path(lesion("000003_01_01_002")) is None
    assert len(slices) == 3


def test_a_png_wins_over_a_jpeg_of_the_same_slice(tmp_path: Path) -> None:
    save(tmp_path / "000001_01_01_050.jpg", GREY)
    png = save(tmp_path / "000001_01_01_050.png", GREY)
    assert KeySlices(tmp_path).path(lesion()) == png


def test_a_stack_is_nine_slices_in_order_or_none(tmp_path: Path) -> None:
    for number in range(46, 55):
        save(tmp_path / "000001_01_01" / f"{number:03d}.png", GREY)
    paths = KeySlices(tmp_path).readable_stack(lesion())
    assert [path.stem for path in paths or ()] == [f"{number:03d}" for number in range(46, 55)]
    assert KeySlices(tmp_path).readable_stack(lesion("000001_01_01_051")) is None
    (tmp_path / "000001_01_01" / "047.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert KeySlices(tmp_path).readable_stack(lesion()) is None


def test_hu_get_the_lesions_window(tmp_path: Path) -> None:
    hu = np.array([[-1000, 0], [50, 100]])
    path = save(tmp_path / "a.png", (hu + 32768).astype(np.uint16))
    slices = KeySlices(tmp_path)
    bone = Window(low_hu=-50, high_hu=150)
    assert np.array_equal(slices.show(path, bone)[0], apply_window(hu, bone))
    assert slices.show(path, None)[0].tolist() == [[0, 102], [134, 166]]  # -160 to 240


def test_8_bit_pictures_stay_or_get_the_grey_range(tmp_path: Path) -> None:
    path = save(tmp_path / "a.png", np.dstack([GREY] * 3))
    pixels, warnings = KeySlices(tmp_path).show(path, Window(low_hu=0, high_hu=9))
    assert np.array_equal(pixels, GREY)  # grey, though stored as colour
    assert warnings == ()
    stretched, _ = KeySlices(tmp_path, grey_range=(20, 71)).show(path, None)
    assert stretched[0, 0] == 0
    assert stretched[4, 0] == 100  # (40 - 20) × 255 / 51
    colour = np.dstack([GREY, GREY + 1, GREY])
    assert KeySlices(tmp_path).show(save(tmp_path / "c.png", colour), None)[0].shape == (10, 10, 3)


def test_an_unreadable_slice_is_an_image_error(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"nothing")
    with pytest.raises(ImageError):
        KeySlices(tmp_path).show(tmp_path / "a.png", None)


def test_boxes_become_pixels_of_their_picture() -> None:
    picture = np.zeros((100, 200), dtype=np.uint8)
    assert box_in_pixels(lesion(), picture) == lesion().box
    share = Box(x_min=0.25, y_min=0.25, x_max=0.5, y_max=0.75)
    assert box_in_pixels(lesion(box=share, box_is_share=True), picture) == Box(
        x_min=50, y_min=25, x_max=100, y_max=75
    )
    over = Box(x_min=-4, y_min=90, x_max=30, y_max=104)
    assert box_in_pixels(lesion(box=over), picture) == Box(x_min=0, y_min=90, x_max=30, y_max=99)
    outside = Box(x_min=300, y_min=10, x_max=320, y_max=30)
    assert box_in_pixels(lesion(box=outside), picture) is None
    mostly = Box(x_min=-10, y_min=-10, x_max=5000, y_max=50)  # of no picture of this size
    assert box_in_pixels(lesion(box=mostly), picture) is None


def picture_of_a_body() -> np.ndarray:
    yy, xx = np.mgrid[:120, :160]
    picture = np.full((120, 160), 5, dtype=np.uint8)
    picture[((xx - 80) / 70) ** 2 + ((yy - 55) / 45) ** 2 <= 1] = 120
    picture[((xx - 55) / 16) ** 2 + ((yy - 55) / 20) ** 2 <= 1] = 8  # a lung
    picture[110:113, 20:140] = 120  # the table
    return picture


def test_the_body_has_its_lungs_and_not_the_table() -> None:
    mask = body_mask(picture_of_a_body())
    assert mask[55, 55]
    assert mask[20, 80]
    assert not mask[111, 80]
    assert mask.sum() == pytest.approx(np.pi * 70 * 45, rel=0.03)
    assert not body_mask(np.full((50, 50), 9, dtype=np.uint8)).any()


def test_misplaced_boxes_lie_in_the_body_and_mark_nothing_known() -> None:
    picture = picture_of_a_body()
    right = Box(x_min=90, y_min=40, x_max=108, y_max=52)
    other = Box(x_min=40, y_min=40, x_max=58, y_max=60)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        boxes = misplaced_boxes(picture, right, [right, other], rng, count=3)
        assert boxes is not None
        assert len(set(boxes)) == 3
        for box in boxes:
            assert (box.x_max - box.x_min, box.y_max - box.y_min) == (18, 12)
            for known in (right, other):
                width = min(box.x_max, known.x_max) - max(box.x_min, known.x_min)
                height = min(box.y_max, known.y_max) - max(box.y_min, known.y_min)
                assert max(width, 0) * max(height, 0) <= 0.1 * 18 * 12
            inside = body_mask(picture)[
                int(box.y_min) : int(box.y_max), int(box.x_min) : int(box.x_max)
            ]
            assert inside.mean() >= 0.98


def test_without_room_there_are_no_misplaced_boxes() -> None:
    rng = np.random.default_rng(0)
    huge = Box(x_min=20, y_min=15, x_max=140, y_max=95)
    assert misplaced_boxes(picture_of_a_body(), huge, [huge], rng, count=3) is None
    empty = np.zeros((120, 160), dtype=np.uint8)
    assert misplaced_boxes(empty, Box(x_min=1, y_min=1, x_max=9, y_max=9), [], rng, count=3) is None
